//! Copies of contents as files, which DuckDB's readers open by their paths.
//!
//! Each database has a directory of its own, which ends with it: `redline-copies-…` (0700) below one that
//! DuckDB may read, locked as long as its process lives. One without a lock is of a process that
//! was killed, and the next database that makes copies removes it. A copy is `<key>/<name>` (0400);
//! what has the same key has the same content, so that further names are hard links.
//!
//! A file is written beside, and renamed when it is complete. A copy is used again only while its
//! stamp is the one that it was given: whatever else lies in its place is replaced and not followed.

use crate::system::fd::{AsFd, OwnedFd};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::system::fs::{
    AtFlags, CWD, FlockOperation, Mode, OFlags, Stat, flock, fstat, linkat, openat, renameat,
    statat, unlinkat,
};
use crate::system::io::Errno;
use crate::system::process::{Pid, geteuid, getpid};

use crate::open::beneath::{DIRECTORY, FILE, open_beneath};
use crate::open::directory::entries;
use crate::open::handles::with_handles;
use crate::open::state::{EntryKind, Stamp, id_of, mode_of};
use crate::rules::access::Access;
use crate::write::copy_name::is_read_as_written;
use crate::write::locked::{clear, make};
use crate::write::new_file::CREATE;
use crate::write::unwritten::why_unwritten;
use redline_base::budget::{Stopped, check_current};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// The start of the name of a directory of copies; 16 hexadecimal digits follow.
const PREFIX: &str = "redline-copies-";
/// The name of a file until it is completely written.
const NEW: &str = "new";
/// Bytes that are written between two checks of the budget.
const PIECE: usize = 4 << 20;
/// The permission bits of the group and of others to write.
const WRITTEN_BY_OTHERS: u32 = 0o022;
/// Only who owns an entry of the directory may remove it.
const STICKY: u32 = 0o1000;

/// The copies of one database. Removed when it is dropped.
#[derive(Default)]
pub struct Copies(Mutex<State>);

/// Where copies may lie, and how many bytes they may have.
#[derive(Clone, Copy)]
pub struct CopyRules<'a> {
    /// What DuckDB may read.
    pub access: &'a Access,
    /// DuckDB's directory for temporary files, if it has one.
    pub temporary: Option<&'a str>,
    /// The most bytes of all copies.
    pub bytes: u64,
    /// The name of that limit, for messages.
    pub name: &'static str,
}

/// A content to copy, by its name.
#[derive(Debug, Clone, Copy)]
pub struct CopyAs<'a> {
    /// What identifies the content: the hexadecimal digits of its id.
    pub key: &'a str,
    /// The name of the file.
    pub name: &'a str,
    /// Its bytes.
    pub size: u64,
}

/// Where the bytes of a copy go.
pub struct Sink<'f> {
    file: &'f File,
    left: u64,
}

#[derive(Default)]
struct State {
    place: Option<Place>,
    kept: HashMap<String, KeptCopy>,
    /// The keys by the moments at which they were used last.
    used: BTreeMap<u64, String>,
    bytes: u64,
    clock: u64,
}

/// A content that is kept.
struct KeptCopy {
    stamp: Stamp,
    names: Vec<String>,
    used: u64,
}

/// The directory of the copies.
struct Place {
    /// The one in which it lies.
    above: OwnedFd,
    /// The path of that one, if it was made for the copies.
    made: Option<PathBuf>,
    name: String,
    /// The directory itself, locked.
    handle: OwnedFd,
    path: PathBuf,
    /// The process that made it: one that was forked from it leaves it alone.
    process: Pid,
}

impl Copies {
    /// Returns the path of a copy that is still what it was when it was made; `None` without one.
    /// Another name of the same content is added.
    ///
    /// # Errors
    /// `tool_failed` if the system refuses the other name.
    pub fn find(&self, copy: CopyAs<'_>) -> Result<Option<PathBuf>> {
        self.with(|state| state.find(copy))
    }

