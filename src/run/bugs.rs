//! Bugs that a test switches on, to see that the simulator finds them. Nothing else does.

macro_rules! bugs {
    ($($name:ident = $word:literal, $what:literal;)*) => {
        /// A documented bug, planted on purpose.
        ///
        /// ```
        /// use tuckbox::run::Bug;
        /// use tuckbox::run::sim::{Plan, run};
        ///
        /// // a rule that is broken on purpose: some run of the simulator finds it
        /// let plan = |seed| Plan { seed, steps: 200, bug: Bug::FinishWithoutPromotion, ..Plan::default() };
        /// let failure = (0..20).find_map(|seed| run(&plan(seed)).failure).unwrap();
        /// assert!(!failure.law.is_empty() && !failure.found.is_empty());
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Bug {
            /// None.
            #[default]
            None,
            $(#[doc = $what] $name,)*
        }

        impl Bug {
            /// Every bug that can be planted.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    Self::None => "none",
                    $(Self::$name => $word,)*
                }
            }

            /// What it does.
            pub const fn what(self) -> &'static str {
                match self {
                    Self::None => "nothing",
                    $(Self::$name => $what,)*
                }
            }
        }
    };
}

bugs! {
    RetransmitResetsClock = "retransmit_resets_reap_clock", "ringing again makes a dispatched turn young again";
    RetransmitWritesRow = "retransmit_duplicates_turn_rows", "ringing again writes another inbox row";
    FinishWithoutPromotion = "lost_wakeup_queued_never_promoted", "the end of a turn does not promote the next one";
    EnqueueIgnoresQueue = "enqueue_does_not_touch_the_queue", "an enqueue does not write the order of the queue";
    StopWithParentDepth = "stop_rejected_depth_mismatch", "a child is stopped with the depth of its parent";
    EarlyResultFailsTurn = "early_result_kills_running_turn", "a result that comes before the suspension ends the turn";
    CompleteIgnoresStatus = "complete_ignores_status", "a turn that does not run can be completed";
    CompleteIgnoresEpoch = "complete_ignores_epoch", "a turn can be completed under an old epoch";
    ReapKeepsEpoch = "reap_keeps_epoch", "a turn that timed out keeps its epoch";
    StopKeepsEpoch = "stop_keeps_epoch", "a stopped turn keeps its epoch";
    ResumeKeepsEpoch = "resume_keeps_epoch", "a resumed turn keeps its epoch";
    GiveBackKeepsEpoch = "give_back_keeps_epoch", "a turn that is given back keeps its epoch";
    SuspendedForever = "suspended_without_deadline_never_reaped", "a suspended turn past its deadline is left alone";
    TimeoutClearsDeadline = "timeout_without_call_card_never_fires", "a deadline is cleared although nothing was reported";
    FiveInvalidBlock = "five_invalid_block_promotion", "a promotion gives up after five messages that cannot run";
    PoisonBlocksQueue = "poison_queue_head", "a message with a box id that is none blocks its queue";
    LifoPromotion = "newest_first", "the newest queued turn is promoted first";
    CancelByInboxId = "cancel_by_inbox_id", "a turn is canceled only where its id is that of its message";
    ChildEventNotFinal = "child_event_status_not_terminal", "a child event may say that its task is still open";
    ChildEventIgnoresBatch = "two_last_children_never_join", "child events do not notice each other";
    JoinTwice = "batch_joined_twice", "a batch that ended can end again";
    ParentNotResumed = "parent_never_resumed_when_report_rejected", "a refused answer to the parent is not tried again";
    DeadlineStopsNobody = "deadline_leaves_children_running", "the deadline of a batch leaves its children running";
    FailFastWaits = "fail_fast_waits", "a batch that should fail fast waits for all";
    LostChildForgotten = "lost_child_never_redispatched", "a dispatched task without a message is only warned about";
    WaitingRowsStay = "waiting_rows_stay", "the end of a turn leaves its waiting rows";
    OutboxAfterCommit = "messages_outside_the_batch", "messages are sent after the commit instead of with it";
    RebuiltHeadFromZero = "rebuilt_head_starts_at_zero", "a lost head is rebuilt at epoch 0";
    DuplicateRunsAgain = "duplicate_enqueue_accepted", "an enqueue that is repeated is queued again";
}
