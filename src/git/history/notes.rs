//! Notes on commits: a tree whose files are named by the commits, with directories of two digits if
//! there are many.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Oid;
use crate::objects::Objects;
use crate::repository::Repository;
use crate::revision::side_of;
use crate::tree::walk::TreeChanges;
use redline_base::budget::{Charge, append, copied};
use redline_base::error::{Error, Result, quoted};
use redline_text::CancelToken;

/// git's default reference of notes.
const DEFAULT: &str = "refs/notes/commits";

/// The notes of a reference, by commit.
pub struct Notes(HashMap<Oid, Oid>);

impl Notes {
    /// Reads the names of all notes of a reference; `None` is that of `git notes`, which may be
    /// absent.
    ///
    /// # Errors
    /// `not_found` if a named reference is absent.
    pub fn read(repository: &Repository, name: Option<&str>) -> Result<Self> {
        let mut notes = HashMap::new();
        let full = match name {
            None => DEFAULT.to_owned(),
            Some(name) if name.starts_with("refs/notes/") => name.to_owned(),
            Some(name) if name.starts_with("notes/") => format!("refs/{name}"),
            Some(name) => format!("refs/notes/{name}"),
        };
        let Some(id) = repository.references().resolve(full.as_bytes())?.id() else {
            return match name {
                None => Ok(Self(notes)),
                Some(name) => Err(Error::not_found(format!("there are no notes {}", quoted(name)))
                    .with_hint("refs(repo) lists the references; those of kind note hold notes")),
            };
        };
        let tree = side_of(repository, &id.to_string())?.as_tree().flatten();
        let (cancel, mut charge) = (repository.cancel(), Charge::free());
        for file in TreeChanges::new(repository.objects(), None, tree, Arc::default())? {
            let file = file?;
            let hex: Vec<u8> = file.path.iter().copied().filter(|&byte| byte != b'/').collect();
            let (Ok(commit), Some(entry)) = (Oid::from_hex(&hex), file.new) else { continue };
            if commit.kind() == id.kind() && entry.mode.is_regular() {
                charge.join(cancel.charge_all(2 * size_of::<(Oid, Oid)>())?);
                notes.insert(commit, entry.oid);
            }
        }
        Ok(Self(notes))
    }

    /// Returns the note on a commit, which ends in a newline unless it is empty, as git's %N. Adds
    /// its size to `charge`.
    pub fn of(
        &self,
        commit: &Oid,
        objects: &Objects,
        cancel: &CancelToken<'_>,
        charge: &mut Charge,
    ) -> Result<Option<Vec<u8>>> {
        let Some(blob) = self.0.get(commit) else { return Ok(None) };
        let bytes = objects.blob(blob)?;
        charge.join(cancel.charge(bytes.len())?);
        let mut note = copied(&bytes)?;
        if note.last().is_some_and(|&last| last != b'\n') {
            append(&mut note, b"\n")?;
        }
        Ok(Some(note))
    }
}
