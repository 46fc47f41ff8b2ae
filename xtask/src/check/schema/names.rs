//! The names of types in TypeScript that differ from Rust, and shapes that serde does not declare.

use super::shape::Shape;

/// Returns the shape of a name: types from macros, or types with their own serializer.
pub fn leaf(name: &str) -> Option<Shape> {
    Some(match name {
        "String" | "str" | "SharedText" | "ProjectId" | "TurnId" | "BatchId" | "OperationId"
        | "Timestamp" | "ContentHash" | "Path" | "ArtifactPath" => Shape::Text,
        "CardId" | "BoxId" | "AgentId" => Shape::Id,
        "bool" => Shape::Bool,
        "u8" | "u16" | "u32" | "u64" | "usize" => Shape::Whole(Some(0), None),
        "NonZeroU32" => Shape::Whole(Some(1), None),
        "i32" | "i64" => Shape::Whole(None, None),
        "f64" => Shape::Number,
        "Json" => Shape::Json,
        // any JSON; the types for callers name its known parts; only in a `shape!`
        "MessagePart" => Shape::Outside("json", "Json"),
        "Object" => Shape::Object,
        "CardIds" => Shape::List(Box::new(Shape::Text)),
        "Provider" => Shape::Code("codes", "Provider"),
        "Change" => Shape::Code("codes", "ChangeCode"),
        // only in a `shape!`
        "JsonText" => Shape::Outside("json", "JsonText"),
        "Base64" => Shape::Base64,
        "NonNegative" => Shape::NonNegative,
        // until the options of a payload are declared
        "PayloadOptions" => Shape::Outside("payload", "PayloadOptions"),
        "CounterFigures" => Shape::Outside("payload", "CounterFigures"),
        "IndexEntry" => Shape::Outside("handoff", "FailureSample"),
        "ContextKey" => Shape::Code("compose", "ContextKey"),
        "ContentType" => Shape::Code("cards", "ContentType"),
        _ => return None,
    })
}

/// Does the same as [`leaf`] for one declaration. An answer with a value of a call has the type of
/// the call.
pub fn leaf_at(whole: &str, is_input: bool) -> Option<Shape> {
    Some(match whole {
        "handoff::package::ExecuteToInit" if !is_input => {
            Shape::Outside("arguments", "ExecuteToInit")
        }
        "handoff::report::Report" if !is_input => {
            Shape::Outside("arguments", "Layer1ProblemsReport")
        }
        "value::time::Timestamp"
        | "value::error::Path"
        | "value::shared_text::SharedText"
        | "rule::hash::ContentHash"
        | "handoff::path::ArtifactPath" => Shape::Text,
        "value::json::Json" => Shape::Json,
        "agents::setup::AnyCall" => Shape::Outside("workspace", "Call"),
        "agents::recipe::preview::HandoverCall" => Shape::Outside("handover", "HandoverCall"),
        "value::json::number::Number" => Shape::Number,
        "value::json::object::Object" => Shape::Object,
        "rule::lint::LintCode" => Shape::Code("codes", "LintCode"),
        "rule::dialect::DialectName" => Shape::Code("arguments", "Dialect"),
        "value::ids::CardIds" => Shape::List(Box::new(Shape::Text)),
        _ => return None,
    })
}

/// Returns the union in `codes.d.ts` of an enum of codes.
pub fn codes(whole: &str) -> Option<&'static str> {
    Some(match whole {
        "handoff::finding::Kind" => "FindingType",
        "import::lint::ImportLint" => "ImportLintCode",
        "rule::ledger::DropReason" => "DropReason",
        _ => return None,
    })
}

/// Returns the name of a declaration in TypeScript, or nothing if it is written inline.
pub fn typescript(whole: &str, is_input: bool) -> Option<&'static str> {
    let of_arguments = if is_input { ARGUMENT_NAMES } else { &[] };
    let names = of_arguments.iter().chain(NAMES);
    names.into_iter().find(|(known, _)| *known == whole).map(|(_, ts)| *ts)
}

