//! Trace ids and the headers that carry them.

use crate::run::transaction::Transaction;
use crate::run::values::{key_text, present};
use crate::value::arguments::Argument;
use crate::value::json::{Field, Object};
use crate::{Error, Path, Result};
use std::ops::Deref;

/// A traceparent and its trace id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    pub traceparent: String,
    pub trace_id: String,
}

/// An invalid trace; the call answers `protocol_violation`.
#[derive(Debug)]
pub(crate) struct BadTrace;

/// Returns the text of a header.
pub(crate) fn header(headers: &Object, name: &str) -> Option<String> {
    let value = headers.get(name).filter(|value| !value.is_null())?;
    Some(key_text(value)).filter(|text| !text.is_empty())
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns 32 lower-case hex digits, not all zero, without the hyphens of a UUID.
pub(crate) fn trace_id(text: &str) -> Option<String> {
    let id = text.trim().to_lowercase();
    let id = if id.len() == 36 { id.replace('-', "") } else { id };
    (is_hex(&id, 32) && id.bytes().any(|byte| byte != b'0')).then_some(id)
}

/// Reads the argument `trace_id` of a call.
pub(crate) fn optional_trace_id(given: Option<&str>) -> Result<Option<String>> {
    let Some(text) = present(given) else { return Ok(None) };
    let wrong = || Error::bad_request(format!("`{text}` is not a trace id"));
    trace_id(text).map(Some).ok_or_else(|| wrong().at(Path::root().key("trace_id")))
}

fn split(traceparent: &str) -> Option<(String, String)> {
    let text = traceparent.trim().to_lowercase();
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, span, flags] = parts.as_slice() else { return None };
    let sound = is_hex(version, 2) && is_hex(span, 16) && is_hex(flags, 2);
    let trace = trace_id(trace).filter(|_| sound && trace.len() == 32)?;
    Some((text.clone(), trace))
}

/// Returns the given traceparent, or a new one.
pub(crate) fn ensure(
    tx: &mut Transaction<'_>,
    headers: &Object,
    given: Option<&str>,
) -> std::result::Result<Trace, BadTrace> {
    let wanted = match present(given) {
        None => None,
        Some(text) => Some(trace_id(text).ok_or(BadTrace)?),
    };
    if let Some(text) = header(headers, "traceparent") {
        let (traceparent, trace_id) = split(&text).ok_or(BadTrace)?;
        if wanted.is_some_and(|wanted| wanted != trace_id) {
            return Err(BadTrace);
        }
        return Ok(Trace { traceparent, trace_id });
    }
    let trace_id = wanted.unwrap_or_else(|| tx.hex());
    Ok(new_span(tx, trace_id))
}

/// Makes a span of a trace.
pub(crate) fn new_span(tx: &mut Transaction<'_>, trace_id: String) -> Trace {
    let traceparent = format!("00-{trace_id}-{}-01", tx.span());
    Trace { traceparent, trace_id }
}

/// Returns the headers of a watchdog: a new span of the head's trace, and its depth.
pub(crate) fn watchdog_headers(
    tx: &mut Transaction<'_>,
    trace: Option<&str>,
    depth: i64,
) -> Object {
    let trace_id = trace.and_then(trace_id).unwrap_or_else(|| tx.hex());
    let trace = new_span(tx, trace_id);
    let mut headers = Object::default();
    headers.insert("traceparent".into(), trace.traceparent.into());
    headers.insert("CG-Recursion-Depth".into(), depth.to_string().into());
    headers
}

/// Returns the depth in the headers: a whole number from 0 on.
pub(crate) fn depth_of(headers: &Object) -> Option<i64> {
    let text = header(headers, "CG-Recursion-Depth")?;
    let depth: i64 = text.trim().parse().ok()?;
    (depth >= 0).then_some(depth)
}

/// The headers of a message: `traceparent`, `tracestate`, `CG-Recursion-Depth` and those of the host. A
/// value that is not an object has none.
///
/// The example of [`Enqueue`](crate::run::Enqueue) shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers(pub Object);

shape! {
    pub type Headers = Loose<MessageHeaders>;

    /// The headers of a message: `traceparent`, `tracestate`, `CG-Recursion-Depth` and those of the
    /// host.
    pub type MessageHeaders = BTreeMap<String, String>;
}

impl Argument for Headers {
    fn read(field: &Field<'_>) -> Result<Self> {
        Ok(Self(field.json().as_object().cloned().unwrap_or_default()))
    }
}

impl From<Object> for Headers {
    fn from(headers: Object) -> Self {
        Self(headers)
    }
}

impl Deref for Headers {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.0
    }
}
