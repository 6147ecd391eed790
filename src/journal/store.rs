//! The directory of the setting `redline_journal`: a log of lines, and the contents by their
//! SHA-256.
//!
//! A line and the contents that it names are durable before the operation is done. Processes append
//! under one lock. A process that was killed leaves a line without an end, or a content that no
//! line names, which is removed when the journal is next shortened.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Kept;
use super::bounds::Bounds;
use super::reading::{Entry, read};
use super::record::{End, Record, Version, line_of};
use redline_base::budget::{Copied, Gather, Joined};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_edit::Digest;
use redline_sandbox::{Access, PrivateDirectory};

/// The file of lines.
const LOG: &str = "log";
/// The directory of contents.
const CONTENTS: &str = "contents";

/// The time between two checks of the limits.
const LOOK_AGAIN: Duration = Duration::from_secs(3600);
/// The part of the bytes that may be appended between two checks.
const PART: u64 = 16;
/// The approximate size of a line in bytes.
const LINE: u64 = 512;

/// The last time that a database checked the limits of its journal, which reads all of it.
#[derive(Debug, Default)]
pub struct Looked(Mutex<Option<Look>>);

#[derive(Debug)]
struct Look {
    directory: PathBuf,
    at: Instant,
    /// The bytes that were appended since.
    appended: u64,
}

/// An opened journal.
#[derive(Debug)]
pub struct Store<'a> {
    directory: PrivateDirectory,
    contents: PrivateDirectory,
    bounds: Bounds,
    looked: &'a Looked,
}

impl<'a> Store<'a> {
    /// Opens the directory in the setting `name`.
    ///
    /// # Errors
    /// `fs_denied` if other users can access it or it lies in a directory that sessions read or
    /// write; those of the system.
    pub fn open(
        (name, path): (&'static str, &str),
        access: &Access,
        bounds: Bounds,
        looked: &'a Looked,
    ) -> Result<Self> {
        let directory = PrivateDirectory::open(path, name, access)?;
        let contents = directory.directory(CONTENTS)?;
        Ok(Self { directory, contents, bounds, looked })
    }

    pub(super) fn begin(&self, record: &Record, contents: &Kept<'_>) -> Result<()> {
        let bytes: u64 = contents.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        if bytes > self.bounds.bytes {
            return Err(Error::too_large(format!(
                "the contents before and after have {bytes} bytes, and redline_journal_max_bytes is {}",
                self.bounds.bytes
            ))
            .with_hint("Change less at once, or ask the host to raise the limit"));
        }
        let _lock = self.directory.lock()?;
        self.keep_bounds(bytes)?;
        for (digest, bytes) in contents {
            self.contents.keep(&digest.to_string(), bytes)?;
        }
        self.directory.append(LOG, &line_of(record))
    }

    pub(super) fn end(&self, end: &End) -> Result<()> {
        let _lock = self.directory.lock()?;
        self.directory.append(LOG, &line_of(end))
    }

    pub(super) fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = self.all()?;
        let is_young = |record: &Record| record.at >= self.bounds.since;
        entries.retain(|entry| entry.operation().is_none_or(is_young));
        Ok(entries)
    }

    fn all(&self) -> Result<Vec<Entry>> {
        Ok(read(&self.directory.read(LOG, limits::JOURNAL_LOG_BYTES)?.unwrap_or_default()))
    }

    pub(super) fn content(&self, version: &Version) -> Result<Option<Vec<u8>>> {
        // The digest is a file name.
        let Some(digest) = Digest::parse(&version.sha256) else { return Ok(None) };
        self.contents.read(&digest.to_string(), version.bytes)
    }

    /// Removes operations over the limits, from time to time. The lock is held.
    fn keep_bounds(&self, appended: u64) -> Result<()> {
        let mut looked = self.looked.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = (self.bounds.bytes / PART).min(limits::JOURNAL_LINES_BYTES / PART);
        if let Some(look) = looked.as_mut()
            && look.directory == self.directory.path()
            && look.at.elapsed() < LOOK_AGAIN
            && look.appended < most
        {
            look.appended += appended + LINE;
            return Ok(());
        }
        self.forget_surplus()?;
        let directory = self.directory.path().to_owned();
        *looked = Some(Look { directory, at: Instant::now(), appended });
        Ok(())
    }

