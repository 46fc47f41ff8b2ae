//! The operations on lockfiles: read, update, check and diff.

use super::assertions::LockAssertion;
use super::compare::{Known, compare};
use super::entry::{Content, Entry};
use super::make::{LockDetails, LockedContext};
use super::price::Price;
use super::read::{self, Found};
use super::report::{self, LockFormat};
use super::verdict::{
    Groups, LockEntryChanges, LockError, LockReport, LockStatus, LockTokens, LockVerdict,
    UnmatchedSlot, UnstableSlot,
};
use super::write;
use crate::agents::Setup;
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::find::contains;
use crate::{Error, Path, Result};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The start of `from` for entries that tests write.
const TEST: &str = "test:";

arguments! {
    /// Reads a lockfile and lists its entries.
    ///
    /// ```
    /// use tuckbox::lock::LockRead;
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = LockRead::from_json(&json!({"lock": "# tuckbox.lock v1.\n\n# end\n"}))?;
    /// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert!(done.value.entries.is_empty());
    /// let call = LockRead::from_json(&json!({"lock": "# tuckbox.lock v1.\n"}))?;
    /// assert!(call.step(&Snapshot::new("p1".into()), &env).unwrap_err().message().contains("truncated"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct LockRead {
        /// The text of the lockfile.
        pub lock: String,
    }

    /// Returns the text of a lockfile with changed entries.
    ///
    /// Shown by the example of [`LockCheck`].
    #[derive(Clone, Debug)]
    pub struct LockUpdate {
        /// The text of the lockfile. Missing for a new one.
        pub lock: Option<String>,
        /// The current contexts.
        pub entries: Vec<LockedContext>,
        /// A second build of contexts, to find slots that are not stable.
        pub again: Vec<LockedContext> = Vec::new(),
        /// The names of entries to remove.
        pub remove: Vec<String> = Vec::new(),
        /// Removes entries that are not in `entries`. Entries of tests stay.
        pub prune: bool = false,
        /// Removes entries of these test files that are not in `entries`.
        pub tests: Vec<String> = Vec::new(),
    }

    /// Compares the current contexts with a lockfile and groups the changes by cause.
    ///
    /// ```
    /// use tuckbox::lock::{
    ///     LockChangeKind, LockCheck, LockEntry, LockFormat, LockRead, LockStatus, LockUpdate, LockedContext,
    /// };
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// # let project = Snapshot::new("p1".into());
    /// let make = |system: &str| -> tuckbox::Result<LockedContext> {
    ///     let call = LockEntry::from_json(&json!({"name": "writer", "request": {"provider": "openai_chat",
    ///         "body": {"model": "gpt-5", "messages": [{"role": "system", "content": system}]}}}))?;
    ///     let Step::Done(done) = call.step(&project, &env)? else { panic!() };
    ///     Ok(done.value)
    /// };
    /// let mut update = LockUpdate::from_json(&json!({"entries": []}))?;
    /// update.entries.push(make("You write.")?);
    /// let Step::Done(updated) = update.step(&project, &env)? else { panic!() };
    /// let read = LockRead { lock: updated.value.lock.clone() };
    /// let Step::Done(file) = read.step(&project, &env)? else { panic!() };
    /// let entry = &file.value.entries[0];
    /// assert_eq!((entry.provider.as_str(), entry.positions), ("openai_chat", 1));
    ///
    /// let mut check = LockCheck::from_json(&json!({"lock": updated.value.lock, "entries": [],
    ///     "assertions": [{"max_tokens": 100}], "formats": ["text"]}))?;
    /// check.entries.push(make("You write well.")?);
    /// let Step::Done(done) = check.step(&project, &env)? else { panic!() };
    /// assert_eq!((done.value.status, done.value.exit_code), (LockStatus::Changed, 1));
    /// let group = &done.value.groups[0];
    /// assert_eq!((group.change, group.cause.as_str()), (LockChangeKind::Edited, "system prompt"));
    /// assert_eq!(done.value.reports[0].format, LockFormat::Text);
    /// assert!(done.value.reports[0].text.contains("system prompt edited: 1 context, +1 token"));
    /// assert!(done.value.failures.is_empty());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct LockCheck {
        /// The text of the lockfile. Missing if there is none.
        pub lock: Option<String>,
        /// The current contexts.
        pub entries: Vec<LockedContext>,
        /// A second build of contexts, to find slots that are not stable.
        pub again: Vec<LockedContext> = Vec::new(),
        /// Contexts that could not be built.
        pub errors: Vec<BuildError> = Vec::new(),
        /// Assertions about the contexts.
        pub assertions: Vec<LockAssertion> = Vec::new(),
        /// Reports locked entries without a context. Entries of tests are ignored.
        pub complete: bool = true,
        /// Reports locked entries of these test files without a context.
        pub tests: Vec<String> = Vec::new(),
        /// The texts of locked positions by their hash, for the words that differ.
        pub texts: IndexMap<String, String> = IndexMap::default(),
        /// The reports to return.
        pub formats: Vec<LockFormat> = Vec::new(),
        /// The path of the lockfile, for reports.
        pub file: String = "tuckbox.lock".to_owned(),
        setting setup: Setup,
    }

    /// A context that could not be built.
    ///
    /// Shown by the example of [`LockCheck`].
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BuildError {
        /// The name of the context.
        pub name: String,
        /// The reason.
        pub message: String,
    }

    /// Compares two entries.
    ///
    /// Shown by the example of [`LockCheck`].
    #[derive(Clone, Debug)]
    pub struct LockDiff {
        /// The lines of the earlier entry.
        pub before: String,
        /// The lines of the later entry.
        pub after: String,
        /// The reports to return.
        pub formats: Vec<LockFormat> = Vec::new(),
        setting setup: Setup,
    }
}

