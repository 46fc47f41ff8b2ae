//! Which URIs may stand for a file: an object in a bucket, or an `https` address with a path.

use crate::Result;
use crate::json::Field;

/// Reads a URI and keeps it as it stands.
///
/// It is taken apart as browsers and the recorded systems do: leading control characters and
/// spaces do not count, nor do tabs and line ends anywhere, and the scheme's case is free.
pub(super) fn read(field: &Field<'_>) -> Result<String> {
    let given = field.string()?;
    match problem(given) {
        None => Ok(given.to_owned()),
        Some(problem) => Err(field.error(format!("the URI `{given}` {problem}"))),
    }
}

fn problem(given: &str) -> Option<&'static str> {
    let clean: String = given
        .trim_start_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
        .collect();
    let Some((scheme, rest)) = clean.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return Some("has no scheme; known are `s3` and `https`");
    };
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at_checked(rest.find(['/', '?', '#']).unwrap_or(rest.len()))?,
        None => ("", rest),
    };
    if !brackets_hold_an_address(host) {
        return Some("has square brackets that do not hold an address");
    }
    let path = path.split(['?', '#']).next().unwrap_or("");
    match scheme.to_ascii_lowercase().as_str() {
        "s3" => s3_problem(host, path.trim_start_matches('/')),
        "https" if host.is_empty() => Some("has no host"),
        "https" if matches!(without_parameters(path), "" | "/") => Some("has no path"),
        "https" => None,
        _ => Some("has a scheme that is not known; known are `s3` and `https`"),
    }
}

fn s3_problem(bucket: &str, key: &str) -> Option<&'static str> {
    match bucket {
        "" => Some("has no bucket"),
        // the bucket stands in the path
        "localhost" => match key.split_once('/') {
            Some((bucket, key)) if !bucket.is_empty() && !key.is_empty() => None,
            _ => Some("needs a bucket and a key behind `localhost`"),
        },
        _ => key.is_empty().then_some("has no key"),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The path without `;parameters` of its last segment.
fn without_parameters(path: &str) -> &str {
    let segment = path.rfind('/').unwrap_or(0);
    match path.get(segment..).and_then(|last| last.find(';')) {
        Some(at) => path.get(..segment + at).unwrap_or(path),
        None => path,
    }
}

fn brackets_hold_an_address(host: &str) -> bool {
    match (host.find('['), host.rfind(']')) {
        (None, None) => true,
        (Some(open), Some(close)) => host.get(open + 1..close).is_some_and(|inside| {
            let address = inside.split('%').next().unwrap_or(inside);
            inside.starts_with(['v', 'V']) || is_ipv6(address)
        }),
        _ => false,
    }
}

/// True for an IPv6 address: eight groups of hex digits, of which the last two may be written as an
/// IPv4 address and some zeros in a row as `::`.
fn is_ipv6(text: &str) -> bool {
    match text.as_bytes().windows(2).position(|pair| pair == b"::") {
        None => groups(text, true) == Some(8),
        Some(at) => {
            let head = groups(text.get(..at).unwrap_or_default(), false);
            let tail = groups(text.get(at + 2..).unwrap_or_default(), true);
            head.zip(tail).is_some_and(|(head, tail)| head + tail < 8)
        }
    }
}

/// How many groups these are, if they are groups.
fn groups(text: &str, may_end_in_ipv4: bool) -> Option<usize> {
    if text.is_empty() {
        return Some(0);
    }
    let (before, last) =
        text.rsplit_once(':').map_or((None, text), |(all, last)| (Some(all), last));
    let is_group = |group: &str| {
        (1..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let size = if is_group(last) {
        1
    } else if may_end_in_ipv4 && is_ipv4(last) {
        2
    } else {
        return None;
    };
    let before = before.into_iter().flat_map(|all| all.split(':'));
    before.map(|group| is_group(group).then_some(1)).sum::<Option<usize>>().map(|sum| sum + size)
}

/// True for four numbers up to 255 without zeros before them.
fn is_ipv4(text: &str) -> bool {
    let is_octet = |octet: &str| {
        let plain = octet.bytes().all(|byte| byte.is_ascii_digit());
        plain && (octet == "0" || !octet.starts_with('0')) && octet.parse::<u8>().is_ok()
    };
    text.split('.').count() == 4 && text.split('.').all(is_octet)
}

#[cfg(test)]
mod tests {
    use super::{is_ipv6, problem};

    #[test]
    fn addresses_are_those_of_the_standard_library() {
        let pieces =
            ["::", ":", "1", "f0", "00ab", "12345", "g", "1.2.3.4", "01.2.3.4", "1.2.3", "."];
        let mut state = 1_usize;
        for _ in 0..300_000 {
            let mut text = String::new();
            for place in 0..state % 19 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // mostly groups and colons in turn, so that many are right
                let at = (state >> 33) % 40;
                text += match at {
                    0..=10 => pieces[at],
                    _ if place % 2 == 1 => ":",
                    11..=13 => "1.2.3.255",
                    _ => "ab",
                };
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            assert_eq!(is_ipv6(&text), text.parse::<std::net::Ipv6Addr>().is_ok(), "{text}");
            state >>= 7;
        }
        for text in ["::", "::1", "1::", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:8"] {
            assert!(is_ipv6(text), "{text}");
        }
    }

    #[test]
    fn files_are_objects_in_buckets_or_https_addresses() {
        for uri in [
            "s3://bucket/key",
            "S3://bucket//key",
            "s3://localhost/bucket/key",
            "https://host/p;x",
            "https://host//",
            "https://user:pw@[::1]:8080/p",
            " https://host/p\n",
            "ht\ntps://host/p",
        ] {
            assert_eq!(problem(uri), None, "{uri:?}");
        }
        for uri in [
            "",
            "://",
            "bucket/key",
            "1s://b/k",
            "s3://bucket",
            "s3://bucket?key",
            "s3:///key",
            "s3://localhost/bucket/",
            "s3://localhost//key",
            "http://host/path",
            "https://host/?q",
            "https://host#/p",
            "https:/host/p",
            "https://host/;x",
            "https://[bad/p",
            "https://[bad]/p",
            "https://]bad[/p",
            "file:///tmp/x",
        ] {
            assert!(problem(uri).is_some(), "{uri:?}");
        }
    }
}
