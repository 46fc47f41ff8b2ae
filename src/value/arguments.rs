//! Arguments of operations, declared once.
//!
//! The `arguments!` macro declares a struct and derives its reader.
//! A field can be required, optional (`Option`), have a default (`= 100`) or bounds (`[1..=1000]`).
//! Any other key or value is an error with a path.
//!
//! `cargo xtask test --only schema` reads the same declarations. It writes the TypeScript types,
//! the JSON Schema and the reference page.
//!
//! ```
//! use tuckbox::cards::ForkBox;
//! use tuckbox::json;
//!
//! let call = ForkBox::from_json(&json!({"op": "fork_box", "box_id": "notes", "take": 2}))?;
//! assert_eq!((call.box_id.as_str(), call.take), ("notes", Some(2)));
//! let error = ForkBox::from_json(&json!({"box_id": "notes", "tkae": 2})).unwrap_err();
//! assert_eq!(error.to_string(), "bad_request at `tkae`: unknown key `tkae`; expected one of `op`, \
//!     `box_id`, `take`, `source_agent_id`, `operation_id`");
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::Map;
use super::id::{AgentId, BoxId, CardId};
use super::ids::CardIds;
use super::json::{Field, Fields, Json, Number, Object, listed};
use crate::Result;
use std::ops::RangeInclusive;

/// A value that can be an argument.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::arguments::Argument;
/// use tuckbox::value::json::Field;
///
/// struct Percent(u64);
///
/// impl Argument for Percent {
///     fn read(field: &Field<'_>) -> tuckbox::Result<Self> {
///         match u64::read(field)? {
///             number @ 0..=100 => Ok(Self(number)),
///             number => Err(field.error(format!("`{number}` must be at most 100"))),
///         }
///     }
/// }
///
/// assert_eq!(Percent::read(&Field::root(&json!(7)))?.0, 7);
/// let error = Vec::<Percent>::read(&Field::root(&json!([100, 101]))).err().unwrap();
/// assert_eq!(error.path().to_string(), "[1]");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Argument: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// Returns an error with the path of the value that cannot be read.
    fn read(field: &Field<'_>) -> Result<Self>;

    /// Reads a list of such values.
    ///
    /// # Errors
    /// Returns an error with the path of the value that cannot be read.
    fn read_list(field: &Field<'_>) -> Result<Vec<Self>> {
        field.list()?.iter().map(Self::read).collect()
    }

    /// Reads the member `key` of an object.
    ///
    /// # Errors
    /// Returns an error if the member is missing or cannot be read.
    fn read_member(fields: &Fields<'_>, key: &str) -> Result<Self> {
        Self::read(&fields.required(key)?)
    }
}

/// An object whose keys are arguments.
///
/// ```
/// use tuckbox::cards::ForkBox;
/// use tuckbox::json;
/// use tuckbox::value::arguments::Arguments;
/// use tuckbox::value::json::Field;
///
/// assert!(ForkBox::has_key("take") && !ForkBox::has_key("op"));
/// let mut keys = Vec::new();
/// ForkBox::add_keys(&mut keys);
/// assert_eq!(keys, ["box_id", "take", "source_agent_id", "operation_id"]);
/// let call = json!({"box_id": "notes", "kept_by_the_host": true});
/// let fork = ForkBox::from_fields(&Field::root(&call).object()?)?;
/// assert_eq!(fork.box_id, "notes");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Arguments: Sized {
    /// Returns whether `key` is a key of the object.
    fn has_key(key: &str) -> bool;

    /// Appends the keys of the object to `keys`.
    fn add_keys(keys: &mut Vec<&'static str>);

    /// Reads the members and ignores other keys.
    ///
    /// # Errors
    /// Returns an error with the path of the member that is missing or cannot be read.
    fn from_fields(fields: &Fields<'_>) -> Result<Self>;
}

/// A value that callers can also pass as JSON text. The name is for the TypeScript types: the reader
/// sees the same JSON.
pub(crate) type OrText<T> = T;

/// A value that callers can also pass as `null`. The name is for the TypeScript types: `null` counts
/// as missing.
pub(crate) type OrNull<T> = T;

/// A value whose reader accepts more than its documented type, as the reference systems do. The
/// schema allows any JSON. One with a default is documented as required: an operation without it
/// answers with a refusal.
pub(crate) type Loose<T> = T;

/// An argument for which `null` is a value: it clears what is stored, and a missing one keeps it.
///
/// ```
/// use tuckbox::agents::registry::UpdateAgent;
/// use tuckbox::json;
/// use tuckbox::value::arguments::Nullable;
///
/// let call = UpdateAgent::from_json(&json!({"agent_id": "ann", "display_name": null}))?;
/// assert_eq!(call.columns.display_name, Nullable::Null);
/// assert_eq!(call.columns.worker_target, Nullable::Missing);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Nullable<T> {
    /// The call does not have it.
    #[default]
    Missing,
    /// It is `null`.
    Null,
    /// It is a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns the value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Null => None,
        }
    }

    /// Returns true if the call does not have it.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

