//! Recorded turn views, stored by ids and versions.
//!
//! A recorded view has the prompt and the tools as cards, and one row of
//! [`turn_views`](table::TURN_VIEWS). The row has the cards and versions of the boxes, and the
//! cards that could not be read. Cards never change, so the row is enough to return the same bytes
//! again, even after boxes and pointers change. The row has a hash of those bytes; a view that
//! differs is an error.

use super::merge::Pair;
use super::profile::TurnProfile;
use super::view::{self, Assembled, Frame, Sight, Turn};
use crate::render::Hidden;
use crate::rule::{Cursor, Dialect, Outcome, Step, ready};
use crate::store::{
    Before, BoxChange, Lookup, Overlay, Presence, RowChange, RowKey, Snapshot, TableRow, Writes,
    table,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::hex::hex;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Field, Json, Object, to_json, to_text};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{Code, Error, Path, Result};
use sha2::{Digest, Sha256};

/// Returns the key of the agent's head, which has its running turn.
pub(super) fn head(agent_id: &AgentId) -> RowKey {
    RowKey::new(&table::HEADS, [agent_id.as_str()])
}

/// Returns the row that records a view. `cards` are its prompt and its tools.
pub(super) fn keep(
    turn: &Turn,
    cards: &[Card],
    pair: &Pair,
    dialect: Dialect,
    overlay: &Overlay<'_>,
    env: &Env,
) -> Result<RowChange> {
    let mut row = Object::default();
    let mut put = |name: &str, value: Json| drop(row.insert(name.to_owned(), value));
    put("view_id", turn.view_id.as_deref().unwrap_or_default().into());
    if let Some(agent_id) = &turn.agent_id {
        put("agent_id", agent_id.as_str().into());
        if let Lookup::Present(head) = overlay.snapshot().row_of(&head(agent_id))
            && let Some(agent_turn_id) = head.text("active_agent_turn_id")
        {
            put("agent_turn_id", agent_turn_id.into());
        }
    }
    put("at", env.now.into());
    put("dialect", dialect.name.into());
    for (side, box_id) in [("context", &pair.context_box_id), ("output", &pair.output_box_id)] {
        let Some(box_id) = box_id else { continue };
        put(&format!("{side}_box_id"), box_id.into());
        if let Lookup::Present(card_box) = overlay.card_box(box_id.as_str()) {
            put(&format!("{side}_version"), card_box.version.into());
            put(&format!("{side}_card_ids"), to_json(&card_box.card_ids)?);
        }
    }
    for (name, card) in ["prompt_card_id", "tools_card_id"].into_iter().zip(cards) {
        put(name, card.card_id.as_str().into());
    }
    if let Some(profile) = &turn.profile {
        put("profile", to_json(profile)?);
    }
    let mut reasons: StrMap<&str> = StrMap::new();
    for missing in &turn.missing {
        reasons.insert(missing.seat.card_id.as_str(), missing.reason.as_str());
    }
    let missing: Vec<Json> = reasons
        .iter()
        .map(|(card_id, reason)| {
            Json::from([("card_id", Json::from(card_id)), ("reason", Json::from(*reason))])
        })
        .collect();
    put("missing", Json::Array(missing));
    put("tools_left_out", to_json(&turn.tools_left_out)?);
    put("content_hash", hash(turn)?.into());
    RowChange::put(&table::TURN_VIEWS, row, Before::Absent)
}

fn hash(turn: &Turn) -> Result<String> {
    Ok(hex(&Sha256::digest(to_text(turn)?)))
}

