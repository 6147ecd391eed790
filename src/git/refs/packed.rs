//! Packed references: the file `packed-refs`.
//!
//! Source: the format that git-pack-refs(1) writes: a header line, then lines of an id and a name,
//! each tag's line followed by one with `^` and its target.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::store::{GitDirectory, Repositories};
use redline_base::budget::{check_every, reserve};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_sandbox::Stamp;

const NAME: &[u8] = b"packed-refs";

/// Lines between two checks of the budget.
const LOOK: usize = 1 << 10;

/// Names that are searched in the bytes before the lines are indexed.
const SCANS: usize = 16;

/// The bytes of `packed-refs`, read once.
#[derive(Debug, Default)]
pub struct Packed {
    bytes: Vec<u8>,
    /// The stamp of the file, `None` if there is none.
    stamp: Option<Stamp>,
    /// The number of searches so far.
    scans: AtomicUsize,
    /// The offsets of the lines of references, if they are sorted by name, as git writes them.
    lines: OnceLock<Option<Vec<u32>>>,
}

// An offset in the largest file fits.
const _: () = assert!(limits::PACKED_REFS_BYTES <= u32::MAX as u64);

impl Packed {
    /// Returns the packed references of a common directory, from the cache while the file is
    /// unchanged; none without the file.
    ///
    /// # Errors
    /// `too_large` over [`limits::PACKED_REFS_BYTES`]; `tool_failed` if the last line is cut, which
    /// git always refuses.
    pub fn current(directory: &GitDirectory, kept: &Repositories) -> Result<Arc<Self>> {
        let Some(file) = directory.open(NAME)? else { return Ok(Arc::default()) };
        let stamp = file.stamp();
        if let Some(packed) = kept.made(stamp) {
            return Ok(packed);
        }
        let bytes = directory.contents(&file, NAME, limits::PACKED_REFS_BYTES)?;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            return Err(damaged(directory, bytes.lines().count()));
        }
        // A line has an id and a name, and four bytes in the index.
        let size = bytes.len() + bytes.len() / 10;
        let packed = Arc::new(Self { bytes, stamp: Some(stamp), ..Self::default() });
        kept.keep_made(stamp, &packed, size);
        Ok(packed)
    }

    /// Tells whether the file is unchanged since it was read.
    pub fn is_current(&self, directory: &GitDirectory) -> Result<bool> {
        Ok(directory.stamp(NAME)? == self.stamp)
    }

    /// Returns the id of a reference; the lines need not be sorted, and the first of two counts.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn find(&self, name: &[u8], hash: gix::hash::Kind) -> Result<Option<Oid>> {
        let digits = hash.len_in_hex();
        if self.lines.get().is_none() && self.scans.fetch_add(1, Ordering::Relaxed) < SCANS {
            return Ok(self.scan(name, digits));
        }
        let Some(lines) = self.lines(digits)? else { return Ok(self.scan(name, digits)) };
        let first = lines.partition_point(|&start| self.name(start, digits) < name);
        let found = lines.get(first).filter(|&&start| self.name(start, digits) == name);
        Ok(found.and_then(|&start| self.id(start as usize, digits)))
    }

    /// Returns the offsets of the lines of references, `None` if they are not sorted by name.
    fn lines(&self, digits: usize) -> Result<Option<&[u32]>> {
        if let Some(lines) = self.lines.get() {
            return Ok(lines.as_deref());
        }
        let (mut lines, mut start, mut before) = (Vec::new(), 0, &[][..]);
        let mut is_sorted = true;
        for (number, line) in self.bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            check_every(LOOK, number)?;
            if line.get(digits) == Some(&b' ') && self.id(start, digits).is_some() {
                reserve(&mut lines, 1)?;
                lines.push(start as u32);
                let name = self.name(start as u32, digits);
                is_sorted &= before <= name;
                before = name;
            }
            start += line.len();
        }
        Ok(self.lines.get_or_init(|| is_sorted.then_some(lines)).as_deref())
    }

    fn id(&self, start: usize, digits: usize) -> Option<Oid> {
        Oid::from_hex(self.bytes.get(start..start + digits)?).ok()
    }

    /// Returns the name in the line of a reference.
    fn name(&self, start: u32, digits: usize) -> &[u8] {
        let rest = &self.bytes[start as usize + digits + 1..];
        &rest[..rest.find_byte(b'\n').unwrap_or(rest.len())]
    }

    /// Searches the bytes for a reference.
    fn scan(&self, name: &[u8], digits: usize) -> Option<Oid> {
        let wanted = [b" ", name, b"\n"].concat();
        let mut from = 0;
        while let Some(found) = self.bytes[from..].find(&wanted) {
            let space = from + found;
            let id = space
                .checked_sub(digits)
                .filter(|&start| start == 0 || self.bytes[start - 1] == b'\n');
            if let Some(id) = id.and_then(|start| self.id(start, digits)) {
                return Some(id);
            }
            from = space + 1;
        }
        None
    }

    /// Calls `each` with the name and id of every reference, in the order of the lines.
    ///
    /// # Errors
    /// `tool_failed` with the number of an invalid line.
    pub fn each(
        &self,
        directory: &GitDirectory,
        hash: gix::hash::Kind,
        mut each: impl FnMut(&[u8], Oid) -> Result<()>,
    ) -> Result<()> {
        let digits = hash.len_in_hex();
        let id = |hex: &[u8]| if hex.len() == digits { Oid::from_hex(hex).ok() } else { None };
        for (number, line) in self.bytes.lines().enumerate() {
            check_every(LOOK, number)?;
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

/// Returns an error with the number of the line, without its content: it may be another file.
fn damaged(directory: &GitDirectory, line: usize) -> Error {
    directory.gate().damaged(format!("line {line} of its packed-refs is not a reference"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_found_where_a_search_finds_them() {
        let hash = gix::hash::Kind::Sha1;
        let mut lines: Vec<String> = (0..200u32)
            .map(|number| match number % 50 {
                0 => format!("# {number}\n"),
                1 => format!("^{number:040x}\n"),
                2 => format!("{number:039x} refs/short\n"),
                3 => format!("{number:040x}\trefs/tab\n"),
                _ => format!("{number:040x} refs/heads/{:02}\n", number / 3),
            })
            .collect();
        for is_sorted in [true, false] {
            let packed = Packed { bytes: lines.concat().into_bytes(), ..Packed::default() };
            let names = (0..80).map(|name| format!("refs/heads/{name:02}"));
            let others = ["", "refs/short", "refs/tab", "refs/heads", "refs/heads/4 ", "refs/a"];
            let mut found = 0;
            for name in names.chain(others.map(str::to_owned)) {
                let id = packed.find(name.as_bytes(), hash).unwrap();
                assert_eq!(id, packed.scan(name.as_bytes(), hash.len_in_hex()), "{name}");
                found += usize::from(id.is_some());
            }
            // Of 67 names the lines of 00, 17 and 50 are all of another form.
            assert_eq!((found, packed.lines.get().map(Option::is_some)), (64, Some(is_sorted)));
            lines.reverse();
        }
    }
}
