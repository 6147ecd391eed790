//! Object ids cut as git cuts them in a patch's `index` line.

use gix::odb::store::prefix::disambiguate::Candidate;

use super::Oid;
use super::objects::Objects;
use crate::error::{Error, Result};

/// The shortest that git cuts to by itself.
const SHORTEST: usize = 7;

/// Cuts ids of one repository.
pub struct Abbreviation {
    objects: Objects,
    /// Hexadecimal digits that are kept at least.
    digits: usize,
}

impl Abbreviation {
    /// Reads `core.abbrev`; without it the length follows from the number of packed objects.
    pub(super) fn new(objects: Objects) -> Result<Self> {
        let longest = objects.repo.object_hash().len_in_hex();
        let configured = objects.repo.config_snapshot().string("core.abbrev").map(|value| value.to_string());
        let digits = match configured.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("no" | "off" | "false") => longest,
            Some(number) if number.parse::<usize>().is_ok() => number.parse().unwrap_or(longest).clamp(4, longest),
            _ => {
                let packed = objects.repo.objects.packed_object_count().map_err(|error| {
                    Error::tool_failed("the packs of the repository cannot be counted")
                        .with_hint("Run 'git fsck' there")
                        .with_source(error)
                })?;
                // Half of the bits that number the objects are expected to collide; four bits a
                // digit, rounded up.
                let bits = (u64::BITS - packed.leading_zeros()) as usize;
                bits.div_ceil(2).max(SHORTEST)
            }
        };
        Ok(Self { objects, digits })
    }

    /// Returns an id cut to the shortest unambiguous form; the absent side's is all zeros.
    pub fn of(&self, id: Option<Oid>) -> Result<String> {
        let Some(id) = id else { return Ok("0".repeat(self.digits)) };
        let unreadable = || Error::tool_failed(format!("the packs cannot be searched for object {id}"));
        let candidate = Candidate::new(id, self.digits).map_err(|error| unreadable().with_source(error))?;
        match self.objects.repo.objects.disambiguate_prefix(candidate) {
            Ok(Some(prefix)) => Ok(prefix.to_string()),
            // A submodule's commit lies in another repository.
            Ok(None) => Ok(id.to_string()[..self.digits].to_owned()),
            Err(error) => Err(unreadable().with_source(error)),
        }
    }
}
