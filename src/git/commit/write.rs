//! Writes a plan, in the order of `git commit`: the lock of the index; objects; the locks of HEAD
//! and of the branch; the logs; the branch; last the index.
//!
//! A process that is killed in between leaves objects that nothing names, or a branch that has
//! moved before the index, as git does; and locks, which git names to the person who removes them.

use super::head::Head;
use super::new_index::entries_sum;
use super::{GitPlan, HeadMove, object, obstacles};
use crate::index::Index;
use crate::model::settings::{boolean, value};
use crate::refs::{LockedTables, NewLine, TableUpdate};
use crate::store::{GitDirectory, stores_tables};
use redline_base::budget::{Grow, Joined, text_of};
use redline_base::error::{Error, Result, quoted};
use redline_sandbox::OpenError;

/// What an operation that git began leaves, and the commit that ends it removes.
const ENDED: [&[u8]; 8] = [
    b"MERGE_HEAD",
    b"MERGE_RR",
    b"MERGE_MSG",
    b"MERGE_MODE",
    b"AUTO_MERGE",
    b"CHERRY_PICK_HEAD",
    b"REVERT_HEAD",
    b"SQUASH_MSG",
];

/// How often the work tree is looked at again while files of it change.
const INDEX_LOOKS: usize = 4;

impl GitPlan {
    /// Writes the plan; `done` runs once nothing can be taken back.
    ///
    /// # Errors
    /// `stale` if HEAD, the branch, the index or the hooks have changed since, or another process
    /// keeps a lock; those of the system. Then the index and the branch are as they were.
    pub fn write(&self, done: impl FnOnce()) -> Result<()> {
        let location = &self.repository.location;
        let (git_dir, common_dir) = (&location.git_dir, &location.common_dir);
        let mut index = git_dir.lock(b"index")?;
        // Of two files that git placed within one tick of the clock, the stamps may be equal.
        let is_same = git_dir.stamp(b"index")? == self.stamp
            && entries_sum(&*Index::read(&self.repository)?)? == self.entries_sum;
        if !is_same {
            return Err(self.stale("its index"));
        }
        if obstacles::programs(&self.repository, self.written)? != self.programs {
            return Err(self.stale("what git would run there"));
        }
        object::write_all(&self.objects, self.repository.budget(), common_dir)?;
        let failed = |error, name: &[u8]| git_dir.unwritten(OpenError::System(error), name);
        let mut bytes = self.index.file(&self.repository)?;
        index.fill(&bytes, None).map_err(|error| failed(error, b"index"))?;
        // Git sees what changes from now on; what changed while the file was made is looked for again.
        for _ in 0..INDEX_LOOKS {
            let now = self.index.file(&self.repository)?;
            if now == bytes {
                break;
            }
            index.refill(&now).map_err(|error| failed(error, b"index"))?;
            bytes = now;
        }
        if let Some(moved) = &self.moved {
            self.move_head(moved)?;
        }
        done();
        index.place(b"index").map_err(|error| failed(error, b"index"))?;
        object::write_removed(&self.objects, common_dir)?;
        if let Some(commit) = &self.commit {
            for name in ENDED {
                if commit.ends || matches!(name, b"SQUASH_MSG" | b"MERGE_MSG") {
                    git_dir.remove(name)?;
                }
            }
        }
        Ok(())
    }

    /// Moves HEAD, or the branch that it names, from the commit that was read.
    fn move_head(&self, moved: &HeadMove) -> Result<()> {
        let location = &self.repository.location;
        let (git_dir, common_dir) = (&location.git_dir, &location.common_dir);
        if stores_tables(&self.repository.config) {
            return self.move_in_tables(moved);
        }
        let mut head = git_dir.lock(b"HEAD")?;
        let branch = match &self.head.branch {
            None => None,
            Some(name) => {
                self.check_name(name)?;
                common_dir.make_parent(name)?;
                Some((name, common_dir.lock(name)?))
            }
        };
        self.check_head()?;
        let HeadMove { to, who, time, text } = moved;
        let line = [&format!("{} {to} {who} {time}\t", self.old(to)), text, "\n"].joined("");
        self.log(git_dir, b"HEAD", line.as_bytes())?;
        let value = format!("{to}\n");
        let (directory, name, mut lock) = match branch {
            Some((name, lock)) => {
                self.log(common_dir, name, line.as_bytes())?;
                (common_dir, name.as_slice(), lock)
            }
            None => {
                head.fill(value.as_bytes(), None)
                    .map_err(|error| git_dir.unwritten(OpenError::System(error), b"HEAD"))?;
                let placed = head.place(b"HEAD");
                return placed
                    .map_err(|error| git_dir.unwritten(OpenError::System(error), b"HEAD"));
            }
        };
        let last = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        let failed = |error| directory.unwritten(OpenError::System(error), name);
        lock.fill(value.as_bytes(), None).map_err(failed)?;
        lock.place(last).map_err(failed)
    }

