//! The contents of files at a revision.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::run::Context;
use redline_base::budget::GrowMap;
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Bytes, ReadLimit, SideFiles};

/// The opened sides, by repository and revision, so that many files of one side are found fast.
#[derive(Default)]
pub struct OpenSides(HashMap<(String, String), SideFiles>);

impl OpenSides {
    /// Returns the content of a file; `None` if the side lacks it.
    pub fn content(
        &mut self,
        context: &Context,
        file: &str,
        [repo, rev]: [String; 2],
        limit: ReadLimit,
    ) -> Result<Option<Bytes>> {
        context.read(|| {
            let key = (repo, rev);
            if self.0.len() >= limits::OPEN_SIDES && !self.0.contains_key(&key) {
                self.0.clear();
            }
            let side = match self.0.slot(key) {
                Entry::Occupied(side) => side.into_mut(),
                Entry::Vacant(place) => {
                    let (repo, rev) = place.key();
                    let side = SideFiles::open_alone(&context.repository(repo)?, rev)?;
                    place.insert_entry(side).into_mut()
                }
            };
            let path = side.path_from_root(file)?;
            let Some(entry) = side.find(&path)? else { return Ok(None) };
            side.read(&path, entry, limit).map(Some)
        })
    }
}
