//! MessagePack as in checkpoints of LangGraph: a message is an extension with the path of a Python
//! class, its name and its fields.

use crate::value::json::{Json, Number, Object};

/// Reads a single value. JSON starts with a byte that is a whole number here. An extension with a
/// class becomes its fields. Anything else that JSON does not have becomes `null`.
pub fn read(bytes: &[u8]) -> Option<Json> {
    let mut at = 0;
    value(bytes, &mut at, 0).filter(|_| at == bytes.len())
}

fn take<'a>(bytes: &'a [u8], at: &mut usize, length: usize) -> Option<&'a [u8]> {
    let end = at.checked_add(length)?;
    let slice = bytes.get(*at..end)?;
    *at = end;
    Some(slice)
}

fn size(bytes: &[u8], at: &mut usize, length: usize) -> Option<usize> {
    let raw = take(bytes, at, length)?;
    usize::try_from(raw.iter().fold(0_u64, |all, byte| (all << 8) | u64::from(*byte))).ok()
}

fn text(bytes: &[u8], at: &mut usize, length: usize) -> Option<Json> {
    let raw = take(bytes, at, length)?;
    Some(Json::from(String::from_utf8_lossy(raw).into_owned()))
}

fn list(bytes: &[u8], at: &mut usize, length: usize, depth: usize) -> Option<Json> {
    // the declared length is longer than the data
    let mut items = Vec::new();
    for _ in 0..length {
        items.push(value(bytes, at, depth + 1)?);
    }
    Some(Json::Array(items))
}

fn object(bytes: &[u8], at: &mut usize, length: usize, depth: usize) -> Option<Json> {
    let mut out = Object::default();
    for _ in 0..length {
        let key = value(bytes, at, depth + 1)?;
        let item = value(bytes, at, depth + 1)?;
        let key = match key {
            Json::String(text) => text,
            other => other.to_string(),
        };
        out.insert(key, item);
    }
    Some(Json::Object(out))
}

fn extension(bytes: &[u8], at: &mut usize, length: usize, depth: usize) -> Option<Json> {
    take(bytes, at, 1)?;
    let inside = take(bytes, at, length)?;
    let Some(Json::Array(fields)) = value(inside, &mut 0, depth + 1) else {
        return Some(Json::Null);
    };
    // [module, class, fields, ..]: only the fields are used
    Some(match fields.get(2) {
        Some(Json::Object(kwargs)) => Json::Object(kwargs.clone()),
        Some(Json::Array(args)) if args.len() == 1 => args.first().cloned().unwrap_or_default(),
        Some(other) => other.clone(),
        None => Json::Null,
    })
}

fn signed(bytes: &[u8], at: &mut usize, length: usize) -> Option<Json> {
    let raw = take(bytes, at, length)?;
    let start = if raw.first().is_some_and(|byte| *byte >= 128) { -1_i64 } else { 0 };
    Some(Json::from(raw.iter().fold(start, |all, byte| (all << 8) | i64::from(*byte))))
}

fn value(bytes: &[u8], at: &mut usize, depth: usize) -> Option<Json> {
    if depth > 100 {
        return None;
    }
    let tag = take(bytes, at, 1)?.first().copied()?;
    match tag {
        0x00..=0x7f => Some(Json::from(i64::from(tag))),
        0xe0..=0xff => Some(Json::from(i64::from(tag.cast_signed()))),
        0x80..=0x8f => object(bytes, at, usize::from(tag & 15), depth),
        0x90..=0x9f => list(bytes, at, usize::from(tag & 15), depth),
        0xa0..=0xbf => text(bytes, at, usize::from(tag & 31)),
        0xc0 | 0xc1 => Some(Json::Null),
        0xc2 => Some(Json::Bool(false)),
        0xc3 => Some(Json::Bool(true)),
        0xc4..=0xc6 => {
            let length = size(bytes, at, 1 << (tag - 0xc4))?;
            text(bytes, at, length)
        }
        0xc7..=0xc9 => {
            let length = size(bytes, at, 1 << (tag - 0xc7))?;
            extension(bytes, at, length, depth)
        }
        0xca => {
            let raw: [u8; 4] = take(bytes, at, 4)?.try_into().ok()?;
            Some(float(f64::from(f32::from_be_bytes(raw))))
        }
        0xcb => {
            let raw: [u8; 8] = take(bytes, at, 8)?.try_into().ok()?;
            Some(float(f64::from_be_bytes(raw)))
        }
        0xcc..=0xcf => {
            let raw = take(bytes, at, 1 << (tag - 0xcc))?;
            Some(Json::from(raw.iter().fold(0_u64, |all, byte| (all << 8) | u64::from(*byte))))
        }
        0xd0..=0xd3 => signed(bytes, at, 1 << (tag - 0xd0)),
        0xd4..=0xd8 => extension(bytes, at, 1 << (tag - 0xd4), depth),
        0xd9..=0xdb => {
            let length = size(bytes, at, 1 << (tag - 0xd9))?;
            text(bytes, at, length)
        }
        0xdc | 0xdd => {
            let length = size(bytes, at, if tag == 0xdc { 2 } else { 4 })?;
            list(bytes, at, length, depth)
        }
        0xde | 0xdf => {
            let length = size(bytes, at, if tag == 0xde { 2 } else { 4 })?;
            object(bytes, at, length, depth)
        }
    }
}

