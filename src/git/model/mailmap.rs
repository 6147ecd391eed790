//! `.mailmap`: the proper names and addresses of people (`gitmailmap`).
//!
//! Parsed as git does: names and addresses are compared without the case of ASCII letters, the
//! later of two entries for one person wins, and malformed lines are ignored.

use std::collections::HashMap;

use gix::bstr::ByteSlice;

use crate::model::space::{trim_end, trim_start};
use redline_base::budget::{Budget, Charge, Stopped, check_every};
use redline_base::limits;

/// Lines between two checks of the budget.
const LINES_PER_CHECK: usize = 1 << 10;

/// Bytes of an entry besides its text: its slots in the tables and the heads of its allocations.
const ENTRY_BYTES: usize = 2 * size_of::<(Vec<u8>, Entry)>() + size_of::<(Vec<u8>, Proper)>();

/// An optional name, and an address.
type NameAndEmail<'a> = (Option<&'a [u8]>, &'a [u8]);

/// The entries of a `.mailmap`, by address.
#[derive(Debug, Default)]
pub struct Mailmap {
    entries: HashMap<Vec<u8>, Entry>,
    charge: Charge,
}

/// The entries of an address.
#[derive(Debug, Default)]
struct Entry {
    /// For every name.
    any: Proper,
    /// For single names.
    named: HashMap<Vec<u8>, Proper>,
}

/// The proper identity; an absent part is not replaced.
#[derive(Debug, Default)]
struct Proper {
    name: Option<Vec<u8>>,
    email: Option<Vec<u8>>,
}

impl Mailmap {
    /// Parses a file.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn parse(bytes: &[u8], budget: &Budget) -> std::result::Result<Self, Stopped> {
        let mut map = Self { charge: budget.charge(0)?, ..Self::default() };
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            check_every(LINES_PER_CHECK, number)?;
            if !line.starts_with(b"#")
                && let Some(((name, email), rest)) = person(line)
                && !email.is_empty()
            {
                map.charge.grow(ENTRY_BYTES + line.len())?;
                map.add((name, email), person(rest).map(|(old, _)| old));
            }
        }
        Ok(map)
    }

    /// Adds an entry: the proper identity and, if given, the commit identity it replaces.
    fn add(&mut self, (name, email): NameAndEmail<'_>, old: Option<NameAndEmail<'_>>) {
        let (old_name, key, email) = match old {
            Some((old_name, old_email)) => (old_name, old_email, Some(email)),
            None => (None, email, None),
        };
        let entry = self.entries.entry(key.to_ascii_lowercase()).or_default();
        let (name, email) = (name.map(<[u8]>::to_vec), email.map(<[u8]>::to_vec));
        match old_name {
            Some(old_name) => {
                entry.named.insert(old_name.to_ascii_lowercase(), Proper { name, email });
            }
            None => {
                entry.any.name = name.or(entry.any.name.take());
                entry.any.email = email.or(entry.any.email.take());
            }
        }
    }

    /// Returns the proper name and address for those of a commit.
    pub fn resolve<'a>(&'a self, name: &'a [u8], email: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        // A text longer than a whole file is in no entry, and is not copied for the lookup.
        if name.len().max(email.len()) as u64 > limits::MAILMAP_BYTES {
            return (name, email);
        }
        let Some(entry) = self.entries.get(&email.to_ascii_lowercase()) else {
            return (name, email);
        };
        let named = || entry.named.get(&name.to_ascii_lowercase());
        let proper =
            if entry.named.is_empty() { &entry.any } else { named().unwrap_or(&entry.any) };
        (proper.name.as_deref().unwrap_or(name), proper.email.as_deref().unwrap_or(email))
    }
}

/// Splits `Name <address>` off the front of a line; an empty name is `None`.
fn person(line: &[u8]) -> Option<(NameAndEmail<'_>, &[u8])> {
    let open = line.find_byte(b'<')?;
    let after = &line[open + 1..];
    let close = after.find_byte(b'>')?;
    let name = trim_start(trim_end(&line[..open]));
    Some((((!name.is_empty()).then_some(name), &after[..close]), &after[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_charged() {
        let lines = b"a <b> <c>\n".repeat(100);
        let few = Budget::of(None, 50 * ENTRY_BYTES);
        assert_eq!(
            Mailmap::parse(&lines, &few).unwrap_err(),
            Stopped::Memory { limit: 50 * ENTRY_BYTES }
        );
        assert_eq!(few.bytes(), 0);
        let many = Budget::of(None, 200 * ENTRY_BYTES);
        let map = Mailmap::parse(&lines, &many).unwrap();
        assert!(many.bytes() >= 100 * ENTRY_BYTES);
        drop(map);
        assert_eq!(many.bytes(), 0);
    }

    #[test]
    fn an_entry_changes_exactly_what_it_says() {
        let map = Mailmap::parse(
            b"# Comment <old@x>\n\
              Joe R. <joe@x>\n\
              <jane@new> <jane@old>\n\
              Jane D. <jane@new> Jane <desk@x>\n\
              Other <other@x> <DESK@x>\r\n\
              Both <both@x> <both@old> trailing\n\
              no address\n\
              Torn <torn@x\n\
              <> <nobody@x>\n\
              Unnamed <unnamed@x> <>\n",
            &Budget::default(),
        )
        .unwrap();
        for (name, email, wanted) in [
            ("joe", "JOE@X", ("Joe R.", "JOE@X")),
            ("jane", "jane@old", ("jane", "jane@new")),
            ("JANE", "desk@x", ("Jane D.", "jane@new")),
            ("bob", "desk@x", ("Other", "other@x")),
            ("b", "both@old", ("Both", "both@x")),
            ("Comment", "old@x", ("Comment", "old@x")),
            ("t", "torn@x", ("t", "torn@x")),
            ("n", "nobody@x", ("n", "nobody@x")),
            ("u", "", ("Unnamed", "unnamed@x")),
        ] {
            let (got_name, got_email) = map.resolve(name.as_bytes(), email.as_bytes());
            assert_eq!(
                (got_name.as_bstr(), got_email.as_bstr()),
                (wanted.0.into(), wanted.1.into()),
                "{name} {email}"
            );
        }
    }
}
