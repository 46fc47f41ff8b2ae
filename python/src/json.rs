//! The JSON text of Python values.

use crate::error::{caused, raised};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType,
};
use tuckbox::value::json::{ParseLimits, to_text, write_text};
use tuckbox::{Code, Error, Limits, Path};

/// The levels of a path that an error about depth shows.
const SHOWN_LEVELS: usize = 8;

/// Returns the JSON text of a value. `code` is the code of errors, `root` the path of the value.
///
/// - `int` of any size, finite `float`, `Decimal`, `str`, `bool`, `None`
/// - `dict` and other mappings with `str` keys, `list`, `tuple` and other sequences
/// - `datetime` with a time zone and `date`, as ISO 8601
/// - dataclasses, and pydantic models as their own JSON
/// - `JsonText`, verbatim
#[pyfunction]
#[pyo3(signature = (value, code = "bad_request", root = ""))]
pub fn to_json(value: &Bound<'_, PyAny>, code: &str, root: &str) -> PyResult<String> {
    let code = if code == "store" { Code::Store } else { Code::BadRequest };
    let path = if root.is_empty() { Path::root() } else { Path::root().key(root) };
    let mut writer = Writer { py: value.py(), out: String::new(), open: Vec::new(), code };
    writer.value(value, &Place { before: None, step: Step::Root(&path) })?;
    Ok(writer.out)
}

/// The place of a value in its parents.
struct Place<'a> {
    before: Option<&'a Self>,
    step: Step<'a>,
}

enum Step<'a> {
    Root(&'a Path),
    Key(&'a str),
    Index(usize),
}

impl Place<'_> {
    fn path(&self) -> Path {
        let before = self.before.map_or_else(Path::root, Self::path);
        match self.step {
            Step::Root(path) => path.clone(),
            Step::Key(key) => before.key(key),
            Step::Index(index) => before.index(index),
        }
    }
}

/// The classes that are written in a special form.
struct Classes {
    decimal: Py<PyType>,
    datetime: Py<PyType>,
    date: Py<PyType>,
    mapping: Py<PyType>,
    sequence: Py<PyType>,
    json_text: Py<PyType>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

impl Classes {
    fn of(py: Python<'_>) -> PyResult<&'static Self> {
        CLASSES.get_or_try_init(py, || {
            let class = |module: &str, name: &str| -> PyResult<Py<PyType>> {
                Ok(py.import(module)?.getattr(name)?.cast_into::<PyType>()?.unbind())
            };
            Ok(Self {
                decimal: class("decimal", "Decimal")?,
                datetime: class("datetime", "datetime")?,
                date: class("datetime", "date")?,
                mapping: class("collections.abc", "Mapping")?,
                sequence: class("collections.abc", "Sequence")?,
                json_text: class("tuckbox._json", "JsonText")?,
            })
        })
    }
}

struct Writer<'py> {
    py: Python<'py>,
    out: String,
    /// The containers around the value, to detect values that contain themselves.
    open: Vec<Bound<'py, PyAny>>,
    code: Code,
}

impl<'py> Writer<'py> {
    fn refuse(&self, place: &Place<'_>, message: impl Into<String>) -> PyErr {
        raised(self.py, &Error::new(self.code, message).at(place.path()))
    }

    /// Returns an error for an exception of the value itself.
    fn unreadable(&self, place: &Place<'_>, cause: PyErr) -> PyErr {
        let shown = cause.value(self.py).repr().map_or_else(
            |_| "an exception that cannot be shown".to_owned(),
            |text| text.to_string_lossy().into_owned(),
        );
        let error = Error::new(self.code, format!("the value cannot be read: {shown}"));
        caused(self.py, &error.at(place.path()), cause)
    }

