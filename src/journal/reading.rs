//! Reads the operations from the lines of a journal.

use redline_base::budget::{Gather, Grow, GrowMap};
use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, ErrorKind};

use super::bounds::Bounds;
use super::record::{End, JournalLine, Outcome, Record, Rest};
use redline_base::budget::check_current;
use redline_base::error::Result;
use redline_base::limits;

/// An operation of the journal, or a line that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An operation.
    Operation(Box<Record>),
    /// The line with this number, from 1, cannot be read: it was cut off, or another program wrote
    /// it.
    Unreadable(usize),
}

impl Entry {
    /// Returns the operation.
    pub fn operation(&self) -> Option<&Record> {
        match self {
            Self::Operation(record) => Some(record),
            Self::Unreadable(_) => None,
        }
    }
}

/// Reads all lines, the oldest first; `None` if the system refuses to read them. Only the first
/// operation and the first end of an id count. Of more lines than a journal keeps, the oldest
/// operations are left out, as if it had been shortened.
///
/// # Errors
/// Why the query ended.
pub(super) fn read(mut log: impl BufRead) -> Result<io::Result<Vec<Entry>>> {
    let mut reading = Reading::default();
    let mut line = Vec::new();
    for number in 1.. {
        check_current()?;
        match next_line(&mut log, &mut line) {
            Ok(Next::End) => break,
            Ok(Next::Line) if line.is_empty() => {}
            Ok(Next::Line) => reading.add(number, &line),
            Ok(Next::TooLong) => reading.unreadable(number),
            Err(error) => return Ok(Err(error)),
        }
        line.clear();
    }
    Ok(Ok(reading.entries()))
}

enum Next {
    Line,
    /// The line is longer than all lines of a journal.
    TooLong,
    End,
}

