//! New objects, as loose files.

use std::collections::HashSet;

use gix::hash::hasher;
use libdeflater::{CompressionLvl, Compressor};

use crate::Oid;
use crate::store::GitDirectory;
use redline_base::budget::{Budget, GrowSet, Joined, filled};
use redline_base::error::{Error, Result};
use redline_sandbox::OpenError;

/// The permissions of an object's file.
const READ_ONLY: u32 = 0o444;

/// An object with its header.
#[derive(Debug, Clone)]
pub struct NewObject {
    /// Its id.
    pub id: Oid,
    /// `<kind> <size>`, NUL, and the content.
    bytes: Vec<u8>,
}

impl NewObject {
    /// Returns the object of a kind with a content.
    ///
    /// # Errors
    /// `tool_failed` for a content that was crafted to share its id with another.
    pub fn new(kind: &str, content: &[u8], hash: gix::hash::Kind) -> Result<Self> {
        let bytes = [format!("{kind} {}\0", content.len()).as_bytes(), content].chained();
        let mut sum = hasher(hash);
        sum.update(&bytes);
        let id = sum.try_finalize().map_err(|error| {
            Error::tool_failed("the content was crafted to share its id with other content")
                .with_source(error)
        })?;
        Ok(Self { id, bytes })
    }

    /// Returns its content.
    pub fn content(&self) -> &[u8] {
        let start = memchr::memchr(0, &self.bytes).map_or(0, |end| end + 1);
        &self.bytes[start..]
    }

    /// Returns the number of bytes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Writes it into the objects of a repository, on the disk.
    ///
    /// # Errors
    /// Those of the system.
    fn write(&self, common_dir: &GitDirectory, number: usize) -> Result<()> {
        let name = self.name();
        let (directory, file_name) = name.split_at("objects/xx".len());
        // As git names it, so that `git gc` removes what a killed process left.
        let temporary = format!("{directory}/tmp_obj_{}{number}", &file_name[1..11]);
        common_dir.make_parent(temporary.as_bytes())?;
        // What a killed process left is not written through.
        common_dir.remove(temporary.as_bytes())?;
        let file = common_dir.create(temporary.as_bytes(), 0o600)?;
        let mut file = file.ok_or_else(|| {
            Error::stale("another process writes the same object").with_hint("Try again")
        })?;
        let mut compressor = Compressor::new(CompressionLvl::default());
        let mut packed = filled(0, compressor.zlib_compress_bound(self.bytes.len()));
        let length = compressor.zlib_compress(&self.bytes, &mut packed).map_err(|error| {
            Error::tool_failed("an object could not be compressed").with_source(error)
        })?;
        let failed = |error| common_dir.unwritten(OpenError::System(error), directory.as_bytes());
        file.fill(&packed[..length], Some(READ_ONLY)).map_err(failed)?;
        file.place(&file_name.as_bytes()[1..]).map_err(failed)
    }

    /// Returns the name of its file in the repository.
    fn name(&self) -> String {
        let hex = self.id.to_string();
        format!("objects/{}/{}", &hex[..2], &hex[2..])
    }
}

/// Writes objects in order, each as a file of its own, also where a pack or an old file has it: git
/// may be about to delete that pack, and removes old files that nothing names yet.
///
/// # Errors
/// Those of the system and of the budget.
pub fn write_all(objects: &[NewObject], budget: &Budget, common_dir: &GitDirectory) -> Result<()> {
    let mut written = HashSet::new();
    for (number, object) in objects.iter().enumerate() {
        budget.check()?;
        if written.put(object.id) {
            object.write(common_dir, number)?;
        }
    }
    Ok(())
}

/// Writes objects again whose files are gone, once a branch or the index names them: until then git
/// may have packed what an earlier call left, removed the files, and be about to delete that pack.
///
/// # Errors
/// Those of the system.
pub fn write_removed(objects: &[NewObject], common_dir: &GitDirectory) -> Result<()> {
    for (number, object) in objects.iter().enumerate() {
        if common_dir.stamp(object.name().as_bytes())?.is_none() {
            object.write(common_dir, number)?;
        }
    }
    Ok(())
}
