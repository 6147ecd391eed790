//! Opening a repository: the one place, and the one recipe.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use super::Oid;
use super::cache::Cache;
use super::checkout::Checkout;
use super::diff_attribute::{Drivers, drivers};
use super::locate::{Location, locate};
use super::objects::Objects;
use super::packs::Packs;
use super::parts::Parts;
use super::repositories::{Opened, Repositories};
use super::store::{Gate, GitDirectory};
use crate::error::{Error, Result, quoted};
use crate::limits;
use crate::sandbox::Access;

/// An open repository; cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Repository {
    pub(super) location: Arc<Location>,
    /// The path as the user gave it, for messages.
    pub(super) given: Arc<str>,
    /// Blobs of more bytes are binary, `core.bigFileThreshold`.
    big_file_bytes: u64,
    quotes_high: bool,
    pub(super) drivers: Arc<Drivers>,
    pub(super) checkout: Checkout,
    /// What submodules may be read.
    pub(super) access: Arc<Access>,
    pub(super) opened: Opened,
    /// The directory with HEAD.
    #[allow(dead_code, reason = "the references that are read through it follow")]
    pub(super) git_dir: GitDirectory,
    /// The directory with the references that all work trees share.
    #[allow(dead_code, reason = "the references that are read through it follow")]
    pub(super) common_dir: GitDirectory,
    /// The repository's own configuration.
    #[allow(dead_code, reason = "upstream branches are read from it next")]
    pub(super) config: Arc<gix::config::File>,
    cache: Arc<Cache>,
    /// What is kept of repositories.
    repositories: Arc<Repositories>,
}

impl Repository {
    /// Opens the repository that `given` names, if `access` allows all it would read from.
    ///
    /// Nothing of the repository is ever run: the environment and the user's and system's
    /// configuration take no part, and the repository's own configuration is trusted with
    /// nothing but plain values. One that stayed open in `repositories` is used again; of what is read,
    /// `cache_bytes` are kept.
    pub fn open(
        given: &str,
        access: &Arc<Access>,
        repositories: &Arc<Repositories>,
        cache_bytes: usize,
    ) -> Result<Self> {
        let location = locate(given, access)?;
        Parts::new(access, given).check(&location)?;
        let config = read_config(&location, given)?;
        check_format(&config, given)?;
        let options = gix::open::Options::isolated()
            // After `isolated`: ownership, safe.directory and the environment cannot raise it.
            .with(gix::sec::Trust::Reduced)
            .open_path_as_is(true)
            .config_overrides([
                // Reduced trust would cap objects at 16 MiB.
                format!("gitoxide.objects.allocLimit={}", limits::OBJECT_BYTES),
                // The id asked for is the object that is read.
                "core.useReplaceRefs=false".to_owned(),
            ]);
        let open = || {
            options.open(&location.git_dir).map_err(|error| {
                Error::tool_failed(format!("the repository at {} cannot be opened", quoted(given)))
                    .with_hint("Its HEAD or its configuration is damaged; run 'git fsck' there")
                    .with_source(error)
            })
        };
        let opened = repositories.get(&location, &config.to_bstring(), open)?;
        let big_file_bytes = config
            .integer("core.bigFileThreshold")
            .ok()
            .flatten()
            .and_then(|bytes| u64::try_from(bytes).ok())
            .unwrap_or(limits::BIG_FILE_BYTES);
        let quotes_high = config.boolean("core.quotePath").ok().flatten().unwrap_or(true);
        let is_bare = config.boolean("core.bare").ok().flatten().unwrap_or(false);
        let location = match location {
            Location { git_dir, common_dir, .. } if is_bare && git_dir == common_dir => {
                Location { git_dir, common_dir, work_tree: None, folder: Vec::new() }
            }
            linked => linked,
        };
        let gate = Gate::new(access, given);
        let directory = |path: &Path| gate.open(path)?.ok_or_else(|| gate.damaged("its git directory is missing"));
        Ok(Self {
            opened,
            git_dir: directory(&location.git_dir)?,
            common_dir: directory(&location.common_dir)?,
            location: Arc::new(location),
            given: given.into(),
            big_file_bytes,
            quotes_high,
            drivers: Arc::new(drivers(&config)),
            checkout: Checkout::new(&config),
            config: Arc::new(config),
            access: Arc::clone(access),
            cache: repositories.cache(cache_bytes),
            repositories: Arc::clone(repositories),
        })
    }

    /// Returns a reader of objects for one thread.
    pub fn objects(&self) -> Objects {
        let repo = self.opened.inner.to_thread_local();
        Objects::new(repo, Arc::clone(&self.given), self.packs(), Arc::clone(&self.cache))
    }

    /// Returns the mapped packs.
    pub(super) fn packs(&self) -> Arc<Packs> {
        let packs = self.opened.packs.get_or_init(|| {
            let stores = self.opened.stores(&self.location);
            Arc::new(Packs::open(&stores, self.object_hash(), || self.repositories.number()))
        });
        Arc::clone(packs)
    }