/// The entries of a lockfile.
///
/// Shown by the example of [`LockRead`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockFile {
    /// The version of the format.
    pub version: &'static str,
    /// The entries, by name.
    pub entries: Vec<LockFileEntry>,
}

/// An entry of a lockfile.
///
/// Shown by the example of [`LockCheck`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockFileEntry {
    /// The name.
    pub name: String,
    /// The recorded request or the test that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: Option<String>,
    /// The number of positions.
    pub positions: usize,
    /// The locked tokens.
    pub tokens: LockTokens,
    /// The lines of the entry.
    pub block: String,
}

/// An updated lockfile.
///
/// Shown by the example of [`LockCheck`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockUpdated {
    /// The text of the lockfile.
    pub lock: String,
    /// The names of new entries.
    pub added: Vec<String>,
    /// The names of changed entries.
    pub changed: Vec<String>,
    /// The names of removed entries.
    pub removed: Vec<String>,
    /// The slots that differ between two builds of one context.
    pub unstable: Vec<UnstableSlot>,
    /// Declared volatile slots that match nothing.
    pub unmatched: Vec<UnmatchedSlot>,
}

/// A context of a call with its entry.
type Current<'a> = (Entry, &'a LockDetails);

/// Reads the contexts of a call.
fn read_entries<'a>(contexts: &'a [LockedContext], key: &str) -> Result<Vec<Current<'a>>> {
    let read = |(at, context)| read_entry(context, &Path::root().key(key).index(at));
    let all = contexts.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
    check_names(contexts, key)?;
    Ok(all)
}

fn read_entry<'a>(context: &'a LockedContext, path: &Path) -> Result<Current<'a>> {
    let entry = read::block(&context.block)
        .map_err(|error| error.as_code(crate::Code::BadRequest).at(path.key("block")))?;
    if entry.name != context.name {
        let message = format!("`block` is of the entry `{}`", entry.name);
        return Err(Error::bad_request(message).at(path.key("name")));
    }
    Ok((entry, &context.details))
}

/// Refuses two contexts of one name. Returns the names.
fn check_names<'a>(contexts: &'a [LockedContext], key: &str) -> Result<BTreeSet<&'a str>> {
    let mut names = BTreeSet::new();
    for LockedContext { name, .. } in contexts {
        if !names.insert(name.as_str()) {
            let message = format!("two contexts have the name `{name}`; names must differ");
            return Err(Error::bad_request(message).at(Path::root().key(key)));
        }
    }
    Ok(names)
}

