//! The plan of a call of a file tool for the current state of the file.

use super::hidden_call::Hidden;
use super::question::Planned;
use super::recorded::{Changed, is_executable, side_of};
use redline_base::error::Result;
use redline_edit::{
    ContentDiff, Digest, Edit, Existing, FileName, Operation, Plan, Proposal, Session, payload,
};
use redline_git::blob_id;
use redline_sandbox::{Expected, Place};
use redline_text::{CancelToken, Engine, is_binary};
use redline_tools::Replaced;

/// The effect of an operation.
#[derive(Debug)]
pub enum Effect<'a> {
    /// The content is returned.
    Read,
    /// The content is replaced.
    Write(&'a str),
    /// Passages of the content are replaced.
    Edit(Replaced<'a>, Plan),
}

/// An operation that is planned and not done yet.
#[derive(Debug)]
pub struct PlannedOperation<'a> {
    /// The file.
    pub place: Place<'a>,
    /// The file at the time of the plan.
    pub was: Expected,
    /// Its git blob id.
    pub base_oid: Option<String>,
    /// The effect.
    pub effect: Effect<'a>,
    /// The call as far as it does not depend on the file.
    call: Hidden<'a>,
}

impl<'a> PlannedOperation<'a> {
    /// Plans an operation on a file whose content has the blob id `base_oid`.
    pub fn new(
        place: Place<'a>,
        was: Expected,
        base_oid: Option<String>,
        effect: Effect<'a>,
    ) -> Self {
        let call = match &effect {
            Effect::Read => Hidden::read(&place),
            Effect::Write(content) => Hidden::write(&place, content),
            Effect::Edit(replaced, _) => Hidden::edit(&place, replaced, None),
        };
        Self { place, was, base_oid, effect, call }
    }

    /// Plans to read the file, whatever it holds.
    pub fn read(place: Place<'a>) -> Result<Self> {
        let was = place.read_as_it_is()?;
        let base_oid = was.bytes().map(blob_id).transpose()?;
        Ok(Self::new(place, was, base_oid, Effect::Read))
    }

    /// Plans to write the whole file.
    pub fn write(place: Place<'a>, content: &'a str) -> Result<Self> {
        let was = place.read_for_writing()?;
        let base_oid = was.bytes().map(blob_id).transpose()?;
        Ok(Self::new(place, was, base_oid, Effect::Write(content)))
    }

    /// Returns the name of the file.
    pub fn file(&self) -> FileName<'_> {
        file_name(&self.place)
    }

    /// Returns the new content of the file; `None` if nothing is written.
    pub fn result(&self) -> Option<&[u8]> {
        match &self.effect {
            Effect::Read => None,
            Effect::Write(content) => Some(content.as_bytes()),
            Effect::Edit(_, plan) => Some(&plan.content),
        }
    }

    /// Returns the record of the file with its new content.
    pub fn changed<'b>(&'b self, content: &'b [u8]) -> Result<Changed<'b>> {
        let result = Some((content, is_executable(&self.was)));
        Changed::new(&self.place, [side_of(&self.was), result])
    }

    /// Tells whether a write leaves the file as it is.
    fn changes_nothing(&self) -> bool {
        self.result().is_some_and(|result| self.was.bytes().is_some_and(|was| *was == *result))
    }
}

impl Planned for PlannedOperation<'_> {
    /// An edit shows the text around it, and a write whether the file exists. An operation that
    /// leaves the file as it is needs no approval, unless that would reveal the content.
    fn is_asked_about(&self, may_read: bool) -> bool {
        if may_read && self.changes_nothing() {
            return false;
        }
        let asked = self.place.sandbox().approvals;
        match &self.effect {
            Effect::Read => asked.read,
            Effect::Write(_) => asked.write,
            Effect::Edit(..) => asked.edit,
        }
    }

    fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b> {
        Operation {
            base: self.was.bytes(),
            result: self.result(),
            mode: self.was.mode(),
            ..self.call.operation(session)
        }
    }

    fn proposal(&self, id: Digest, may_read: bool, cancel: &CancelToken<'_>) -> Result<Proposal> {
        let file = self.file();
        let oid = self.base_oid.as_deref().unwrap_or_default();
        let mode = self.was.mode().unwrap_or_default();
        let existing = self.was.bytes().map(|content| Existing { content, oid, mode });
        match &self.effect {
            Effect::Read => Ok(Proposal::read(file, existing, id)),
            Effect::Write(content) => {
                let old = self.was.bytes().filter(|old| may_read && is_diffed(old));
                let change = old
                    .filter(|_| is_diffed(content.as_bytes()))
                    .map(|old| {
                        ContentDiff::new(
                            &mut Engine::default(),
                            file,
                            old,
                            content.as_bytes(),
                            cancel,
                        )
                    })
                    .transpose()?;
                Ok(Proposal::write("Write", file, content, existing, change, id))
            }
            Effect::Edit(replaced, plan) => {
                let edits: &[Edit<'_>] = match replaced {
                    Replaced::Strings(edits) => edits,
                    Replaced::Lines(_) => &[],
                };
                let existing = existing.unwrap_or(Existing { content: b"", oid, mode });
                Proposal::edit(file, plan.description(file), existing, edits, plan, id)
            }
        }
    }
}

/// Returns the name of a file for plans and messages.
pub fn file_name<'a>(place: &'a Place<'_>) -> FileName<'a> {
    FileName { sandbox: &place.sandbox().name, relative: place.path().as_str() }
}

/// Tells whether a payload can have a diff that shows a whole content: a binary one has no lines,
/// one that is not UTF-8 has lines with gaps, and for a large one the diff or the other content is
/// large, too.
fn is_diffed(content: &[u8]) -> bool {
    content.len() <= payload::WHOLE_BYTES
        && !is_binary(content)
        && std::str::from_utf8(content).is_ok()
}
