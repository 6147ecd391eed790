//! The operations of one database, in memory: used if no directory is set.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bounds::Bounds;
use super::reading::Entry;
use super::record::{Outcome, Record, Version, lines_of};
use super::store::InFlight;
use super::{Journal, KeptContents};
use redline_base::budget::{Copied, Gather, Grow, GrowMap, Ordered};
use redline_base::error::{Error, Result};
use redline_base::limits;

/// The limits: those of a directory, without an age.
const BOUNDS: Bounds = Bounds { bytes: limits::JOURNAL_MEMORY_BYTES, since: i64::MIN };

/// The operations.
#[derive(Debug, Default)]
pub struct Memory(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    /// Those that have begun or were done.
    done: VecDeque<Operation>,
    /// Those that were not done, without contents.
    refused: VecDeque<Operation>,
    /// Each content with the number of its uses.
    contents: HashMap<String, (Vec<u8>, usize)>,
    /// The bytes of the operations that were done, with their contents.
    bytes: u64,
    /// The bytes of those that were not.
    refused_bytes: u64,
    /// The number of operations so far.
    count: u64,
}

#[derive(Debug)]
struct Operation {
    /// Its place among all.
    number: u64,
    record: Record,
    /// The bytes of its lines.
    bytes: u64,
}

impl Journal for Memory {
    fn begin(&self, record: &Record, contents: &KeptContents<'_>) -> Result<InFlight> {
        let written: u64 = contents.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let bytes = line_bytes(record);
        let most = BOUNDS.done().all;
        if written.saturating_add(bytes) > most {
            return Err(Error::too_large(format!(
                "the contents before and after have {written} bytes and their record {bytes}, and a journal in memory \
                 has {most} for both"
            ))
            .with_hint(
                "Change less at once, or ask the host to name a directory in redline_journal",
            ));
        }
        let mut held = self.lock();
        for (digest, bytes) in contents {
            held.keep(digest.to_string(), bytes);
        }
        let number = held.next();
        held.bytes += bytes;
        held.done.add(Operation { number, record: record.clone(), bytes });
        while held.bytes > most && held.forget_oldest() {}
        Ok(InFlight::in_memory())
    }

    fn end(&self, _: InFlight, record: &Record) -> Result<()> {
        let mut held = self.lock();
        let is_it = |held: &Operation| held.record.id == record.id;
        let Some(place) = held.done.iter().rposition(is_it) else { return Ok(()) };
        if !record.outcome.is_refused() {
            held.done[place].record.outcome = record.outcome;
            return Ok(());
        }
        if let Some(operation) = held.done.remove(place) {
            held.forget(&operation);
            held.refuse(operation.number, record);
        }
        Ok(())
    }

    fn refuse(&self, record: &Record) -> Result<()> {
        let mut held = self.lock();
        let number = held.next();
        held.refuse(number, record);
        Ok(())
    }

    fn entries(&self) -> Result<Vec<Entry>> {
        let held = self.lock();
        let mut all: Vec<&Operation> = held.done.iter().chain(&held.refused).gather();
        all.order_by_key(|operation| operation.number);
        let entry = |operation: &Operation| Entry::Operation(Box::new(operation.record.clone()));
        Ok(all.into_iter().map(entry).gather())
    }

    fn kept(&self, version: &Version) -> Result<Option<Vec<u8>>> {
        Ok(self.lock().contents.get(&version.sha256).map(|(bytes, _)| bytes.copied_vec()))
    }
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line_bytes(record: &Record) -> u64 {
    lines_of(record).iter().map(|line| line.len() as u64).sum()
}

impl Held {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn keep(&mut self, digest: String, bytes: &[u8]) {
        let (_, uses) = self.contents.slot(digest).or_insert_with(|| {
            self.bytes += bytes.len() as u64;
            (bytes.copied_vec(), 0)
        });
        *uses += 1;
    }

    fn refuse(&mut self, number: u64, record: &Record) {
        let record = record.first_line();
        let bytes = line_bytes(&record);
        self.refused_bytes += bytes;
        self.refused.add(Operation { number, record, bytes });
        while self.refused_bytes > BOUNDS.refused().all {
            let Some(oldest) = self.refused.pop_front() else { return };
            self.refused_bytes -= oldest.bytes;
        }
    }

