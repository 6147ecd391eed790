//! Reads the operations from the lines of a journal.

use redline_base::budget::{Grow, GrowMap};
use std::collections::HashMap;

use super::record::{End, Line, Record};

/// A line of the journal, or several of one operation.
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

/// Reads all lines, the oldest first. Only the first operation and the first end of an id count.
pub(super) fn read(bytes: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut places = HashMap::new();
    for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
        if line.is_empty() {
            continue;
        }
        let entry = match serde_json::from_slice(line) {
            Ok(Line::Record(record)) if !places.contains_key(&record.id) => {
                places.put(record.id.clone(), entries.len());
                Some(Entry::Operation(Box::new(record)))
            }
            Ok(Line::End(end)) if ended(&mut entries, &places, &end) => None,
            _ => Some(Entry::Unreadable(number)),
        };
        entries.add_all(entry);
    }
    entries
}

/// Records the outcome of an operation; tells whether there is such an operation.
fn ended(entries: &mut [Entry], places: &HashMap<String, usize>, end: &End) -> bool {
    let place = places.get(&end.id).and_then(|place| entries.get_mut(*place));
    match place {
        Some(Entry::Operation(record)) if record.outcome == super::Outcome::Begun => {
            (record.outcome, record.error) = (end.outcome, end.error.clone());
            true
        }
        _ => false,
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
            files: vec![FileChange {
                sandbox: "w".to_owned(),
                root: "/w".to_owned(),
                path: "a".to_owned(),
                old_path: None,
                kind: Some(ChangeKind::of(base.as_ref(), result.as_ref())),
                base,
                result,
            }],
        }
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
        let entries = read(&lines.join(&b'\n'));
        let done = Record { outcome: Outcome::Done, ..one };
        let unreadable = [2, 4, 5, 7, 8, 9].map(Entry::Unreadable);
        assert_eq!(entries[0], Entry::Operation(Box::new(done)));
        assert_eq!(entries[1], unreadable[0]);
        assert_eq!(entries[2], Entry::Operation(Box::new(two)));
        assert_eq!(entries[3..], unreadable[1..]);
        assert!(read(b"").is_empty());
    }

    #[test]
    fn a_torn_journal_gives_its_whole_lines() {
        let lines = [record("1", None, Some("a")), record("2", Some("a"), Some("b"))]
            .map(|record| line_of(&record))
            .join(&b'\n');
        for end in 0..lines.len() {
            let entries = read(&lines[..end]);
            let whole = entries.iter().filter(|entry| entry.operation().is_some()).count();
            assert!(whole <= 2 && entries.len() <= whole + 1, "{end}: {entries:?}");
        }
    }
}