fn float(value: f64) -> Json {
    Number::from_f64(value).map_or(Json::Null, Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_becomes_its_fields() {
        let mut bytes = vec![0x91, 0xc7, 0, 5, 0x93, 0xa1, b'm', 0xa1, b'C'];
        bytes.extend([0x82, 0xa1, b'a', 0x2a, 0xa1, b'b', 0xcb]);
        bytes.extend(0.5_f64.to_be_bytes());
        let length = u8::try_from(bytes.len() - 4).unwrap_or(0);
        if let Some(size) = bytes.get_mut(2) {
            *size = length;
        }
        assert_eq!(
            read(&bytes).map(|json| json.to_string()).as_deref(),
            Some(r#"[{"a":42,"b":0.5}]"#)
        );
        assert_eq!(read(bytes.get(..9).unwrap_or(&[])), None, "a truncated value is not read");
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let ext = |inside: &[u8]| {
            let size = u8::try_from(inside.len()).unwrap_or(0);
            [&[0xc7, size, 0], inside].concat()
        };
        for (bytes, json) in [
            (vec![0x7f], "127"),
            (vec![0xe0], "-32"),
            (vec![0xc0], "null"),
            (vec![0xc2], "false"),
            (vec![0xc3], "true"),
            (vec![0xcc, 200], "200"),
            (vec![0xcd, 1, 0], "256"),
            (vec![0xcf, 255, 255, 255, 255, 255, 255, 255, 255], "18446744073709551615"),
            (vec![0xd0, 0x80], "-128"),
            (vec![0xd1, 0x01, 0x00], "256"),
            (vec![0xd3, 255, 255, 255, 255, 255, 255, 255, 254], "-2"),
            ([&[0xca], &0.5_f32.to_be_bytes()[..]].concat(), "0.5"),
            ([&[0xcb], &f64::NAN.to_be_bytes()[..]].concat(), "null"),
            (vec![0xd9, 1, b'a'], r#""a""#),
            (vec![0xda, 0, 1, b'a'], r#""a""#),
            (vec![0xc4, 1, b'a'], r#""a""#),
            (vec![0xdc, 0, 1, 7], "[7]"),
            (vec![0xdd, 0, 0, 0, 1, 7], "[7]"),
            (vec![0xde, 0, 1, 7, 8], r#"{"7":8}"#),
            (vec![0xdf, 0, 0, 0, 1, 0xa1, b'k', 8], r#"{"k":8}"#),
            // classes with one argument, of a value, of nothing; and something else
            (ext(&[0x93, 0xa1, b'm', 0xa1, b'C', 0x91, 5]), "5"),
            (ext(&[0x93, 0xa1, b'm', 0xa1, b'C', 0x92, 5, 6]), "[5,6]"),
            (ext(&[0x93, 0xa1, b'm', 0xa1, b'C', 5]), "5"),
            (ext(&[0x91, 0xa1, b'm']), "null"),
            (vec![0xd4, 1, 9], "null"),
        ] {
            let read = read(&bytes).map(|value| value.to_string());
            assert_eq!(read.as_deref(), Some(json), "{bytes:x?}");
        }
        assert_eq!(read(b"{}"), None, "JSON");
        // nested lists, each with a declared length of four billion
        assert_eq!(read(&[0xdd, 255, 255, 255, 255].repeat(1_000)), None);
        assert_eq!(read(&[0x91; 1_000]), None);
    }
}
