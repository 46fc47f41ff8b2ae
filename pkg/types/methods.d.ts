// Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it again.
import type { HostMethods } from "./custom.js";
import type { Method } from "./workspace.js";

/** The operations that most callers need. */
export interface ProjectMethods {
  /** Packs a context box for another agent. */
  pack: Method<"pack_context">;
  /** Delegates one task to a new, a reused or a cloned agent. */
  delegate: Method<"delegate_async">;
  /** Shows what the model of a turn sees: now, as recorded, or after a call that is not committed. */
  turnView: Method<"turn_view">;
  /** Renders cards as the messages that a model sees. */
  render: Method<"render">;
  /** Builds the request body for a provider and reports every conversion change. */
  payload: Method<"payload">;
  /** Builds the request that the worker of a turn sends, as the profile of the turn sets it. */
  turnRequest: Method<"turn_request">;
  /** Counts the tokens of a request, each in exactly one bucket. */
  countTokens: Method<"count_tokens">;
  /** Fits a request into a budget and lists what is dropped. */
  budget: Method<"budget">;
  /** Composes a prompt from its layers. */
  compose: Method<"compose">;
  /** Shows what a call packs, the content of a box, or what the model of a turn sees. */
  inspect: Method<"inspect">;
  /** Cards: store, read, search and check them. */
  readonly cards: CardsMethods;
  /** Boxes: create, read and change them. */
  readonly boxes: BoxesMethods;
  /** Requests to models and their answers: inspect, compare and read them. */
  readonly prompt: PromptMethods;
  /** What the caches of providers read, and why. */
  readonly cache: CacheMethods;
  /** Lockfiles of contexts: make entries, update, read and check them. */
  readonly lock: LockMethods;
  /** Memory states: contexts, changes and what to persist. */
  readonly memory: MemoryMethods;
  /** Delegation by recipes, and the recipes of the host. */
  readonly recipes: RecipesMethods & HostMethods;
  /** Handoff packages: build, check, store and load them. */
  readonly handoff: HandoffMethods;
  /** The profiles of the registry. */
  readonly profiles: ProfilesMethods;
  /** The agents of the roster, their boxes and turn views. */
  readonly agents: AgentsMethods;
  /** The tools of the registry. */
  readonly tools: ToolsMethods;
  /** Orchestration: queues, turns, batches and what is due. */
  readonly run: RunMethods;
  /** Logs of other tools. */
  readonly import: ImportMethods;
}

/** Cards: store, read, search and check them. */
export interface CardsMethods {
  /** Reads cards, each once, and lists the missing ones with the reason. */
  get: Method<"get_cards">;
  /** Stores cards. Storing an id again with the same content changes nothing; with other content it is a `conflict`. */
  put: Method<"put_cards">;
  /** Deletes cards softly. Boxes keep their ids. */
  delete: Method<"delete_cards">;
  /** Erases the content of cards for privacy, and leaves an audit entry. */
  erase: Method<"erase_cards">;
  /** Finds cards by text, ignoring case, with the text around each match. */
  search: Method<"search_cards">;
  /** Finds every position of a card in boxes. */
  find: Method<"find_cards">;
  /** Returns the text of a value on a text card, and its JSON as a model reads it. */
  textForm: Method<"text_form">;
  /** Returns a content in canonical form, its type, and the text that a model reads. */
  readContent: Method<"read_content">;
  /** Returns a card as it would be read, and the text that a model reads. */
  read: Method<"read_card">;
  /** Returns a card as it would be stored. */
  readNew: Method<"read_new_card">;
}

/** Boxes: create, read and change them. */
export interface BoxesMethods {
  /** Reads boxes, each once, and lists the missing ones with the reason. */
  get: Method<"get_boxes">;
  /** Reads the cards of a box, each once. */
  getCards: Method<"get_box_cards">;
  /** Creates a box with these cards. */
  create: Method<"create_box">;
  /** Appends cards to a box. */
  append: Method<"append_to_box">;
  /** Replaces the cards of a box. */
  replace: Method<"replace_box">;
  /** Creates a box with the cards of another box, or with the first `take` of them. */
  fork: Method<"fork_box">;
  /** Creates a box with the cards of several boxes, in order, each card once. */
  concat: Method<"concat_boxes">;
  /** Deletes a box softly. Its cards stay. */
  delete: Method<"delete_box">;
  /** Returns a box as it would be read. */
  read: Method<"read_box">;
  /** Checks that an agent can pass on these boxes, and that they exist. */
  validateIdsExist: Method<"validate_box_ids_exist">;
  /** Lists the boxes that profiles, agents and audit entries name. */
  list: Method<"list_boxes">;
}

