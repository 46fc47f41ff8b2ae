// Written by tests/native/call/code_tables.rs from the enums of the core: do not edit.

/** Lints of cards. */
export type CardLintCode =
  /** The role of a card is not the role of its type. */
  | "role_mismatch";

/** Lints of packing. */
export type PackLintCode =
  /** A value of the handover has a type that packing does not use. It is ignored. */
  | "ignored_value"
  /** A handover has a key that packing does not know. It is ignored. */
  | "unknown_key"
  /** A value that is not a string becomes a string. */
  | "coerced_value"
  /** A string such as `"false"` counts as true. */
  | "truthy_text"
  /** An instruction is blank. */
  | "blank_instruction"
  /** A result field has no description: the model sees only its name. */
  | "field_without_description"
  /** An inherited card does not exist. */
  | "inherited_card_absent"
  /** An inherited card was deleted. */
  | "inherited_card_deleted"
  /** An inherited card has expired. */
  | "inherited_card_expired"
  /** An inherited card exists and cannot be read. */
  | "inherited_card_unreadable";

/** Lints of rendering. */
export type RenderLintCode =
  /** The model does not see a card that does not exist, was deleted or has expired. */
  | "missing_card"
  /** The model does not see a card that cannot be read. */
  | "unreadable_card"
  /** A card of other software has content without `__type__`. */
  | "untyped_content"
  /** The role is one that no model knows. */
  | "unknown_role"
  /** A card without a role is shown as a user's. */
  | "default_role"
  /** A card makes calls and answers one; the answer's `tool_call_id` is not shown. */
  | "two_call_roles"
  /** The calls of a card are not shown. */
  | "tool_calls_hidden"
  /** A tool's result names no call. */
  | "result_without_call"
  /** A failed call has a partial result, which is not shown with the error. */
  | "partial_result_hidden"
  /** The reasoning of a card is not shown. */
  | "reasoning_hidden";

/** Lints of recipes, previews and turns. */
export type AgentLintCode =
  /** A recipe does not know an argument. It is ignored. */
  | "ignored_argument"
  /** A recipe declares an argument and does not use it. */
  | "unused_argument"
  /** A recipe makes no card and inherits no box: the context is empty. */
  | "empty_handover"
  /** A delegation packs no instruction. */
  | "empty_instruction"
  /** A card repeats the instruction. */
  | "repeated_instruction"
  /** A box is not the sender's own. A dialect that checks authority would reject it. */
  | "unauthorised_box"
  /** One box has far more cards than the rest of the context. */
  | "lopsided_context"
  /** A card contains text that looks like a password, a key or a token. */
  | "secret_looking_text"
  /** A card is a file, and the receiver's model does not take files. */
  | "file_not_taken"
  /** A box of the turn does not exist. */
  | "missing_box"
  /** The turn has no profile, or the box of its profile is missing or empty. */
  | "missing_profile"
  /** The card of the profile exists and cannot be read. */
  | "unreadable_profile"
  /** A placeholder of the system prompt has no value. The model sees it verbatim. */
  | "unfilled_placeholder"
  /** The system prompt lists every profile of the project, and `downstream_desc` is missing. */
  | "downstream_not_listed"
  /** A tool has no description. The model sees only its name and its parameters. */
  | "tool_without_description"
  /** A result contract has no fields. The model does not see it. */
  | "result_fields_without_fields";

/** Lints of prompts, memory and payloads. */
export type PromptLintCode =
  /** The system prompt is blank. */
  | "blank_system_prompt"
  /** The query is blank. */
  | "blank_query"
  /** The prompt has no query: neither the call nor the checkpoint has a human message. */
  | "no_query"
  /** Two human messages have the same text, and no message answers the first. */
  | "duplicate_query"
  /** Sharing is off, so the summary of compacted messages is omitted. */
  | "summary_not_shared"
  /** A context block is not text. */
  | "block_not_text"
  /** The key of a context block looks like that of a layer and is not: it is placed by its key. */
  | "lookalike_key"
  /** A remembered conversation has a system message. */
  | "system_in_checkpoint"
  /** An internal message, which is for one call only, was remembered. */
  | "internal_in_checkpoint"
  /** A message has neither content nor calls. */
  | "empty_message"
  /** A tool's result answers no call before it. */
  | "orphan_tool_result"
  /** A call has no result. */
  | "unanswered_tool_call"
  /** A switch is set that changes nothing in this call. */
  | "switch_without_effect"
  /** Two messages have the same id. */
  | "duplicate_message_id"
  /** The model is not in the table of models; the general rules of the provider apply. */
  | "unknown_model"
  /** A request and the reserve for its answer exceed the window of the model. */
  | "over_window"
  /** The query of this call is remembered already. */
  | "repeated_query"
  /** A message is replaced that was compacted before. */
  | "replaced_too_late"
  /** A part of a remembered state cannot be read as memory. */
  | "not_memory"
  /** No record states which messages a summary covers. */
  | "summary_without_record"
  /** The summary of the call differs from that of memory. */
  | "summary_not_remembered"
  /** A compaction covers messages that do not follow each other. */
  | "covers_with_gap"
  /** A compaction separates a call from its result. */
  | "call_without_result";

