//! What the operations of orchestration answer. They write JSON, and this is what it looks like.

shape! {
    /// The answer of a primitive.
    #[serde(untagged)]
    pub enum RunAnswer<Made> {
        Accepted { status: Word<"accepted">, payload: Made },
        Refused(Refused),
    }

    /// What a primitive answers when it writes nothing.
    pub struct Refused {
        pub status: Word<"busy", "rejected", "error">,
        pub error_code: RunRefusal,
    }

    /// Why a primitive refuses.
    pub type RunRefusal = Word<
        "protocol_violation",
        "recursion_depth_exceeded",
        "agent_busy",
        "unknown_agent",
        "invalid_box_id",
        "conflict",
    >;

    /// A message that lies in an inbox.
    pub struct Sent {
        pub inbox_id: String,
        pub correlation_id: String,
        pub trace_id: String,
        /// The turn, for a `turn` or a `ui_action`.
        pub agent_turn_id: Maybe<String>,
        /// The epoch of the turn; absent while it waits behind another one.
        pub turn_epoch: Maybe<i64>,
    }

    /// An edge that was noted.
    pub struct Noted {
        pub edge_id: String,
        pub correlation_id: String,
        pub trace_id: Option<String>,
    }

    /// A queued turn that its agent was given.
    pub struct Promoted {
        pub inbox_id: String,
        pub agent_turn_id: String,
        pub turn_epoch: i64,
        pub channel_id: String,
        pub traceparent: Option<String>,
        pub tracestate: Option<String>,
        pub trace_id: Option<String>,
        pub recursion_depth: i64,
    }

    /// A turn that was taken back.
    pub struct Canceled {
        pub canceled: bool,
        pub agent_turn_id: String,
    }

    /// An agent was rung for; with `dispatch_next`, the turn that it was given, if there is one.
    pub struct Rung {
        pub status: Word<"accepted">,
        pub payload: Maybe<Promoted>,
    }

    fn enqueue() -> RunAnswer<Sent>;
    fn report() -> RunAnswer<Sent>;
    fn join() -> RunAnswer<Noted>;
    fn tool_call() -> RunAnswer<Noted>;
    fn cancel() -> RunAnswer<Canceled>;
    fn wakeup() -> Rung;
}

shape! {
    /// Why a dispatch is refused.
    #[serde(untagged)]
    pub enum DispatchRefusal {
        Primitive(RunRefusal),
        Own(Word<
            "missing_project_id",
            "missing_agent_id",
            "missing_profile_box_id",
            "missing_context_box_id",
            "missing_channel_id",
            "unknown_context_box",
            "worker_target_missing",
            "l0_required",
        >),
    }

    /// What became of a dispatch.
    #[serde(untagged)]
    pub enum Dispatched {
        Accepted {
            status: Word<"accepted">,
            agent_id: String,
            agent_turn_id: String,
            /// Absent while the turn waits behind another one.
            turn_epoch: Maybe<i64>,
            output_box_id: String,
            trace_id: String,
        },
        Refused {
            status: Word<"busy", "rejected", "error">,
            error_code: DispatchRefusal,
            agent_id: Maybe<String>,
            agent_turn_id: Maybe<String>,
            output_box_id: Maybe<String>,
            trace_id: Maybe<String>,
        },
    }

    /// What became of the turn that was asked for; of one that is refused nothing is written.
    #[serde(untagged)]
    pub enum Reached {
        Accepted {
            status: Word<"accepted">,
            agent_id: String,
            agent_turn_id: String,
            /// Absent while the turn waits behind another one.
            turn_epoch: Maybe<i64>,
            context_box_id: String,
            output_box_id: String,
            trace_id: String,
        },
        Refused {
            status: Word<"busy", "rejected", "error">,
            error_code: DispatchRefusal,
            agent_id: String,
            trace_id: Maybe<String>,
        },
    }

    /// What was handed over, what became of it, and whether the turn that called waits. A `fork_join`
    /// that was handed out before is not handed over again.
    #[serde(untagged)]
    pub enum HandedOut {
        One {
            handed: crate::agents::recipe::Handed,
            result: Reached,
            defer_resume: Word<false>,
        },
        Many {
            handed: Option<crate::agents::recipe::Forked>,
            result: BatchStarted,
            defer_resume: Word<true>,
        },
    }

    pub struct BatchStarted {
        pub status: Word<"accepted">,
        pub batch_id: String,
        pub task_count: i64,
    }

    /// Whether the roster changed, or why not.
    pub struct AgentReady {
        pub roster_updated: bool,
        pub error_code: Maybe<Word<
            "missing_profile_name",
            "missing_derived_profile_name",
            "profile_not_found",
            "profile_mismatch",
            "derived_agent_conflict",
            "worker_target_missing",
        >>,
    }

    /// The epoch of a turn that an idle agent was given; null when it has one.
    pub struct Leased {
        pub turn_epoch: Option<i64>,
    }

    fn dispatch() -> Dispatched;
    fn hand_out() -> HandedOut;
    fn ensure_agent() -> AgentReady;
    fn provision_identity() -> AgentReady;
    fn lease() -> Leased;
}

