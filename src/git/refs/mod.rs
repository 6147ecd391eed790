//! References: names of objects, in loose files, in one packed file, in tables, or symbolic.
//!
//! | file | holds |
//! |---|---|
//! | `name` | valid names, and the directory of a reference |
//! | `loose` | references in files of their own |
//! | `packed` | references in `packed-refs` |
//! | `reftable` | references and their logs in tables |
//! | `list` | all of them, in the order of their names |
//! | `reflog` | the log of a reference |

mod list;
mod loose;
mod name;
mod packed;
mod reflog;
mod reftable;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use super::store::{GitDirectory, Location, Repositories, stores_tables};
use crate::Oid;
use loose::Value;
use redline_base::error::Result;
use redline_sandbox::RefLimit;
use reftable::Stack;

pub use name::is_valid;
pub use packed::Packed;
pub use reftable::{LockedTables, LogLine, NewLine, TableUpdate};

/// References that git always keeps in files of their own: they hold more than one id.
const FILES: [&[u8]; 2] = [b"FETCH_HEAD", b"MERGE_HEAD"];

/// The number of symbolic references to follow, git's own limit.
const MAX_SYMBOLIC: usize = 5;

/// Reads the references of a repository in their current state; each state of `packed-refs` is read
/// once.
pub struct References<'a> {
    git_dir: &'a GitDirectory,
    common_dir: &'a GitDirectory,
    kept: &'a Repositories,
    hash: gix::hash::Kind,
    packed: RefCell<Option<Arc<Packed>>>,
    /// Whether the references are stored in tables.
    in_tables: bool,
    /// The tables that were read, by the paths of their git directories.
    stacks: RefCell<Vec<(PathBuf, Arc<Stack>)>>,
    limit: Option<&'a RefLimit>,
}

/// The target of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// An object, and the reference that names it: the last of a chain of symbolic ones.
    Id { name: Vec<u8>, id: Oid },
    /// A symbolic reference to an absent one, with the absent name.
    Dangling(Vec<u8>),
    /// An invalid file, or an endless chain of symbolic references.
    Broken { is_symbolic: bool },
    /// Nothing.
    Absent,
}

impl Resolved {
    /// Returns the id of the object.
    pub fn id(self) -> Option<Oid> {
        match self {
            Self::Id { id, .. } => Some(id),
            _ => None,
        }
    }
}

impl<'a> References<'a> {
    /// Returns a reader of the references in the directories of a repository; those that `limit`
    /// does not allow are hidden.
    pub fn new(
        location: &'a Location,
        config: &gix::config::File,
        kept: &'a Repositories,
        hash: gix::hash::Kind,
        limit: Option<&'a RefLimit>,
    ) -> Self {
        Self {
            git_dir: &location.git_dir,
            common_dir: &location.common_dir,
            kept,
            hash,
            packed: RefCell::default(),
            in_tables: stores_tables(config),
            stacks: RefCell::default(),
            limit,
        }
    }

    /// Tells whether a reference may be read; HEAD itself is not checked, but its target is.
    pub fn may_read(&self, name: &[u8]) -> bool {
        self.limit.is_none_or(|limit| limit.allows(name))
    }

    fn may_follow(&self, name: &[u8]) -> bool {
        self.may_read(name)
            || (!name.starts_with(b"refs/") && (name == b"HEAD" || name.ends_with(b"/HEAD")))
    }

    /// Follows a reference to its object.
    ///
    /// # Errors
    /// Only if a file cannot be read: invalid content is part of the result.
    pub fn resolve(&self, name: &[u8]) -> Result<Resolved> {
        let mut name = name.to_vec();
        let mut is_symbolic = false;
        for _ in 0..MAX_SYMBOLIC {
            if !is_valid(&name) {
                return Ok(if is_symbolic {
                    Resolved::Broken { is_symbolic }
                } else {
                    Resolved::Absent
                });
            }
            // A hidden reference is absent, whatever it contains.
            if !self.may_follow(&name) {
                return Ok(Resolved::Absent);
            }
            match self.read(&name)? {
                Some(Value::Id(_)) if !self.may_read(&name) => return Ok(Resolved::Absent),
                Some(Value::Id(id)) => return Ok(Resolved::Id { name, id }),
                Some(Value::Symbolic(target)) => {
                    is_symbolic = true;
                    name = target;
                }
                Some(Value::Broken) => return Ok(Resolved::Broken { is_symbolic }),
                None if is_symbolic => return Ok(Resolved::Dangling(name)),
                None => return Ok(Resolved::Absent),
            }
        }
        Ok(Resolved::Broken { is_symbolic })
    }