/// Returns a recorded view.
pub(super) fn replay(view_id: &str, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Turn>>> {
    let of = RowKey::new(&table::TURN_VIEWS, [view_id]);
    let mut cursor = Cursor::new(snapshot);
    let path = || Path::root().key("recorded");
    let Presence::Read(row) = cursor.row(&of)? else { return Ok(cursor.need()) };
    let Some(row) = row else {
        return Err(Error::not_found(format!(
            "no recorded view `{view_id}` in project `{}`",
            snapshot.project_id()
        ))
        .at(path())
        .detail("view_id", view_id));
    };
    let seen = Seen::from_row(row)?;
    // the boxes as they were; one that did not exist does not exist
    let mut boxes = Writes::new(snapshot.project_id().clone(), view_id, env.now);
    for (box_id, card_ids) in [
        (&seen.pair.context_box_id, &seen.context_card_ids),
        (&seen.pair.output_box_id, &seen.output_card_ids),
    ] {
        let Some(box_id) = box_id else { continue };
        let ids = card_ids.iter().flatten().map(String::as_str).collect();
        let mut card_box = CardBox::new(box_id.clone(), ids);
        card_box.deleted_at = card_ids.is_none().then_some(env.now);
        boxes.boxes.push(BoxChange::Create { card_box });
    }
    let overlay = Overlay::after(snapshot, &boxes);
    let mut cursor = Cursor::over(&overlay);
    let merged = seen.pair.merge(&mut cursor, seen.dialect)?;
    let Some(merged) = merged else { return Ok(cursor.need()) };
    let looked_up = view::look_up(&merged, &overlay, &mut cursor);
    let mut cards = Vec::new();
    for card_id in &seen.frame_card_ids {
        match cursor.card(card_id)? {
            Presence::Read(Some(card)) => cards.push(card.clone()),
            Presence::Unread => {}
            Presence::Read(None) => return Err(changed(view_id, path())),
        }
    }
    ready!(cursor.step());
    let frame = Frame {
        agent_id: seen.agent_id,
        profile: seen.profile,
        prompt: None,
        tools: Vec::new(),
        tools_left_out: seen.tools_left_out,
        system_append: None,
        record: true,
        limits: Limits::default(),
    };
    let sight = Sight::Then { missing: &seen.missing, cards };
    let Assembled { mut turn, lints, .. } =
        view::assemble(frame, merged, looked_up, &overlay, sight)?;
    turn.view_id = Some(view_id.to_owned());
    turn.context_box_id = seen.pair.context_box_id;
    turn.output_box_id = seen.pair.output_box_id;
    if hash(&turn)? != seen.content_hash {
        return Err(changed(view_id, path()));
    }
    Ok(Step::Done(Outcome::answer(turn, lints, snapshot, env)))
}

fn changed(view_id: &str, path: Path) -> Error {
    Error::conflict(format!(
        "recorded view `{view_id}` cannot be shown: some of its cards are missing or changed"
    ))
    .at(path)
    .detail("view_id", view_id)
}

/// A row of recorded views.
struct Seen {
    agent_id: Option<AgentId>,
    dialect: Dialect,
    pair: Pair,
    /// The cards of the boxes; `None` for a box that did not exist.
    context_card_ids: Option<Vec<String>>,
    output_card_ids: Option<Vec<String>>,
    /// The prompt and the tools.
    frame_card_ids: Vec<String>,
    profile: Option<TurnProfile>,
    /// By card: why it was hidden.
    missing: StrMap<Hidden>,
    tools_left_out: Vec<String>,
    content_hash: String,
}

impl Seen {
    fn from_row(row: &TableRow) -> Result<Self> {
        let json = Json::Object(Object::clone(&row.row));
        let fields = Field::new(&json, Code::Store).object()?;
        let text = |name: &str| -> Result<Option<String>> {
            fields.optional(name).map(|field| field.string().map(str::to_owned)).transpose()
        };
        let texts = |name: &str| -> Result<Option<Vec<String>>> {
            let texts = fields.optional(name).map(|field| field.strings()).transpose()?;
            Ok(texts.map(|texts| texts.into_iter().map(str::to_owned).collect()))
        };
        let mut missing = StrMap::new();
        for hidden in fields.required("missing")?.list()? {
            let hidden = hidden.object()?;
            let reason = hidden.required("reason")?;
            let reason = Hidden::named(reason.string()?)
                .ok_or_else(|| reason.error("unknown reason for a hidden card"))?;
            missing.insert(hidden.required("card_id")?.string()?, reason);
        }
        Ok(Self {
            agent_id: text("agent_id")?.map(AgentId::from),
            dialect: Dialect::from_json(Some(fields.required("dialect")?))?,
            pair: Pair {
                context_box_id: text("context_box_id")?.map(BoxId::from),
                output_box_id: text("output_box_id")?.map(BoxId::from),
            },
            context_card_ids: texts("context_card_ids")?,
            output_card_ids: texts("output_card_ids")?,
            frame_card_ids: [text("prompt_card_id")?, text("tools_card_id")?]
                .into_iter()
                .flatten()
                .collect(),
            profile: fields
                .optional("profile")
                .map(|field| TurnProfile::from_row(&field))
                .transpose()?,
            missing,
            tools_left_out: texts("tools_left_out")?.unwrap_or_default(),
            content_hash: fields.required("content_hash")?.string()?.to_owned(),
        })
    }
}