    /// Does the same where references are in tables: HEAD in those of the work tree, branches in those
    /// of the repository.
    fn move_in_tables(&self, moved: &HeadMove) -> Result<()> {
        let location = &self.repository.location;
        let (git_dir, common_dir) = (&location.git_dir, &location.common_dir);
        let own = LockedTables::new(git_dir)?;
        let is_linked = git_dir.path() != common_dir.path();
        let shared = is_linked.then(|| LockedTables::new(common_dir)).transpose()?;
        let branch = self.head.branch.as_deref();
        if let Some(name) = branch {
            self.check_name(name)?;
        }
        self.check_head()?;
        let HeadMove { to, who, time, text } = moved;
        let line = |name| NewLine {
            name,
            ids: [self.old(to), *to],
            person: who.parts(),
            seconds: u64::try_from(time.seconds).unwrap_or(0),
            offset: time.offset,
            message: text,
        };
        let mut of_head = TableUpdate::default();
        if self.is_logged(b"HEAD")? {
            of_head.lines.add(line(b"HEAD"));
        }
        let mut of_branch =
            TableUpdate { reference: branch.map(|name| (name, *to)), ..Default::default() };
        if let Some(name) = branch
            && self.is_logged(name)?
        {
            of_branch.lines.add(line(name));
        }
        let hash = self.repository.object_hash();
        match (branch, shared) {
            (None, _) => own.add(&TableUpdate { reference: Some((b"HEAD", *to)), ..of_head }, hash),
            (Some(_), None) => {
                of_head.lines.append(&mut of_branch.lines);
                own.add(&TableUpdate { lines: of_head.lines, ..of_branch }, hash)
            }
            (Some(_), Some(shared)) => {
                // The log first, as in files.
                if !of_head.lines.is_empty() {
                    own.add(&of_head, hash)?;
                }
                shared.add(&of_branch, hash)
            }
        }
    }

    /// Returns the id before, null before the first commit.
    fn old(&self, new: &crate::Oid) -> crate::Oid {
        self.head.commit.unwrap_or_else(|| crate::Oid::null(new.kind()))
    }

    fn check_head(&self) -> Result<()> {
        match Head::read(&self.repository)? == self.head {
            true => Ok(()),
            false => Err(self.stale("its HEAD")),
        }
    }

    /// Refuses a new branch whose name is a directory of others, or below one of them.
    fn check_name(&self, name: &[u8]) -> Result<()> {
        if self.head.commit.is_some() {
            return Ok(());
        }
        let references = self.repository.references();
        let below = [name, b"/"].chained();
        let taken = references.names()?.into_iter().find(|other| {
            other.starts_with(&below) || name.starts_with(&[&other[..], b"/"].chained())
        });
        match taken {
            Some(other) => Err(Error::stale(format!(
                "the branch {} cannot be made: there is {}",
                quoted(&text_of(name)),
                quoted(&text_of(&other))
            ))
            .with_hint("Check out a branch of another name")),
            None => Ok(()),
        }
    }

    /// Adds a line to the log of a reference, where there is to be one.
    fn log(&self, directory: &GitDirectory, name: &[u8], line: &[u8]) -> Result<()> {
        if self.is_logged(name)? {
            directory.append(&[b"logs/", name].chained(), line)?;
        }
        Ok(())
    }

    /// Tells whether a reference has a log, or git would begin one.
    fn is_logged(&self, name: &[u8]) -> Result<bool> {
        let config = &self.repository.config;
        let is_always = value(config, "core", "logAllRefUpdates")
            .flatten()
            .is_some_and(|word| word.eq_ignore_ascii_case(b"always"));
        let is_on = is_always || boolean(config, "core", "logAllRefUpdates").unwrap_or(true);
        Ok(is_on || self.repository.references().has_log(name)?)
    }

    fn stale(&self, what: &str) -> Error {
        Error::stale(format!(
            "{what} has changed since the repository at {} was read",
            quoted(&self.repository.given)
        ))
        .with_hint("Nothing was written: ask again")
    }
}
