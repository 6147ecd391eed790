//! References: names of objects, in files of their own, in one file or as names of one another.
//!
//! | file | holds |
//! |---|---|
//! | `name` | what may be a name, and which directory a reference stands in |
//! | `loose` | a reference in a file of its own |
//! | `packed` | references in `packed-refs` |
//! | `reftable` | references and their logs in tables |
//! | `list` | all of them, in the order of their names |
//! | `reflog` | what a reference was before |

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

use super::store::{GitDirectory, Repositories};
use crate::error::Result;
use crate::git::Oid;
use crate::sandbox::RefLimit;
use loose::Value;
use name::Home;
use reftable::{Stack, Target};

pub use name::is_valid;
pub use packed::Packed;

/// What git keeps in files of their own, wherever the others are: they hold more than one id.
const FILES: [&[u8]; 2] = [b"FETCH_HEAD", b"MERGE_HEAD"];

/// References between a symbolic one and its object, git's own limit.
const MAX_SYMBOLIC: usize = 5;

/// Reads the references of a repository, as they are at the time of each call; each state of `packed-refs` is read
/// once.
pub struct References<'a> {
    git_dir: &'a GitDirectory,
    common_dir: &'a GitDirectory,
    kept: &'a Repositories,
    hash: gix::hash::Kind,
    packed: RefCell<Option<Arc<Packed>>>,
    /// Whether they are stored in tables.
    in_tables: bool,
    /// The tables that were read, by the paths of their git directories.
    stacks: RefCell<Vec<(PathBuf, Arc<Stack>)>>,
    limit: Option<&'a RefLimit>,
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// An object, and the reference that names it: the last of a row of symbolic ones.
    Id { name: Vec<u8>, id: Oid },
    /// A symbolic reference to one that is not there: its name.
    Dangling(Vec<u8>),
    /// A file that is no reference, or symbolic references without end.
    Broken { is_symbolic: bool },
    /// Nothing.
    Absent,
}

impl Resolved {
    /// Returns the object.
    pub fn id(self) -> Option<Oid> {
        match self {
            Self::Id { id, .. } => Some(id),
            _ => None,
        }
    }
}

impl<'a> References<'a> {
    /// Returns a reader of the references in the directories of a repository.
    pub fn new(
        git_dir: &'a GitDirectory,
        common_dir: &'a GitDirectory,
        kept: &'a Repositories,
        hash: gix::hash::Kind,
    ) -> Self {
        Self {
            git_dir,
            common_dir,
            kept,
            hash,
            packed: RefCell::default(),
            in_tables: false,
            stacks: RefCell::default(),
            limit: None,
        }
    }

    /// Returns the reader of references that are stored in tables, if they are.
    pub fn in_tables(self, in_tables: bool) -> Self {
        Self { in_tables, ..self }
    }

    /// Returns the reader for those that may be read alone: the others are not there.
    pub fn limited_to(self, limit: Option<&'a RefLimit>) -> Self {
        Self { limit, ..self }
    }

    /// Tells whether a reference may be read; HEAD is none itself, and leads to one.
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
    /// Only where a file cannot be read: what it holds is in the answer.
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
            // Of what may not be read, nothing is said, whatever it holds.
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

    /// Reads one reference: its file, or its line among the packed ones.
    fn read(&self, name: &[u8]) -> Result<Option<Value>> {
        let (directory, path) = self.place(name);
        if self.in_tables && !FILES.contains(&name) {
            return self.read_in_tables(name);
        }
        if let Some(value) = loose::read(directory, path, self.hash)? {
            return Ok(Some(value));
        }
        // Packed are the references below `refs` alone.
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

    /// Reads one reference of the tables.
    fn read_in_tables(&self, name: &[u8]) -> Result<Option<Value>> {
        let target = self.ask_tables(name, |stack, name| stack.reference(name))?.flatten();
        Ok(target.and_then(|target| match target {
            Target::Deleted => None,
            Target::Id(id) => Some(Value::Id(id)),
            Target::Symbolic(target) => Some(Value::Symbolic(target)),
        }))
    }

    /// Asks the tables of the work tree that a reference belongs to, by its name there; `None` where that is not there.
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
            // A table was joined with others, and was not open any more.
            Err(_) if !stack.is_current(directory)? => ask(&*self.stack(directory)?, path),
            answer => answer,
        }
        .map(Some)
    }

    /// Returns the tables of a git directory, as they are now.
    fn stack(&self, directory: &GitDirectory) -> Result<Arc<Stack>> {
        let known = |stacks: &[(PathBuf, Arc<Stack>)]| {
            stacks.iter().position(|(path, _)| path == directory.path())
        };
        let at = known(&self.stacks.borrow());
        if let Some(at) = at {
            let stack = Arc::clone(&self.stacks.borrow()[at].1);
            if stack.is_current(directory)? {
                return Ok(stack);
            }
            self.stacks.borrow_mut().remove(at);
        }
        let stack = Stack::current(directory, self.kept, self.hash)?;
        self.stacks.borrow_mut().push((directory.path().to_owned(), Arc::clone(&stack)));
        Ok(stack)
    }

    /// Returns the directory that a reference is read from, and the path there.
    fn place<'n>(&self, name: &'n [u8]) -> (&'a GitDirectory, &'n [u8]) {
        match name::home(name) {
            Home::Current(path) => (self.git_dir, path),
            Home::Shared(path) | Home::Other(path) => (self.common_dir, path),
        }
    }

    /// Returns the reader, with packed references that were read before.
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

    /// Says that a reference is damaged; `what` goes on the sentence.
    pub fn damaged(&self, name: &[u8], what: &str) -> crate::error::Error {
        self.git_dir
            .gate()
            .damaged(format!("its reference {} {what}", crate::error::quoted(&name.to_str_lossy())))
    }
}
