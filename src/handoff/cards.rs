//! Makes a box of cards from a package. The box packs, composes and renders like any other, so a
//! preview can show the exact prompt of the receiver.

use super::finding::Findings;
use super::load::{LoadHandoff, MissingFile};
use super::order::{Depth, HandoffPart};
use super::package::Package;
use super::plan::{DEFAULT_BUDGET, Omission};
use super::refer::references;
use crate::prompt::tokens::Counter;
use crate::rule::ledger::{BoxLedger, Cause, Ledger};
use crate::rule::{Dependencies, Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Kind, Snapshot, Writes};
use crate::value::Map as IndexMap;
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Json, Object, to_json};
use crate::value::limits::Limits;
use crate::{Path, Result};
use serde::Serialize;

/// The content of the cards that a package becomes.
///
/// Shown by the example of [`MakeHandoffCards`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CardContent {
    /// The package, and one card with name and path for each file that it refers to.
    References,
    /// The pieces that [`LoadHandoff`] returns, one card for each.
    Loaded,
}

impl Argument for CardContent {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(field, &[("references", Self::References), ("loaded", Self::Loaded)])
    }
}

arguments! {
    /// Makes cards of a handoff package, and a box with the cards.
    ///
    /// ```
    /// use tuckbox::handoff::{CardContent, MakeHandoffCards};
    /// # use tuckbox::handoff::{Package, example};
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::value::json::{Field, Json};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// # let store = MemoryStore::new();
    /// let call = MakeHandoffCards::new(package, "designer");
    /// assert_eq!(call.content, CardContent::References);
    /// let made = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(made.value.card_ids.len(), 4, "the package and its three files");
    /// assert_eq!(made.value.spent, None, "nothing was loaded");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct MakeHandoffCards {
        /// The package.
        pub package: Package,
        /// Whether the cards have references, or the content that `load_handoff` returns.
        pub content: CardContent = CardContent::References,
        /// The maximum number of tokens of loaded content.
        pub budget: u64 = DEFAULT_BUDGET,
        /// How much of the package to load.
        pub depth: Depth = Depth::AllCases,
        /// The author of the cards.
        pub author_id: String,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
        setting limits: Limits,
    }
}

/// The box of a package.
///
/// Shown by the example of [`MakeHandoffCards`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoffBox {
    /// The new box.
    pub box_id: BoxId,
    /// The ids of its cards, in order.
    pub card_ids: CardIds,
    /// The tokens of the loaded content. Missing for references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<u64>,
    /// The parts that were not loaded.
    pub left_out: Vec<Omission>,
    /// The files that the store does not have.
    pub missing: Vec<MissingFile>,
}

/// A card to make, and the path of its source in the package.
struct Draft {
    card: NewCard,
    path: Path,
}

impl MakeHandoffCards {
    /// Returns a call that makes references.
    pub fn new(package: Package, author_id: impl Into<String>) -> Self {
        Self {
            package,
            author_id: author_id.into(),
            content: CardContent::References,
            budget: DEFAULT_BUDGET,
            depth: Depth::AllCases,
            operation_id: None,
            limits: Limits::default(),
        }
    }