/// Reads a lockfile. Blocks that current contexts have are not read again.
fn read_lock(lock: Option<&String>, contexts: &[LockedContext]) -> Result<Vec<Found>> {
    let Some(text) = lock else { return Ok(Vec::new()) };
    let numbered = contexts.iter().enumerate();
    let blocks: BTreeMap<&str, usize> =
        numbered.map(|(at, context)| (context.block.as_str(), at)).collect();
    let name = |at: usize| contexts.get(at).map(|context| (at, context.name.as_str()));
    read::file_with(text, |block| blocks.get(block).copied().and_then(name))
}

/// As [`read_lock`], in the order of the names.
fn locked_entries<'a>(
    lock: Option<&String>,
    contexts: &[LockedContext],
    entries: &'a [Current<'_>],
) -> Result<Vec<Cow<'a, Entry>>> {
    let entry = |found| match found {
        Found::Known(at) => entries.get(at).map(|(entry, _)| Cow::Borrowed(entry)),
        Found::Read(entry) => Some(Cow::Owned(entry)),
    };
    let mut old: Vec<_> = read_lock(lock, contexts)?.into_iter().filter_map(entry).collect();
    old.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(old)
}

/// Returns true if a context with the block of its locked entry has nothing to compare. An entry
/// with volatile slots is compared, because its slots have a range of tokens.
fn is_settled(LockedContext { name, block, .. }: &LockedContext) -> bool {
    block.strip_prefix(write::first_line(name).as_str()).is_some() && !contains(block, " ~")
}