/// The declarations with an exported name. All others are written inline, because exported names
/// are part of the API.
pub const NAMES: &[(&str, &str)] = &[
    ("agents::recipe::custom::CustomRecipe", "CheckedRecipe"),
    ("agents::recipe::dispatch::DispatchRequest", "DispatchRequest"),
    ("agents::recipe::dispatch::Handed", "Handed"),
    ("agents::recipe::dispatch::Strategy", "Strategy"),
    ("agents::recipe::fork_join::ForkJoinArguments", "ForkJoinArguments"),
    ("agents::recipe::fork_join::Forked", "Forked"),
    ("agents::recipe::preview::Preview", "HandoverPreview"),
    ("agents::recipe::preview::subject::Receiver", "Receiver"),
    ("agents::registry::entry::Changed", "RegistryChange"),
    ("agents::registry::list::Listed", "ListedRows"),
    ("agents::registry::pointers::Pointers", "MovedPointers"),
    ("agents::turn::merge::Seat", "Seat"),
    ("agents::turn::merge::Side", "Side"),
    ("agents::turn::merge::TurnCards", "TurnCards"),
    ("agents::turn::profile::TurnProfile", "TurnProfile"),
    ("agents::turn::view::Place", "Place"),
    ("agents::turn::view::Turn", "Turn"),
    ("agents::turn::view::TurnEntry", "TurnEntry"),
    ("cards::read::Boxes", "Boxes"),
    ("cards::read::Cards", "Cards"),
    ("cards::read::Missing", "Missing"),
    ("handoff::excerpt::Excerpt", "Cut"),
    ("handoff::finding::Finding", "Finding"),
    ("handoff::load::LoadedHandoff", "LoadedHandoff"),
    ("handoff::load::MissingFile", "MissingFile"),
    ("handoff::order::Depth", "Depth"),
    ("handoff::order::HandoffPart", "HandoffPart"),
    ("handoff::plan::Omission", "HandoffLeftOut"),
    ("handoff::plan::LoadStep", "LoadStep"),
    ("handoff::plan::Plan", "LoadPlan"),
    ("import::report::ImportOrigin", "ImportOrigin"),
    ("import::report::ImportReport", "ImportReport"),
    ("import::report::ImportUnknown", "ImportUnknown"),
    ("import::report::ImportedRequest", "ImportedRequest"),
    ("import::report::ImportedSession", "ImportedSession"),
    ("import::report::UnknownSubject", "UnknownSubject"),
    ("import::rule::NeutralRequest", "NeutralRequest"),
    ("import::timeline::answer::MessageDetail", "MessageDetail"),
    ("import::timeline::answer::MessagePart", "TimelinePart"),
    ("import::timeline::answer::MessageRow", "MessageRow"),
    ("import::timeline::answer::PartKind", "PartKind"),
    ("import::timeline::answer::StepChange", "StepChange"),
    ("import::timeline::answer::StepDetail", "StepDetail"),
    ("import::timeline::answer::TimelineHits", "TimelineHits"),
    ("import::timeline::answer::TimelineOrigin", "TimelineOrigin"),
    ("import::timeline::answer::TimelineOverview", "TimelineOverview"),
    ("import::timeline::answer::TimelineStep", "TimelineStep"),
    ("import::timeline::answer::TokenGroup", "TokenGroup"),
    ("inspect::View", "View"),
    ("inspect::compare::Comparison", "Comparison"),
    ("inspect::compare::Run", "ComparedRun"),
    ("inspect::compare::Side", "ComparedSide"),
    ("inspect::find::Found", "Found"),
    ("inspect::kind::CardKind", "CardKind"),
    ("inspect::picture::BoxView", "BoxView"),
    ("inspect::picture::Level", "WindowLevel"),
    ("inspect::picture::Part", "Part"),
    ("inspect::picture::Source", "PartSource"),
    ("inspect::problem::Problem", "Problem"),
    ("inspect::request::CardCost", "CardCost"),
    ("inspect::request::Reader", "Reader"),
    ("inspect::request::RequestView", "RequestView"),
    ("inspect::row::Row", "Row"),
    ("inspect::search::Hit", "Hit"),
    ("inspect::search::Hits", "Hits"),
    ("pack::packing::Packed", "Packed"),
    ("prompt::budget::Dropped", "DroppedMessage"),
    ("prompt::budget::Fit", "OtherFit"),
    ("prompt::budget::Fitted", "Fitted"),
    ("prompt::cache::answer::AlsoCause", "AlsoCause"),
    ("prompt::cache::answer::CacheExplanation", "CacheExplanation"),
    ("prompt::cache::answer::CachePlace", "CachePlace"),
    ("prompt::cache::answer::CachePrice", "CachePrice"),
    ("prompt::cache::answer::CacheTtl", "CacheTtl"),
    ("prompt::cache::answer::Cause", "CacheCause"),
    ("prompt::cache::answer::RequestCache", "RequestCache"),
    ("prompt::cache::body::Region", "CacheRegion"),
    ("prompt::cache::compaction::AccountedMessage", "AccountedMessage"),
    ("prompt::cache::compaction::Compaction", "AccountedCompaction"),
    ("prompt::cache::compaction::CompactionAccount", "CompactionAccount"),
    ("prompt::cache::compaction::CompactionFinding", "CompactionFinding"),
    ("prompt::cache::compaction::FateTotals", "FateTotals"),
    ("prompt::cache::facts::Fact", "CacheFact"),
    ("prompt::cache::policy::CacheRules", "CacheRules"),
    ("prompt::cache::summary::CacheSummary", "CacheSummary"),
    ("prompt::collect::operations::Collected", "Collected"),
    ("prompt::compose::input::Query", "Query"),
    ("prompt::compose::layer::Layer", "Layer"),
    ("prompt::compose::ledger::LeftOut", "LeftOut"),
    ("prompt::compose::operations::Prompt", "Composed"),
    ("prompt::compose::operations::PromptTables", "PromptTables"),
    ("prompt::compose::process::Process", "Process"),
    ("prompt::diff::PayloadDiff", "PayloadDiff"),
    ("prompt::diff::Place", "PayloadPlace"),
    ("prompt::diff::cache::CachePolicy", "CachePolicy"),
    ("prompt::memory::Memory", "Memory"),
    ("prompt::memory::effect::Step", "MemoryStep"),
    ("prompt::memory::operations::Changed", "ChangedMemory"),
    ("prompt::memory::operations::Entered", "EnteredQuery"),
    ("prompt::memory::operations::WrittenBack", "WrittenBack"),
    ("prompt::provider::Payload", "Payload"),
    ("prompt::provider::loss::Loss", "Loss"),
    ("prompt::provider::response::Response", "Response"),
    ("prompt::provider::response::answer::Usage", "Usage"),
    ("prompt::provider::tools::Renamed", "RenamedTool"),
    ("prompt::tokens::TokenCount", "TokenCount"),
    ("prompt::tokens::account::Account", "Account"),
    ("prompt::tokens::account::Bucket", "Bucket"),
    ("prompt::tokens::account::Section", "Section"),
    ("render::Rendered", "Rendered"),
    ("render::entry::Entry", "RenderedCard"),
    ("rule::audit::Audit", "Audit"),
    ("rule::audit::Authority", "Authority"),
    ("rule::ledger::Cause", "Cause"),
    ("rule::ledger::Entry", "LedgerEntry"),
    ("rule::ledger::Transition", "Transition"),
    ("rule::lint::Lint", "Lint"),
    ("run::queue::identity::Ready", "AgentReady"),
    ("run::queue::dispatch::DispatchRefusal", "DispatchRefusal"),
    ("run::queue::dispatch::Dispatched", "Dispatched"),
    ("run::watch::due::DueCall", "DueCall"),
    ("run::batch::recipe::answer::HandOutAnswer", "HandedOut"),
    ("run::queue::inbox::InboxItem", "InboxItem"),
    ("run::queue::edge::Noted", "Noted"),
    ("run::wire::outbox::OutboxMessage", "OutboxMessage"),
    ("run::queue::promote::Promoted", "Promoted"),
    ("run::turn::work::QueuedWork", "QueuedWork"),
    ("run::watch::timeouts::Reap", "ReapedTurns"),
    ("run::queue::answer::Refused", "Refused"),
    ("run::queue::answer::Answer", "RunAnswer"),
    ("run::queue::answer::RunRefusal", "RunRefusal"),
    ("run::overview::RunState", "RunState"),
    ("run::queue::send::Sent", "Sent"),
    ("run::batch::result::TaskResult", "TaskResult"),
    ("run::turn::work::ToolReport", "ToolReport"),
    ("run::rows::Batch", "BatchRow"),
    ("run::rows::Edge", "EdgeRow"),
    ("run::rows::Head", "HeadRow"),
    ("run::rows::Inbox", "InboxRow"),
    ("run::rows::StepRow", "StepRow"),
    ("run::rows::Task", "TaskRow"),
    ("run::rows::Waiting", "WaitingRow"),
    ("run::rows::status::BatchStatus", "BatchStatus"),
    ("run::rows::status::HeadStatus", "AgentStatus"),
    ("run::rows::status::InboxStatus", "InboxStatus"),
    ("run::rows::status::TaskStatus", "TaskStatus"),
    ("store::writes::BoxVersion", "BoxVersion"),
    ("store::writes::Receipt", "Receipt"),
    ("value::boxes::CardBox", "BoxRow"),
    ("value::card::Card", "CardRow"),
    ("value::card::content::Content", "Content"),
    ("value::card::content::FieldSchema", "FieldSchema"),
    ("value::card::content::FileContent", "FileContent"),
    ("value::card::wire::WireCard", "WireCard"),
    ("value::message::Message", "Message"),
];