    /// Removes the oldest operations over the limits, and unused contents.
    fn forget_surplus(&self) -> Result<()> {
        let entries = self.all()?;
        let records: Vec<&Record> = entries.iter().filter_map(Entry::operation).gather();
        let surplus = self.bounds.surplus(&records);
        let kept = &records[surplus..];
        if surplus > 0 {
            let lines = kept.iter().flat_map(|record| [line_of(record), b"\n".copied_vec()]);
            self.directory.replace(LOG, &lines.gather::<Vec<_>>().chained())?;
        }
        let named: HashSet<&str> = kept
            .iter()
            .flat_map(|record| record.versions().map(|version| version.sha256.as_str()))
            .gather();
        for name in self.contents.names(limits::JOURNAL_CONTENTS)? {
            if !named.contains(name.as_str()) {
                self.contents.remove(&name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::super::reading::tests::record;
    use super::super::{Journal, Outcome};
    use super::*;

    const BOUNDS: Bounds = Bounds { bytes: 1 << 20, since: i64::MIN };

    fn open<'a>(path: &Path, looked: &'a Looked, bounds: Bounds) -> Result<Store<'a>> {
        let path = path.to_str().unwrap();
        Store::open(("redline_journal", path), &Access::new(true, &[]), bounds, looked)
    }

    fn done(store: &Store<'_>, id: &str, [base, result]: [&str; 2]) -> Result<()> {
        let record = record(id, Some(base), Some(result));
        let contents =
            [base, result].map(|text| (Digest::sha256(text.as_bytes()), text.as_bytes()));
        Journal::Directory(store).begin(&record, &contents.into())?;
        store.end(&End { id: id.to_owned(), outcome: Outcome::Done, error: None })
    }

    fn ids(store: &Store<'_>) -> Vec<String> {
        let entries = store.entries().unwrap();
        entries.iter().filter_map(Entry::operation).map(|record| record.id.clone()).collect()
    }

    #[test]
    fn operations_and_contents_are_read_back_by_another_process() {
        let temp = tempfile::tempdir().unwrap();
        let (one, other) = (Looked::default(), Looked::default());
        let path = temp.path().join("journal");
        done(&open(&path, &one, BOUNDS).unwrap(), "1", ["a", "b"]).unwrap();
        done(&open(&path, &other, BOUNDS).unwrap(), "2", ["b", "c"]).unwrap();
        let store = open(&path, &one, BOUNDS).unwrap();
        assert_eq!(ids(&store), ["1", "2"]);
        let entries = store.entries().unwrap();
        let contents: Vec<Vec<u8>> = entries
            .iter()
            .filter_map(Entry::operation)
            .flat_map(Record::versions)
            .map(|version| Journal::Directory(&store).content(version).unwrap())
            .collect();
        assert_eq!(contents, [b"a", b"b", b"b", b"c"]);
        assert_eq!(store.contents.names(10).unwrap().len(), 3);
    }

    #[test]
    fn a_damaged_content_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let (path, looked) = (temp.path().join("journal"), Looked::default());
        let store = open(&path, &looked, BOUNDS).unwrap();
        done(&store, "1", ["a", "b"]).unwrap();
        let journal = Journal::Directory(&store);
        let kept = Version::new(b"a", String::new(), false);
        let file = path.join(CONTENTS).join(&kept.sha256);
        for (bytes, code) in
            [(Some("x"), "tool_failed:"), (Some("aa"), "too_large:"), (None, "not_found:")]
        {
            match bytes {
                Some(bytes) => std::fs::write(&file, bytes).unwrap(),
                None => std::fs::remove_file(&file).unwrap(),
            }
            let error = journal.content(&kept).unwrap_err().to_string();
            assert!(error.starts_with(code), "{error}");
        }
        for name in ["../log", "", "log"] {
            let version = Version { sha256: name.to_owned(), ..kept.clone() };
            assert!(journal.content(&version).unwrap_err().to_string().starts_with("not_found:"));
        }
    }

    #[test]
    fn the_oldest_operations_and_their_contents_are_forgotten() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("journal");
        let bounds = Bounds { bytes: 40_000, ..BOUNDS };
        for number in 0..20 {
            let [base, result] = [number, number + 1].map(|at| format!("{at}{}", "x".repeat(4000)));
            // Each operation in a process of its own.
            let looked = Looked::default();
            let store = open(&path, &looked, bounds).unwrap();
            done(&store, &number.to_string(), [&base, &result]).unwrap();
            assert!(store.contents.names(100).unwrap().len() < 12);
        }
        let looked = Looked::default();
        let kept = ids(&open(&path, &looked, bounds).unwrap());
        assert_eq!(kept.last().unwrap(), "19");
        assert!((4..11).contains(&kept.len()), "{kept:?}");
        let store = open(&path, &looked, Bounds { since: 1, ..bounds }).unwrap();
        assert!(ids(&store).is_empty());
        let large = "x".repeat(50_000);
        assert!(done(&store, "20", ["a", &large]).unwrap_err().to_string().contains("too_large"));
    }

    #[test]
    fn a_journal_that_cannot_be_written_refuses_the_operation() {
        let temp = tempfile::tempdir().unwrap();
        let (path, looked) = (temp.path().join("journal"), Looked::default());
        let store = open(&path, &looked, BOUNDS).unwrap();
        done(&store, "1", ["a", "b"]).unwrap();
        let mode = |name: &str, mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path.join(name), permissions).unwrap();
        };
        for (name, wrong, right) in [(LOG, 0o644, 0o600), ("lock", 0o666, 0o600)] {
            mode(name, wrong);
            let error = done(&store, "2", ["b", "c"]).unwrap_err().to_string();
            assert!(error.starts_with("fs_denied:"), "{name}: {error}");
            mode(name, right);
        }
        done(&store, "3", ["b", "c"]).unwrap();
        assert_eq!(ids(&store), ["1", "3"]);
    }
}