shape! {
    /// What runs in a project, at one agent, or in one batch.
    #[serde(untagged)]
    pub enum RunState {
        Project {
            agents: Vec<crate::run::rows::Head>,
            queued: Vec<crate::run::rows::Inbox>,
            batches: Vec<crate::run::rows::Batch>,
        },
        Agent {
            agents: Vec<crate::run::rows::Head>,
            queued: Vec<crate::run::rows::Inbox>,
            waiting: Vec<crate::run::rows::Waiting>,
            steps: Vec<crate::run::rows::StepRow>,
        },
        Batch {
            batches: Vec<crate::run::rows::Batch>,
            tasks: Vec<crate::run::rows::Task>,
            edges: Vec<crate::run::rows::Edge>,
        },
    }

    pub struct Updated {
        pub updated: bool,
    }

    pub struct Ended {
        pub ended: bool,
    }

    pub struct Queued {
        pub queued: Vec<QueuedWork>,
    }

    /// Work that follows from other work.
    pub struct QueuedWork {
        pub agent_id: String,
        pub agent_turn_id: String,
        pub turn_epoch: i64,
        pub continuation: bool,
        pub step_count: i64,
        pub output_box_id: Option<String>,
        /// A result to resume with, where there is one.
        pub resume: Maybe<ToolReport>,
    }

    /// What is said of a tool's result: the call, the card that holds it, and what follows.
    pub struct ToolReport {
        pub tool_call_id: String,
        pub tool_result_card_id: Maybe<Option<String>>,
        pub status: Maybe<Option<String>>,
        /// `suspend` to go on with the turn, `terminate` to end it.
        pub after_execution: Maybe<Option<String>>,
        /// The step that made the call.
        pub step_id: Maybe<Option<String>>,
    }

    pub struct Waits {
        pub waiting: usize,
    }

    /// The tool calls of the results that were taken.
    pub struct ClaimedResults {
        pub claimed: Vec<String>,
    }

    pub struct Requeued {
        pub requeued: usize,
    }

    pub struct Open {
        pub open: bool,
    }

    fn run_state() -> RunState;
    fn state_update() -> Updated;
    fn finish_idle() -> Updated;
    fn replace_waiting() -> Waits;
    fn mark_received() -> Updated;
    fn mark_applied() -> Updated;
    fn ledger_claim() -> ClaimedResults;
    fn ledger_requeue_expired() -> Requeued;
    fn inbox_status() -> Updated;
    fn has_open() -> Open;
    fn consume_inbox() -> Updated;
    fn requeue_inbox() -> bool;
    fn poke_inbox() -> bool;
    fn turn_tools() -> Queued;
    fn turn_complete() -> Ended;
    fn turn_fail() -> Ended;
    fn resume() -> Queued;
    fn stop() -> Ended;
    fn ring_again() -> bool;
    fn reap_turn() -> bool;
    fn reclaim_agent() -> bool;
    fn time_out_tools() -> bool;
    fn take_up_results() -> Queued;
}