/// Reads a line, without its end, into the empty `line`.
fn next_line(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Next> {
    let (mut is_started, mut is_long) = (false, false);
    let next = |is_long| if is_long { Next::TooLong } else { Next::Line };
    loop {
        let found = match log.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            found => found?,
        };
        if found.is_empty() {
            return Ok(if is_started { next(is_long) } else { Next::End });
        }
        is_started = true;
        let end = memchr::memchr(b'\n', found);
        let part = &found[..end.unwrap_or(found.len())];
        is_long |= (line.len() + part.len()) as u64 > limits::JOURNAL_LINES_BYTES;
        if is_long {
            *line = Vec::new();
        } else {
            line.try_reserve(part.len()).map_err(|_| ErrorKind::OutOfMemory)?;
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        log.consume(used);
        if end.is_some() {
            return Ok(next(is_long));
        }
    }
}

/// The operations of the lines that were read.
#[derive(Default)]
struct Reading {
    /// Each with the number of its first line, in order.
    operations: Vec<(usize, Record)>,
    /// The place of each operation by its id.
    places: HashMap<String, usize>,
    unreadable: VecDeque<usize>,
    /// The bytes of the lines of operations since they were last shortened.
    bytes: u64,
}

impl Reading {
    fn add(&mut self, number: usize, line: &[u8]) {
        let is_known = match serde_json::from_slice(line) {
            Ok(JournalLine::Record(record)) => self.begin(number, *record, line.len()),
            Ok(JournalLine::End(end)) => self.end(end),
            Ok(JournalLine::Rest(rest)) => self.extend(rest, line.len()),
            Err(_) => false,
        };
        if !is_known {
            self.unreadable(number);
        }
    }

    fn unreadable(&mut self, number: usize) {
        self.unreadable.add(number);
        if self.unreadable.len() > limits::JOURNAL_UNREADABLE {
            self.unreadable.pop_front();
        }
    }

    /// Adds an operation. A second record of one that has no end yet has its end: its beginning was
    /// not found where it was written.
    fn begin(&mut self, number: usize, record: Record, bytes: usize) -> bool {
        self.bytes += bytes as u64;
        if let Some(first) = self.place(&record.id) {
            let is_end = first.outcome == Outcome::Begun && record.outcome != Outcome::Begun;
            if is_end {
                *first = record;
            }
            return is_end;
        }
        if self.bytes > limits::JOURNAL_LOG_BYTES / 4 {
            self.shorten();
        }
        self.places.put(record.id.clone(), self.operations.len());
        self.operations.add((number, record));
        true
    }

    /// Records the outcome of an operation; tells whether there is such an operation.
    fn end(&mut self, end: End) -> bool {
        let Some(record) = self.place(&end.id) else { return false };
        let is_begun = record.outcome == Outcome::Begun;
        if is_begun {
            (record.outcome, record.error) = (end.outcome, end.error);
        }
        is_begun
    }

    /// Adds further files of an operation.
    fn extend(&mut self, rest: Rest<'static>, bytes: usize) -> bool {
        self.bytes += bytes as u64;
        let Some(record) = self.place(&rest.id) else { return false };
        let count = rest.files.len() as u64;
        let is_more = count > 0 && count <= record.more;
        if is_more {
            record.more -= count;
            record.files.add_all(rest.files.iter().cloned());
        }
        is_more
    }

    fn place(&mut self, id: &str) -> Option<&mut Record> {
        let place = *self.places.get(id)?;
        self.operations.get_mut(place).map(|(_, record)| record)
    }

    /// Leaves out the oldest operations, as far as a journal does not keep their lines.
    fn shorten(&mut self) {
        let bounds = Bounds { bytes: u64::MAX, since: i64::MIN };
        let records: Vec<&Record> = self.operations.iter().map(|(_, record)| record).gather();
        let mut kept = bounds.keep(&records, true).into_iter();
        self.operations.retain(|_| kept.next().unwrap_or(true));
        let ids = self.operations.iter().map(|(_, record)| record.id.clone());
        self.places = ids.zip(0..).gather();
        self.bytes = 0;
    }

    fn entries(self) -> Vec<Entry> {
        let mut unreadable = self.unreadable.into_iter().peekable();
        let mut entries = Vec::new();
        for (number, record) in self.operations {
            let before = std::iter::from_fn(|| unreadable.next_if(|line| *line < number));
            entries.add_all(before.map(Entry::Unreadable));
            entries.add(Entry::Operation(Box::new(record)));
        }
        entries.add_all(unreadable.map(Entry::Unreadable));
        entries
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::record::line_of;
    use super::super::{ChangeKind, FileChange, Outcome, Version};
    use super::*;

    /// Returns an operation on `w/a` from one content to another.
    pub fn record(id: &str, base: Option<&str>, result: Option<&str>) -> Record {
        // A version with a short id for a short content.
        let version = |content: &str| {
            Version::new(content.as_bytes(), content.chars().take(40).collect(), false)
        };
        let (base, result) = (base.map(version), result.map(version));
        Record {
            id: id.to_owned(),
            at: 0,
            client: "connection 1".to_owned(),
            tool: "edit_file".to_owned(),
            approval: None,
            reason: None,
            outcome: Outcome::Begun,
            error: None,
            more: 0,
            git: None,
            files: vec![FileChange {
                sandbox: "w".to_owned(),
                root: "/w".to_owned(),
                path: "a".to_owned(),
                old_path: None,
                kind: Some(ChangeKind::of(base.as_ref(), result.as_ref())),
                base,
                result,
                staged: None,
            }],
        }
    }

    fn entries(bytes: &[u8]) -> Vec<Entry> {
        read(bytes).unwrap().unwrap()
    }

    fn end(id: &str, outcome: Outcome) -> Vec<u8> {
        line_of(&End { id: id.to_owned(), outcome, error: None })
    }

    #[test]
    fn an_end_completes_its_operation_and_unreadable_lines_are_reported() {
        let one = record("1", Some("a"), Some("b"));
        let two = record("2", None, Some("b"));
        let line = line_of(&one);
        let lines = [
            &line[..],
            &line[..line.len() / 2],
            &line_of(&two)[..],
            // The same id again, ends of unknown and of ended operations, and lines that are not
            // ours.
            &line[..],
            &end("3", Outcome::Done),
            &end("1", Outcome::Done),
            &end("1", Outcome::Failed),
            b"{}",
            b"\xff\0",
            b"",
        ];
        let entries = entries(&lines.join(&b'\n'));
        let done = Record { outcome: Outcome::Done, ..one };
        let unreadable = [2, 4, 5, 7, 8, 9].map(Entry::Unreadable);
        assert_eq!(entries[0], Entry::Operation(Box::new(done)));
        assert_eq!(entries[1], unreadable[0]);
        assert_eq!(entries[2], Entry::Operation(Box::new(two)));
        assert_eq!(entries[3..], unreadable[1..]);
        assert!(self::entries(b"").is_empty());
    }

    #[test]
    fn a_torn_journal_gives_its_whole_lines() {
        let lines = [record("1", None, Some("a")), record("2", Some("a"), Some("b"))]
            .map(|record| line_of(&record))
            .join(&b'\n');
        for end in 0..lines.len() {
            let entries = entries(&lines[..end]);
            let whole = entries.iter().filter(|entry| entry.operation().is_some()).count();
            assert!(whole <= 2 && entries.len() <= whole + 1, "{end}: {entries:?}");
        }
    }
}
