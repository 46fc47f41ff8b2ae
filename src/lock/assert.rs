//! `assert_context!`: contexts of Rust tests.

use super::make::LockEntry;
use super::operations::{LockCheck, LockUpdate};
use super::report::LockFormat;
use crate::rule::{Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Json, Object};
use crate::{Error, Result, Timestamp};

/// The result of [`compare_context`].
///
/// Shown by the example of [`compare_context`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The context is the same.
    Same,
    /// The lockfile must have this text.
    Write(String),
    /// The report of what differs.
    Different(String),
}

/// Compares a context with its entry. `context` has the arguments of `lock_entry` without a name, or
/// is the body of a request. With `update`, an entry that differs is replaced; a missing one is
/// always added.
///
/// # Errors
/// Those of `lock_entry`, and `invalid_content` for a broken lockfile.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::lock::{Comparison, compare_context};
///
/// let body = |text: &str| json!({"model": "gpt-5", "messages": [{"role": "user", "content": text}]});
/// let Comparison::Write(lock) = compare_context("a", body("Hi"), "tests/a.rs", None, false)? else { panic!() };
/// assert_eq!(compare_context("a", body("Hi"), "tests/a.rs", Some(&lock), false)?, Comparison::Same);
/// let Comparison::Different(report) = compare_context("a", body("Ho"), "tests/a.rs", Some(&lock), false)? else { panic!() };
/// assert!(report.contains("user message edited: 1 context"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn compare_context(
    name: &str,
    context: Json,
    test: &str,
    lock: Option<&str>,
    update: bool,
) -> Result<Comparison> {
    let mut call = match context {
        Json::Object(object)
            if ["context", "request"].iter().any(|key| object.contains_key(key)) =>
        {
            object
        }
        body => {
            let mut call = Object::default();
            call.insert("request".into(), Json::from([("body", body)]));
            call
        }
    };
    call.insert("name".into(), name.into());
    call.insert("from".into(), format!("test:{test}").into());
    let entry = answer(&LockEntry::from_json(&Json::Object(call))?)?;
    let mut check = LockCheck::from_json(&Json::from([("entries", Json::Array(Vec::new()))]))?;
    check.lock = lock.map(str::to_owned);
    check.entries = vec![entry.clone()];
    check.complete = false;
    check.formats = vec![LockFormat::Text];
    let verdict = answer(&check)?;
    if verdict.exit_code == 0 {
        return Ok(Comparison::Same);
    }
    if !update && verdict.added.is_empty() {
        let text = verdict.reports.into_iter().next().map(|report| report.text);
        return Ok(Comparison::Different(text.unwrap_or_default()));
    }
    let call = LockUpdate {
        lock: lock.map(str::to_owned),
        entries: vec![entry],
        again: Vec::new(),
        remove: Vec::new(),
        prune: false,
        tests: Vec::new(),
    };
    Ok(Comparison::Write(answer(&call)?.lock))
}

fn answer<R: Rule>(rule: &R) -> Result<R::Value> {
    let env = Env::new(Timestamp::from_millis(0), [0; 32]);
    match rule.step(&Snapshot::new("lock".into()), &env)? {
        Step::Done(done) => Ok(done.value),
        Step::Need(_) => {
            Err(Error::bad_request("the context reads rows; pass the answer of `payload` instead"))
        }
    }
}

/// Compares a context with its entry in the lockfile, and panics with the verdict.
///
/// The context is the body of a request, or the arguments of `lock_entry` without a name, as
/// [`Json`](crate::Json). The lockfile is `tuckbox.lock` of the crate, or the third argument. A missing
/// entry is added, unless `CI` is set. `TUCKBOX_LOCK=update` replaces entries.
///
/// ```no_run
/// use tuckbox::{assert_context, json};
///
/// let body = json!({"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]});
/// assert_context!("greeting", body);
/// ```
#[macro_export]
macro_rules! assert_context {
    ($name:expr, $context:expr $(,)?) => {
        $crate::assert_context!(
            $name,
            $context,
            concat!(env!("CARGO_MANIFEST_DIR"), "/tuckbox.lock")
        )
    };
    ($name:expr, $context:expr, $path:expr $(,)?) => {{
        use ::std::{env, fs, io::ErrorKind, thread, time::Duration};
        let path = ::std::path::PathBuf::from($path);
        #[allow(clippy::disallowed_methods, reason = "a test is a host")]
        let is_set = |name: &str, off: &[&str]| env::var(name).is_ok_and(|v| !off.contains(&&*v));
        let update = is_set("TUCKBOX_LOCK", &["", "check"]);
        // tests of other threads and processes wait while the new file exists; a file that is a
        // minute old was left by a killed test
        let new = path.with_extension("lock.new");
        while let Err(error) = fs::OpenOptions::new().write(true).create_new(true).open(&new) {
            let made = fs::metadata(&new).and_then(|file| file.modified()).ok();
            let is_left = made.is_some_and(|at| at.elapsed().is_ok_and(|age| age.as_secs() >= 60));
            if is_left || error.kind() != ErrorKind::AlreadyExists {
                panic!("`{}` cannot be created; delete it: {error}", new.display());
            }
            thread::sleep(Duration::from_millis(5));
        }
        let mut is_renamed = false;
        let failed = match fs::read_to_string(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Some(error.to_string()),
            text => {
                let lock = text.ok();
                match $crate::lock::compare_context(
                    $name,
                    $context,
                    file!(),
                    lock.as_deref(),
                    update,
                ) {
                    Ok($crate::lock::Comparison::Same) => None,
                    Ok($crate::lock::Comparison::Write(text)) => {
                        match update || !is_set("CI", &["", "0", "false"]) {
                            true => {
                                let written =
                                    fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
                                is_renamed = written.is_ok();
                                written.err().map(|e| e.to_string())
                            }
                            false => {
                                Some(format!("the context `{}` is not in the lockfile", $name))
                            }
                        }
                    }
                    Ok($crate::lock::Comparison::Different(report)) => Some(report),
                    Err(error) => Some(error.to_string()),
                }
            }
        };
        // a renamed one does not exist: a file with this name belongs to another test
        if !is_renamed {
            let _ = fs::remove_file(&new);
        }
        if let Some(report) = failed {
            panic!("{report}");
        }
    }};
}
