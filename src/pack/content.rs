//! The content of a card that is made from an argument.

use crate::pack::lint::PackLint;
use crate::rule::lint::Lint;
use crate::value::card::Content;
use crate::value::json::{Field, Json, trim};
use crate::{Error, Path, Result};

/// Returns the content of a card of this type for a value.
pub(super) fn of_value(
    card_type: &str,
    value: &Json,
    path: impl Fn() -> Path,
    lints: &mut Vec<Lint>,
) -> Result<Content> {
    if card_type == "task.result_fields" {
        let Json::Array(fields) = value else {
            return Err(Error::bad_request(format!(
                "`task.result_fields` must be a list of fields, found {}",
                value.kind()
            ))
            .at(path()));
        };
        let content =
            Content::fields(&Field::root(value)).map_err(|error| error.within(&path()))?;
        for (index, field) in fields.iter().enumerate() {
            let described = field.get("description").and_then(Json::as_str);
            if described.is_none_or(|text| trim(text).is_empty()) {
                lints.push(Lint::new(
                    PackLint::FieldWithoutDescription,
                    path().index(index),
                    "the result field has no description, so the model sees only its name",
                ));
            }
        }
        return Ok(content);
    }
    if matches!(value, Json::Array(_) | Json::Object(_)) {
        return Content::json(value.clone());
    }
    if !matches!(value, Json::String(_)) {
        lints.push(Lint::new(
            PackLint::CoercedValue,
            path(),
            format!("{} becomes the string `{}`", value.kind(), value.text_form()),
        ));
    }
    let text = value.text_form();
    if card_type == "task.instruction" && trim(&text).is_empty() {
        lints.push(Lint::new(PackLint::BlankInstruction, path(), "the instruction is blank"));
    }
    Ok(Content::text(text))
}