/** Requests to models and their answers: inspect, compare and read them. */
export interface PromptMethods {
  /** Lists the strings of a request that the host's own counter has to count. */
  tokenTexts: Method<"token_texts">;
  /** Compares two requests: where they first differ, why, and what a cache can reuse. */
  diffPayloads: Method<"diff_payloads">;
  /** Lists the contexts that a kind of process takes. */
  allowedContexts: Method<"allowed_contexts">;
  /** Returns the tables of layers, processes and lifecycles. */
  tables: Method<"prompt_tables">;
  /** Reads the answer of a model, whole or as a stream. */
  readResponse: Method<"read_response">;
  /** Reads what events of a stream add to the answer, while they arrive. */
  readDeltas: Method<"read_deltas">;
  /** Restores the original names in a tool call of a model. */
  restoreCall: Method<"restore_call">;
  /** Shows the request that a model receives for a box or turn, and the cost of each part. */
  inspectRequest: Method<"inspect_request">;
  /** Compares two contexts: which cards stayed, moved, were added or removed. */
  compare: Method<"compare">;
}

/** What the caches of providers read, and why. */
export interface CacheMethods {
  /** Explains what the provider's cache reads when boxes, turns or previewed calls are sent one after the other. */
  inspect: Method<"inspect_cache">;
  /** Explains why requests of a session read less from the provider's cache than they could. */
  explain: Method<"explain_cache">;
  /** Accounts for the messages of every compaction between the requests of a session. */
  explainCompaction: Method<"explain_compaction">;
}

/** Lockfiles of contexts: make entries, update, read and check them. */
export interface LockMethods {
  /** Makes the entry of a context for a lockfile: one line for each position of its request. */
  entry: Method<"lock_entry">;
  /** Reads a lockfile and lists its entries. */
  read: Method<"lock_read">;
  /** Returns the text of a lockfile with changed entries. */
  update: Method<"lock_update">;
  /** Compares the current contexts with a lockfile and groups the changes by cause. */
  check: Method<"lock_check">;
  /** Compares two entries of lockfiles. */
  diff: Method<"lock_diff">;
  /** Shows two entries of lockfiles next to each other. */
  compare: Method<"lock_compare">;
}

/** Memory states: contexts, changes and what to persist. */
export interface MemoryMethods {
  /** Collects contexts from a state snapshot and retrieved material. */
  collectContexts: Method<"collect_contexts">;
  /** Applies changes to a memory state and returns the new state. */
  change: Method<"change_memory">;
  /** Adds a query to a memory state, exactly once. */
  enterQuery: Method<"enter_query">;
  /** Returns what a memory state persists. */
  writeBack: Method<"write_back">;
}

/** Delegation by recipes, and the recipes of the host. */
export interface RecipesMethods {
  /** Packs an instruction and boxes for a profile. */
  packWithInstruction: Method<"pack_context_with_instruction">;
  /** Delegates to a new agent with a profile: a form of `delegate_async`. */
  launchPrincipal: Method<"launch_principal">;
  /** Asks a new agent with an expert profile: a form of `delegate_async`. */
  askExpert: Method<"ask_expert">;
  /** Delegates many tasks in one batch. An error names its task: `tasks[3].target_ref`. */
  forkJoin: Method<"fork_join">;
  /** Reads the arguments of a `fork_join` without running it. */
  forkJoinArgs: Method<"fork_join_args">;
  /** Runs a recipe: a definition, or the name of one that the project was opened with. */
  run: Method<"run_recipe">;
  /** Checks the definition of a recipe and returns it with its defaults, and with lints for likely mistakes. */
  check: Method<"check_recipe">;
  /** Shows what the receiver of a delegation will see next to what the sender sees, with lints. It writes nothing. */
  previewHandover: Method<"preview_handover">;
  /** Lists what the receiver of a delegation will see and what it will not see. It writes nothing. */
  briefHandover: Method<"brief_handover">;
}

/** Handoff packages: build, check, store and load them. */
export interface HandoffMethods {
  /** Reads a handoff package. */
  read: Method<"read_handoff">;
  /** Checks a handoff package and lists findings. */
  check: Method<"check_handoff">;
  /** Builds a handoff package from an iteration. */
  build: Method<"build_handoff">;
  /** Stores a handoff package and its files in one batch. */
  store: Method<"store_handoff">;
  /** Compares a handoff package with the files in the store. */
  audit: Method<"audit_handoff">;
  /** Plans what to read of a handoff package within a token budget. */
  plan: Method<"plan_handoff">;
  /** Loads a handoff package within a token budget. */
  load: Method<"load_handoff">;
  /** Makes cards of a handoff package: its references, or its loaded content. */
  makeCards: Method<"make_handoff_cards">;
}

