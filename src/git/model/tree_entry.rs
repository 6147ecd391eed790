//! One entry of a tree.
//!
//! The format is git's own: `<mode in octal> <name>\0<id>`, sorted by name as if directories ended
//! in a slash (`Documentation/gitformat-pack` and `git mktree`).

use std::cmp::Ordering;

use super::changed_file::{Entry, Mode};
use crate::Oid;

/// One entry, borrowed from its tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeEntry<'a> {
    pub mode: Mode,
    pub name: &'a [u8],
    id: &'a [u8],
}

impl TreeEntry<'_> {
    /// Returns mode and id.
    pub fn entry(&self) -> Entry {
        Entry::object(self.mode, Oid::from_bytes_or_panic(self.id))
    }

    /// Orders entries as git sorts them: a directory's name ends in a slash.
    pub fn order(&self, other: &TreeEntry<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        let after = |entry: &TreeEntry<'_>| {
            entry.name.get(common).copied().unwrap_or(if entry.mode.is_directory() {
                b'/'
            } else {
                0
            })
        };
        self.name[..common].cmp(&other.name[..common]).then_with(|| after(self).cmp(&after(other)))
    }
}

/// Parses the entry at the front of `bytes` and returns the rest; the error tells the defect.
pub fn parse(
    bytes: &[u8],
    id_bytes: usize,
) -> std::result::Result<(TreeEntry<'_>, &[u8]), &'static str> {
    const TORN: &str = "ends inside an entry";
    let mut mode = 0u32;
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(&digit @ b'0'..=b'7') if at < 7 => mode = mode << 3 | u32::from(digit - b'0'),
            Some(b' ') if at > 0 => break,
            Some(_) => return Err("has an entry without an octal mode"),
            None => return Err(TORN),
        }
        at += 1;
    }
    let rest = &bytes[at + 1..];
    let end = rest.iter().position(|&byte| byte == 0).ok_or(TORN)?;
    let (name, rest) = (&rest[..end], &rest[end + 1..]);
    if name.is_empty() {
        return Err("has an entry without a name");
    }
    // Such a name would read as a path in another directory.
    if name.contains(&b'/') || matches!(name, b"." | b"..") {
        return Err("has an entry whose name is a path");
    }
    let (id, rest) = rest.split_at_checked(id_bytes).ok_or(TORN)?;
    Ok((TreeEntry { mode: Mode::canonical(mode), name, id }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: &str, name: &str) -> Vec<u8> {
        [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[7; 20]].concat()
    }

    #[test]
    fn a_file_beside_a_directory_of_its_name_sorts_as_git_sorts() {
        let order = |a: &[u8], b: &[u8]| parse(a, 20).unwrap().0.order(&parse(b, 20).unwrap().0);
        assert_eq!(order(&entry("100644", "a"), &entry("40000", "a")), Ordering::Less);
        assert_eq!(order(&entry("100644", "a.c"), &entry("40000", "a")), Ordering::Less);
        assert_eq!(order(&entry("100644", "a0"), &entry("40000", "a")), Ordering::Greater);
        assert_eq!(order(&entry("100644", "a"), &entry("100755", "a")), Ordering::Equal);
        assert_eq!(order(&entry("160000", "a"), &entry("100644", "a")), Ordering::Equal);
    }

    #[test]
    fn a_torn_or_forged_entry_is_an_error_and_never_a_row() {
        let whole = entry("100644", "name");
        for end in 0..whole.len() {
            assert!(parse(&whole[..end], 20).is_err(), "{end}");
        }
        assert!(parse(&whole, 32).is_err());
        for bad in [
            entry("100644", ""),
            entry("100644", "a/b"),
            entry("40000", ".."),
            entry("40000", "."),
            entry("100648", "a"),
            entry("", "a"),
            entry("77777777", "a"),
        ] {
            assert!(parse(&bad, 20).is_err(), "{bad:?}");
        }
    }
}
