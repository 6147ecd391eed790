//! Abbreviates object ids as git does in a patch's `index` line.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use gix::hash::Prefix;

use crate::Oid;
use crate::model::settings::{boolean_word, integer_of, value};
use crate::store::ObjectStore;
use redline_base::error::{Error, Result};

/// git's shortest default length.
const SHORTEST: usize = 7;

/// Abbreviates the ids of one repository.
pub struct Abbreviation {
    store: Arc<ObjectStore>,
    /// The loose objects by the first byte of their ids, listed when the first such id is
    /// abbreviated.
    loose: HashMap<u8, Vec<Oid>>,
    /// The least number of hexadecimal digits.
    digits: usize,
}

impl Abbreviation {
    /// Reads `core.abbrev`; by default the length depends on the number of packed objects.
    pub fn new(store: &Arc<ObjectStore>, config: &gix::config::File) -> Result<Self> {
        let longest = store.hash().len_in_hex();
        let configured = value(config, "core", "abbrev").flatten();
        let is_off = configured.as_deref().is_some_and(|value| boolean_word(value) == Some(false));
        let number = configured.as_deref().and_then(|value| integer_of(value));
        let digits = match number.map(|number| usize::try_from(number).unwrap_or(0)) {
            _ if is_off => longest,
            Some(number) => number.clamp(4, longest),
            None => {
                let packed = store.packed_objects()?;
                // Half of the bits that number the objects are expected to collide; four bits per
                // digit, rounded up.
                let bits = (u64::BITS - packed.leading_zeros()) as usize;
                bits.div_ceil(2).max(SHORTEST)
            }
        };
        Ok(Self { store: Arc::clone(store), loose: HashMap::new(), digits })
    }

    /// Returns one that leaves ids whole.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { digits: self.store.hash().len_in_hex(), ..self }
    }

    /// Returns an id in the shortest form that is not a prefix of another object's, whether its own
    /// object exists or not; an absent side's id is all zeros.
    pub fn of(&mut self, id: Option<Oid>) -> Result<String> {
        let id = id.unwrap_or(Oid::null(self.store.hash()));
        if self.digits == id.kind().len_in_hex() {
            return Ok(id.to_hex().to_string());
        }
        let prefix = Prefix::new(&id, self.digits).map_err(|error| {
            Error::tool_failed(format!("object {id} cannot be cut")).with_source(error)
        })?;
        let mut digits = self.digits;
        let mut see = |other: &gix::oid| {
            digits = digits.max(common_digits(&id, other).map_or(0, |common| common + 1))
        };
        self.store.each_packed(&prefix, &mut see)?;
        let loose = match self.loose.entry(id.first_byte()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.store.loose(id.first_byte())?),
        };
        loose.iter().filter(|other| other.kind() == id.kind()).for_each(|other| see(other));
        Ok(id.to_hex_with_len(digits).to_string())
    }
}

/// Returns the number of leading hexadecimal digits that two ids have in common, or `None` if they
/// are equal.
fn common_digits(a: &gix::oid, b: &gix::oid) -> Option<usize> {
    let at = a.as_bytes().iter().zip(b.as_bytes()).position(|(a, b)| a != b)?;
    let is_second = (a.as_bytes()[at] ^ b.as_bytes()[at]) < 0x10;
    Some(2 * at + usize::from(is_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_digits_are_counted_digit_by_digit() {
        let id = |end: &str| Oid::from_hex(format!("{end:0<40}").as_bytes()).unwrap();
        for (a, b, common) in [
            ("12", "12", None),
            ("12", "13", Some(1)),
            ("12", "22", Some(0)),
            ("1234", "1244", Some(2)),
        ] {
            assert_eq!(common_digits(&id(a), &id(b)), common, "{a} {b}");
        }
    }
}
