//! The directories of a change of several files: locked in one order, with the staged new contents
//! and the old contents, which are kept until the change is complete.

use crate::system::fd::{AsFd, OwnedFd};
use std::collections::BTreeMap;
use std::io;

use crate::system::fs::{
    AtFlags, Mode, RenameFlags, fstat, fsync, openat, renameat, renameat_with, statat, unlinkat,
};
use crate::system::io::Errno;

use crate::open::beneath::DIRECTORY;
use crate::open::state::{FileId, id_of};
use crate::rules::policy::Sandbox;
use crate::rules::rel_path::RelPath;
use crate::write::intent::{FileSwap, Plan, Stage};
use crate::write::locked::{clear, lock, make};
use crate::write::unwritten::why_unwritten;
use redline_base::error::{Error, Result, quoted};

/// The directory beside the files that holds staged new contents and the old ones.
pub(crate) const STAGED: &str = ".redline-patch";

/// The directories of the files of a plan.
pub(crate) struct Staging {
    /// The device and number of each directory, by its path.
    ids: BTreeMap<String, FileId>,
    /// Locked until this is dropped.
    opened: BTreeMap<FileId, OwnedFd>,
}

impl Staging {
    /// Opens and locks the directories in the order of their device and inode. Missing ones are
    /// created if `makes` is set, and skipped otherwise.
    pub(crate) fn open(sandbox: &Sandbox, plan: &Plan, makes: bool) -> Result<Self> {
        let failed = |path: &str, error: Errno| {
            let (error, shown) = (io::Error::from(error), format!("{}/{path}", sandbox.name));
            let (words, hint) = why_unwritten(&error);
            Error::tool_failed(format!(
                "the directory {} cannot be written: {words}; no file is changed",
                quoted(&shown)
            ))
            .with_hint(hint)
            .with_source(error)
        };
        if makes {
            for path in &plan.made {
                make_durable(sandbox, path).map_err(|error| failed(path, error))?;
            }
        }
        let mut staging = Self { ids: BTreeMap::new(), opened: BTreeMap::new() };
        for swap in &plan.files {
            let (path, _) = split(&swap.path);
            if staging.ids.contains_key(path) {
                continue;
            }
            let directory = match sandbox.root.open_directory(path) {
                Err(Errno::NOENT | Errno::NOTDIR) if !makes => continue,
                opened => opened.map_err(|error| failed(path, error))?,
            };
            let id = id_of(&fstat(&directory).map_err(|error| failed(path, error))?);
            staging.ids.insert(path.to_owned(), id);
            staging.opened.entry(id).or_insert(directory);
        }
        for directory in staging.opened.values() {
            if !lock(directory)?.map_err(|error| failed("", error))? {
                return Err(Error::tool_failed("a directory is locked by another writer")
                    .with_hint("Try again when it has finished"));
            }
        }
        Ok(staging)
    }

