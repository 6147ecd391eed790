//! Reflogs: the former values of a reference.
//!
//! Source: the lines that git-reflog(1) reads: old id, new id, name, address, time, zone, and a
//! message after a tab.

use gix::bstr::ByteSlice;

use super::reftable::LogLine;
use super::{References, Resolved};
use crate::Oid;
use crate::model::commit::Person;
use crate::store::{Found, GitDirectory};
use redline_base::error::Result;
use redline_base::limits;

impl References<'_> {
    /// Returns the reference whose log applies to a name: its own, or else its target's.
    pub fn logged(&self, name: &[u8]) -> Result<Option<(Vec<u8>, Oid)>> {
        let Resolved::Id { name: target, id } = self.resolve(name)? else { return Ok(None) };
        for candidate in [name, &target] {
            if self.has_log(candidate)? {
                return Ok(Some((candidate.to_vec(), id)));
            }
        }
        Ok(None)
    }

    /// Tells whether a reference has a log of its own.
    pub fn has_log(&self, name: &[u8]) -> Result<bool> {
        if self.in_tables {
            return Ok(self.ask_tables(name, |stack, name| stack.has_log(name))?.unwrap_or(false));
        }
        let (directory, path) = self.log(name);
        Ok(matches!(directory.look(&path)?, Found::File(_)))
    }

    /// Returns the lines of a reference's log, the newest first; omits lines that git cannot read.
    ///
    /// # Errors
    /// `too_large` for a log of more than [`limits::REFLOG_BYTES`].
    pub fn reflog(&self, name: &[u8]) -> Result<Vec<LogLine>> {
        if self.in_tables {
            return Ok(self.ask_tables(name, |stack, name| stack.log(name))?.unwrap_or_default());
        }
        let (directory, path) = self.log(name);
        let Found::File(file) = directory.look(&path)? else { return Ok(Vec::new()) };
        let bytes = directory.contents(&file, &path, limits::REFLOG_BYTES)?;
        let whole = &bytes[..bytes.rfind_byte(b'\n').map_or(0, |end| end + 1)];
        Ok(whole.lines().rev().filter_map(|line| parse(line, self.hash.len_in_hex())).collect())
    }

    fn log(&self, name: &[u8]) -> (&GitDirectory, Vec<u8>) {
        let (directory, path) = self.place(name);
        // The log of another work tree's reference is in that work tree's git directory.
        let path = match path.strip_prefix(b"worktrees/").and_then(|rest| rest.split_once_str("/"))
        {
            Some((work_tree, rest)) => [b"worktrees/", work_tree, b"/logs/", rest].concat(),
            None => [b"logs/", path].concat(),
        };
        (directory, path)
    }
}

/// Parses a line without its newline.
fn parse(line: &[u8], digits: usize) -> Option<LogLine> {
    let (old, rest) = line.split_at_checked(digits)?;
    let (new, rest) = rest.strip_prefix(b" ")?.split_at_checked(digits)?;
    let rest = rest.strip_prefix(b" ")?;
    let (ident, rest) = rest.split_at(rest.find_byte(b'>')? + 1);
    let person = Person::of(ident);
    let rest = rest.strip_prefix(b" ")?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let time = rest[..length].to_str().ok()?.parse().ok().filter(|&time| time != 0)?;
    let [b' ', b'+' | b'-', zone @ ..] = &rest[length..] else { return None };
    let (zone, message) = zone.split_at_checked(4)?;
    if !zone.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let message = message.strip_prefix(b"\t").unwrap_or(message);
    Some(LogLine {
        old: Oid::from_hex(old).ok()?,
        new: Oid::from_hex(new).ok()?,
        person,
        time,
        message: message.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_lines_that_git_cannot_read() {
        let (a, b) = ("1".repeat(40), "2".repeat(40));
        let whole = format!("{a} {b} A <a@b> 1700000000 +0100\tcommit: x");
        let entry = parse(whole.as_bytes(), 40).unwrap();
        assert_eq!((entry.time, entry.message.as_slice()), (1_700_000_000, &b"commit: x"[..]));
        assert!(
            parse(format!("{a} {b} A <a@b> 1700000000 +0100").as_bytes(), 40)
                .unwrap()
                .message
                .is_empty()
        );
        for line in [
            String::new(),
            a.clone(),
            format!("{a} {b}"),
            format!("{a} {b} A <a@b 1700000000 +0100\tx"),
            format!("{a} {b} A <a@b> +0100\tx"),
            format!("{a} {b} A <a@b> 0 +0100\tx"),
            format!("{a} {b} A <a@b> 17 0100\tx"),
            format!("{a} {b} A <a@b> 17 +01\tx"),
            format!("{} {b} A <a@b> 17 +0100\tx", "g".repeat(40)),
        ] {
            assert_eq!(parse(line.as_bytes(), 40), None, "{line}");
        }
    }
}
