//! A call that changes files, from its plan to its end: the plan for the current files, the
//! question to a person, the record, the write. Each tool only makes its change set.

use super::approval_check::{ApprovalCheck, Asking};
use super::blind_call::BlindCall;
use super::file_tools::FileTools;
use super::planned::{Maker, Planned, PlannedFile};
use super::recorded::{Recorded, file_at};
use redline_base::budget::{Copied, Gather};
use redline_base::error::{Error, ErrorKind, Result};
use redline_base::limits;
use redline_edit::Digest;
use redline_sandbox as sandbox;
use redline_sandbox::SandboxPath;

/// A call that was made, or would have been.
pub(super) struct Made<'a, T> {
    /// The id of the operation; `None` if nothing was written.
    pub id: Option<String>,
    /// The files.
    pub planned: Planned<'a, T>,
    /// Whether the caller may be told what the files hold.
    pub is_shown: bool,
}

impl<T> Made<'_, T> {
    /// Returns `applied`, `already_applied` or `would_apply`.
    pub fn outcome(&self) -> &'static str {
        match self.id {
            Some(_) => "applied",
            None if self.planned.is_unchanged() => "already_applied",
            None => "would_apply",
        }
    }
}

impl FileTools {
    /// Makes a call: all of its change set or nothing.
    ///
    /// # Errors
    /// Those of the plan, of approvals, of the journal and of the writer.
    pub(super) fn change<'a, M: Maker<'a>>(&'a self, maker: &mut M) -> Result<Made<'a, M::Report>> {
        let files = maker.places().into_iter().map(file_at).gather();
        let recorded = Recorded::new(self.caller(), maker.call().tool.name(), files);
        recorded.set_reason(maker.reason());
        let made = self.change_recorded(maker, &recorded);
        if maker.is_dry_run() { made } else { recorded.end(made) }
    }

    fn change_recorded<'a, M: Maker<'a>>(
        &'a self,
        maker: &mut M,
        recorded: &Recorded<'_>,
    ) -> Result<Made<'a, M::Report>> {
        let mut check = ApprovalCheck::new(self.caller(), maker);
        let is_shown = !check.is_unseen;
        let made = |id, planned| Made { id, planned, is_shown };
        if check.maker.is_dry_run() {
            check.check_seen()?;
        }
        for tries in 1.. {
            let planned = check.plan()?;
            if check.maker.is_dry_run() {
                check.check_declined(&planned)?;
                return Ok(made(None, planned));
            }
            let copy = check.maker.is_refused_twice().then(|| check.id());
            self.refuse_copy(&check.maker.call(), copy)?;
            let asks = check.asks(&planned);
            if asks {
                recorded.allowed_by(check.consume(&planned)?);
            }
            if planned.is_unchanged() {
                return Ok(made(None, planned));
            }
            recorded.begin(&planned.files, planned.git.as_deref())?;
            let done = || self.record_copy(copy);
            let written = match &planned.git {
                Some(git) => git.plan.write(done),
                None => sandbox::apply(&planned.changes(), done),
            };
            match written {
                // Another writer was faster. A call with a version, or one whose payload was shown,
                // means that version.
                Err(error)
                    if error.kind() == ErrorKind::Stale
                        && check.maker.takes_any_version()
                        && !asks
                        && tries < limits::PATCH_TRIES =>
                {
                    self.budget().check()?;
                    if let [file] = &planned.files[..]
                        && let Some(planned) =
                            self.change_locked(check.maker, &file.place, recorded, copy)
                    {
                        return planned.map(|planned| made(Some(recorded.id()), planned));
                    }
                }
                written => return written.map(|()| made(Some(recorded.id()), planned)),
            }
        }
        unreachable!("the last try returns")
    }

    /// Makes a call on the current content of its only file while no other writer changes it;
    /// `None` if it cannot be planned so.
    fn change_locked<'a, M: Maker<'a>>(
        &self,
        maker: &mut M,
        place: &SandboxPath<'a>,
        recorded: &Recorded<'_>,
        copy: Option<Digest>,
    ) -> Option<Result<Planned<'a, M::Report>>> {
        let mut last = None;
        let mut cannot = false;
        let written = place.rewrite(
            |found| {
                let Some(planned) = maker.plan_of(found) else {
                    cannot = true;
                    return Err(Error::tool_failed("the call is planned for the current files"));
                };
                let planned = planned?;
                // A copy of this call may have made it in the meantime.
                self.refuse_copy(&maker.call(), copy)?;
                recorded.begin(&planned.files, None)?;
                let after = planned.files.first().and_then(PlannedFile::after);
                let content = after.map(|after| after.content.copied_vec()).unwrap_or_default();
                last = Some(planned);
                Ok(content)
            },
            || self.record_copy(copy),
        );
        let made = written.and_then(|()| {
            last.ok_or_else(|| Error::tool_failed("a file was written without a plan"))
        });
        (!cannot).then_some(made)
    }

    /// Returns the payload that a person decides on, `None` if no approval is needed. A dry run
    /// asks nobody.
    ///
    /// # Errors
    /// As [`ApprovalCheck::payload`].
    pub(super) fn ask<'a, M: Maker<'a>>(
        &'a self,
        maker: &mut M,
        asking: Asking,
    ) -> Result<Option<String>> {
        if maker.is_dry_run() {
            return Ok(None);
        }
        ApprovalCheck::new(self.caller(), maker).payload(asking)
    }

    /// Refuses a call that a copy of it has made in this statement.
    fn refuse_copy(&self, call: &BlindCall<'_>, copy: Option<Digest>) -> Result<()> {
        let (caller, ticket) = (self.caller(), self.ticket());
        let is_duplicate = |id| caller.state.duplicates.is_duplicate(caller.connection, id, ticket);
        if !copy.is_some_and(is_duplicate) {
            return Ok(());
        }
        let (what, name) = (&call.shown, call.tool.name());
        Err(Error::stale(format!("this statement has already made this edit of {what}")).with_hint(
            format!(
                "DuckDB has evaluated the call twice: write SELECT {name}(…), and take fields from its result in a second \
                 statement"
            ),
        ))
    }

    /// Remembers that this call was made.
    fn record_copy(&self, copy: Option<Digest>) {
        let caller = self.caller();
        if let Some(id) = copy {
            caller.state.duplicates.record(caller.connection, id, self.ticket());
        }
    }
}
