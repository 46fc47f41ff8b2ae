//! An import of session logs, one file after the other: `cargo xtask bench import` runs it over the
//! logs that it wrote, and holds it against plain JavaScript.
//!
//! The arguments are the files; prints one line of JSON.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::time::Instant;
use tuckbox::import::Stream;

fn main() -> std::io::Result<()> {
    // cargo adds `--bench`
    let files: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let before = memory("VmRSS:");
    let start = Instant::now();
    let mut stream = Stream::new();
    for name in &files {
        stream.file(name, std::fs::read(name)?);
    }
    let (sessions, requests) = stream.counts();
    let (report, _) = stream.finish();
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let peak = memory("VmHWM:").zip(before).map(|(peak, before)| peak.saturating_sub(before));
    let peak = peak.map_or("null".to_owned(), |bytes| bytes.to_string());
    println!(
        r#"{{"ms":{ms:.1},"sessions":{sessions},"requests":{requests},"report_bytes":{},"peak_bytes":{peak}}}"#,
        report.len()
    );
    if std::env::var_os("PRINT_REPORT").is_some() {
        println!("{report}");
    }
    Ok(())
}

/// A figure of this process, where the system tells it.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}
