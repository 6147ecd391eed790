//! A call that writes into a git directory: `committing` and `uncommitting` make them.

use super::blind_call::BlindCall;
use super::git_place::GitPlace;
use super::planned::{Maker, Planned, Showing};
use super::planned_git::PlannedGit;
use redline_base::budget::Gather;
use redline_base::error::{Error, Result};
use redline_edit::{FileTool, Proposal};
use redline_git::{GitPlan, Repository};
use redline_sandbox::SandboxPath;

/// What plans the writing.
type MakePlan<'a> = Box<dyn Fn(&Repository) -> Result<GitPlan> + Sync + 'a>;

/// A call that writes into a git directory.
pub(super) struct GitCall<'a> {
    pub place: GitPlace<'a>,
    pub tool: FileTool,
    pub arguments: Vec<Vec<u8>>,
    pub plan: MakePlan<'a>,
    pub reason: Option<String>,
    pub is_dry_run: bool,
    /// What the plan was made from; empty before.
    pub basis: Vec<u8>,
}

impl<'a> Maker<'a> for GitCall<'a> {
    type Report = ();

    fn call(&self) -> BlindCall<'_> {
        let (path, shown) = (self.place.prefix.clone(), self.place.repo.clone());
        let arguments = self.arguments.iter().map(Vec::as_slice).gather();
        let call = BlindCall::of_files(self.tool, self.place.sandbox, arguments);
        BlindCall { path, shown, basis: &self.basis, ..call }
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        Vec::new()
    }

    fn plan(&mut self) -> Result<Planned<'a, ()>> {
        let planned = self.place.plan(&self.plan)?;
        self.basis.clone_from(&planned_git(&planned)?.plan.basis);
        Ok(planned)
    }

    fn needs_approval(&self, _: &Planned<'a, ()>, _: bool) -> bool {
        let asked = self.place.sandbox.approvals;
        asked.write || asked.edit
    }

    fn proposal(
        &self,
        planned: &Planned<'a, ()>,
        Showing { id, .. }: Showing<'_>,
    ) -> Result<Proposal> {
        let git = planned_git(planned)?;
        let action = match (self.tool, &git.plan.commit) {
            (FileTool::Stage, _) => "stage",
            (FileTool::Unstage, _) => "unstage",
            (FileTool::UndoGit, None) => "undo",
            _ => "commit",
        };
        let names = [self.place.repo.as_str(), &self.place.sandbox.name];
        Ok(Proposal::commit(names, git.facts(action)?, git.shown(), &git.diff(), id))
    }

    fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    fn reason(&self) -> Option<String> {
        self.reason.clone()
    }
}

/// Returns what a call writes into a git directory.
///
/// # Errors
/// `tool_failed` if it writes into none.
pub(super) fn planned_git<'p, T>(planned: &'p Planned<'_, T>) -> Result<&'p PlannedGit> {
    let git = planned.git.as_deref();
    git.ok_or_else(|| Error::tool_failed("nothing was planned for a git directory"))
}