shape! {
    pub struct Claimed {
        pub inbox_id: String,
        pub agent_id: String,
        pub agent_turn_id: String,
        pub turn_epoch: i64,
        pub channel_id: String,
        pub headers: BTreeMap<String, String>,
        pub trace_id: Option<String>,
        pub parent_step_id: Option<String>,
    }

    /// A message that was taken from an inbox: what `turn_start`, `resume` or `stop` is called with.
    #[serde(untagged)]
    pub enum InboxItem {
        Turn {
            #[serde(flatten)]
            claimed: Claimed,
            kind: Word<"turn">,
            profile_box_id: Option<String>,
            context_box_id: Option<String>,
            output_box_id: Option<String>,
            runtime_config: Option<Object>,
            /// The step at which a turn was given back.
            step_count: Maybe<i64>,
        },
        Other {
            #[serde(flatten)]
            claimed: Claimed,
            kind: Word<"resume", "stop">,
            payload: Object,
            profile_box_id: Maybe<Option<String>>,
            context_box_id: Maybe<Option<String>>,
            output_box_id: Maybe<Option<String>>,
        },
    }

    pub struct ClaimedInbox {
        pub items: Vec<InboxItem>,
    }

    /// Whether a turn, or its next step, was entered.
    #[serde(untagged)]
    pub enum TurnStarted {
        Entered { entered: Word<true>, step_id: String, output_box_id: String },
        Outside { entered: Word<false>, stage: Word<"guard", "depth_or_steps"> },
    }

    /// Whether a turn waits for a worker again.
    #[serde(untagged)]
    pub enum GivenBack {
        Done { given_back: Word<true>, turn_epoch: i64 },
        Refused { given_back: Word<false> },
    }

    /// Which turns a reaper ends.
    pub type ReapedTurns = Word<"dispatched", "active", "suspended">;

    /// A call that is due: `op` and its arguments.
    #[serde(untagged)]
    pub enum DueCall {
        Message { op: Word<"requeue_inbox", "poke_inbox">, inbox_id: String },
        Leases { op: Word<"ledger_requeue_expired"> },
        Agent {
            op: Word<"time_out_tools", "ring_again", "reclaim_agent", "take_up_results">,
            agent_id: String,
        },
        Reap {
            op: Word<"reap_turn">,
            agent_id: String,
            which: ReapedTurns,
            output_box_id: Option<String>,
        },
        Promote {
            op: Word<"wakeup">,
            target_agent_id: String,
            mode: Word<"dispatch_next">,
            reason: String,
        },
        Task { op: Word<"reconcile_task", "dispatch_task">, batch_task_id: String },
        Batch { op: Word<"end_batch">, batch_id: String },
    }

    /// The calls that are due.
    pub struct Due {
        pub calls: Vec<DueCall>,
    }

    fn claim_inbox() -> ClaimedInbox;
    fn turn_start() -> TurnStarted;
    fn turn_give_back() -> GivenBack;
    fn due() -> Due;
}

shape! {
    /// A batch that was made; with `activate` it was handed out too.
    #[serde(untagged)]
    pub enum CreatedBatch {
        Made { batch_id: String },
        Started { accepted: Word<true>, batch_id: String, task_count: i64 },
    }

    /// The result of a batch.
    pub struct BatchResult {
        pub status: String,
        pub results: Vec<TaskResult>,
    }

    /// A task as the result of its batch tells it.
    pub struct TaskResult {
        pub task_index: i64,
        pub status: String,
        pub summary: Maybe<String>,
        pub output_box_id: Maybe<String>,
        pub error: Maybe<String>,
    }

    /// A message that is to be sent.
    pub struct OutboxMessage {
        pub message_id: String,
        pub subject: String,
        pub payload: Object,
        pub headers: Option<BTreeMap<String, String>>,
        /// True for a message that nobody stores.
        pub core: bool,
    }

    pub struct Outbox {
        pub messages: Vec<OutboxMessage>,
    }

    pub struct MarkedSent {
        pub sent: usize,
    }

    fn create_batch() -> CreatedBatch;
    fn activate_batch() -> ();
    fn dispatch_pending() -> ();
    fn dispatch_task() -> bool;
    fn child_event() -> bool;
    fn reconcile_task() -> bool;
    fn end_batch() -> bool;
    fn build_batch_result() -> BatchResult;
    fn outbox() -> Outbox;
    fn mark_sent() -> MarkedSent;
}
