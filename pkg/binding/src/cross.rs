//! How values and errors cross.

use js_sys::{Array, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use std::cell::{Cell, RefCell};
use tuckbox::Error;
use tuckbox::value::json::to_text;
use wasm_bindgen::prelude::*;

/// The name of the errors that are thrown on purpose. A trap has another one.
const NAME: &str = "TuckboxError";

/// What is thrown.
#[derive(Debug)]
pub enum Thrown {
    /// A call failed: thrown as an `Error` with `code`, `path` and `details`.
    Error(Error),
    /// Parts have to be linked first: thrown as the list of their names.
    Parts(Vec<&'static str>),
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        match thrown {
            Thrown::Error(error) => thrown_error(&error).into(),
            Thrown::Parts(names) => names.into_iter().map(Self::from_str).collect::<Array>().into(),
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
        // an error object takes any field
        let _ = Reflect::set(&thrown, &key.into(), &field);
    }
    thrown
}

#[wasm_bindgen]
extern "C" {
    /// Makes strings of bytes, as `TextDecoder` does.
    pub type Decoder;

    #[wasm_bindgen(method)]
    fn decode(this: &Decoder, bytes: &[u8]) -> JsValue;
}

thread_local! {
    static DECODER: RefCell<Option<Decoder>> = const { RefCell::new(None) };
}

/// Says what makes strings of long texts, where a host has something quicker than `TextDecoder`.
#[wasm_bindgen]
pub fn decode_with(decoder: Decoder) {
    DECODER.set(Some(decoder));
}

/// How much room for texts is kept from one call to the next, in bytes.
const KEPT: usize = 16 << 20;

thread_local! {
    /// Where long texts are written. A memory never gives back what it once had, so the room is kept:
    /// making it anew would copy each text as often as it doubles.
    static WRITTEN: Cell<String> = const { Cell::new(String::new()) };
}

/// A long JSON text as a JavaScript string.
pub fn string(write: impl FnOnce(&mut String) -> tuckbox::Result<()>) -> Result<JsValue, Thrown> {
    let mut text = WRITTEN.take();
    text.clear();
    write(&mut text)?;
    let string = DECODER.with_borrow(|decoder| match decoder {
        Some(decoder) => decoder.decode(text.as_bytes()),
        None => JsValue::from(text.as_str()),
    });
    if text.capacity() <= KEPT {
        WRITTEN.set(text);
    }
    Ok(string)
}

/// A value as JSON text.
pub fn text(value: &impl Serialize) -> Result<String, Thrown> {
    Ok(to_text(value)?)
}

/// A small value as a JavaScript value; as JSON text where it holds an integer that JavaScript's
/// numbers cannot.
pub fn value(value: &impl Serialize) -> Result<JsValue, Thrown> {
    match value.serialize(&Serializer::json_compatible()) {
        Ok(value) => Ok(value),
        Err(_) => Ok(text(value)?.into()),
    }
}
