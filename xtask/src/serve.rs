//! A small server for the page: files of a few folders, on this machine only.
//!
//! `tiny_http` because it is synchronous and already part of the tree through wasm-bindgen's test
//! runner: a development page needs no async runtime.

use anyhow::{Context, Result, bail};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tiny_http::{Header, Method, Request, Response, Server};

/// One folder under one prefix of the address.
pub struct Mount {
    /// Begins and ends with `/`.
    pub prefix: &'static str,
    pub dir: PathBuf,
}

/// A running server. It ends with the process.
pub struct Running {
    pub address: String,
    threads: Vec<JoinHandle<()>>,
}

impl Running {
    /// Serves until the process is ended.
    pub fn wait(self) {
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

/// Which port to listen on.
#[derive(Clone, Copy)]
pub enum Port {
    /// This one, or an error.
    Exactly(u16),
    /// This one, or the next free one.
    From(u16),
    /// Any that is free.
    Any,
}

/// Starts serving `mounts`; the longest matching prefix wins.
pub fn start(port: Port, mut mounts: Vec<Mount>) -> Result<Running> {
    mounts.sort_by_key(|mount| std::cmp::Reverse(mount.prefix.len()));
    let server = Arc::new(listen(port)?);
    let address = server.server_addr().to_ip().context("the server has no address")?;
    let mounts = Arc::new(mounts);
    let serve = |_| {
        let (server, mounts) = (Arc::clone(&server), Arc::clone(&mounts));
        thread::spawn(move || {
            while let Ok(request) = server.recv() {
                // a browser that went away is no concern of ours
                let _ = answer(request, &mounts);
            }
        })
    };
    let threads = (0..4).map(serve).collect();
    Ok(Running { address: format!("http://{address}/"), threads })
}

fn listen(port: Port) -> Result<Server> {
    let bind = |port: u16| Server::http(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let (first, tries) = match port {
        Port::Exactly(port) => (port, 1),
        Port::Any => (0, 1),
        Port::From(port) => (port, 50),
    };
    for candidate in (first..=u16::MAX).take(tries) {
        match bind(candidate) {
            Ok(server) => return Ok(server),
            Err(error) if tries == 1 => {
                bail!("cannot listen on port {candidate}: {error}; name another with --port N")
            }
            Err(_) => eprintln!("port {candidate} is taken, trying the next one"),
        }
    }
    bail!("no free port between {first} and {}; name one with --port N", first.saturating_add(49))
}

fn answer(request: Request, mounts: &[Mount]) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::from_string("only GET and HEAD").with_status_code(405));
    }
    match find(request.url(), mounts) {
        Found::File(path) => match std::fs::read(&path) {
            Ok(bytes) => {
                let response = Response::from_data(bytes);
                let kind = header("Content-Type", media_type(&path));
                // files change between two loads of a page under development
                let fresh = header("Cache-Control", "no-store");
                request.respond(
                    [kind, fresh].into_iter().flatten().fold(response, Response::with_header),
                )
            }
            Err(_) => missing(request),
        },
        Found::Folder(address) => {
            let response = Response::from_string("moved").with_status_code(301);
            let place = header("Location", &address);
            request.respond(place.into_iter().fold(response, Response::with_header))
        }
        Found::Nothing => missing(request),
    }
}

fn missing(request: Request) -> std::io::Result<()> {
    request.respond(Response::from_string("no such file").with_status_code(404))
}

fn header(name: &str, value: &str) -> Option<Header> {
    Header::from_bytes(name, value).ok()
}

#[derive(Debug, PartialEq)]
enum Found {
    File(PathBuf),
    /// A folder asked for without its final `/`: where it is.
    Folder(String),
    Nothing,
}

/// The file that a requested address names. Nothing outside the mounted folders is ever found,
/// neither through `..` in any spelling nor through links.
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

/// Undoes percent-encoding; nothing where the result is no text.
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
        // a browser compiles a module while it arrives only under this type
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
    use std::io::{Read, Write};
    use std::net::TcpStream;

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
        let mounts = vec![
            Mount { prefix: "/pkg/", dir: root.join("pkg") },
            Mount { prefix: "/", dir: root.join("www") },
        ];
        (root, mounts)
    }

    #[test]
    fn addresses_name_files_of_the_mounted_folders() {
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
    fn nothing_outside_is_found() {
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
    fn a_request_gets_the_file_with_its_type_and_a_taken_port_is_named() {
        let (_, mounts) = site("request");
        let running = start(Port::Any, mounts).unwrap();
        let host = running.address.trim_start_matches("http://").trim_end_matches('/');
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
        assert!(ask("GET /../secret.txt").starts_with("HTTP/1.1 404"));
        assert!(ask("POST /").starts_with("HTTP/1.1 405"));
        let port = host.rsplit(':').next().unwrap().parse().unwrap();
        let taken = start(Port::Exactly(port), Vec::new()).err().unwrap().to_string();
        assert!(taken.contains(&format!("port {port}")), "{taken}");
        let next = start(Port::From(port), Vec::new()).unwrap();
        assert_ne!(next.address, running.address);
    }
}
