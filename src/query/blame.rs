//! A blame with the fields of its commits.

use std::collections::HashMap;
use std::sync::Arc;

use super::needs::{Need, Needs};
use crate::error::Result;
use crate::git::{Blame, BlamedRun, BlamedVersion, CommitInfo, Mailmap, Oid, Repository};

/// A blame, and the commits of its versions.
pub struct Blamed {
    /// The version of each line.
    pub blame: Blame,
    /// The fields of each version's commit, if needed.
    infos: Vec<Option<Arc<CommitInfo>>>,
}

impl Blamed {
    /// Reads the needed fields of a blame's commits.
    pub fn new(
        blame: Blame,
        repository: &Repository,
        mailmap: Option<&Mailmap>,
        needs: Needs,
    ) -> Result<Self> {
        let infos = if needs.has(Need::Info) {
            infos(repository, &blame.versions, mailmap)?
        } else {
            Vec::new()
        };
        Ok(Self { blame, infos })
    }

    /// Returns the version of a run.
    pub fn version(&self, run: BlamedRun) -> &BlamedVersion {
        &self.blame.versions[run.version]
    }

    /// Returns the fields of a run's commit.
    pub fn info(&self, run: BlamedRun) -> Option<&CommitInfo> {
        self.infos.get(run.version)?.as_deref()
    }
}

/// Reads the fields of the versions' commits.
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