/// Types of arguments whose names differ from their structs in `arguments!`.
const ARGUMENT_NAMES: &[(&str, &str)] = &[
    ("agents::recipe::custom::Argument", "Argument"),
    ("agents::recipe::custom::ArgumentType", "ArgumentType"),
    ("agents::recipe::custom::CustomRecipe", "CustomRecipe"),
    ("agents::recipe::delegate::ExpertQuestion", "ExpertQuestion"),
    ("agents::recipe::delegate::PrincipalTask", "PrincipalTask"),
    ("agents::recipe::delegate::TaskArguments", "Task"),
    ("agents::recipe::fork_join::ForkJoinArguments", "ForkJoinTasks"),
    ("agents::turn::TurnViewArguments", "TurnView"),
    ("cards::put::CardToPut", "NewCard"),
    ("cards::put::NewContent", "NewContent"),
    ("handoff::package::ExecuteToInit", "ExecuteToInit"),
    ("handoff::package::InitToExecute", "InitToExecute"),
    ("handoff::package::Package", "HandoffPackage"),
    ("handoff::report::Problem", "Layer1Problem"),
    ("handoff::report::Report", "Layer1ProblemsReport"),
    ("import::rule::ImportFile", "ImportFile"),
    ("inspect::request::RequestTerms", "RequestTerms"),
    ("inspect::subject::Subject", "InspectSubject"),
    ("pack::builder::Handover", "Handover"),
    ("prompt::collect::CollectInput", "CollectContexts"),
    ("prompt::compose::input::ComposeInput", "Compose"),
    ("prompt::compose::input::Contexts", "Contexts"),
    ("prompt::memory::change::Change", "Change"),
    ("prompt::memory::restore::State", "StateInput"),
    ("prompt::provider::choice::ToolChoice", "ToolChoice"),
    ("prompt::provider::options::Effort", "Effort"),
    ("prompt::provider::options::Options", "PayloadOptions"),
    ("prompt::provider::prompt::OriginInput", "Origin"),
    ("prompt::provider::quirks::Quirk", "Quirk"),
    ("prompt::provider::response::rule::ReadResponseArguments", "ReadResponse"),
    ("prompt::provider::rule::Source", "PromptSource"),
    ("prompt::tokens::rule::CounterInput", "CounterFigures"),
    ("rule::dialect::Dialect", "Dialect"),
    ("run::batch::recipe::HandOutArguments", "HandOut"),
    ("run::batch::recipe::RecipeCall", "RecipeCall"),
    ("run::turn::resume::ResumePayload", "ResumePayload"),
    ("run::watch::due::DueRule", "DueRule"),
    ("run::wire::trace::MessageHeaders", "MessageHeaders"),
];

/// Structs of arguments without a name in TypeScript. They are written inline.
pub const UNNAMED_ARGUMENTS: &[&str] = &[
    "prompt::compose::operations::ListPromptTables",
    "prompt::memory::change::MessageList",
    "prompt::memory::change::ResultList",
    "prompt::provider::models::ModelCache",
    "prompt::provider::prompt::GivenPrompt",
    "prompt::tokens::estimate::Scaled",
    "prompt::tokens::rule::CalibrationInput",
    "prompt::tokens::rule::HostCounts",
    "prompt::tokens::rule::Scale",
];

/// Types that hosts get in addition to the answers of operations.
pub const ALSO: &[&str] =
    &["rule::ledger::Entry", "rule::ledger::Transition", "store::writes::Receipt"];
