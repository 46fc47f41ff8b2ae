//! Cards made from arguments, and the pointer to the parent.

use super::PackContext;
use super::handover::{Handover, expected, ignored, inherit_path, packing_path, rule_path};
use crate::rule::ledger::{Cause, Dropped};
use crate::rule::lint::Lint;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::Minter;
use crate::value::error::Step;
use crate::value::id::ProjectId;
use crate::value::json::{Field, Json, Object, trim};
use crate::value::time::Timestamp;
use crate::{Code, Error, Path, Result};

/// What making a card needs beside its content.
pub(super) struct Maker<'a> {
    pub call: &'a PackContext,
    pub project_id: &'a ProjectId,
    pub now: Timestamp,
}

/// The cards made from arguments, with their causes in the same order.
#[derive(Default)]
pub(super) struct Made {
    pub cards: Vec<Card>,
    pub causes: Vec<Cause>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
    /// How much content they hold.
    pub bytes: usize,
}

impl Maker<'_> {
    fn make(&self, card: NewCard, minter: &mut Minter) -> Result<Card> {
        Card::make(card, self.project_id, minter.card_id(), self.now, &self.call.limits)
    }
}

impl Handover<'_> {
    /// One card for each rule of `pack_arguments` whose argument is there.
    pub fn make_cards(&self, maker: &Maker<'_>, minter: &mut Minter) -> Result<Made> {
        let mut made = Made::default();
        let path = packing_path().key("pack_arguments");
        let rules = match self.packing.get("pack_arguments") {
            None => return Ok(made),
            Some(Json::Array(rules)) => rules,
            Some(Json::Null) => return Ok(made),
            Some(number @ Json::Number(_)) if number.is_truthy() => {
                return Err(expected("a list", number, &path));
            }
            Some(truth @ Json::Bool(true)) => return Err(expected("a list", truth, &path)),
            Some(other) => {
                if other.is_truthy() {
                    made.lints.push(ignored(path, "a list of rules", other));
                }
                return Ok(made);
            }
        };
        for (index, rule) in rules.iter().enumerate() {
            self.apply_rule(rule, &rule_path(index), maker, minter, &mut made)?;
        }
        Ok(made)
    }

    fn apply_rule(
        &self,
        rule: &Json,
        path: &Path,
        maker: &Maker<'_>,
        minter: &mut Minter,
        made: &mut Made,
    ) -> Result<()> {
        let Json::Object(rule) = rule else {
            made.dropped.push(Dropped { path: path.clone(), reason: "not_an_object" });
            made.lints.push(ignored(path.clone(), "a rule object", rule));
            return Ok(());
        };
        let metadata = metadata(rule, path)?;
        let Some(arg_key) = arg_key(rule, path, made)? else {
            made.dropped.push(Dropped { path: path.clone(), reason: "no_arg_key" });
            return Ok(());
        };
        let Some(value) = self.arguments.get(arg_key) else {
            made.dropped.push(Dropped { path: path.clone(), reason: "argument_absent" });
            return Ok(());
        };
        let value_path = Path::root().key("arguments").key(arg_key);
        let card_type = card_type(rule, path)?;
        made.bytes += maker.call.limits.size(value);
        maker.call.limits.check_bytes(made.bytes, &value_path)?;
        let content = content(&card_type, value, &value_path, made)?;
        let card = NewCard {
            card_type,
            author_id: maker.call.tool_suffix.clone(),
            content,
            metadata,
            tool_calls: None,
            tool_call_id: None,
            ttl_seconds: None,
        };
        let card = maker.make(card, minter).map_err(|error| in_call(error, &value_path, path))?;
        made.cards.push(card);
        made.causes.push(Cause::Argument { arg_key: arg_key.to_owned(), path: path.clone() });
        Ok(())
    }

    /// The pointer to the parent, when it is asked for.
    pub fn parent_pointer(
        &self,
        maker: &Maker<'_>,
        minter: &mut Minter,
        source_agent_id: &str,
        lints: &mut Vec<Lint>,
    ) -> Result<Option<(Card, Cause)>> {
        let path = inherit_path("include_parent");
        match self.inherit.get("include_parent") {
            Some(value) if value.is_truthy() => {
                if let Json::String(text) = value
                    && matches!(
                        trim(text).to_lowercase().as_str(),
                        "false" | "no" | "off" | "0" | ""
                    )
                {
                    lints.push(Lint::new(
                        "truthy_text",
                        path.clone(),
                        format!("`{text}` is text, and text counts as true; use `false`"),
                    ));
                }
            }
            Some(_) | None => return Ok(None),
        }
        let card = NewCard {
            card_type: "meta.parent_pointer".to_owned(),
            author_id: source_agent_id.to_owned(),
            content: Content::json(Json::from([("parent_agent_id", source_agent_id)]))?,
            metadata: Object::from_iter([("role".to_owned(), Json::from("system"))]),
            tool_calls: None,
            tool_call_id: None,
            ttl_seconds: None,
        };
        Ok(Some((maker.make(card, minter)?, Cause::Parent { path })))
    }
}

