//! A file server for the page. It listens only on this machine.
//!
//! Each connection has its own thread and one response. Browsers open many connections and keep
//! some idle, which would block a thread pool.

use anyhow::{Context, Result, bail};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The maximum size of the head of a request.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// The time to wait for a request. Browsers open connections ahead and keep them idle.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// A folder under a prefix of the URL.
pub struct Mount {
    /// The prefix. It begins and ends with `/`.
    pub prefix: &'static str,
    /// The folder.
    pub dir: PathBuf,
}

/// A running server. It stops with the process.
pub struct Running {
    /// The URL of the server.
    pub url: String,
    accepting: JoinHandle<()>,
}

impl Running {
    /// Serves until the process ends.
    pub fn wait(self) {
        let _ = self.accepting.join();
    }
}

/// The port to listen on.
#[derive(Clone, Copy)]
pub enum Port {
    /// Exactly this port.
    Exactly(u16),
    /// This port or the next free one.
    From(u16),
    /// Any free port.
    Any,
}

/// Starts to serve `mounts`. The longest matching prefix wins.
pub fn start(port: Port, mut mounts: Vec<Mount>) -> Result<Running> {
    mounts.sort_by_key(|mount| std::cmp::Reverse(mount.prefix.len()));
    let listener = listen(port)?;
    let address = listener.local_addr().context("the server has no address")?;
    let mounts = Arc::new(mounts);
    let accepting = thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mounts = Arc::clone(&mounts);
            // ignore errors of closed connections
            thread::spawn(move || drop(serve(&stream, &mounts)));
        }
    });
    Ok(Running { url: format!("http://{address}/"), accepting })
}

fn listen(port: Port) -> Result<TcpListener> {
    let bind = |port: u16| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let (first, tries) = match port {
        Port::Exactly(port) => (port, 1),
        Port::Any => (0, 1),
        Port::From(port) => (port, 50),
    };
    for candidate in (first..=u16::MAX).take(tries) {
        match bind(candidate) {
            Ok(server) => return Ok(server),
            Err(error) if tries == 1 => {
                bail!("cannot listen on port {candidate}: {error}; choose another with --port N")
            }
            Err(_) => eprintln!("port {candidate} is in use; trying the next one"),
        }
    }
    bail!("no free port between {first} and {}; choose one with --port N", first.saturating_add(49))
}

