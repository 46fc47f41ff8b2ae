//! An import of session logs, one file after the other: `cargo xtask bench import` runs it over the
//! logs that it wrote, and holds it against plain JavaScript.
//!
//! The arguments are the files; prints one line of JSON.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a measurement reads the clock, and the logs that it measures"
)]

use std::io::Read;
use std::time::Instant;
use tuckbox::import::Stream;

/// How much of a file is read at a time, here and in Node.
const PIECE: usize = 1 << 18;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // cargo adds `--bench`
    let files: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let before = memory("VmRSS:");
    let (start, start_cpu) = (Instant::now(), processor_ms());
    let mut stream = Stream::new();
    let mut piece = vec![0; PIECE];
    for name in &files {
        let mut file = std::fs::File::open(name)?;
        stream.begin(name, usize::try_from(file.metadata()?.len())?);
        loop {
            let length = file.read(&mut piece)?;
            if length == 0 {
                break;
            }
            stream.push(piece.get(..length).unwrap_or_default())?;
        }
        stream.end();
    }
    let (sessions, requests) = stream.counts();
    let (report, _) = stream.finish();
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    let ms = processor_ms().zip(start_cpu).map_or(wall_ms, |(now, start)| now - start);
    let peak = memory("VmHWM:").zip(before).map(|(peak, before)| peak.saturating_sub(before));
    let peak = peak.map_or("null".to_owned(), |bytes| bytes.to_string());
    println!(
        r#"{{"ms":{ms:.1},"wall_ms":{wall_ms:.1},"sessions":{sessions},"requests":{requests},"report_bytes":{},"peak_bytes":{peak}}}"#,
        report.len()
    );
    if std::env::var_os("PRINT_REPORT").is_some() {
        println!("{report}");
    }
    Ok(())
}

/// How long this thread has run on a processor, where the system tells it: what else runs on the
/// machine does not count.
fn processor_ms() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse::<f64>().ok().map(|nanos| nanos / 1e6)
}

/// A figure of this process, where the system tells it.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}
