//! A repository that a sandbox lets be written.

use super::file_tools::FileTools;
use super::planned::Planned;
use super::planned_git::PlannedGit;
use redline_base::budget::{Gather, Joined, Taken};
use redline_base::error::{Error, Result, quoted};
use redline_git::{GitPlan, Repository};
use redline_sandbox::{GitGrant, Sandbox};
use redline_text::CancelToken;

/// A repository in a sandbox that lets it be written.
pub(super) struct GitPlace<'a> {
    tools: &'a FileTools,
    /// The repository, as it was named.
    pub repo: String,
    /// The sandbox.
    pub sandbox: &'a Sandbox,
    /// What may be written in it.
    pub grant: &'a GitGrant,
    /// The path of the work tree beneath the root, with a trailing slash, or empty.
    pub prefix: String,
}

impl<'a> GitPlace<'a> {
    /// Finds the sandbox of a repository.
    ///
    /// # Errors
    /// `fs_denied` if no sandbox lets the repository be written.
    pub fn new(tools: &'a FileTools, repo: &str) -> Result<Self> {
        let caller = tools.caller();
        let sandboxes = caller.context.access.sandboxes().ok_or_else(|| {
            Error::fs_denied("no repository can be written: no sandbox is configured").with_hint(
                "Ask the host for a sandbox with \"mode\": \"rw\" and \"git\": \"commit\" in redline_sandboxes",
            )
        })?;
        let work_tree = caller.context.read(|| {
            let repository = caller.context.repository(repo)?;
            let directories = GitPlan::directories(&repository)?;
            sandboxes.committable(repo, &directories)?;
            Ok(directories.map(std::path::Path::to_path_buf))
        })?;
        let directories = work_tree.each_ref().map(std::path::PathBuf::as_path);
        let (sandbox, grant) = sandboxes.committable(repo, &directories)?;
        let below = directories[2].strip_prefix(&sandbox.path).unwrap_or(directories[2]);
        let below = below.to_string_lossy().taken();
        let prefix = if below.is_empty() { below } else { below + "/" };
        Ok(Self { tools, repo: repo.to_owned(), sandbox, grant, prefix })
    }

    /// Plans what is written there.
    ///
    /// # Errors
    /// Those of the plan; `permission_denied` for a branch that the sandbox does not allow, and for
    /// what git would run there.
    pub fn plan(
        &self,
        plan: impl FnOnce(&Repository) -> Result<GitPlan> + Send,
    ) -> Result<Planned<'a, ()>> {
        let context = &self.tools.caller().context;
        let git = context.read(|| {
            let plan = plan(&context.repository(&self.repo)?)?;
            self.check(&plan)?;
            let sandbox = [&self.sandbox.name, &*self.sandbox.path.to_string_lossy()];
            let sandbox = sandbox.map(ToOwned::to_owned);
            let cancel = CancelToken::of(self.tools.budget());
            PlannedGit::new(plan, &self.repo, sandbox, self.prefix.clone(), &cancel)
        })?;
        Ok(Planned { files: Vec::new(), git: Some(Box::new(git)), report: () })
    }

    /// Refuses a branch that the sandbox does not allow, and what git would run there.
    fn check(&self, plan: &GitPlan) -> Result<()> {
        if plan.moved().is_some() && !self.grant.allows(plan.branch()) {
            let branch = plan.branch().map(String::from_utf8_lossy);
            let branch = branch.as_deref().map(|name| name.trim_start_matches("refs/heads/"));
            let what = match branch {
                Some(name) => format!("the branch {} may not be committed to", quoted(name)),
                None => "HEAD is on no branch".to_owned(),
            };
            return Err(Error::permission_denied(format!(
                "{what}: the sandbox {} allows {}",
                quoted(&self.sandbox.name),
                self.grant.names().iter().map(|name| quoted(name)).gather::<Vec<_>>().joined(", ")
            ))
            .with_hint("A person checks out an allowed branch, or changes git_branches"));
        }
        if !plan.programs.is_empty() && !self.grant.skips_hooks {
            return Err(Error::permission_denied(format!(
                "git would run a program here, and redline runs none: {}",
                plan.programs.joined(", ")
            ))
            .with_hint(
                "A person commits with git; or the host sets \"git_hooks\": \"skip\" for the sandbox, and each commit says what was not run",
            ));
        }
        Ok(())
    }
}
