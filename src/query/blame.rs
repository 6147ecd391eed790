//! A blame with what its commits say of themselves.

use std::collections::HashMap;
use std::sync::Arc;

use super::needs::{INFO, Needs};
use crate::error::Result;
use crate::git::{Blame, BlamedRun, BlamedVersion, CommitInfo, Mailmap, Oid, Repository};

/// A blame, and the commits of its versions.
pub struct Blamed {
    /// Which version each line is from.
    pub blame: Blame,
    /// What the commit of each version says, where that was asked for.
    infos: Vec<Option<Arc<CommitInfo>>>,
}

impl Blamed {
    /// Reads what the needs ask of the commits of a blame.
    pub fn new(
        blame: Blame,
        repository: &Repository,
        mailmap: Option<&Mailmap>,
        needs: Needs,
    ) -> Result<Self> {
        let infos = if needs & INFO == 0 {
            Vec::new()
        } else {
            infos(repository, &blame.versions, mailmap)?
        };
        Ok(Self { blame, infos })
    }

    /// Returns the version that the lines of a run are from.
    pub fn version(&self, run: BlamedRun) -> &BlamedVersion {
        &self.blame.versions[run.version]
    }

    /// Returns what the commit of a run says of itself.
    pub fn info(&self, run: BlamedRun) -> Option<&CommitInfo> {
        self.infos.get(run.version)?.as_deref()
    }
}

/// Reads what the commits of versions say of themselves.
fn infos(
    repository: &Repository,
    versions: &[BlamedVersion],
    mailmap: Option<&Mailmap>,
) -> Result<Vec<Option<Arc<CommitInfo>>>> {
    let (objects, cancel) = (repository.objects(), repository.cancel());
    let mut known: HashMap<Oid, Arc<CommitInfo>> = HashMap::new();
    let mut infos = Vec::with_capacity(versions.len());
    for version in versions {
        let Some(id) = version.commit else {
            infos.push(None);
            continue;
        };
        let info = match known.get(&id) {
            Some(info) => Arc::clone(info),
            None => {
                let info = Arc::new(CommitInfo::read(&objects.commit(&id)?, mailmap, &cancel)?);
                known.insert(id, Arc::clone(&info));
                info
            }
        };
        infos.push(Some(info));
    }
    Ok(infos)
}