    /// Returns the branch that HEAD names, with `refs/heads/`, whether it exists or not.
    pub fn branch(&self) -> Result<Option<Vec<u8>>> {
        let mut name = b"HEAD".to_vec();
        for _ in 0..MAX_SYMBOLIC {
            match self.read(&name)? {
                Some(Value::Symbolic(target)) if is_valid(&target) && self.may_follow(&target) => {
                    name = target;
                }
                _ => {
                    let is_branch = name.starts_with(b"refs/heads/") && self.may_read(&name);
                    return Ok(is_branch.then_some(name));
                }
            }
        }
        Ok(None)
    }

    /// Reads one reference: from the tables, or its loose file, or its packed line.
    fn read(&self, name: &[u8]) -> Result<Option<Value>> {
        let (directory, path) = self.place(name);
        if self.in_tables && !FILES.contains(&name) {
            return Ok(self.ask_tables(name, |stack, name| stack.reference(name))?.flatten());
        }
        if let Some(value) = loose::read(directory, path, self.hash)? {
            return Ok(Some(value));
        }
        // Only references below `refs` are packed.
        if !name.starts_with(b"refs/") {
            return Ok(None);
        }
        let packed = self.packed()?;
        if let Some(id) = packed.find(name, self.hash)? {
            return Ok(Some(Value::Id(id)));
        }
        // Its file may have been packed and removed since `packed-refs` was read.
        if packed.is_current(self.common_dir)? {
            return Ok(None);
        }
        self.packed.take();
        Ok(self.packed()?.find(name, self.hash)?.map(Value::Id))
    }

    /// Queries the tables of the work tree of a reference, by its name there; `None` if the work
    /// tree does not exist.
    fn ask_tables<T>(
        &self,
        name: &[u8],
        ask: impl Fn(&Stack, &[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let (directory, path) = self.place(name);
        let other = match path.strip_prefix(b"worktrees/").and_then(|rest| rest.split_once_str("/"))
        {
            Some((work_tree, rest)) if std::ptr::eq(directory, self.common_dir) => {
                let path = [b"worktrees/", work_tree].concat();
                let Some(directory) = self.common_dir.directory(&path)? else { return Ok(None) };
                Some((directory, rest))
            }
            _ => None,
        };
        let (directory, path) =
            other.as_ref().map_or((directory, path), |(directory, rest)| (directory, *rest));
        let stack = self.stack(directory)?;
        match ask(&stack, path) {
            // A table was merged with others, and was no longer open.
            Err(_) if !stack.is_current(directory)? => ask(&*self.stack(directory)?, path),
            answer => answer,
        }
        .map(Some)
    }

    /// Returns the current tables of a git directory.
    fn stack(&self, directory: &GitDirectory) -> Result<Arc<Stack>> {
        let mut stacks = self.stacks.borrow_mut();
        if let Some(at) = stacks.iter().position(|(path, _)| path == directory.path()) {
            if stacks[at].1.is_current(directory)? {
                return Ok(Arc::clone(&stacks[at].1));
            }
            stacks.remove(at);
        }
        let stack = Stack::current(directory, self.kept, self.hash)?;
        stacks.push((directory.path().to_owned(), Arc::clone(&stack)));
        Ok(stack)
    }

    /// Returns the directory of a reference, and its path there.
    fn place<'n>(&self, name: &'n [u8]) -> (&'a GitDirectory, &'n [u8]) {
        name::shared(name).map_or((self.git_dir, name), |path| (self.common_dir, path))
    }

    /// Returns the reader with packed references that were read before.
    pub fn with_packed(self, packed: Arc<Packed>) -> Self {
        Self { packed: RefCell::new(Some(packed)), ..self }
    }

    /// Returns the packed references, to be read once for several readers.
    pub fn packed(&self) -> Result<Arc<Packed>> {
        if let Some(packed) = &*self.packed.borrow() {
            return Ok(Arc::clone(packed));
        }
        let packed = Packed::current(self.common_dir, self.kept)?;
        self.packed.replace(Some(Arc::clone(&packed)));
        Ok(packed)
    }

    /// Returns the error of a damaged reference; `what` continues the sentence.
    pub fn damaged(&self, name: &[u8], what: &str) -> redline_base::error::Error {
        self.git_dir.gate().damaged(format!(
            "its reference {} {what}",
            redline_base::error::quoted(&name.to_str_lossy())
        ))
    }
}