/// Reads a request and writes the response.
fn serve(mut stream: &TcpStream, mounts: &[Mount]) -> io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let mut head = BufReader::new(stream.take(MAX_HEAD_BYTES)).lines();
    let Some(first) = head.next().transpose()? else { return Ok(()) };
    while head.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let mut words = first.split(' ');
    let (method, url) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let Answer { status, header: (name, value), body } = match method {
        "GET" | "HEAD" => answer(url, mounts),
        _ => Answer::text("405 Method Not Allowed", "only GET and HEAD"),
    };
    // files change during development; bundled files get new names instead
    let caching = match status.starts_with("200") && url.starts_with("/assets/") {
        true => "public, max-age=31536000, immutable",
        false => "no-store",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{name}: {value}\r\nContent-Length: {}\r\n\
         Cache-Control: {caching}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

struct Answer {
    status: &'static str,
    header: (&'static str, String),
    body: Vec<u8>,
}

impl Answer {
    fn text(status: &'static str, text: &str) -> Self {
        let header = ("Content-Type", "text/plain; charset=utf-8".to_owned());
        Self { status, header, body: text.into() }
    }
}

fn answer(url: &str, mounts: &[Mount]) -> Answer {
    match find(url, mounts) {
        Found::File(path) => match std::fs::read(&path) {
            Ok(body) => {
                let header = ("Content-Type", media_type(&path).to_owned());
                Answer { status: "200 OK", header, body }
            }
            Err(_) => Answer::text("404 Not Found", "no such file"),
        },
        Found::Folder(path) => {
            Answer { status: "301 Moved Permanently", header: ("Location", path), body: Vec::new() }
        }
        Found::Nothing => Answer::text("404 Not Found", "no such file"),
    }
}

#[derive(Debug, PartialEq)]
enum Found {
    File(PathBuf),
    /// A folder without its final `/`, and its correct path.
    Folder(String),
    Nothing,
}

/// Finds the file of a URL. It never returns a file outside the mounted folders, neither through an
/// encoded `..` nor through links.
fn find(url: &str, mounts: &[Mount]) -> Found {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let Some(path) = decode(path) else { return Found::Nothing };
    let Some((mount, rest)) =
        mounts.iter().find_map(|mount| Some((mount, path.strip_prefix(mount.prefix)?)))
    else {
        return Found::Nothing;
    };
    let segments = rest.split('/').filter(|segment| !segment.is_empty());
    let mut file = mount.dir.clone();
    for segment in segments {
        if matches!(segment, "." | "..") || segment.contains(['\\', ':', '\0']) {
            return Found::Nothing;
        }
        file.push(segment);
    }
    if file.is_dir() {
        if !path.ends_with('/') {
            return Found::Folder(format!("{}/", url.split(['?', '#']).next().unwrap_or_default()));
        }
        file.push("index.html");
    }
    let inside =
        |file: &Path| Some(file.canonicalize().ok()?.starts_with(mount.dir.canonicalize().ok()?));
    if file.is_file() && inside(&file) == Some(true) { Found::File(file) } else { Found::Nothing }
}

/// Decodes percent-encoding. Returns `None` if the result is not UTF-8.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        // browsers compile a module while it loads only with this type
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str) -> (PathBuf, Vec<Mount>) {
        let root =
            std::env::temp_dir().join(format!("tuckbox-serve-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("www/deep")).unwrap();
        std::fs::create_dir_all(root.join("pkg")).unwrap();
        std::fs::write(root.join("secret.txt"), "secret").unwrap();
        std::fs::write(root.join("www/index.html"), "<p>page").unwrap();
        std::fs::write(root.join("www/deep/a b.css"), "p{}").unwrap();
        std::fs::write(root.join("pkg/core.wasm"), "wasm").unwrap();
        std::fs::create_dir_all(root.join("www/assets")).unwrap();
        std::fs::write(root.join("www/assets/app-1a2b.js"), "app").unwrap();
        let mounts = vec![
            Mount { prefix: "/pkg/", dir: root.join("pkg") },
            Mount { prefix: "/", dir: root.join("www") },
        ];
        (root, mounts)
    }

    #[test]
    fn urls_name_files_of_the_mounted_folders() {
        let (root, mounts) = site("files");
        let file = |path: &str| Found::File(root.join(path));
        assert_eq!(find("/", &mounts), file("www/index.html"));
        assert_eq!(find("/?a=1", &mounts), file("www/index.html"));
        assert_eq!(find("/deep/a%20b.css", &mounts), file("www/deep/a b.css"));
        assert_eq!(find("/pkg/core.wasm", &mounts), file("pkg/core.wasm"));
        assert_eq!(find("/deep", &mounts), Found::Folder("/deep/".into()));
        assert_eq!(find("/deep/", &mounts), Found::Nothing);
        assert_eq!(find("/absent.js", &mounts), Found::Nothing);
    }

    #[test]
    fn files_outside_the_mounts_are_not_found() {
        let (root, mounts) = site("outside");
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/pkg/../../secret.txt",
            "/pkg/..%2fsecret.txt",
            "/..\\secret.txt",
            "/%5c..%5csecret.txt",
            "//secret.txt",
            "/%00",
            "/%zz",
            "secret.txt",
        ] {
            assert_eq!(find(path, &mounts), Found::Nothing, "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret.txt"), root.join("www/link.txt")).unwrap();
            assert_eq!(find("/link.txt", &mounts), Found::Nothing);
        }
        drop(root);
    }

    #[test]
    fn response_has_the_type_and_port_error_names_the_port() {
        let (_, mounts) = site("request");
        let running = start(Port::Any, mounts).unwrap();
        let host = running.url.trim_start_matches("http://").trim_end_matches('/');
        let ask = |line: &str| {
            let mut stream = TcpStream::connect(host).unwrap();
            write!(stream, "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let module = ask("GET /pkg/core.wasm");
        assert!(module.starts_with("HTTP/1.1 200") && module.contains("application/wasm"));
        assert!(module.ends_with("wasm"), "{module}");
        assert!(module.contains("Cache-Control: no-store"));
        assert!(ask("GET /assets/app-1a2b.js").contains("immutable"));
        assert!(ask("GET /assets/absent.js").contains("no-store"));
        assert!(ask("GET /../secret.txt").starts_with("HTTP/1.1 404"));
        assert!(ask("POST /").starts_with("HTTP/1.1 405"));
        assert!(ask("HEAD /").contains("Content-Length: 7") && ask("HEAD /").ends_with("\r\n\r\n"));
        assert!(ask("GET /deep").contains("Location: /deep/\r\n"));
        // more idle connections than a browser opens
        let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(host).unwrap()).collect();
        assert!(ask("GET /").ends_with("<p>page"));
        drop(idle);
        let port = host.rsplit(':').next().unwrap().parse().unwrap();
        let taken = start(Port::Exactly(port), Vec::new()).err().unwrap().to_string();
        assert!(taken.contains(&format!("port {port}")), "{taken}");
        let next = start(Port::From(port), Vec::new()).unwrap();
        assert_ne!(next.url, running.url);
    }
}
