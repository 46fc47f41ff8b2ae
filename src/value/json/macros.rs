//! The macro `json!`.

/// Creates a [`Json`](crate::Json) value from JSON syntax.
///
/// A value can be any expression that converts to `Json`.
///
/// ```
/// use tuckbox::{Json, json};
///
/// let boxes = vec!["notes", "drafts"];
/// let call = json!({
///     "profile_name": "writer",
///     "boxes": boxes,
///     "limits": {"deadline": null, "tries": 1 + 2, "fast": true},
///     "list": [1, "two", [3.5]],
/// });
/// assert_eq!(
///     call.to_string(),
///     r#"{"profile_name":"writer","boxes":["notes","drafts"],"limits":{"deadline":null,"tries":3,"fast":true},"list":[1,"two",[3.5]]}"#
/// );
/// assert_eq!(json!([]), Json::Array(Vec::new()));
/// ```
#[macro_export]
macro_rules! json {
    (@members $object:ident) => {};
    (@members $object:ident $key:tt : $($rest:tt)*) => {
        $crate::json!(@member $object $key () $($rest)*)
    };
    (@member $object:ident $key:tt ($($value:tt)+) , $($rest:tt)*) => {
        $object.insert(::std::string::String::from($key), $crate::json!($($value)+));
        $crate::json!(@members $object $($rest)*)
    };
    (@member $object:ident $key:tt ($($value:tt)+)) => {
        $object.insert(::std::string::String::from($key), $crate::json!($($value)+));
    };
    (@member $object:ident $key:tt ($($value:tt)*) $next:tt $($rest:tt)*) => {
        $crate::json!(@member $object $key ($($value)* $next) $($rest)*)
    };
    (@items $list:ident ()) => {};
    (@items $list:ident ($($value:tt)+)) => {
        $list.push($crate::json!($($value)+));
    };
    (@items $list:ident ($($value:tt)+) , $($rest:tt)*) => {
        $list.push($crate::json!($($value)+));
        $crate::json!(@items $list () $($rest)*)
    };
    (@items $list:ident ($($value:tt)*) $next:tt $($rest:tt)*) => {
        $crate::json!(@items $list ($($value)* $next) $($rest)*)
    };
    (null) => { $crate::Json::Null };
    ([]) => { $crate::Json::Array(::std::vec::Vec::new()) };
    ([$($items:tt)+]) => {{
        let mut list: ::std::vec::Vec<$crate::Json> = ::std::vec::Vec::from([]);
        $crate::json!(@items list () $($items)+);
        $crate::Json::Array(list)
    }};
    ({}) => { $crate::Json::Object($crate::value::json::Object::default()) };
    ({$($members:tt)+}) => {{
        let mut object = $crate::value::json::Object::default();
        $crate::json!(@members object $($members)+);
        $crate::Json::Object(object)
    }};
    ($value:expr) => { $crate::Json::from($value) };
}
