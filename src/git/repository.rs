//! Opens repositories: the only place, in one way.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::Oid;
use crate::config::checkout::Checkout;
use crate::config::drivers::{Drivers, drivers};
use crate::model::id_tables::IdSet;
use crate::model::settings::{boolean, integer};
use crate::objects::Objects;
use crate::pathspec::{PathFilter, Pathspec};
use crate::refs::{Packed, References, Resolved};
use crate::store::cache::Cache;
use crate::store::{
    Gate, GitDirectory, Graph, Lease, Location, ObjectStore, Repositories, check_work_tree,
    is_repository, locate, read_config, with_configured_work_tree,
};
use redline_base::budget::Budget;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::os_path;
use redline_sandbox::{Access, OpenError, RefLimit, Root};
use redline_text::CancelToken;

/// An open repository; cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Repository {
    pub(super) location: Arc<Location>,
    /// The given path, for messages.
    pub(super) given: Arc<str>,
    /// The size in bytes above which blobs are binary, `core.bigFileThreshold`.
    pub(super) big_file_bytes: u64,
    /// Whether patches quote paths with bytes of 0x80 and above: `core.quotePath`.
    pub(super) quotes_high: bool,
    pub(super) drivers: Arc<Drivers>,
    pub(super) checkout: Checkout,
    /// The access rules, also for submodules.
    access: Arc<Access>,
    /// The repository's own configuration.
    pub(super) config: Arc<gix::config::File>,
    /// The object directories.
    pub(super) store: Arc<ObjectStore>,
    cache: Arc<Cache>,
    /// The budget of reading.
    budget: Arc<Budget>,
    /// The number of threads that may read the index, check the work tree and find renames.
    pub(super) threads: usize,
    _lease: Arc<Lease>,
    /// The caches between queries.
    pub(super) repositories: Arc<Repositories>,
    /// The readable references, if a sandbox limits them.
    ref_limit: Option<Arc<RefLimit>>,
    /// The commits and tags reachable from these, once computed.
    pub(super) nameable: Arc<OnceLock<IdSet>>,
}

impl Repository {
    /// Opens the repository that `given` names, if `access` allows everything it would read.
    ///
    /// Nothing of the repository is ever executed: the environment and the user's and system's
    /// configuration are not read, and only plain values of the repository's own configuration are
    /// used. A repository that is still open in `repositories` is reused; `cache_bytes` of the
    /// objects read are cached.
    pub fn open(
        given: &str,
        access: &Arc<Access>,
        repositories: &Arc<Repositories>,
        cache_bytes: usize,
    ) -> Result<Self> {
        let gate = Gate::new(access, given);
        let location = locate(&gate)?;
        let config = read_config(&location.git_dir, &location.common_dir)?;
        let hash = match config.string("extensions.objectFormat") {
            Some(format) if format.as_slice() == b"sha256" => gix::hash::Kind::Sha256,
            _ => gix::hash::Kind::Sha1,
        };
        let store = ObjectStore::open(&location.common_dir, hash, repositories)?;
        let big_file_bytes = integer(&config, "core", "bigFileThreshold")
            .and_then(|bytes| u64::try_from(bytes).ok())
            .unwrap_or(limits::BIG_FILE_BYTES);
        let quotes_high = boolean(&config, "core", "quotePath").unwrap_or(true);
        let location = with_configured_work_tree(location, &config)?;
        check_work_tree(&location)?;
        let mut directories = vec![location.git_dir.path(), location.common_dir.path()];
        // Borrowed objects belong to another repository.
        directories.extend(store.directories().iter().map(GitDirectory::path));
        let ref_limit = access.ref_limit(&directories).map(Arc::new);
        Ok(Self {
            ref_limit,
            nameable: Arc::default(),
            store: Arc::new(store),
            location: Arc::new(location),
            given: given.into(),
            big_file_bytes,
            quotes_high,
            drivers: Arc::new(drivers(&config)),
            checkout: Checkout::new(&config),
            config: Arc::new(config),
            access: Arc::clone(access),
            budget: Arc::default(),
            threads: 1,
            _lease: Arc::new(repositories.lease()),
            cache: repositories.cache(cache_bytes),
            repositories: Arc::clone(repositories),
        })
    }