    /// Returns the call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn drafts(&self, snapshot: &Snapshot, counter: &dyn Counter) -> Result<Step<DraftBox>> {
        match self.content {
            CardContent::References => self.refer().map(Step::Done),
            CardContent::Loaded => {
                let (budget, depth) = (self.budget, self.depth);
                let load = LoadHandoff { package: self.package.clone(), budget, depth };
                self.content_cards(ready!(load.load(snapshot, counter)?)).map(Step::Done)
            }
        }
    }

    fn refer(&self) -> Result<DraftBox> {
        let findings = super::check::verify_call(&self.package, None)?;
        let head = match &self.package {
            Package::InitToExecute(package) => package.to_json(),
            Package::ExecuteToInit(package) => package.head(),
        };
        let card = self.card("handoff.package", Content::json(head)?, Object::default());
        let mut drafts = vec![Draft { card, path: package_path() }];
        for reference in references(&self.package)? {
            let data = Json::from([
                ("read", reference.what.as_str()),
                ("name", reference.name.as_str()),
                ("path", reference.file.as_str()),
            ]);
            drafts.push(Draft {
                card: self.card("handoff.artifact", Content::json(data)?, Object::default()),
                path: package_path().join(&reference.path),
            });
        }
        Ok(DraftBox { drafts, findings, spent: None, left_out: Vec::new(), missing: Vec::new() })
    }

    fn content_cards(&self, loaded: super::load::LoadedHandoff) -> Result<DraftBox> {
        let places: IndexMap<(HandoffPart, String), Path> = references(&self.package)?
            .into_iter()
            .map(|reference| ((reference.what, reference.name), reference.path))
            .collect();
        let mut drafts = Vec::with_capacity(loaded.pieces.len());
        for piece in loaded.pieces {
            let name = piece.step.name.clone().unwrap_or_default();
            let place = match piece.step.read {
                HandoffPart::Package => None,
                HandoffPart::Report => Some(Path::root().key("layer1_problems_report_path")),
                HandoffPart::Entry => Some(Path::root().key("failure_samples_index")),
                what @ (HandoffPart::Sample
                | HandoffPart::Trace
                | HandoffPart::Evaluation
                | HandoffPart::Attribution
                | HandoffPart::Artifact) => places.get(&(what, name)).cloned(),
            };
            let account = Object::from_iter([("handoff".to_owned(), to_json(&piece.step)?)]);
            drafts.push(Draft {
                card: self.card("handoff.content", Content::text(piece.text), account),
                path: place.map_or_else(package_path, |place| package_path().join(&place)),
            });
        }
        Ok(DraftBox {
            drafts,
            findings: loaded.findings,
            spent: Some(loaded.spent),
            left_out: loaded.left_out,
            missing: loaded.missing,
        })
    }

    fn card(&self, card_type: &str, content: Content, mut metadata: Object) -> NewCard {
        metadata.insert("role".to_owned(), "user".into());
        NewCard { metadata, ..NewCard::new(card_type, self.author_id.as_str(), content) }
    }
}

/// The content of the box, without ids.
struct DraftBox {
    drafts: Vec<Draft>,
    findings: Findings,
    spent: Option<u64>,
    left_out: Vec<Omission>,
    missing: Vec<MissingFile>,
}

impl Rule for MakeHandoffCards {
    type Value = HandoffBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<HandoffBox>>> {
        let drafted = ready!(self.drafts(snapshot, &super::operations::COUNTER)?);
        let project = snapshot.project_id();
        let mut minter = env.minter();
        let operation_id = match &self.operation_id {
            Some(operation_id) => operation_id.clone(),
            None => minter.operation_id(),
        };
        let mut writes = Writes::new(project.clone(), operation_id, env.now);
        let mut causes = Vec::with_capacity(drafted.drafts.len());
        for Draft { card, path } in drafted.drafts {
            let card = Card::make(card, project, minter.card_id(), env.now, &self.limits)
                .map_err(|error| error.at(path.clone()))?;
            causes.push(Cause::Argument { arg_key: "package".to_owned(), path });
            writes.cards.push(card);
        }
        let mut relied = Dependencies::default();
        for file in &drafted.missing {
            relied.on(snapshot, Kind::Files, file.path.as_str());
        }
        writes.expects = relied.into_expects();
        let card_ids: CardIds = writes.cards.iter().map(|card| card.card_id.as_str()).collect();
        let box_id = minter.box_id();
        let card_box = CardBox::new(box_id.clone(), card_ids.clone());
        writes.boxes.push(BoxChange::Create { card_box });
        let mut account = BoxLedger::new(box_id.clone(), card_ids.clone());
        account.made(causes);
        Ok(Step::Done(Outcome {
            value: HandoffBox {
                box_id,
                card_ids,
                spent: drafted.spent,
                left_out: drafted.left_out,
                missing: drafted.missing,
            },
            writes,
            ledger: Ledger { boxes: vec![account], ..Ledger::default() },
            lints: drafted.findings.to_lints(),
        }))
    }
}

fn package_path() -> Path {
    Path::root().key("package")
}
