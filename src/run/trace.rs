//! Trace ids and the headers that carry them.

use super::desk::{Desk, present};
use super::rows::key_text;
use crate::value::json::{Json, Object};
use crate::value::lower::lower;

/// A traceparent and the trace it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    pub traceparent: String,
    pub trace_id: String,
}

/// The trace of a call is not one: `protocol_violation`.
#[derive(Debug)]
pub(crate) struct BadTrace;

/// The text of a header.
pub(crate) fn header(headers: &Object, name: &str) -> Option<String> {
    let value = headers.get(name).filter(|value| !value.is_null())?;
    Some(key_text(value)).filter(|text| !text.is_empty())
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// 32 lower-case hex digits, not all zero; hyphens of a uuid are left out.
pub(crate) fn trace_id(text: &str) -> Option<String> {
    let id = lower(text.trim());
    let id = if id.len() == 36 { id.replace('-', "") } else { id };
    (is_hex(&id, 32) && id.bytes().any(|byte| byte != b'0')).then_some(id)
}

fn split(traceparent: &str) -> Option<(String, String)> {
    let text = lower(traceparent.trim());
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, span, flags] = parts.as_slice() else { return None };
    let sound = is_hex(version, 2) && is_hex(span, 16) && is_hex(flags, 2);
    let trace = trace_id(trace).filter(|_| sound && trace.len() == 32)?;
    Some((text.clone(), trace))
}

/// Keeps the traceparent that is given, or makes one.
pub(crate) fn ensure(
    desk: &mut Desk<'_>,
    headers: &Object,
    given: Option<&str>,
) -> Result<Trace, BadTrace> {
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
    let trace_id = wanted.unwrap_or_else(|| desk.hex());
    Ok(new_span(desk, trace_id))
}

/// A new span on a trace.
pub(crate) fn new_span(desk: &mut Desk<'_>, trace_id: String) -> Trace {
    let traceparent = format!("00-{trace_id}-{}-01", desk.span());
    Trace { traceparent, trace_id }
}

/// The headers of a watchdog: a new span on the head's trace and its depth.
pub(crate) fn watchdog_headers(desk: &mut Desk<'_>, trace: Option<&str>, depth: i64) -> Object {
    let trace_id = trace.and_then(trace_id).unwrap_or_else(|| desk.hex());
    let trace = new_span(desk, trace_id);
    let mut headers = Object::default();
    headers.insert("traceparent".into(), trace.traceparent.into());
    headers.insert("CG-Recursion-Depth".into(), depth.to_string().into());
    headers
}

/// The depth that headers tell: a whole number that is not negative.
pub(crate) fn depth_of(headers: &Object) -> Option<i64> {
    let text = header(headers, "CG-Recursion-Depth")?;
    let depth: i64 = text.trim().parse().ok()?;
    (depth >= 0).then_some(depth)
}

/// Headers as they were given; anything but an object is none.
pub(crate) fn headers_of(json: Option<&Json>) -> Object {
    json.and_then(Json::as_object).cloned().unwrap_or_default()
}
