# Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
# `TUCKBOX_BLESS=1` writes it again.
"""The arguments and the answers of every operation."""

import typing_extensions as _t

class Account(_t.TypedDict):
    """The tokens of a payload by source and by section. The buckets add up to the whole."""
    provider: Provider
    """The provider."""
    tokens: int
    """All tokens."""
    cost: float | None
    """The price of the tokens in dollars, without a cache. `null` if no price is known."""
    exact: bool
    """True if all counts are exact."""
    buckets: _t.List[Bucket]
    """The buckets: sources in the order of their first message, then tools, then framing."""
    sections: _t.List[Section]
    """The same tokens by section. They add up to the whole."""
    reserve: int
    """The tokens that are reserved for the answer. The whole does not include them."""
    messages: _t.List[AccountMessages]
    """The tokens of each message of the prompt that is in the payload, without framing."""
    tools: _t.List[AccountTools]
    """The tokens of each tool definition."""

class AccountMessages(_t.TypedDict):
    position: int
    """The position."""
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""

class AccountTools(_t.TypedDict):
    name: str
    """The name in the payload."""
    tokens: int
    """The number of tokens."""
    exact: bool
    """Always false: no provider documents how it shows tools to a model."""

class AccountedCompaction(_t.TypedDict):
    """The account of one compaction."""
    before: int
    """The request before."""
    after: int
    """The request after."""
    summaries: _t.List[int]
    """The summaries: messages of the request after. Empty if messages were only removed."""
    messages: _t.List[AccountedMessage]
    """Every message of the request before."""
    totals: FateTotals
    """The totals."""

class AccountedMessage(_t.TypedDict):
    """A message of the request before a compaction."""
    message: int
    """The position in the body."""
    role: str
    """The role."""
    fate: _t.Literal["kept", "covered", "dropped", "unknown"]
    """What happened to it."""
    kept_at: _t.NotRequired[int]
    """The position of a kept message in the request after."""
    covered_by: _t.NotRequired[int]
    """The summary that covers it: a message of the request after."""
    summary: bool
    """True for the summary of an earlier compaction."""
    tokens: int
    """The tokens, estimated."""

class ActivateBatch(_t.TypedDict):
    """Starts a batch: the join request, then every task."""
    batch_id: str
    """The batch."""
    dispatch_results: _t.NotRequired[_t.Sequence[HostDispatch] | None]
    """The answers, in the order of the tasks. The last one counts for all further tasks. By default the operation dispatches."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class AgentColumns(_t.TypedDict):
    """The optional columns of an agent."""
    display_name: _t.NotRequired[str | None]
    """The display name."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs it."""
    owner_agent_id: _t.NotRequired[str | None]
    """The agent that owns it."""
    status: _t.NotRequired[str | None]
    """The status in the roster. `active` for a new agent."""
    metadata: _t.NotRequired[_t.Any | None]
    """Data of the host."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class AgentDetails(_t.TypedDict):
    """The properties of an agent other than its profile box and its worker."""
    profile_name: _t.NotRequired[str | None]
    """The name of its profile, for a derived agent."""
    derived_from: _t.NotRequired[str | None]
    """The agent that a derived one comes from."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """Its tags. Those of the profile by default."""
    display_name: _t.NotRequired[str | None]
    """Its name for people."""
    owner_agent_id: _t.NotRequired[str | None]
    """The agent that owns it."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about it. Present keys that are not given stay."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of a new agent."""

class AgentReady(_t.TypedDict):
    """Whether the roster changed, or why not."""
    roster_updated: bool
    error_code: _t.NotRequired[_t.Literal["missing_profile_name", "missing_derived_profile_name", "profile_box_missing", "profile_not_found", "profile_mismatch", "derived_agent_conflict", "worker_target_missing"]]

class AgentRequest(_t.TypedDict):
    """The source of a change of the roster."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the change."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for the change."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that asks for the change."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the change."""

class AgentSpec(_t.TypedDict):
    """The wanted properties of an agent."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of its profile."""
    worker_target: _t.NotRequired[str | None]
    """The kind of worker that runs it."""
    profile_name: _t.NotRequired[str | None]
    """The name of its profile, for a derived agent."""
    derived_from: _t.NotRequired[str | None]
    """The agent that a derived one comes from."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """Its tags. Those of the profile by default."""
    display_name: _t.NotRequired[str | None]
    """Its name for people."""
    owner_agent_id: _t.NotRequired[str | None]
    """The agent that owns it."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about it. Present keys that are not given stay."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of a new agent."""

AgentStatus: _t.TypeAlias = _t.Literal["idle", "dispatched", "running", "suspended"]

class AllowedContexts(_t.TypedDict):
    """Lists the blocks that a kind of process sees."""
    process: Process
    """The kind of process."""
    enable_share_context: _t.NotRequired[bool | None]
    """The switch for shared blocks. That of the project by default."""

class AllowedContextsResult(_t.TypedDict):
    keys: _t.List[str]
    """The keys of the blocks, in the order of the composer."""

class AlsoCause(_t.TypedDict):
    """A further cause."""
    cause: CacheCause
    """The cause."""
    region: CacheRegion
    """The region of the cause."""
    at: CachePlace
    """The position of the cause."""
    lost_tokens: int
    """The tokens that this cause alone loses."""
    rule: str
    """The id of the fact that decides it."""

class AnswerToolCall(_t.TypedDict):
    """Answers a tool call that a turn waits for. It stores the result as the card `result_<tool_call_id>`, notes the call, and reports the result to the turn. Only the first answer of a call counts: a later one changes no card. A refused answer writes nothing."""
    agent_id: str
    """The agent whose turn waits."""
    agent_turn_id: str
    """The turn that waits."""
    turn_epoch: int
    """The epoch of the turn."""
    step_id: str
    """The step that made the call."""
    tool_call_id: str
    """The id of the call."""
    tool_name: str
    """The name of the tool."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the call."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    status: _t.NotRequired[_t.Literal["success", "failed", "partial", "timeout", "canceled"] | None]
    """The outcome of the call."""
    error: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """The error of a call that did not succeed, with `code` and `message`."""
    after_execution: _t.NotRequired[_t.Literal["suspend", "terminate"] | None]
    """`suspend` to continue the turn, `terminate` to end it."""
    result: _t.NotRequired[_t.Any | None]
    """The result; `null` by default."""
    result_text: _t.NotRequired[str | None]
    """The result as JSON text, instead of `result`. It can have any number of values."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class AnswerToolCallResult(_t.TypedDict):
    accepted: bool
    error_code: _t.NotRequired[RunRefusal]

class AppendOutput(_t.TypedDict):
    """Appends cards to the output box of an agent: that of its running turn, or that of its last one. The last output is not changed while a running turn of another agent reads it."""
    agent_id: str
    """The agent."""
    card_ids: _t.Sequence[str]
    """The ids of the cards to append, in order."""
    even_during_turn: _t.NotRequired[bool | None]
    """Changes the box even if a running turn reads it or appends to it. Otherwise that is a `conflict` that names the turn; the output box of a running turn can grow."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class AppendOutputResult(_t.TypedDict):
    agent_id: str
    """The agent."""
    output_box_id: str
    """The output box."""

class AppendToBox(_t.TypedDict):
    """Appends cards to a box."""
    box_id: str
    """The box to append to."""
    card_ids: _t.Sequence[str]
    """The ids of the cards to append, in order."""
    any_version: _t.NotRequired[bool | None]
    """Appends to any version of the box. Otherwise a box that changed since it was read is a `conflict`."""
    even_during_turn: _t.NotRequired[bool | None]
    """Changes the box even if a running turn reads it or appends to it. Otherwise that is a `conflict` that names the turn; the output box of a running turn can grow."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class Argument(_t.TypedDict):
    """An argument of a recipe."""
    name: str
    """The name."""
    type: ArgumentType
    """The type of the value."""
    required: _t.NotRequired[bool]
    """Rejects a call without the argument. `true` by default."""
    description: _t.NotRequired[str]
    """The purpose of the argument, for people."""

ArgumentType: _t.TypeAlias = _t.Literal["text", "number", "integer", "boolean", "object", "list", "result_fields", "box_id", "box_ids", "any"]

class ArtifactFile(_t.TypedDict):
    """A file of a package."""
    path: str
    """The path of the file, relative to the root of the package."""
    text: str
    """The content of the file."""

class AskExpert(_t.TypedDict):
    """Asks a new agent with an expert profile: a form of `delegate_async`."""
    arguments: _t.Any
    """The question, as a model wrote it."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class Audit(_t.TypedDict):
    """The record of one packed context: the sender, the receiver, the sources and their authority."""
    context_box_id: str
    packed_by: str
    """The agent that delegated."""
    tool_suffix: str
    """The tool that packed. It is the author of the new cards."""
    recipe: _t.NotRequired[str]
    """The recipe of the call. Missing for `pack_context`."""
    dialect: Dialect
    target_profile: str
    """The profile of the receiver."""
    target_profile_box_id: str
    """The box of that profile."""
    target_agent_id: _t.NotRequired[str]
    """The receiver, if the recipe has one."""
    target_output_box_id: _t.NotRequired[str]
    """The output box that the receiver continues with, if any."""
    target_display_name: _t.NotRequired[str]
    """The display name of the receiver, if the recipe has one."""
    permission: _t.NotRequired[AuditPermission]
    """The delegation policy of the sender's profile. Missing if no policy was checked."""
    sources: _t.List[AuditSources]
    """The inherited boxes."""

class AuditHandoff(_t.TypedDict):
    """Compares a handoff package with the files in the store."""
    package: HandoffPackage
    """The package."""

class AuditHandoffResult(_t.TypedDict):
    complete: bool
    """True if there are no findings."""
    dangling: _t.List[str]
    """Files that the package refers to and the store does not have."""
    missing: _t.List[str]
    """Files that the layout requires and the store does not have."""
    orphans: _t.List[str]
    """Stored files that belong to no sample and are not part of the layout."""
    findings: _t.List[Finding]
    """A finding for each of these files."""

class AuditPermission(_t.TypedDict):
    profile_box_id: str
    target_profiles: _t.List[str] | None
    """The profiles that the policy lists. Null if it allows every profile."""
    target_tags: _t.List[str]
    """The tags of which the receiver's profile needs one. Empty if tags do not matter."""

class AuditRefusal(_t.TypedDict):
    """Stores an audit entry about a call that a policy refuses. Nothing else of the call is written."""
    call: _t.Any
    """The refused call."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class AuditRefusalResult(_t.TypedDict):
    refusal: AuditRefusalResultRefusal | None
    """The stored refusal. Null if the call is not refused."""

class AuditRefusalResultRefusal(_t.TypedDict):
    op: str
    """The operation."""
    source_agent_id: str | None
    """The agent that asked. Null if the call names none."""
    subject: str
    """The box or the profile that the call asked for. Empty if the call lists no box."""
    code: _t.Literal["bad_request", "not_found", "invalid_content", "auth_failed", "conflict", "limit", "store"]
    """The code of the error."""
    path: str
    """The path of the value that was refused."""
    message: str
    """The message of the error."""
    policy: AuditRefusalResultRefusalPolicy | AuditRefusalResultRefusalPolicy2 | AuditRefusalResultRefusalPolicy3
    """The policy."""

class AuditRefusalResultRefusalPolicy(_t.TypedDict):
    kind: _t.Literal["own_boxes"]
    """The sender can pass on its own boxes, and those that the project grants."""
    box_ids: _t.List[str]
    """The first 100 of them."""
    count: int

class AuditRefusalResultRefusalPolicy2(_t.TypedDict):
    kind: _t.Literal["listed_boxes"]
    """The list `authorized_inherit_box_ids` of the call."""
    box_ids: _t.List[str]
    """The first 100 of them."""
    count: int

class AuditRefusalResultRefusalPolicy3(_t.TypedDict):
    kind: _t.Literal["delegation"]
    """The delegation policy of the sender's profile."""
    profile_box_id: str
    exists: bool
    """False if the profile has no policy. Then it cannot delegate."""
    target_profiles: _t.List[str] | None
    """The profiles that the policy lists. Null if it lists none."""
    target_tags: _t.List[str]
    """The tags of which the receiver's profile needs one."""

class AuditSources(_t.TypedDict):
    box_id: str
    version: int
    cards: int
    """The number of its cards."""
    authority: Authority
    path: str
    """The path of the argument that names it."""

Authority: _t.TypeAlias = AuthorityItem | Authority2 | Authority3 | Authority4 | Authority5

class Authority2(_t.TypedDict):
    kind: _t.Literal["listed"]
    """`authorized_inherit_box_ids` lists the box."""

class Authority3(_t.TypedDict):
    kind: _t.Literal["own"]
    """The box belongs to the sender."""
    as_what: _t.Literal["profile_box_id", "context_box_id", "output_box_id", "memory_context_box_id", "last_output_box_id"]

class Authority4(_t.TypedDict):
    kind: _t.Literal["clone_source"]
    """The box is the output of the cloned agent."""
    agent_id: str

class Authority5(_t.TypedDict):
    kind: _t.Literal["granted"]
    """The project or the call grants the box."""

class AuthorityItem(_t.TypedDict):
    kind: _t.Literal["project"]
    """The dialect allows every box of the project."""

class BatchRequest(_t.TypedDict):
    """A batch of tasks for a turn that waits for them."""
    source_agent_id: str
    """The agent that waits for the batch."""
    parent_agent_turn_id: str
    """The turn that waits for the batch."""
    parent_turn_epoch: int
    """The epoch of the turn."""
    parent_tool_call_id: str
    """The tool call that the batch answers."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that made the call."""
    lineage_parent_step_id: _t.NotRequired[str | None]
    """The step that the tasks belong to."""
    parent_after_execution: _t.NotRequired[_t.Literal["suspend", "terminate"] | None]
    """Whether the result continues or ends the turn."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called."""
    structured_output: _t.NotRequired[str | None]
    """The form of the results of the tasks: `tool_result` to add the results of tools."""
    fail_fast: _t.NotRequired[bool | None]
    """True to end the batch with the first task that fails."""
    deadline_seconds: _t.NotRequired[int | None]
    """The time limit of the batch, in seconds."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the batch."""
    parent_traceparent: _t.NotRequired[str | None]
    """The span of the turn that waits."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the turn that waits. A batch without it cannot start."""
    task_specs: _t.Sequence[TaskSpec]
    """The tasks."""

class BatchRow(_t.TypedDict):
    """Tasks that are dispatched together."""
    batch_id: str
    parent_agent_id: str
    parent_agent_turn_id: str
    parent_tool_call_id: str
    parent_turn_epoch: int
    parent_channel_id: _t.NotRequired[str]
    task_count: int
    status: BatchStatus
    deadline_at: _t.NotRequired[str]
    metadata: _t.Dict[str, _t.Any]
    created_at: str
    updated_at: str
    open_count: _t.NotRequired[int]
    events: _t.NotRequired[int]

BatchStatus: _t.TypeAlias = _t.Literal["running", "success", "failed", "timeout", "partial"]

class BoxChangeOptions(_t.TypedDict):
    """Options of a change to a box."""
    even_during_turn: _t.NotRequired[bool | None]
    """Changes the box even if a running turn reads it or appends to it. Otherwise that is a `conflict` that names the turn; the output box of a running turn can grow."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class BoxRow(_t.TypedDict):
    """A box as a row of a store."""
    box_id: str
    card_ids: _t.List[str]
    """The card ids in order; an id can appear twice."""
    parent_ids: _t.List[str]
    """The boxes that this box was made from."""
    version: int
    """The version; a new box starts at 1, and every change increases it."""
    deleted_at: str | None

class BoxVersion(_t.TypedDict):
    """A box at a version."""
    box_id: str
    """The id of the box."""
    version: int
    """The version of the box; a new box starts at 1."""

class BoxView(_t.TypedDict):
    """A box in numbers."""
    box_id: str
    """The box."""
    cards: int
    """The number of its positions."""
    swallowed: int
    """The number of later duplicates that were dropped."""

class Boxes(_t.TypedDict):
    """The result of reading boxes, in the requested order."""
    boxes: _t.List[BoxRow]
    """The boxes that were found."""
    missing_boxes: _t.List[Missing]
    """The missing boxes."""

BriefHandover = _t.TypedDict("BriefHandover", {"call": _t.Any, "task": _t.NotRequired[int | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class BriefHandoverResult(_t.TypedDict):
    context_box_id: str
    """The box that the receiver's turn reads."""
    tasks: int
    """The number of contexts that the call packs."""
    tokens: int
    """The tokens of the receiver's messages and tools, estimated."""
    shared: int
    """The number of cards that both see."""
    added: int
    """The number of cards that only the receiver sees."""
    not_passed_on: int
    """The number of cards that only the sender sees."""
    content_hash: str
    """The hash of everything that the call makes. It is the same after the commit."""
    lints: _t.List[BriefHandoverResultLints]
    """Likely mistakes."""
    cards: _t.List[BriefHandoverResultCards]
    """The cards of the receiver in order, then those that are not passed on."""
    next: _t.NotRequired[int]
    """The `from` of the next page. Missing on the last one."""

class BriefHandoverResultCards(_t.TypedDict):
    card_id: str
    """The card."""
    seen: str
    """`shared`, `added` or `not_passed_on`."""
    why: _t.NotRequired[str]
    """Why the receiver gets it: `argument`, `inherited`, `parent` or `imported`."""
    box_id: _t.NotRequired[str]
    """The box that it comes from."""
    tokens: _t.NotRequired[int]
    """The tokens of its message, estimated."""
    text: _t.NotRequired[str]
    """An excerpt of its message."""

class BriefHandoverResultLints(_t.TypedDict):
    code: str
    """The code."""
    message: str
    """A sentence."""

Bucket: _t.TypeAlias = Bucket1 | Bucket2 | Bucket3 | Bucket4 | Bucket5

class Bucket1(_t.TypedDict):
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""
    positions: _t.NotRequired[_t.List[int]]
    """The positions of its messages in the prompt."""
    kind: _t.Literal["card"]
    """A card."""
    card_id: str
    """The id."""

class Bucket2(_t.TypedDict):
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""
    positions: _t.NotRequired[_t.List[int]]
    """The positions of its messages in the prompt."""
    kind: _t.Literal["layer"]
    """A layer of a composed prompt."""
    layer: str
    """The name."""

class Bucket3(_t.TypedDict):
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""
    positions: _t.NotRequired[_t.List[int]]
    """The positions of its messages in the prompt."""
    kind: _t.Literal["message"]
    """A message without a card or a layer."""
    position: int
    """The position."""

class Bucket4(_t.TypedDict):
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""
    positions: _t.NotRequired[_t.List[int]]
    """The positions of its messages in the prompt."""
    kind: _t.Literal["tools"]
    """Tool definitions."""

class Bucket5(_t.TypedDict):
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""
    positions: _t.NotRequired[_t.List[int]]
    """The positions of its messages in the prompt."""
    kind: _t.Literal["framing"]
    """The framing of the provider, and text that the conversion added."""

class BuildBatchResult(_t.TypedDict):
    """Builds the result of a batch."""
    status: str
    """The status of the batch."""
    tasks: _t.Sequence[_t.Mapping[str, _t.Any]]
    """The rows of the tasks."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class BuildBatchResultResult(_t.TypedDict):
    status: str
    results: _t.List[TaskResult]

class BuildError(_t.TypedDict):
    """A context that could not be built."""
    name: str
    """The name of the context."""
    message: str
    """The reason."""

class BuildHandoffResult(_t.TypedDict):
    package: ExecuteToInit
    """The package."""
    report: Layer1ProblemsReport
    """The report. A skeleton has blank fields, each with a lint."""
    files: _t.List[ArtifactFile]
    """Every file of the layout; summary and report last."""
    findings: _t.List[Finding]
    """The findings."""

CacheCause: _t.TypeAlias = _t.Literal["first", "no_breakpoint", "too_many_breakpoints", "ttl_order", "scope_changed", "model_changed", "service_tier_changed", "prompt_cache_key_changed", "below_minimum", "tools_changed", "reasoning_effort_changed", "text_format_changed", "verbosity_changed", "parallel_tool_calls_changed", "context_management_changed", "system_changed", "tool_choice_changed", "effort_changed", "images_changed", "thinking_stripped", "context_compacted", "messages_changed", "lookback_exceeded", "expired", "not_yet_written", "appended", "unexplained_miss", "unknown"]

class CacheExplanation(_t.TypedDict):
    """The explanation of the requests of a session."""
    provider: _t.Literal["anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "mistral", "deepseek", "openai_compatible"]
    """The provider."""
    requests: _t.List[RequestCache]
    """One entry for each request."""
    summary: CacheSummary
    """The totals of the session."""
    policy: CacheRules
    """The rules of the last request's model."""
    facts: _t.List[CacheFact]
    """The documented facts that the explanations refer to."""

class CacheFact(_t.TypedDict):
    """A documented fact about a provider's cache."""
    id: str
    """The name of the fact: the `rule` of an explanation."""
    text: str
    """The fact."""
    source: str
    """The page that documents it."""
    seen: str
    """The date of the page that was read."""

class CacheOptions(_t.TypedDict):
    """The prefix cache of a provider. The values of the model by default."""
    least_tokens: _t.NotRequired[int | None]
    """The length of the shortest prefix that is cached, in tokens."""
    step: _t.NotRequired[int | None]
    """The step of the cache, in tokens."""
    whole_blocks: _t.NotRequired[bool | None]
    """Caches only whole blocks, never a part of one."""

class CachePlace(_t.TypedDict):
    """The position of a cause. Members that do not apply are missing."""
    tool: _t.NotRequired[str]
    """The name of the tool."""
    tool_index: _t.NotRequired[int]
    """The position of the tool, from 0."""
    message: _t.NotRequired[int]
    """The message, from 0."""
    block: _t.NotRequired[int]
    """The block of the message or of the system prompt, from 0."""
    change: _t.NotRequired[str]
    """The kind of change: `added`, `removed`, `reordered`, `edited`, `inserted`, `text`, `schema`, `key_order`, `mark_moved`."""
    path: _t.NotRequired[str]
    """The path inside of the tool or block."""
    parameter: _t.NotRequired[str]
    """The parameter of the request."""
    character: _t.NotRequired[int]
    """The number of equal characters before the change."""
    words: _t.NotRequired[CachePlaceWords]
    """The words that differ."""
    volatile: _t.NotRequired[str]
    """The kind of value that changes with each request: `date`, `time`, `uuid`, `id`, `counter`."""
    found: _t.NotRequired[int]
    """Positions, marks, tokens or seconds that were found."""
    limit: _t.NotRequired[int]
    """The limit that they are compared with."""

class CachePlaceWords(_t.TypedDict):
    before: str
    """The words of the earlier request."""
    after: str
    """The words of this request."""

class CachePlan(_t.TypedDict):
    """How the cache of a provider is marked."""
    strategy: _t.NotRequired[_t.Literal["manual", "system", "auto"] | None]
    """Where marks are set."""
    ttl: _t.NotRequired[_t.Literal["5m", "1h"] | None]
    """How long entries live. The shorter time of the provider by default."""

class CachePolicy(_t.TypedDict):
    """The rules of a provider's prefix cache."""
    least_tokens: int
    """The shortest prefix that is cached, in tokens."""
    step: int
    """The step of the cache in tokens: a cached prefix is a multiple of it."""
    whole_blocks: bool
    """True if only whole blocks are cached."""
    marked: bool
    """True if the host must mark the end of the cached prefix."""

class CachePrice(_t.TypedDict):
    """The price of a request: multiples of the input price and sums of them."""
    input: float
    """The price of a token of input, in the currency."""
    read: float | None
    """The price of a read token, as a multiple of the input price. `null` if it is unknown."""
    write: float | None
    """The price of a written token, likewise."""
    fresh: float
    """The price of any other token of the input, likewise."""
    expected: float | None
    """The price of the expected tokens."""
    recorded: _t.NotRequired[float]
    """The price of the recorded tokens."""
    lost: float | None
    """The price of what was lost."""
    currency: str
    """The currency of the host, `USD` for prices of the table of models, or `input_tokens`: the price of one token of input."""
    checked: str
    """The date on which the multiples were checked."""

CacheRegion: _t.TypeAlias = _t.Literal["tools", "system", "messages", "request", "time", "none"]

class CacheRules(_t.TypedDict):
    """The rules of a cache for one model."""
    family: str
    """The family of the provider: `anthropic`, `openai`, `google`, `bedrock`, `mistral`, `deepseek`."""
    mode: _t.Literal["marked", "breakpoints", "prefix", "units", "unknown"]
    """How entries are found."""
    minimum: _t.NotRequired[int]
    """The length of the shortest prefix that is cached, in tokens."""
    step: _t.NotRequired[int]
    """The step of the cache, in tokens."""
    max_marks: _t.NotRequired[int]
    """The maximum number of marks of a request."""
    lookback: _t.NotRequired[int]
    """The number of positions that a read looks back."""
    lifetime: CacheRulesLifetime
    """The lifetime without a request that sets one."""
    read: _t.NotRequired[float]
    """The price of a read, as a multiple of the input price."""
    write: _t.NotRequired[float]
    """The price of a write that lives the shorter time, likewise."""
    write_1h: _t.NotRequired[float]
    """The price of a write that lives 1 hour, likewise."""
    threshold: _t.NotRequired[int]
    """Above this number of input tokens, `threshold_times` multiplies all prices."""
    threshold_times: _t.NotRequired[float]
    """The factor above the threshold."""
    strips_thinking: _t.NotRequired[bool]
    """Whether a user message removes earlier thinking from the prefix."""
    system_messages: _t.NotRequired[bool]
    """Whether the conversation can have system messages, which keep the prefix."""
    marks_tools: _t.NotRequired[bool]
    """Whether tools can have marks."""
    guaranteed: bool
    """True if the provider guarantees that a matching prefix is read within the lifetime."""
    rule: str
    """The fact that documents the minimum."""
    checked: str
    """The date on which these numbers were checked."""

class CacheRulesLifetime(_t.TypedDict):
    least: _t.NotRequired[int]
    """An entry lives at least this long after its last use."""
    most: _t.NotRequired[int]
    """An entry is removed after this time without use."""

CacheSubject: _t.TypeAlias = CacheSubject1 | CacheSubject2 | CacheSubject3

