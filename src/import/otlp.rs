//! OTLP JSON: spans and log records, with attributes as plain JSON.

use super::file::Doc;
use super::model::Origin;
use super::pick::{list, opened, some, text};
use crate::value::json::{Json, Object};
use std::borrow::Cow;

/// A span or a log record.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name, or the name of the event.
    pub name: String,
    /// The instrumentation scope.
    pub scope: String,
    /// The id of the span.
    pub span: Option<String>,
    /// The id of the parent span.
    pub parent: Option<String>,
    /// The start time, in microseconds.
    pub start: Option<i64>,
    /// The attributes as plain JSON.
    pub attributes: Object,
    /// The body of a log record.
    pub body: Json,
    /// True for a log record.
    pub is_log: bool,
    /// The origin.
    pub origin: Origin,
}

impl Record {
    /// Returns an attribute.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.attributes.get(key).filter(|value| !value.is_null())
    }

    /// Returns the string of an attribute.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Json::as_str)
    }
}

/// Returns true if a value is an export of spans or logs.
pub fn is_export(value: &Json) -> bool {
    value.get("resourceSpans").is_some() || value.get("resourceLogs").is_some()
}

/// Returns an `AnyValue` as plain JSON.
pub fn any(value: &Json) -> Json {
    let Some((kind, inner)) = value.as_object().and_then(|object| object.first()) else {
        return Json::Null;
    };
    match kind.as_str() {
        "stringValue" | "boolValue" | "doubleValue" | "bytesValue" => inner.clone(),
        "intValue" => match inner.as_str().and_then(|text| text.parse::<i64>().ok()) {
            Some(number) => Json::from(number),
            None => inner.clone(),
        },
        "arrayValue" => list(inner, "values").iter().map(any).collect(),
        "kvlistValue" => Json::Object(attributes(list(inner, "values"))),
        _ => Json::Null,
    }
}

fn attributes(entries: &[Json]) -> Object {
    entries
        .iter()
        .filter_map(|entry| {
            let value = some(entry, "value").map(any).unwrap_or_default();
            Some((text(entry, "key")?.to_owned(), value))
        })
        .collect()
}

/// Returns the spans and log records of files by start time, those without a time last.
pub fn records(docs: &[&Doc]) -> Vec<Record> {
    let mut out = Vec::new();
    for doc in docs {
        for row in doc.rows() {
            let origin = doc.origin(row);
            for (outer, middle, inner, is_log) in [
                ("resourceSpans", "scopeSpans", "spans", false),
                ("resourceLogs", "scopeLogs", "logRecords", true),
            ] {
                for (a, resource) in list(&row.value, outer).iter().enumerate() {
                    for (b, scope) in list(resource, middle).iter().enumerate() {
                        let name = scope.get("scope").and_then(|scope| text(scope, "name"));
                        for (c, item) in list(scope, inner).iter().enumerate() {
                            let place = format!("/{outer}/{a}/{middle}/{b}/{inner}/{c}");
                            let origin = Origin { pointer: place, ..origin.clone() };
                            let mut found = record(item, name.unwrap_or(""), is_log, origin);
                            let is_content = |event: &&Json| {
                                text(event, "name")
                                    .is_some_and(|it| it.starts_with("gen_ai.content."))
                            };
                            for event in list(item, "events").iter().filter(is_content) {
                                found.attributes.extend(attributes(list(event, "attributes")));
                            }
                            out.extend(events(item, &found));
                            out.push(found);
                        }
                    }
                }
            }
        }
    }
    out.sort_by_key(|record| record.start.unwrap_or(i64::MAX));
    out
}

/// Returns the events of a span that are messages, as the log records of later conventions.
fn events(span: &Json, of: &Record) -> Vec<Record> {
    // the content of other events is among the attributes of the span
    let is_message = |event: &&Json| {
        text(event, "name")
            .is_some_and(|it| it.starts_with("gen_ai.") && !it.starts_with("gen_ai.content."))
    };
    let listed = list(span, "events").iter().enumerate();
    let listed = listed.filter(|(_, event)| is_message(event));
    let event = |(at, event): (usize, &Json)| {
        let found = record(event, &of.scope, false, of.origin.at("events").at(at));
        let body = found.get("gen_ai.event.content").map(opened).map(Cow::into_owned);
        Record {
            span: of.span.clone(),
            start: found.start.or(of.start),
            body: body.unwrap_or_default(),
            is_log: true,
            ..found
        }
    };
    listed.map(event).collect()
}

fn record(item: &Json, scope: &str, is_log: bool, origin: Origin) -> Record {
    let attributes = attributes(list(item, "attributes"));
    let event =
        text(item, "eventName").or_else(|| attributes.get("event.name").and_then(Json::as_str));
    let name = if is_log { event } else { text(item, "name") };
    let filled = |key: &str| text(item, key).filter(|id| !id.is_empty()).map(str::to_owned);
    let times: &[&str] = if is_log {
        &["timeUnixNano", "observedTimeUnixNano"]
    } else {
        &["startTimeUnixNano", "timeUnixNano"]
    };
    Record {
        name: name.unwrap_or("").to_owned(),
        scope: scope.to_owned(),
        span: filled("spanId"),
        parent: filled("parentSpanId"),
        start: times
            .iter()
            .filter_map(|key| item.get(key).and_then(super::pick::time))
            .find(|time| *time > 0),
        body: some(item, "body").map(any).unwrap_or_default(),
        attributes,
        is_log,
        origin,
    }
}
