//! Flows of mitmproxy: values with their length before and their type after them, one after another.

use crate::value::json::{Json, Object};

/// The maximum depth of a value.
const MAX_DEPTH: usize = 40;

/// Returns the flows of a file, and whether it was read to its end. `None` if it has none.
pub fn read(bytes: &[u8]) -> Option<(Vec<Json>, bool)> {
    bytes.first().filter(|first| first.is_ascii_digit())?;
    let mut rest = bytes;
    let mut flows = Vec::new();
    while let Some((flow @ Json::Object(_), left)) = value(rest, 0) {
        flows.push(flow);
        rest = left;
    }
    (!flows.is_empty()).then_some((flows, rest.is_empty()))
}

/// Reads a value, and returns what follows it.
fn value(bytes: &[u8], depth: usize) -> Option<(Json, &[u8])> {
    let colon = bytes.iter().take(12).position(|byte| *byte == b':')?;
    let length: usize = std::str::from_utf8(bytes.get(..colon)?).ok()?.parse().ok()?;
    let start = colon + 1;
    let end = start.checked_add(length)?;
    let (inner, kind) = (bytes.get(start..end)?, bytes.get(end)?);
    let rest = bytes.get(end + 1..)?;
    let words = || std::str::from_utf8(inner).ok();
    let read = match kind {
        // bytes that are not text, such as a compressed body, are not read
        b',' | b';' => words().map_or(Json::Null, Json::from),
        b'#' | b'^' => Json::parse(words()?).ok().filter(|it| it.as_number().is_some())?,
        b'!' => Json::Bool(inner == b"true"),
        b'~' => Json::Null,
        b']' | b'}' if depth >= MAX_DEPTH => return None,
        b']' => {
            let (mut items, mut rest) = (Vec::new(), inner);
            while !rest.is_empty() {
                let (item, left) = value(rest, depth + 1)?;
                items.push(item);
                rest = left;
            }
            Json::Array(items)
        }
        b'}' => {
            let (mut object, mut rest) = (Object::default(), inner);
            while !rest.is_empty() {
                let (Json::String(key), left) = value(rest, depth + 1)? else { return None };
                let (item, left) = value(left, depth + 1)?;
                object.insert(key, item);
                rest = left;
            }
            Json::Object(object)
        }
        _ => return None,
    };
    Some((read, rest))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn values_are_read_by_their_lengths() {
        let flow = b"42:1:a,1:b;2:no,2:\xff\xfe,4:list,7:1:1#0:~]1:f,3:0.5^}";
        let inner = &flow[3..flow.len() - 1];
        let whole = [format!("{}:", inner.len()).as_bytes(), inner, b"}"].concat();
        let (flows, is_whole) = read(&whole).unwrap();
        assert!(is_whole);
        assert_eq!(flows.len(), 1);
        assert_eq!(flows[0].to_string(), r#"{"a":"b","no":null,"list":[1,null],"f":0.5}"#);
        let two = [whole.as_slice(), &whole[..9]].concat();
        let (flows, is_whole) = read(&two).unwrap();
        assert_eq!((flows.len(), is_whole), (1, false));
    }

    #[test]
    fn other_files_are_not_flows() {
        for bytes in [&b""[..], b"12", b"1:x", b"9999999999999:a}", b"3:a,}", b"1:a,", b"{}"] {
            assert!(read(bytes).is_none(), "{bytes:?}");
        }
        let deep = (0..2000).fold(b"0:~".to_vec(), |inner, _| {
            [format!("{}:", inner.len()).as_bytes(), &inner, b"]"].concat()
        });
        assert!(read(&deep).is_none());
    }
}
