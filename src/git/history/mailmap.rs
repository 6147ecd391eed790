//! The `.mailmap` of a repository.

use crate::model::bytes::Bytes;
use crate::model::mailmap::Mailmap;
use crate::repository::Repository;
use crate::revision::side_of;
use crate::tree::tree_lookup::file_at;
use redline_base::budget::Joined;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

const FILE: &[u8] = b".mailmap";

/// The requested mailmaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailmaps {
    /// Whether the repository's own is read.
    pub own: bool,
    /// The path of another, whose entries are preferred, as those of git's mailmap.file.
    pub file: Option<String>,
}

impl Mailmaps {
    /// Tells whether any is requested.
    pub fn is_any(&self) -> bool {
        self.own || self.file.is_some()
    }

    /// Reads the requested mailmaps as one.
    ///
    /// # Errors
    /// Those of a file that cannot be read.
    pub fn read(&self, repository: &Repository) -> Result<Mailmap> {
        let own = if self.own { own_bytes(repository)? } else { Bytes::default() };
        let Some(file) = &self.file else { return Ok(Mailmap::parse(&own, repository.budget())?) };
        let more = repository.access().named_file("mailmap_file", file, limits::MAILMAP_BYTES)?;
        Ok(Mailmap::parse(&[&own, b"\n".as_slice(), &more].chained(), repository.budget())?)
    }
}

/// Reads the repository's own mailmap alone.
pub fn mailmap_of(repository: &Repository) -> Result<Mailmap> {
    Mailmaps { own: true, file: None }.read(repository)
}

/// Reads `.mailmap`: from the work tree, or from HEAD in a bare repository; empty if there is none.
fn own_bytes(repository: &Repository) -> Result<Bytes> {
    let subject = format!("the .mailmap of the repository at {}", quoted(&repository.given));
    let too_large = |size: u64| {
        Error::too_large(format!("{subject} has {size} bytes"))
            .with_hint("Make it smaller, or leave it out with mailmap := false")
    };
    if repository.work_tree().is_ok() {
        let found = repository.work_tree_root()?.read_or_size(FILE, limits::MAILMAP_BYTES);
        let found = found.map_err(|error| {
            Error::tool_failed(format!("{subject} cannot be read"))
                .with_hint("Repair it, or leave it out with mailmap := false")
                .with_source(error)
        })?;
        return match found {
            Some(Ok(found)) => Ok(Bytes::from(found)),
            Some(Err(size)) => Err(too_large(size)),
            None => Ok(Bytes::default()),
        };
    }
    let Some(head) = repository.head()? else { return Ok(Bytes::default()) };
    let tree = side_of(repository, &head.to_string())?.as_tree().flatten();
    let objects = repository.objects();
    let file = file_at(&objects, tree, FILE)?;
    let Some(entry) = file.filter(|entry| !entry.mode.is_submodule()) else {
        return Ok(Bytes::default());
    };
    let size = objects.blob_size(&entry.oid)?;
    if size > limits::MAILMAP_BYTES {
        return Err(too_large(size));
    }
    objects.blob(&entry.oid)
}