/** Findings of handoff packages. */
export type FindingType =
  /** A required field is missing. */
  | "missing"
  /** The whole value is not an object. */
  | "model_type"
  /** Not a string. */
  | "string_type"
  /** Not an object. */
  | "dict_type"
  /** Not a list. */
  | "list_type"
  /** Not a whole number. */
  | "int_type"
  /** Not a number. */
  | "float_type"
  /** Not one of the allowed words. */
  | "literal_error"
  /** A number below zero. */
  | "greater_than_equal"
  /** A version that is not supported. */
  | "unsupported_version"
  /** A path that leaves the root of the package or is ambiguous. */
  | "unsafe_path"
  /** A name that cannot be part of a file name. */
  | "unsafe_name"
  /** Two index entries for one sample. */
  | "duplicate_sample"
  /** Two problems, or two ranks, with the same name. */
  | "duplicate_problem"
  /** A count that does not agree with the items. */
  | "count_mismatch"
  /** A rate that does not agree with its counts. */
  | "rate_mismatch"
  /** A reference to a problem that is not in the report. */
  | "unknown_problem"
  /** A reference to a sample that is not in the index. */
  | "unknown_sample"
  /** A safe path that differs from the layout. */
  | "outside_layout"
  /** Fewer samples in the index than failed. */
  | "index_incomplete"
  /** A list shortened with `...`. */
  | "list_elided"
  /** Not three to five suggestions. */
  | "suggestion_count"
  /** A problem without a rank. */
  | "unranked_problem"
  /** A field that is still blank. */
  | "blank_field"
  /** A package over its token estimate. */
  | "package_too_large"
  /** Content in the package that belongs in a file. */
  | "inline_content"
  /** A reference to a file that is not stored. */
  | "dangling"
  /** A file that the layout requires and that is not stored. */
  | "file_missing"
  /** A stored file that belongs to no sample. */
  | "orphan"
  /** A stored file that cannot be read as its kind. */
  | "unreadable";

/** Lints of imports. */
export type ImportLintCode =
  /** A file is neither text nor a database. */
  | "not_text"
  /** A file is not whole JSON. */
  | "broken_json"
  /** A line is not JSON. */
  | "broken_line"
  /** A database cannot be read. */
  | "unreadable_database"
  /** The format of a file is unknown. */
  | "not_recognised"
  /** An entry has no request. */
  | "not_a_request"
  /** An entry occurs more than once and counts once. */
  | "repeated"
  /** An entry belongs to no conversation and is omitted. */
  | "left_out"
  /** A message cannot become a card. */
  | "card_refused"
  /** The log does not have this part of the last request. */
  | "cannot_be_known"
  /** The last request has more tokens than its log explains. */
  | "tokens_not_in_log";

/** Values dropped from a context. */
export type DropReason =
  /** A rule in `pack_arguments` is not an object. */
  | "not_an_object"
  /** A rule in `pack_arguments` does not name an argument. */
  | "no_arg_key"
  /** The argument is missing. */
  | "argument_absent"
  /** An entry in `include_boxes_from_args` is not the name of an argument. */
  | "not_a_name"
  /** An entry of an argument is not a box id. */
  | "not_a_box_id";

