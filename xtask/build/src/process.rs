//! Running other programs: their output is kept and shown when they fail, and a long one says
//! from time to time that it is still alive.

use anyhow::{Context, Result, bail};
use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may be silent before we say that it still runs.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What a program did.
pub struct Ran {
    /// True when it ended well.
    pub success: bool,
    /// Standard output and standard error, line by line as they came.
    pub output: String,
}

/// A program to run.
pub struct Program {
    command: Command,
    /// How to get the program, for when it is not there.
    remedy: &'static str,
    /// Show every line at once instead of keeping it for a failure.
    stream: bool,
    /// Tells the lines that end a test; they are counted while the program runs.
    ends_test: fn(&str) -> bool,
}

impl Program {
    /// `command`, and how to get it where it is missing.
    pub fn new(command: Command, remedy: &'static str) -> Self {
        Self { command, remedy, stream: false, ends_test: |_| false }
    }

    /// Counts the lines for which `ends_test` returns true, and shows the number while it runs.
    #[must_use]
    pub fn counting(mut self, ends_test: fn(&str) -> bool) -> Self {
        self.ends_test = ends_test;
        self
    }

    /// Shows every line as it comes.
    #[must_use]
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// Runs the program to its end and keeps what it said.
    pub fn run(mut self) -> Result<Ran> {
        let name = self.command.get_program().to_string_lossy().into_owned();
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = self
            .command
            .spawn()
            .with_context(|| format!("cannot start `{name}`; {}", self.remedy))?;
        let output = self.follow(&mut child, started);
        let status = child.wait().with_context(|| format!("cannot wait for `{name}`"))?;
        Ok(Ran { success: status.success(), output })
    }

    /// As [`run`](Self::run), but a failure is an error that shows the output.
    pub fn succeed(self, what: &str) -> Result<String> {
        let stream = self.stream;
        let ran = self.run()?;
        if !ran.success {
            let output = if stream { "" } else { ran.output.trim_end() };
            bail!("{what} failed\n{output}");
        }
        Ok(ran.output)
    }

    fn follow(&self, child: &mut Child, started: Instant) -> String {
        let (lines, arriving) = channel();
        let readers = [
            child.stdout.take().map(|stdout| read_lines(stdout, lines.clone())),
            child.stderr.take().map(|stderr| read_lines(stderr, lines)),
        ];
        let mut output = String::new();
        let mut said = Instant::now();
        let mut tests = 0;
        loop {
            match arriving.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    tests += usize::from((self.ends_test)(&line));
                    if self.stream {
                        eprintln!("      {line}");
                        said = Instant::now();
                    }
                    output.push_str(&line);
                    output.push('\n');
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if said.elapsed() >= HEARTBEAT {
                said = Instant::now();
                let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty());
                let last: String = last.unwrap_or_default().chars().take(90).collect();
                let tests = if tests > 0 { format!("{tests} tests, ") } else { String::new() };
                say(&format!("... {tests}{} so far: {last}", seconds(started.elapsed())));
            }
        }
        for reader in readers.into_iter().flatten() {
            // a reader that panicked has lost its pipe; the exit status still tells the truth
            let _ = reader.join();
        }
        output
    }
}

fn read_lines(from: impl Read + Send + 'static, to: Sender<String>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut reader = BufReader::new(from);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
            let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
            bytes.clear();
            if to.send(line).is_err() {
                return;
            }
        }
    })
}

/// Held while something is installed: the lanes of a test run may miss the same thing at once.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Waits until nobody else installs anything, and keeps others waiting until the guard is dropped.
pub fn installing() -> MutexGuard<'static, ()> {
    // whoever panicked while installing left a mess on the disk, not in the lock
    INSTALLING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does one named piece of work and says how long it took.
pub fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    say(&format!("{what} ..."));
    let started = Instant::now();
    let done = work()?;
    say(&format!("{what}: {}", seconds(started.elapsed())));
    Ok(done)
}

thread_local! {
    /// On whose behalf this thread speaks; several do at once.
    static SPEAKER: Cell<&'static str> = const { Cell::new("") };
}

/// Names the work that this thread speaks for from here on.
pub fn speak_as(name: &'static str) {
    SPEAKER.set(name);
}

/// Says how the work goes on.
pub fn say(line: &str) {
    match SPEAKER.get() {
        "" => eprintln!("    {line}"),
        name => eprintln!("    {name}: {line}"),
    }
}

/// A duration as a person says it.
pub fn seconds(duration: Duration) -> String {
    let total = duration.as_secs_f64();
    if total < 60.0 {
        format!("{total:.1} s")
    } else {
        format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_says_how_to_get_it() {
        let program = Program::new(Command::new("no-such-program-here"), "install it from a shop");
        let error = program.succeed("the work").unwrap_err();
        let text = format!("{error:#}");
        assert!(text.starts_with("cannot start `no-such-program-here`; install it"), "{text}");
    }

    #[test]
    fn the_output_of_a_failure_is_shown() {
        let mut command = Command::new(env!("CARGO"));
        command.arg("no-such-subcommand-here");
        let error = Program::new(command, "").succeed("the work").unwrap_err().to_string();
        assert!(error.starts_with("the work failed\n"), "{error}");
        assert!(error.contains("no-such-subcommand-here"), "{error}");
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!(seconds(Duration::from_millis(1234)), "1.2 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }
}