    /// Forgets the oldest operation that was done; tells whether there was one.
    fn forget_oldest(&mut self) -> bool {
        let has_ended = |operation: &Operation| operation.record.outcome != Outcome::Begun;
        let oldest = self.done.iter().position(has_ended);
        let oldest = oldest.and_then(|place| self.done.remove(place));
        if let Some(operation) = &oldest {
            self.forget(operation);
        }
        oldest.is_some()
    }

    fn forget(&mut self, operation: &Operation) {
        self.bytes -= operation.bytes;
        for version in operation.record.versions() {
            if let Some((bytes, uses)) = self.contents.get_mut(&version.sha256) {
                *uses -= 1;
                if *uses == 0 {
                    self.bytes -= bytes.len() as u64;
                    self.contents.remove(&version.sha256);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::record;
    use super::*;
    use redline_edit::Digest;

    #[test]
    fn the_oldest_go_with_the_contents_that_nothing_else_has() {
        let memory = Memory::default();
        let quarter = usize::try_from(limits::JOURNAL_MEMORY_BYTES).unwrap() / 4;
        let large = |at: usize| format!("{at}{}", "x".repeat(quarter));
        for at in 0..8 {
            let (base, result) = (large(at), large(at + 1));
            let record = record(&at.to_string(), Some(&base), Some(&result));
            let contents: KeptContents<'_> = [&base, &result]
                .map(|text| (Digest::sha256(text.as_bytes()), text.as_bytes()))
                .into();
            let in_flight = memory.begin(&record, &contents).unwrap();
            memory.end(in_flight, &Record { outcome: Outcome::Done, ..record }).unwrap();
        }
        let entries = memory.entries().unwrap();
        let ids: Vec<&str> =
            entries.iter().filter_map(Entry::operation).map(|record| record.id.as_str()).collect();
        assert_eq!(ids, ["6", "7"]);
        let kept = |at: usize| {
            let text = large(at);
            memory.kept(&Version::new(text.as_bytes(), String::new(), false)).unwrap().is_some()
        };
        assert_eq!([5, 6, 7, 8].map(kept), [false, true, true, true]);
        let whole = "x".repeat(4 * quarter);
        let contents = vec![(Digest::sha256(b""), whole.as_bytes())];
        let error = memory.begin(&record("9", None, None), &contents).unwrap_err().to_string();
        assert!(error.starts_with("too_large:"), "{error}");
    }

    #[test]
    fn what_was_not_done_goes_first_by_its_own_share_and_has_no_contents() {
        let memory = Memory::default();
        let contents = |text: &'static str| -> KeptContents<'_> {
            vec![(Digest::sha256(text.as_bytes()), text.as_bytes())]
        };
        let (one, two) = (record("one", None, Some("a")), record("two", None, Some("b")));
        let first = memory.begin(&one, &contents("a")).unwrap();
        let second = memory.begin(&two, &contents("b")).unwrap();
        memory.end(second, &Record { outcome: Outcome::Failed, ..two }).unwrap();
        memory.end(first, &Record { outcome: Outcome::Done, ..one }).unwrap();
        let version = |text: &str| Version::new(text.as_bytes(), String::new(), false);
        assert_eq!(memory.kept(&version("a")).unwrap(), Some(b"a".to_vec()));
        assert_eq!(memory.kept(&version("b")).unwrap(), None);
        let file = record("", None, None).files.remove(0);
        let path = "x".repeat(4000);
        let files = vec![super::super::FileChange { path, ..file }; 100];
        let outcome = Outcome::Failed;
        for number in 0..300 {
            let record = record(&number.to_string(), None, None);
            memory.refuse(&Record { outcome, files: files.clone(), ..record }).unwrap();
        }
        let entries = memory.entries().unwrap();
        let ids: Vec<&str> =
            entries.iter().filter_map(Entry::operation).map(|record| record.id.as_str()).collect();
        assert_eq!(ids.first(), Some(&"one"));
        assert_eq!(ids.last(), Some(&"299"));
        assert!((100..200).contains(&ids.len()), "{}", ids.len());
        let last = entries.last().and_then(Entry::operation).unwrap();
        assert_eq!(last.files.len() as u64 + last.more, 100);
        assert!(last.more > 50);
    }
}
