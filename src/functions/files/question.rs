//! A question to a person about a call: its records before and after the files are read.

use std::ops::ControlFlow::{self, Break, Continue};

use super::file_tools::FileTools;
use super::hidden_call::Hidden;
use crate::edit::{Digest, Operation, Proposal, Rules, payload};
use crate::error::Result;

/// A call whose payload is wanted.
pub(super) struct Question<'a> {
    pub hidden: Hidden<'a>,
    /// The name of its sandbox.
    pub sandbox: &'a str,
    /// Whether a file of the call must not be read unseen.
    pub is_unseen: bool,
    /// Whether a person is asked in any case.
    pub is_asked: bool,
    /// Whether the caller holds the host's key.
    pub holds_key: bool,
    pub rules: Rules,
}

impl FileTools {
    /// Returns the limits for a caller; the holder of the host's key has no connection quota.
    pub(super) fn rules_of(&self, holds_key: bool) -> Rules {
        let rules = self.rules();
        Rules { connection: rules.connection.filter(|_| !holds_key), ..rules }
    }

    /// Records a call before its files are read. Returns its id if the call is to be planned,
    /// otherwise the answer: a payload without the files' contents, or none if a person has decided
    /// already.
    ///
    /// # Errors
    /// `too_large` if the session has reached its quota of proposals.
    pub(super) fn ask(
        &self,
        question: &Question<'_>,
    ) -> Result<ControlFlow<Option<String>, Digest>> {
        let Question { hidden, is_asked, holds_key, rules, .. } = question;
        let approvals = &self.execution().database.approvals;
        let operation = hidden.operation(&self.execution().session);
        let id = operation.id(approvals.secret());
        if !question.is_unseen {
            approvals.check_quota(&operation, *rules)?;
            return Ok(Continue(id));
        }
        if !is_asked && approvals.has_answer(&operation, *rules) && !holds_key {
            return Ok(Break(None));
        }
        approvals.request(&operation, &hidden.shown, hidden.base_oid, *rules)?;
        if *holds_key {
            return Ok(Continue(id));
        }
        Ok(Break(Some(payload::hidden(hidden.tool, &hidden.shown, question.sandbox, id))))
    }

    /// Records the plan of a call, and returns its payload.
    ///
    /// # Errors
    /// `declined` if a person has declined it, and as [`Self::ask`].
    pub(super) fn record(
        &self,
        question: &Question<'_>,
        operation: &Operation<'_>,
        proposal: Proposal,
    ) -> Result<String> {
        let approvals = &self.execution().database.approvals;
        let json = proposal.payload.to_json();
        if question.is_unseen {
            approvals.plan(operation, proposal, question.rules)?;
        } else {
            approvals.propose(operation, proposal, question.rules)?;
        }
        Ok(json)
    }
}