    /// Returns the access rules.
    pub fn access(&self) -> &Arc<Access> {
        &self.access
    }

    /// Returns the budget of reading.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Returns a reader of objects for one thread.
    pub fn objects(&self) -> Objects {
        Objects::new(
            Arc::clone(&self.given),
            Arc::clone(&self.store),
            Arc::clone(&self.cache),
            Arc::clone(&self.budget),
        )
    }

    /// Returns a reader of the references.
    pub(super) fn references(&self) -> References<'_> {
        let (kept, hash) = (&self.repositories, self.object_hash());
        References::new(&self.location, &self.config, kept, hash, self.ref_limit.as_deref())
    }

    /// Returns the readable references, if a sandbox limits them.
    pub(super) fn ref_limit(&self) -> Option<&RefLimit> {
        self.ref_limit.as_deref()
    }

    /// Returns the commit-graph; empty if there is none, or the configuration turns it off.
    pub(super) fn graph(&self) -> Result<Arc<Graph>> {
        let is_on = boolean(&self.config, "core", "commitGraph").unwrap_or(true);
        if is_on { self.store.graph() } else { Ok(Arc::default()) }
    }

    /// Opens another repository with the same cache.
    pub(super) fn open_other(&self, given: &str) -> Result<Self> {
        let other = Self::open(given, &self.access, &self.repositories, self.cache.capacity())?;
        Ok(other.with_budget(Arc::clone(&self.budget)).with_threads(self.threads))
    }

    /// Sets the budget of reading.
    #[must_use]
    pub fn with_budget(self, budget: Arc<Budget>) -> Self {
        Self { budget, ..self }
    }

    /// Sets the number of threads that may read the index, check the work tree and find renames.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Returns the token that cancels long searches.
    pub fn cancel(&self) -> CancelToken<'_> {
        CancelToken::of(&self.budget)
    }

    /// Returns a name for people: of its sandbox, else of its directory.
    pub fn name(&self) -> String {
        if self.access.sandboxes().is_some() {
            return self.given.to_string();
        }
        let path = self.location.common_dir.path();
        let is_inside = path.file_name().is_some_and(|name| name == ".git");
        let path = if is_inside { path.parent().unwrap_or(path) } else { path };
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Returns the work tree's directory; a bare repository has none.
    pub(super) fn work_tree(&self) -> Result<&Path> {
        self.location.work_tree.as_deref().ok_or_else(|| {
            Error::invalid_args(format!(
                "the repository at {} is bare: it has no work tree",
                quoted(&self.given)
            ))
            .with_hint("Compare two revisions")
        })
    }

    /// Tells whether a directory of the work tree is a repository of its own.
    ///
    /// # Errors
    /// `fs_denied` if its `.git` leads to where nothing may be read; those of the system.
    pub(super) fn is_repository(&self, directory: &[u8]) -> Result<bool> {
        let path = self.work_tree()?.join(os_path::of_git(directory));
        is_repository(self.location.git_dir.gate(), &path)
    }

    /// Opens the work tree, within the access rules.
    pub(super) fn work_tree_root(&self) -> Result<Root> {
        let opened = self.open_work_tree(self.work_tree()?);
        opened.map_err(|error| self.no_work_tree(error))
    }

    /// Opens the work tree; `None` in a bare repository, and if there is none that may be read.
    pub(super) fn work_tree_if_any(&self) -> Result<Option<Root>> {
        let Some(path) = self.location.work_tree.as_deref() else { return Ok(None) };
        match self.open_work_tree(path) {
            Ok(root) => Ok(Some(root)),
            Err(error @ (OpenError::System(_) | OpenError::Stopped(_))) => {
                Err(self.no_work_tree(error))
            }
            Err(_) => Ok(None),
        }
    }

    fn open_work_tree(&self, path: &Path) -> std::result::Result<Root, OpenError> {
        self.access.open_directory(path)?.root()
    }

    fn no_work_tree(&self, error: OpenError) -> Error {
        let failed = Error::tool_failed(format!(
            "the work tree of the repository at {} cannot be read",
            quoted(&self.given)
        ));
        match error {
            OpenError::Outside | OpenError::Link => self.access.outside(&self.given),
            OpenError::System(error) => failed.with_source(error),
            OpenError::Stopped(stopped) => stopped.into(),
            _ => failed,
        }
    }

    /// Returns the checked-out commit, `None` before the first one, or if it may not be read.
    ///
    /// # Errors
    /// `tool_failed` if HEAD or its target cannot be read or is invalid.
    pub(super) fn head(&self) -> Result<Option<Oid>> {
        let references = self.references();
        match references.resolve(b"HEAD")? {
            Resolved::Id { id, .. } => Ok(Some(id)),
            Resolved::Dangling(name) if name.starts_with(b"refs/") => Ok(None),
            Resolved::Absent if self.ref_limit.is_some() => Ok(None),
            _ => Err(references.damaged(b"HEAD", "leads to no object")),
        }
    }

    /// Returns the commits that are being merged into the checked-out one.
    pub(super) fn merge_heads(&self) -> Result<Vec<Oid>> {
        if self.ref_limit.is_some() {
            // No reference names them.
            return Ok(Vec::new());
        }
        let bytes =
            self.location.git_dir.read(b"MERGE_HEAD", limits::REFLOG_BYTES)?.unwrap_or_default();
        let ids = bytes.split(|&byte| byte == b'\n');
        Ok(ids.filter_map(|line| Oid::from_hex(line).ok()).collect())
    }

    /// Returns the hash kind of the repository's ids.
    pub(super) fn object_hash(&self) -> gix::hash::Kind {
        self.store.hash()
    }

    /// Returns the path from the root for `path` in `asked`, as in git's `rev:path`: one that
    /// begins with `./` or `../` is relative to the directory given as `repo`.
    ///
    /// # Errors
    /// `invalid_args` if such a path leads outside, or there is no work tree.
    pub fn path_from_root(&self, path: &[u8], asked: &str) -> Result<Vec<u8>> {
        if !path.starts_with(b"./") && !path.starts_with(b"../") {
            return Ok(path.to_vec());
        }
        let refused = |what: &str, hint: &str| {
            Error::invalid_args(format!("{} names {what}", quoted(asked)))
                .with_hint(hint.to_owned())
        };
        if self.location.work_tree.is_none() {
            let hint = "Write the path from the root of the repository, without './'";
            return Err(refused(
                "a path relative to a directory, and a bare repository has no work tree",
                hint,
            ));
        }
        let from_root = [&self.location.directory[..], b"/", path].concat();
        let mut names: Vec<&[u8]> = Vec::new();
        for name in from_root.split(|&byte| byte == b'/') {
            match name {
                b"" | b"." => {}
                b".." => {
                    if names.pop().is_none() {
                        let hint = "A relative path starts at the directory that the argument 'repo' names";
                        return Err(refused("a path outside of the work tree", hint));
                    }
                }
                name => names.push(name),
            }
        }
        let mut whole = names.join(&b'/');
        let last = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if matches!(last, b"" | b"." | b"..") && !whole.is_empty() {
            whole.push(b'/');
        }
        Ok(whole)
    }

    /// Returns the same for a file given as an argument.
    ///
    /// # Errors
    /// As above, and `invalid_args` if the name of the directory is not UTF-8.
    pub fn file_from_root(&self, file: &str) -> Result<String> {
        String::from_utf8(self.path_from_root(file.as_bytes(), file)?).map_err(|_| {
            Error::invalid_args(format!(
                "{} starts at a directory whose name is not valid UTF-8",
                quoted(file)
            ))
            .with_hint("Name the repository by its root")
        })
    }

    /// Returns the filter of pathspecs, relative to the given directory.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub(super) fn path_filter(&self, specs: &[Pathspec]) -> Result<PathFilter> {
        PathFilter::new(specs, &self.location.directory)
    }

    /// Returns the packed references, to be read once for several readers.
    pub fn packed_references(&self) -> Result<Arc<Packed>> {
        self.references().packed()
    }
}
