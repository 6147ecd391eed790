//! `write_file`: the whole content of a file.

use std::borrow::Cow;

use super::blind_call::BlindCall;
use super::change::Made;
use super::file_tools::FileTools;
use super::planned::{Maker, Planned, PlannedFile, Showing};
use crate::answers::{Answers, Call};
use redline_base::error::Result;
use redline_base::form::counted;
use redline_edit::{FileTool, Proposal, payload};
use redline_git::blob_id;
use redline_sandbox::SandboxPath;
use redline_text::lines::line_count;
use redline_text::{Engine, is_binary};
use redline_tools::{WriteFile, WriteFileArguments, WriteResult, Written};

/// A call of `write_file`.
pub(super) struct Write<'a> {
    place: SandboxPath<'a>,
    content: &'a str,
}

impl<'a> Write<'a> {
    /// Returns the call with these arguments.
    ///
    /// # Errors
    /// Those of the path.
    pub fn new(tools: &'a FileTools, arguments: &'a WriteFileArguments) -> Result<Self> {
        Ok(Self { place: tools.writable(&arguments.path)?, content: &arguments.content })
    }
}

impl<'a> Maker<'a> for Write<'a> {
    type Report = ();

    fn call(&self) -> BlindCall<'_> {
        BlindCall::new(FileTool::Write, &self.place, vec![self.content.as_bytes()])
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        vec![&self.place]
    }

    fn plan(&mut self) -> Result<Planned<'a, ()>> {
        let file = PlannedFile::kept(self.place.clone(), self.place.read_for_writing()?)?;
        let file = file.written(Cow::Borrowed(self.content.as_bytes()), None)?;
        Ok(Planned::of_files(vec![file], ()))
    }

    /// A call that leaves the file as it is needs no approval, unless that would reveal the
    /// content.
    fn needs_approval(&self, planned: &Planned<'a, ()>, may_read: bool) -> bool {
        self.place.sandbox().approvals.write && !(may_read && planned.is_unchanged())
    }

    fn proposal(
        &self,
        planned: &Planned<'a, ()>,
        Showing { id, may_read, cancel }: Showing<'_>,
    ) -> Result<Proposal> {
        let file = &planned.files[0];
        let is_diffed = |side: &redline_edit::Side<'_>| may_read && is_shown_as_diff(side.content);
        let change = match (file.before().filter(is_diffed), file.after().filter(is_diffed)) {
            (Some(_), Some(_)) => Some(file.diff(&mut Engine::default(), cancel)?),
            _ => None,
        };
        Ok(Proposal::write(file.name(), self.content, file.before(), change, id))
    }
}

/// Tells whether a payload can have a diff that shows a whole content: a binary one has no lines,
/// and for a large one the diff or the other content is large, too.
fn is_shown_as_diff(content: &[u8]) -> bool {
    content.len() <= payload::WHOLE_BYTES && !is_binary(content)
}

impl FileTools {
    /// Creates a file or replaces its whole content.
    ///
    /// # Errors
    /// Those of the path, of approvals, the journal and the writer.
    pub fn write(&self, arguments: &WriteFileArguments) -> Result<WriteResult> {
        let (path, content) = (&arguments.path, arguments.content.as_str());
        let made = self.change(&mut Write::new(self, arguments)?)?;
        let was = made.planned.files[0].before();
        Ok(WriteResult {
            path: path.clone(),
            bytes_written: content.len() as u64,
            lines_written: line_count(content.as_bytes()),
            created: was.is_none(),
            message: message(path, content.as_bytes(), &made),
        })
    }
}

fn message(path: &str, content: &[u8], made: &Made<'_, ()>) -> String {
    let lines = |bytes: &[u8]| counted(line_count(bytes), "line");
    let now = lines(content);
    match made.planned.files[0].before() {
        _ if !made.is_shown => format!("Wrote {path} ({now})"),
        None => format!("Created {path} ({now})"),
        Some(_) if made.id.is_none() => format!("{path} holds this content already ({now})"),
        Some(was) => format!("Overwrote {path} (was {}, now {now})", lines(was.content)),
    }
}

impl Answers for WriteFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let result = FileTools::new(call.caller).write(&arguments)?;
        Ok(Written::new(result, blob_id(arguments.content.as_bytes())?))
    }
}
