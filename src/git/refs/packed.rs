//! References in one file, `packed-refs`.
//!
//! Source: the format that git-pack-refs(1) writes: a line of what holds for the whole file, then an id and a name in
//! each line, and behind a tag's line one with `^` and what the tag leads to.

use gix::bstr::ByteSlice;

use crate::budget::check_current;
use crate::error::{Error, Result};
use crate::git::Oid;
use crate::git::store::GitDirectory;
use crate::limits;

/// Lines between two looks at the budget.
const LOOK: usize = 1 << 10;

/// The bytes of `packed-refs`, read once.
#[derive(Debug, Default)]
pub struct Packed {
    bytes: Vec<u8>,
}

impl Packed {
    /// Reads the file of a common directory; without one nothing is packed.
    ///
    /// # Errors
    /// `too_large` over [`limits::PACKED_REFS_BYTES`]; `tool_failed` where the last line was cut, which git refuses
    /// whatever it looks for.
    pub fn read(directory: &GitDirectory) -> Result<Self> {
        let bytes = directory.read(b"packed-refs", limits::PACKED_REFS_BYTES)?.unwrap_or_default();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            return Err(damaged(directory, bytes.lines().count()));
        }
        Ok(Self { bytes })
    }

    /// Returns the id of a reference; the order of the lines does not count.
    pub fn find(&self, name: &[u8], hash: gix::hash::Kind) -> Option<Oid> {
        let digits = hash.len_in_hex();
        let wanted = [b" ", name, b"\n"].concat();
        let mut from = 0;
        while let Some(found) = self.bytes[from..].find(&wanted) {
            let space = from + found;
            let id = space
                .checked_sub(digits)
                .filter(|&start| start == 0 || self.bytes[start - 1] == b'\n');
            if let Some(Ok(id)) = id.map(|start| Oid::from_hex(&self.bytes[start..space])) {
                return Some(id);
            }
            from = space + 1;
        }
        None
    }

    /// Calls `each` with the name and id of every reference, in the order of the lines.
    ///
    /// # Errors
    /// `tool_failed` that numbers a line which is none of a reference.
    pub fn each(
        &self,
        directory: &GitDirectory,
        hash: gix::hash::Kind,
        mut each: impl FnMut(&[u8], Oid) -> Result<()>,
    ) -> Result<()> {
        let digits = hash.len_in_hex();
        let id = |hex: &[u8]| if hex.len() == digits { Oid::from_hex(hex).ok() } else { None };
        for (number, line) in self.bytes.lines().enumerate() {
            if number % LOOK == 0 {
                check_current()?;
            }
            if number == 0 && line.starts_with(b"#") {
                if !line.starts_with(b"# pack-refs with:") {
                    return Err(damaged(directory, number + 1));
                }
                continue;
            }
            if let Some(peeled) = line.strip_prefix(b"^") {
                if id(peeled).is_none() || number == 0 {
                    return Err(damaged(directory, number + 1));
                }
                continue;
            }
            match line.split_at_checked(digits) {
                Some((hex, [b' ' | b'\t', name @ ..])) if let Some(id) = id(hex) => each(name, id)?,
                _ => return Err(damaged(directory, number + 1)),
            }
        }
        Ok(())
    }
}

/// Says which line, and not what it holds: the file may be another one.
fn damaged(directory: &GitDirectory, line: usize) -> Error {
    directory.gate().damaged(format!("line {line} of its packed-refs is no reference"))
}
