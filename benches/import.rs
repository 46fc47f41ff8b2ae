//! Imports session logs, one file after another. `cargo xtask bench import` runs it over generated
//! logs and compares it with plain JavaScript.
//!
//! The arguments are the files. It prints one line of JSON.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads the clock and its logs"
)]

use std::io::Read;
use std::time::Instant;
use tuckbox::import::Stream;

/// The chunk size of reads, here and in Node.
const CHUNK_BYTES: usize = 1 << 18;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // cargo adds `--bench`
    let files: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let before = memory("VmRSS:");
    let (start, start_cpu) = (Instant::now(), processor_ms());
    let mut stream = Stream::new();
    let mut piece = vec![0; CHUNK_BYTES];
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

/// Returns the CPU time of this thread in milliseconds, if the system reports it.
fn processor_ms() -> Option<f64> {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    schedstat.split_whitespace().next()?.parse::<f64>().ok().map(|nanos| nanos / 1e6)
}

/// Returns a memory value of this process, if the system reports it.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}
