//! Notes on commits: a tree whose files are named by the commits, with directories of two digits if
//! there are many.
//!
//! As in git's `notes.c`, several notes on one commit, in directories of different depths, are
//! joined in the order of the tree.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Oid;
use crate::objects::Objects;
use crate::repository::Repository;
use crate::revision::side_of;
use crate::tree::walk::TreeChanges;
use gix::bstr::ByteSlice;
use redline_base::budget::{Charge, Gather, Grow, GrowMap, append, copied};
use redline_base::error::{Error, Result, quoted};
use redline_text::CancelToken;

/// git's default reference of notes.
const DEFAULT: &str = "refs/notes/commits";

/// The notes of a reference, by commit.
#[derive(Default)]
pub struct Notes {
    first: HashMap<Oid, Oid>,
    /// The others on a commit, in order.
    more: HashMap<Oid, Vec<Oid>>,
}

impl Notes {
    /// Reads the names of all notes of a reference; `None` is that of `git notes`, which may be
    /// absent.
    ///
    /// # Errors
    /// `not_found` if a named reference is absent.
    pub fn read(repository: &Repository, name: Option<&str>) -> Result<Self> {
        let mut notes = Self::default();
        let full = match name {
            None => DEFAULT.to_owned(),
            Some(name) if name.starts_with("refs/notes/") => name.to_owned(),
            Some(name) if name.starts_with("notes/") => format!("refs/{name}"),
            Some(name) => format!("refs/notes/{name}"),
        };
        let Some(id) = repository.references().resolve(full.as_bytes())?.id() else {
            return match name {
                None => Ok(notes),
                Some(name) => Err(Error::not_found(format!("there are no notes {}", quoted(name)))
                    .with_hint("refs(repo) lists the references; those of kind note hold notes")),
            };
        };
        let tree = side_of(repository, &id.to_string())?.as_tree().flatten();
        let (cancel, mut charge) = (repository.cancel(), Charge::free());
        for file in TreeChanges::new(repository.objects(), None, tree, Arc::default())? {
            let file = file?;
            let (Some(commit), Some(entry)) = (commit_of(&file.path), file.new) else { continue };
            if commit.kind() == id.kind() && entry.mode.is_regular() {
                charge.join(cancel.charge_all(2 * size_of::<(Oid, Oid)>())?);
                if notes.first.contains_key(&commit) {
                    notes.more.slot(commit).or_default().add(entry.oid);
                } else {
                    notes.first.put(commit, entry.oid);
                }
            }
        }
        Ok(notes)
    }

    /// Returns the note on a commit as git's %N: without one line feed at its end, and with one
    /// after each line; several are joined with an empty line between. Adds its size to `charge`.
    pub fn of(
        &self,
        commit: &Oid,
        objects: &Objects,
        cancel: &CancelToken<'_>,
        charge: &mut Charge,
    ) -> Result<Option<Vec<u8>>> {
        let Some(first) = self.first.get(commit) else { return Ok(None) };
        let mut read = |blob: &Oid| {
            let bytes = objects.blob(blob)?;
            charge.join(cancel.charge(2 * bytes.len())?);
            Ok::<_, Error>(bytes)
        };
        let mut note = copied(&read(first)?)?;
        for other in self.more.get(commit).into_iter().flatten() {
            join(&mut note, &read(other)?)?;
        }
        Ok(Some(lines_of(&note)?))
    }
}

/// Returns the commit that a path in the tree names: directories of two digits, then the rest.
fn commit_of(path: &[u8]) -> Option<Oid> {
    let (directories, _) = path.rsplit_once_str(b"/").unwrap_or((b"", path));
    let mut directories = directories.split_str(b"/").filter(|name| !name.is_empty());
    if !directories.all(|name| name.len() == 2) {
        return None;
    }
    let hex: Vec<u8> = path.iter().copied().filter(|&byte| byte != b'/').gather();
    Oid::from_hex(&hex).ok()
}

/// Joins a note with another one on the same commit, as `combine_notes_concatenate`.
fn join(note: &mut Vec<u8>, other: &[u8]) -> Result<()> {
    if other.is_empty() || note == other {
        return Ok(());
    }
    if !note.is_empty() {
        if note.last() == Some(&b'\n') {
            note.pop();
        }
        append(note, b"\n\n")?;
    }
    Ok(append(note, other)?)
}

/// Returns the lines of a note as `format_note` does: a NUL ends a line, too.
fn lines_of(note: &[u8]) -> Result<Vec<u8>> {
    let note = note.strip_suffix(b"\n").unwrap_or(note);
    let mut lines = copied(note)?;
    lines.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'\n');
    if lines.last().is_some_and(|&last| last != b'\n') {
        append(&mut lines, b"\n")?;
    }
    Ok(lines)
}
