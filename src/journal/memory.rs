//! The operations of one database, in memory: used if no directory is set.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Kept;
use super::reading::Entry;
use super::record::{End, Outcome, Record, Version, line_of};
use redline_base::budget::{Copied, Gather, Grow, GrowMap};
use redline_base::error::Result;
use redline_base::limits;

/// The operations.
#[derive(Debug, Default)]
pub struct Memory(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    /// Each operation with the bytes of its line.
    records: VecDeque<(Record, usize)>,
    /// Each content with the number of its uses.
    contents: HashMap<String, (Vec<u8>, usize)>,
    bytes: usize,
}

impl Memory {
    pub(super) fn begin(&self, record: &Record, contents: &Kept<'_>) -> Result<()> {
        let mut held = self.lock();
        for (digest, bytes) in contents {
            held.keep(digest.to_string(), bytes);
        }
        let size = line_of(record).len();
        held.bytes += size;
        held.records.add((record.clone(), size));
        while held.bytes > limits::JOURNAL_MEMORY_BYTES && !held.records.is_empty() {
            held.forget_oldest();
        }
        Ok(())
    }

    pub(super) fn end(&self, end: &End) -> Result<()> {
        let mut held = self.lock();
        let found = held.records.iter_mut().rev().find(|(record, _)| record.id == end.id);
        if let Some((record, _)) = found.filter(|(record, _)| record.outcome == Outcome::Begun) {
            record.outcome = end.outcome;
            record.error.clone_from(&end.error);
        }
        Ok(())
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let held = self.lock();
        held.records.iter().map(|(record, _)| Entry::Operation(Box::new(record.clone()))).gather()
    }

    pub(super) fn content(&self, version: &Version) -> Option<Vec<u8>> {
        self.lock().contents.get(&version.sha256).map(|(bytes, _)| bytes.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn keep(&mut self, digest: String, bytes: &[u8]) {
        let (_, uses) = self.contents.slot(digest).or_insert_with(|| {
            self.bytes += bytes.len();
            (bytes.copied_vec(), 0)
        });
        *uses += 1;
    }

    fn forget_oldest(&mut self) {
        let Some((record, size)) = self.records.pop_front() else { return };
        self.bytes -= size;
        for version in record.versions() {
            if let Some((bytes, uses)) = self.contents.get_mut(&version.sha256) {
                *uses -= 1;
                if *uses == 0 {
                    self.bytes -= bytes.len();
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
        let large = |at: usize| format!("{at}{}", "x".repeat(limits::JOURNAL_MEMORY_BYTES / 4));
        for at in 0..8 {
            let (base, result) = (large(at), large(at + 1));
            let record = record(&at.to_string(), Some(&base), Some(&result));
            let contents: Kept<'_> = [&base, &result]
                .map(|text| (Digest::sha256(text.as_bytes()), text.as_bytes()))
                .into();
            memory.begin(&record, &contents).unwrap();
            let end = End { id: record.id, outcome: Outcome::Done, error: None };
            memory.end(&end).unwrap();
        }
        let entries = memory.entries();
        let ids: Vec<&str> =
            entries.iter().filter_map(Entry::operation).map(|record| record.id.as_str()).collect();
        assert_eq!(ids, ["6", "7"]);
        let kept = |at: usize| {
            let text = large(at);
            memory.content(&Version::new(text.as_bytes(), String::new(), false)).is_some()
        };
        assert_eq!([5, 6, 7, 8].map(kept), [false, true, true, true]);
    }
}