/** The profiles of the registry. */
export interface ProfilesMethods {
  /** Adds a profile to the registry. */
  register: Method<"register_profile">;
  /** Declares a profile: creates it, or changes what differs from the declaration. */
  put: Method<"put_profile">;
  /** Changes a profile of the registry. */
  update: Method<"update_profile">;
  /** Removes a profile from the registry. */
  remove: Method<"remove_profile">;
  /** Lists the profiles of the project. */
  list: Method<"list_profiles">;
}

/** The agents of the roster, their boxes and turn views. */
export interface AgentsMethods {
  /** Returns the box that an agent writes to. */
  resolveCurrentOutputBoxId: Method<"resolve_current_output_box_id">;
  /** Lists recorded turn views. */
  listTurnViews: Method<"list_turn_views">;
  /** Merges the context box and the output box of a turn. */
  turnBoxes: Method<"turn_boxes">;
  /** Adds an agent to the roster. */
  register: Method<"register_agent">;
  /** Changes an agent of the roster. */
  update: Method<"update_agent">;
  /** Removes an agent from the roster. */
  remove: Method<"remove_agent">;
  /** Lists the agents of the project. */
  list: Method<"list_agents">;
  /** Stores an audit entry about a call that a policy refuses. Nothing else of the call is written. */
  auditRefusal: Method<"audit_refusal">;
  /** Lists audit entries, newest last. */
  listAudit: Method<"list_audit">;
  /** Points an agent to other boxes. */
  movePointers: Method<"move_pointers">;
  /** Appends cards to the output box of an agent. */
  appendOutput: Method<"append_output">;
}

/** The tools of the registry. */
export interface ToolsMethods {
  /** Adds a tool to the registry. */
  register: Method<"register_tool">;
  /** Changes a tool of the registry. */
  update: Method<"update_tool">;
  /** Removes a tool from the registry. */
  remove: Method<"remove_tool">;
  /** Lists the tools of the project. */
  list: Method<"list_tools">;
}

