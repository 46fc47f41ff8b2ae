//! Conversion of values and errors between Rust and JavaScript.

use js_sys::{Array, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use std::cell::{Cell, RefCell};
use tuckbox::Error;
use tuckbox::value::json::to_text;
use wasm_bindgen::prelude::*;

/// The name of errors that the binding throws. Traps have other names.
const NAME: &str = "TuckboxError";

/// An exception that the binding throws.
#[derive(Debug)]
pub enum Exception {
    /// A failed call, thrown as an `Error` with `code`, `path` and `details`.
    Error(Error),
    /// Parts that the host must link first, thrown as the list of their names.
    Parts(Vec<&'static str>),
}

impl From<Error> for Exception {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Exception> for JsValue {
    fn from(thrown: Exception) -> Self {
        match thrown {
            Exception::Error(error) => thrown_error(&error).into(),
            Exception::Parts(names) => {
                names.into_iter().map(Self::from_str).collect::<Array>().into()
            }
        }
    }
}

fn thrown_error(error: &Error) -> js_sys::Error {
    let thrown = js_sys::Error::new(error.message());
    thrown.set_name(NAME);
    let details = value(error.details()).unwrap_or_else(|_| js_sys::Object::new().into());
    for (key, field) in [
        ("code", error.code().as_str().into()),
        ("path", error.path().to_string().into()),
        ("details", details),
    ] {
        // an error object accepts any field
        let _ = Reflect::set(&thrown, &key.into(), &field);
    }
    thrown
}

#[wasm_bindgen]
extern "C" {
    /// Converts bytes to strings, as `TextDecoder` does.
    pub type Decoder;

    #[wasm_bindgen(method)]
    fn decode(this: &Decoder, bytes: &[u8]) -> JsValue;
}

thread_local! {
    static DECODER: RefCell<Option<Decoder>> = const { RefCell::new(None) };
}

/// Sets the decoder for long strings, if the host has one that is faster than `TextDecoder`.
#[wasm_bindgen]
pub fn decode_with(decoder: Decoder) {
    DECODER.set(Some(decoder));
}

/// The maximum capacity of the string buffer that is reused, in bytes.
const MAX_REUSED_BYTES: usize = 16 << 20;

thread_local! {
    /// The buffer for long strings. WebAssembly memory never shrinks, so the buffer is reused. A
    /// new buffer copies the string each time it grows.
    static WRITTEN: Cell<String> = const { Cell::new(String::new()) };
}

/// Writes a long JSON text and returns it as a JavaScript string.
pub fn string(
    write: impl FnOnce(&mut String) -> tuckbox::Result<()>,
) -> Result<JsValue, Exception> {
    let mut text = WRITTEN.take();
    text.clear();
    write(&mut text)?;
    let string = DECODER.with_borrow(|decoder| match decoder {
        Some(decoder) => decoder.decode(text.as_bytes()),
        None => JsValue::from(text.as_str()),
    });
    if text.capacity() <= MAX_REUSED_BYTES {
        WRITTEN.set(text);
    }
    Ok(string)
}

/// Returns a value as JSON text.
pub fn text(value: &impl Serialize) -> Result<String, Exception> {
    Ok(to_text(value)?)
}

/// Returns a small value as a JavaScript value. Returns JSON text if it contains an integer that
/// JavaScript numbers cannot represent.
pub fn value(value: &impl Serialize) -> Result<JsValue, Exception> {
    match value.serialize(&Serializer::json_compatible()) {
        Ok(value) => Ok(value),
        Err(_) => Ok(text(value)?.into()),
    }
}