    /// Returns the missing directories of the paths, parents first.
    pub(crate) fn missing<'p>(
        sandbox: &Sandbox,
        paths: impl Iterator<Item = &'p RelPath>,
    ) -> Vec<String> {
        let mut missing: Vec<String> = Vec::new();
        for directory in paths.flat_map(RelPath::directories) {
            if !missing.iter().any(|other| other == directory)
                && matches!(sandbox.root.open_directory(directory), Err(Errno::NOENT))
            {
                missing.push(directory.to_owned());
            }
        }
        missing
    }

    /// Removes the directories that the change created, unless they have entries.
    pub(crate) fn remove_made(sandbox: &Sandbox, plan: &Plan) -> io::Result<()> {
        for path in plan.made.iter().rev() {
            match remove_directory(sandbox, path) {
                // Another program uses a directory that is not empty.
                Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::NOTEMPTY | Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Returns the directory for the staged content of a file; the first call creates it.
    pub(crate) fn directory_for(&self, path: &str) -> io::Result<OwnedFd> {
        let directory = self.directory(path)?;
        make(directory, STAGED, 0o700)?;
        Ok(staged(directory)?)
    }

    /// Creates the staging directories, also for files that are only removed.
    pub(crate) fn prepare(&self, plan: &Plan) -> io::Result<()> {
        plan.files.iter().try_for_each(|swap| self.directory_for(&swap.path).map(drop))
    }

    /// Puts a file in its place, and keeps the old one.
    pub(crate) fn put(&self, index: usize, swap: &FileSwap) -> io::Result<()> {
        let directory = self.directory(&swap.path)?;
        let (staged, (_, name), waiting) =
            (staged(directory)?, split(&swap.path), index.to_string());
        match (swap.old, swap.new) {
            (None, Some(_)) => {
                renameat_with(&staged, &waiting, directory, name, RenameFlags::NOREPLACE)?;
            }
            (Some(_), Some(_)) => {
                match renameat_with(&staged, &waiting, directory, name, RenameFlags::EXCHANGE) {
                    // Some file systems cannot swap two names.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                        renameat(directory, name, &staged, kept(index))?;
                        renameat(&staged, &waiting, directory, name)?;
                    }
                    swapped => swapped?,
                }
            }
            (_, None) => renameat(directory, name, &staged, &waiting)?,
        }
        Ok(())
    }

    /// Tells whether the replaced file is the one that was read.
    pub(crate) fn has_taken(&self, index: usize, swap: &FileSwap) -> bool {
        let Some(old) = swap.old else { return true };
        let staged = self.directory(&swap.path).and_then(|found| Ok(staged(found)?));
        staged.is_ok_and(|staged| kept_in(&staged, index, swap).is_some_and(|(_, id)| id == old))
    }

    /// Makes the names durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(self.opened.values().try_for_each(fsync)?)
    }

    /// Restores every replaced file, except one that another program has written since.
    pub(crate) fn roll_back(&self, plan: &Plan) -> io::Result<()> {
        if plan.stage != Stage::Staging {
            for (index, swap) in plan.files.iter().enumerate().rev() {
                if let Ok(directory) = self.directory(&swap.path) {
                    Self::roll_back_one(directory, index, swap)?;
                }
            }
            self.sync()?;
        }
        self.clear(plan)
    }

    fn roll_back_one(directory: &OwnedFd, index: usize, swap: &FileSwap) -> io::Result<()> {
        let (_, name) = split(&swap.path);
        let now = id_at(directory, name);
        if now.is_some() && now != swap.new {
            return Ok(());
        }
        let staged = match staged(directory) {
            Err(Errno::NOENT) => return Ok(()),
            opened => opened?,
        };
        match kept_in(&staged, index, swap) {
            Some((old, _)) if now.is_some() => renameat(&staged, old, directory, name)?,
            Some((old, _)) => {
                renameat_with(&staged, old, directory, name, RenameFlags::NOREPLACE)?;
            }
            None if now.is_some() && swap.old.is_none() => {
                unlinkat(directory, name, AtFlags::empty())?;
            }
            None => {}
        }
        Ok(())
    }

    /// Finishes a complete change: removes the old files and, as git does, directories left empty.
    pub(crate) fn finish(&self, plan: &Plan) -> io::Result<()> {
        self.clear(plan)?;
        for swap in plan.files.iter().filter(|swap| swap.new.is_none()) {
            // Fails for a directory that still has entries, which stays.
            let _ = self.remove_empty(&swap.path);
        }
        Ok(())
    }

    fn remove_empty(&self, path: &str) -> io::Result<()> {
        let (mut path, _) = split(path);
        while !path.is_empty() {
            let (above, name) = split(path);
            let Some(id) = self.ids.get(above) else {
                return Ok(());
            };
            unlinkat(&self.opened[id], name, AtFlags::REMOVEDIR)?;
            path = above;
        }
        Ok(())
    }

    fn clear(&self, plan: &Plan) -> io::Result<()> {
        for swap in &plan.files {
            if let Ok(directory) = self.directory(&swap.path) {
                clear(directory.as_fd(), STAGED, 0)?;
            }
        }
        Ok(())
    }

    fn directory(&self, path: &str) -> io::Result<&OwnedFd> {
        let id = self.ids.get(split(path).0).ok_or(io::ErrorKind::NotFound)?;
        Ok(&self.opened[id])
    }
}

/// Returns the directory and the name of a path.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the name and the identity of the old file in the staging directory.
fn kept_in(staged: &OwnedFd, index: usize, swap: &FileSwap) -> Option<(String, FileId)> {
    [kept(index), index.to_string()].into_iter().find_map(|name| {
        let id = id_at(staged, &name)?;
        (Some(id) != swap.new).then_some((name, id))
    })
}

/// Returns the name of an old file on a file system that cannot swap two names.
fn kept(index: usize) -> String {
    format!("{index}.old")
}

fn staged(directory: &OwnedFd) -> crate::system::io::Result<OwnedFd> {
    openat(directory, STAGED, DIRECTORY, Mode::empty())
}

fn id_at(directory: &OwnedFd, name: &str) -> Option<FileId> {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok().as_ref().map(id_of)
}

fn make_durable(sandbox: &Sandbox, path: &str) -> crate::system::io::Result<()> {
    let (above, name) = split(path);
    let above = sandbox.root.open_directory(above)?;
    make(&above, name, 0o777)?;
    fsync(&above)
}

fn remove_directory(sandbox: &Sandbox, path: &str) -> crate::system::io::Result<()> {
    let (above, name) = split(path);
    unlinkat(sandbox.root.open_directory(above)?, name, AtFlags::REMOVEDIR)
}

/// Ends the process, or the test, at the step that it is told to: tests show that nothing is half
/// done.
pub(crate) fn fault() {
    #[cfg(test)]
    tests::fault();
    #[cfg(all(debug_assertions, unix))]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};

        use crate::system::process::{Signal, getpid, kill_process};
        static STEP: AtomicUsize = AtomicUsize::new(0);
        let wanted = std::env::var("REDLINE_DIE_AT_STEP").ok().and_then(|step| step.parse().ok());
        if wanted == Some(STEP.fetch_add(1, Ordering::Relaxed)) {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// The steps until the thread fails, as a process that is killed: nothing is cleaned up.
        pub static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    pub fn fault() {
        LEFT.with(|left| match left.get() {
            Some(0) => {
                left.set(None);
                panic!("killed");
            }
            Some(steps) => left.set(Some(steps - 1)),
            None => {}
        });
    }
}