    fn value(&mut self, value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<()> {
        if self.out.len() > ParseLimits::default().max_bytes {
            let message =
                format!("the value has more than {} bytes", ParseLimits::default().max_bytes);
            return Err(raised(self.py, &Error::limit(message)));
        }
        if value.is_none() {
            self.out.push_str("null");
        } else if let Ok(text) = value.cast::<PyString>() {
            self.string(text, place)?;
        } else if let Ok(is) = value.cast::<PyBool>() {
            self.out.push_str(if is.is_true() { "true" } else { "false" });
        } else if let Ok(number) = value.cast::<PyInt>() {
            self.whole(number, place)?;
        } else if let Ok(number) = value.cast::<PyFloat>() {
            let number = number.value();
            if !number.is_finite() {
                return Err(self.refuse(place, format!("`{number}` is not a number in JSON")));
            }
            let written = write_text(&number, &mut self.out);
            written.map_err(|error| raised(self.py, &error))?;
        } else if let Ok(dict) = value.cast::<PyDict>() {
            // a copy, because other code can change the dictionary meanwhile
            let items = dict.items();
            self.inside(value, place, |writer| writer.members(items.iter(), place))?;
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            self.inside(value, place, |writer| writer.items(value, place))?;
        } else {
            self.special(value, place)?;
        }
        Ok(())
    }

    /// Writes a value of any other class.
    fn special(&mut self, value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<()> {
        let classes = Classes::of(self.py)?;
        let is = |class: &Py<PyType>| {
            value.is_instance(class.bind(self.py)).map_err(|cause| self.unreadable(place, cause))
        };
        let text = |method: &str| -> PyResult<String> {
            let text = value.call_method0(method).and_then(|text| text.extract::<String>());
            text.map_err(|cause| self.unreadable(place, cause))
        };
        if is(&classes.json_text)? {
            let verbatim = text("__str__")?;
            self.out.push_str(&verbatim);
        } else if is(&classes.decimal)? {
            let digits = text("__str__")?;
            if !digits.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) {
                return Err(self.refuse(place, format!("`{digits}` is not a number in JSON")));
            }
            self.out.push_str(&digits);
        } else if is(&classes.datetime)? {
            let offset = value.call_method0("utcoffset");
            if offset.map_err(|cause| self.unreadable(place, cause))?.is_none() {
                return Err(self.refuse(place, "a `datetime` must have a time zone"));
            }
            self.quoted(&text("isoformat")?)?;
        } else if is(&classes.date)? {
            self.quoted(&text("isoformat")?)?;
        } else if is(&classes.mapping)? {
            let items = value
                .call_method0("items")
                .and_then(|items| items.try_iter()?.collect::<PyResult<Vec<_>>>());
            let items = items.map_err(|cause| self.unreadable(place, cause))?;
            self.inside(value, place, |writer| writer.members(items.into_iter(), place))?;
        } else if let Some(dumped) = self.model(value, place)? {
            self.inside(value, place, |writer| writer.value(&dumped, place))?;
        } else if let Some(names) = self.dataclass(value, place)? {
            self.inside(value, place, |writer| writer.fields(value, &names, place))?;
        } else if !value.is_instance_of::<PyBytes>()
            && !value.is_instance_of::<PyByteArray>()
            && is(&classes.sequence)?
        {
            self.inside(value, place, |writer| writer.items(value, place))?;
        } else {
            let class = value.get_type();
            let name = class.name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
            let message = format!(
                "a `{name}` is not JSON; pass dictionaries, lists, strings, numbers, dataclasses or \
                 pydantic models"
            );
            return Err(self.refuse(place, message));
        }
        Ok(())
    }

    /// Returns the JSON of a pydantic model.
    fn model(
        &self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let class = value.get_type();
        // dataclasses of pydantic have a serializer, and no method
        let has = |name| class.hasattr(name).unwrap_or(false);
        if !(has("__pydantic_serializer__") && has("model_dump"))
            || value.is_instance_of::<PyType>()
        {
            return Ok(None);
        }
        let options = PyDict::new(self.py);
        options.set_item("mode", "json")?;
        options.set_item("by_alias", true)?;
        // the providers' packages warn about members that they do not know
        options.set_item("warnings", false)?;
        let dumped = value.call_method("model_dump", (), Some(&options));
        dumped.map(Some).map_err(|cause| self.unreadable(place, cause))
    }

    /// Returns the names of the fields of a dataclass.
    fn dataclass(
        &self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<Option<Vec<String>>> {
        let class = value.get_type();
        if value.is_instance_of::<PyType>()
            || !class.hasattr("__dataclass_fields__").unwrap_or(false)
        {
            return Ok(None);
        }
        let fields = self.py.import("dataclasses")?.call_method1("fields", (value,));
        let names = fields.and_then(|fields| {
            fields.try_iter()?.map(|field| field?.getattr("name")?.extract()).collect()
        });
        names.map(Some).map_err(|cause| self.unreadable(place, cause))
    }

    /// Writes a container. Refuses one that contains itself or is nested too deeply.
    fn inside(
        &mut self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_>,
        write: impl FnOnce(&mut Self) -> PyResult<()>,
    ) -> PyResult<()> {
        if self.open.iter().any(|open| open.is(value)) {
            return Err(self.refuse(place, "the value contains itself"));
        }
        if self.open.len() >= Limits::MAX_DEPTH {
            let message =
                format!("the value is nested more than {} levels deep", Limits::MAX_DEPTH);
            let steps = place.path().steps().iter().take(SHOWN_LEVELS).cloned().collect();
            return Err(raised(self.py, &Error::limit(message).at(Path::from_steps(steps))));
        }
        self.open.push(value.clone());
        let done = write(self);
        self.open.pop();
        done
    }

    fn members(
        &mut self,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        self.out.push('{');
        for (index, item) in items.enumerate() {
            let pair = item.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>();
            let (key, value) = pair.map_err(|cause| self.unreadable(place, cause))?;
            let Ok(key) = key.cast::<PyString>() else {
                let shown = key.repr().map(|text| text.to_string_lossy().into_owned());
                let shown = shown.unwrap_or_else(|_| "?".to_owned());
                return Err(self.refuse(place, format!("the key `{shown}` must be a string")));
            };
            if index > 0 {
                self.out.push(',');
            }
            self.string(key, place)?;
            self.out.push(':');
            let name = key.to_str().unwrap_or_default();
            self.value(&value, &Place { before: Some(place), step: Step::Key(name) })?;
        }
        self.out.push('}');
        Ok(())
    }

    fn fields(
        &mut self,
        value: &Bound<'py, PyAny>,
        names: &[String],
        place: &Place<'_>,
    ) -> PyResult<()> {
        self.out.push('{');
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.quoted(name)?;
            self.out.push(':');
            let place = Place { before: Some(place), step: Step::Key(name) };
            let field = value.getattr(name.as_str());
            let field = field.map_err(|cause| self.unreadable(&place, cause))?;
            self.value(&field, &place)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn items(&mut self, value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<()> {
        self.out.push('[');
        let items = value.try_iter().map_err(|cause| self.unreadable(place, cause))?;
        for (index, item) in items.enumerate() {
            let item = item.map_err(|cause| self.unreadable(place, cause))?;
            if index > 0 {
                self.out.push(',');
            }
            self.value(&item, &Place { before: Some(place), step: Step::Index(index) })?;
        }
        self.out.push(']');
        Ok(())
    }

    fn string(&mut self, text: &Bound<'py, PyString>, place: &Place<'_>) -> PyResult<()> {
        match text.to_str() {
            Ok(text) => self.quoted(text),
            Err(_) => Err(self.refuse(place, "the string contains a lone surrogate")),
        }
    }

    fn quoted(&mut self, text: &str) -> PyResult<()> {
        write_text(text, &mut self.out).map_err(|error| raised(self.py, &error))
    }

    /// Writes an integer of any size. Python refuses to print one of more than 4300 digits, so a
    /// `Decimal` prints it.
    fn whole(&mut self, number: &Bound<'py, PyInt>, place: &Place<'_>) -> PyResult<()> {
        if let Ok(small) = number.extract::<i64>() {
            let text = to_text(&small).map_err(|error| raised(self.py, &error))?;
            self.out.push_str(&text);
            return Ok(());
        }
        let decimal = Classes::of(self.py)?.decimal.bind(self.py);
        let digits = decimal.call1((number,)).and_then(|exact| exact.str());
        let digits = digits.map_err(|cause| self.unreadable(place, cause))?;
        self.out.push_str(digits.to_str().unwrap_or_default());
        Ok(())
    }
}