/// What is wrong with a card, at the place in the call where it came from.
fn in_call(error: Error, value_path: &Path, rule_path: &Path) -> Error {
    let (source, inside) = match error.path().steps() {
        [Step::Key(part), inside @ ..] if part == "metadata" => {
            (rule_path.key("card_metadata"), inside)
        }
        [Step::Key(part), Step::Key(_), inside @ ..] if part == "content" => {
            (value_path.clone(), inside)
        }
        _ => (value_path.clone(), &[][..]),
    };
    let inside = Path::from_steps(inside.to_vec());
    error.at(source.join(&inside))
}

/// The rule's metadata with the default role; an explicit null stays.
fn metadata(rule: &Object, path: &Path) -> Result<Object> {
    let mut metadata = match rule.get("card_metadata") {
        Some(Json::Object(metadata)) => metadata.clone(),
        Some(other) if other.is_truthy() => {
            return Err(expected("an object", other, &path.key("card_metadata")));
        }
        Some(_) | None => Object::default(),
    };
    metadata.entry("role".to_owned()).or_insert_with(|| Json::from("user"));
    Ok(metadata)
}

/// The name of the argument, if the rule names one that could exist.
fn arg_key<'a>(rule: &'a Object, path: &Path, made: &mut Made) -> Result<Option<&'a str>> {
    match rule.get("arg_key") {
        Some(Json::String(key)) if !key.is_empty() => Ok(Some(key)),
        Some(other @ (Json::Array(_) | Json::Object(_))) if other.is_truthy() => {
            Err(expected("a string", other, &path.key("arg_key")))
        }
        Some(other) if other.is_truthy() => {
            made.lints.push(ignored(path.key("arg_key"), "the name of an argument", other));
            Ok(None)
        }
        Some(_) | None => Ok(None),
    }
}

fn card_type(rule: &Object, path: &Path) -> Result<String> {
    match rule.get("as_card_type") {
        None => Ok("task.instruction".to_owned()),
        Some(value) => Field::new(value, Code::InvalidContent)
            .string()
            .map(str::to_owned)
            .map_err(|error| error.within(&path.key("as_card_type"))),
    }
}

/// The content that an argument becomes.
fn content(card_type: &str, value: &Json, path: &Path, made: &mut Made) -> Result<Content> {
    if card_type == "task.result_fields" {
        let Json::Array(fields) = value else {
            return Err(Error::bad_request(format!(
                "`task.result_fields` needs a list of fields, found {}",
                value.kind()
            ))
            .at(path.clone()));
        };
        let content = Content::fields(&Field::root(value)).map_err(|error| error.within(path))?;
        for (index, field) in fields.iter().enumerate() {
            let described = field.get("description").and_then(Json::as_str);
            if described.is_none_or(|text| trim(text).is_empty()) {
                made.lints.push(Lint::new(
                    "field_without_description",
                    path.index(index),
                    "the result field has no description: the model sees its name only",
                ));
            }
        }
        return Ok(content);
    }
    if matches!(value, Json::Array(_) | Json::Object(_)) {
        return Content::json(value.clone());
    }
    if !matches!(value, Json::String(_)) {
        made.lints.push(Lint::new(
            "coerced_value",
            path.clone(),
            format!("{} becomes the text `{}`", value.kind(), value.text_form()),
        ));
    }
    let text = value.text_form();
    if card_type == "task.instruction" && trim(&text).is_empty() {
        made.lints.push(Lint::new(
            "blank_instruction",
            path.clone(),
            "the instruction is blank: the receiver is told nothing",
        ));
    }
    Ok(Content::text(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Answers, Kind, Profile, Reads, Snapshot};
    use crate::{Env, Limits, Rule};

    #[test]
    fn what_is_wrong_with_a_card_is_told_at_its_place_in_the_call() {
        let mut reads = Reads::new("p1".into());
        reads.add(Kind::Profiles, "w");
        let mut snapshot = Snapshot::new("p1".into());
        snapshot.absorb(&reads, Answers::new().profile(Profile::new("w", "pb"))).unwrap();
        let env = Env::new(Timestamp::from_millis(0), [7; 32]);
        let deep = (0..9).fold(Json::Array(Vec::new()), |inner, _| Json::from([("a", inner)]));
        for (value, metadata, shown) in [
            (Json::from("x".repeat(200)), Json::Null, "arguments.value"),
            (Json::from([("b", deep.clone())]), Json::Null, "arguments.value.b.a.a.a.a.a.a.a"),
            (
                Json::from("x"),
                Json::from([("m", deep)]),
                "handover.context_packing_config.pack_arguments[0].card_metadata.m.a.a.a.a.a.a.a",
            ),
        ] {
            let arguments = Json::from([("profile_name", Json::from("w")), ("value", value)]);
            let rule = Json::from([("arg_key", Json::from("value")), ("card_metadata", metadata)]);
            let rules = Json::from([("pack_arguments", Json::from(vec![rule]))]);
            let handover = Json::from([("context_packing_config", rules)]);
            let mut call = PackContext::new("t", "a", arguments, handover);
            call.limits = Limits { max_depth: 8, max_content_bytes: 150, ..Limits::default() };
            let error = call.step(&snapshot, &env).unwrap_err();
            assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Limit, shown));
        }
    }
}