/// Returns the entry with a name of a sorted list.
fn named<'a>(entries: &'a [Cow<'_, Entry>], name: &str) -> Option<&'a Entry> {
    let at = entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
    entries.get(at).map(Cow::as_ref)
}

/// Returns the slots that differ between two builds.
fn unstable(first: &[LockedContext], again: &[LockedContext]) -> Result<Vec<UnstableSlot>> {
    let mut all = Vec::new();
    for (second, details) in read_entries(again, "again")? {
        let Some(at) = first.iter().position(|context| context.name == second.name) else {
            continue;
        };
        let Some(context) = first.get(at) else { continue };
        let (entry, _) = read_entry(context, &Path::root().key("entries").index(at))?;
        let known = Known { texts: &details.texts, tokens: &details.tokens, locked: None };
        for change in compare(&entry, &second, known) {
            all.push(UnstableSlot {
                name: entry.name.clone(),
                suggestion: format!("volatile: [\"{}\"]", change.slot),
                slot: change.slot,
                cause: change.cause,
                kind: change.volatile,
            });
        }
    }
    Ok(all)
}

fn unmatched(contexts: &[LockedContext]) -> Vec<UnmatchedSlot> {
    let of = |LockedContext { name, details, .. }: &LockedContext| -> Vec<UnmatchedSlot> {
        let slot = |slot: &String| UnmatchedSlot { name: name.clone(), slot: slot.clone() };
        details.unmatched.iter().map(slot).collect()
    };
    contexts.iter().flat_map(of).collect()
}

/// Returns true if a locked entry without a context is obsolete.
fn is_obsolete(entry: &Entry, complete: bool, tests: &[String]) -> bool {
    match entry.from.as_deref().and_then(|from| from.strip_prefix(TEST)) {
        Some(file) => tests.iter().any(|test| test == file),
        None => complete,
    }
}

/// Keeps the ranges of volatile positions that still hold, so that an update without changes
/// writes the same bytes.
fn keep_ranges(old: &Entry, new: &mut Entry, details: &LockDetails) {
    let is_kept = |pairing: &super::align::Pairing| pairing.before().zip(pairing.after());
    let pairs: Vec<_> =
        super::align::align(&old.positions, &new.positions).iter().filter_map(is_kept).collect();
    for (before, after) in pairs {
        let tokens = details.tokens.get(after).copied();
        if let (Some(was), Some(is), Some(tokens)) =
            (old.positions.get(before), new.positions.get_mut(after), tokens)
            && let Content::Volatile { least, most } = was.content
            && is.content.is_volatile()
            && (least..=most).contains(&tokens)
        {
            is.content = was.content.clone();
        }
    }
}

impl Rule for LockRead {
    type Value = LockFile;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LockFile>>> {
        let mut entries = read::file(&self.lock)?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let entry = |entry: Entry| LockFileEntry {
            block: write::block(&entry),
            tokens: LockTokens::of(&entry),
            positions: entry.positions.len(),
            name: entry.name,
            from: entry.from,
            provider: entry.provider,
            model: entry.model,
        };
        let entries = entries.into_iter().map(entry).collect();
        let value = LockFile { version: write::VERSION, entries };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

impl Rule for LockUpdate {
    type Value = LockUpdated;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LockUpdated>>> {
        let new = read_entries(&self.entries, "entries")?;
        let old = locked_entries(self.lock.as_ref(), &self.entries, &new)?;
        let (unstable, unmatched) =
            (unstable(&self.entries, &self.again)?, unmatched(&self.entries));
        let names: BTreeSet<&str> = new.iter().map(|(entry, _)| entry.name.as_str()).collect();
        for (at, name) in self.remove.iter().enumerate() {
            if named(&old, name).is_none() {
                let path = Path::root().key("remove").index(at);
                let message = format!("no entry has the name `{name}`");
                return Err(Error::not_found(message).at(path));
            }
        }
        let (mut added, mut changed, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Vec::new();
        for entry in &old {
            let is_built = names.contains(entry.name.as_str());
            let is_gone =
                self.remove.contains(&entry.name) || is_obsolete(entry, self.prune, &self.tests);
            match (is_built, is_gone) {
                (true, _) => {}
                (false, true) => removed.push(entry.name.clone()),
                (false, false) => all.push(entry.as_ref().clone()),
            }
        }
        for (entry, details) in &new {
            let mut entry = entry.clone();
            match named(&old, &entry.name) {
                Some(before) => {
                    keep_ranges(before, &mut entry, details);
                    if *before != entry {
                        changed.push(entry.name.clone());
                    }
                }
                None => added.push(entry.name.clone()),
            }
            all.push(entry);
        }
        for names in [&mut added, &mut changed, &mut removed] {
            names.sort();
        }
        let lock = write::file(&all);
        let value = LockUpdated { lock, added, changed, removed, unstable, unmatched };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

impl LockCheck {
    /// Applies the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }

    /// Returns the verdict. Most contexts are the same: these are not read, which takes more time
    /// than the rest of a check.
    fn verdict(&self) -> Result<LockVerdict> {
        let names = check_names(&self.entries, "entries")?;
        let found = read_lock(self.lock.as_ref(), &self.entries)?;
        let new = self.current(&found)?;
        let old = locked(found, &new);
        let mut groups = Groups::default();
        let (mut added, mut entries, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        let mut sorted: Vec<&Current<'_>> = new.values().collect();
        sorted.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        for &current in &sorted {
            let (entry, details) = current;
            for assertion in &self.assertions {
                assertion.check(entry, details, &mut failures);
            }
            match named(&old, &entry.name) {
                Some(before) => entries.extend(self.changes(before, current, &mut groups)),
                None => added.push(entry.name.clone()),
            }
        }
        let is_checked =
            |name: &str| names.contains(name) || self.errors.iter().any(|error| error.name == name);
        let removed = old.iter().filter(|entry| {
            !is_checked(&entry.name) && is_obsolete(entry, self.complete, &self.tests)
        });
        let removed = removed.map(|entry| entry.name.clone()).collect();
        let error = |error: &BuildError| LockError {
            name: error.name.clone(),
            message: error.message.clone(),
        };
        let mut verdict = LockVerdict {
            status: LockStatus::Same,
            exit_code: 0,
            contexts: self.entries.len(),
            added,
            removed,
            groups: groups.finish(),
            entries,
            failures,
            unstable: unstable(&self.entries, &self.again)?,
            unmatched: unmatched(&self.entries),
            errors: self.errors.iter().map(error).collect(),
            reports: Vec::new(),
        };
        verdict.decide();
        Ok(verdict)
    }

    /// Returns the entries that are compared, by position: those that differ from the file, or all of
    /// them if they have to be checked.
    fn current(&self, found: &[Found]) -> Result<BTreeMap<usize, Current<'_>>> {
        let known = found.iter().filter_map(|found| match found {
            Found::Known(at) => Some(*at),
            Found::Read(_) => None,
        });
        let known: BTreeSet<usize> = known.collect();
        let mut new = BTreeMap::new();
        for (at, context) in self.entries.iter().enumerate() {
            let is_same = known.contains(&at) && is_settled(context);
            if !is_same || !self.assertions.is_empty() {
                let path = Path::root().key("entries").index(at);
                new.insert(at, read_entry(context, &path)?);
            }
        }
        Ok(new)
    }

    /// Returns the changes of an entry, if it has any, and adds them to their groups.
    fn changes(
        &self,
        before: &Entry,
        (entry, details): &Current<'_>,
        groups: &mut Groups,
    ) -> Option<LockEntryChanges> {
        let known =
            Known { texts: &details.texts, tokens: &details.tokens, locked: Some(&self.texts) };
        let changes = compare(before, entry, known);
        if changes.is_empty() {
            return None;
        }
        groups.add(before, entry, &changes, &Price { models: &self.setup.models });
        Some(LockEntryChanges {
            name: entry.name.clone(),
            changes,
            before: LockTokens::of(before),
            after: LockTokens::of(entry),
        })
    }
}

/// Returns the entries of the file, by name. An entry that is the same as a current one is not read.
fn locked<'a>(found: Vec<Found>, new: &'a BTreeMap<usize, Current<'_>>) -> Vec<Cow<'a, Entry>> {
    let entries = found.into_iter().filter_map(|found| match found {
        Found::Known(at) => new.get(&at).map(|(entry, _)| Cow::Borrowed(entry)),
        Found::Read(entry) => Some(Cow::Owned(entry)),
    });
    let mut old: Vec<Cow<'_, Entry>> = entries.collect();
    old.sort_by(|a, b| a.name.cmp(&b.name));
    old
}

impl LockVerdict {
    /// Sets the status from what was found.
    fn decide(&mut self) {
        let is_same = self.added.is_empty()
            && self.removed.is_empty()
            && self.entries.is_empty()
            && self.failures.is_empty()
            && self.unmatched.is_empty();
        (self.status, self.exit_code) = match (self.errors.is_empty(), is_same) {
            (false, _) => (LockStatus::Undecided, 2),
            (true, false) => (LockStatus::Changed, 1),
            (true, true) => (LockStatus::Same, 0),
        };
    }

    fn with_reports(mut self, formats: &[LockFormat], place: &report::Place<'_>) -> Self {
        let report = |format: &LockFormat| LockReport {
            format: *format,
            text: report::text(*format, &self, place),
        };
        self.reports = formats.iter().map(report).collect();
        self
    }
}

impl Rule for LockCheck {
    type Value = LockVerdict;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LockVerdict>>> {
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        let lock = self.lock.as_deref().unwrap_or_default();
        let place = report::Place { file: &self.file, lock, names: &names };
        let value = self.verdict()?.with_reports(&self.formats, &place);
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

impl LockDiff {
    /// Applies the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }
}

impl Rule for LockDiff {
    type Value = LockVerdict;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LockVerdict>>> {
        let read = |text: &str, key: &str| {
            read::block(text).map_err(|error| error.at(Path::root().key(key)))
        };
        let (before, after) = (read(&self.before, "before")?, read(&self.after, "after")?);
        let changes = compare(&before, &after, Known::default());
        let mut groups = Groups::default();
        let price = Price { models: &self.setup.models };
        groups.add(&before, &after, &changes, &price);
        let entry = LockEntryChanges {
            name: after.name.clone(),
            before: LockTokens::of(&before),
            after: LockTokens::of(&after),
            changes,
        };
        let mut verdict = LockVerdict {
            status: LockStatus::Same,
            exit_code: 0,
            contexts: 1,
            added: Vec::new(),
            removed: Vec::new(),
            groups: groups.finish(),
            entries: Some(entry).filter(|entry| !entry.changes.is_empty()).into_iter().collect(),
            failures: Vec::new(),
            unstable: Vec::new(),
            unmatched: Vec::new(),
            errors: Vec::new(),
            reports: Vec::new(),
        };
        verdict.decide();
        let names = [after.name.as_str()];
        let place = report::Place { file: "tuckbox.lock", lock: "", names: &names };
        let value = verdict.with_reports(&self.formats, &place);
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
