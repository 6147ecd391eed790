//! A block of a table: records sorted by key, with the keys prefix-compressed.
//!
//! Source: git's `reftable` technical document. Parsing returns `None` for an inconsistent block;
//! the table reports its position.

use crate::Oid;
use crate::model::commit::Person;
use crate::model::offset_number;
use crate::refs::loose::Value as Target;
use redline_base::limits;

/// The kind of a block's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// References.
    References,
    /// Lines of their logs.
    Logs,
    /// The last keys of other blocks, and their positions.
    Index,
    /// Anything else: object ids, or not a block at all.
    Other,
}

impl Kind {
    /// Returns the kind that the first byte of a block states.
    pub fn of(byte: u8) -> Self {
        match byte {
            b'r' => Self::References,
            b'g' => Self::Logs,
            b'i' => Self::Index,
            _ => Self::Other,
        }
    }
}

/// A line of a reference's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The old id, null if the reference was created.
    pub old: Oid,
    /// The new id.
    pub new: Oid,
    /// Who changed it.
    pub person: Person,
    /// The time in seconds since 1970.
    pub time: u64,
    /// The message; in a block, with a newline at the end.
    pub message: Vec<u8>,
}

/// A record's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The value of a reference; `None` deletes it.
    Reference(Option<Target>),
    /// The line of a log; `None` deletes a line.
    Log(Option<LogLine>),
    /// The position of a block.
    Position(u64),
}

/// The records of a block, without its list of restarts.
pub struct Records<'b> {
    kind: Kind,
    rest: &'b [u8],
    id_bytes: usize,
    key: Vec<u8>,
}

impl<'b> Records<'b> {
    /// Parses the records from the bytes of a block after its header; the last bytes are the number
    /// of restarts.
    pub fn new(kind: Kind, bytes: &'b [u8], id_bytes: usize) -> Option<Self> {
        let (rest, count) = bytes.split_last_chunk::<2>()?;
        let restarts = usize::from(u16::from_be_bytes(*count)) * 3;
        let rest = rest.get(..rest.len().checked_sub(restarts)?)?;
        Some(Self { kind, rest, id_bytes, key: Vec::new() })
    }

    /// Returns the key of the last record read.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Reads the next record; its key is then [`Self::key`]. The outer `None` is an invalid record.
    pub fn read(&mut self) -> Option<Option<Value>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        let prefix = usize::try_from(self.number()?).ok()?;
        let suffix = self.number()?;
        let (length, kind) = (usize::try_from(suffix >> 3).ok()?, suffix & 7);
        let suffix = self.bytes(length)?;
        if prefix > self.key.len() || prefix + length > limits::REFERENCE_KEY_BYTES {
            return None;
        }
        let before = self.key.get(prefix..)?;
        // Keys ascend.
        if !self.key.is_empty() && before >= suffix {
            return None;
        }
        self.key.truncate(prefix);
        self.key.extend_from_slice(suffix);
        self.value(kind).map(Some)
    }

    fn value(&mut self, kind: u64) -> Option<Value> {
        match (self.kind, kind) {
            (Kind::References, 0..=3) => {
                // The update index; the order of the tables decides.
                self.number()?;
                Some(Value::Reference(match kind {
                    0 => None,
                    1 => Some(Target::Id(self.id()?)),
                    2 => {
                        let id = self.id()?;
                        self.id()?;
                        Some(Target::Id(id))
                    }
                    _ => Some(Target::Symbolic(self.text()?.to_vec())),
                }))
            }
            (Kind::Logs, 0) => Some(Value::Log(None)),
            (Kind::Logs, 1) => {
                let (old, new) = (self.id()?, self.id()?);
                let (name, email) = (self.text()?.to_vec(), self.text()?.to_vec());
                let time = self.number()?;
                // The time zone.
                self.bytes(2)?;
                let message = self.text()?.to_vec();
                Some(Value::Log(Some(LogLine {
                    old,
                    new,
                    person: Person { name, email },
                    time,
                    message,
                })))
            }
            (Kind::Index, 0) => Some(Value::Position(self.number()?)),
            _ => None,
        }
    }

    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn id(&mut self) -> Option<Oid> {
        Oid::try_from(self.bytes(self.id_bytes)?).ok()
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.bytes(length)
    }

    fn number(&mut self) -> Option<u64> {
        offset_number(|| Some(self.bytes(1)?[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes of a block of references after its header.
    fn block(records: &[&[u8]]) -> Vec<u8> {
        [&records.concat()[..], &[0, 0, 4, 0, 1]].concat()
    }

    fn read(bytes: &[u8]) -> Option<Vec<(Vec<u8>, Value)>> {
        let mut records = Records::new(Kind::References, bytes, 20)?;
        let mut found = Vec::new();
        while let Some(value) = records.read()? {
            found.push((records.key().to_vec(), value));
        }
        Some(found)
    }

    #[test]
    fn keys_share_what_they_begin_with() {
        let id = [7; 20];
        let bytes = block(&[
            &[0, 6 << 3 | 1][..],
            b"refs/a",
            &[0],
            &id,
            &[5, 2 << 3],
            b"ab",
            &[0],
            &[5, 1 << 3 | 3],
            b"b",
            &[0x80, 0, 6],
            b"refs/a",
        ]);
        let found = [
            (b"refs/a".to_vec(), Some(Target::Id(Oid::try_from(&id[..]).unwrap()))),
            (b"refs/ab".to_vec(), None),
            (b"refs/b".to_vec(), Some(Target::Symbolic(b"refs/a".to_vec()))),
        ];
        let found = found.map(|(name, target)| (name, Value::Reference(target)));
        assert_eq!(read(&bytes).unwrap(), found);
    }

    #[test]
    fn contradictory_records_are_rejected() {
        let first: &[u8] = &[0, 1 << 3, b'b', 0];
        for record in [
            // A prefix longer than the last key, a missing suffix, no number, an unknown kind.
            &[2, 1 << 3, b'c', 0][..],
            &[0, 9 << 3, b'c', 0],
            &[0, 1 << 3, b'c'],
            &[0, 1 << 3 | 4, b'c', 0],
            &[0, 1 << 3 | 1, b'c', 0, 1, 2],
            &[0, 1 << 3 | 3, b'c', 0, 0x7f],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1 << 3, b'c', 0],
            // Keys that do not ascend.
            &[0, 1 << 3, b'b', 0],
            &[0, 1 << 3, b'a', 0],
            &[1, 0, 0],
        ] {
            assert_eq!(read(&block(&[first, record])), None, "{record:?}");
        }
        for bytes in [&[][..], &[0], &[0, 1], &[0, 0, 0, 0, 2]] {
            assert!(Records::new(Kind::References, bytes, 20).is_none(), "{bytes:?}");
        }
    }
}