impl<T: Clone + Into<Json>> Nullable<T> {
    /// Returns the JSON of the argument, if the call has it.
    pub(crate) fn json(&self) -> Option<Json> {
        match self {
            Self::Missing => None,
            Self::Null => Some(Json::Null),
            Self::Value(value) => Some(value.clone().into()),
        }
    }
}

impl<T: Argument> Argument for Nullable<T> {
    fn read(field: &Field<'_>) -> Result<Self> {
        if field.json().is_null() { Ok(Self::Null) } else { T::read(field).map(Self::Value) }
    }

    fn read_member(fields: &Fields<'_>, key: &str) -> Result<Self> {
        fields.present(key).map_or(Ok(Self::Missing), |field| Self::read(&field))
    }
}

/// Reads an object that has only the keys of `T`.
pub(crate) fn read_object<T: Arguments>(field: &Field<'_>) -> Result<T> {
    let fields = field.object()?;
    if !fields.json().keys().all(|key| T::has_key(key)) {
        let mut keys = Vec::new();
        T::add_keys(&mut keys);
        fields.only(&keys)?;
    }
    T::from_fields(&fields)
}

/// Reads a call: the arguments of an operation, and `op`, its name.
pub(crate) fn read_call<T: Arguments>(json: &Json) -> Result<T> {
    read_tagged(&Field::root(json), "op")
}

/// Reads an object that has the keys of `T` and `tag`, which the caller reads.
pub(crate) fn read_tagged<T: Arguments>(field: &Field<'_>, tag: &'static str) -> Result<T> {
    let fields = field.object()?;
    if !fields.json().keys().all(|key| key == tag || T::has_key(key)) {
        let mut keys = vec![tag];
        T::add_keys(&mut keys);
        fields.only(&keys)?;
    }
    T::from_fields(&fields)
}

/// Reads a member that has a default; `null` counts as missing.
pub(crate) fn read_or<T: Argument>(
    fields: &Fields<'_>,
    key: &str,
    default: impl FnOnce() -> T,
) -> Result<T> {
    fields.optional(key).map_or_else(|| Ok(default()), |field| T::read(&field))
}

/// Reads one of several words.
pub(crate) fn read_word<T: Copy>(field: &Field<'_>, words: &[(&str, T)]) -> Result<T> {
    let word = field.string()?;
    match words.iter().find(|(known, _)| *known == word) {
        Some((_, value)) => Ok(*value),
        None => {
            let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
            Err(field.error(format!("unknown value `{word}`; expected one of {}", listed(&known))))
        }
    }
}

/// Returns the value of the member `key` if it is within bounds.
#[allow(dead_code, reason = "used by arguments with bounds")]
pub(crate) fn bounded<T: Bounded>(
    fields: &Fields<'_>,
    key: &str,
    value: T,
    bounds: &RangeInclusive<u64>,
) -> Result<T> {
    match value.number() {
        Some(number) if !bounds.contains(&number) => {
            let field = fields.required(key)?;
            let (min, max) = (bounds.start(), bounds.end());
            Err(field.error(format!("`{key}` must be from {min} to {max}, found `{number}`")))
        }
        Some(_) | None => Ok(value),
    }
}

/// A number that can have bounds.
#[allow(dead_code, reason = "used by arguments with bounds")]
pub(crate) trait Bounded {
    /// Returns the number, if there is one.
    fn number(&self) -> Option<u64>;
}

impl Bounded for u64 {
    fn number(&self) -> Option<u64> {
        Some(*self)
    }
}

impl Bounded for usize {
    fn number(&self) -> Option<u64> {
        u64::try_from(*self).ok()
    }
}

impl<T: Bounded> Bounded for Option<T> {
    fn number(&self) -> Option<u64> {
        self.as_ref().and_then(T::number)
    }
}

