//! The directory of the setting `redline_journal`: a log of lines, and the contents by their
//! SHA-256.
//!
//! The lines of an operation and the contents that they name are durable before it is done.
//! Processes append under one lock. While an operation is in flight its process shares a second
//! lock; without anyone who has it, what has begun will not end. A process that was killed leaves an
//! operation without an end, or a content that no line names, which is removed when the journal is
//! next shortened.

use std::collections::HashSet;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::bounds::{Bounds, named};
use super::reading::{Entry, read};
use super::record::{End, Record, Version, joined, line_of, lines_of};
use super::{Journal, KeptContents};
use redline_base::budget::{Gather, Grow, GrowBy};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_edit::Digest;
use redline_sandbox::{Access, PrivateDirectory, PrivateLock};

/// The file of lines.
const LOG: &str = "log";
/// The directory of contents.
const CONTENTS: &str = "contents";
/// The file whose lock operations in flight share.
const IN_FLIGHT: &str = "in_flight";

/// The time between two checks of the limits.
const LOOK_AGAIN: Duration = Duration::from_secs(3600);
/// The part of the bytes of contents that may be written between two checks.
const PART: u64 = 16;

/// The last time that a database checked the limits of its journal, which reads all of it.
#[derive(Debug, Default)]
pub struct Looked(Mutex<Option<Look>>);

#[derive(Debug)]
struct Look {
    directory: PathBuf,
    at: Instant,
    /// The bytes of contents that were written since.
    written: u64,
}

/// An operation that has begun and has no end yet. While this lives, nobody forgets it.
#[derive(Debug)]
pub struct InFlight(Option<Beginning>);

#[derive(Debug)]
struct Beginning {
    _lock: PrivateLock,
    /// The place of its first line in the log, and the line.
    at: u64,
    line: Vec<u8>,
}

impl InFlight {
    /// Returns an operation that is in flight in memory.
    pub(super) const fn in_memory() -> Self {
        Self(None)
    }
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

    fn all(&self) -> Result<Vec<Entry>> {
        let Some(mut log) = self.directory.open_to_read(LOG)? else { return Ok(Vec::new()) };
        let end = self.directory.size(LOG)?;
        let start = end.saturating_sub(limits::JOURNAL_LOG_BYTES);
        let found = log.seek(SeekFrom::Start(start));
        let entries = match found {
            Ok(_) => read(BufReader::new(log))?,
            Err(error) => Err(error),
        };
        entries.map_err(|error| self.directory.failed_to(error))
    }

    /// Removes operations over the limits when the log has more bytes, and from time to time. The
    /// lock is held.
    fn keep_bounds(&self, written: u64) -> Result<()> {
        let mut looked = self.looked.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = self.bounds.bytes.min(limits::JOURNAL_LINES_BYTES);
        let is_full = self.directory.size(LOG)? > most;
        if let Some(look) = looked.as_mut()
            && look.directory == self.directory.path()
            && look.at.elapsed() < LOOK_AGAIN
            && look.written < self.bounds.bytes / PART
            && !is_full
        {
            look.written += written;
            return Ok(());
        }
        self.forget_surplus(is_full)?;
        let directory = self.directory.path().to_owned();
        *looked = Some(Look { directory, at: Instant::now(), written });
        Ok(())
    }

    /// Removes the oldest operations over the limits, of a log that is full all lines that need not
    /// be there, and unused contents.
    fn forget_surplus(&self, is_full: bool) -> Result<()> {
        let entries = self.all()?;
        let records: Vec<&Record> = entries.iter().filter_map(Entry::operation).gather();
        let keep = self.bounds.keep(&records, self.directory.is_unshared(IN_FLIGHT)?);
        let kept: Vec<&Record> =
            records.iter().zip(keep).filter(|(_, keep)| *keep).map(|(record, _)| *record).gather();
        if is_full || kept.len() < records.len() {
            let mut log = Vec::new();
            for line in kept.iter().flat_map(|record| lines_of(record)) {
                log.add_slice(&line);
                log.add(b'\n');
            }
            self.directory.replace(LOG, &log)?;
        }
        let named: HashSet<&str> =
            kept.iter().flat_map(|record| named(record)).map(|(sha256, _)| sha256).gather();
        for name in self.contents.names(limits::JOURNAL_CONTENTS)? {
            if !named.contains(name.as_str()) {
                self.contents.remove(&name)?;
            }
        }
        Ok(())
    }
}