    /// Makes a copy, whose bytes `write` gives, and returns its path; does nothing if there is one
    /// by now. Those used longest ago are removed, except those in `held`.
    ///
    /// # Errors
    /// `too_large` if it does not fit beside those held; `permission_denied` if DuckDB may read no
    /// directory in which it could lie; `tool_failed` if the system refuses to write it; those of
    /// `write`.
    pub fn add(
        &self,
        rules: CopyRules<'_>,
        copy: CopyAs<'_>,
        held: &HashSet<String>,
        write: impl FnOnce(&mut Sink<'_>) -> Result<()>,
    ) -> Result<PathBuf> {
        self.with(|state| {
            if let Some(path) = state.find(copy)? {
                return Ok(path);
            }
            state.add(rules, copy, held, write)
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        // No panic leaves more behind than a file that is not counted.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink<'_> {
    /// Writes the next bytes.
    ///
    /// # Errors
    /// `stale` for more bytes than were announced; the reason why the query ended; `tool_failed` if
    /// the system does not write them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(changed)?;
        for piece in bytes.chunks(PIECE) {
            check_current()?;
            self.file.write_all(piece).map_err(unwritten)?;
        }
        Ok(())
    }
}

impl State {
    fn find(&mut self, copy: CopyAs<'_>) -> Result<Option<PathBuf>> {
        if !self.place.as_ref().is_some_and(Place::is_there) {
            // Somebody has cleaned up.
            *self = Self::default();
            return Ok(None);
        }
        let (Some(place), Some(kept)) = (&self.place, self.kept.get_mut(copy.key)) else {
            return Ok(None);
        };
        let is_there = |name| {
            let opened = place.open(copy.key, name, FILE);
            let found = opened.and_then(|file| fstat(&file));
            found.is_ok_and(|found| Stamp::new(&found) == kept.stamp)
        };
        if !kept.names.iter().all(|name| is_there(name)) {
            self.forget(copy.key)?;
            return Ok(None);
        }
        if !kept.names.iter().any(|name| name == copy.name) {
            let first = &kept.names[0];
            let stat = place.link(copy.key, first, copy.name).map_err(|error| {
                unwritten(error.into()).with_hint(
                    "Let temp_directory name a directory whose file system has hard links",
                )
            })?;
            kept.stamp = Stamp::new(&stat);
            kept.names.push(copy.name.to_owned());
        }
        self.clock += 1;
        self.used.remove(&std::mem::replace(&mut kept.used, self.clock));
        self.used.insert(self.clock, copy.key.to_owned());
        Ok(Some(place.path_of(copy)))
    }

    fn add(
        &mut self,
        rules: CopyRules<'_>,
        copy: CopyAs<'_>,
        held: &HashSet<String>,
        write: impl FnOnce(&mut Sink<'_>) -> Result<()>,
    ) -> Result<PathBuf> {
        self.make_room(rules, copy, held)?;
        // Before there is a file that it would not know.
        self.kept.try_reserve(1).map_err(|_| Stopped::Allocation)?;
        let place = match &mut self.place {
            Some(place) => place,
            none => none.insert(Place::make(rules)?),
        };
        let written = place.write(copy, write);
        let stat = written.inspect_err(|_| {
            let _ = unlinkat(&place.handle, NEW, AtFlags::empty());
        })?;
        self.clock += 1;
        let names = vec![copy.name.to_owned()];
        let kept = KeptCopy { stamp: Stamp::new(&stat), names, used: self.clock };
        self.used.insert(self.clock, copy.key.to_owned());
        self.kept.insert(copy.key.to_owned(), kept);
        self.bytes += copy.size;
        Ok(place.path_of(copy))
    }

    /// Removes copies until there is room for another one.
    fn make_room(
        &mut self,
        rules: CopyRules<'_>,
        copy: CopyAs<'_>,
        held: &HashSet<String>,
    ) -> Result<()> {
        let CopyRules { bytes, name, .. } = rules;
        while self.bytes.saturating_add(copy.size) > bytes || self.kept.len() >= limits::COPIES {
            let oldest = self.used.values().find(|key| !held.contains(*key)).cloned();
            let Some(oldest) = oldest else {
                let size = copy.size.saturating_add(self.bytes);
                return Err(Error::too_large(format!(
                    "the copies that the query needs have {size} bytes, and {name} is {bytes}"
                ))
                .with_hint("Ask for fewer or smaller files, or ask the host to raise the limit"));
            };
            self.forget(&oldest)?;
        }
        Ok(())
    }

    /// Removes a copy.
    fn forget(&mut self, key: &str) -> Result<()> {
        let Some(kept) = self.kept.remove(key) else { return Ok(()) };
        self.used.remove(&kept.used);
        self.bytes = self.bytes.saturating_sub(kept.stamp.size());
        let place = self.place.as_ref();
        place.map_or(Ok(()), |place| clear(place.handle.as_fd(), key, 0)).map_err(unwritten)
    }
}

impl Place {
    /// Makes the directory of a database, and removes those of processes that are gone.
    fn make(rules: CopyRules<'_>) -> Result<Self> {
        if cfg!(windows) {
            return Err(Error::tool_failed(
                "a copy of the file would be made, and redline does not write on Windows",
            )
            .with_hint("file_content returns the content without a copy"));
        }
        let temporary = rules.temporary.filter(|path| !path.is_empty());
        let temporary = temporary.and_then(|path| std::path::absolute(path).ok());
        // DuckDB's own default is relative: only where nothing else may be read is it made.
        let is_absolute = rules.temporary.is_some_and(|path| Path::new(path).is_absolute());
        let system = Some(std::env::temp_dir());
        let candidates = [(temporary.clone(), is_absolute), (system, false), (temporary, true)];
        let mut refused = Vec::new();
        for (path, may_make) in candidates {
            let Some(path) = path else { continue };
            match Self::below(&path, may_make, rules.access) {
                Ok(place) => return Ok(place),
                Err(why) => refused.push((path, why)),
            }
        }
        Err(no_place(refused))
    }

    fn below(path: &Path, may_make: bool, access: &Access) -> std::result::Result<Self, Refused> {
        let made = may_make && make(CWD, path, 0o700)?;
        let above = path.canonicalize()?;
        let place = Self::within(above, made, access);
        if place.is_err() && made {
            let _ = std::fs::remove_dir(path);
        }
        place
    }

    fn within(above: PathBuf, made: bool, access: &Access) -> std::result::Result<Self, Refused> {
        let text = above.to_str().ok_or(Refused::Name)?;
        if !is_read_as_written(text) {
            return Err(Refused::Name);
        }
        if !access.lets_duckdb_read(&above) {
            return Err(Refused::Unreadable);
        }
        if !access.is_in_no_sandbox(&above) {
            return Err(Refused::InSandbox);
        }
        let handle = with_handles(|| crate::system::fs::open(&above, DIRECTORY, Mode::empty()))?;
        check_safe(&fstat(&handle)?)?;
        remove_leftovers(&handle);
        loop {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
            let name = format!("{PREFIX}{:016x}", u64::from_be_bytes(bytes));
            if !make(&handle, &name, 0o700)? {
                continue;
            }
            let opened = with_handles(|| openat(&handle, &name, DIRECTORY, Mode::empty()));
            let own = match opened {
                // Between the two calls, another process may have treated it as a leftover.
                Err(Errno::NOENT) => continue,
                opened => opened?,
            };
            if flock(&own, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
                continue;
            }
            let path = above.join(&name);
            let made = made.then(|| above.clone());
            let place = Self { above: handle, made, name, handle: own, path, process: getpid() };
            if place.is_there() {
                return Ok(place);
            }
            return Err(Errno::NOENT.into());
        }
    }

    /// Tells whether the directory is still at its path.
    fn is_there(&self) -> bool {
        let there = statat(&self.above, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let own = fstat(&self.handle);
        matches!((there, own), (Ok(there), Ok(own)) if id_of(&there) == id_of(&own))
    }

    fn path_of(&self, copy: CopyAs<'_>) -> PathBuf {
        self.path.join(copy.key).join(copy.name)
    }

    fn open(&self, key: &str, name: &str, flags: OFlags) -> crate::system::io::Result<OwnedFd> {
        open_beneath(&self.handle, format!("{key}/{name}").as_bytes(), flags)
    }

    /// Adds a name of a copy, and returns its state.
    fn link(&self, key: &str, first: &str, name: &str) -> crate::system::io::Result<Stat> {
        let directory = open_beneath(&self.handle, key.as_bytes(), DIRECTORY)?;
        // A name that was not given here is of somebody else.
        match unlinkat(&directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
        linkat(&directory, first, &directory, name, AtFlags::empty())?;
        fstat(self.open(key, name, FILE)?)
    }

    fn write(
        &self,
        copy: CopyAs<'_>,
        write: impl FnOnce(&mut Sink<'_>) -> Result<()>,
    ) -> Result<Stat> {
        let failed = |error: Errno| unwritten(error.into());
        for name in [NEW, copy.key] {
            clear(self.handle.as_fd(), name, 0).map_err(unwritten)?;
        }
        let mode = Mode::from_raw_mode(0o400);
        let opened = with_handles(|| openat(&self.handle, NEW, CREATE, mode));
        let file = File::from(opened.map_err(failed)?);
        let mut sink = Sink { file: &file, left: copy.size };
        write(&mut sink)?;
        if sink.left > 0 {
            return Err(changed());
        }
        make(&self.handle, copy.key, 0o700).map_err(failed)?;
        let directory =
            open_beneath(&self.handle, copy.key.as_bytes(), DIRECTORY).map_err(failed)?;
        renameat(&self.handle, NEW, &directory, copy.name).map_err(failed)?;
        fstat(&file).map_err(failed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.process != getpid() {
            return;
        }
        // What cannot be removed now is removed by the next database, as the lock ends here.
        let _ = clear(self.above.as_fd(), &self.name, 0);
        if let Some(made) = &self.made {
            let _ = std::fs::remove_dir(made);
        }
    }
}

/// Removes the directories of processes of this user that are gone, as far as that is possible.
fn remove_leftovers(above: &OwnedFd) {
    let Ok(Some(found)) = with_handles(|| entries(above, limits::DIRECTORY_ENTRIES)) else {
        return;
    };
    for entry in found {
        let Ok(name) = std::str::from_utf8(&entry.name) else { continue };
        let digits = name.strip_prefix(PREFIX).unwrap_or_default();
        let is_ours = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !is_ours || entry.kind != EntryKind::Directory {
            continue;
        }
        let opened = with_handles(|| openat(above, name, DIRECTORY, Mode::empty()));
        let Ok(handle) = opened else { continue };
        let is_own = fstat(&handle).is_ok_and(|found| found.st_uid == geteuid().as_raw());
        if is_own && flock(&handle, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = clear(above.as_fd(), name, 0);
        }
    }
}

/// Why a directory cannot hold the copies.
#[derive(Debug)]
enum Refused {
    /// DuckDB's settings do not let it be read.
    Unreadable,
    /// It lies in a sandbox, whose files agents may change.
    InSandbox,
    /// DuckDB would not read its path as it is written.
    Name,
    /// Other users could replace what is in it.
    Others,
    System(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Errno> for Refused {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

/// Refuses a directory in which others could replace the copies.
fn check_safe(found: &Stat) -> std::result::Result<(), Refused> {
    let owner = found.st_uid;
    let is_ours = owner == geteuid().as_raw() || owner == 0;
    let is_shared = mode_of(found) & WRITTEN_BY_OTHERS != 0 && mode_of(found) & STICKY == 0;
    if is_ours && !is_shared { Ok(()) } else { Err(Refused::Others) }
}

fn no_place(refused: Vec<(PathBuf, Refused)>) -> Error {
    let is_limited = refused.iter().any(|(_, why)| matches!(why, Refused::Unreadable));
    if is_limited || refused.is_empty() {
        return Error::permission_denied(
            "enable_external_access is off, and DuckDB may read no directory in which redline could copy the file",
        )
        .with_hint("Ask the host to set temp_directory before enable_external_access, or to add a directory to allowed_directories");
    }
    let why = refused.iter().map(|(path, why)| {
        let why = match why {
            Refused::Unreadable => "is not among allowed_directories",
            Refused::InSandbox => "is in a sandbox",
            Refused::Name => "has a name that DuckDB does not read as it is written",
            Refused::Others => "can be changed by other users",
            Refused::System(_) => "cannot be written",
        };
        format!("{} {why}", quoted(&path.to_string_lossy()))
    });
    let error = Error::tool_failed(format!(
        "there is no directory for a copy of the file: {}",
        why.collect::<Vec<_>>().join(", ")
    ))
    .with_hint("Let temp_directory name a directory that this process may write");
    let system = refused.into_iter().find_map(|(_, why)| match why {
        Refused::System(system) => Some(system),
        _ => None,
    });
    match system {
        Some(system) => error.with_source(system),
        None => error,
    }
}

/// Returns the error of a content that has another size than it had when it was found.
fn changed() -> Error {
    Error::stale("the file changed while it was copied").with_hint("Ask again")
}

fn unwritten(error: io::Error) -> Error {
    let (words, _) = why_unwritten(&error);
    Error::tool_failed(format!("the copy of the file cannot be written: {words}"))
        .with_hint("Let temp_directory name a directory with room for it")
        .with_source(error)
}

#[cfg(all(test, unix))]
#[path = "copies/tests.rs"]
mod tests;
