//! Python objects of entries, without JSON text between.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::ser::{Error as _, Impossible, Serialize, SerializeSeq, SerializeStruct, Serializer};
use std::fmt::{self, Display};

/// Returns the list of values. Each is the object that `json.loads` returns for its JSON text.
///
/// Only the types in the entries of a ledger are supported.
pub fn list<'py, T: Serialize>(
    py: Python<'py>,
    values: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'py, PyList>> {
    let mut keys = Keys { py, known: Vec::new() };
    let out = PyList::empty(py);
    for value in values {
        let object = value.serialize(Writer(&mut keys)).map_err(|failed| failed.0)?;
        out.append(object)?;
    }
    Ok(out)
}

/// An exception of Python.
#[derive(Debug)]
struct Failed(PyErr);

impl Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failed {}

impl serde::ser::Error for Failed {
    fn custom<T: Display>(message: T) -> Self {
        Self(PyTypeError::new_err(message.to_string()))
    }
}

impl From<PyErr> for Failed {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

type Made<'py> = Result<Bound<'py, PyAny>, Failed>;

/// The strings of the keys and variants so far.
struct Keys<'py> {
    py: Python<'py>,
    known: Vec<(&'static str, Bound<'py, PyString>)>,
}

impl<'py> Keys<'py> {
    fn string(&mut self, name: &'static str) -> Bound<'py, PyString> {
        // the same literal mostly has the same address
        if let Some((_, string)) = self.known.iter().find(|(known, _)| std::ptr::eq(*known, name)) {
            return string.clone();
        }
        let string = PyString::intern(self.py, name);
        self.known.push((name, string.clone()));
        string
    }
}

struct Writer<'k, 'py>(&'k mut Keys<'py>);

fn unsupported<T>() -> Result<T, Failed> {
    Err(Failed::custom("the value has an unsupported type"))
}

impl<'k, 'py> Serializer for Writer<'k, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;
    type SerializeSeq = List<'k, 'py>;
    type SerializeStruct = Dict<'k, 'py>;
    type SerializeTuple = Impossible<Self::Ok, Failed>;
    type SerializeTupleStruct = Impossible<Self::Ok, Failed>;
    type SerializeTupleVariant = Impossible<Self::Ok, Failed>;
    type SerializeMap = Impossible<Self::Ok, Failed>;
    type SerializeStructVariant = Impossible<Self::Ok, Failed>;

    fn serialize_bool(self, value: bool) -> Made<'py> {
        Ok(pyo3::types::PyBool::new(self.0.py, value).to_owned().into_any())
    }

    fn serialize_i64(self, value: i64) -> Made<'py> {
        Ok(value.into_pyobject(self.0.py).map_err(PyErr::from)?.into_any())
    }

    fn serialize_u64(self, value: u64) -> Made<'py> {
        Ok(value.into_pyobject(self.0.py).map_err(PyErr::from)?.into_any())
    }

    fn serialize_u32(self, value: u32) -> Made<'py> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_str(self, value: &str) -> Made<'py> {
        Ok(PyString::new(self.0.py, value).into_any())
    }

    fn serialize_none(self) -> Made<'py> {
        Ok(self.0.py.None().into_bound(self.0.py))
    }

    fn serialize_unit(self) -> Made<'py> {
        self.serialize_none()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Made<'py> {
        Ok(self.0.string(name).into_any())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Failed> {
        Ok(List { made: PyList::empty(self.0.py), keys: self.0 })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Failed> {
        Ok(Dict { made: PyDict::new(self.0.py), keys: self.0 })
    }

    fn serialize_i8(self, _: i8) -> Made<'py> {
        unsupported()
    }

    fn serialize_i16(self, _: i16) -> Made<'py> {
        unsupported()
    }

    fn serialize_i32(self, _: i32) -> Made<'py> {
        unsupported()
    }

    fn serialize_u8(self, _: u8) -> Made<'py> {
        unsupported()
    }

    fn serialize_u16(self, _: u16) -> Made<'py> {
        unsupported()
    }

    fn serialize_f32(self, _: f32) -> Made<'py> {
        unsupported()
    }

    fn serialize_f64(self, _: f64) -> Made<'py> {
        unsupported()
    }

    fn serialize_char(self, _: char) -> Made<'py> {
        unsupported()
    }

    fn serialize_bytes(self, _: &[u8]) -> Made<'py> {
        unsupported()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Made<'py> {
        unsupported()
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Made<'py> {
        unsupported()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Failed> {
        unsupported()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Failed> {
        unsupported()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Failed> {
        unsupported()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Failed> {
        unsupported()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Failed> {
        unsupported()
    }
}

struct List<'k, 'py> {
    made: Bound<'py, PyList>,
    keys: &'k mut Keys<'py>,
}

impl<'py> SerializeSeq for List<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Failed> {
        Ok(self.made.append(value.serialize(Writer(self.keys))?)?)
    }

    fn end(self) -> Made<'py> {
        Ok(self.made.into_any())
    }
}

struct Dict<'k, 'py> {
    made: Bound<'py, PyDict>,
    keys: &'k mut Keys<'py>,
}

impl<'py> SerializeStruct for Dict<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failed;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        let name = self.keys.string(key);
        Ok(self.made.set_item(name, value.serialize(Writer(self.keys))?)?)
    }

    fn end(self) -> Made<'py> {
        Ok(self.made.into_any())
    }
}
