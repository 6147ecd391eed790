//! The `.mailmap` of a repository.

use crate::error::{Error, Result, quoted};
use crate::git::model::bytes::Bytes;
use crate::git::model::mailmap::Mailmap;
use crate::git::repository::Repository;
use crate::git::revision::{Revision, side_of};
use crate::git::tree::tree_lookup::TreeItem;
use crate::limits;

const FILE: &[u8] = b".mailmap";

/// Reads `.mailmap`: from the work tree, or from HEAD in a bare repository; empty if there is none.
pub fn mailmap_of(repository: &Repository) -> Result<Mailmap> {
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
            return Ok(Mailmap::default());
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
    Ok(Mailmap::parse(&bytes, repository.budget())?)
}
