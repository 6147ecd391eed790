//! Finds changes by others: a file that an operation found in another state than the operation
//! before had left it.

use redline_base::budget::{Grow, GrowMap};
use std::collections::HashMap;

use super::reading::Entry;
use super::record::{FileChange, Outcome, Record, Version};

/// An event in a journal, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Seen<'a> {
    /// An operation made this change to a file, or was about to.
    Change(&'a Record, &'a FileChange),
    /// An operation had so many more files than its changes that came before.
    More(&'a Record, u64),
    /// Another program wrote a file before the operation that follows.
    Foreign(Foreign<'a>),
    /// The line with this number cannot be read.
    Unreadable(usize),
}

/// A change of a file by another program.
#[derive(Debug, PartialEq, Eq)]
pub struct Foreign<'a> {
    /// The operation that found it.
    pub found_by: &'a Record,
    /// The file as that operation found it.
    pub file: &'a FileChange,
    /// The version that the last operation had left.
    pub left: Option<&'a Version>,
}

/// The states that the operations may have left a file in; exactly one, unless an operation failed.
type Left<'a> = Vec<Option<&'a Version>>;

/// Returns the events of the entries of a journal, with the changes by others in between.
pub fn seen(entries: &[Entry]) -> Vec<Seen<'_>> {
    let mut left: HashMap<(&str, &str), Left<'_>> = HashMap::new();
    let mut seen = Vec::new();
    for entry in entries {
        let record = match entry {
            Entry::Operation(record) => record,
            Entry::Unreadable(line) => {
                seen.add(Seen::Unreadable(*line));
                // The unreadable line may have been any operation.
                left.clear();
                continue;
            }
        };
        for file in &record.files {
            if file.kind.is_some() && record.outcome != Outcome::Declined {
                let source = file.old_path.as_deref().unwrap_or(&file.path);
                let before = left.get(&(file.root.as_str(), source));
                // Only an operation that was done is known to have found the file in this state:
                // others may have read it much earlier.
                if record.outcome == Outcome::Done
                    && let Some(before) = before
                    && !before.iter().any(|left| is_same(*left, file.base.as_ref()))
                {
                    let left = before.last().copied().flatten();
                    seen.add(Seen::Foreign(Foreign { found_by: record, file, left }));
                }
                remember(&mut left, record, file, source);
            }
            seen.add(Seen::Change(record, file));
        }
        if record.more > 0 {
            seen.add(Seen::More(record, record.more));
        }
    }
    seen
}

/// Records the states in which an operation may have left a file.
fn remember<'a>(
    left: &mut HashMap<(&'a str, &'a str), Left<'a>>,
    record: &'a Record,
    file: &'a FileChange,
    source: &'a str,
) {
    let is_certain = record.outcome == Outcome::Done;
    let mut leave = |path, version| {
        let states = left.slot((&file.root, path)).or_default();
        if is_certain {
            states.clear();
        } else if states.is_empty() {
            states.add(file.base.as_ref());
        }
        states.add(version);
    };
    if source != file.path {
        leave(source, None);
    }
    leave(&file.path, file.result.as_ref());
}

fn is_same(one: Option<&Version>, other: Option<&Version>) -> bool {
    one.map(|version| &version.sha256) == other.map(|version| &version.sha256)
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::record;
    use super::*;

    #[test]
    fn a_state_that_no_operation_left_is_foreign() {
        use Outcome::{Begun, Declined, Done, Failed};
        // Each operation: its outcome, the content it found and the content it was to leave, and
        // whether another program wrote the former.
        type Row = (Outcome, Option<&'static str>, Option<&'static str>, bool);
        let tables: &[&[Row]] = &[
            &[(Done, Some("a"), Some("b"), false), (Done, Some("b"), Some("c"), false)],
            &[(Done, Some("a"), Some("b"), false), (Done, Some("x"), Some("c"), true)],
            &[(Done, None, Some("b"), false), (Done, None, Some("b"), true)],
            &[(Done, Some("a"), None, false), (Done, None, Some("b"), false)],
            &[(Done, Some("a"), None, false), (Done, Some("a"), Some("b"), true)],
            // An operation that failed or was cut off may or may not have been done, and may have
            // read the file much earlier.
            &[(Done, Some("a"), Some("b"), false), (Failed, Some("a"), Some("c"), false)],
            &[(Begun, Some("a"), Some("b"), false), (Done, Some("a"), Some("c"), false)],
            &[(Begun, Some("a"), Some("b"), false), (Done, Some("b"), Some("c"), false)],
            &[(Failed, Some("a"), Some("b"), false), (Done, Some("b"), Some("c"), false)],
            &[(Failed, Some("a"), Some("b"), false), (Done, Some("x"), Some("c"), true)],
            &[
                (Done, Some("a"), Some("b"), false),
                (Declined, Some("x"), Some("y"), false),
                (Done, Some("b"), Some("c"), false),
            ],
        ];
        for table in tables {
            let entries = table.iter().enumerate().map(|(id, (outcome, base, result, _))| {
                let record = record(&id.to_string(), *base, *result);
                Entry::Operation(Box::new(Record { outcome: *outcome, ..record }))
            });
            let entries: Vec<Entry> = entries.collect();
            let found: Vec<&str> = seen(&entries)
                .iter()
                .filter_map(|seen| match seen {
                    Seen::Foreign(foreign) => Some(foreign.found_by.id.as_str()),
                    _ => None,
                })
                .collect();
            let expected = table.iter().enumerate().filter(|(_, row)| row.3);
            let expected: Vec<String> = expected.map(|(id, _)| id.to_string()).collect();
            assert_eq!(found, expected, "{table:?}");
        }
    }
}