class CacheSubject1(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to send, from 0, for a call that packs several."""
    at: _t.NotRequired[_t.Any | None]
    """When the request is sent."""
    first_token_at: _t.NotRequired[_t.Any | None]
    """When the answer begins."""
    usage: _t.NotRequired[_t.Any | None]
    """The usage of the answer, as the provider or `read_response` reports it."""
    call: _t.Any
    """The call to preview, with its name under `op`."""
    box_id: _t.NotRequired[None]
    turn: _t.NotRequired[None]

class CacheSubject2(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to send, from 0, for a call that packs several."""
    at: _t.NotRequired[_t.Any | None]
    """When the request is sent."""
    first_token_at: _t.NotRequired[_t.Any | None]
    """When the answer begins."""
    usage: _t.NotRequired[_t.Any | None]
    """The usage of the answer, as the provider or `read_response` reports it."""
    box_id: str
    """The box to show."""
    call: _t.NotRequired[None]
    turn: _t.NotRequired[None]

class CacheSubject3(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to send, from 0, for a call that packs several."""
    at: _t.NotRequired[_t.Any | None]
    """When the request is sent."""
    first_token_at: _t.NotRequired[_t.Any | None]
    """When the answer begins."""
    usage: _t.NotRequired[_t.Any | None]
    """The usage of the answer, as the provider or `read_response` reports it."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`, without `after`."""
    call: _t.NotRequired[None]
    box_id: _t.NotRequired[None]

class CacheSummary(_t.TypedDict):
    """The totals of a session."""
    requests: int
    """The number of requests."""
    misses: int
    """The number of requests that lost tokens."""
    recorded: bool
    """True if all numbers are from usage, false if some are predictions."""
    input_tokens: int
    """Tokens of the input of all requests."""
    read_tokens: int
    """Tokens read from the cache."""
    write_tokens: int
    """Tokens written to the cache."""
    lost_tokens: int
    """Tokens that were in the cache and were not read."""
    hit_rate: float
    """The share of the input that was read from the cache, from 0 to 1."""
    money_hit_rate: _t.NotRequired[float]
    """The hit rate by money: what reads saved, of what they would have saved without misses. Missing without prices, and if nothing could be saved."""
    saved_rate: _t.NotRequired[float]
    """The share of the input price that the cache saved, from 0 to 1. Missing without prices; negative if writes cost more than reads saved."""
    price: _t.NotRequired[float]
    """The price of all requests."""
    lost_price: _t.NotRequired[float]
    """What the session would have saved without misses."""
    causes: _t.List[CacheSummaryCauses]
    """The causes of lost tokens, the most expensive first."""

class CacheSummaryCauses(_t.TypedDict):
    cause: CacheCause
    """The cause."""
    requests: int
    """The number of requests."""
    lost_tokens: int
    """Tokens that were lost."""
    lost_price: _t.NotRequired[float]
    """The price of what was lost."""
    fix: _t.NotRequired[str]
    """How to keep the prefix: the fix of the first such request."""

CacheTtl = _t.TypedDict("CacheTtl", {"seconds": int | None, "left_seconds": _t.NotRequired[int], "idle_seconds": _t.NotRequired[int], "from": str})

class CalledTool(_t.TypedDict):
    """A tool call of the model, and what became of it."""
    id: str
    """The id of the call."""
    name: _t.NotRequired[str | None]
    """The name of the tool."""
    outcome: _t.NotRequired[_t.Literal["suspend", "result", "error", "deliver"] | None]
    """The outcome of the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The cards of the result, which are in the store."""
    error: _t.NotRequired[str | None]
    """The error of a tool that failed."""
    delivered_text: _t.NotRequired[str | None]
    """The arguments of a call that delivers, as JSON text. The operation makes the deliverable: each argument is a field. If they cannot be on a card, the call fails and the turn continues."""
    batch_seconds: _t.NotRequired[float | None]
    """The deadline of the batch that the call waits for, in seconds; 0 for a batch without one. The turn waits 60 seconds longer, and 960 seconds for a batch without a deadline. A wait by the name of the tool comes first."""

class Caller(_t.TypedDict):
    """The sender of a delegation."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class Cancel(_t.TypedDict):
    """Cancels a queued turn."""
    target_agent_id: str
    """The agent of the turn."""
    agent_turn_id: str
    """The turn."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn, for logs."""
    reason: _t.NotRequired[str | None]
    """The reason, for logs."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about the reason, for logs."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class CancelResult(_t.TypedDict):
    canceled: bool
    """False if the turn is not queued."""
    agent_turn_id: str
    """The turn."""

CardCost: _t.TypeAlias = CardCost1 | CardCost2 | CardCost3 | CardCost4

class CardCost1(_t.TypedDict):
    tokens: int
    """The tokens."""
    exact: _t.NotRequired[bool]
    """True if `tokens` is the model's own count."""
    became: _t.Literal["message"]
    """The message at a position of the turn."""
    position: int
    """The position, from 0."""

class CardCost2(_t.TypedDict):
    tokens: int
    """The tokens."""
    exact: _t.NotRequired[bool]
    """True if `tokens` is the model's own count."""
    became: _t.Literal["system_prompt"]
    """Fields in the system prompt."""

class CardCost3(_t.TypedDict):
    tokens: int
    """The tokens."""
    exact: _t.NotRequired[bool]
    """True if `tokens` is the model's own count."""
    became: _t.Literal["tools"]
    """Tool definitions."""

class CardCost4(_t.TypedDict):
    tokens: int
    """The tokens."""
    exact: _t.NotRequired[bool]
    """True if `tokens` is the model's own count."""
    became: _t.Literal["nothing"]
    """Nothing: the model does not get it."""
    reason: str
    """The reason: `absent`, `deleted`, `expired`, `call_record`, `repeated`, or the code of the conversion change that dropped it."""

CardKind: _t.TypeAlias = _t.Literal["instruction", "contract", "thought", "tool_call", "tool_result", "deliverable", "system", "pointer", "file", "user", "assistant", "other", "missing"]

class CardRow(_t.TypedDict):
    """A card as a row of a store."""
    card_id: str
    content: Content
    metadata: _t.Dict[str, _t.Any]
    """`type`, `role`, `author_id`, `project_id`, `created_at`, and any other keys."""
    tool_calls: _t.List[_t.Dict[str, _t.Any]] | None
    tool_call_id: str | None
    ttl_seconds: int | None
    tenant_id: str | None
    """The project that stores the card."""
    expires_at: str | None
    deleted_at: str | None

class Cards(_t.TypedDict):
    """The result of reading cards, in the requested order."""
    cards: _t.List[CardRow]
    """The cards that were found."""
    missing_cards: _t.List[Missing]
    """The missing cards."""

Cause: _t.TypeAlias = CauseItem | Cause2 | Cause3 | Cause4

class Cause2(_t.TypedDict):
    kind: _t.Literal["inherited"]
    """The card comes from an inherited box."""
    box_id: str
    """The id of the box."""
    position: int
    """The position in that box, from 0."""
    path: str
    """The path of the argument that names the box."""

class Cause3(_t.TypedDict):
    kind: _t.Literal["parent"]
    """The card is the parent pointer."""
    path: str
    """The path of the switch that includes it."""

class Cause4(_t.TypedDict):
    kind: _t.Literal["imported"]
    """The card comes from the log of another tool."""
    file: str
    """The name of the file."""
    line: _t.NotRequired[int]
    """The line, from 1. `None` if the file is one value."""
    pointer: _t.NotRequired[str]
    """The JSON pointer inside the value. Empty for the whole value."""

class CauseItem(_t.TypedDict):
    kind: _t.Literal["argument"]
    """A rule in `pack_arguments` made the card from an argument."""
    arg_key: str
    """The name of the argument."""
    path: str
    """The path of the rule."""

Change: _t.TypeAlias = ChangeItem | Change2 | Change3 | Change4 | Change5

class Change2(_t.TypedDict):
    op: _t.Literal["replace"]
    """Replaces remembered messages, found by id."""
    messages: _t.Any
    """The messages, each with an id."""

class Change3(_t.TypedDict):
    op: _t.Literal["compact"]
    """Replaces messages by a summary."""
    id: str
    """The id of the compaction. A repeated compaction has the same id."""
    covers: _t.Sequence[str]
    """The ids of the messages that the summary covers."""
    replaces: _t.NotRequired[str | None]
    """The compaction whose summary this one includes, or `compression__context` for a summary without a record. Memory has one summary at a time."""
    summary: str
    """The summary."""

class Change4(_t.TypedDict):
    op: _t.Literal["add_results"]
    """Adds results of map-reduce workers, each under the `task_id` of its task."""
    results: _t.Sequence[_t.Mapping[str, _t.Any]]
    """The results, each with the id of its task."""

class Change5(_t.TypedDict):
    op: _t.Literal["clear_results"]
    """Removes all results of map-reduce workers."""

ChangeCode: _t.TypeAlias = _t.Literal["unknown_role", "role_renamed", "role_rewritten", "answer_and_calls", "key_dropped", "name_dropped", "name_rewritten", "reasoning_dropped", "unknown_part", "media_as_text", "malformed_call", "orphan_result", "duplicate_result", "unanswered_call", "result_moved", "result_reordered", "call_id_rewritten", "arguments_rewritten", "arguments_wrapped", "tool_name_rewritten", "system_moved", "empty_dropped", "space_trimmed", "turns_merged", "user_added", "malformed_tool", "foreign_tool", "duplicate_tool", "conflicting_tool", "schema_rewritten", "schema_wrapped", "limit_added", "call_paired", "partial_result_hidden", "failure_unmarked", "foreign_part", "media_type_rewritten", "citations_dropped", "cache_mark_dropped", "signature_dropped", "signature_added", "refusal_as_text", "too_many_tools", "strict_dropped", "schema_loosened", "property_renamed", "option_dropped", "option_rewritten", "assistant_added", "tool_added"]

class ChangeItem(_t.TypedDict):
    op: _t.Literal["append"]
    """Appends new messages, in order."""
    messages: _t.Any
    """The messages, each with an id."""

class ChangeMemory(_t.TypedDict):
    """Applies changes to a memory state, all or none."""
    state: StateInput
    """The state."""
    changes: _t.Sequence[Change]
    """The changes, in order."""

class ChangedMemory(_t.TypedDict):
    """The answer of `change_memory`."""
    state: Memory
    """Memory after all changes."""
    restored: _t.List[MemoryStep]
    """The effect on each message of the given state, unless it stayed unchanged."""
    ledger: _t.List[_t.List[MemoryStep]]
    """The effects on messages, by change."""

class CheckHandoff(_t.TypedDict):
    """Checks a handoff package and lists findings: version, paths, counts, names and size."""
    package: HandoffPackage
    """The package."""
    report: _t.NotRequired[_t.Any | None]
    """The report that the package refers to."""

class CheckHandoffResult(_t.TypedDict):
    accepted: bool
    """True if no finding is an error."""
    findings: _t.List[Finding]
    """The findings of the package, then those of the report."""
    size: CheckHandoffResultSize
    """The tokens of the package."""

class CheckHandoffResultSize(_t.TypedDict):
    tokens: int
    """The tokens of the package as a model reads it."""
    exact: bool
    """True if the counter is the model's own."""
    low: int
    """The lower end of the estimate."""
    high: int
    """The upper end of the estimate."""
    fit: _t.Literal["below", "within", "above"]
    """The comparison with the estimate."""
    contributors: _t.List[CheckHandoffResultSizeContributors]
    """The largest values, largest first."""

class CheckHandoffResultSizeContributors(_t.TypedDict):
    path: str
    """The field, or the entry of a list."""
    tokens: int
    """The tokens."""

class CheckRecipe(_t.TypedDict):
    """Checks the definition of a recipe and returns it with its defaults."""
    recipe: _t.Any
    """The definition."""

class CheckedRecipe(_t.TypedDict):
    """A handover under a name."""
    name: str
    """The name of the operation."""
    description: _t.NotRequired[str]
    """The purpose of the recipe, for people."""
    arguments: _t.List[CheckedRecipeArguments]
    """The arguments."""
    handover: _t.Dict[str, _t.Any]
    """The packing rules."""

class CheckedRecipeArguments(_t.TypedDict):
    name: str
    """The name."""
    type: _t.Literal["text", "number", "integer", "boolean", "object", "list", "result_fields", "box_id", "box_ids", "any"]
    """The type of the value."""
    required: bool
    """Rejects a call without the argument."""
    description: _t.NotRequired[str]
    """The purpose of the argument, for people."""

class ChildEvent(_t.TypedDict):
    """Records that the turn of a task ended."""
    agent_turn_id: str
    """The turn."""
    status: str
    """The status of the turn. An unknown status counts as `failed`."""
    output_box_id: _t.NotRequired[str | None]
    """The box with the output of the turn."""
    deliverable_card_id: _t.NotRequired[str | None]
    """The card that the turn delivered."""
    tool_result_card_id: _t.NotRequired[str | None]
    """The card of the tool result that ended the turn."""
    error: _t.NotRequired[str | None]
    """The error of the turn."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ClaimInbox(_t.TypedDict):
    """Claims messages of an agent for a worker."""
    agent_id: str
    """The agent."""
    limit: _t.NotRequired[int | None]
    """The maximum number of messages. The setting `fetch_limit` by default."""
    worker_targets: _t.NotRequired[_t.Sequence[str] | None]
    """The kinds of workers (`worker_target`) that the work is for. All by default."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ClaimInboxResult(_t.TypedDict):
    items: _t.List[InboxItem]
    """The work in each message."""

class CollectContexts(_t.TypedDict):
    """Collects contexts from a state snapshot and retrieved material."""
    state: _t.Mapping[str, _t.Any]
    """A snapshot of the state."""
    retrieved: _t.NotRequired[_t.Mapping[str, str | CollectContextsRetrieved2 | None] | None]
    """The material for this call by the key of its block. It replaces the block of the state with the same key."""

class CollectContextsRetrieved2(_t.TypedDict):
    template: str
    """The template. `{name}` is replaced by a value."""
    values: _t.NotRequired[_t.Mapping[str, _t.Any]]
    """The values. Those of the state by default."""

class Collected(_t.TypedDict):
    """The answer of `collect_contexts`."""
    contexts: _t.Dict[str, str]
    """The blocks by key, for the composer."""
    entries: _t.List[CollectedEntries]
    """The origin of each block, in the order of `contexts`."""
    left_out: _t.List[LeftOut]
    """The values with the key of a block that did not become one."""

CollectedEntries = _t.TypedDict("CollectedEntries", {"layer": Layer, "from": str, "trimmed": bool})

class Compaction(_t.TypedDict):
    """A summary that replaces messages."""
    id: str
    """The id of the compaction. A repeated compaction has the same id."""
    covers: _t.Sequence[str]
    """The ids of the messages that the summary covers."""
    replaces: _t.NotRequired[str | None]
    """The compaction whose summary this one includes, or `compression__context` for a summary without a record. Memory has one summary at a time."""
    summary: str
    """The summary."""

class CompactionAccount(_t.TypedDict):
    """The account of the compactions of a session."""
    compactions: _t.List[AccountedCompaction]
    """The compactions, in order."""
    totals: FateTotals
    """The totals of all compactions."""
    findings: _t.List[CompactionFinding]
    """Messages and summaries that were lost."""

class CompactionFinding(_t.TypedDict):
    """A message or a summary that was lost."""
    loss: _t.Literal["dropped", "lost_after_second", "summary_not_continued"]
    """The kind of loss."""
    compaction: int
    """The index of the compaction."""
    message: int
    """The position in the request before."""
    tokens: int
    """The tokens, estimated."""

class Compare(_t.TypedDict):
    """Compares two contexts: which cards stayed, moved, were added or removed."""
    left: CompareSide
    """The first context."""
    right: CompareSide
    """The second context."""
    provider: _t.NotRequired[Provider | None]
    """The provider."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counts of the host's own tokenizer, or how it counts."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

CompareRequestsArguments = _t.TypedDict("CompareRequestsArguments", {"after": _t.NotRequired[int | None], "before": _t.NotRequired[int | None], "files": _t.Sequence[ImportFile], "session": _t.NotRequired[str | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class CompareRequestsResult(_t.TypedDict):
    session: str
    """The session."""
    before: int
    """The earlier request."""
    after: int
    """The later request."""
    same_messages: int
    """The number of equal messages at the start."""
    came: int
    """The number of messages that only the later request has."""
    went: int
    """The number of messages that only the earlier request has."""
    before_tokens: CompareRequestsResultBeforeTokens
    """The tokens of the earlier request."""
    after_tokens: CompareRequestsResultAfterTokens
    """The tokens of the later request."""
    cause: _t.NotRequired[str]
    """Why the later request reads less from the cache than it could."""
    lost_tokens: _t.NotRequired[int]
    """The tokens that were in the cache and were not read."""
    fix: _t.NotRequired[str]
    """How to keep the prefix."""
    changes: _t.List[CompareRequestsResultChanges]
    """The changes: model, system prompt and tools, then messages in order."""
    next: _t.NotRequired[int]
    """The `from` of the next page. Missing on the last one."""

class CompareRequestsResultAfterTokens(_t.TypedDict):
    input: _t.NotRequired[int]
    """The recorded input."""
    cached: _t.NotRequired[int]
    """The recorded part of it that was read from the cache."""
    output: _t.NotRequired[int]
    """The recorded output."""
    estimated: int
    """The estimate of what the log has."""

class CompareRequestsResultBeforeTokens(_t.TypedDict):
    input: _t.NotRequired[int]
    """The recorded input."""
    cached: _t.NotRequired[int]
    """The recorded part of it that was read from the cache."""
    output: _t.NotRequired[int]
    """The recorded output."""
    estimated: int
    """The estimate of what the log has."""

class CompareRequestsResultChanges(_t.TypedDict):
    change: str
    """The change: `came`, `went` or `changed`."""
    place: str
    """The place: `message`, `tool`, `system` or `model`."""
    name: _t.NotRequired[str]
    """The name of the tool, or both models."""
    tokens: _t.NotRequired[int]
    """The tokens of a tool or a system prompt, estimated."""
    part: _t.NotRequired[CompareRequestsResultChangesPart]
    """The part of the message."""

class CompareRequestsResultChangesPart(_t.TypedDict):
    message: int
    """The position of the message in the request, from 0."""
    role: str
    """The role."""
    kind: str
    """The kind: `text`, `thinking`, `tool_call`, `tool_result`, `summary`, `image`, `file`, `other`."""
    tool: _t.NotRequired[str]
    """The tool of a call or a result."""
    failed: _t.NotRequired[bool]
    """True for the result of a tool that failed."""
    tokens: int
    """The tokens, estimated."""
    text: str
    """An excerpt, as the log has it."""

CompareSide: _t.TypeAlias = CompareSide1 | CompareSide2 | CompareSide3

class CompareSide1(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to compare, from 0, for a call that packs several."""
    call: _t.Any
    """The call to preview, with its name under `op`."""
    box_id: _t.NotRequired[None]
    turn: _t.NotRequired[None]

class CompareSide2(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to compare, from 0, for a call that packs several."""
    box_id: str
    """The box to show."""
    call: _t.NotRequired[None]
    turn: _t.NotRequired[None]

class CompareSide3(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to compare, from 0, for a call that packs several."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`, without `after`."""
    call: _t.NotRequired[None]
    box_id: _t.NotRequired[None]

class ComparedRun(_t.TypedDict):
    """Adjacent cards with the same change."""
    change: _t.Literal["kept", "moved_away", "moved_here", "removed", "added"]
    """The change."""
    left: _t.NotRequired[int]
    """The first position on the left. Missing for a run that is only on the right."""
    right: _t.NotRequired[int]
    """The first position on the right. Missing for a run that is only on the left."""
    cards: int
    """The number of cards."""
    tokens: int
    """The tokens of the cards."""

class ComparedSide(_t.TypedDict):
    """One of the two contexts."""
    box_id: str
    """The box."""
    cards: int
    """The number of its cards."""
    tokens: int
    """The tokens of its cards."""
    exact: bool
    """True if `tokens` is the model's own count, not an estimate."""

class Comparison(_t.TypedDict):
    """Two contexts and their alignment."""
    left: ComparedSide
    """The left context."""
    right: ComparedSide
    """The right context."""
    same_prefix: ComparisonSamePrefix
    """The common prefix, which the prefix cache of a provider can reuse."""
    runs: _t.List[ComparedRun]
    """The alignment, in order."""
    growth: _t.List[ComparisonGrowth]
    """The tokens and cards of each source, on both sides."""
    summaries: _t.NotRequired[_t.List[ComparisonSummaries]]
    """The cards on the right that summarize cards on the left."""

class ComparisonGrowth(_t.TypedDict):
    source: PartSource
    """The source."""
    left_tokens: int
    """The tokens of its cards on the left."""
    right_tokens: int
    """The tokens of its cards on the right."""
    left_cards: int
    """The number of its cards on the left."""
    right_cards: int
    """The number of its cards on the right."""

class ComparisonSamePrefix(_t.TypedDict):
    cards: int
    """The number of cards."""
    tokens: int
    """The tokens of the cards."""

class ComparisonSummaries(_t.TypedDict):
    right: int
    """Its position on the right."""
    tokens: int
    """Its tokens."""
    covers: _t.List[int]
    """The positions on the left that it covers."""
    covered_tokens: int
    """The tokens of the covered cards."""
    elsewhere: int
    """The number of covered cards that are not on the left."""

class Compose(_t.TypedDict):
    """Composes a prompt from its layers."""
    process: Process
    """The kind of process that runs the agent."""
    system_prompt: str
    """The agent's private system prompt."""
    contexts: _t.NotRequired[Contexts | None]
    """The blocks by key. Every key ends in `__context`."""
    checkpoint_messages: _t.NotRequired[_t.Any | None]
    """The remembered conversation."""
    human_message: _t.NotRequired[str | None]
    """An instruction of the framework in the role of the user, for this call only. It is marked `internal` and replaces a query."""
    query: _t.NotRequired[str | ComposeQuery2 | ComposeQuery3 | None]
    """The query or its place. A process that continues on its own needs none."""

class ComposeQuery2(_t.TypedDict):
    runtime: str
    """The text of the query."""

class ComposeQuery3(_t.TypedDict):
    in_checkpoint: _t.Literal[True] | str
    """`true` for the last human message of the checkpoint, or the id of a message."""

class Composed(_t.TypedDict):
    """The answer of `compose`."""
    messages: _t.List[Message]
    """The messages, in order."""
    ledger: ComposedLedger
    """The origin of each message, and what was omitted."""

class ComposedLedger(_t.TypedDict):
    entries: _t.List[ComposedLedgerEntries]
    """The origin of each message, in order."""
    left_out: _t.List[LeftOut]
    """The values that did not become a message, in the order of reading."""

ComposedLedgerEntries = _t.TypedDict("ComposedLedgerEntries", {"position": int, "layer": Layer, "from": str, "message_id": _t.NotRequired[str], "checkpoint_position": _t.NotRequired[int], "is_query": bool, "trimmed": bool})

class ConcatBoxes(_t.TypedDict):
    """Creates a box with the cards of several boxes, in order, each card once."""
    box_ids: _t.Sequence[str]
    """The boxes, in order."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for it, for the audit."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class ConsumeInbox(_t.TypedDict):
    """Marks a message as processed."""
    inbox_id: str
    """The message."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the event. That of the message by default."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ConsumeInboxResult(_t.TypedDict):
    updated: bool
    """False if the row is missing, or is not as expected."""

Content: _t.TypeAlias = ContentItem | Content2 | Content3 | FileContent | Content5 | Content6 | Content7 | Content8

class Content2(_t.TypedDict):
    __type__: _t.Literal["JsonContent"]
    data: _t.Dict[str, _t.Any] | _t.List[_t.Any]

class Content3(_t.TypedDict):
    __type__: _t.Literal["FieldsSchemaContent"]
    fields: _t.List[FieldSchema]

class Content5(_t.TypedDict):
    __type__: _t.Literal["MultiFileContent"]
    files: _t.List[FileContent]

class Content6(_t.TypedDict):
    __type__: _t.Literal["ToolContent"]
    tools: _t.List[_t.Dict[str, _t.Any]]

class Content7(_t.TypedDict):
    __type__: _t.Literal["ToolCallContent"]
    tool_name: str
    arguments: _t.Dict[str, _t.Any]
    status: str
    target_subject: str | None

class Content8(_t.TypedDict):
    __type__: _t.Literal["ToolResultContent"]
    status: str
    after_execution: _t.Literal["suspend", "terminate"]
    result: _t.Any
    error: _t.Dict[str, _t.Any] | None

class ContentItem(_t.TypedDict):
    __type__: _t.Literal["TextContent"]
    text: str

Contexts: _t.TypeAlias = _t.Mapping[str, _t.Any]

CountTokens: _t.TypeAlias = CountTokens1 | CountTokens2 | CountTokens3 | CountTokens4 | CountTokens5 | CountTokens6

class CountTokens1(_t.TypedDict):
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    messages: _t.Any
    """The messages, in order."""
    origins: _t.NotRequired[_t.Sequence[Origin | None] | None]
    """The origin of each message, in the same order. The list can be shorter."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions: `{"type": "function", "function": {..}}`, or bare functions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class CountTokens2(_t.TypedDict):
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    box_id: str
    """The box whose cards are rendered."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class CountTokens3(_t.TypedDict):
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    card_ids: _t.Sequence[str]
    """The ids of stored cards, in order."""
    cards: _t.NotRequired[None]
    """Not allowed with stored cards."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class CountTokens4(_t.TypedDict):
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    cards: _t.Sequence[_t.Mapping[str, _t.Any]]
    """Cards that come with the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The ids in the order to render. The order of `cards` by default."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class CountTokens5(_t.TypedDict):
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the turn."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class CountTokens6(_t.TypedDict):
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    compose: Compose
    """The arguments of `compose`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

CounterFigures: _t.TypeAlias = CounterFiguresItem | CounterFigures2 | CounterFigures3

class CounterFigures2(_t.TypedDict):
    scale: CounterFigures2Scale
    """What a provider counted for a request, and the estimate for the same request."""

class CounterFigures2Scale(_t.TypedDict):
    counted: int
    """The count of the provider: the `usage` of the answer."""
    estimated: int
    """The estimate for the same request."""

class CounterFigures3(_t.TypedDict):
    calibration: _t.Sequence[_t.Mapping[str, _t.Any]]
    """The rows of an import's report. The row of the model scales the estimate; without one the estimate does not change."""
    model: _t.NotRequired[str | None]
    """The model. That of the call by default."""

class CounterFiguresItem(_t.TypedDict):
    counts: _t.Sequence[int]
    """The counts, in the order of the strings."""
    exact: _t.NotRequired[bool | None]
    """True for counts of the model's own encoding."""
    encoding: _t.NotRequired[str | None]
    """The name of the encoding. Counts of `o200k_base` and `cl100k_base` are exact for OpenAI only."""

class CreateBatch(_t.TypedDict):
    """Creates a batch. With `activate` it also dispatches the tasks."""
    activate: _t.NotRequired[bool | None]
    """True to dispatch the tasks in the same commit."""
    source_agent_id: str
    """The agent that waits for the batch."""
    parent_agent_turn_id: str
    """The turn that waits for the batch."""
    parent_turn_epoch: int
    """The epoch of the turn."""
    parent_tool_call_id: str
    """The tool call that the batch answers."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that made the call."""
    lineage_parent_step_id: _t.NotRequired[str | None]
    """The step that the tasks belong to."""
    parent_after_execution: _t.NotRequired[_t.Literal["suspend", "terminate"] | None]
    """Whether the result continues or ends the turn."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called."""
    structured_output: _t.NotRequired[str | None]
    """The form of the results of the tasks: `tool_result` to add the results of tools."""
    fail_fast: _t.NotRequired[bool | None]
    """True to end the batch with the first task that fails."""
    deadline_seconds: _t.NotRequired[int | None]
    """The time limit of the batch, in seconds."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the batch."""
    parent_traceparent: _t.NotRequired[str | None]
    """The span of the turn that waits."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the turn that waits. A batch without it cannot start."""
    task_specs: _t.Sequence[TaskSpec]
    """The tasks."""
    dispatch_results: _t.NotRequired[_t.Sequence[HostDispatch] | None]
    """The answers, in the order of the tasks. The last one counts for all further tasks. By default the operation dispatches."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class CreateBatchResult(_t.TypedDict):
    batch_id: str

class CreateBatchResult2(_t.TypedDict):
    accepted: _t.Literal[True]
    batch_id: str
    task_count: int

class CreateBox(_t.TypedDict):
    """Creates a box with these cards."""
    card_ids: _t.Sequence[str]
    """The ids of the cards, in order. An id can occur twice."""
    box_id: _t.NotRequired[str | None]
    """The id of the box. A new id by default."""
    parent_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The boxes that it was made from."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class CustomRecipe(_t.TypedDict):
    """A handover under a name. The project checks it when it is opened and lists every error in `details.errors`. Then it runs like a built-in recipe, in one batch, with the same ledger."""
    name: str
    """The name of the operation: `a` to `z`, `0` to `9` and `_`, starting with a letter."""
    description: _t.NotRequired[str]
    """The purpose of the recipe, for people."""
    arguments: _t.Sequence[Argument]
    """The arguments."""
    handover: CustomRecipeHandover
    """The packing rules. The caller's own authority applies to inherited boxes."""

class CustomRecipeHandover(_t.TypedDict):
    target_profile_config: _t.NotRequired[CustomRecipeHandoverTargetProfileConfig]
    """The profile of the receiver. The argument `profile_name` replaces it."""
    context_packing_config: _t.NotRequired[CustomRecipeHandoverContextPackingConfig]
    """What goes into the context."""
    metadata: _t.NotRequired[_t.Any]
    """Data of the host. Packing ignores it."""

class CustomRecipeHandoverContextPackingConfig(_t.TypedDict):
    pack_arguments: _t.NotRequired[_t.Sequence[CustomRecipeHandoverContextPackingConfigPackArguments]]
    """One rule for each argument that becomes a card, in order."""
    inherit_context: _t.NotRequired[CustomRecipeHandoverContextPackingConfigInheritContext]
    """What the context takes over from the sender."""

class CustomRecipeHandoverContextPackingConfigInheritContext(_t.TypedDict):
    include_boxes_from_args: _t.NotRequired[_t.Sequence[str]]
    """The arguments that name a box, or a list of boxes, whose cards are inherited."""
    include_parent: _t.NotRequired[bool]
    """Ends the context with a pointer to the agent that delegates."""

class CustomRecipeHandoverContextPackingConfigPackArguments(_t.TypedDict):
    arg_key: str
    """The argument."""
    as_card_type: _t.NotRequired[str]
    """The type of the card. `task.instruction` by default."""
    card_metadata: _t.NotRequired[_t.Mapping[str, _t.Any]]
    """The metadata of the card. The `role` is `user` by default."""

class CustomRecipeHandoverTargetProfileConfig(_t.TypedDict):
    profile_name: _t.NotRequired[str]
    """The name of the profile."""

Cut: _t.TypeAlias = CutItem | Cut2 | Cut3 | Cut4 | Cut5

class Cut2(_t.TypedDict):
    keep: _t.Literal["head"]
    """All except the index, whose entries are read case by case."""

class Cut3(_t.TypedDict):
    keep: _t.Literal["summary"]
    """The numbers of the report and its first problems, without lists of samples."""
    problems: int
    """The number of problems."""
    of: int
    """The number of all problems."""

class Cut4(_t.TypedDict):
    keep: _t.Literal["head_and_tail"]
    """The start and the end of a text."""
    tokens: int
    """The maximum number of tokens."""

class Cut5(_t.TypedDict):
    keep: _t.Literal["turns"]
    """Some turns of a conversation."""
    head: int
    """The number of turns at the start."""
    tail: int
    """The number of turns at the end."""
    key: int
    """The number of turns between them: first those that name a failed checker, then those that call a tool."""
    turn_tokens: int
    """The maximum number of tokens of one turn."""

class CutItem(_t.TypedDict):
    keep: _t.Literal["whole"]
    """All of it."""

class DelegateAsync(_t.TypedDict):
    """Delegates one task to a new, a reused or a cloned agent."""
    arguments: _t.Any
    """The task, as a model wrote it."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class DeleteBox(_t.TypedDict):
    """Deletes a box softly. Its cards stay."""
    box_id: str
    """The box to delete."""
    even_during_turn: _t.NotRequired[bool | None]
    """Changes the box even if a running turn reads it or appends to it. Otherwise that is a `conflict` that names the turn; the output box of a running turn can grow."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class DeleteCards(_t.TypedDict):
    """Deletes cards softly. Boxes that name them keep the id and report it as deleted. A card that a running turn reads cannot be deleted."""
    card_ids: _t.Sequence[str]
    """The cards to delete."""
    even_during_turn: _t.NotRequired[bool | None]
    """Deletes the cards even if a running turn reads them, and leaves an audit entry. Otherwise that is a `conflict` that names the turn."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for it, for the audit."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class DeleteCardsResult(_t.TypedDict):
    card_ids: _t.List[str]
    """The cards, each once. `delete_cards` omits cards that were deleted before."""

Depth: _t.TypeAlias = _t.Literal["report_summary", "typical_cases", "all_cases"]

Dialect: _t.TypeAlias = _t.Literal["v1r3", "v1r4", "v1r4_hotfix", "current"]

class DiffPayloads(_t.TypedDict):
    """Compares two requests: where they first differ, why, and what a prefix cache can reuse."""
    provider: Provider
    """The provider of both requests."""
    before: PayloadSide
    """The earlier request."""
    after: PayloadSide
    """The later request."""
    cache: _t.NotRequired[CacheOptions | None]
    """The prefix cache."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter: counts of the strings of `before`, then of those that only `after` has."""

class Dispatch(_t.TypedDict):
    """Dispatches a turn with its boxes. A refusal writes nothing."""
    agent_id: str
    """The agent that gets the turn."""
    profile_box_id: str
    """The box of its profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of its context. Not with an `instruction`."""
    instruction: _t.NotRequired[str | None]
    """The instruction. It becomes the context of the turn."""
    conversation: _t.NotRequired[str | None]
    """The conversation of the `instruction`: any id. The context is then every earlier message and answer of the conversation. A new conversation begins with its first message. Its turns run one after the other."""
    output_box_id: _t.NotRequired[str | None]
    """The box for its output. A new box by default. Not with a `conversation`."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    agent_turn_id: _t.NotRequired[str | None]
    """The id of the turn. A new id by default."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn. They must have a `CG-Recursion-Depth`."""
    trace_id: _t.NotRequired[str | None]
    """The trace. That of the headers, or a new one by default."""
    parent_agent_turn_id: _t.NotRequired[str | None]
    """The turn that asks for this one."""
    parent_tool_call_id: _t.NotRequired[str | None]
    """The tool call that asks for this turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that asks for this turn."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for this turn."""
    display_name: _t.NotRequired[str | None]
    """The name of the turn for people."""
    runtime_config: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Values for the worker that runs the turn."""
    emit_state_event: _t.NotRequired[bool | None]
    """True to send an event about the state of the agent."""
    publish_turn: _t.NotRequired[bool | None]
    """Must be true: the queue publishes every turn."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class DispatchPending(_t.TypedDict):
    """Dispatches the tasks that are due."""
    limit: _t.NotRequired[int | None]
    """The maximum number of tasks. The setting `watchdog_limit` by default."""
    dispatch_results: _t.NotRequired[_t.Sequence[HostDispatch] | None]
    """The answers, in the order of the tasks. The last one counts for all further tasks. By default the operation dispatches."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

DispatchRefusal: _t.TypeAlias = RunRefusal | _t.Literal["missing_project_id", "missing_agent_id", "missing_profile_box_id", "missing_context_box_id", "missing_channel_id", "missing_instruction", "instruction_with_box", "unknown_context_box", "worker_target_missing", "l0_required", "same_box", "box_in_use"]

class DispatchRequest(_t.TypedDict):
    """A request to start a turn of the receiver. Orchestration makes the id of the turn."""
    target_agent_id: str
    """The receiver."""
    provision: bool
    """True if the commit adds the receiver to the roster."""
    profile_box_id: str
    """The receiver's profile."""
    context_box_id: str
    """The box that the turn reads."""
    output_box_id: str | None
    """The output box that the turn continues. Without it, the turn gets a new one."""
    display_name: str
    """The display name of the receiver."""
    recursion_depth: int | None
    """The depth of the receiver below the first caller. Without it, orchestration derives the depth from the caller's turn."""

class DispatchTask(_t.TypedDict):
    """Dispatches one task. The answer is `false` when it is not due or its batch ended."""
    batch_task_id: str
    """The task."""
    dispatch_results: _t.NotRequired[_t.Sequence[HostDispatch] | None]
    """The answers, in the order of the tasks. The last one counts for all further tasks. By default the operation dispatches."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class DispatchTurn(_t.TypedDict):
    """A turn to dispatch."""
    agent_id: str
    """The agent that gets the turn."""
    profile_box_id: str
    """The box of its profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of its context. Not with an `instruction`."""
    instruction: _t.NotRequired[str | None]
    """The instruction. It becomes the context of the turn."""
    conversation: _t.NotRequired[str | None]
    """The conversation of the `instruction`: any id. The context is then every earlier message and answer of the conversation. A new conversation begins with its first message. Its turns run one after the other."""
    output_box_id: _t.NotRequired[str | None]
    """The box for its output. A new box by default. Not with a `conversation`."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    agent_turn_id: _t.NotRequired[str | None]
    """The id of the turn. A new id by default."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn. They must have a `CG-Recursion-Depth`."""
    trace_id: _t.NotRequired[str | None]
    """The trace. That of the headers, or a new one by default."""
    parent_agent_turn_id: _t.NotRequired[str | None]
    """The turn that asks for this one."""
    parent_tool_call_id: _t.NotRequired[str | None]
    """The tool call that asks for this turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that asks for this turn."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for this turn."""
    display_name: _t.NotRequired[str | None]
    """The name of the turn for people."""
    runtime_config: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Values for the worker that runs the turn."""
    emit_state_event: _t.NotRequired[bool | None]
    """True to send an event about the state of the agent."""
    publish_turn: _t.NotRequired[bool | None]
    """Must be true: the queue publishes every turn."""

Dispatched: _t.TypeAlias = DispatchedItem | Dispatched2

class Dispatched2(_t.TypedDict):
    status: _t.Literal["busy", "rejected", "error"]
    error_code: DispatchRefusal
    agent_id: _t.NotRequired[str]
    agent_turn_id: _t.NotRequired[str]
    output_box_id: _t.NotRequired[str]
    trace_id: _t.NotRequired[str]

class DispatchedItem(_t.TypedDict):
    status: _t.Literal["accepted"]
    agent_id: str
    agent_turn_id: str
    turn_epoch: _t.NotRequired[int]
    """Absent while the turn waits for another turn."""
    output_box_id: str
    trace_id: str

class DroppedMessage(_t.TypedDict):
    """A dropped message."""
    position: int
    """The position in the given prompt."""
    card_id: _t.NotRequired[str]
    """The card of the message."""
    layer: _t.NotRequired[str]
    """The layer of the message."""
    tokens: int
    """The tokens of its strings."""
    exact: bool
    """True if the count is exact."""
    priority: int
    """The priority."""
    reason: DroppedMessageReason | DroppedMessageReason2
    """The reason."""

class DroppedMessageReason(_t.TypedDict):
    kind: _t.Literal["over_budget"]
    """The prompt exceeded the limit, and the message was the next in order."""

class DroppedMessageReason2(_t.TypedDict):
    kind: _t.Literal["with_its_call"]
    """It belongs to a dropped message: a call and its results are dropped together."""
    first: int
    """The first message of the group."""

DueCall: _t.TypeAlias = DueCallItem | DueCall2 | DueCall3 | DueCall4 | DueCall5 | DueCall6 | DueCall7

class DueCall2(_t.TypedDict):
    op: _t.Literal["ledger_requeue_expired"]

class DueCall3(_t.TypedDict):
    op: _t.Literal["time_out_tools", "ring_again", "recover_turn", "reclaim_agent", "take_up_results"]
    agent_id: str

class DueCall4(_t.TypedDict):
    op: _t.Literal["reap_turn"]
    agent_id: str
    which: ReapedTurns
    output_box_id: str | None

class DueCall5(_t.TypedDict):
    op: _t.Literal["wakeup"]
    target_agent_id: str
    mode: _t.Literal["dispatch_next"]
    reason: str

class DueCall6(_t.TypedDict):
    op: _t.Literal["reconcile_task", "dispatch_task"]
    batch_task_id: str

class DueCall7(_t.TypedDict):
    op: _t.Literal["end_batch"]
    batch_id: str

class DueCallItem(_t.TypedDict):
    op: _t.Literal["requeue_inbox", "poke_inbox"]
    inbox_id: str

class DueResult(_t.TypedDict):
    calls: _t.List[DueCall]
    """The calls, in the order to make them."""
    unreadable: _t.NotRequired[_t.List[DueResultUnreadable]]
    """Rows that cannot be read, and so are not considered."""

class DueResultUnreadable(_t.TypedDict):
    table: str
    """The table."""
    key: _t.List[str]
    """The key."""
    error: str
    """Why it cannot be read."""

DueRule: _t.TypeAlias = _t.Literal["recover", "requeue", "leases", "time_out", "ring", "reap_dispatched", "poke", "reap_active", "promote", "reconcile", "dispatch", "batches", "take_up"]

class EdgeRow(_t.TypedDict):
    """A request between agents, or its answer."""
    edge_id: str
    channel_id: _t.NotRequired[str]
    primitive: str
    edge_phase: str
    source_agent_id: _t.NotRequired[str]
    source_agent_turn_id: _t.NotRequired[str]
    source_step_id: _t.NotRequired[str]
    target_agent_id: _t.NotRequired[str]
    target_agent_turn_id: _t.NotRequired[str]
    correlation_id: str
    enqueue_mode: _t.NotRequired[str]
    recursion_depth: _t.NotRequired[int]
    trace_id: _t.NotRequired[str]
    parent_step_id: _t.NotRequired[str]
    metadata: _t.Dict[str, _t.Any]
    created_at: str
    seq: int

Effort: _t.TypeAlias = _t.Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]

class EndBatch(_t.TypedDict):
    """Ends a batch whose tasks or deadline allow it. The answer is `false` for a missing batch."""
    batch_id: str
    """The batch."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class Enqueue(_t.TypedDict):
    """Sends a message to an agent. A turn waits in the queue until the agent is idle; other messages wait in the inbox."""
    enqueue_mode: _t.NotRequired[str | None]
    """`call`, the only mode."""
    target_agent_id: str
    """The agent that receives the message."""
    message_type: str
    """`turn`, `ui_action`, `tool_result`, `timeout`, `stop`, or a type of the host."""
    payload: _t.Mapping[str, _t.Any]
    """The content of the message."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the message."""
    target_agent_turn_id: _t.NotRequired[str | None]
    """The turn of the receiver that the message is for."""
    correlation_id: _t.NotRequired[str | None]
    """The id under which the message is sent once."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the call. `CG-Recursion-Depth` of the headers by default."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the message."""
    trace_id: _t.NotRequired[str | None]
    """The trace. That of the headers, or a new one by default."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that sends the message."""
    source_agent_turn_id: _t.NotRequired[str | None]
    """The turn that sends the message."""
    source_step_id: _t.NotRequired[str | None]
    """The step that sends the message."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the work of the message belongs to."""
    wakeup: _t.NotRequired[bool | None]
    """False to send no wakeup."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class EnsureAgent(_t.TypedDict):
    """Makes an agent ready: in the roster, with a head."""
    agent_id: str
    """The agent."""
    kind: _t.NotRequired[_t.Literal["create", "derived"] | None]
    """How the agent gets its profile."""
    spec: _t.NotRequired[AgentSpec | None]
    """The wanted properties."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the change."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for the change."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that asks for the change."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the change."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class EnterQuery(_t.TypedDict):
    """Adds a query to a memory state, exactly once."""
    state: StateInput
    """The state."""
    query: _t.Any
    """The message of the query, with an id."""

class EnteredQuery(_t.TypedDict):
    """The answer of `enter_query`."""
    state: Memory
    """Memory with the query."""
    query: Query
    """The composer's `query`."""
    restored: _t.List[MemoryStep]
    """The effect on each message of the given state, unless it stayed unchanged."""
    ledger: _t.List[MemoryStep]
    """The effect on the message of the query."""

class EraseCards(_t.TypedDict):
    """Erases the content of cards for privacy, also of deleted ones and during a turn, and leaves an audit entry. The ids stay in their boxes."""
    card_ids: _t.Sequence[str]
    """The cards to erase."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent or user that asks for it, for the audit."""
    reason: _t.NotRequired[str | None]
    """Why, for the audit. It must not repeat the content."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class EraseCardsResult(_t.TypedDict):
    card_ids: _t.List[str]
    """The cards, each once. `delete_cards` omits cards that were deleted before."""

ExecuteToInit: _t.TypeAlias = _t.Mapping[str, _t.Any]

class ExpectedState(_t.TypedDict):
    """The expected state of an agent."""
    status: _t.NotRequired[str | None]
    """The status."""
    turn_epoch: _t.NotRequired[int | None]
    """The epoch of the turn."""
    active_agent_turn_id: _t.NotRequired[str | None]
    """The running turn."""
    context_box_id: _t.NotRequired[str | None]
    """The box that the turn reads."""
    output_box_id: _t.NotRequired[str | None]
    """The box that the turn writes to."""

class ExpertQuestion(_t.TypedDict):
    """The arguments of an `ask_expert` tool."""
    expert_profile: str
    """The profile of the expert."""
    question: str
    """The question."""
    include_history: _t.NotRequired[bool]
    """Passes the output of the asking agent on to the expert. `false` by default."""

class ExplainCacheArguments(_t.TypedDict):
    """Explains why requests of a session read less from the provider's cache than they could."""
    provider: _t.Literal["anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "mistral", "deepseek", "openai_compatible"]
    """The provider."""
    price: _t.NotRequired[InputPrice | None]
    """The price of input, to state prices as money. By default it comes from the table of models."""
    requests: _t.Sequence[ExplainCacheArgumentsRequests]
    """The requests of one session, oldest first."""

class ExplainCacheArgumentsRequests(_t.TypedDict):
    body: _t.Mapping[str, _t.Any]
    """The body, as it was sent."""
    model: _t.NotRequired[str]
    """The model, for bodies that do not name it."""
    at: _t.NotRequired[_t.Any]
    """When the request started."""
    first_token_at: _t.NotRequired[_t.Any]
    """When the answer began."""
    usage: _t.NotRequired[_t.Mapping[str, _t.Any]]
    """The usage of the answer, as the provider or `read_response` reports it."""
    id: _t.NotRequired[str]
    """The id of the answer."""
    scope: _t.NotRequired[_t.Any]
    """The organization, workspace or region: any value that is equal for equal ones."""
    surface: _t.NotRequired[str]
    """The surface, such as `direct` or `bedrock`."""
    diagnostics: _t.NotRequired[_t.Any]
    """The diagnostics of the answer, as the provider reports them."""
    lacks: _t.NotRequired[_t.Sequence[str]]
    """What the log does not have: `tools`, `system`, `messages`, `settings`."""

class ExplainCompactionArguments(_t.TypedDict):
    """Accounts for the messages of every compaction between the requests of a session."""
    provider: _t.Literal["anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "mistral", "deepseek", "openai_compatible"]
    """The provider, as for `explain_cache`."""
    requests: _t.Sequence[ExplainCompactionArgumentsRequests]
    """The requests of one session, oldest first."""

class ExplainCompactionArgumentsRequests(_t.TypedDict):
    body: _t.Mapping[str, _t.Any]
    """The body, as it was sent."""
    kind: _t.NotRequired[_t.Literal["main", "compaction"]]
    """`compaction` for the request whose answer is the next summary."""
    covered: _t.NotRequired[_t.Sequence[int]]
    """The messages of the request before that the summary was made from: the first, and the one after the last."""
    summary: _t.NotRequired[int]
    """The position of the summary in this request, for a summary without the words of one."""

ExplainCompactionsArguments = _t.TypedDict("ExplainCompactionsArguments", {"compaction": _t.NotRequired[int | None], "files": _t.Sequence[ImportFile], "session": _t.NotRequired[str | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class ExplainCompactionsResult(_t.TypedDict):
    session: str
    """The session."""
    compactions: int
    """The number of compactions."""
    totals: FateTotals
    """The totals of the listed compactions."""
    lost: _t.List[ExplainCompactionsResultLost]
    """The messages that were not kept, in order."""
    next: _t.NotRequired[int]
    """The `from` of the next page. Missing on the last one."""

class ExplainCompactionsResultLost(_t.TypedDict):
    compaction: int
    """The compaction, from 0."""
    request: int
    """The request before the compaction, by its number in the session."""
    message: int
    """The position of the message in that request, from 0."""
    role: str
    """The role."""
    fate: str
    """What happened to it: `covered`, `dropped` or `unknown`."""
    tokens: int
    """The tokens, estimated."""
    text: str
    """An excerpt, as the log has it."""

ExplainMissesArguments = _t.TypedDict("ExplainMissesArguments", {"request": _t.NotRequired[int | None], "files": _t.Sequence[ImportFile], "session": _t.NotRequired[str | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class ExplainMissesResult(_t.TypedDict):
    session: str
    """The session."""
    requests: int
    """The number of requests of the conversation."""
    hit_rate: float
    """The share of the input that was read from the cache, from 0 to 1."""
    recorded: bool
    """True if all numbers are from usage, false if some are predictions."""
    lost_tokens: int
    """Tokens that were in the cache and were not read."""
    lost_price: _t.NotRequired[float]
    """The price of those tokens in `currency`."""
    currency: _t.NotRequired[str]
    """The currency; `input_tokens` is the price of one token of input."""
    causes: _t.List[ExplainMissesResultCauses]
    """The causes, the most expensive first."""
    misses: _t.List[ExplainMissesResultMisses]
    """The requests that lost tokens, the most expensive first; or the request of the call."""
    next: _t.NotRequired[int]
    """The `from` of the next page. Missing on the last one."""

class ExplainMissesResultCauses(_t.TypedDict):
    cause: CacheCause
    """The cause."""
    requests: int
    """The number of requests."""
    lost_tokens: int
    """Tokens that were lost."""
    lost_price: _t.NotRequired[float]
    """The price of what was lost."""
    fix: _t.NotRequired[str]
    """How to keep the prefix: the fix of the first such request."""

class ExplainMissesResultMisses(_t.TypedDict):
    request: int
    """The number of the request in the session."""
    cause: str
    """The cause."""
    region: str
    """The region of the cause."""
    sure: bool
    """True if a documented rule or the usage decides it."""
    lost_tokens: int
    """The tokens that were lost."""
    read_tokens: int
    """The tokens that were read: recorded, otherwise expected."""
    message: _t.NotRequired[int]
    """The message of the cause, from 0."""
    tool: _t.NotRequired[str]
    """The tool of the cause."""
    before: _t.NotRequired[str]
    """The words of the earlier request that differ."""
    after: _t.NotRequired[str]
    """The words of this request that differ."""
    fix: _t.NotRequired[str]
    """How to keep the prefix."""
    reason: _t.NotRequired[str]
    """Why the cause is unknown or not sure."""

ExplainRequestArguments = _t.TypedDict("ExplainRequestArguments", {"request": _t.NotRequired[int | None], "message": _t.NotRequired[int | None], "files": _t.Sequence[ImportFile], "session": _t.NotRequired[str | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class ExplainRequestResult(_t.TypedDict):
    session: str
    """The session."""
    request: int
    """The number of the request, from 0."""
    requests: int
    """The number of requests of the session."""
    kind: str
    """The purpose: `main`, `sub`, `compaction` or `side`."""
    model: _t.NotRequired[str]
    """The model."""
    at: _t.NotRequired[str]
    """The time of sending."""
    tokens: ExplainRequestResultTokens
    """The tokens."""
    buckets: _t.List[ExplainRequestResultBuckets]
    """Where the tokens go, the largest bucket first."""
    cause: _t.NotRequired[str]
    """Why less was read from the cache than possible. Missing for requests next to the conversation."""
    lost_tokens: _t.NotRequired[int]
    """The tokens that were in the cache and were not read."""
    lints: _t.List[ExplainRequestResultLints]
    """What the log lacks, and tools that the request sends and the model never calls."""
    messages: _t.List[ExplainRequestResultMessages]
    """The parts of its messages, the last one first."""
    next: _t.NotRequired[int]
    """The `from` of the next page. Missing on the last one."""

class ExplainRequestResultBuckets(_t.TypedDict):
    kind: str
    """The kind: `system`, `tools`, `framing`, `rest`, or the kind of a part."""
    tool: _t.NotRequired[str]
    """The tool of calls and results."""
    count: int
    """The number of parts, or of definitions."""
    tokens: int
    """The tokens, estimated."""

class ExplainRequestResultLints(_t.TypedDict):
    code: str
    """The code: `not_in_log` or `unused_tools`."""
    message: str
    """A sentence."""

class ExplainRequestResultMessages(_t.TypedDict):
    message: int
    """The position of the message in the request, from 0."""
    role: str
    """The role."""
    kind: str
    """The kind: `text`, `thinking`, `tool_call`, `tool_result`, `summary`, `image`, `file`, `other`."""
    tool: _t.NotRequired[str]
    """The tool of a call or a result."""
    failed: _t.NotRequired[bool]
    """True for the result of a tool that failed."""
    tokens: int
    """The tokens, estimated."""
    text: str
    """An excerpt, as the log has it."""

class ExplainRequestResultTokens(_t.TypedDict):
    input: _t.NotRequired[int]
    """The recorded input."""
    cached: _t.NotRequired[int]
    """The recorded part of it that was read from the cache."""
    output: _t.NotRequired[int]
    """The recorded output."""
    estimated: int
    """The estimate of what the log has."""

class FateTotals(_t.TypedDict):
    """Numbers of messages and their tokens, by fate."""
    messages: int
    """All messages."""
    kept: int
    """Kept messages."""
    covered: int
    """Covered messages."""
    dropped: int
    """Dropped messages."""
    unknown: int
    """Messages of which it is not known."""
    kept_tokens: int
    """Tokens of kept messages, estimated."""
    covered_tokens: int
    """Tokens of covered messages, estimated."""
    dropped_tokens: int
    """Tokens of dropped messages, estimated."""
    unknown_tokens: int
    """Tokens of the others, estimated."""

class FieldSchema(_t.TypedDict):
    """A field that a result must have."""
    name: str
    """The name, trimmed and not blank."""
    description: str
    """The description, trimmed; can be empty."""

FileContent: _t.TypeAlias = _t.Dict[str, _t.Any]

class FindCards(_t.TypedDict):
    """Finds every position of a card in boxes. Boxes that do not exist are skipped."""
    card_id: str
    """The id of the card."""
    box_ids: _t.Sequence[str]
    """The ids of the boxes."""

class Finding(_t.TypedDict):
    """A finding about a package."""
    weight: _t.Literal["error", "lint"]
    """Whether the value is rejected."""
    type: str
    """The kind of the finding."""
    path: str
    """The path of the value."""
    message: str
    """A sentence that describes the finding."""
    details: _t.NotRequired[_t.Any]
    """Structured details."""

class FinishIdle(_t.TypedDict):
    """Sets an agent's head to idle."""
    last_output_box_id: _t.NotRequired[str | None]
    """The box with the output of the turn."""
    agent_id: str
    """The agent."""
    expect_agent_turn_id: _t.NotRequired[str | None]
    """The turn that the head must have."""
    expect_turn_epoch: _t.NotRequired[int | None]
    """The epoch that the head must have."""
    expect_status: _t.NotRequired[AgentStatus | None]
    """The status that the head must have."""
    bump_epoch: _t.NotRequired[bool | None]
    """True to raise the epoch, so that a worker of the turn can no longer write."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class FinishIdleResult(_t.TypedDict):
    updated: bool
    """False if the row is missing, or is not as expected."""

FitBudget: _t.TypeAlias = FitBudget1 | FitBudget2 | FitBudget3 | FitBudget4 | FitBudget5 | FitBudget6

class FitBudget1(_t.TypedDict):
    limit: _t.NotRequired[int | None]
    """The maximum number of tokens. The window of the model without the answer by default."""
    priorities: _t.NotRequired[_t.Mapping[str, int] | None]
    """The priorities of layers. Lower numbers are dropped first."""
    pinned: _t.NotRequired[_t.Sequence[int] | None]
    """The positions of messages that are never dropped."""
    brief: _t.NotRequired[bool | None]
    """Omits the prompt and the costs of its messages from the answer."""
    also: _t.NotRequired[_t.Sequence[int] | None]
    """Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    messages: _t.Any
    """The messages, in order."""
    origins: _t.NotRequired[_t.Sequence[Origin | None] | None]
    """The origin of each message, in the same order. The list can be shorter."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions: `{"type": "function", "function": {..}}`, or bare functions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class FitBudget2(_t.TypedDict):
    limit: _t.NotRequired[int | None]
    """The maximum number of tokens. The window of the model without the answer by default."""
    priorities: _t.NotRequired[_t.Mapping[str, int] | None]
    """The priorities of layers. Lower numbers are dropped first."""
    pinned: _t.NotRequired[_t.Sequence[int] | None]
    """The positions of messages that are never dropped."""
    brief: _t.NotRequired[bool | None]
    """Omits the prompt and the costs of its messages from the answer."""
    also: _t.NotRequired[_t.Sequence[int] | None]
    """Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    box_id: str
    """The box whose cards are rendered."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class FitBudget3(_t.TypedDict):
    limit: _t.NotRequired[int | None]
    """The maximum number of tokens. The window of the model without the answer by default."""
    priorities: _t.NotRequired[_t.Mapping[str, int] | None]
    """The priorities of layers. Lower numbers are dropped first."""
    pinned: _t.NotRequired[_t.Sequence[int] | None]
    """The positions of messages that are never dropped."""
    brief: _t.NotRequired[bool | None]
    """Omits the prompt and the costs of its messages from the answer."""
    also: _t.NotRequired[_t.Sequence[int] | None]
    """Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    card_ids: _t.Sequence[str]
    """The ids of stored cards, in order."""
    cards: _t.NotRequired[None]
    """Not allowed with stored cards."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class FitBudget4(_t.TypedDict):
    limit: _t.NotRequired[int | None]
    """The maximum number of tokens. The window of the model without the answer by default."""
    priorities: _t.NotRequired[_t.Mapping[str, int] | None]
    """The priorities of layers. Lower numbers are dropped first."""
    pinned: _t.NotRequired[_t.Sequence[int] | None]
    """The positions of messages that are never dropped."""
    brief: _t.NotRequired[bool | None]
    """Omits the prompt and the costs of its messages from the answer."""
    also: _t.NotRequired[_t.Sequence[int] | None]
    """Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    cards: _t.Sequence[_t.Mapping[str, _t.Any]]
    """Cards that come with the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The ids in the order to render. The order of `cards` by default."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class FitBudget5(_t.TypedDict):
    limit: _t.NotRequired[int | None]
    """The maximum number of tokens. The window of the model without the answer by default."""
    priorities: _t.NotRequired[_t.Mapping[str, int] | None]
    """The priorities of layers. Lower numbers are dropped first."""
    pinned: _t.NotRequired[_t.Sequence[int] | None]
    """The positions of messages that are never dropped."""
    brief: _t.NotRequired[bool | None]
    """Omits the prompt and the costs of its messages from the answer."""
    also: _t.NotRequired[_t.Sequence[int] | None]
    """Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the turn."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class FitBudget6(_t.TypedDict):
    limit: _t.NotRequired[int | None]
    """The maximum number of tokens. The window of the model without the answer by default."""
    priorities: _t.NotRequired[_t.Mapping[str, int] | None]
    """The priorities of layers. Lower numbers are dropped first."""
    pinned: _t.NotRequired[_t.Sequence[int] | None]
    """The positions of messages that are never dropped."""
    brief: _t.NotRequired[bool | None]
    """Omits the prompt and the costs of its messages from the answer."""
    also: _t.NotRequired[_t.Sequence[int] | None]
    """Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counter. Without one the counts are estimates."""
    provider: Provider
    """The provider that the request is for."""
    compose: Compose
    """The arguments of `compose`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class Fitted(_t.TypedDict):
    """A prompt within a budget."""
    prompt: FittedPrompt
    """The prompt without the dropped messages."""
    kept: _t.List[int]
    """The positions of the kept messages in the given prompt."""
    dropped: _t.List[DroppedMessage]
    """The dropped messages, in the order of the drops."""
    limit: int
    """The limit."""
    protected_tokens: int
    """The tokens of the messages that are never dropped, including framing, which is always an estimate."""
    account: Account
    """The tokens of the kept messages by source."""
    also: _t.NotRequired[_t.List[OtherFit | None]]
    """The numbers for each of the other limits. `None` if the messages that are never dropped do not fit."""

class FittedPrompt(_t.TypedDict):
    messages: _t.List[Message]
    """The messages, in order."""
    origins: _t.List[FittedPromptOrigins]
    """The origin of each message, in the same order. The list can be shorter."""
    tools: _t.List[_t.Dict[str, _t.Any]]
    """Tool definitions, `{"type": "function", "function": {..}}` or a bare function."""

class FittedPromptOrigins(_t.TypedDict):
    layer: _t.NotRequired[str]
    """The layer of a composed prompt."""
    card_id: _t.NotRequired[str]
    """The card of a rendered prompt."""
    is_query: _t.NotRequired[bool]
    """True for the message that has the query."""
    protected: _t.NotRequired[bool]
    """A budget never drops it."""
    priority: _t.NotRequired[int]
    """A budget drops lower numbers first. Its layer decides by default."""

class ForWorkers(_t.TypedDict):
    """The workers that work is for."""
    worker_targets: _t.NotRequired[_t.Sequence[str] | None]
    """The kinds of workers (`worker_target`) that the work is for. All by default."""

class ForkBox(_t.TypedDict):
    """Creates a box with the cards of another box, or with the first `take` of them."""
    box_id: str
    """The box to copy."""
    take: _t.NotRequired[int | None]
    """How many cards to take from the start. All by default."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for it, for the audit."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class ForkJoin(_t.TypedDict):
    """Delegates many tasks in one batch."""
    arguments: _t.Any
    """The tasks, as a model wrote them."""
    max_tasks: _t.NotRequired[int | None]
    """The number of tasks that the batch can have. 8 by default, also for a number below 1."""
    default_deadline_seconds: _t.NotRequired[float | None]
    """The deadline of a batch whose arguments have none. A number below or equal to 0 counts as missing."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class ForkJoinArguments(_t.TypedDict):
    """The arguments of a `fork_join`."""
    tasks: _t.List[ForkJoinArgumentsTasks]
    """The tasks, in the order of the call."""
    fail_fast: bool
    """Ends the batch at the first failure."""
    deadline_seconds: float | None
    """The deadline of the batch, if it has one."""

class ForkJoinArgumentsTasks(_t.TypedDict):
    target_strategy: Strategy
    """How the receiver is found."""
    target_ref: str
    """The profile or the agent."""
    instruction: str
    """The instruction for the receiver."""
    context_box_id: str | None
    """The box whose cards the receiver sees."""

class ForkJoinTasks(_t.TypedDict):
    """The arguments of a `fork_join` tool."""
    tasks: _t.Sequence[Task]
    """The tasks: at least one, at most `max_tasks`. An agent can be reused once."""
    fail_fast: _t.NotRequired[bool]
    """Ends the batch at the first failure. `false` by default."""
    deadline_seconds: _t.NotRequired[float]
    """The deadline of the batch, greater than 0. No deadline by default."""

class Forked(_t.TypedDict):
    """A batch for an orchestrator."""
    fail_fast: bool
    """Ends the batch at the first failure."""
    deadline_seconds: float | None
    """The deadline of the batch, if it has one."""
    structured_output: str
    """The form of the results."""
    tasks: _t.List[ForkedTasks]
    """The tasks, in the order of the call."""

class ForkedTasks(_t.TypedDict):
    task_index: int
    """Its index in the call, from 0. Its result has the same index."""
    label: str
    """Its label for people."""
    handed: Handed
    """The delegated context."""

class Found(_t.TypedDict):
    """A box that has the card."""
    box_id: str
    """The box."""
    positions: _t.List[int]
    """The positions of the card in it, from 0."""

class GetBoxCards(_t.TypedDict):
    """Reads the cards of a box, each once."""
    box_id: str
    """The box."""

class GetBoxes(_t.TypedDict):
    """Reads boxes, each once. The answer lists the missing ones with the reason."""
    box_ids: _t.Sequence[str]
    """The ids of the boxes."""

class GetCards(_t.TypedDict):
    """Reads cards, each once. The answer lists the missing ones with the reason."""
    card_ids: _t.Sequence[str]
    """The ids of the cards."""

GivenCards: _t.TypeAlias = GivenCards1 | GivenCards2 | GivenCards3

class GivenCards1(_t.TypedDict):
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    box_id: str
    """The box whose cards are rendered."""

class GivenCards2(_t.TypedDict):
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    card_ids: _t.Sequence[str]
    """The ids of stored cards, in order."""
    cards: _t.NotRequired[None]
    """Not allowed with stored cards."""

class GivenCards3(_t.TypedDict):
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    cards: _t.Sequence[_t.Mapping[str, _t.Any]]
    """Cards that come with the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The ids in the order to render. The order of `cards` by default."""

class GivenCompose(_t.TypedDict):
    """A prompt of the composer, and tools."""
    compose: Compose
    """The arguments of `compose`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions."""

class GivenTurn(_t.TypedDict):
    """A turn, and tools in addition to those of the turn."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the turn."""

class HandOut(_t.TypedDict):
    """Packs by a recipe and dispatches the result in one batch. A `fork_join` answers a tool call, so it needs the turn, its epoch and the call. A refusal writes nothing."""
    call: _t.Any
    """The call of the recipe."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_agent_turn_id: _t.NotRequired[str | None]
    """The turn that calls the recipe."""
    parent_turn_epoch: _t.NotRequired[int | None]
    """The epoch of the turn."""
    parent_tool_call_id: _t.NotRequired[str | None]
    """The tool call of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step of the turn."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class Handed(_t.TypedDict):
    """One delegated context."""
    target_strategy: Strategy
    """How the receiver was found."""
    target_ref: str
    """The profile or agent of the call."""
    profile_name: str
    """The name of the receiver's profile."""
    instruction: str | None
    """The instruction, if the recipe has one."""
    inherit_box_ids: _t.List[str]
    """The inherited boxes, each once."""
    card_ids: _t.List[str]
    """The cards of the new context, in order."""
    dispatch: DispatchRequest
    """The request to the orchestrator."""

HandedOut: _t.TypeAlias = HandedOutItem | HandedOut2

class HandedOut2(_t.TypedDict):
    handed: Forked | None
    result: HandedOut2Result
    defer_resume: _t.Literal[True]

class HandedOut2Result(_t.TypedDict):
    status: _t.Literal["accepted"]
    batch_id: str
    task_count: int

class HandedOutItem(_t.TypedDict):
    handed: Handed
    result: HandedOutItemResult | HandedOutItemResult2
    defer_resume: _t.Literal[False]

class HandedOutItemResult(_t.TypedDict):
    status: _t.Literal["accepted"]
    agent_id: str
    agent_turn_id: str
    turn_epoch: _t.NotRequired[int]
    """Absent while the turn waits for another turn."""
    context_box_id: str
    output_box_id: str
    trace_id: str

class HandedOutItemResult2(_t.TypedDict):
    status: _t.Literal["busy", "rejected", "error"]
    error_code: DispatchRefusal
    agent_id: str
    trace_id: _t.NotRequired[str]

class HandedOutResult(_t.TypedDict):
    status: _t.Literal["accepted"]
    agent_id: str
    agent_turn_id: str
    turn_epoch: _t.NotRequired[int]
    """Absent while the turn waits for another turn."""
    context_box_id: str
    output_box_id: str
    trace_id: str

class HandedOutResult2(_t.TypedDict):
    status: _t.Literal["busy", "rejected", "error"]
    error_code: DispatchRefusal
    agent_id: str
    trace_id: _t.NotRequired[str]

class HandoffLeftOut(_t.TypedDict):
    """The parts of a sample or of the package that are omitted."""
    name: _t.NotRequired[str]
    """The sample or artifact that they belong to."""
    parts: _t.List[HandoffPart]
    """The omitted parts."""
    tokens: int
    """The tokens of the whole parts."""
    because: _t.Literal["budget", "depth"]
    """The reason."""

HandoffPackage: _t.TypeAlias = _t.Any

HandoffPart: _t.TypeAlias = _t.Literal["package", "report", "entry", "sample", "trace", "evaluation", "attribution", "artifact"]

class Handover(_t.TypedDict):
    """The rules of one packing: which arguments become cards, and which boxes are inherited. The reader also accepts values of other types; a value or a key that it ignores is a lint."""
    target_profile_config: _t.NotRequired[HandoverTargetProfileConfig]
    """The profile of the receiver, for calls whose arguments have no `profile_name`."""
    context_packing_config: _t.NotRequired[HandoverContextPackingConfig]
    """What goes into the context."""
    authorized_inherit_box_ids: _t.NotRequired[_t.Sequence[str]]
    """The boxes that can be inherited, in the dialects that check it."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any]]
    """Data of the host. Packing ignores it."""

class HandoverContextPackingConfig(_t.TypedDict):
    pack_arguments: _t.NotRequired[_t.Sequence[HandoverContextPackingConfigPackArguments]]
    """One rule for each argument that becomes a card, in order."""
    inherit_context: _t.NotRequired[HandoverContextPackingConfigInheritContext]
    """What the context takes over from the sender."""

class HandoverContextPackingConfigInheritContext(_t.TypedDict):
    include_boxes_from_args: _t.NotRequired[_t.Sequence[str]]
    """The arguments that name a box, or a list of boxes, whose cards are inherited."""
    include_parent: _t.NotRequired[bool]
    """Ends the context with a pointer to the agent that delegates."""

class HandoverContextPackingConfigPackArguments(_t.TypedDict):
    arg_key: str
    """The argument. A rule for a missing argument makes no card."""
    as_card_type: _t.NotRequired[str]
    """The type of the card. `task.instruction` by default."""
    card_metadata: _t.NotRequired[_t.Mapping[str, _t.Any]]
    """The metadata of the card. The `role` is `user` by default."""

class HandoverPreview(_t.TypedDict):
    """Both sides of a delegation."""
    task: int
    """The index of the context, from 0."""
    tasks: int
    """The number of contexts that the call packs."""
    receiver_is: Receiver
    """The receiver and its boxes."""
    sender: Turn | None
    """The turn of the sender, if it is registered."""
    receiver: Turn
    """The turn of the receiver."""
    shared: _t.List[HandoverPreviewShared]
    """The cards that both see, in the receiver's order."""
    added: _t.List[HandoverPreviewAdded]
    """The cards that only the receiver sees, in its order."""
    not_passed_on: _t.List[HandoverPreviewNotPassedOn]
    """The cards that only the sender sees, in its order."""
    audit: Audit | None
    """The audit entry: the sender, the sources and the authority."""
    content_hash: str
    """The hash of everything that the call makes. It is the same after the commit."""

class HandoverPreviewAdded(_t.TypedDict):
    card_id: str
    """The card."""
    position: int
    """Its index in the receiver's turn."""
    cause: Cause | None
    """Why it is in the new context; missing for a card of the receiver's own output."""

class HandoverPreviewNotPassedOn(_t.TypedDict):
    card_id: str
    """The card."""
    position: int
    """Its index."""

class HandoverPreviewShared(_t.TypedDict):
    card_id: str
    """The card."""
    sender: int
    """Its index in the sender's turn."""
    receiver: int
    """Its index in the receiver's turn."""

class HandoverTargetProfileConfig(_t.TypedDict):
    profile_name: _t.NotRequired[str]
    """The name of the profile."""

class HasOpen(_t.TypedDict):
    """Returns whether messages wait for an agent."""
    agent_id: str
    """The agent."""
    exclude_inbox_id: _t.NotRequired[str | None]
    """A message that does not count."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class HasOpenResult(_t.TypedDict):
    open: bool
    """True if a message waits."""

class HeadColumns(_t.TypedDict):
    """The columns of a head to write. A missing one stays; `null` clears a column, except a box."""
    active_agent_turn_id: _t.NotRequired[str | None]
    """The turn."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    active_recursion_depth: _t.NotRequired[int | None]
    """The depth of the turn below the first one."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    expecting_correlation_id: _t.NotRequired[str | None]
    """The correlation that the turn expects."""
    waiting_tool_count: _t.NotRequired[int | None]
    """The number of calls that the turn waits for."""
    resume_deadline: _t.NotRequired[str | None]
    """When the turn stops waiting."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""

class HeadGuard(_t.TypedDict):
    """What a head must be for a change."""
    agent_id: str
    """The agent."""
    expect_agent_turn_id: _t.NotRequired[str | None]
    """The turn that the head must have."""
    expect_turn_epoch: _t.NotRequired[int | None]
    """The epoch that the head must have."""
    expect_status: _t.NotRequired[AgentStatus | None]
    """The status that the head must have."""
    bump_epoch: _t.NotRequired[bool | None]
    """True to raise the epoch, so that a worker of the turn can no longer write."""

class HeadRow(_t.TypedDict):
    """The head of an agent: the lease of its turn."""
    agent_id: str
    status: AgentStatus
    active_agent_turn_id: _t.NotRequired[str]
    active_channel_id: _t.NotRequired[str]
    turn_epoch: int
    active_recursion_depth: int
    updated_at: str
    parent_step_id: _t.NotRequired[str]
    trace_id: _t.NotRequired[str]
    profile_box_id: _t.NotRequired[str]
    context_box_id: _t.NotRequired[str]
    output_box_id: _t.NotRequired[str]
    expecting_correlation_id: _t.NotRequired[str]
    waiting_tool_count: int
    resume_deadline: _t.NotRequired[str]
    rung_at: _t.NotRequired[str]

class Hit(_t.TypedDict):
    """A card that matches."""
    card_id: str
    """The card."""
    box_id: str
    """The first box that has the card."""
    position: int
    """The position of the card in that box, from 0."""
    boxes: int
    """The number of boxes that have the card."""
    kind: CardKind
    """The kind of the card."""
    type: str | None
    """Its semantic type."""
    snippet: HitSnippet
    """The text around the match."""

class HitSnippet(_t.TypedDict):
    before: str
    """The text before the match."""
    found: str
    """The match as the card has it. Empty if the id or the type of the card matches."""
    after: str
    """The text after the match."""

class Hits(_t.TypedDict):
    """The result of a search."""
    hits: _t.List[Hit]
    """The cards that match, each once, in the order of the boxes."""
    total: int
    """The number of cards that match, also beyond the limit."""
    searched: int
    """The number of cards that were searched."""

class HostDispatch(_t.TypedDict):
    """The answer of a dispatcher of the host."""
    status: _t.Literal["accepted", "busy", "rejected", "error"]
    """`accepted`, `busy`, `rejected` or `error`."""
    error_code: _t.NotRequired[str | None]
    """The code of a refusal."""
    turn_epoch: _t.NotRequired[int | None]
    """The epoch of the turn."""

class HostDispatches(_t.TypedDict):
    """The answers of a dispatcher of the host."""
    dispatch_results: _t.NotRequired[_t.Sequence[HostDispatch] | None]
    """The answers, in the order of the tasks. The last one counts for all further tasks. By default the operation dispatches."""

class Import(_t.TypedDict):
    """Imports logs of other tools as cards and boxes."""
    files: _t.Sequence[ImportFile]
    """The files to read together."""
    shape: _t.NotRequired[_t.Literal["report", "neutral", "snapshot", "cache", "compaction"] | None]
    """The form of the answer. Only a report can be committed."""
    request: _t.NotRequired[_t.Literal["last"] | int | None]
    """The request of a `neutral` answer, by its number in the report."""
    every: _t.NotRequired[bool | None]
    """Adds every request to a `neutral` answer."""

ImportFile: _t.TypeAlias = ImportFileItem | ImportFile2

class ImportFile2(_t.TypedDict):
    name: str
    base64: str
    text: _t.NotRequired[None]

class ImportFileItem(_t.TypedDict):
    name: str
    text: str
    base64: _t.NotRequired[None]

class ImportOrigin(_t.TypedDict):
    """The place that a value was read from."""
    file: str | None
    line: _t.NotRequired[int]
    """The line, from 1. Missing if the file is one value."""
    pointer: _t.NotRequired[str]
    """A JSON pointer. Missing for the whole value."""

class ImportReport(_t.TypedDict):
    """The report of an import."""
    files: _t.List[ImportReportFiles]
    sessions: _t.List[ImportedSession]
    """The sessions, the one with the newest request last."""
    calibration: _t.List[ImportReportCalibration]
    """The calibration of each model: recorded and estimated tokens of the requests that the log has completely, and their factor."""
    notes: _t.List[ImportReportNotes]

class ImportReportCalibration(_t.TypedDict):
    model: str
    requests: int
    recorded: int
    estimated: int
    factor_percent: int | None
    """The tokens of the model for 100 estimated ones. `null` without an estimate."""
    off_percent: int | None
    """The error of single estimates, in percent of the recorded tokens."""
    off_percent_scaled: int | None
    """The same after scaling by the factor."""

class ImportReportFiles(_t.TypedDict):
    name: str
    format: str | None

class ImportReportNotes(_t.TypedDict):
    code: str
    origin: ImportOrigin
    message: str

class ImportResult3(_t.TypedDict):
    projects: _t.List[_t.Any]

class ImportResult4(_t.TypedDict):
    sessions: _t.List[ImportResult4Sessions]

class ImportResult4Sessions(_t.TypedDict):
    id: str
    source: str
    numbers: _t.List[int]
    """The numbers of the explained requests in the report of the session."""
    explanation: CacheExplanation

class ImportResult5(_t.TypedDict):
    sessions: _t.List[ImportResult5Sessions]

class ImportResult5Sessions(_t.TypedDict):
    id: str
    source: str
    numbers: _t.List[int]
    """The numbers of the accounted requests in the report of the session."""
    account: CompactionAccount

class ImportUnknown(_t.TypedDict):
    """Something that the log does not have, and why."""
    what: UnknownSubject
    why: str

class ImportedRequest(_t.TypedDict):
    """One request of a session."""
    request: int
    """The number of the request in the import, from 0."""
    kind: _t.Literal["main", "sub", "compaction", "side"]
    box_id: str
    """The box with the context of the request, as far as the log has it."""
    answer_box_id: _t.NotRequired[str]
    """The box with the answer. Missing if the log has no answer."""
    model: str | None
    api: _t.Literal["openai_chat", "openai_responses", "anthropic", "gemini"] | None
    agent: str | None
    at: str | None
    origin: ImportOrigin
    messages: int
    tools: int
    shared: int
    """The number of messages in common with the start of the previous request."""
    came: int
    went: int
    compacted: bool
    """True if a summary replaces removed messages."""
    summary_box_id: _t.NotRequired[str]
    """The box of that summary, which covers the boxes of earlier requests. Missing without a compaction."""
    retries: int
    """The number of retries after a failure."""
    recorded: ImportedRequestRecorded
    """The tokens that the log recorded."""
    cost: float | None
    """The cost in dollars, input and output. `null` without recorded tokens or prices."""
    estimated: int
    """The estimated tokens of what the log has."""
    calibrated: int | None
    """The estimate scaled to the model. `null` if `calibration` does not have the model."""
    residual: int | None
    """Recorded tokens that the log does not explain. `null` if nothing is missing."""
    unknown: _t.List[ImportUnknown]

class ImportedRequestRecorded(_t.TypedDict):
    input: int | None
    output: int | None
    cached: int | None

class ImportedSession(_t.TypedDict):
    id: str
    source: str
    parent: _t.NotRequired[str]
    agent: _t.NotRequired[str]
    requests: _t.List[ImportedRequest]

InboxItem: _t.TypeAlias = InboxItemItem | InboxItem2

class InboxItem2(_t.TypedDict):
    inbox_id: str
    agent_id: str
    agent_turn_id: str
    turn_epoch: int
    channel_id: str
    headers: _t.Dict[str, str]
    trace_id: str
    parent_step_id: str | None
    kind: _t.Literal["resume", "stop"]
    payload: _t.Dict[str, _t.Any]
    profile_box_id: _t.NotRequired[str | None]
    context_box_id: _t.NotRequired[str | None]
    output_box_id: _t.NotRequired[str | None]

class InboxItemItem(_t.TypedDict):
    inbox_id: str
    agent_id: str
    agent_turn_id: str
    turn_epoch: int
    channel_id: str
    headers: _t.Dict[str, str]
    trace_id: str
    parent_step_id: str | None
    kind: _t.Literal["turn"]
    profile_box_id: str | None
    context_box_id: str | None
    output_box_id: str | None
    runtime_config: _t.Dict[str, _t.Any] | None
    step_count: _t.NotRequired[int]
    """The step at which a turn was released."""

class InboxRow(_t.TypedDict):
    """A message to an agent."""
    inbox_id: str
    agent_id: str
    message_type: str
    enqueue_mode: _t.NotRequired[str]
    correlation_id: _t.NotRequired[str]
    recursion_depth: int
    traceparent: _t.NotRequired[str]
    tracestate: _t.NotRequired[str]
    trace_id: _t.NotRequired[str]
    parent_step_id: _t.NotRequired[str]
    source_agent_id: _t.NotRequired[str]
    source_step_id: _t.NotRequired[str]
    payload: _t.NotRequired[_t.Any]
    status: InboxStatus
    processed_at: _t.NotRequired[str]
    archived_at: _t.NotRequired[str]
    created_at: str
    seq: int
    agent_turn_id: _t.NotRequired[str]

InboxStatus: _t.TypeAlias = _t.Literal["pending", "queued", "processing", "consumed", "error", "skipped", "deferred"]

class InboxStatusResult(_t.TypedDict):
    updated: bool
    """False if the row is missing, or is not as expected."""

InitToExecute: _t.TypeAlias = _t.Mapping[str, _t.Any]

class InputPrice(_t.TypedDict):
    """The price of input tokens."""
    input: float
    """The price of 1,000,000 input tokens."""
    currency: str
    """The currency, such as `USD`."""

Inspect: _t.TypeAlias = Inspect1 | Inspect2 | Inspect3

Inspect1 = _t.TypedDict("Inspect1", {"shown": _t.NotRequired[int | None], "from": _t.NotRequired[int | None], "to": _t.NotRequired[int | None], "find": _t.NotRequired[str | None], "call": _t.Any, "box_id": _t.NotRequired[None], "turn": _t.NotRequired[None]})

Inspect2 = _t.TypedDict("Inspect2", {"shown": _t.NotRequired[int | None], "from": _t.NotRequired[int | None], "to": _t.NotRequired[int | None], "find": _t.NotRequired[str | None], "box_id": str, "call": _t.NotRequired[None], "turn": _t.NotRequired[None]})

Inspect3 = _t.TypedDict("Inspect3", {"shown": _t.NotRequired[int | None], "from": _t.NotRequired[int | None], "to": _t.NotRequired[int | None], "find": _t.NotRequired[str | None], "turn": _t.Mapping[str, _t.Any], "call": _t.NotRequired[None], "box_id": _t.NotRequired[None]})

class InspectCache(_t.TypedDict):
    """Explains what the provider's cache reads when boxes, turns or previewed calls are sent one after the other."""
    requests: _t.Sequence[CacheSubject]
    """The requests, oldest first."""
    provider: _t.NotRequired[Provider | None]
    """The provider."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counts of the host's own tokenizer, or how it counts."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

InspectRequest: _t.TypeAlias = InspectRequest1 | InspectRequest2 | InspectRequest3

class InspectRequest1(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to show, from 0, for a call that packs several."""
    window: _t.NotRequired[int | None]
    """The size of the model's window in tokens. By default it comes from the table of models."""
    call: _t.Any
    """The call to preview, with its name under `op`."""
    box_id: _t.NotRequired[None]
    turn: _t.NotRequired[None]
    provider: _t.NotRequired[Provider | None]
    """The provider."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counts of the host's own tokenizer, or how it counts."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class InspectRequest2(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to show, from 0, for a call that packs several."""
    window: _t.NotRequired[int | None]
    """The size of the model's window in tokens. By default it comes from the table of models."""
    box_id: str
    """The box to show."""
    call: _t.NotRequired[None]
    turn: _t.NotRequired[None]
    provider: _t.NotRequired[Provider | None]
    """The provider."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counts of the host's own tokenizer, or how it counts."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class InspectRequest3(_t.TypedDict):
    shown: _t.NotRequired[int | None]
    """The box to show, from 0, for a call that packs several."""
    window: _t.NotRequired[int | None]
    """The size of the model's window in tokens. By default it comes from the table of models."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`, without `after`."""
    call: _t.NotRequired[None]
    box_id: _t.NotRequired[None]
    provider: _t.NotRequired[Provider | None]
    """The provider."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counts of the host's own tokenizer, or how it counts."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

InspectSubject: _t.TypeAlias = InspectSubjectItem | InspectSubject2 | InspectSubject3

class InspectSubject2(_t.TypedDict):
    box_id: str
    """The box to show."""
    call: _t.NotRequired[None]
    turn: _t.NotRequired[None]

class InspectSubject3(_t.TypedDict):
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`, without `after`."""
    call: _t.NotRequired[None]
    box_id: _t.NotRequired[None]

class InspectSubjectItem(_t.TypedDict):
    call: _t.Any
    """The call to preview, with its name under `op`."""
    box_id: _t.NotRequired[None]
    turn: _t.NotRequired[None]

class Iteration(_t.TypedDict):
    """The records of one iteration. `build_handoff` makes files, index, report and package from them."""
    execution_output_dir: str
    """The directory of the iteration's files, relative to the root of the package."""
    timestamp: str
    """The time at which the iteration ended. Its format is not checked."""
    iteration: int
    """The number of the iteration."""
    trigger_reason: str
    """The reason why the package is sent back."""
    iteration_summary: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Numbers to add to those that the core counts."""
    records: _t.Sequence[SampleRecord]
    """One record for each sample."""
    modification_suggestions_summary: _t.NotRequired[_t.Sequence[str] | None]
    """The most important changes. If the list is empty, they come from the report."""
    report: _t.NotRequired[_t.Any | None]
    """The finished report. By default a skeleton is made."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Anything else that the sender records in the package."""

class Join(_t.TypedDict):
    """Records who waits for whom, and the answer."""
    phase: _t.Literal["request", "response"]
    """`request` or `response`."""
    correlation_id: str
    """The id that a request and its response share."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the edge."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks."""
    source_agent_turn_id: _t.NotRequired[str | None]
    """The turn that asks."""
    source_step_id: _t.NotRequired[str | None]
    """The step that asks."""
    target_agent_id: _t.NotRequired[str | None]
    """The agent that is asked."""
    target_agent_turn_id: _t.NotRequired[str | None]
    """The turn that is asked."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the request. A request needs it; a response has that of its request."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the edge."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the edge belongs to."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about the edge."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class LaunchPrincipal(_t.TypedDict):
    """Delegates to a new agent with a profile: a form of `delegate_async`."""
    arguments: _t.Any
    """The task, as a model wrote it."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

Layer: _t.TypeAlias = _t.Literal["system_prompt", "checkpoint_messages", "human_message", "query"] | str

Layer1Problem: _t.TypeAlias = _t.Mapping[str, _t.Any]

Layer1ProblemsReport: _t.TypeAlias = _t.Mapping[str, _t.Any]

class Lease(_t.TypedDict):
    """Gives an idle agent a turn."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    active_recursion_depth: _t.NotRequired[int | None]
    """The depth of the turn below the first one."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class LeaseRequest(_t.TypedDict):
    """The turn that leases an agent."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    active_recursion_depth: _t.NotRequired[int | None]
    """The depth of the turn below the first one."""

class LeaseResult(_t.TypedDict):
    turn_epoch: int | None
    """The epoch of the turn; `None` if the agent has another turn."""

class LedgerClaim(_t.TypedDict):
    """Claims the results of a turn that are due and returns their tool calls."""
    lease_owner: str
    """The name of the claimant."""
    lease_seconds: _t.NotRequired[int | None]
    """How long the results are leased. The setting `resume_lease_seconds` by default."""
    limit: _t.NotRequired[int | None]
    """The maximum number of results."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class LedgerClaimResult(_t.TypedDict):
    claimed: _t.List[str]
    """The ids of the calls."""

class LedgerEntry(_t.TypedDict):
    """One position of a box and its reason."""
    position: int
    """The position in the box, from 0."""
    card_id: str
    """The card at this position."""
    cause: Cause
    """The reason for the card."""
    swallowed: _t.NotRequired[_t.List[Cause]]
    """The later duplicates of the card, as causes."""

class LedgerRequeueExpired(_t.TypedDict):
    """Releases results whose lease expired."""
    lease_owner: _t.NotRequired[str | None]
    """The name of the claimant. All by default."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class LedgerRequeueExpiredResult(_t.TypedDict):
    requeued: int
    """The number of results."""

LeftOut = _t.TypedDict("LeftOut", {"layer": Layer, "from": str, "message_id": _t.NotRequired[str], "rule": _t.Literal["blank", "not_text", "sharing_off", "not_in_process", "no_checkpoint_in_process", "runtime_only", "overridden"]})

class Lint(_t.TypedDict):
    """A finding about a value of the caller."""
    code: str
    """The code."""
    path: str
    """The path of the value."""
    message: str
    """One sentence for users, in the style of an error message."""
    card_id: _t.NotRequired[str]
    """The card that the lint is about, if any."""

class ListAgents(_t.TypedDict):
    """Lists the agents of the project, by id."""
    profile_box_id: _t.NotRequired[str | None]
    """Only agents with this profile."""
    limit: _t.NotRequired[int | None]
    """The number of rows, at most 10,000."""

class ListAudit(_t.TypedDict):
    """Lists audit entries, newest last: all of them, those of one box, or those of one agent."""
    box_id: _t.NotRequired[str | None]
    """Only entries about this box. It excludes `agent_id`."""
    agent_id: _t.NotRequired[str | None]
    """Only entries of this agent."""
    limit: _t.NotRequired[int | None]
    """The number of rows, at most 10,000."""

class ListBoxes(_t.TypedDict):
    """Lists the boxes that profiles, agents and audit entries name. Stores have no list of boxes that nothing names."""
    limit: _t.NotRequired[int | None]
    """The number of rows that are read of each kind, at most 10,000."""

class ListBoxesResult(_t.TypedDict):
    boxes: _t.List[ListBoxesResultBoxes]
    """The boxes: of profiles, then of agents, then of audit entries. Each box is listed once."""

class ListBoxesResultBoxes(_t.TypedDict):
    box_id: str
    """The id of the box."""
    uses: _t.List[ListBoxesResultBoxesUses]
    """The rows that name it."""

class ListBoxesResultBoxesUses(_t.TypedDict):
    kind: _t.Literal["profile", "context", "output", "audit"]
    """How the row uses the box."""
    name: str
    """The name of the profile, the id of the agent, or the action of the audit entry."""

class ListDue(_t.TypedDict):
    """Lists the calls that are due now, in order, or what one rule finds."""
    rule: _t.NotRequired[DueRule | None]
    """The only rule to ask. All by default."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ListOutbox(_t.TypedDict):
    """Lists messages that wait to be sent, oldest first."""
    limit: _t.NotRequired[int | None]
    """The maximum number of messages."""
    quarantined: _t.NotRequired[bool | None]
    """Lists the quarantined messages instead."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ListProfiles(_t.TypedDict):
    """Lists the profiles of the project, by name."""
    limit: _t.NotRequired[int | None]
    """The number of rows, at most 10,000."""

ListSessionsArguments = _t.TypedDict("ListSessionsArguments", {"report": _t.Any, "find": _t.NotRequired[str | None], "session": _t.NotRequired[str | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class ListSessionsResult(_t.TypedDict):
    sessions: _t.List[ListSessionsResultSessions]
    """The sessions, the newest first."""
    total: int
    """The number of sessions that match."""
    next: _t.NotRequired[int]
    """The `from` of the next page. Missing on the last one."""

class ListSessionsResultSessions(_t.TypedDict):
    session: str
    """The name of the session."""
    source: str
    """The format of the log."""
    agent: _t.NotRequired[str]
    """The agent, for a session of a sub-agent."""
    parent: _t.NotRequired[str]
    """The session that started it."""
    requests: int
    """The number of requests."""
    model: _t.NotRequired[str]
    """The model of the last request that names one."""
    at: _t.NotRequired[str]
    """The time of the last request."""
    largest: int
    """The tokens of the largest request: recorded, otherwise estimated."""
    compactions: int
    """The number of compactions."""
    files: _t.NotRequired[_t.List[str]]
    """The files to read for questions about the session. Only if the call names it."""

class ListTools(_t.TypedDict):
    """Lists the tools of the project, by name."""
    limit: _t.NotRequired[int | None]
    """The number of rows, at most 10,000."""

class ListTurnViews(_t.TypedDict):
    """Lists recorded turn views, oldest first: all of them, those of one agent, or those of one turn."""
    agent_id: _t.NotRequired[str | None]
    """Only views of this agent. It excludes `agent_turn_id`."""
    agent_turn_id: _t.NotRequired[str | None]
    """Only views of this turn."""
    limit: _t.NotRequired[int | None]
    """The number of rows, at most 10,000."""

class ListedRows(_t.TypedDict):
    """The rows of a list."""
    rows: _t.List[_t.Dict[str, _t.Any]]
    """The rows."""

class LiveTurn(_t.TypedDict):
    """A view of a turn as it is, or as it will be after a call."""
    agent_id: _t.NotRequired[str | None]
    """The agent. Its state has the boxes and the profile that the call does not set."""
    context_box_id: _t.NotRequired[str | None]
    """The box that the turn reads. An empty string means none."""
    output_box_id: _t.NotRequired[str | None]
    """The box that the turn writes to. An empty string means none."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile. An empty string means that of the agent."""
    display_name: _t.NotRequired[str | None]
    """The display name of the agent."""
    record: _t.NotRequired[bool | None]
    """Stores the view: the prompt and the tools as cards, the rest by ids and versions. Commit it when the turn starts."""
    view_id: _t.NotRequired[str | None]
    """Stores the view under this id, as `record` does under a new one. An empty string means none."""
    after: _t.NotRequired[_t.Any | None]
    """A call that is not committed. The view shows the turn as if it were."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools that the host offers. The profile selects among them."""
    system_append: _t.NotRequired[str | None]
    """The text to append to the system prompt."""
    downstream_desc: _t.NotRequired[str | None]
    """The description of the profiles that the agent can delegate to, for the prompt."""

class LoadHandoff(_t.TypedDict):
    """Loads a handoff package within a token budget. The answer accounts for every piece."""
    package: HandoffPackage
    """The package."""
    budget: _t.NotRequired[int | None]
    """The maximum number of tokens."""
    depth: _t.NotRequired[Depth | None]
    """How much of the package to read."""

class LoadPlan(_t.TypedDict):
    """A load plan. `spent` is the sum of its steps and at most `budget`."""
    budget: int
    """The maximum number of tokens."""
    spent: int
    """The tokens of all steps."""
    depth: Depth
    """The requested depth."""
    steps: _t.List[LoadStep]
    """The steps, in order."""
    left_out: _t.List[HandoffLeftOut]
    """The parts that are omitted."""
    findings: _t.List[Finding]
    """The findings."""

class LoadStep(_t.TypedDict):
    """A step of a plan."""
    read: HandoffPart
    """The part to read."""
    path: _t.NotRequired[str]
    """The path, relative to the root of the package. Missing for content of the package itself."""
    name: _t.NotRequired[str]
    """The sample or artifact that it belongs to."""
    cut: Cut
    """The excerpt to keep."""
    tokens: int
    """The tokens of the excerpt."""
    whole_tokens: int
    """The tokens of the whole part."""
    reason: LoadStepReason
    """The reason for its position."""

class LoadStepReason(_t.TypedDict):
    typical_of: _t.NotRequired[str]
    """The problem whose typical case this is."""
    priority: _t.NotRequired[_t.Literal["high", "medium", "low"]]
    """The priority of the sample."""
    affected_count: _t.NotRequired[int]
    """The number of samples that its largest problem affects."""

class LoadedHandoff(_t.TypedDict):
    """A loaded package."""
    budget: int
    """The maximum number of tokens."""
    spent: int
    """The tokens of all pieces."""
    depth: Depth
    """The requested depth."""
    pieces: _t.List[LoadedHandoffPieces]
    """The pieces, in reading order."""
    left_out: _t.List[HandoffLeftOut]
    """The parts that were not loaded."""
    missing: _t.List[MissingFile]
    """The files that the store does not have."""
    findings: _t.List[Finding]
    """The findings."""

class LoadedHandoffPieces(_t.TypedDict):
    text: str
    """The text that a model reads: a heading and the content."""
    read: HandoffPart
    """The part to read."""
    path: _t.NotRequired[str]
    """The path, relative to the root of the package. Missing for content of the package itself."""
    name: _t.NotRequired[str]
    """The sample or artifact that it belongs to."""
    cut: Cut
    """The excerpt to keep."""
    tokens: int
    """The tokens of the excerpt."""
    whole_tokens: int
    """The tokens of the whole part."""
    reason: LoadedHandoffPiecesReason
    """The reason for its position."""

class LoadedHandoffPiecesReason(_t.TypedDict):
    typical_of: _t.NotRequired[str]
    """The problem whose typical case this is."""
    priority: _t.NotRequired[_t.Literal["high", "medium", "low"]]
    """The priority of the sample."""
    affected_count: _t.NotRequired[int]
    """The number of samples that its largest problem affects."""

class LockAssertion(_t.TypedDict):
    """An assertion about contexts."""
    entries: _t.NotRequired[_t.Sequence[str] | None]
    """The names of the contexts; `*` is any text. All contexts by default."""
    agent_id: _t.NotRequired[str | None]
    """Only contexts of this agent."""
    max_tokens: _t.NotRequired[int | None]
    """At most this number of tokens."""
    max_window_percent: _t.NotRequired[int | None]
    """At most this share of the model's window, in percent."""
    min_prefix_tokens: _t.NotRequired[int | None]
    """The prefix that a cache can reuse has at least this number of tokens."""
    contains: _t.NotRequired[_t.Sequence[LockMatch] | None]
    """Each of these occurs."""
    excludes: _t.NotRequired[_t.Sequence[LockMatch] | None]
    """None of these occurs."""
    tools: _t.NotRequired[_t.Sequence[str] | None]
    """Only these tools."""
    visible_boxes: _t.NotRequired[_t.Sequence[str] | None]
    """These boxes are visible."""
    hidden_boxes: _t.NotRequired[_t.Sequence[str] | None]
    """These boxes are not visible."""
    legal_for: _t.NotRequired[_t.Sequence[str] | None]
    """The context can be sent to these providers."""
    without_losses: _t.NotRequired[_t.Sequence[str] | None]
    """Conversion changes that `legal_for` forbids. All by default."""

class LockCheck(_t.TypedDict):
    """Compares the current contexts with a lockfile and groups the changes by cause."""
    lock: _t.NotRequired[str | None]
    """The text of the lockfile. Missing if there is none."""
    entries: _t.Sequence[LockedContext]
    """The current contexts."""
    again: _t.NotRequired[_t.Sequence[LockedContext] | None]
    """A second build of contexts, to find slots that are not stable."""
    errors: _t.NotRequired[_t.Sequence[BuildError] | None]
    """Contexts that could not be built."""
    assertions: _t.NotRequired[_t.Sequence[LockAssertion] | None]
    """Assertions about the contexts."""
    complete: _t.NotRequired[bool | None]
    """Reports locked entries without a context. Entries of tests are ignored."""
    tests: _t.NotRequired[_t.Sequence[str] | None]
    """Reports locked entries of these test files without a context."""
    texts: _t.NotRequired[_t.Mapping[str, str] | None]
    """The texts of locked positions by their hash, for the words that differ."""
    formats: _t.NotRequired[_t.Sequence[_t.Literal["text", "markdown", "junit", "annotations", "sarif"]] | None]
    """The reports to return."""
    file: _t.NotRequired[str | None]
    """The path of the lockfile, for reports."""

class LockCheckResult(_t.TypedDict):
    status: _t.Literal["same", "changed", "undecided"]
    """The result."""
    exit_code: int
    """The exit code of a command: 0 same, 1 changed, 2 undecided."""
    contexts: int
    """The number of contexts that were checked."""
    added: _t.List[str]
    """The contexts that are not in the lockfile."""
    removed: _t.List[str]
    """The entries of the lockfile whose context no longer exists."""
    groups: _t.List[LockCheckResultGroups]
    """The changes, grouped by cause. The group with the most contexts is first."""
    entries: _t.List[LockCheckResultEntries]
    """The contexts that changed."""
    failures: _t.List[LockCheckResultFailures]
    """The assertions that fail."""
    unstable: _t.List[LockCheckResultUnstable]
    """The slots that differ between two builds of one context."""
    unmatched: _t.List[LockCheckResultUnmatched]
    """Declared volatile slots that match nothing."""
    errors: _t.List[LockCheckResultErrors]
    """The contexts that could not be built."""
    reports: _t.List[LockCheckResultReports]
    """The reports that the call asks for."""

class LockCheckResultEntries(_t.TypedDict):
    name: str
    """The name."""
    changes: _t.List[LockCheckResultEntriesChanges]
    """The changes, in the order of the request."""
    before: LockCheckResultEntriesBefore
    """The locked tokens: all, tools, system prompt, messages."""
    after: LockCheckResultEntriesAfter
    """The current ones."""

class LockCheckResultEntriesAfter(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockCheckResultEntriesBefore(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockCheckResultEntriesChanges(_t.TypedDict):
    change: _t.Literal["provider", "model", "parameter", "tool_added", "tool_removed", "tool_edited", "schema_edited", "tools_reordered", "added", "removed", "moved", "edited", "retyped", "regrouped", "recaused", "mark_changed", "volatility_changed", "volatile_missing", "volatile_range", "lint_added", "lint_removed", "loss_added", "loss_removed"]
    """The kind."""
    cause: str
    """The cause: what the position, tool or parameter comes from."""
    slot: str
    """The slot in the current context, or in the locked one if it was removed."""
    tokens: int
    """The locked tokens that were added; negative if they were removed."""
    words: _t.NotRequired[LockCheckResultEntriesChangesWords]
    """The words that differ, as far as the lockfile has them."""
    volatile: _t.NotRequired[str]
    """The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`."""

class LockCheckResultEntriesChangesWords(_t.TypedDict):
    before: str
    """The words of the earlier request."""
    after: str
    """The words of this request."""

class LockCheckResultErrors(_t.TypedDict):
    name: str
    """The context."""
    message: str
    """The reason."""

class LockCheckResultFailures(_t.TypedDict):
    name: str
    """The context."""
    assertion: str
    """The member of the assertion."""
    slot: _t.NotRequired[str]
    """The slot, if the failure has one."""
    message: str
    """What is wrong."""

class LockCheckResultGroups(_t.TypedDict):
    title: str
    """The change in one line."""
    change: _t.Literal["provider", "model", "parameter", "tool_added", "tool_removed", "tool_edited", "schema_edited", "tools_reordered", "added", "removed", "moved", "edited", "retyped", "regrouped", "recaused", "mark_changed", "volatility_changed", "volatile_missing", "volatile_range", "lint_added", "lint_removed", "loss_added", "loss_removed"]
    """The kind of the change."""
    cause: str
    """The cause."""
    entries: _t.List[str]
    """The contexts."""
    least_tokens: int
    """The smallest change of the locked tokens of a context."""
    most_tokens: int
    """The largest change."""
    prefix_lost_from: _t.NotRequired[str]
    """The slot from which the first context loses its cached prefix."""
    prefix_lost_tokens: int
    """The largest number of tokens of the prefix that a context loses."""
    prefix_was_cached: bool
    """True if a lost prefix had enough tokens for the cache of the provider."""
    price_per_1000: _t.NotRequired[float]
    """The price of the added tokens for 1,000 turns in dollars, on average. Missing if no price is known."""
    words: _t.NotRequired[LockCheckResultGroupsWords]
    """The words of the first context that differ."""

class LockCheckResultGroupsWords(_t.TypedDict):
    before: str
    """The words of the earlier request."""
    after: str
    """The words of this request."""

class LockCheckResultReports(_t.TypedDict):
    format: _t.Literal["text", "markdown", "junit", "annotations", "sarif"]
    """The format."""
    text: str
    """The text."""

class LockCheckResultUnmatched(_t.TypedDict):
    name: str
    """The context."""
    slot: str
    """The slot, as it was declared."""

class LockCheckResultUnstable(_t.TypedDict):
    name: str
    """The context."""
    slot: str
    """The slot."""
    cause: str
    """The cause."""
    kind: _t.NotRequired[str]
    """The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`."""
    suggestion: str
    """How to declare it."""

class LockCompare(_t.TypedDict):
    """Shows two entries next to each other, with the changes of each line."""
    before: _t.NotRequired[str | None]
    """The lines of the earlier entry. Missing for a new entry."""
    after: _t.NotRequired[str | None]
    """The lines of the later entry. Missing for a removed entry."""
    details: _t.NotRequired[LockDetails | None]
    """What is known of the later context, for its texts."""
    texts: _t.NotRequired[_t.Mapping[str, str] | None]
    """The texts of earlier positions by their hash."""

class LockCompareResult(_t.TypedDict):
    rows: _t.List[LockCompareResultRows]
    """The lines, in the order of the request."""
    changed: int
    """The number of rows with a change."""
    before: _t.NotRequired[LockCompareResultBefore]
    """The tokens of the earlier entry."""
    after: _t.NotRequired[LockCompareResultAfter]
    """The tokens of the later entry."""

class LockCompareResultAfter(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockCompareResultBefore(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockCompareResultRows(_t.TypedDict):
    kind: _t.Literal["provider", "model", "parameter", "tool", "system", "message", "finding"]
    """What the row shows."""
    before: _t.NotRequired[LockCompareResultRowsBefore]
    """The earlier line. Missing if it was added."""
    after: _t.NotRequired[LockCompareResultRowsAfter]
    """The later line. Missing if it was removed."""
    changes: _t.List[LockCompareResultRowsChanges]
    """The changes between them."""

class LockCompareResultRowsAfter(_t.TypedDict):
    slot: str
    """The slot."""
    cause: str
    """The cause."""
    kind: _t.NotRequired[str]
    """The kind of the content, for positions."""
    role: _t.NotRequired[str]
    """The role, for positions."""
    tokens: _t.NotRequired[int]
    """The locked tokens, for positions and tools. Volatile positions have none."""
    mark: _t.NotRequired[str]
    """The cache mark."""
    is_volatile: bool
    """True if the content can change."""
    text: _t.NotRequired[str]
    """The text of a position as far as it is known, or the value."""

class LockCompareResultRowsBefore(_t.TypedDict):
    slot: str
    """The slot."""
    cause: str
    """The cause."""
    kind: _t.NotRequired[str]
    """The kind of the content, for positions."""
    role: _t.NotRequired[str]
    """The role, for positions."""
    tokens: _t.NotRequired[int]
    """The locked tokens, for positions and tools. Volatile positions have none."""
    mark: _t.NotRequired[str]
    """The cache mark."""
    is_volatile: bool
    """True if the content can change."""
    text: _t.NotRequired[str]
    """The text of a position as far as it is known, or the value."""

class LockCompareResultRowsChanges(_t.TypedDict):
    change: _t.Literal["provider", "model", "parameter", "tool_added", "tool_removed", "tool_edited", "schema_edited", "tools_reordered", "added", "removed", "moved", "edited", "retyped", "regrouped", "recaused", "mark_changed", "volatility_changed", "volatile_missing", "volatile_range", "lint_added", "lint_removed", "loss_added", "loss_removed"]
    """The kind."""
    cause: str
    """The cause: what the position, tool or parameter comes from."""
    slot: str
    """The slot in the current context, or in the locked one if it was removed."""
    tokens: int
    """The locked tokens that were added; negative if they were removed."""
    words: _t.NotRequired[LockCompareResultRowsChangesWords]
    """The words that differ, as far as the lockfile has them."""
    volatile: _t.NotRequired[str]
    """The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`."""

class LockCompareResultRowsChangesWords(_t.TypedDict):
    before: str
    """The words of the earlier request."""
    after: str
    """The words of this request."""

class LockDetails(_t.TypedDict):
    """What a check needs of a context and the lockfile does not keep."""
    texts: _t.NotRequired[_t.List[str] | None]
    """The text of each position."""
    hashes: _t.NotRequired[_t.List[str] | None]
    """The hash of each position, for a cache of texts. Empty if the position is volatile, has a secret or is redacted."""
    tokens: _t.NotRequired[_t.List[int] | None]
    """The tokens of each position."""
    window: _t.NotRequired[int | None]
    """The size of the model's window, if it is known."""
    agent_id: _t.NotRequired[str | None]
    """The agent of a turn."""
    boxes: _t.NotRequired[_t.List[str] | None]
    """The boxes that a turn or a box reads."""
    secrets: _t.NotRequired[_t.List[LockSecret] | None]
    """Text that looks like a secret."""
    losses: _t.NotRequired[_t.List[LockLosses] | None]
    """The conversion changes of the providers of `legal_for`."""
    unmatched: _t.NotRequired[_t.List[str] | None]
    """The declared volatile slots that match nothing."""

class LockDiff(_t.TypedDict):
    """Compares two entries."""
    before: str
    """The lines of the earlier entry."""
    after: str
    """The lines of the later entry."""
    formats: _t.NotRequired[_t.Sequence[_t.Literal["text", "markdown", "junit", "annotations", "sarif"]] | None]
    """The reports to return."""

class LockDiffResult(_t.TypedDict):
    status: _t.Literal["same", "changed", "undecided"]
    """The result."""
    exit_code: int
    """The exit code of a command: 0 same, 1 changed, 2 undecided."""
    contexts: int
    """The number of contexts that were checked."""
    added: _t.List[str]
    """The contexts that are not in the lockfile."""
    removed: _t.List[str]
    """The entries of the lockfile whose context no longer exists."""
    groups: _t.List[LockDiffResultGroups]
    """The changes, grouped by cause. The group with the most contexts is first."""
    entries: _t.List[LockDiffResultEntries]
    """The contexts that changed."""
    failures: _t.List[LockDiffResultFailures]
    """The assertions that fail."""
    unstable: _t.List[LockDiffResultUnstable]
    """The slots that differ between two builds of one context."""
    unmatched: _t.List[LockDiffResultUnmatched]
    """Declared volatile slots that match nothing."""
    errors: _t.List[LockDiffResultErrors]
    """The contexts that could not be built."""
    reports: _t.List[LockDiffResultReports]
    """The reports that the call asks for."""

class LockDiffResultEntries(_t.TypedDict):
    name: str
    """The name."""
    changes: _t.List[LockDiffResultEntriesChanges]
    """The changes, in the order of the request."""
    before: LockDiffResultEntriesBefore
    """The locked tokens: all, tools, system prompt, messages."""
    after: LockDiffResultEntriesAfter
    """The current ones."""

class LockDiffResultEntriesAfter(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockDiffResultEntriesBefore(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockDiffResultEntriesChanges(_t.TypedDict):
    change: _t.Literal["provider", "model", "parameter", "tool_added", "tool_removed", "tool_edited", "schema_edited", "tools_reordered", "added", "removed", "moved", "edited", "retyped", "regrouped", "recaused", "mark_changed", "volatility_changed", "volatile_missing", "volatile_range", "lint_added", "lint_removed", "loss_added", "loss_removed"]
    """The kind."""
    cause: str
    """The cause: what the position, tool or parameter comes from."""
    slot: str
    """The slot in the current context, or in the locked one if it was removed."""
    tokens: int
    """The locked tokens that were added; negative if they were removed."""
    words: _t.NotRequired[LockDiffResultEntriesChangesWords]
    """The words that differ, as far as the lockfile has them."""
    volatile: _t.NotRequired[str]
    """The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`."""

class LockDiffResultEntriesChangesWords(_t.TypedDict):
    before: str
    """The words of the earlier request."""
    after: str
    """The words of this request."""

class LockDiffResultErrors(_t.TypedDict):
    name: str
    """The context."""
    message: str
    """The reason."""

class LockDiffResultFailures(_t.TypedDict):
    name: str
    """The context."""
    assertion: str
    """The member of the assertion."""
    slot: _t.NotRequired[str]
    """The slot, if the failure has one."""
    message: str
    """What is wrong."""

class LockDiffResultGroups(_t.TypedDict):
    title: str
    """The change in one line."""
    change: _t.Literal["provider", "model", "parameter", "tool_added", "tool_removed", "tool_edited", "schema_edited", "tools_reordered", "added", "removed", "moved", "edited", "retyped", "regrouped", "recaused", "mark_changed", "volatility_changed", "volatile_missing", "volatile_range", "lint_added", "lint_removed", "loss_added", "loss_removed"]
    """The kind of the change."""
    cause: str
    """The cause."""
    entries: _t.List[str]
    """The contexts."""
    least_tokens: int
    """The smallest change of the locked tokens of a context."""
    most_tokens: int
    """The largest change."""
    prefix_lost_from: _t.NotRequired[str]
    """The slot from which the first context loses its cached prefix."""
    prefix_lost_tokens: int
    """The largest number of tokens of the prefix that a context loses."""
    prefix_was_cached: bool
    """True if a lost prefix had enough tokens for the cache of the provider."""
    price_per_1000: _t.NotRequired[float]
    """The price of the added tokens for 1,000 turns in dollars, on average. Missing if no price is known."""
    words: _t.NotRequired[LockDiffResultGroupsWords]
    """The words of the first context that differ."""

class LockDiffResultGroupsWords(_t.TypedDict):
    before: str
    """The words of the earlier request."""
    after: str
    """The words of this request."""

class LockDiffResultReports(_t.TypedDict):
    format: _t.Literal["text", "markdown", "junit", "annotations", "sarif"]
    """The format."""
    text: str
    """The text."""

class LockDiffResultUnmatched(_t.TypedDict):
    name: str
    """The context."""
    slot: str
    """The slot, as it was declared."""

class LockDiffResultUnstable(_t.TypedDict):
    name: str
    """The context."""
    slot: str
    """The slot."""
    cause: str
    """The cause."""
    kind: _t.NotRequired[str]
    """The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`."""
    suggestion: str
    """How to declare it."""

LockEntry = _t.TypedDict("LockEntry", {"name": str, "context": _t.NotRequired[_t.Mapping[str, _t.Any] | None], "request": _t.NotRequired[LockRequest | None], "from": _t.NotRequired[str | None], "volatile": _t.NotRequired[_t.Sequence[str | VolatileText] | None], "shared_volatile": _t.NotRequired[_t.Sequence[str | VolatileText] | None], "redact": _t.NotRequired[bool | None], "texts": _t.NotRequired[bool | None], "legal_for": _t.NotRequired[_t.Sequence[Provider] | None]})

class LockLosses(_t.TypedDict):
    """The conversion changes for a provider."""
    provider: str
    """The provider."""
    codes: _t.List[str]
    """The codes of the changes."""
    places: _t.NotRequired[_t.List[str] | None]
    """The first place of each change, such as `messages[2]`, and its reason."""

class LockMatch(_t.TypedDict):
    """A position to find. Every member that is set must match."""
    card_type: _t.NotRequired[str | None]
    """The type of the card."""
    cause: _t.NotRequired[str | None]
    """The cause."""
    text: _t.NotRequired[str | None]
    """Text that the position contains."""
    role: _t.NotRequired[str | None]
    """The role."""
    kind: _t.NotRequired[str | None]
    """The kind, such as `text` or `tool_call`."""
    secret: _t.NotRequired[bool | None]
    """Text that looks like a secret."""

class LockRead(_t.TypedDict):
    """Reads a lockfile and lists its entries."""
    lock: str
    """The text of the lockfile."""

class LockReadResult(_t.TypedDict):
    version: str
    """The version of the format."""
    entries: _t.List[LockReadResultEntries]
    """The entries, by name."""

LockReadResultEntries = _t.TypedDict("LockReadResultEntries", {"name": str, "from": _t.NotRequired[str], "provider": str, "model": str | None, "positions": int, "tokens": LockReadResultEntriesTokens, "block": str})

class LockReadResultEntriesTokens(_t.TypedDict):
    all: int
    """All tokens."""
    tools: int
    """The tool definitions."""
    system: int
    """The system prompt."""
    messages: int
    """The messages."""
    prefix: int
    """The prefix that a cache can reuse."""

class LockRequest(_t.TypedDict):
    """The body of a request to a provider."""
    provider: _t.NotRequired[_t.Literal["anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "mistral", "deepseek", "openai_compatible"] | None]
    """The provider. By default, the keys of the body decide."""
    body: _t.Mapping[str, _t.Any]
    """The body, as it was sent."""
    model: _t.NotRequired[str | None]
    """The model, for bodies that do not name it."""

class LockSecret(_t.TypedDict):
    """The position of text that looks like a secret."""
    slot: str
    """The slot."""
    kind: str
    """The kind of the secret. The text is never stated."""

class LockUpdate(_t.TypedDict):
    """Returns the text of a lockfile with changed entries."""
    lock: _t.NotRequired[str | None]
    """The text of the lockfile. Missing for a new one."""
    entries: _t.Sequence[LockedContext]
    """The current contexts."""
    again: _t.NotRequired[_t.Sequence[LockedContext] | None]
    """A second build of contexts, to find slots that are not stable."""
    remove: _t.NotRequired[_t.Sequence[str] | None]
    """The names of entries to remove."""
    prune: _t.NotRequired[bool | None]
    """Removes entries that are not in `entries`. Entries of tests stay."""
    tests: _t.NotRequired[_t.Sequence[str] | None]
    """Removes entries of these test files that are not in `entries`."""

class LockUpdateResult(_t.TypedDict):
    lock: str
    """The text of the lockfile."""
    added: _t.List[str]
    """The names of new entries."""
    changed: _t.List[str]
    """The names of changed entries."""
    removed: _t.List[str]
    """The names of removed entries."""
    unstable: _t.List[LockUpdateResultUnstable]
    """The slots that differ between two builds of one context."""
    unmatched: _t.List[LockUpdateResultUnmatched]
    """Declared volatile slots that match nothing."""

class LockUpdateResultUnmatched(_t.TypedDict):
    name: str
    """The context."""
    slot: str
    """The slot, as it was declared."""

class LockUpdateResultUnstable(_t.TypedDict):
    name: str
    """The context."""
    slot: str
    """The slot."""
    cause: str
    """The cause."""
    kind: _t.NotRequired[str]
    """The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`."""
    suggestion: str
    """How to declare it."""

class LockedContext(_t.TypedDict):
    """A context as an entry."""
    name: str
    """The name."""
    block: str
    """The lines of the entry, as in the lockfile."""
    details: _t.NotRequired[LockDetails | None]
    """What a check needs of the context."""

class Loss(_t.TypedDict):
    """One change."""
    code: ChangeCode
    """The kind of the change."""
    action: _t.Literal["merge", "move", "drop", "rewrite", "add"]
    """The action."""
    lossy: bool
    """True if the change affects what the model sees."""
    position: _t.NotRequired[int]
    """The changed neutral message."""
    tool: _t.NotRequired[int]
    """The changed tool definition."""
    card_id: _t.NotRequired[str]
    """The card of the message."""
    layer: _t.NotRequired[str]
    """The layer of the message."""
    reason: str
    """The reason, in one sentence."""

class MakeHandoffCards(_t.TypedDict):
    """Makes cards of a handoff package, and a box with the cards."""
    package: HandoffPackage
    """The package."""
    content: _t.NotRequired[_t.Literal["references", "loaded"] | None]
    """Whether the cards have references, or the content that `load_handoff` returns."""
    budget: _t.NotRequired[int | None]
    """The maximum number of tokens of loaded content."""
    depth: _t.NotRequired[Depth | None]
    """How much of the package to load."""
    author_id: str
    """The author of the cards."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class MakeHandoffCardsResult(_t.TypedDict):
    box_id: str
    """The new box."""
    card_ids: _t.List[str]
    """The ids of its cards, in order."""
    spent: _t.NotRequired[int]
    """The tokens of the loaded content. Missing for references."""
    left_out: _t.List[HandoffLeftOut]
    """The parts that were not loaded."""
    missing: _t.List[MissingFile]
    """The files that the store does not have."""

MakePayload: _t.TypeAlias = MakePayload1 | MakePayload2 | MakePayload3 | MakePayload4 | MakePayload5 | MakePayload6

class MakePayload1(_t.TypedDict):
    provider: Provider
    """The provider that the request is for."""
    messages: _t.Any
    """The messages, in order."""
    origins: _t.NotRequired[_t.Sequence[Origin | None] | None]
    """The origin of each message, in the same order. The list can be shorter."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions: `{"type": "function", "function": {..}}`, or bare functions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class MakePayload2(_t.TypedDict):
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    box_id: str
    """The box whose cards are rendered."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class MakePayload3(_t.TypedDict):
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    card_ids: _t.Sequence[str]
    """The ids of stored cards, in order."""
    cards: _t.NotRequired[None]
    """Not allowed with stored cards."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class MakePayload4(_t.TypedDict):
    provider: Provider
    """The provider that the request is for."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    cards: _t.Sequence[_t.Mapping[str, _t.Any]]
    """Cards that come with the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The ids in the order to render. The order of `cards` by default."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class MakePayload5(_t.TypedDict):
    provider: Provider
    """The provider that the request is for."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the turn."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class MakePayload6(_t.TypedDict):
    provider: Provider
    """The provider that the request is for."""
    compose: Compose
    """The arguments of `compose`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class MarkApplied(_t.TypedDict):
    """Records that a tool result was applied."""
    tool_call_id: str
    """The tool call."""
    tool_result_card_id: _t.NotRequired[str | None]
    """The card of the result."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class MarkAppliedResult(_t.TypedDict):
    updated: bool
    """False if the row is missing, or is not as expected."""

class MarkReceived(_t.TypedDict):
    """Records that a tool result arrived."""
    tool_name: _t.NotRequired[str | None]
    """The name of the tool. The present one by default."""
    tool_call_id: str
    """The tool call."""
    tool_result_card_id: _t.NotRequired[str | None]
    """The card of the result."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class MarkReceivedResult(_t.TypedDict):
    updated: bool
    """False if the row is missing, or is not as expected."""

class MarkResult(_t.TypedDict):
    """A result of a tool call."""
    tool_call_id: str
    """The tool call."""
    tool_result_card_id: _t.NotRequired[str | None]
    """The card of the result."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""

class MarkSent(_t.TypedDict):
    """Marks messages as sent."""
    message_ids: _t.Sequence[str]
    """The messages."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class MarkSentResult(_t.TypedDict):
    sent: int
    """The number of messages."""

Memory: _t.TypeAlias = _t.Dict[str, _t.Any]

MemoryStep: _t.TypeAlias = MemoryStep1 | MemoryStep2 | MemoryStep3 | MemoryStep4 | MemoryStep5 | MemoryStep6 | MemoryStep7 | MemoryStep8

class MemoryStep1(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["appended"]
    """The message is new and was appended."""
    position: int
    """The position."""

class MemoryStep2(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["already_there"]
    """Memory already has the message."""
    position: int
    """The position."""

class MemoryStep3(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["already_covered"]
    """A summary already covers the message."""
    by: str
    """The compaction."""

class MemoryStep4(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["repeat"]
    """The message repeats the open query in the same words."""
    of: str
    """The first message with the query."""

class MemoryStep5(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["replaced"]
    """The message replaced an earlier version."""
    position: int
    """The position."""

class MemoryStep6(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["left"]
    """The message was removed; a summary covers it."""
    by: str
    """The compaction."""

class MemoryStep7(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["cleared"]
    """The result was removed, with all others."""

class MemoryStep8(_t.TypedDict):
    id: str
    """The id of the message or of the task."""
    effect: _t.Literal["not_remembered"]
    """Memory has no messages of this kind, so the copy in the checkpoint was dropped."""

Message: _t.TypeAlias = _t.Dict[str, _t.Any]

class MessageDetail(_t.TypedDict):
    """Everything about one message."""
    message: MessageRow
    """The message with its whole content."""
    origin: TimelineOrigin
    """The place in the log."""
    first_step: int | None
    """The first step that sends it. `null` for an answer that no later step sends."""
    last_step: int | None
    """The last step that sends it."""
    dropped_step: int | None
    """The step that no longer sends it."""
    times: int
    """The number of steps that send it."""
    resent_tokens: int
    """Tokens of all these steps, estimated."""
    reason: str
    """The reason: `system`, `prompt`, `attachment`, `answer`, `result`, `summary`."""
    made_by: int | None
    """The step that made it."""

MessageHeaders: _t.TypeAlias = _t.Mapping[str, str]

MessageInput: _t.TypeAlias = _t.Mapping[str, _t.Any]

class MessageRow(_t.TypedDict):
    """A message of a request."""
    id: str
    """The id: `m` and a number, or `a` or `s` and the number of a step."""
    role: str
    """The role."""
    tokens: int
    """Tokens, estimated."""
    parts: _t.List[TimelinePart]
    """The parts."""

class Missing(_t.TypedDict):
    """A missing card or box."""
    id: str
    """Its id."""
    reason: _t.Literal["absent", "deleted", "expired", "unreadable"]
    """The reason."""
    why: _t.NotRequired[str]
    """The error, if it cannot be read."""

class MissingFile(_t.TypedDict):
    """A file that the package refers to and the store does not have."""
    read: HandoffPart
    """The part that the file has."""
    path: str
    """The path of the file, relative to the root of the package."""
    name: str
    """The sample or artifact that it belongs to."""

class ModelInfo(_t.TypedDict):
    """Facts about a model: an entry of the table of models."""
    model: _t.NotRequired[str | None]
    """The name of the model. It also names versions with a date; with a `*` at the end it names all models that begin so. Only the table uses it."""
    provider: _t.NotRequired[str | None]
    """The family of the provider. Only the table uses it."""
    context_window: _t.NotRequired[int | None]
    """The maximum number of tokens of a request and its answer together."""
    output_limit: _t.NotRequired[int | None]
    """The maximum number of tokens of an answer."""
    media: _t.NotRequired[_t.Sequence[str] | None]
    """The kinds of file that the model reads: `image`, `audio`, `video`, `document`."""
    system_in_conversation: _t.NotRequired[bool | None]
    """Whether system messages can appear in the conversation."""
    thinking: _t.NotRequired[_t.Literal["none", "budget", "effort", "adaptive"] | None]
    """How a request controls thinking."""
    prefill: _t.NotRequired[bool | None]
    """Whether the last message of an assistant can be the start of the answer."""
    temperature: _t.NotRequired[bool | None]
    """Whether the model accepts `temperature` and `top_p`."""
    call_signatures: _t.NotRequired[bool | None]
    """Whether a call must carry the signature that the model gave it."""
    cache: _t.NotRequired[ModelInfoCache | None]
    """The prefix cache of the model."""
    price: _t.NotRequired[ModelPrice | None]
    """The prices of the model."""

class ModelInfoCache(_t.TypedDict):
    least_tokens: _t.NotRequired[int | None]
    """The length of the shortest prefix that is cached, in tokens."""
    step: _t.NotRequired[int | None]
    """The step of the cache, in tokens."""

class ModelPrice(_t.TypedDict):
    """The prices of a model, in dollars for 1,000,000 tokens. A missing price is not known."""
    input: _t.NotRequired[float | None]
    """The price of input."""
    output: _t.NotRequired[float | None]
    """The price of output."""
    read: _t.NotRequired[float | None]
    """The price of input that is read from the cache."""
    write: _t.NotRequired[float | None]
    """The price of input that is written to the cache."""
    write_1h: _t.NotRequired[float | None]
    """The price of input that is written to the cache for 1 hour."""
    above: _t.NotRequired[_t.Sequence[PriceAbove] | None]
    """The prices of requests with more input."""

class ModelThought(_t.TypedDict):
    """The answer of the model."""
    text: str
    """The text."""
    tool_calls: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The calls as the model wrote them. The card keeps them."""
    thinking_blocks: _t.NotRequired[_t.Sequence[_t.Any] | None]
    """The reasoning in the parts of the provider, signed if the provider signs them. The next request has them."""

class MovePointers(_t.TypedDict):
    """Points an agent to other boxes: those of its turn, its memory and its last output."""
    agent_id: str
    """The agent."""
    context_box_id: _t.NotRequired[str | None]
    """The box that the turn reads. `null` clears the pointer."""
    output_box_id: _t.NotRequired[str | None]
    """The box that the turn writes to. `null` clears the pointer."""
    memory_context_box_id: _t.NotRequired[str | None]
    """The box of the agent's memory. `null` clears the pointer."""
    last_output_box_id: _t.NotRequired[str | None]
    """The last output of the agent. `null` clears the pointer."""
    expected: _t.NotRequired[ExpectedState | None]
    """The state that the agent must have. Another one is a `conflict`."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class MovedPointers(_t.TypedDict):
    """The pointers of an agent after a move."""
    agent_id: str
    """The agent."""
    head: _t.Dict[str, _t.Any]
    """The row of its state."""
    pointers: _t.Dict[str, _t.Any]
    """The row of the pointers that outlive a turn."""

class NeutralRequest(_t.TypedDict):
    """A request in the neutral shape."""
    system: _t.List[str]
    messages: _t.List[NeutralRequestMessages]
    tools: _t.List[NeutralRequestTools]
    unknown: _t.List[ImportUnknown]
    output: _t.NotRequired[_t.List[_t.Any]]
    requests: _t.NotRequired[_t.List[NeutralRequestRequests]]
    """Every request, if the call has `every`."""

class NeutralRequestMessages(_t.TypedDict):
    role: _t.Literal["system", "user", "assistant", "tool"]
    parts: _t.List[_t.Any]

class NeutralRequestRequests(_t.TypedDict):
    index: _t.NotRequired[int]
    system: _t.List[str]
    messages: _t.List[NeutralRequestRequestsMessages]
    tools: _t.List[NeutralRequestRequestsTools]
    unknown: _t.List[ImportUnknown]
    output: _t.NotRequired[_t.List[_t.Any]]
    requests: _t.NotRequired[_t.List[NeutralRequestRequests]]
    """Every request, if the call has `every`."""

class NeutralRequestRequestsMessages(_t.TypedDict):
    role: _t.Literal["system", "user", "assistant", "tool"]
    parts: _t.List[_t.Any]

class NeutralRequestRequestsTools(_t.TypedDict):
    name: str
    description: _t.NotRequired[str]
    schema: _t.NotRequired[_t.Any]

class NeutralRequestTools(_t.TypedDict):
    name: str
    description: _t.NotRequired[str]
    schema: _t.NotRequired[_t.Any]

class NewCard(_t.TypedDict):
    """A card that a call stores."""
    card_id: _t.NotRequired[str | None]
    """The id of the card. A new id by default."""
    type: str
    """The semantic type, such as `task.instruction`."""
    author_id: str
    """The author, for audit only."""
    content: _t.Any
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any]]
    """Anything else, such as `role`."""
    tool_calls: _t.NotRequired[_t.Sequence[_t.Any] | None]
    tool_call_id: _t.NotRequired[str | None]
    ttl_seconds: _t.NotRequired[int | None]
    """How long the card lives."""
    project_id: _t.NotRequired[str]
    """Ignored: a card belongs to the project of the call."""
    created_at: _t.NotRequired[_t.Any]
    """Ignored: a card is created at the time of the call."""

NewContent: _t.TypeAlias = NewContentItem | NewContent2 | NewContent3 | NewContent4 | NewContent5

class NewContent2(_t.TypedDict):
    __type__: _t.Literal["JsonContent"]
    data: _t.Any

class NewContent3(_t.TypedDict):
    __type__: _t.Literal["FieldsSchemaContent"]
    fields: _t.Sequence[NewContent3Fields]

class NewContent3Fields(_t.TypedDict):
    name: str
    description: _t.NotRequired[str]

class NewContent4(_t.TypedDict):
    __type__: _t.Literal["ToolCallContent"]
    tool_name: str
    arguments: _t.Any
    status: str
    target_subject: _t.NotRequired[str | None]

class NewContent5(_t.TypedDict):
    __type__: _t.Literal["ToolResultContent"]
    status: str
    after_execution: _t.Literal["suspend", "terminate"]
    result: _t.NotRequired[_t.Any]
    error: _t.NotRequired[_t.Any]

class NewContentItem(_t.TypedDict):
    __type__: _t.Literal["TextContent"]
    text: str

class NoteEdge(_t.TypedDict):
    """An edge between two agents: who waits for whom, or who called which tool."""
    correlation_id: str
    """The id that a request and its response share."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the edge."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks."""
    source_agent_turn_id: _t.NotRequired[str | None]
    """The turn that asks."""
    source_step_id: _t.NotRequired[str | None]
    """The step that asks."""
    target_agent_id: _t.NotRequired[str | None]
    """The agent that is asked."""
    target_agent_turn_id: _t.NotRequired[str | None]
    """The turn that is asked."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the request. A request needs it; a response has that of its request."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the edge."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the edge belongs to."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about the edge."""

class NoteToolCall(_t.TypedDict):
    """Records that an agent called a tool. The result of the call must have the same depth."""
    correlation_id: str
    """The id that a request and its response share."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the edge."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks."""
    source_agent_turn_id: _t.NotRequired[str | None]
    """The turn that asks."""
    source_step_id: _t.NotRequired[str | None]
    """The step that asks."""
    target_agent_id: _t.NotRequired[str | None]
    """The agent that is asked."""
    target_agent_turn_id: _t.NotRequired[str | None]
    """The turn that is asked."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the request. A request needs it; a response has that of its request."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the edge."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the edge belongs to."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about the edge."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class Noted(_t.TypedDict):
    """An edge that was recorded."""
    edge_id: str
    """The id of the edge."""
    correlation_id: str
    """The id that a request and its response share."""
    trace_id: str | None
    """The trace of the edge."""

Origin = _t.TypedDict("Origin", {"layer": _t.NotRequired[str | None], "card_id": _t.NotRequired[str | None], "is_query": _t.NotRequired[bool | None], "protected": _t.NotRequired[bool | None], "priority": _t.NotRequired[int | None], "position": _t.NotRequired[_t.Any | None], "from": _t.NotRequired[_t.Any | None], "message_id": _t.NotRequired[_t.Any | None], "checkpoint_position": _t.NotRequired[_t.Any | None], "trimmed": _t.NotRequired[_t.Any | None]})

class OtherFit(_t.TypedDict):
    """The numbers of the same prompt for another limit. Of two limits, the smaller one drops the same messages as the larger one, and then more."""
    limit: int
    """The limit."""
    dropped: int
    """The number of dropped messages."""
    tokens: int
    """The tokens of the kept messages."""
    cost: float | None
    """The price of these tokens in dollars, without a cache. `null` if no price is known."""

class OutboxMessage(_t.TypedDict):
    """A message to send."""
    message_id: str
    subject: str
    payload: _t.Dict[str, _t.Any]
    headers: _t.Dict[str, str] | None
    core: bool
    """True for a message that no stream stores."""
    error: _t.NotRequired[str]
    """Why a quarantined message could not be sent."""

class OutboxResult(_t.TypedDict):
    messages: _t.List[OutboxMessage]
    """The messages, oldest first."""

class PackContext(_t.TypedDict):
    """Packs a context box for another agent."""
    tool_suffix: str
    """The tool that packs. It is the author of the new cards."""
    source_agent_id: str
    """The agent that delegates."""
    arguments: _t.Mapping[str, _t.Any]
    """The arguments of the tool call."""
    handover: _t.Any
    """The packing rules."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class PackContextWithInstructionResult(_t.TypedDict):
    recipe: PackContextWithInstructionResultRecipe
    """The arguments of `pack_context`."""
    packed: Packed
    """The context."""

class PackContextWithInstructionResultRecipe(_t.TypedDict):
    arguments: _t.Any
    """The arguments."""
    handover: _t.Any
    """The packing rules."""

class PackWithInstruction(_t.TypedDict):
    """Packs an instruction, the cards of some boxes and the pointer to the parent."""
    profile_name: _t.Any
    """The profile of the receiver. A value that is not a string becomes one."""
    instruction: _t.Any
    """The instruction. A value that is not a string becomes one."""
    inherit_box_ids: _t.NotRequired[_t.Sequence[_t.Any] | None]
    """The boxes whose cards are inherited. A value that is not a string becomes one."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class Packed(_t.TypedDict):
    """A packed context."""
    context_box_id: str
    """The new box."""
    target_profile_box_id: str
    """The box of the target's profile."""
    profile_name: str
    """The name of the target's profile, in its own case."""
    attached_card_ids: _t.List[str]
    """The cards of the new box, in order."""

class Part(_t.TypedDict):
    """The tokens of one source and, for cards, of one kind."""
    source: PartSource
    """The source."""
    kind: _t.NotRequired[CardKind]
    """The kind of the cards. Missing for parts that are not cards of the box."""
    first: _t.NotRequired[int]
    """The first position of the cards. Missing for parts that are not cards of the box."""
    cards: int
    """The number of cards."""
    tokens: int
    """The tokens."""
    exact: bool
    """True if `tokens` is the model's own count."""

PartKind: _t.TypeAlias = _t.Literal["system", "tools", "user", "attachment", "thinking", "assistant", "tool_call", "tool_result", "summary", "other"]

PartSource: _t.TypeAlias = PartSourceItem | PartSource2 | PartSource3 | PartSource4 | PartSource5 | PartSource6 | PartSource7 | PartSource8

class PartSource2(_t.TypedDict):
    kind: _t.Literal["inherited"]
    """Inherited from a box."""
    box_id: str
    """The box."""

class PartSource3(_t.TypedDict):
    kind: _t.Literal["parent"]
    """The parent pointer."""

class PartSource4(_t.TypedDict):
    kind: _t.Literal["stored"]
    """Cards of the box itself."""

class PartSource5(_t.TypedDict):
    kind: _t.Literal["output"]
    """The earlier output of the receiver."""
    box_id: str
    """The output box."""

class PartSource6(_t.TypedDict):
    kind: _t.Literal["system_prompt"]
    """The system prompt."""

class PartSource7(_t.TypedDict):
    kind: _t.Literal["tools"]
    """Tool definitions."""

class PartSource8(_t.TypedDict):
    kind: _t.Literal["framing"]
    """The framing tokens of the provider."""

class PartSourceItem(_t.TypedDict):
    kind: _t.Literal["argument"]
    """Made from arguments of the call."""

class Payload(_t.TypedDict):
    """A payload, and the changes of its conversion."""
    provider: Provider
    model: str | None
    body: _t.Dict[str, _t.Any]
    """The body, verbatim."""
    losses: _t.List[Loss]
    renamed_tools: _t.List[RenamedTool]
    """Tools that have another name for the provider."""
    native: _t.NotRequired[_t.List[PayloadNative]]
    """The values of the body that are not JSON in the library of the provider, with the form `client`. The package for JavaScript has converted them."""

class PayloadDiff(_t.TypedDict):
    """The first difference of two payloads, and the tokens that a cache can reuse."""
    provider: Provider
    """The provider of both payloads."""
    same_messages: int
    """The number of equal messages at the start. Messages are counted as the provider sees them."""
    same_tokens: TokenCount
    """The number of equal tokens at the start."""
    before_tokens: int
    """The tokens of the payload before, including framing, which is always an estimate."""
    after_tokens: int
    """The tokens of the payload after, including framing."""
    first_difference: PayloadDiffFirstDifference | None
    """The first difference. Missing if the payloads are equal."""
    cache: PayloadDiffCache
    """The tokens that a prefix cache can reuse."""

class PayloadDiffCache(_t.TypedDict):
    policy: CachePolicy
    """The rules of the cache."""
    kept_tokens: int
    """Tokens that are read from the cache."""
    fresh_tokens: int
    """Tokens that are not read from the cache."""
    exact: bool
    """True if all counts are exact."""

class PayloadDiffFirstDifference(_t.TypedDict):
    why: _t.Literal["tools_changed", "changed", "inserted", "removed", "replaced", "appended", "shortened"]
    """The reason."""
    before: PayloadPlace | None
    """The message of the payload before. Missing at its end."""
    after: PayloadPlace | None
    """The message of the payload after. Missing at its end."""
    same_characters: int
    """The number of equal characters at the start of both strings."""

class PayloadNative(_t.TypedDict):
    pointer: str
    """The JSON pointer of the value in the body."""
    kind: _t.Literal["bytes", "schema"]
    """The type in the library."""

class PayloadOptions(_t.TypedDict):
    """Options of a request: what a host passes with the prompt."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class PayloadPlace(_t.TypedDict):
    """A place in a payload."""
    message: _t.NotRequired[int]
    """The position of the message in the payload."""
    position: _t.NotRequired[int]
    """The position of the message in the prompt."""
    card_id: _t.NotRequired[str]
    """The card."""
    layer: _t.NotRequired[str]
    """The layer."""
    tool: _t.NotRequired[str]
    """The tool."""
    role: _t.NotRequired[str]
    """The role."""

PayloadSide: _t.TypeAlias = PayloadSide1 | PayloadSide2 | PayloadSide3 | PayloadSide4 | PayloadSide5 | PayloadSide6

class PayloadSide1(_t.TypedDict):
    provider: _t.NotRequired[Provider | None]
    """The provider of this request. That of the call by default."""
    messages: _t.Any
    """The messages, in order."""
    origins: _t.NotRequired[_t.Sequence[Origin | None] | None]
    """The origin of each message, in the same order. The list can be shorter."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions: `{"type": "function", "function": {..}}`, or bare functions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class PayloadSide2(_t.TypedDict):
    provider: _t.NotRequired[Provider | None]
    """The provider of this request. That of the call by default."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    box_id: str
    """The box whose cards are rendered."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class PayloadSide3(_t.TypedDict):
    provider: _t.NotRequired[Provider | None]
    """The provider of this request. That of the call by default."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    card_ids: _t.Sequence[str]
    """The ids of stored cards, in order."""
    cards: _t.NotRequired[None]
    """Not allowed with stored cards."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class PayloadSide4(_t.TypedDict):
    provider: _t.NotRequired[Provider | None]
    """The provider of this request. That of the call by default."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the cards."""
    cards: _t.Sequence[_t.Mapping[str, _t.Any]]
    """Cards that come with the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The ids in the order to render. The order of `cards` by default."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class PayloadSide5(_t.TypedDict):
    provider: _t.NotRequired[Provider | None]
    """The provider of this request. That of the call by default."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions in addition to those of the turn."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class PayloadSide6(_t.TypedDict):
    provider: _t.NotRequired[Provider | None]
    """The provider of this request. That of the call by default."""
    compose: Compose
    """The arguments of `compose`."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class Place(_t.TypedDict):
    """A position in one of the two boxes."""
    side: Side
    """The box."""
    position: int
    """The index in that box, from 0."""

class PlanHandoff(_t.TypedDict):
    """Plans what to read of a handoff package within a token budget."""
    package: HandoffPackage
    """The package."""
    report: _t.NotRequired[_t.Any | None]
    """The report that the package refers to."""
    budget: _t.NotRequired[int | None]
    """The maximum number of tokens."""
    depth: _t.NotRequired[Depth | None]
    """How much of the package to read."""
    sizes: _t.NotRequired[_t.Mapping[str, int] | None]
    """The measured tokens of files, by path from the root of the package. Other files are estimated."""

class PokeInbox(_t.TypedDict):
    """Sends the wakeup of an unclaimed message again."""
    inbox_id: str
    """The message."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class PreviewHandover(_t.TypedDict):
    """Shows what the receiver of a delegation will see next to what the sender sees. It writes nothing."""
    call: _t.Any
    """The call that delegates. It is not committed."""
    task: _t.NotRequired[int | None]
    """The index of the context, from 0, if the call packs several."""
    takes_files: _t.NotRequired[bool | None]
    """True if the model of the receiver takes files. The profile of the receiver decides by default."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools that the host offers. The profile selects among them."""
    system_append: _t.NotRequired[str | None]
    """The text to append to the system prompt."""
    downstream_desc: _t.NotRequired[str | None]
    """The description of the profiles that the agent can delegate to, for the prompt."""

class PriceAbove(_t.TypedDict):
    """The prices of requests with more than a number of input tokens. A missing price is the usual one."""
    tokens: int
    """The number of input tokens."""
    input: _t.NotRequired[float | None]
    """The price of input."""
    output: _t.NotRequired[float | None]
    """The price of output."""
    read: _t.NotRequired[float | None]
    """The price of input that is read from the cache."""
    write: _t.NotRequired[float | None]
    """The price of input that is written to the cache."""
    write_1h: _t.NotRequired[float | None]
    """The price of input that is written to the cache for 1 hour."""

class PrincipalTask(_t.TypedDict):
    """The arguments of a `launch_principal` tool."""
    profile_name: str
    """The profile of the new agent."""
    instruction: str
    """The instruction for the agent."""

class Problem(_t.TypedDict):
    """A problem of a request."""
    severity: _t.Literal["error", "warning", "info"]
    """The severity."""
    source: _t.Literal["lint", "left_out", "loss", "never_sent", "window"]
    """The source of the problem."""
    code: str
    """The code of the problem, in `snake_case`. Codes are stable."""
    message: str
    """A sentence that describes the problem."""
    path: _t.NotRequired[str]
    """The path of the value. Missing without a value."""
    place: _t.NotRequired[ProblemPlace]
    """The position of the card."""
    card_id: _t.NotRequired[str]
    """The card."""
    fix: _t.NotRequired[ProblemFix | ProblemFix2]
    """A fix."""

class ProblemFix(_t.TypedDict):
    kind: _t.Literal["remove"]
    """Remove this value from the call."""
    path: str
    """The path of the value."""

class ProblemFix2(_t.TypedDict):
    kind: _t.Literal["fit"]
    """Fit the request into a budget."""

class ProblemPlace(_t.TypedDict):
    shown: int
    """The index of the box, from 0."""
    position: int
    """The position in the box, from 0."""

Process: _t.TypeAlias = _t.Literal["sequential", "dynamic", "hierarchical", "react", "mapreduce_worker", "mapreduce_planner", "mapreduce_reducer"]

class ProfileColumns(_t.TypedDict):
    """The optional columns of a profile."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags that delegation policies can require."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs its agents."""
    delegation_policy: _t.NotRequired[_t.Any | None]
    """The profiles that its agents can delegate to. A policy in the `sys.profile` card applies only if this is `null`."""
    system_prompt_compiled: _t.NotRequired[str | None]
    """The compiled system prompt."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class Promoted(_t.TypedDict):
    """A queued turn that its agent was given."""
    inbox_id: str
    """The message of the turn."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn."""
    channel_id: str
    """The channel of the turn."""
    traceparent: str | None
    """The span of its message."""
    tracestate: str | None
    """The state of its trace."""
    trace_id: str | None
    """The trace."""
    recursion_depth: int
    """The depth of the turn below the first one."""

PromptSource: _t.TypeAlias = PromptSourceItem | GivenCards | GivenTurn | GivenCompose

class PromptSourceItem(_t.TypedDict):
    messages: _t.Any
    """The messages, in order."""
    origins: _t.NotRequired[_t.Sequence[Origin | None] | None]
    """The origin of each message, in the same order. The list can be shorter."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """Tool definitions: `{"type": "function", "function": {..}}`, or bare functions."""

class PromptTables(_t.TypedDict):
    """The tables of the composer."""
    processes: _t.List[PromptTablesProcesses]
    """The blocks that each kind of process sees."""
    layers: _t.List[PromptTablesLayers]
    """The lifetime of each layer."""

class PromptTablesLayers(_t.TypedDict):
    layer: Layer
    """The layer. `*__context` represents every block without a fixed position."""
    lifetime: _t.Literal["call_only", "runtime_only", "persistent"]
    """The lifetime."""
    shared: bool
    """True if agents share it."""

class PromptTablesProcesses(_t.TypedDict):
    process: Process
    """The kind of process."""
    checkpoint: bool
    """Whether the remembered conversation is injected."""
    share_by_default: bool
    """The default of `enable_share_context`."""
    always: _t.List[Layer]
    """The blocks that it always sees."""
    when_sharing: _t.List[Layer]
    """The blocks that it sees while sharing."""
    other_blocks: bool
    """True if it sees blocks without a fixed position while sharing."""
    needs_query: bool
    """True if a prompt must have a query. An agent that continues from its memory, after a handover or a tool's result, needs none."""
    follows_switch: bool
    """True if the switch of the project changes what it sees. A worker always sees only its part of the task."""

Provider: _t.TypeAlias = _t.Literal["neutral", "openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral", "openai_compatible", "ai_sdk"]

class ProvisionIdentity(_t.TypedDict):
    """Writes an agent into the roster with every value given, and records the action. The agent gets its head with its first turn."""
    target_agent_id: str
    """The agent."""
    action: str
    """The action to record, for example `provision` or `update`."""
    traceparent: _t.NotRequired[str | None]
    """The span of the change. Its trace must be `trace_id`, if both are given."""
    profile_box_id: str
    """The box of its profile."""
    worker_target: str
    """The kind of worker that runs it."""
    profile_name: _t.NotRequired[str | None]
    """The name of its profile, for a derived agent."""
    derived_from: _t.NotRequired[str | None]
    """The agent that a derived one comes from."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """Its tags. Those of the profile by default."""
    display_name: _t.NotRequired[str | None]
    """Its name for people."""
    owner_agent_id: _t.NotRequired[str | None]
    """The agent that owns it."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about it. Present keys that are not given stay."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of a new agent."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the change."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that asks for the change."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that asks for the change."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the change."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ProvisionIdentityResult(_t.TypedDict):
    edge_id: str
    """The record."""
    target_agent_id: str
    """The agent."""
    action: str
    """The action."""
    trace_id: str | None
    """The trace of the change."""

class Prune(_t.TypedDict):
    """Deletes rows of work that ended long ago: processed messages of agents, and the steps, calls, results and recorded views of turns."""
    older_than_seconds: _t.NotRequired[int | None]
    """The age of the deleted rows: what ended later stays. 30 days by default."""
    limit: _t.NotRequired[int | None]
    """The number of rows of each kind and status that a call looks at, the oldest first."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class PruneResult(_t.TypedDict):
    messages: int
    """The processed messages of agents."""
    steps: int
    """The steps of turns."""
    calls: int
    """The tool calls that turns waited for, and their results."""
    views: int
    """The recorded views."""
    more: bool
    """True if older rows can be left."""

class PutCards(_t.TypedDict):
    """Stores cards. A card without an id gets a new one. A card of a standard type without a role gets the role of its type. Storing an id again with the same content changes nothing. With other content it is a `conflict`, because cards never change."""
    cards: _t.Sequence[NewCard]
    """The cards, in order."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class PutCardsResult(_t.TypedDict):
    card_ids: _t.List[str]
    """The ids of the cards, in order."""

class PutProfile(_t.TypedDict):
    """Declares a profile: its card, its box and its entry. A profile that differs from the declaration changes, in one batch. The next step of every turn with this profile uses it."""
    name: str
    """The name. Calls find it in any case."""
    system_prompt: _t.NotRequired[str | None]
    """The system prompt. It can have placeholders."""
    delegation_policy: _t.NotRequired[_t.Any | None]
    """The profiles that its agents can delegate to. None by default."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags that delegation policies can require."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs its agents."""
    config: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the profile's card, such as `llm_config` and `allowed_tools`."""
    author_id: _t.NotRequired[str | None]
    """The author of the card."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class PutProfileResult(_t.TypedDict):
    profile_box_id: str
    """The box of the profile."""
    made: bool
    """True if the profile is new."""
    changed: _t.List[str]
    """The keys of an existing profile that changed."""
    version: int
    """The version of the box."""

class PutToolResults(_t.TypedDict):
    """Stores the results of tools that ran, each as the card `result_<tool_call_id>`. Only the first result of a call counts. A result that cannot be stored fails only its call."""
    agent_turn_id: str
    """The turn that made the calls."""
    step_id: str
    """The step that made the calls."""
    results: _t.NotRequired[_t.Sequence[RanTool] | None]
    """The calls that ran, in order."""
    started: _t.NotRequired[_t.Sequence[StartedTool] | None]
    """The calls of tools that must not run twice, before they run. Each gets the card `start_<tool_call_id>`. A card of another step is a `conflict`: another worker started the tool."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class PutToolResultsResult(_t.TypedDict):
    results: _t.List[PutToolResultsResultResults]
    """The first results of the call, in its order. One commit stores at most 32 MiB of JSON: a second call stores the others."""

class PutToolResultsResultResults(_t.TypedDict):
    tool_call_id: str
    """The id of the call."""
    card_ids: _t.List[str]
    """The card with the result; empty if there is an error."""
    error: _t.NotRequired[str]
    """Why the result cannot be stored."""

class QuarantineMessages(_t.TypedDict):
    """Quarantines messages that cannot be sent. They wait no longer, and delay no other messages."""
    message_ids: _t.Sequence[str]
    """The messages."""
    error: str
    """Why they cannot be sent."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class QuarantineMessagesResult(_t.TypedDict):
    changed: int
    """The number of messages."""

Query: _t.TypeAlias = QueryItem | Query2

class Query2(_t.TypedDict):
    in_checkpoint: _t.Literal[True] | str

class QueryItem(_t.TypedDict):
    runtime: str

class QueuedWork(_t.TypedDict):
    """Work that follows from other work."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn."""
    continuation: bool
    """Always true: the turn runs already."""
    step_count: int
    """The number of steps before this one."""
    output_box_id: str | None
    """The box for the output."""
    resume: _t.NotRequired[ToolReport]
    """A result to resume with, if there is one."""
    start: _t.NotRequired[QueuedWorkStart]
    """A tool call to start, if its worker was lost before it started it."""

class QueuedWorkStart(_t.TypedDict):
    tool_call_id: str
    """The call."""
    tool_name: str
    """The name of the tool."""
    step_id: str
    """The step that made the call."""

Quirk: _t.TypeAlias = _t.Literal["system_first", "alternate", "text_content", "no_tool_choice", "max_completion_tokens", "developer", "vllm", "llama_cpp", "ollama"]

class RanTool(_t.TypedDict):
    """A call of a tool that ran, and its result."""
    tool_call_id: str
    """The id of the call."""
    tool_name: str
    """The name of the tool."""
    result: _t.NotRequired[_t.Any | None]
    """The result; `null` by default."""
    result_text: _t.NotRequired[str | None]
    """The result as JSON text, instead of `result`. It can have any number of values."""

class ReadBox(_t.TypedDict):
    """Returns a box as it would be read."""
    box: _t.Any
    """The box, as on the wire."""

class ReadBoxResult(_t.TypedDict):
    box: ReadBoxResultBox
    """The box, without empty and repeated parents."""

class ReadBoxResultBox(_t.TypedDict):
    box_id: _t.NotRequired[str]
    card_ids: _t.List[str]
    parent_ids: _t.NotRequired[_t.List[str]]

class ReadCard(_t.TypedDict):
    """Returns a card as it would be read, and the text that a model reads. A card without an id gets a new one."""
    card: _t.Any
    """The card, as on the wire."""

class ReadCardResult(_t.TypedDict):
    card: WireCard
    """The card with every field present."""
    text: str
    """The text that a model reads."""

class ReadContent(_t.TypedDict):
    """Returns a content in canonical form, its type, and the text that a model reads."""
    content: _t.Any
    """The content, as on the wire."""

class ReadContentResult(_t.TypedDict):
    type: str
    """The type of the content."""
    content: Content
    """The content in canonical form."""
    text: str
    """The text that a model reads."""

class ReadDeltas(_t.TypedDict):
    """Returns the additions of events to an answer, while they arrive."""
    provider: Provider
    """The provider of the model."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools of the prompt."""
    events: _t.Sequence[_t.Any]
    """The next events of the stream, in order."""

class ReadDeltasResult(_t.TypedDict):
    deltas: _t.List[ReadDeltasResultDeltas | ReadDeltasResultDeltas2 | ReadDeltasResultDeltas3 | ReadDeltasResultDeltas4 | ReadDeltasResultDeltas5]
    """The additions, in the order of the events."""

class ReadDeltasResultDeltas(_t.TypedDict):
    type: _t.Literal["text"]
    """More text."""
    text: str
    """The text to append."""

class ReadDeltasResultDeltas2(_t.TypedDict):
    type: _t.Literal["reasoning"]
    """More reasoning."""
    text: str
    """The text to append."""

class ReadDeltasResultDeltas3(_t.TypedDict):
    type: _t.Literal["refusal"]
    """More of a refusal."""
    refusal: str
    """The text to append."""

class ReadDeltasResultDeltas4(_t.TypedDict):
    type: _t.Literal["tool_call"]
    """A tool call, or a piece of one."""
    index: _t.NotRequired[int]
    """The index of the call. A call without an index is whole."""
    id: _t.NotRequired[str]
    """The id of the call, in its first piece."""
    name: _t.NotRequired[str]
    """The name of the tool in the prompt, in the first piece."""
    arguments: str
    """The JSON text to append to the arguments, with the keys of the payload."""

class ReadDeltasResultDeltas5(_t.TypedDict):
    type: _t.Literal["usage"]
    """The tokens that the provider has reported so far."""
    usage: Usage
    """The tokens."""

class ReadForkJoin(_t.TypedDict):
    """Reads the arguments of a `fork_join` without running it."""
    arguments: _t.Any
    """The tasks, as a model wrote them."""

class ReadHandoff(_t.TypedDict):
    """Reads a handoff package. An error has every wrong field in `details.errors`."""
    model: _t.NotRequired[_t.Literal["ContextPackage", "InitToExecuteContext", "ExecuteToInitContext"] | None]
    """The model to read it with. By default `handoff_type` chooses the model."""
    data: _t.Any
    """The package."""

class ReadHandoffResult(_t.TypedDict):
    dump: _t.Any
    """The package with every default written out."""
    extra_fields: _t.List[str]
    """The names of the fields that the model does not declare, sorted."""

class ReadNewCard(_t.TypedDict):
    """Returns a card as it would be stored, and what a reader of the stored card sees."""
    card: _t.Any
    """The card as in `put_cards`, with `card_id` and `project_id`."""

class ReadNewCardResult(_t.TypedDict):
    stored: WireCard
    """The card as it would be stored."""
    type: str
    """The semantic type."""
    author_id: str
    """The author; `unknown` if the card names none."""
    project_id: str
    """The project; `public` if the card names none."""

ReadResponse: _t.TypeAlias = ReadResponse1 | ReadResponse2

class ReadResponse1(_t.TypedDict):
    provider: Provider
    """The provider of the model."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools of the prompt."""
    response: _t.Mapping[str, _t.Any]
    """The body of the response."""

class ReadResponse2(_t.TypedDict):
    provider: Provider
    """The provider of the model."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools of the prompt."""
    events: _t.Any
    """The events of a stream, in order."""

class ReadRunState(_t.TypedDict):
    """Shows what runs: in the project, at one agent, or in one batch."""
    agent_id: _t.NotRequired[str | None]
    """The only agent to show."""
    batch_id: _t.NotRequired[str | None]
    """The only batch to show."""
    limit: _t.NotRequired[int | None]
    """The maximum number of rows of each kind."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ReadTimeline(_t.TypedDict):
    """Shows the requests of a log as steps of a timeline."""
    files: _t.Sequence[ImportFile]
    """The files to read together."""
    session: _t.NotRequired[int | None]
    """The index of the session in `sessions`. By default it is the newest."""
    step: _t.NotRequired[int | None]
    """Shows one step, by its number."""
    message: _t.NotRequired[str | None]
    """Shows one message, by its id."""
    find: _t.NotRequired[str | None]
    """Finds messages with this text, ignoring case."""
    brief: _t.NotRequired[bool | None]
    """Omits the messages of a step."""

class ReadTurnResult(_t.TypedDict):
    """Reads whether a turn has ended, its result, and the cards of its output."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    output_box_id: str
    """The box that the turn writes to."""
    after: _t.NotRequired[int | None]
    """Also returns the cards of the output box from this index on."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class Reader(_t.TypedDict):
    """The turn that reads a box."""
    agent_id: _t.NotRequired[str]
    """The agent."""
    context_box_id: _t.NotRequired[str]
    """The context box of the turn."""
    output_box_id: _t.NotRequired[str]
    """The output box of the turn. Empty if the turn starts without output."""
    profile_box_id: _t.NotRequired[str]
    """The profile of the turn."""
    display_name: _t.NotRequired[str]
    """The display name of the agent."""
    dialect: Dialect
    """The rule dialect."""

class ReapTurn(_t.TypedDict):
    """Ends a turn that made no progress within its time limit."""
    agent_id: str
    """The agent."""
    which: ReapedTurns
    """Which turn ends."""
    output_box_id: _t.NotRequired[str | None]
    """The box with the output of the turn."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

ReapedTurns: _t.TypeAlias = _t.Literal["dispatched", "active", "suspended"]

class Receipt(_t.TypedDict):
    """The answer of a store to a commit."""
    operation_id: str
    """The operation that was applied."""
    repeated: bool
    """Whether the operation was applied before, so that nothing changed now."""
    boxes: _t.List[BoxVersion]
    """The new versions of the changed boxes, in the order of their first change."""

class Receiver(_t.TypedDict):
    """The receiver of a context and its boxes."""
    agent_id: str | None
    """The agent; missing if the call names only a profile."""
    profile_box_id: str
    """The box of its profile."""
    context_box_id: str
    """The box that its turn reads."""
    output_box_id: str | None
    """The output box that it continues."""
    display_name: str | None
    """Its display name."""

RecipeCall: _t.TypeAlias = RecipeCallItem | RecipeCall2 | RecipeCall3 | RecipeCall4

class RecipeCall2(_t.TypedDict):
    op: _t.Literal["launch_principal"]
    arguments: _t.Any
    """The task, as a model wrote it."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RecipeCall3(_t.TypedDict):
    op: _t.Literal["ask_expert"]
    arguments: _t.Any
    """The question, as a model wrote it."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RecipeCall4(_t.TypedDict):
    op: _t.Literal["fork_join"]
    arguments: _t.Any
    """The tasks, as a model wrote them."""
    max_tasks: _t.NotRequired[int | None]
    """The number of tasks that the batch can have. 8 by default, also for a number below 1."""
    default_deadline_seconds: _t.NotRequired[float | None]
    """The deadline of a batch whose arguments have none. A number below or equal to 0 counts as missing."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RecipeCallItem(_t.TypedDict):
    op: _t.Literal["delegate_async"]
    arguments: _t.Any
    """The task, as a model wrote it."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class ReclaimAgent(_t.TypedDict):
    """Rebuilds a lost head from the latest recorded state of its turn, which continues."""
    agent_id: str
    """The agent."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ReconcileTask(_t.TypedDict):
    """Checks a task whose end was not reported."""
    batch_task_id: str
    """The task."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class RecordedTurn(_t.TypedDict):
    """A recorded view of a turn. It returns the same bytes, even after boxes and pointers change."""
    recorded: str
    """The `view_id` of a view with `record: true`."""

class RecoverTurn(_t.TypedDict):
    """Releases a turn whose worker did not renew its lease. After `max_attempts` the turn fails."""
    agent_id: str
    """The agent."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class Refused(_t.TypedDict):
    """The answer of a primitive that writes nothing."""
    status: _t.Literal["busy", "rejected", "error"]
    error_code: RunRefusal

class RegisterAgent(_t.TypedDict):
    """Adds an agent to the roster. Either `profile_box_id` or `profile_name` is required."""
    agent_id: str
    """The id."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of a registered profile."""
    profile_name: _t.NotRequired[str | None]
    """The name of a registered profile. It excludes `profile_box_id`."""
    display_name: _t.NotRequired[str | None]
    """The display name."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs it."""
    owner_agent_id: _t.NotRequired[str | None]
    """The agent that owns it."""
    status: _t.NotRequired[str | None]
    """The status in the roster. `active` for a new agent."""
    metadata: _t.NotRequired[_t.Any | None]
    """Data of the host."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RegisterProfile(_t.TypedDict):
    """Adds a profile to the registry."""
    name: str
    """The name. Calls find it in any case."""
    profile_box_id: str
    """The box with the cards of the profile. It must exist."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags that delegation policies can require."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs its agents."""
    delegation_policy: _t.NotRequired[_t.Any | None]
    """The profiles that its agents can delegate to. A policy in the `sys.profile` card applies only if this is `null`."""
    system_prompt_compiled: _t.NotRequired[str | None]
    """The compiled system prompt."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RegisterTool(_t.TypedDict):
    """Adds a tool to the registry."""
    tool_name: str
    """The name."""
    description: _t.NotRequired[str | None]
    """The description for the model."""
    parameters: _t.NotRequired[_t.Any | None]
    """The JSON Schema of the parameters."""
    target_subject: _t.NotRequired[str | None]
    """The subject of the worker that runs it."""
    after_execution: _t.NotRequired[str | None]
    """What happens to the turn after a call: `suspend` or `terminate`."""
    options: _t.NotRequired[_t.Any | None]
    """Options of the host."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RegistryChange(_t.TypedDict):
    """An entry of the registry after a change."""
    key: str
    """The name or id."""
    row: _t.Dict[str, _t.Any] | None
    """The entry; missing after a removal."""

class RemoveAgent(_t.TypedDict):
    """Removes an agent from the roster. Its boxes, cards and turns stay."""
    agent_id: str
    """The id."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RemoveProfile(_t.TypedDict):
    """Removes a profile from the registry. Its box stays."""
    name: str
    """The name, in any case."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RemoveTool(_t.TypedDict):
    """Removes a tool from the registry."""
    tool_name: str
    """The name."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class RenamedTool(_t.TypedDict):
    """A tool whose calls differ from its definition: a host restores them."""
    given: str
    """The name in the prompt."""
    sent: str
    """The name in the payload, and in the model's answers."""
    wrapped: _t.NotRequired[bool]
    """The arguments are wrapped in an object, under `value`."""
    properties: _t.NotRequired[_t.List[RenamedToolProperties]]
    """Renamed properties."""

class RenamedToolProperties(_t.TypedDict):
    given: str
    """The name in the prompt."""
    sent: str
    """The name in the payload, and in the model's answers."""

Render: _t.TypeAlias = RenderItem | Render2 | Render3

class Render2(_t.TypedDict):
    card_ids: _t.Sequence[str]
    """The ids of stored cards, in order."""
    cards: _t.NotRequired[None]
    """Not allowed with stored cards."""

class Render3(_t.TypedDict):
    cards: _t.Sequence[_t.Mapping[str, _t.Any]]
    """Cards that come with the call."""
    card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """The ids in the order to render. The order of `cards` by default."""

class RenderItem(_t.TypedDict):
    box_id: str
    """The box whose cards are rendered."""

class Rendered(_t.TypedDict):
    """A list of rendered cards."""
    messages: _t.List[Message]
    """The messages, in order."""
    tools: _t.NotRequired[_t.List[_t.Dict[str, _t.Any]]]
    """The tool definitions of all cards, in order."""
    source_card_ids: _t.List[str]
    """Every requested card, in order, including missing ones."""
    entries: _t.List[RenderedCard]
    """The result for each of them, in the same order."""

RenderedCard: _t.TypeAlias = RenderedCard1 | RenderedCard2 | RenderedCard3

class RenderedCard1(_t.TypedDict):
    card_id: str
    became: _t.Literal["message"]
    position: int

class RenderedCard2(_t.TypedDict):
    card_id: str
    became: _t.Literal["tools"]
    first: int
    count: int

class RenderedCard3(_t.TypedDict):
    card_id: str
    became: _t.Literal["nothing"]
    reason: _t.Literal["call_record", "absent", "deleted", "expired", "unreadable"]

class ReplaceBox(_t.TypedDict):
    """Replaces the cards of a box. The boxes of a running turn cannot be replaced. `move_pointers` points the turn to another box instead."""
    box_id: str
    """The box to change."""
    card_ids: _t.Sequence[str]
    """The ids of its new cards, in order."""
    even_during_turn: _t.NotRequired[bool | None]
    """Changes the box even if a running turn reads it or appends to it. Otherwise that is a `conflict` that names the turn; the output box of a running turn can grow."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class ReplaceWaiting(_t.TypedDict):
    """Records the tool calls that a turn waits for."""
    wait_items: _t.Sequence[WaitItem]
    """The calls. They replace those that the turn waited for."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ReplaceWaitingResult(_t.TypedDict):
    waiting: int
    """The number of calls."""

class Report(_t.TypedDict):
    """Reports a result to the agent that asked for it. `correlation_id` is that of the request."""
    target_agent_id: str
    """The agent that receives the message."""
    message_type: str
    """`turn`, `ui_action`, `tool_result`, `timeout`, `stop`, or a type of the host."""
    payload: _t.Mapping[str, _t.Any]
    """The content of the message."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the message."""
    target_agent_turn_id: _t.NotRequired[str | None]
    """The turn of the receiver that the message is for."""
    correlation_id: _t.NotRequired[str | None]
    """The id under which the message is sent once."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the call. `CG-Recursion-Depth` of the headers by default."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the message."""
    trace_id: _t.NotRequired[str | None]
    """The trace. That of the headers, or a new one by default."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that sends the message."""
    source_agent_turn_id: _t.NotRequired[str | None]
    """The turn that sends the message."""
    source_step_id: _t.NotRequired[str | None]
    """The step that sends the message."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the work of the message belongs to."""
    wakeup: _t.NotRequired[bool | None]
    """False to send no wakeup."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class RequestCache(_t.TypedDict):
    """The explanation of one request."""
    cause: CacheCause
    """The cause: the first one in the order of the provider."""
    also: _t.List[AlsoCause]
    """Further causes, in the order of the provider."""
    region: CacheRegion
    """The region of the cause."""
    at: CachePlace
    """The position of the cause."""
    sure: bool
    """True if a documented rule or the usage decides it."""
    reason: _t.NotRequired[str]
    """Why the cause is unknown or not sure."""
    compared_with: _t.NotRequired[int]
    """The request that it is compared with."""
    expected: RequestCacheExpected
    """The tokens that the rules predict."""
    recorded: _t.NotRequired[RequestCacheRecorded]
    """The tokens that the usage reports."""
    lost_tokens: int
    """Tokens that were in the cache and are not read."""
    ttl: CacheTtl
    """The lifetime of the entry."""
    price: CachePrice
    """The price."""
    fix: _t.NotRequired[str]
    """How to keep the prefix. Missing if no fix is needed."""
    rule: str
    """The id of the fact that decides it."""

class RequestCacheExpected(_t.TypedDict):
    read: int
    """Tokens read from the cache."""
    write: int
    """Tokens written to the cache."""
    write_1h: _t.NotRequired[int]
    """Those of `write` that live 1 hour. Missing if no mark asks for it."""
    fresh: int
    """Other tokens of the input."""
    exact: bool
    """True if all are based on the usage of requests, not on an estimate."""

class RequestCacheRecorded(_t.TypedDict):
    read: int
    """Tokens read from the cache."""
    write: int
    """Tokens written to the cache."""
    write_1h: _t.NotRequired[int]
    """Those of `write` that live 1 hour. Missing if the usage has no such number."""
    fresh: int
    """Other tokens of the input."""

class RequestTerms(_t.TypedDict):
    """The options of a request, and how to count it."""
    provider: _t.NotRequired[Provider | None]
    """The provider."""
    counter: _t.NotRequired[CounterFigures | None]
    """The counts of the host's own tokenizer, or how it counts."""
    model: _t.NotRequired[str | None]
    """The model. `payload` needs one for most providers; counting and comparing do not."""
    max_output_tokens: _t.NotRequired[int | None]
    """The maximum length of the answer, in tokens."""
    strict: _t.NotRequired[bool | None]
    """Fails instead of changing what the model sees."""
    allow: _t.NotRequired[_t.Sequence[ChangeCode] | None]
    """The changes that `strict` allows."""
    keep_reasoning: _t.NotRequired[bool | None]
    """Sends `reasoning_content` back, to servers of chat completions that know the key."""
    prefill: _t.NotRequired[bool | None]
    """Treats the last message of the assistant as the start of the answer, for models that continue it."""
    tool_choice: _t.NotRequired[ToolChoice | None]
    """Whether the model calls a tool, and which one."""
    parallel_tool_calls: _t.NotRequired[bool | None]
    """Whether the model can make several calls at once."""
    temperature: _t.NotRequired[float | None]
    """The temperature."""
    top_p: _t.NotRequired[float | None]
    """The limit of nucleus sampling."""
    stop: _t.NotRequired[_t.Sequence[str] | None]
    """The strings at which the answer stops."""
    response_schema: _t.NotRequired[ResponseSchema | None]
    """The schema of the answer."""
    effort: _t.NotRequired[Effort | None]
    """How much the model thinks."""
    thinking_tokens: _t.NotRequired[int | None]
    """The maximum number of thinking tokens, for models that count them."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Names and values that the provider stores with the request."""
    cache_after: _t.NotRequired[_t.Sequence[str] | None]
    """The layers after whose last message the provider's cache can end."""
    cache: _t.NotRequired[CachePlan | None]
    """How the provider's cache is marked."""
    previous_response_id: _t.NotRequired[str | None]
    """The response that this request continues, at OpenAI."""
    quirks: _t.NotRequired[_t.Sequence[Quirk] | None]
    """The differences of a server that offers chat completions."""
    model_info: _t.NotRequired[ModelInfo | None]
    """Facts about the model that replace those of the table of models."""
    extra: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Further keys of the body."""
    form: _t.NotRequired[_t.Literal["http", "client"] | None]
    """The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library."""

class RequestView(_t.TypedDict):
    """A request and its cost."""
    turn: Reader
    """The turn that makes the request, as arguments of `turn_view`."""
    provider: Provider
    """The provider."""
    tokens: int
    """The tokens of the request."""
    cost: float | None
    """The price of the tokens in dollars, without a cache. `null` if no price is known."""
    exact: bool
    """True if `tokens` is the model's own count, not an estimate."""
    sections: _t.List[Section]
    """The tokens by section."""
    reserve: int
    """The tokens that are reserved for the answer."""
    window: _t.NotRequired[RequestViewWindow]
    """The use of the window. Missing if neither the call nor the model has a size."""
    parts: _t.List[Part]
    """The tokens by source and kind, in the order in which the model reads them."""
    cards: _t.List[CardCost]
    """The result for every card of the box, in order."""
    never_sent: int
    """The number of cards that the model does not get."""
    losses: _t.List[Loss]
    """The changes of the conversion to the provider."""
    problems: _t.List[Problem]
    """All problems of the request, the highest severity first."""

class RequestViewWindow(_t.TypedDict):
    size: int
    """The size in tokens."""
    free: int
    """The tokens that are left after the reserve for the answer."""
    over: int
    """The tokens over the size."""
    level: WindowLevel
    """The fill level."""

class RequeueInbox(_t.TypedDict):
    """Releases a message that a worker claimed and did not finish."""
    inbox_id: str
    """The message."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class ResolveCurrentOutputBoxIdResult(_t.TypedDict):
    output_box_id: str
    """The box."""

class ResolveOutputBox(_t.TypedDict):
    """Returns the box that an agent writes to."""
    agent_id: str
    """The agent."""

class Response(_t.TypedDict):
    """A model's answer."""
    provider: Provider
    """The provider."""
    id: _t.NotRequired[str]
    """The provider's id of the answer."""
    model: _t.NotRequired[str]
    """The model that answered."""
    message: Message
    """The answer as a message."""
    card: _t.Any
    """The answer as a card for `put_cards`."""
    stop: _t.Literal["end", "tool_calls", "length", "refusal", "pause", "other"]
    """The reason why the model stopped."""
    stop_reason: _t.NotRequired[str]
    """The provider's word for the reason."""
    complete: bool
    """False if the stream ended early."""
    usage: Usage
    """The tokens."""
    cache_diagnostics: _t.NotRequired[_t.Any]
    """The provider's report about its cache, verbatim: `diagnostics` of `explain_cache`."""
    losses: _t.List[Loss]
    """The parts of the answer that were changed or dropped."""

class ResponseSchema(_t.TypedDict):
    """The schema of an answer."""
    name: _t.NotRequired[str | None]
    """A name for the schema, for providers that need one."""
    schema: _t.Mapping[str, _t.Any]
    """The JSON Schema."""
    strict: _t.NotRequired[bool | None]
    """Whether the answer follows the schema exactly. The provider decides by default."""

class RestoreCall(_t.TypedDict):
    """Restores the original name and arguments in a tool call of a model."""
    provider: Provider
    """The provider of the request."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools of the prompt."""
    name: str
    """The name of the tool in the call."""
    arguments: _t.Any
    """The arguments of the call: JSON, or JSON as a string."""

class RestoreCallResult(_t.TypedDict):
    name: str
    """The name in the prompt."""
    arguments: _t.Any
    """The arguments by the schema of the prompt: a string if the call has a string."""

class Resume(_t.TypedDict):
    """Applies a tool result to the turn that waits for it."""
    payload: ResumePayload
    """The report of the result."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

ResumePayload: _t.TypeAlias = _t.Mapping[str, _t.Any]

class ResumeResult(_t.TypedDict):
    queued: _t.List[QueuedWork]
    """The work, in order."""

class RetryMessages(_t.TypedDict):
    """Releases messages from quarantine: they wait to be sent again."""
    message_ids: _t.Sequence[str]
    """The messages."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class RetryMessagesResult(_t.TypedDict):
    changed: int
    """The number of messages."""

class RingAgain(_t.TypedDict):
    """Sends the wakeup of a dispatched turn again."""
    agent_id: str
    """The agent."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class Row(_t.TypedDict):
    """The card at a position of a box."""
    position: int
    """The position, from 0."""
    card_id: str
    """The id of the card."""
    presence: _t.Literal["new", "live", "deleted", "expired", "absent", "unreadable"]
    """Whether the card can be read."""
    kind: CardKind
    """The kind of the card."""
    role: _t.Any
    """The role as the card has it."""
    type: str | None
    """Its semantic type."""
    content_type: str | None
    """The type of its content, as in `__type__`."""
    author_id: str | None
    """The author."""
    excerpt: str
    """The start of the content, on one line."""
    fault: _t.NotRequired[str]
    """The error of a card that cannot be read."""
    cause: _t.NotRequired[Cause]
    """The cause of the card. Missing for a stored box."""
    swallowed: _t.NotRequired[_t.List[Cause]]
    """The later duplicates that were dropped in favor of it."""

class RunAnswerCancelResult(_t.TypedDict):
    status: _t.Literal["accepted"]
    """`accepted`."""
    payload: RunAnswerCancelResultPayload
    """What the call made."""

class RunAnswerCancelResultPayload(_t.TypedDict):
    canceled: bool
    """False if the turn is not queued."""
    agent_turn_id: str
    """The turn."""

class RunAnswerNoted(_t.TypedDict):
    status: _t.Literal["accepted"]
    """`accepted`."""
    payload: Noted
    """What the call made."""

class RunAnswerSent(_t.TypedDict):
    status: _t.Literal["accepted"]
    """`accepted`."""
    payload: Sent
    """What the call made."""

class RunRecipe(_t.TypedDict):
    """Runs a recipe: a definition, or the name of one that the project was opened with."""
    recipe: _t.Any
    """The definition, or the name."""
    arguments: _t.Mapping[str, _t.Any]
    """The arguments of the recipe."""
    source_agent_id: str
    """The agent that delegates."""
    tool_name: _t.NotRequired[str | None]
    """The name under which a model called the tool. It must be the name of the operation."""
    tool_suffix: _t.NotRequired[str | None]
    """The tool that was called: the author of the new cards in `v1r3`. The operation by default."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    recursion_depth: _t.NotRequired[int | str | None]
    """The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow."""
    check_liveness: _t.NotRequired[bool | None]
    """Reads every inherited card and reports those that are missing, deleted or expired."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

RunRefusal: _t.TypeAlias = _t.Literal["protocol_violation", "recursion_depth_exceeded", "agent_busy", "unknown_agent", "invalid_box_id", "missing_required_fields", "conflict"]

class RunSettings(_t.TypedDict):
    """The times and counts of orchestration. Times are in seconds."""
    max_recursion_depth: _t.NotRequired[int | None]
    """Turns at this depth are rejected."""
    max_steps: _t.NotRequired[int | None]
    """The maximum number of steps of a turn."""
    suspend_timeout_seconds: _t.NotRequired[int | None]
    """How long a turn waits for its tools."""
    fetch_limit: _t.NotRequired[int | None]
    """The number of messages of one claim."""
    queue_search: _t.NotRequired[int | None]
    """The number of messages of a queue that are searched for a turn that can run."""
    processing_timeout_seconds: _t.NotRequired[int | None]
    """A message that is processed for longer returns to its inbox; 0 means never."""
    dispatched_retry_seconds: _t.NotRequired[int | None]
    """The worker of a dispatched turn gets another wakeup after this time."""
    dispatched_timeout_seconds: _t.NotRequired[int | None]
    """A dispatched turn that no worker starts ends after this time; 0 means never."""
    active_timeout_seconds: _t.NotRequired[int | None]
    """A running turn without progress ends after this time."""
    lease_seconds: _t.NotRequired[int | None]
    """A worker renews the lease of its turn. Without a renewal within this time, another worker runs the turn again from its last recorded step; 0 means never."""
    max_attempts: _t.NotRequired[int | None]
    """The number of workers that a turn can lose before it fails."""
    pending_wakeup_seconds: _t.NotRequired[int | None]
    """A message that no worker claims causes a wakeup after this time."""
    pending_skip_seconds: _t.NotRequired[int | None]
    """A message without a channel is skipped after this time."""
    resume_lease_seconds: _t.NotRequired[int | None]
    """How long a result is leased."""
    dispatch_attempts: _t.NotRequired[int | None]
    """The maximum number of times that a task is dispatched."""
    dispatch_retry_seconds: _t.NotRequired[int | None]
    """The first delay between two dispatches of a task."""
    dispatch_retry_max_seconds: _t.NotRequired[int | None]
    """The longest delay between two dispatches of a task."""
    reconcile_after_seconds: _t.NotRequired[int | None]
    """A task without an epoch is checked after this time."""
    revert_after_seconds: _t.NotRequired[int | None]
    """A task without an epoch gets a warning after this time."""
    view_retention_seconds: _t.NotRequired[int | None]
    """A recorded view is deleted after this time, when its agent starts a step; 0 means never."""
    watchdog_limit: _t.NotRequired[int | None]
    """The number of rows of a kind that a watchdog reads."""

RunState: _t.TypeAlias = RunStateItem | RunState2 | RunState3

class RunState2(_t.TypedDict):
    agents: _t.List[HeadRow]
    queued: _t.List[InboxRow]
    waiting: _t.List[WaitingRow]
    steps: _t.List[StepRow]

class RunState3(_t.TypedDict):
    batches: _t.List[BatchRow]
    tasks: _t.List[TaskRow]
    edges: _t.List[EdgeRow]

class RunStateItem(_t.TypedDict):
    agents: _t.List[HeadRow]
    queued: _t.List[InboxRow]
    batches: _t.List[BatchRow]
    unreadable: _t.NotRequired[_t.List[RunStateItemUnreadable]]
    """Rows that cannot be read, and so are not shown."""

class RunStateItemUnreadable(_t.TypedDict):
    table: str
    """The table."""
    key: _t.List[str]
    """The key."""
    error: str
    """Why it cannot be read."""

class RunStateUnreadable(_t.TypedDict):
    table: str
    """The table."""
    key: _t.List[str]
    """The key."""
    error: str
    """Why it cannot be read."""

class RunTerms(_t.TypedDict):
    """The arguments that every operation of orchestration has."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class SampleRecord(_t.TypedDict):
    """The records of one sample."""
    sample_id: str
    """The id of the sample. It becomes part of file names."""
    sample: _t.Any
    """The sample itself."""
    trace: _t.Any
    """The trace: an object with `conversation_history`, or the list of turns."""
    evaluation: _t.Any
    """The evaluation, with `passed`, `checkers_failed` or `checker_results`."""
    attribution: _t.NotRequired[_t.Any | None]
    """The attribution of a failure. It can have `failure_type`, `problem_id`, `problem_type`, `severity` and `priority`."""

class SearchCards(_t.TypedDict):
    """Finds the cards of boxes by text, ignoring case. Boxes that do not exist are skipped."""
    text: str
    """The text to find. The empty text matches every card."""
    box_ids: _t.Sequence[str]
    """The ids of the boxes to search."""
    limit: _t.NotRequired[int | None]
    """The maximum number of hits. Values over 1,000 count as 1,000."""

class Seat(_t.TypedDict):
    """A card of a turn and its position."""
    card_id: str
    """The card."""
    side: Side
    """The box."""
    position: int
    """The index in that box, from 0."""

class Section(_t.TypedDict):
    """The tokens of a section."""
    section: _t.Literal["system_prompt", "tools", "media", "messages", "framing"]
    """The section."""
    tokens: int
    """The number of tokens."""
    exact: bool
    """True if the count is exact."""

class SendMessage(_t.TypedDict):
    """A message to an agent."""
    target_agent_id: str
    """The agent that receives the message."""
    message_type: str
    """`turn`, `ui_action`, `tool_result`, `timeout`, `stop`, or a type of the host."""
    payload: _t.Mapping[str, _t.Any]
    """The content of the message."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the message."""
    target_agent_turn_id: _t.NotRequired[str | None]
    """The turn of the receiver that the message is for."""
    correlation_id: _t.NotRequired[str | None]
    """The id under which the message is sent once."""
    recursion_depth: _t.NotRequired[int | None]
    """The depth of the call. `CG-Recursion-Depth` of the headers by default."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the message."""
    trace_id: _t.NotRequired[str | None]
    """The trace. That of the headers, or a new one by default."""
    source_agent_id: _t.NotRequired[str | None]
    """The agent that sends the message."""
    source_agent_turn_id: _t.NotRequired[str | None]
    """The turn that sends the message."""
    source_step_id: _t.NotRequired[str | None]
    """The step that sends the message."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the work of the message belongs to."""
    wakeup: _t.NotRequired[bool | None]
    """False to send no wakeup."""

class Sent(_t.TypedDict):
    """A message in an inbox."""
    inbox_id: str
    """The id of the message."""
    correlation_id: str
    """The id under which the message is sent once."""
    trace_id: str
    """The trace of the message."""
    agent_turn_id: _t.NotRequired[str]
    """The turn, for a `turn` or a `ui_action`."""
    turn_epoch: _t.NotRequired[int]
    """The epoch of the turn; absent while it waits for another turn."""

SessionQuestion = _t.TypedDict("SessionQuestion", {"files": _t.Sequence[ImportFile], "session": _t.NotRequired[str | None], "from": _t.NotRequired[int | None], "max_tokens": _t.NotRequired[int | None]})

class SetInboxStatus(_t.TypedDict):
    """Changes the status of a message, if it has the expected one."""
    inbox_id: str
    """The message."""
    status: _t.NotRequired[InboxStatus | None]
    """The new status."""
    expected_status: _t.NotRequired[InboxStatus | None]
    """The status that the message must have. Any status by default."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

Side: _t.TypeAlias = _t.Literal["context", "output"]

class StartedTool(_t.TypedDict):
    """A call of a tool that starts."""
    tool_call_id: str
    """The id of the call."""
    tool_name: str
    """The name of the tool."""

StateInput: _t.TypeAlias = _t.Any

class StateUpdate(_t.TypedDict):
    """Changes the status of an agent's head."""
    new_status: _t.NotRequired[AgentStatus | None]
    """The new status. The present one by default."""
    active_agent_turn_id: _t.NotRequired[str | None]
    """The turn."""
    active_channel_id: _t.NotRequired[str | None]
    """The channel of the turn."""
    active_recursion_depth: _t.NotRequired[int | None]
    """The depth of the turn below the first one."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    expecting_correlation_id: _t.NotRequired[str | None]
    """The correlation that the turn expects."""
    waiting_tool_count: _t.NotRequired[int | None]
    """The number of calls that the turn waits for."""
    resume_deadline: _t.NotRequired[str | None]
    """When the turn stops waiting."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    agent_id: str
    """The agent."""
    expect_agent_turn_id: _t.NotRequired[str | None]
    """The turn that the head must have."""
    expect_turn_epoch: _t.NotRequired[int | None]
    """The epoch that the head must have."""
    expect_status: _t.NotRequired[AgentStatus | None]
    """The status that the head must have."""
    bump_epoch: _t.NotRequired[bool | None]
    """True to raise the epoch, so that a worker of the turn can no longer write."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class StateUpdateResult(_t.TypedDict):
    updated: bool
    """False if the row is missing, or is not as expected."""

class StepChange(_t.TypedDict):
    """A change since the step before."""
    change: str
    """The change: `added`, `removed`, `kept` (by a compaction), `changed`."""
    subject: str
    """The subject: `message`, `system`, `tool`, `parameter`, `model`."""
    name: str | None
    """The name of the tool or the parameter."""
    message: MessageRow | None
    """The message."""
    before: str | None
    """The value before."""
    after: str | None
    """The value after."""

class StepDetail(_t.TypedDict):
    """Everything about one step."""
    step: int
    """The number of the step."""
    before: int | None
    """The step that it is compared with."""
    changes: _t.List[StepChange]
    """What changed since the step before."""
    messages: _t.List[MessageRow]
    """The messages of the request. Empty for a brief question."""
    message_count: int
    """The number of messages."""
    answer: MessageRow | None
    """The answer."""
    groups: _t.List[TokenGroup]
    """Tokens by kind, tool and file, the largest first."""
    files: _t.List[StepDetailFiles]
    """Files, the largest first."""
    tools: StepDetailTools
    """The tools."""
    parameters: _t.List[StepDetailParameters]
    """Parameters of the request, if the log has them."""
    output_limit: int | None
    """The maximum number of tokens of the answer. `null` if the log does not have it."""
    cache: RequestCache | None
    """The explanation of the cache."""
    cache_step: int | None
    """The step that the cache explanation compares with."""
    compaction: StepDetailCompaction | None
    """The account of the compaction before this step."""
    unknown: _t.List[StepDetailUnknown]
    """What the log does not have, and why."""
    residual: int | None
    """Recorded tokens that the log does not explain."""
    origin: TimelineOrigin
    """The place of the request in the log."""
    body: _t.Any
    """The body as it was sent. `null` if the log does not have it."""

class StepDetailCompaction(_t.TypedDict):
    summaries: _t.List[MessageRow]
    """The summaries."""
    replaced: _t.List[MessageRow]
    """Messages that left, in order."""
    account: AccountedCompaction
    """The account of each message of the step before."""

class StepDetailFiles(_t.TypedDict):
    file: str
    """The path."""
    times: int
    """The number of results that have it."""
    tokens: int
    """Tokens, estimated."""

class StepDetailParameters(_t.TypedDict):
    name: str
    """The name."""
    value: str
    """The value as JSON text."""

class StepDetailTools(_t.TypedDict):
    known: bool
    """False if the log does not list the tools; they are then those that are called."""
    list: _t.List[StepDetailToolsList]
    """The tools, the largest first."""
    unused: int
    """The number of tools that the session never calls."""
    unused_tokens: int
    """Tokens of their definitions, in this request."""
    unused_tokens_in_all: int
    """Tokens of their definitions, in all requests of the session."""

class StepDetailToolsList(_t.TypedDict):
    name: str
    """The name."""
    description: str | None
    """The description."""
    tokens: int | None
    """Tokens of the definition, estimated. `null` if the log has only its name."""
    calls: int
    """The number of calls in the session."""
    failed: int
    """The number of failed calls."""
    result_tokens: int
    """Tokens of its results in this request, estimated."""

class StepDetailUnknown(_t.TypedDict):
    what: str
    """The missing part."""
    why: str
    """The reason, as a sentence."""

class StepRow(_t.TypedDict):
    """A step of a turn."""
    agent_id: str
    step_id: str
    agent_turn_id: str
    channel_id: _t.NotRequired[str]
    parent_step_id: _t.NotRequired[str]
    trace_id: _t.NotRequired[str]
    status: _t.Literal["started", "tool_dispatched", "suspended", "completed", "failed"]
    profile_box_id: _t.NotRequired[str]
    context_box_id: _t.NotRequired[str]
    output_box_id: _t.NotRequired[str]
    error: _t.NotRequired[str]
    metadata: _t.Dict[str, _t.Any]
    started_at: str
    ended_at: _t.NotRequired[str]
    outcome: _t.NotRequired[str]

class Stop(_t.TypedDict):
    """Stops a turn."""
    payload: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """The content of the command. Its `reason` becomes the error of the turn."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class StopResult(_t.TypedDict):
    ended: bool
    """False if the turn has another epoch, or ended before."""

class StoreHandoff(_t.TypedDict):
    """Stores a handoff package and its files in one batch. Every file that the package refers to must be in the call or in the store."""
    package: HandoffPackage
    """The package."""
    files: _t.Sequence[ArtifactFile]
    """The files to store."""
    package_path: _t.NotRequired[str | None]
    """The path at which to store the package itself. It is not stored by default."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class StoreHandoffResult(_t.TypedDict):
    stored: _t.List[str]
    """The files of the batch, in order."""
    already_stored: _t.List[str]
    """The files that the package refers to and the store already has."""
    findings: _t.List[Finding]
    """The findings."""

Strategy: _t.TypeAlias = _t.Literal["new", "reuse", "clone"]

class TakeUpResults(_t.TypedDict):
    """Claims results that wait for a suspended turn."""
    agent_id: str
    """The agent."""
    owner: _t.NotRequired[str | None]
    """The name of the claimant."""
    include_received: _t.NotRequired[bool | None]
    """True to look also for the cards of calls whose result arrived and was not applied, as a worker does when it starts."""
    include_unstarted: _t.NotRequired[bool | None]
    """True to claim also calls that no worker started within `lease_seconds`."""
    unchanged_ms: _t.NotRequired[int | None]
    """For how many milliseconds the caller has seen the head of the agent unchanged, if hosts do not share a clock. A call is not claimed as unstarted before `lease_seconds` of this time."""
    worker_targets: _t.NotRequired[_t.Sequence[str] | None]
    """The kinds of workers (`worker_target`) that the work is for. All by default."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TakeUpResultsResult(_t.TypedDict):
    queued: _t.List[QueuedWork]
    """The work, in order."""
    turn: _t.NotRequired[TakeUpResultsResultTurn]
    """The turn of the work; absent without work."""

class TakeUpResultsResultTurn(_t.TypedDict):
    channel_id: _t.NotRequired[str]
    """The channel of the turn."""
    profile_box_id: _t.NotRequired[str]
    """The box of its profile."""
    context_box_id: _t.NotRequired[str]
    """The box of its context."""
    headers: _t.Dict[str, str]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str]
    """The step that the turn belongs to."""

class Task(_t.TypedDict):
    """One task."""
    target_strategy: Strategy
    """How the receiver is found."""
    target_ref: str
    """The profile or the agent."""
    instruction: str
    """The instruction for the receiver."""
    context_box_id: _t.NotRequired[str]
    """The box whose cards the receiver sees."""

class TaskResult(_t.TypedDict):
    """The result of a task."""
    task_index: int
    status: str
    summary: _t.NotRequired[str]
    output_box_id: _t.NotRequired[str]
    error: _t.NotRequired[str]

class TaskRow(_t.TypedDict):
    """One task of a batch."""
    batch_task_id: str
    batch_id: str
    agent_id: str
    status: TaskStatus
    retryable: _t.NotRequired[bool]
    next_retry_at: str
    attempt_count: int
    current_agent_turn_id: _t.NotRequired[str]
    current_turn_epoch: _t.NotRequired[int]
    payload_hash: _t.NotRequired[str]
    profile_box_id: _t.NotRequired[str]
    context_box_id: _t.NotRequired[str]
    output_box_id: _t.NotRequired[str]
    error_box_id: _t.NotRequired[str]
    error_detail: _t.NotRequired[str]
    metadata: _t.Dict[str, _t.Any]
    created_at: str
    updated_at: str
    seq: int

class TaskSpec(_t.TypedDict):
    """A task of a new batch."""
    agent_id: _t.NotRequired[str | None]
    """The agent of the task."""
    provision: _t.NotRequired[bool | None]
    """True to make an agent for the task."""
    profile_box_id: str
    """The box of the profile."""
    context_box_id: str
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output. A new box by default."""
    task_args: _t.NotRequired[_t.Any | None]
    """The arguments of the task: an object, or one value. Its `task_index` orders the results."""
    runtime_config: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """Values for the worker that runs the task."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about an agent that the task makes."""

TaskStatus: _t.TypeAlias = _t.Literal["pending", "dispatched", "success", "failed", "canceled", "timeout", "partial"]

class TextForm(_t.TypedDict):
    """Returns the text of a value on a text card, and its JSON as a model reads it."""
    value: _t.Any
    """The value."""

class TextFormResult(_t.TypedDict):
    text: str
    """The text on a text card."""
    json: str
    """The JSON as a model reads it."""

class TimeOutTools(_t.TypedDict):
    """Reports a timeout for every tool call that is past its deadline."""
    agent_id: str
    """The agent."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TimelineHits(_t.TypedDict):
    """The matches of a search."""
    hits: _t.List[TimelineHitsHits]
    """The matches, in order."""
    count: int
    """The number of parts that match."""

class TimelineHitsHits(_t.TypedDict):
    message: str
    """The message."""
    step: int
    """The first step that sends it, or that it answers."""
    kind: PartKind
    """The kind of the part."""
    tool: str | None
    """The tool of a call or a result."""
    target: str | None
    """The file, the command or the pattern of a call."""
    before: str
    """The text before the match."""
    found: str
    """The match."""
    after: str
    """The text after the match."""

class TimelineOrigin(_t.TypedDict):
    """A place in a log."""
    file: str
    """The file."""
    line: int | None
    """The line, from 1. `null` if the file is one value."""
    pointer: str
    """A JSON pointer; empty for the whole value."""

class TimelineOverview(_t.TypedDict):
    """The timeline of a session: one step for each request."""
    sessions: _t.List[TimelineOverviewSessions]
    """All sessions, the newest last."""
    session: int | None
    """The index of the session that is shown."""
    kinds: _t.List[PartKind]
    """The order of `tokens_by_kind`."""
    prompts: _t.List[TimelineOverviewPrompts]
    """The prompts of the user, in order."""
    agents: _t.List[TimelineOverviewAgents]
    """The agents. The first is the main one."""
    steps: _t.List[TimelineStep]
    """The requests, in order."""
    totals: TimelineOverviewTotals
    """The totals."""
    tools: _t.List[str]
    """The names of the called tools, the most called first."""

class TimelineOverviewAgents(_t.TypedDict):
    name: str | None
    """The name in the log."""
    depth: int
    """The number of agents around it."""
    task: str | None
    """The task of a sub-agent: the first words that it receives."""
    steps: int
    """The number of steps."""

class TimelineOverviewPrompts(_t.TypedDict):
    text: str
    """The first words."""
    step: int
    """The first step that answers it."""

class TimelineOverviewSessions(_t.TypedDict):
    id: str
    """The id in the log."""
    source: str
    """The name of the format."""
    title: str | None
    """The first words of the user."""
    parent: _t.NotRequired[str]
    """The session that it was forked from."""
    steps: int
    """The number of requests, those of sub-agents included."""
    at: str | None
    """The time of the last request."""

class TimelineOverviewTotals(_t.TypedDict):
    steps: int
    """Steps."""
    input: int
    """Input of all steps: recorded, or estimated where it is not."""
    recorded: bool
    """True if all of the input is recorded."""
    output: int
    """Recorded output of all steps."""
    cached: int
    """Input that was read from the cache."""
    share: float | None
    """The share of recorded input that was read from the cache."""
    cost: float | None
    """The cost in dollars. `null` if no step has one."""
    all_costs: bool
    """True if all steps have a cost."""
    lost_cost: float | None
    """What the session would have saved without cache breaks, in dollars."""
    lost_tokens: int
    """Tokens that cache breaks lost."""
    seconds: int | None
    """Seconds from the first request to the last."""
    breaks: int
    """Steps with a cache break."""
    compactions: int
    """Steps after a compaction."""
    failed: int
    """Steps with a failed tool."""
    most_expensive: int | None
    """The step with the highest cost; without costs the one with the most input."""

class TimelinePart(_t.TypedDict):
    """A part of a message."""
    kind: PartKind
    """The kind."""
    tool: str | None
    """The tool of a call or a result."""
    target: str | None
    """The file, the command or the pattern of a call."""
    tokens: int
    """Tokens, estimated."""
    text: str
    """The content as text: the first characters in a list, all of it in a message."""
    cut: bool
    """True if the text is longer."""
    failed: bool
    """True for a tool result with an error."""
    sealed: bool
    """True if the log has only the encrypted form."""

class TimelineQuestion(_t.TypedDict):
    """What to show of a timeline: by default all steps."""
    session: _t.NotRequired[int | None]
    """The index of the session in `sessions`. By default it is the newest."""
    step: _t.NotRequired[int | None]
    """Shows one step, by its number."""
    message: _t.NotRequired[str | None]
    """Shows one message, by its id."""
    find: _t.NotRequired[str | None]
    """Finds messages with this text, ignoring case."""
    brief: _t.NotRequired[bool | None]
    """Omits the messages of a step."""

class TimelineStep(_t.TypedDict):
    """One request."""
    step: int
    """The number, from 1."""
    request: int
    """The number of the request in the report of the import."""
    box_id: str
    """The box of the request in the project of the import."""
    kind: str
    """The purpose: `main`, `sub`, `compaction`, `side`."""
    agent: int
    """The index of the agent."""
    prompt: int | None
    """The index of the prompt that it belongs to."""
    at: str | None
    """The time of sending."""
    provider: str | None
    """The provider API, if the log shows it."""
    model: str | None
    """The model, if the log shows it."""
    window: int | None
    """The context window of the model. `null` if it is not known."""
    did: _t.List[TimelineStepDid]
    """What the model did."""
    failed: bool
    """True if the provider did not answer, or a tool failed that the model called."""
    error: str | None
    """Why the provider did not answer."""
    unanswered: bool
    """True if the log has no answer."""
    retries: int
    """The number of retries after a failure."""
    messages: int
    """The number of messages."""
    recorded: TimelineStepRecorded
    """Recorded tokens."""
    estimated: int
    """Tokens of what the log has, estimated."""
    tokens_by_kind: _t.List[int]
    """The same by kind, in the order of `kinds`."""
    added: int
    """Tokens of new messages since the step before, estimated."""
    removed: int
    """Tokens of messages that left since the step before, estimated."""
    cost: float | None
    """The cost in dollars, input and output. `null` without recorded tokens or prices."""
    cache: TimelineStepCache | None
    """What the cache read. `null` for requests outside of the conversation."""
    compacted: int | None
    """The number of messages that a compaction replaced before this step."""

class TimelineStepCache(_t.TypedDict):
    cause: CacheCause
    """The cause."""
    sure: bool
    """True if a documented rule or the usage decides it."""
    share: float | None
    """The share of the input that was read, from 0 to 1. `null` without recorded tokens."""
    lost_tokens: int
    """Tokens that were in the cache and were not read, as the usage or a documented rule shows."""
    lost_cost: float | None
    """Their price in dollars."""
    is_break: bool
    """True if the cache was lost."""

class TimelineStepDid(_t.TypedDict):
    tool: str | None
    """The tool. `null` for words."""
    target: str | None
    """The file name, the command or the pattern; the first words of an answer."""
    count: int
    """The number of such calls."""
    failed: bool
    """True if one of them failed."""

class TimelineStepRecorded(_t.TypedDict):
    input: int | None
    """The whole input."""
    output: int | None
    """The answer."""
    cached: int | None
    """Input that was read from the cache."""
    written: int | None
    """Input that was written to the cache."""

class TokenCount(_t.TypedDict):
    """A number of tokens, exact or estimated."""
    tokens: int
    """The number."""
    exact: bool
    """True if the number is exact."""

class TokenGroup(_t.TypedDict):
    """Tokens of parts with one kind, tool and file."""
    kind: PartKind
    """The kind."""
    tool: str | None
    """The tool."""
    file: str | None
    """The file."""
    tokens: int
    """Tokens, estimated."""
    parts: int
    """The number of parts."""

TokenTexts: _t.TypeAlias = MakePayload

class TokenTextsResult(_t.TypedDict):
    texts: _t.List[str]
    """The strings, each once, in order."""

ToolChoice: _t.TypeAlias = _t.Literal["auto", "none", "required", "any", "AUTO", "NONE", "ANY"] | _t.Mapping[str, _t.Any]

class ToolColumns(_t.TypedDict):
    """The optional columns of a tool."""
    description: _t.NotRequired[str | None]
    """The description for the model."""
    parameters: _t.NotRequired[_t.Any | None]
    """The JSON Schema of the parameters."""
    target_subject: _t.NotRequired[str | None]
    """The subject of the worker that runs it."""
    after_execution: _t.NotRequired[str | None]
    """What happens to the turn after a call: `suspend` or `terminate`."""
    options: _t.NotRequired[_t.Any | None]
    """Options of the host."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class ToolOutput(_t.TypedDict):
    """The result of a tool. Above 256 KiB of JSON it is stored as text on cards of the type `tool.file`, at most 32 MiB. The model then sees an excerpt of 4,000 characters and the ids of these cards."""
    result: _t.NotRequired[_t.Any | None]
    """The result; `null` by default."""
    result_text: _t.NotRequired[str | None]
    """The result as JSON text, instead of `result`. It can have any number of values."""

class ToolReport(_t.TypedDict):
    """A report of a tool's result: the call, the card of the result, and what follows."""
    tool_call_id: str
    tool_result_card_id: _t.NotRequired[str | None]
    status: _t.NotRequired[str | None]
    after_execution: _t.NotRequired[str | None]
    """`suspend` to continue the turn, `terminate` to end it."""
    step_id: _t.NotRequired[str | None]
    """The step that made the call."""

class Transition(_t.TypedDict):
    """The reason for a changed row."""
    rule: str
    """The rule that changed the row."""
    guard: str
    """The condition that allowed the change."""
    table: str
    """The table of the row."""
    key: _t.List[str]
    """The key of the row."""
    version: _t.NotRequired[str]
    """The version before the change. `None` for a new row."""

class Turn(_t.TypedDict):
    """The request of a turn, and the cards that it is made from."""
    view_id: _t.NotRequired[str]
    """The id of this view, if it is recorded: `turn_view` returns it again."""
    agent_id: str | None
    """The agent, if it is known."""
    profile: TurnProfile | None
    """The profile."""
    context_box_id: str | None
    """The box that the turn reads."""
    output_box_id: str | None
    """The box that the turn writes to."""
    request: TurnRequestItem
    """The request to the model."""
    source_card_ids: _t.List[str]
    """Every card of the request, in order: the recorded prompt and tools, then the cards of the boxes. Cards that were moved to the prompt are omitted."""
    entries: _t.List[TurnEntry]
    """The result for each of these cards, in the same order."""
    result_fields: _t.NotRequired[_t.List[TurnResultFields]]
    """The fields that the result must have, as the prompt lists them."""
    missing: _t.NotRequired[_t.List[TurnMissing]]
    """Cards of the boxes that cannot be read."""
    swallowed: _t.NotRequired[_t.List[Seat]]
    """Repetitions that the merge of the boxes removed."""
    tools_left_out: _t.NotRequired[_t.List[str]]
    """Tools of the host that the profile does not allow."""

class TurnBoxes(_t.TypedDict):
    """Merges the context box and the output box of a turn."""
    context_box_id: _t.NotRequired[str | None]
    """The box that the turn reads. An empty string means none."""
    output_box_id: _t.NotRequired[str | None]
    """The box that the turn writes to. An empty string means none."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect, which decides which box comes first. The dialect of the project by default."""

class TurnCards(_t.TypedDict):
    """The cards of a turn, in the order of the request."""
    card_ids: _t.List[str]
    """The cards."""
    seats: _t.List[Seat]
    """The position of each card."""
    swallowed: _t.List[Seat]
    """Removed repetitions."""

class TurnComplete(_t.TypedDict):
    """Completes a turn."""
    thought: _t.NotRequired[ModelThought | None]
    """The answer of the model."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    deliverable_card_id: _t.NotRequired[str | None]
    """The card that the turn delivers. By default that of the output box, or a new one."""
    new_card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """Further cards of the step, for its event."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TurnCompleteResult(_t.TypedDict):
    ended: bool
    """False if the turn has another epoch, or ended before."""

class TurnEnd(_t.TypedDict):
    """The end of the turn of a task."""
    agent_turn_id: str
    """The turn."""
    status: str
    """The status of the turn. An unknown status counts as `failed`."""
    output_box_id: _t.NotRequired[str | None]
    """The box with the output of the turn."""
    deliverable_card_id: _t.NotRequired[str | None]
    """The card that the turn delivered."""
    tool_result_card_id: _t.NotRequired[str | None]
    """The card of the tool result that ended the turn."""
    error: _t.NotRequired[str | None]
    """The error of the turn."""

TurnEntry: _t.TypeAlias = TurnEntry1 | TurnEntry2 | TurnEntry3

class TurnEntry1(_t.TypedDict):
    card_id: str
    seat: _t.NotRequired[Place]
    became: _t.Literal["message"]
    position: int

class TurnEntry2(_t.TypedDict):
    card_id: str
    seat: _t.NotRequired[Place]
    became: _t.Literal["tools"]
    first: int
    count: int

class TurnEntry3(_t.TypedDict):
    card_id: str
    seat: _t.NotRequired[Place]
    became: _t.Literal["nothing"]
    reason: _t.Literal["call_record", "absent", "deleted", "expired", "unreadable"]

class TurnFail(_t.TypedDict):
    """Fails a turn."""
    error: _t.NotRequired[str | None]
    """The error."""
    error_code: _t.NotRequired[str | None]
    """The stable code of the error."""
    thought: _t.NotRequired[ModelThought | None]
    """The answer of the model."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    deliverable_card_id: _t.NotRequired[str | None]
    """The card that the turn delivers. By default that of the output box, or a new one."""
    new_card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """Further cards of the step, for its event."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TurnFailResult(_t.TypedDict):
    ended: bool
    """False if the turn has another epoch, or ended before."""

class TurnFrame(_t.TypedDict):
    """The parts of a turn that the host adds."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools that the host offers. The profile selects among them."""
    system_append: _t.NotRequired[str | None]
    """The text to append to the system prompt."""
    downstream_desc: _t.NotRequired[str | None]
    """The description of the profiles that the agent can delegate to, for the prompt."""

class TurnGiveBack(_t.TypedDict):
    """Releases a turn for another worker, at the next epoch and the same step."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TurnGiveBackResult(_t.TypedDict):
    given_back: _t.Literal[True]
    turn_epoch: int

class TurnGiveBackResult2(_t.TypedDict):
    given_back: _t.Literal[False]

class TurnMissing(_t.TypedDict):
    reason: _t.Literal["call_record", "absent", "deleted", "expired", "unreadable"]
    """Why it is hidden."""
    why: _t.NotRequired[str]
    """The error of a card that exists and cannot be read."""
    card_id: str
    """The card."""
    side: Side
    """The box."""
    position: int
    """The index in that box, from 0."""

class TurnProfile(_t.TypedDict):
    """The profile of a turn."""
    profile_box_id: str
    """Its box."""
    card_id: str
    """The card with its configuration."""
    name: str
    """Its name."""
    display_name: str | None
    """The display name of the agent."""
    llm_config: _t.Any
    """The model and its options, from the profile."""
    allowed_tools: _t.List[str] | None
    """The tools that it can use; missing if it can use all."""

class TurnRequest(_t.TypedDict):
    """Builds the request that the worker of a turn sends. The `llm_config` of the profile sets the provider, the model and the options."""
    turn: _t.Mapping[str, _t.Any]
    """The arguments of `turn_view`."""
    provider: _t.NotRequired[Provider | None]
    """The provider. By default that of the profile, or else `openai_chat`."""

class TurnRequestItem(_t.TypedDict):
    messages: _t.List[Message]
    """The messages, the system prompt first."""
    tools: _t.NotRequired[_t.List[_t.Dict[str, _t.Any]]]
    """The tool definitions."""

class TurnRequestResult(_t.TypedDict):
    turn: Turn
    """The turn."""
    payload: Payload
    """The body of the request, and the changes of its conversion."""
    dropped: _t.List[DroppedMessage]
    """The messages that do not fit into `max_input_tokens`, in the order of the drops."""

class TurnResultFields(_t.TypedDict):
    card_id: str
    """The card that requires it."""
    name: str
    """Its name."""
    description: str
    """The description; can be empty."""

class TurnResultResult(_t.TypedDict):
    cards: _t.List[CardRow]
    """The cards of the output box from `after` on."""
    result: TurnResultResultResult | None
    """The result; missing for a turn that waits or runs."""

class TurnResultResultResult(_t.TypedDict):
    status: _t.Literal["success", "failed"]
    attempts: int
    """The number of workers that ran the turn. All but the last were lost."""
    deliverable: CardRow | None
    """The last deliverable; missing if the output has none."""
    fields: _t.Dict[str, _t.Any]
    """The fields of the deliverable."""
    error: str | None
    """Why the turn failed."""

class TurnStart(_t.TypedDict):
    """Starts a turn, or its next step."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    record: _t.NotRequired[TurnFrame | None]
    """Records what the model of the step will see, as `turn_view` with `record` does. The view has the id of the step."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TurnStartResult(_t.TypedDict):
    entered: _t.Literal[True]
    step_id: str
    output_box_id: str
    view_id: _t.NotRequired[str]
    """The id of the recorded view: that of the step. Missing if the turn cannot be shown."""

class TurnStartResult2(_t.TypedDict):
    entered: _t.Literal[False]
    stage: _t.Literal["guard", "depth_or_steps"]

class TurnTools(_t.TypedDict):
    """Records the tool calls of the model: the turn runs, waits, continues or ends."""
    tool_calls: _t.Sequence[CalledTool]
    """The calls, in order."""
    thought: _t.NotRequired[ModelThought | None]
    """The answer of the model."""
    tool_suspend_timeouts: _t.NotRequired[_t.Mapping[str, float] | None]
    """How long the turn waits for a tool, in seconds, by the name of the tool."""
    payload: _t.NotRequired[_t.Any | None]
    """The content of the message. The operation ignores it."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class TurnToolsResult(_t.TypedDict):
    queued: _t.List[QueuedWork]
    """The work, in order."""

TurnView: _t.TypeAlias = RecordedTurn | TurnView2

class TurnView2(_t.TypedDict):
    agent_id: _t.NotRequired[str | None]
    """The agent. Its state has the boxes and the profile that the call does not set."""
    context_box_id: _t.NotRequired[str | None]
    """The box that the turn reads. An empty string means none."""
    output_box_id: _t.NotRequired[str | None]
    """The box that the turn writes to. An empty string means none."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile. An empty string means that of the agent."""
    display_name: _t.NotRequired[str | None]
    """The display name of the agent."""
    record: _t.NotRequired[bool | None]
    """Stores the view: the prompt and the tools as cards, the rest by ids and versions. Commit it when the turn starts."""
    view_id: _t.NotRequired[str | None]
    """Stores the view under this id, as `record` does under a new one. An empty string means none."""
    after: _t.NotRequired[_t.Any | None]
    """A call that is not committed. The view shows the turn as if it were."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""
    tools: _t.NotRequired[_t.Sequence[_t.Mapping[str, _t.Any]] | None]
    """The tools that the host offers. The profile selects among them."""
    system_append: _t.NotRequired[str | None]
    """The text to append to the system prompt."""
    downstream_desc: _t.NotRequired[str | None]
    """The description of the profiles that the agent can delegate to, for the prompt."""

class TurnWork(_t.TypedDict):
    """A piece of work on a turn. The items of `claim_inbox` and the work that an operation queues have this form."""
    agent_id: str
    """The agent."""
    agent_turn_id: str
    """The turn."""
    turn_epoch: int
    """The epoch of the turn. Work with another epoch than the head changes nothing."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the turn. That of the head by default."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of the profile."""
    context_box_id: _t.NotRequired[str | None]
    """The box of the context."""
    output_box_id: _t.NotRequired[str | None]
    """The box for the output."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the turn."""
    trace_id: _t.NotRequired[str | None]
    """The trace of the turn."""
    parent_step_id: _t.NotRequired[str | None]
    """The step that the turn belongs to."""
    step_id: _t.NotRequired[str | None]
    """The step that runs."""
    step_count: _t.NotRequired[int | None]
    """The number of steps before this one."""
    continuation: _t.NotRequired[bool | None]
    """True for a further step of a turn."""
    inbox_id: _t.NotRequired[str | None]
    """The message of the work."""
    consume: _t.NotRequired[bool | None]
    """Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays."""
    kind: _t.NotRequired[_t.Any | None]
    """The kind of the message. Operations ignore it."""
    runtime_config: _t.NotRequired[_t.Any | None]
    """Values for the worker. Operations ignore them."""
    resume: _t.NotRequired[ToolReport | None]
    """The result to resume with. Operations ignore it."""

UnknownSubject: _t.TypeAlias = _t.Literal["system", "tools", "tool_descriptions", "tool_schemas", "messages", "reasoning", "images", "files", "tool_calls", "tool_results", "order", "params"]

class UpdateAgent(_t.TypedDict):
    """Changes an agent of the roster. Missing arguments keep their value."""
    agent_id: str
    """The id."""
    profile_box_id: _t.NotRequired[str | None]
    """The box of a registered profile."""
    profile_name: _t.NotRequired[str | None]
    """The name of a registered profile. It excludes `profile_box_id`."""
    display_name: _t.NotRequired[str | None]
    """The display name."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs it."""
    owner_agent_id: _t.NotRequired[str | None]
    """The agent that owns it."""
    status: _t.NotRequired[str | None]
    """The status in the roster. `active` for a new agent."""
    metadata: _t.NotRequired[_t.Any | None]
    """Data of the host."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class UpdateProfile(_t.TypedDict):
    """Changes a profile of the registry. Missing arguments keep their value."""
    name: str
    """The name, in any case."""
    profile_box_id: _t.NotRequired[str | None]
    """The box with the cards of the profile. It must exist."""
    tags: _t.NotRequired[_t.Sequence[str] | None]
    """The tags that delegation policies can require."""
    worker_target: _t.NotRequired[str | None]
    """The subject of the worker that runs its agents."""
    delegation_policy: _t.NotRequired[_t.Any | None]
    """The profiles that its agents can delegate to. A policy in the `sys.profile` card applies only if this is `null`."""
    system_prompt_compiled: _t.NotRequired[str | None]
    """The compiled system prompt."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class UpdateTool(_t.TypedDict):
    """Changes a tool of the registry. Missing arguments keep their value."""
    tool_name: str
    """The name."""
    description: _t.NotRequired[str | None]
    """The description for the model."""
    parameters: _t.NotRequired[_t.Any | None]
    """The JSON Schema of the parameters."""
    target_subject: _t.NotRequired[str | None]
    """The subject of the worker that runs it."""
    after_execution: _t.NotRequired[str | None]
    """What happens to the turn after a call: `suspend` or `terminate`."""
    options: _t.NotRequired[_t.Any | None]
    """Options of the host."""
    operation_id: _t.NotRequired[str | None]
    """The id under which the commit applies once. A new id by default."""

class Usage(_t.TypedDict):
    """The usage of an answer, as far as the provider reports it."""
    input_tokens: _t.NotRequired[int]
    """Tokens of the request, including those from the cache."""
    output_tokens: _t.NotRequired[int]
    """Tokens of the answer, including thinking."""
    cache_read_tokens: _t.NotRequired[int]
    """Tokens that were read from the cache."""
    cache_write_tokens: _t.NotRequired[int]
    """Tokens that were written to the cache."""
    cache_write_5m_tokens: _t.NotRequired[int]
    """Tokens that were written for 5 minutes, if the provider reports it."""
    cache_write_1h_tokens: _t.NotRequired[int]
    """Tokens that were written for 1 hour, if the provider reports it."""
    reasoning_tokens: _t.NotRequired[int]
    """Tokens of thinking."""

class ValidateBoxIdsExistResult(_t.TypedDict):
    box_ids: _t.List[str]
    """The boxes, in order."""

class ValidateBoxes(_t.TypedDict):
    """Checks that an agent can pass on these boxes, and that they exist."""
    source_agent_id: str
    """The agent."""
    box_ids: _t.Sequence[_t.Any]
    """The boxes. A value that is not a string becomes one; an empty one is ignored."""
    authorized_box_ids: _t.NotRequired[_t.Sequence[_t.Any] | None]
    """Boxes that the host grants in addition to the agent's own. A project whose dialect checks authority ignores them, unless its setting `authority.granted_by` is `call`."""
    dialect: _t.NotRequired[Dialect | None]
    """The rule dialect. The dialect of the project by default."""

class View(_t.TypedDict):
    """The view of a context."""
    boxes: _t.List[BoxView]
    """One entry for each box, in packing order."""
    shown: int
    """The index of the box that the rows belong to."""
    rows: _t.List[Row]
    """The rows of the range."""
    matches: _t.NotRequired[_t.List[int]]
    """The positions of the cards that match `find`. Missing without `find`."""
    dropped: _t.List[ViewDropped]
    """Values of the call that did not become a card."""
    lints: _t.List[ViewLints]
    """The lints, with positions."""
    content_hash: _t.NotRequired[str]
    """The hash of what the call makes. Missing for a stored box."""

class ViewDropped(_t.TypedDict):
    path: str
    """The path of the value."""
    reason: str
    """The reason."""

class ViewLints(_t.TypedDict):
    place: _t.NotRequired[ViewLintsPlace]
    """The position of the card. Missing for a lint without a card."""
    code: str
    """The code."""
    path: str
    """The path of the value."""
    message: str
    """One sentence for users, in the style of an error message."""
    card_id: _t.NotRequired[str]
    """The card that the lint is about, if any."""

class ViewLintsPlace(_t.TypedDict):
    shown: int
    """The index of the box, from 0."""
    position: int
    """The position in the box, from 0."""

class VolatileText(_t.TypedDict):
    """Volatile text inside of a position."""
    slot: str
    """The slot or the cause of the position."""
    after: str
    """The text before the volatile text."""
    before: _t.NotRequired[str | None]
    """The text after it. The end of the line by default."""

class WaitItem(_t.TypedDict):
    """A tool call to wait for."""
    tool_call_id: _t.NotRequired[str | None]
    """The id of the call. A call without an id is skipped."""
    tool_name: _t.NotRequired[str | None]
    """The name of the tool. `unknown` by default."""
    step_id: _t.NotRequired[str | None]
    """The step that made the call. That of the work by default."""

class WaitingRow(_t.TypedDict):
    """A tool call that a suspended turn waits for."""
    agent_id: str
    agent_turn_id: str
    turn_epoch: int
    step_id: str
    tool_call_id: str
    tool_name: str
    wait_status: _t.Literal["waiting", "received", "applied", "expired", "dropped"]
    tool_result_card_id: _t.NotRequired[str]
    received_at: _t.NotRequired[str]
    applied_at: _t.NotRequired[str]
    created_at: str
    updated_at: str
    seq: int

class Wakeup(_t.TypedDict):
    """Wakes an agent. `dispatch_next` promotes its next turn first."""
    target_agent_id: str
    """The agent."""
    mode: _t.NotRequired[_t.Literal["default", "dispatch_next"] | None]
    """What the wakeup does."""
    channel_id: _t.NotRequired[str | None]
    """The channel of the wakeup."""
    inbox_id: _t.NotRequired[str | None]
    """The message that the wakeup is for."""
    reason: _t.NotRequired[str | None]
    """The reason, for logs."""
    metadata: _t.NotRequired[_t.Mapping[str, _t.Any] | None]
    """More about the wakeup, for logs."""
    headers: _t.NotRequired[MessageHeaders | None]
    """The headers of the wakeup."""
    project_id: _t.NotRequired[str | None]
    """The project of the workspace. Another project is an error."""
    settings: _t.NotRequired[RunSettings | None]
    """Settings that differ from the defaults."""

class WakeupResult(_t.TypedDict):
    status: _t.Literal["accepted"]
    """`accepted`."""
    payload: _t.NotRequired[Promoted]
    """The turn that `dispatch_next` promoted, if there is one."""

WindowLevel: _t.TypeAlias = _t.Literal["calm", "high", "full", "over"]

class WireCard(_t.TypedDict):
    """A card as callers send it, with every field."""
    card_id: str
    content: Content
    metadata: _t.Dict[str, _t.Any]
    tool_calls: _t.List[_t.Dict[str, _t.Any]] | None
    tool_call_id: str | None
    ttl_seconds: int | None

class WriteBack(_t.TypedDict):
    """Returns what a memory state persists."""
    state: StateInput
    """The state."""
    contexts: _t.NotRequired[Contexts | None]
    """The blocks of the call."""
    policy: _t.NotRequired[WriteBackPolicy | None]
    """The blocks that a restore must return verbatim."""

class WriteBackPolicy(_t.TypedDict):
    reproducible: _t.NotRequired[_t.Sequence[str]]
    """The keys of the blocks. `framework__context` is never written."""

class WrittenBack(_t.TypedDict):
    """The answer of `write_back`."""
    state: _t.Dict[str, _t.Any]
    """The state to store."""
    written: _t.List[Layer]
    """The layers that were written."""
    left_out: _t.List[WrittenBackLeftOut]
    """The blocks that were not written, with the reason."""
    restored: _t.List[MemoryStep]
    """The effect on each message of the given state, unless it stayed unchanged."""

WrittenBackLeftOut = _t.TypedDict("WrittenBackLeftOut", {"layer": Layer, "from": str, "rule": _t.Literal["call_only", "runtime_only", "kept_by_memory", "overridden", "not_text"]})

class WrittenCards(_t.TypedDict):
    """The cards that a worker wrote before it ends its turn."""
    deliverable_card_id: _t.NotRequired[str | None]
    """The card that the turn delivers. By default that of the output box, or a new one."""
    new_card_ids: _t.NotRequired[_t.Sequence[str] | None]
    """Further cards of the step, for its event."""
