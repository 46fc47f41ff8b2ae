//! The bridge to cards: a package becomes a box that packs, composes and renders like any other,
//! so that a handoff can be looked at as the receiver's exact prompt before anything is stored.

use super::finding::Findings;
use super::load::{Load, MissingFile};
use super::order::{Depth, What};
use super::package::Package;
use super::plan::LeftOut;
use super::refer::references;
use crate::prompt::tokens::Counter;
use crate::rule::ledger::{BoxLedger, Cause, Ledger};
use crate::rule::{Outcome, Relied, Rule, Step, ready};
use crate::store::{BoxChange, Kind, Snapshot, Writes};
use crate::value::Map as IndexMap;
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Json, Object, to_json};
use crate::value::limits::Limits;
use crate::{Path, Result};
use serde::Serialize;

/// What the cards hold.
///
/// Shown by the example of [`ToCards`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardContent {
    /// The package, and one card for each file that it points to: name and path, no content.
    References,
    /// What a [load](Load) within this budget and depth gives, one card a piece.
    Loaded {
        /// The most tokens that may be spent.
        budget: u64,
        /// How far to read.
        depth: Depth,
    },
}

/// Makes cards of a package, and a box of the cards.
///
/// ```
/// use tuckbox::handoff::{CardContent, ToCards};
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::{Field, Json};
/// # use tuckbox::{Env, Limits, Timestamp, rule};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// # let store = MemoryStore::new();
/// let call = ToCards {
///     package, content: CardContent::References, author_id: "designer".into(), operation_id: None, limits: Limits::default() };
/// let made = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(made.value.card_ids.len(), 4, "the package and its three files");
/// assert_eq!(made.value.spent, None, "nothing was loaded");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToCards {
    /// The package.
    pub package: Package,
    /// What the cards hold.
    pub content: CardContent,
    /// Who hands over: the author of the cards.
    pub author_id: String,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
    /// What a card may hold.
    pub limits: Limits,
}

/// A package as a box.
///
/// Shown by the example of [`ToCards`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoffBox {
    /// The new box.
    pub box_id: BoxId,
    /// Its cards, in order.
    pub card_ids: CardIds,
    /// What the cards cost together, where content was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<u64>,
    /// What was not loaded.
    pub left_out: Vec<LeftOut>,
    /// What could not be loaded.
    pub missing: Vec<MissingFile>,
}

/// A card to be, and what in the package it comes from.
struct Draft {
    card: NewCard,
    path: Path,
}

impl ToCards {
    /// Reads `{package, author_id, content?: "references" | "loaded", budget?, depth?,
    /// operation_id?}`.
    ///
    /// # Errors
    /// `bad_request` for what is unknown or mistyped, `invalid_content` for a package that cannot
    /// be read.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let known = ["op", "package", "author_id", "content", "budget", "depth", "operation_id"];
        fields.only(&known)?;
        let load = Load::new(Package::from_json(&fields.required("package")?)?);
        let budget = fields.optional("budget").map(|field| field.count()).transpose()?;
        let depth = fields.optional("depth").as_ref().map(super::plan::read_depth).transpose()?;
        let content = match fields.optional("content") {
            None => CardContent::References,
            Some(field) => match field.string()? {
                "references" => CardContent::References,
                "loaded" => CardContent::Loaded {
                    budget: budget.unwrap_or(load.budget),
                    depth: depth.unwrap_or(load.depth),
                },
                other => {
                    return Err(field.error(format!(
                        "there is no content `{other}`; `references` and `loaded` are"
                    )));
                }
            },
        };
        let operation_id = fields.optional("operation_id");
        Ok(Self {
            package: load.package,
            content,
            author_id: fields.required("author_id")?.string()?.to_owned(),
            operation_id: operation_id.map(|id| id.string().map(str::to_owned)).transpose()?,
            limits: Limits::default(),
        })
    }

    fn drafts(&self, snapshot: &Snapshot, counter: &dyn Counter) -> Result<Step<Drafted>> {
        match self.content {
            CardContent::References => self.refer().map(Step::Done),
            CardContent::Loaded { budget, depth } => {
                let load = Load { package: self.package.clone(), budget, depth };
                self.content_cards(ready!(load.load(snapshot, counter)?)).map(Step::Done)
            }
        }
    }

    fn refer(&self) -> Result<Drafted> {
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
        Ok(Drafted { drafts, findings, spent: None, left_out: Vec::new(), missing: Vec::new() })
    }

    fn content_cards(&self, loaded: super::load::Loaded) -> Result<Drafted> {
        let places: IndexMap<(What, String), Path> = references(&self.package)?
            .into_iter()
            .map(|reference| ((reference.what, reference.name), reference.path))
            .collect();
        let mut drafts = Vec::with_capacity(loaded.pieces.len());
        for piece in loaded.pieces {
            let name = piece.step.name.clone().unwrap_or_default();
            let place = match piece.step.read {
                What::Package => None,
                What::Report => Some(Path::root().key("layer1_problems_report_path")),
                What::Entry => Some(Path::root().key("failure_samples_index")),
                what @ (What::Sample
                | What::Trace
                | What::Evaluation
                | What::Attribution
                | What::Artifact) => places.get(&(what, name)).cloned(),
            };
            let account = Object::from_iter([("handoff".to_owned(), to_json(&piece.step)?)]);
            drafts.push(Draft {
                card: self.card("handoff.content", Content::text(piece.text), account),
                path: place.map_or_else(package_path, |place| package_path().join(&place)),
            });
        }
        Ok(Drafted {
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

/// Everything about the box but its ids.
struct Drafted {
    drafts: Vec<Draft>,
    findings: Findings,
    spent: Option<u64>,
    left_out: Vec<LeftOut>,
    missing: Vec<MissingFile>,
}

impl Rule for ToCards {
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
        let mut relied = Relied::default();
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