/** Conversion changes. */
export type ChangeCode =
  /** A role that no provider knows became `user`. */
  | "unknown_role"
  /** Another spelling of a known role. */
  | "role_renamed"
  /** The role does not match the calls of the message, or the call that it answers. */
  | "role_rewritten"
  /** A message with calls also had the id of a call that it answers. The id was dropped. */
  | "answer_and_calls"
  /** A key that the provider does not accept. */
  | "key_dropped"
  /** The provider does not accept the name of a speaker here. */
  | "name_dropped"
  /** The name of the speaker had characters that the provider refuses. */
  | "name_rewritten"
  /** The provider does not accept reasoning as text. */
  | "reasoning_dropped"
  /** A part of an unknown kind became its JSON text. */
  | "unknown_part"
  /** A file or an image that the provider does not accept here became a line of text. */
  | "media_as_text"
  /** A call that could not be read. */
  | "malformed_call"
  /** A result without its call became text of the user. */
  | "orphan_result"
  /** A second result of one call became text of the user. */
  | "duplicate_result"
  /** A call without a result. */
  | "unanswered_call"
  /** A result was moved directly after its call. */
  | "result_moved"
  /** The results of one message were put in the order of its calls. */
  | "result_reordered"
  /** A call and its result got another id. */
  | "call_id_rewritten"
  /** Arguments as an object became text, or empty text an empty object. */
  | "arguments_rewritten"
  /** Arguments that are not a JSON object were wrapped in one, under `arguments`. */
  | "arguments_wrapped"
  /** A tool was renamed; the payload lists the names. */
  | "tool_name_rewritten"
  /** A system message was moved to the others at the start. */
  | "system_moved"
  /** A message was empty or had only white space. */
  | "empty_dropped"
  /** White space was removed at the end of a message that the model continues. */
  | "space_trimmed"
  /** Messages of one speaker were merged. */
  | "turns_merged"
  /** A user message was added that the provider requires at the start or the end. */
  | "user_added"
  /** A tool definition that could not be read. */
  | "malformed_tool"
  /** A tool of a kind that this provider does not have. */
  | "foreign_tool"
  /** A repeated definition of a tool. */
  | "duplicate_tool"
  /** Another tool with the same name. */
  | "conflicting_tool"
  /** A schema without a type became the schema of an object. */
  | "schema_rewritten"
  /** A schema that is not of an object was wrapped in one, under `value`. */
  | "schema_wrapped"
  /** The provider requires a maximum length of the answer. */
  | "limit_added"
  /** A result was matched to a call by order or tool name, because the ids did not match. */
  | "call_paired"
  /** A failed call has a partial result, which is not shown with the error. */
  | "partial_result_hidden"
  /** The provider has no field for a failed call, and the text does not state the failure. */
  | "failure_unmarked"
  /** A part that only another provider has. */
  | "foreign_part"
  /** The type of a file was changed to its registered name, or to that of its bytes. */
  | "media_type_rewritten"
  /** The provider does not accept citations. */
  | "citations_dropped"
  /** The provider does not have this cache mark, or accepts fewer. */
  | "cache_mark_dropped"
  /** A signature that only another provider can read. */
  | "signature_dropped"
  /** The model requires a signature that is missing; the documented placeholder was added. */
  | "signature_added"
  /** The provider has no field for a refusal, which became text. */
  | "refusal_as_text"
  /** There were more tools than the provider accepts. */
  | "too_many_tools"
  /** The schema is not one that `strict` allows, or the provider has no `strict`. */
  | "strict_dropped"
  /** A part of a schema that the provider does not accept was dropped. */
  | "schema_loosened"
  /** A property of a tool was renamed; the payload lists the names. */
  | "property_renamed"
  /** An option was dropped that the provider does not accept, alone or with the others. */
  | "option_dropped"
  /** An option was changed to a value that the provider accepts. */
  | "option_rewritten"
  /** An assistant message was added that the provider requires after results. */
  | "assistant_added"
  /** A definition was added that the provider requires for a called tool. */
  | "tool_added";

/** The format of a payload. */
export type Provider =
  /** The neutral messages, unchanged. */
  | "neutral"
  /** OpenAI Chat Completions. */
  | "openai_chat"
  /** OpenAI Responses. */
  | "openai_responses"
  /** Anthropic Messages. */
  | "anthropic"
  /** Google Gemini, `generateContent`. */
  | "gemini"
  /** Amazon Bedrock, `Converse`. */
  | "bedrock"
  /** Mistral chat completions. */
  | "mistral"
  /** Servers that offer chat completions, such as vLLM, llama.cpp and Ollama. */
  | "openai_compatible"
  /** Vercel's AI SDK: `ModelMessage[]` and its settings. */
  | "ai_sdk";

/** The code of any lint. */
export type LintCode =
  | CardLintCode
  | PackLintCode
  | RenderLintCode
  | AgentLintCode
  | PromptLintCode
  | FindingType
  | ImportLintCode;