/// Returns the JSON key of a Rust field name.
pub(crate) const fn key(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Declares arguments; see the [module](self).
macro_rules! arguments {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[$doc:meta])*
                pub $field:ident: $type:ty $([$bounds:expr])? $(= $default:expr)?,
            )*
            $(shared $shared:ident: $shared_type:ty,)*
            $(setting $setting:ident: $setting_type:ty,)*
        }
    )*) => {$(
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* pub $field: $type,)*
            $(
                /// Arguments that several operations share.
                pub $shared: $shared_type,
            )*
            $(
                /// Settings of the project, which a call cannot change.
                pub $setting: $setting_type,
            )*
        }

        impl $crate::value::arguments::Arguments for $name {
            fn has_key(key: &str) -> bool {
                [$($crate::value::arguments::key(stringify!($field)),)*].contains(&key)
                    $(|| <$shared_type as $crate::value::arguments::Arguments>::has_key(key))*
            }

            fn add_keys(keys: &mut Vec<&'static str>) {
                let own: &[&'static str] = &[$($crate::value::arguments::key(stringify!($field)),)*];
                keys.extend(own);
                $(<$shared_type as $crate::value::arguments::Arguments>::add_keys(keys);)*
            }

            #[allow(unused_variables, reason = "arguments can have no members")]
            fn from_fields(fields: &$crate::value::json::Fields<'_>) -> $crate::Result<Self> {
                Ok(Self {
                    $($field: arguments!(@read fields, $field, $type, [$($bounds)?], [$($default)?]),)*
                    $($shared: <$shared_type as $crate::value::arguments::Arguments>::from_fields(fields)?,)*
                    $($setting: <$setting_type>::default(),)*
                })
            }
        }

        impl $crate::value::arguments::Argument for $name {
            fn read(field: &$crate::value::json::Field<'_>) -> $crate::Result<Self> {
                $crate::value::arguments::read_object(field)
            }
        }

        impl $name {
            /// Reads a call from JSON. `op`, the name of the operation, is optional.
            ///
            /// # Errors
            /// Returns `bad_request` with the path of the key that is missing, mistyped or unknown.
            #[allow(dead_code, reason = "arguments inside of others are not calls")]
            pub fn from_json(json: &$crate::Json) -> $crate::Result<Self> {
                $crate::value::arguments::read_call(json)
            }
        }
    )*};
    (@read $fields:ident, $field:ident, $type:ty, [], []) => {
        <$type as $crate::value::arguments::Argument>::read_member(
            $fields,
            $crate::value::arguments::key(stringify!($field)),
        )?
    };
    (@read $fields:ident, $field:ident, $type:ty, [], [$default:expr]) => {
        $crate::value::arguments::read_or::<$type>(
            $fields,
            $crate::value::arguments::key(stringify!($field)),
            || $default,
        )?
    };
    (@read $fields:ident, $field:ident, $type:ty, [$bounds:expr], [$($default:expr)?]) => {
        $crate::value::arguments::bounded(
            $fields,
            $crate::value::arguments::key(stringify!($field)),
            arguments!(@read $fields, $field, $type, [], [$($default)?]),
            &$bounds,
        )?
    };
}
pub(crate) use arguments;

impl<T: Argument> Argument for Option<T> {
    fn read(field: &Field<'_>) -> Result<Self> {
        if field.json().is_null() { Ok(None) } else { T::read(field).map(Some) }
    }

    fn read_member(fields: &Fields<'_>, key: &str) -> Result<Self> {
        fields.optional(key).map(|field| T::read(&field)).transpose()
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn read(field: &Field<'_>) -> Result<Self> {
        T::read_list(field)
    }
}

impl<T: Argument> Argument for Map<String, T> {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let present = |key: &String| Some((key.clone(), fields.present(key)?));
        let members = fields.json().keys().filter_map(present);
        members.map(|(key, member)| Ok((key, T::read(&member)?))).collect()
    }
}

impl<T: Argument> Argument for Box<T> {
    fn read(field: &Field<'_>) -> Result<Self> {
        T::read(field).map(Self::new)
    }
}

macro_rules! read_as {
    ($($type:ty: |$field:ident| $read:expr,)*) => {$(
        impl Argument for $type {
            fn read($field: &Field<'_>) -> Result<Self> {
                $read
            }
        }
    )*};
}

read_as! {
    String: |field| field.string().map(str::to_owned),
    bool: |field| field.boolean(),
    u64: |field| field.count(),
    usize: |field| Ok(Self::try_from(field.count()?).unwrap_or(Self::MAX)),
    i64: |field| {
        let whole = field.json().as_number().and_then(|number| number.whole());
        whole.ok_or_else(|| field.expected("a whole number"))
    },
    f64: |field| {
        let number = field.json().as_number().map(|number| number.as_f64());
        number.ok_or_else(|| field.expected("a number"))
    },
    Number: |field| field.json().as_number().cloned().ok_or_else(|| field.expected("a number")),
    Json: |field| Ok(field.json().clone()),
    Object: |field| Ok(field.object()?.json().clone()),
    CardId: |field| Self::parse(field),
    BoxId: |field| Self::parse(field),
    AgentId: |field| Self::parse(field),
    CardIds: |field| Ok(field.strings()?.into_iter().collect()),
}