    /// Opens another repository, with what is kept for this one.
    pub(super) fn open_other(&self, given: &str) -> Result<Self> {
        Self::open(given, &self.access, &self.repositories, self.cache.capacity())
    }

    /// Returns the work tree's folder; a bare repository has none.
    pub(super) fn work_tree(&self) -> Result<&Path> {
        self.location.work_tree.as_deref().ok_or_else(|| {
            Error::invalid_args(format!("the repository at {} is bare: it has no work tree", quoted(&self.given)))
                .with_hint("Compare two revisions")
        })
    }

    /// Returns the commit that is checked out, `None` before the first one.
    pub(super) fn head(&self) -> Option<Oid> {
        self.opened.inner.to_thread_local().head_id().ok().map(gix::Id::detach)
    }

    /// Returns the kind of the repository's ids.
    pub(super) fn object_hash(&self) -> gix::hash::Kind {
        self.opened.inner.to_thread_local().object_hash()
    }

    /// Returns the size in bytes above which a blob is binary.
    pub fn big_file_bytes(&self) -> u64 {
        self.big_file_bytes
    }

    /// Tells whether patches quote paths for bytes from 0x80 on: `core.quotePath`.
    pub(super) fn quotes_high(&self) -> bool {
        self.quotes_high
    }
}

/// Reads the repository's own configuration, without includes: the common file, then the work
/// tree's where the common one says that there is one.
fn read_config(location: &Location, given: &str) -> Result<gix::config::File> {
    let mut config = read_config_file(&location.common_dir.join("config"), given)?;
    if config.boolean("extensions.worktreeConfig").ok().flatten().unwrap_or(false) {
        let own = read_config_file(&location.git_dir.join("config.worktree"), given)?;
        config.append(own).map_err(|error| {
            Error::tool_failed(format!("the configuration of the repository at {} cannot be read", quoted(given)))
                .with_source(error)
        })?;
    }
    Ok(config)
}

fn read_config_file(path: &Path, given: &str) -> Result<gix::config::File> {
    let damaged = || {
        Error::tool_failed(format!("the configuration of the repository at {} cannot be read", quoted(given)))
            .with_hint("Run 'git config --list' there to see what is wrong")
    };
    let bytes = match fs::metadata(path) {
        Ok(found) if found.len() > limits::CONFIG_BYTES => return Err(damaged()),
        Ok(_) => fs::read(path).map_err(|error| damaged().with_source(error))?,
        Err(_) => Vec::new(),
    };
    gix::config::File::from_bytes_no_includes(&bytes, gix::config::file::Metadata::api(), Default::default())
        .map_err(|_| damaged())
}

/// Refuses repositories in a format that we would misread: gix opens them silently.
fn check_format(config: &gix::config::File, given: &str) -> Result<()> {
    /// What every version may carry.
    const ALWAYS: [&str; 4] = ["noop", "preciousobjects", "partialclone", "worktreeconfig"];
    /// What git accepts from version 1 on.
    const FROM_VERSION_1: [&str; 5] =
        ["noop-v1", "objectformat", "compatobjectformat", "refstorage", "relativeworktrees"];
    let refused = |what: String| {
        Error::tool_failed(format!("the repository at {} {what}", quoted(given)))
            .with_hint("redline refuses what it would misread; docs/limitations.md lists the formats it knows")
    };
    let version = match config.integer("core.repositoryformatversion") {
        Ok(version) => version.unwrap_or(0),
        Err(_) => return Err(refused("has a core.repositoryformatversion that is no number".to_owned())),
    };
    if !(0..=1).contains(&version) {
        return Err(refused(format!("has format version {version}, and git knows 0 and 1")));
    }
    let sections = config.sections_by_name("extensions").into_iter().flatten();
    for section in sections {
        for name in section.value_names() {
            let name = name.to_ascii_lowercase();
            let value = section.value(&name).unwrap_or_default();
            let shown = quoted(&name);
            if FROM_VERSION_1.contains(&name.as_str()) && version == 0 {
                return Err(refused(format!("has format version 0 and the extension {shown}, which needs version 1")));
            }
            match name.as_str() {
                "refstorage" if !value.eq_ignore_ascii_case(b"files") => {
                    return Err(refused(format!("stores its references as {}", quoted(&value.to_str_lossy()))));
                }
                "objectformat" if !matches!(value.as_slice(), b"sha1" | b"sha256") => {
                    return Err(refused(format!("has objects of format {}", quoted(&value.to_str_lossy()))));
                }
                known if ALWAYS.contains(&known) || FROM_VERSION_1.contains(&known) => {}
                // git itself looks at unknown extensions only from version 1 on.
                _ if version == 0 => {}
                _ => return Err(refused(format!("uses the unknown extension {shown}"))),
            }
        }
    }
    Ok(())
}
