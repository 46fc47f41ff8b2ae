//! Runs other programs. Their output is shown if they fail, and long ones report regularly that
//! they still run.

use anyhow::{Context, Result, bail};
use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two reports of a silent program.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The result of a program.
pub struct ProgramResult {
    /// True if it succeeded.
    pub success: bool,
    /// The lines of standard output and standard error, in order of arrival.
    pub output: String,
}

/// A program to run.
pub struct Program {
    command: Command,
    /// How to install the program, for the error if it is missing.
    remedy: &'static str,
    /// Whether lines are shown at once instead of only after a failure.
    stream: bool,
    /// Returns true for a line that ends a test.
    ends_test: fn(&str) -> bool,
}

impl Program {
    /// Creates a program. `remedy` explains how to install it.
    pub fn new(command: Command, remedy: &'static str) -> Self {
        Self { command, remedy, stream: false, ends_test: |_| false }
    }

    /// Counts the lines for which `ends_test` returns true and reports the number.
    #[must_use]
    pub fn counting(mut self, ends_test: fn(&str) -> bool) -> Self {
        self.ends_test = ends_test;
        self
    }

    /// Shows every line at once.
    #[must_use]
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// Runs the program and returns its output.
    pub fn run(mut self) -> Result<ProgramResult> {
        let name = self.command.get_program().to_string_lossy().into_owned();
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = self
            .command
            .spawn()
            .with_context(|| format!("cannot start `{name}`; {}", self.remedy))?;
        let output = self.follow(&mut child, started);
        let status = child.wait().with_context(|| format!("cannot wait for `{name}`"))?;
        Ok(ProgramResult { success: status.success(), output })
    }

    /// Does the same as [`run`](Self::run), but a failure is an error with the output.
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
        let mut last_report = Instant::now();
        let mut tests = 0;
        loop {
            match arriving.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    tests += usize::from((self.ends_test)(&line));
                    if self.stream {
                        eprintln!("      {line}");
                        last_report = Instant::now();
                    }
                    output.push_str(&line);
                    output.push('\n');
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if last_report.elapsed() >= HEARTBEAT {
                last_report = Instant::now();
                let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty());
                let last: String = last.unwrap_or_default().chars().take(90).collect();
                let tests = if tests > 0 { format!("{tests} tests, ") } else { String::new() };
                report(&format!("... {tests}{} so far: {last}", seconds(started.elapsed())));
            }
        }
        for reader in readers.into_iter().flatten() {
            // the exit status is correct even if a reader panicked
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

/// A program that installs. Several steps of a test run may need the same package.
#[derive(Clone, Copy)]
pub enum Installer {
    /// Targets and components of the toolchain.
    Rustup,
    /// Packages of npm.
    Npm,
    /// Packages of the system.
    System,
    /// Virtual environments and packages of Python.
    Python,
}

/// Waits until no other thread uses the installer, and locks it until the guard is dropped.
pub fn installing(with: Installer) -> MutexGuard<'static, ()> {
    static RUSTUP: Mutex<()> = Mutex::new(());
    static NPM: Mutex<()> = Mutex::new(());
    static SYSTEM: Mutex<()> = Mutex::new(());
    static PYTHON: Mutex<()> = Mutex::new(());
    let lock = match with {
        Installer::Rustup => &RUSTUP,
        Installer::Npm => &NPM,
        Installer::System => &SYSTEM,
        Installer::Python => &PYTHON,
    };
    // a panic during an installation does not affect the lock
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` and reports its duration.
pub fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    report(&format!("{what} ..."));
    let started = Instant::now();
    let done = work()?;
    report(&format!("{what}: {}", seconds(started.elapsed())));
    Ok(done)
}

thread_local! {
    /// The name of the work of this thread, because several threads report at once.
    static REPORTER: Cell<&'static str> = const { Cell::new("") };
}

/// Sets the name under which this thread reports.
pub fn report_as(name: &'static str) {
    REPORTER.set(name);
}

/// Reports progress.
pub fn report(line: &str) {
    match REPORTER.get() {
        "" => eprintln!("    {line}"),
        name => eprintln!("    {name}: {line}"),
    }
}

/// Formats a duration for people.
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
    fn missing_program_error_has_the_remedy() {
        let program = Program::new(Command::new("no-such-program-here"), "install it with apt");
        let error = program.succeed("the work").unwrap_err();
        let text = format!("{error:#}");
        assert!(text.starts_with("cannot start `no-such-program-here`; install it"), "{text}");
    }

    #[test]
    fn failure_shows_the_output() {
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
