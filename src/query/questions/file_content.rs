//! The contents of files at a revision.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use crate::machinery::run::Context;
use redline_base::budget::{GrowMap, append};
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Bytes, Entry, LfsPointer, ReadLimit, SideFiles, Stage, object_of};

/// The opened sides, by repository and revision, so that many files of one side are found fast.
#[derive(Default)]
pub struct OpenSides(HashMap<(String, String), OpenSide>);

/// The files of a side: a revision, the index, the work tree, or a version of conflicts.
pub struct OpenSide {
    /// The files.
    pub files: SideFiles,
    stage: Option<Stage>,
}

impl OpenSides {
    /// Runs `work` with the side of a repository, on a thread that can open only what may be read.
    pub fn with<T: Send>(
        &mut self,
        context: &Context,
        [repo, rev]: [String; 2],
        work: impl FnOnce(&mut OpenSide) -> Result<T> + Send,
    ) -> Result<T> {
        context.read(|| {
            let key = (repo, rev);
            if self.0.len() >= limits::OPEN_SIDES && !self.0.contains_key(&key) {
                self.0.clear();
            }
            let side = match self.0.slot(key) {
                Slot::Occupied(side) => side.into_mut(),
                Slot::Vacant(place) => {
                    let (repo, rev) = place.key();
                    let side = OpenSide::open(context, repo, rev)?;
                    place.insert_entry(side).into_mut()
                }
            };
            work(side)
        })
    }

    /// Returns the content of a file; `None` if the side lacks it. With `lfs`, that of a pointer of
    /// Git LFS is what it points to.
    pub fn content(
        &mut self,
        context: &Context,
        file: &str,
        side: [String; 2],
        lfs: bool,
        limit: ReadLimit,
    ) -> Result<Option<Bytes>> {
        self.with(context, side, |side| {
            let Some((path, entry)) = side.find(file)? else { return Ok(None) };
            if lfs && let Some(pointer) = side.files.lfs_pointer(&path, entry)? {
                limit.check(file, pointer.size)?;
                return side.lfs_content(pointer).map(Some);
            }
            side.files.read(&path, entry, limit).map(Some)
        })
    }
}

impl OpenSide {
    fn open(context: &Context, repo: &str, rev: &str) -> Result<Self> {
        let repository = context.repository(repo)?;
        // A branch may have the name of a stage.
        let stage = Stage::named(rev)
            .filter(|_| rev.starts_with(':') || object_of(&repository, rev).is_err());
        let side = if stage.is_some() { "INDEX" } else { rev };
        Ok(Self { files: SideFiles::open_alone(&repository, side)?, stage })
    }

    /// Returns the path of a file from the root, and the file; `None` if the side lacks it.
    pub fn find(&mut self, file: &str) -> Result<Option<(Vec<u8>, Entry)>> {
        let path = self.files.path_from_root(file)?;
        let entry = match self.stage {
            Some(stage) => self.files.find_stage(&path, stage),
            None => self.files.find(&path)?,
        };
        Ok(entry.map(|entry| (path, entry)))
    }

    fn lfs_content(&self, pointer: LfsPointer) -> Result<Bytes> {
        let mut content = Vec::new();
        self.files.lfs_object(pointer)?.read(|piece| Ok(append(&mut content, piece)?))?;
        Ok(content.into())
    }
}