impl Journal for Store<'_> {
    fn begin(&self, record: &Record, contents: &KeptContents<'_>) -> Result<InFlight> {
        let mut lines = lines_of(record);
        let written: u64 = contents.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let line_bytes: u64 = lines.iter().map(|line| line.len() as u64 + 1).sum();
        let share = self.bounds.done();
        if written.saturating_add(line_bytes) > share.all || line_bytes > share.lines {
            return Err(Error::too_large(format!(
                "the contents before and after have {written} bytes and their record {line_bytes}, and the journal has \
                 {} for both and {} for records",
                share.all, share.lines
            ))
            .with_hint(
                "Change less at once, or ask the host to raise redline_journal_max_bytes",
            ));
        }
        let _lock = self.directory.lock()?;
        self.keep_bounds(written)?;
        let shared = self.directory.share(IN_FLIGHT)?;
        for (digest, bytes) in contents {
            self.contents.keep(&digest.to_string(), bytes)?;
        }
        let at = self.directory.append(LOG, &joined(&lines))?;
        let line = lines.swap_remove(0);
        Ok(InFlight(Some(Beginning { _lock: shared, at, line })))
    }

    fn end(&self, in_flight: InFlight, record: &Record) -> Result<()> {
        let _lock = self.directory.lock()?;
        let begun = in_flight.0.as_ref();
        // Elsewhere its beginning may be, or gone: then this line has all of it.
        let is_there = begun.is_some_and(|begun| self.directory.holds(LOG, begun.at, &begun.line));
        let lines = if is_there {
            let Record { id, outcome, error, .. } = record;
            vec![line_of(&End { id: id.clone(), outcome: *outcome, error: error.clone() })]
        } else {
            lines_of(record)
        };
        self.directory.append(LOG, &joined(&lines)).map(|_| ())
    }

    fn refuse(&self, record: &Record) -> Result<()> {
        let _lock = self.directory.lock()?;
        self.keep_bounds(0)?;
        self.directory.append(LOG, &joined(&lines_of(record))).map(|_| ())
    }

    fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = self.all()?;
        let is_young = |record: &Record| record.at >= self.bounds.since;
        entries.retain(|entry| entry.operation().is_none_or(is_young));
        Ok(entries)
    }

    fn kept(&self, version: &Version) -> Result<Option<Vec<u8>>> {
        // The digest is a file name.
        let Some(digest) = Digest::parse(&version.sha256) else { return Ok(None) };
        self.contents.read(&digest.to_string(), version.bytes)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::super::Outcome;
    use super::super::reading::tests::record;
    use super::*;

    const BOUNDS: Bounds = Bounds { bytes: 1 << 20, since: i64::MIN };

    fn open<'a>(path: &Path, looked: &'a Looked, bounds: Bounds) -> Result<Store<'a>> {
        let path = path.to_str().unwrap();
        Store::open(("redline_journal", path), &Access::new(true, &[]), bounds, looked)
    }

    fn done(store: &Store<'_>, id: &str, [base, result]: [&str; 2]) -> Result<()> {
        let (in_flight, record) = begun(store, id, [base, result])?;
        store.end(in_flight, &Record { outcome: Outcome::Done, ..record })
    }

    fn begun(store: &Store<'_>, id: &str, [base, result]: [&str; 2]) -> Result<(InFlight, Record)> {
        let record = record(id, Some(base), Some(result));
        let contents =
            [base, result].map(|text| (Digest::sha256(text.as_bytes()), text.as_bytes()));
        let in_flight = store.begin(&record, &contents.into())?;
        Ok((in_flight, record))
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
            .map(|version| store.content(version).unwrap())
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
        let kept = Version::new(b"a", String::new(), false);
        let file = path.join(CONTENTS).join(&kept.sha256);
        for (bytes, code) in
            [(Some("x"), "tool_failed:"), (Some("aa"), "too_large:"), (None, "not_found:")]
        {
            match bytes {
                Some(bytes) => std::fs::write(&file, bytes).unwrap(),
                None => std::fs::remove_file(&file).unwrap(),
            }
            let error = store.content(&kept).unwrap_err().to_string();
            assert!(error.starts_with(code), "{error}");
        }
        for name in ["../log", "", "log"] {
            let version = Version { sha256: name.to_owned(), ..kept.clone() };
            assert!(store.content(&version).unwrap_err().to_string().starts_with("not_found:"));
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

    /// Shortens a journal from a process of its own, as much as it may be.
    fn shorten(path: &Path) {
        let looked = Looked::default();
        let bounds = Bounds { bytes: 1 << 20, since: i64::MAX };
        done(&open(path, &looked, bounds).unwrap(), "last", ["a", "b"]).unwrap();
        open(path, &looked, bounds).unwrap().forget_surplus(true).unwrap();
    }

    #[test]
    fn what_is_in_flight_is_kept_until_it_ends() {
        let temp = tempfile::tempdir().unwrap();
        let (path, looked) = (temp.path().join("journal"), Looked::default());
        let store = open(&path, &looked, BOUNDS).unwrap();
        done(&store, "old", ["a", "b"]).unwrap();
        let (in_flight, record) = begun(&store, "1", ["c", "d"]).unwrap();
        shorten(&path);
        assert_eq!(ids(&store), ["1", "last"]);
        let record = Record { outcome: Outcome::Done, ..record };
        store.end(in_flight, &record).unwrap();
        let entries = store.entries().unwrap();
        assert_eq!(entries[0].operation(), Some(&record));
        assert!(entries.iter().all(|entry| entry.operation().is_some()), "{entries:?}");
        for version in record.versions() {
            store.content(version).unwrap();
        }
        // It has ended, and so has one whose process was killed.
        drop(begun(&store, "2", ["e", "f"]).unwrap());
        shorten(&path);
        assert_eq!(ids(&store), ["last"]);
    }

    #[test]
    fn an_end_without_its_beginning_writes_the_record_whole() {
        let temp = tempfile::tempdir().unwrap();
        let (path, looked) = (temp.path().join("journal"), Looked::default());
        let store = open(&path, &looked, BOUNDS).unwrap();
        for lost in [true, false] {
            let (in_flight, record) = begun(&store, "1", ["c", "d"]).unwrap();
            let log = std::fs::read(path.join(LOG)).unwrap();
            if lost {
                std::fs::remove_file(path.join(LOG)).unwrap();
            } else {
                std::fs::write(path.join(LOG), [b"another\n", &log[..]].concat()).unwrap();
            }
            let record = Record { outcome: Outcome::Done, ..record };
            store.end(in_flight, &record).unwrap();
            let entries = store.entries().unwrap();
            assert_eq!(entries.last().and_then(Entry::operation), Some(&record));
            assert_eq!(ids(&store), ["1"]);
            std::fs::remove_file(path.join(LOG)).unwrap();
        }
    }

    #[test]
    fn the_files_of_an_operation_take_as_many_lines_as_they_need() {
        let temp = tempfile::tempdir().unwrap();
        let (path, looked) = (temp.path().join("journal"), Looked::default());
        let store = open(&path, &looked, BOUNDS).unwrap();
        let one = record("1", Some("a"), Some("b"));
        let file = |number| {
            let path = format!("{number}{}", "\"".repeat(1000));
            super::super::FileChange { path, ..one.files[0].clone() }
        };
        let many = Record { files: (0..100).map(file).collect(), ..one.clone() };
        let in_flight = store.begin(&many, &KeptContents::new()).unwrap();
        assert_eq!(store.entries().unwrap()[0].operation(), Some(&many));
        let many = Record { outcome: Outcome::Done, ..many };
        store.end(in_flight, &many).unwrap();
        let log = || std::fs::read(path.join(LOG)).unwrap();
        let lines = log().split(|&byte| byte == b'\n').map(<[u8]>::len).collect::<Vec<_>>();
        assert!(lines.len() > 4 && lines.iter().all(|line| *line <= limits::JOURNAL_LINE_BYTES));
        store.forget_surplus(true).unwrap();
        assert_eq!(store.entries().unwrap()[0].operation(), Some(&many));
        // Of one that was not done, the first are kept.
        let failed = Record { id: "2".to_owned(), outcome: Outcome::Failed, ..many };
        store.refuse(&failed).unwrap();
        let entries = store.entries().unwrap();
        let found = entries[1].operation().unwrap();
        assert_eq!(found.files[..], failed.files[..found.files.len()]);
        assert!(found.more > 50 && found.more + found.files.len() as u64 == 100);
        // A torn one is listed with what it lacks.
        let whole = log();
        for end in 1..lines.len() {
            let cut: Vec<&[u8]> = whole.split(|&byte| byte == b'\n').take(end).collect();
            std::fs::write(path.join(LOG), cut.join(&b'\n')).unwrap();
            let entries = store.entries().unwrap();
            let found = entries[0].operation().unwrap();
            assert_eq!(found.files.len() as u64 + found.more, 100);
        }
    }

    #[test]
    fn a_log_beyond_every_limit_is_read_and_repaired() {
        let temp = tempfile::tempdir().unwrap();
        let (path, looked) = (temp.path().join("journal"), Looked::default());
        let store = open(&path, &looked, BOUNDS).unwrap();
        done(&store, "1", ["a", "b"]).unwrap();
        let log = std::fs::OpenOptions::new().append(true).open(path.join(LOG)).unwrap();
        log.set_len(limits::JOURNAL_LINES_BYTES + 1000).unwrap();
        let other = Looked::default();
        let store = open(&path, &other, BOUNDS).unwrap();
        assert_eq!(store.entries().unwrap()[1..], [Entry::Unreadable(3)]);
        assert_eq!(ids(&store), ["1"]);
        done(&store, "2", ["b", "c"]).unwrap();
        assert_eq!(store.entries().unwrap().len(), 2);
        assert!(std::fs::metadata(path.join(LOG)).unwrap().len() < 2000);
    }
}
