//! The URIs of files: an object in a bucket, or an `https` URL with a path.

use crate::Result;
use crate::value::json::Field;

/// Reads a URI and returns it verbatim.
///
/// The checks follow browsers and the reference systems. They ignore leading control characters and
/// spaces, and tabs and line ends anywhere. The case of the scheme does not matter.
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
        return Some("has no scheme; expected `s3` or `https`");
    };
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at_checked(rest.find(['/', '?', '#']).unwrap_or(rest.len()))?,
        None => ("", rest),
    };
    if !brackets_contain_an_ip_address(host) {
        return Some("has square brackets without an IP address");
    }
    let path = path.split(['?', '#']).next().unwrap_or("");
    match scheme.to_ascii_lowercase().as_str() {
        "s3" => s3_problem(host, path.trim_start_matches('/')),
        "https" if host.is_empty() => Some("has no host"),
        "https" if matches!(without_parameters(path), "" | "/") => Some("has no path"),
        "https" => None,
        _ => Some("has an unknown scheme; expected `s3` or `https`"),
    }
}

fn s3_problem(bucket: &str, key: &str) -> Option<&'static str> {
    match bucket {
        "" => Some("has no bucket"),
        // the bucket is in the path
        "localhost" => match key.split_once('/') {
            Some((bucket, key)) if !bucket.is_empty() && !key.is_empty() => None,
            _ => Some("needs a bucket and a key after `localhost`"),
        },
        _ => key.is_empty().then_some("has no key"),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Returns the path without the `;parameters` of its last segment.
fn without_parameters(path: &str) -> &str {
    let segment = path.rfind('/').unwrap_or(0);
    match path.get(segment..).and_then(|last| last.find(';')) {
        Some(at) => path.get(..segment + at).unwrap_or(path),
        None => path,
    }
}

fn brackets_contain_an_ip_address(host: &str) -> bool {
    match (host.find('['), host.rfind(']')) {
        (None, None) => true,
        (Some(open), Some(close)) => host.get(open + 1..close).is_some_and(|inside| {
            let address = inside.split('%').next().unwrap_or(inside);
            inside.starts_with(['v', 'V']) || address.parse::<std::net::Ipv6Addr>().is_ok()
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn files_are_objects_in_buckets_or_https_urls() {
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
