//! The `.mailmap` of a repository.

use crate::error::{Error, Result, quoted};
use crate::git::model::bytes::Bytes;
use crate::git::model::mailmap::Mailmap;
use crate::git::repository::Repository;
use crate::git::revision::{Revision, side_of};
use crate::git::tree::tree_lookup::TreeItem;
use crate::limits;

const FILE: &[u8] = b".mailmap";

/// Which mailmaps are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailmaps {
    /// Whether the repository's own is.
    pub own: bool,
    /// The path of another, whose entries are preferred, as those of git's mailmap.file.
    pub file: Option<String>,
}

impl Mailmaps {
    /// Tells whether any is.
    pub fn is_any(&self) -> bool {
        self.own || self.file.is_some()
    }

    /// Reads what is asked for.
    ///
    /// # Errors
    /// Those of a file that cannot be read.
    pub fn read(&self, repository: &Repository) -> Result<Mailmap> {
        let own = if self.own { own_bytes(repository)? } else { Bytes::default() };
        let Some(file) = &self.file else { return Ok(Mailmap::parse(&own, repository.budget())?) };
        let more = repository.access().named_file("mailmap_file", file, limits::MAILMAP_BYTES)?;
        Ok(Mailmap::parse(&[&own, b"\n".as_slice(), &more].concat(), repository.budget())?)
    }
}

/// Reads the repository's own mailmap alone.
pub fn mailmap_of(repository: &Repository) -> Result<Mailmap> {
    Mailmaps { own: true, file: None }.read(repository)
}

/// Reads `.mailmap`: from the work tree, or from HEAD in a bare repository; empty if there is none.
fn own_bytes(repository: &Repository) -> Result<Bytes> {
    let unreadable = || {
        Error::tool_failed(format!(
            "the .mailmap of the repository at {} cannot be read",
            quoted(&repository.given)
        ))
        .with_hint("Repair it, or leave it out with mailmap := false")
    };
    let too_large = |size: u64| {
        Error::too_large(format!(
            "the .mailmap of the repository at {} has {size} bytes",
            quoted(&repository.given)
        ))
        .with_hint("Make it smaller, or leave it out with mailmap := false")
    };
    let mut bytes = Bytes::default();
    if repository.work_tree().is_ok() {
        let root = repository.work_tree_root()?;
        let found = root.read_or_size(FILE, limits::MAILMAP_BYTES);
        bytes = match found.map_err(|error| unreadable().with_source(error))? {
            Some(Ok(found)) => Bytes::from(found),
            Some(Err(size)) => return Err(too_large(size)),
            None => bytes,
        };
    } else if let Some(head) = repository.head()? {
        let Revision::Tree(tree) = side_of(repository, &head.to_string())? else {
            return Ok(bytes);
        };
        let objects = repository.objects();
        if let Some(entry) = TreeItem::find(&objects, Some(tree), FILE)?.file()
            && !entry.mode.is_submodule()
        {
            let size = objects.blob_size(&entry.oid)?;
            if size > limits::MAILMAP_BYTES {
                return Err(too_large(size));
            }
            bytes = objects.blob(&entry.oid)?;
        }
    }
    Ok(bytes)
}