/** Orchestration: queues, turns, batches and what is due. */
export interface RunMethods {
  /** Sends a message to an agent. A turn waits in the queue until the agent is idle. */
  enqueue: Method<"enqueue">;
  /** Packs by a recipe and dispatches the result in one batch. A refusal writes nothing. */
  handOut: Method<"hand_out">;
  /** Reports a result to the agent that asked for it. */
  report: Method<"report">;
  /** Records who waits for whom, and the answer. */
  join: Method<"join">;
  /** Shows what runs: in the project, at one agent, or in one batch. */
  state: Method<"run_state">;
  /** Reads whether a turn has ended, its result, and the cards of its output. */
  turnResult: Method<"turn_result">;
  /** Cancels a queued turn. */
  cancel: Method<"cancel">;
  /** Wakes an agent. `dispatch_next` promotes its next turn first. */
  wakeup: Method<"wakeup">;
  /** Dispatches a turn with its boxes. */
  dispatch: Method<"dispatch">;
  /** Makes an agent ready: in the roster, with a head. */
  ensureAgent: Method<"ensure_agent">;
  /** Makes an agent ready as `ensure_agent` does, with every value given. */
  provisionIdentity: Method<"provision_identity">;
  /** Gives an idle agent a turn. The answer is `null` when it has one. */
  lease: Method<"lease">;
  /** Changes the status of an agent's head. */
  stateUpdate: Method<"state_update">;
  /** Sets an agent's head to idle. */
  finishIdle: Method<"finish_idle">;
  /** Records the tool calls that a turn waits for. */
  replaceWaiting: Method<"replace_waiting">;
  /** Records that a tool result arrived. */
  markReceived: Method<"mark_received">;
  /** Records that a tool result was applied. */
  markApplied: Method<"mark_applied">;
  /** Claims the results of a turn that are due and returns their tool calls. */
  ledgerClaim: Method<"ledger_claim">;
  /** Releases results whose lease expired. */
  ledgerRequeueExpired: Method<"ledger_requeue_expired">;
  /** Changes the status of a message, if it has the expected one. */
  inboxStatus: Method<"inbox_status">;
  /** Returns whether messages wait for an agent. */
  hasOpen: Method<"has_open">;
  /** Claims messages of an agent for a worker. */
  claimInbox: Method<"claim_inbox">;
  /** Marks a message as processed. */
  consumeInbox: Method<"consume_inbox">;
  /** Releases a message that a worker claimed and did not finish. */
  requeueInbox: Method<"requeue_inbox">;
  /** Sends the wakeup of an unclaimed message again. */
  pokeInbox: Method<"poke_inbox">;
  /** Starts a turn, or its next step. */
  turnStart: Method<"turn_start">;
  /** Records the tool calls of the model: the turn runs, waits, continues or ends. */
  turnTools: Method<"turn_tools">;
  /** Completes a turn. */
  turnComplete: Method<"turn_complete">;
  /** Fails a turn. */
  turnFail: Method<"turn_fail">;
  /** Releases a turn for another worker, at the next epoch and the same step. */
  turnGiveBack: Method<"turn_give_back">;
  /** Applies a tool result to the turn that waits for it. */
  resume: Method<"resume">;
  /** Stops a turn. */
  stop: Method<"stop">;
  /** Sends the wakeup of a dispatched turn again. */
  ringAgain: Method<"ring_again">;
  /** Rebuilds a lost head at an epoch above all earlier ones. */
  reclaimAgent: Method<"reclaim_agent">;
  /** Records that an agent called a tool. */
  toolCall: Method<"tool_call">;
  /** Stores the results of tools that ran. A result that cannot be stored fails only its call. */
  putToolResults: Method<"put_tool_results">;
  /** Answers a tool call that a turn waits for: stores the result and reports it. Only the first answer counts. */
  answerToolCall: Method<"answer_tool_call">;
  /** Releases a turn whose worker did not renew its lease. After `max_attempts` the turn fails. */
  recoverTurn: Method<"recover_turn">;
  /** Ends a turn that made no progress within its time limit. */
  reapTurn: Method<"reap_turn">;
  /** Deletes rows of work that ended long ago. */
  prune: Method<"prune">;
  /** Reports a timeout for every tool call that is past its deadline. */
  timeOutTools: Method<"time_out_tools">;
  /** Claims results that wait for a suspended turn. */
  takeUpResults: Method<"take_up_results">;
  /** Lists the calls that are due now, in order, or what one rule finds. */
  due: Method<"due">;
  /** Creates a batch. With `activate` it also dispatches the tasks. */
  createBatch: Method<"create_batch">;
  /** Starts a batch: the join request, then every task. */
  activateBatch: Method<"activate_batch">;
  /** Dispatches the tasks that are due. */
  dispatchPending: Method<"dispatch_pending">;
  /** Dispatches one task. The answer is `false` when it is not due or its batch ended. */
  dispatchTask: Method<"dispatch_task">;
  /** Records that the turn of a task ended. */
  childEvent: Method<"child_event">;
  /** Checks a task whose end was not reported. */
  reconcileTask: Method<"reconcile_task">;
  /** Ends a batch whose tasks or deadline allow it. */
  endBatch: Method<"end_batch">;
  /** Builds the result of a batch. */
  buildBatchResult: Method<"build_batch_result">;
  /** Lists messages that wait to be sent, oldest first. */
  outbox: Method<"outbox">;
  /** Marks messages as sent. */
  markSent: Method<"mark_sent">;
  /** Quarantines messages that cannot be sent. */
  quarantineMessages: Method<"quarantine_messages">;
  /** Releases messages from quarantine: they wait to be sent again. */
  retryMessages: Method<"retry_messages">;
}

/** Logs of other tools. */
export interface ImportMethods {
  /** Imports logs of other tools as cards and boxes. */
  logs: Method<"import">;
  /** Lists the sessions of an import report, the newest first. */
  listSessions: Method<"list_sessions">;
  /** Explains a request of a log: where its tokens go, why the cache missed, what the log lacks. */
  explainRequest: Method<"explain_request">;
  /** Compares two requests of a session: what was added, what was removed, and the effect on the cache. */
  compareRequests: Method<"compare_requests">;
  /** Explains the requests of a session that lost tokens of the cache, the most expensive first. */
  explainMisses: Method<"explain_misses">;
  /** Lists the messages that the compactions of a session removed from the context. */
  explainCompactions: Method<"explain_compactions">;
  /** Shows the requests of a log as steps of a timeline: what each did, its cost, and what the cache read. Also shows everything about one step or message. */
  timeline: Method<"timeline">;
}
