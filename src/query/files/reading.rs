//! Reads files of a sandbox: those that the session may see at once, others once a person has said
//! yes.

use super::approval_check::ApprovalCheck;
use super::blind_call::BlindCall;
use super::file_tools::FileTools;
use super::planned::{Maker, Planned, PlannedFile, Showing};
use redline_base::budget::{Copied, lossy, owned};
use redline_base::error::{Error, Result, quoted};
use redline_edit::Proposal;
use redline_git::{BlobHasher, blob_id};
use redline_sandbox::SandboxPath;
use redline_text::is_binary;
use redline_text::lines::line_count;
use redline_tools::ReadResult;

/// A file that is read, whatever it holds.
pub(super) struct Read<'a>(pub SandboxPath<'a>);

impl<'a> Maker<'a> for Read<'a> {
    type Report = ();

    fn call(&self) -> BlindCall<'_> {
        BlindCall::read(&self.0)
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        vec![&self.0]
    }

    fn plan(&mut self) -> Result<Planned<'a, ()>> {
        let found = self.0.read_as_it_is()?;
        Ok(Planned::of_files(vec![PlannedFile::kept(self.0.clone(), found)?], ()))
    }

    fn needs_approval(&self, _: &Planned<'a, ()>, _: bool) -> bool {
        self.0.sandbox().approvals.read
    }

    fn proposal(
        &self,
        planned: &Planned<'a, ()>,
        Showing { id, .. }: Showing<'_>,
    ) -> Result<Proposal> {
        let file = &planned.files[0];
        Ok(Proposal::read(file.name(), file.before(), id))
    }
}

impl FileTools {
    /// Reads a text, or the part of it that is asked for; `elsewhere` reads while no sandbox is
    /// configured.
    pub fn read(
        &self,
        path: &str,
        offset: u64,
        max_chars: Option<u64>,
        elsewhere: impl FnOnce(&str) -> Result<Vec<u8>>,
    ) -> Result<ReadResult> {
        let bytes = match self.caller().context.access.sandboxes() {
            Some(sandboxes) => self.read_place(sandboxes.resolve(path)?)?,
            None => elsewhere(path)?,
        };
        if is_binary(&bytes) {
            return Err(binary(path, bytes.len() as u64));
        }
        let count = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
        let after = |text: &str, chars: usize| {
            text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
        };
        let text = lossy(&bytes)?;
        let rest = &text[after(&text, count(offset))..];
        let content = &rest[..after(rest, max_chars.map_or(usize::MAX, count))];
        let (lines, truncated) = (line_count(&bytes), content.len() < rest.len());
        let content = owned(content)?;
        Ok(ReadResult {
            path: path.to_owned(),
            content,
            lines,
            bytes: bytes.len() as u64,
            truncated,
        })
    }

    /// Reads a text of any size piece by piece; returns its git blob id. `elsewhere` reads while no
    /// sandbox is configured.
    pub fn stream(
        &self,
        path: &str,
        mut take: impl FnMut(&[u8]),
        elsewhere: impl FnOnce(&str) -> Result<Vec<u8>>,
    ) -> Result<String> {
        let whole = match self.caller().context.access.sandboxes() {
            Some(sandboxes) => {
                let place = sandboxes.resolve(path)?;
                if self.caller().may_show(&place) {
                    return stream_place(&place, path, take);
                }
                self.read_place(place)?
            }
            None => elsewhere(path)?,
        };
        if is_binary(&whole) {
            return Err(binary(path, whole.len() as u64));
        }
        take(&whole);
        blob_id(&whole)
    }

    fn read_place(&self, place: SandboxPath<'_>) -> Result<Vec<u8>> {
        if self.caller().may_show(&place) {
            return place.read();
        }
        let mut read = Read(place);
        let mut check = ApprovalCheck::new(self.caller(), &mut read);
        let planned = check.plan()?;
        check.consume(&planned)?;
        match planned.files[0].before() {
            Some(side) => Ok(side.content.copied_vec()),
            None => read.0.read(),
        }
    }
}

/// Reads a file of a sandbox piece by piece; only one piece is in memory.
fn stream_place(
    place: &SandboxPath<'_>,
    path: &str,
    mut take: impl FnMut(&[u8]),
) -> Result<String> {
    let mut hasher = None;
    let mut is_first = true;
    place.stream(|size, piece| {
        let hasher = hasher.get_or_insert_with(|| BlobHasher::new(size));
        if std::mem::take(&mut is_first) && is_binary(piece) {
            return Err(binary(path, size));
        }
        hasher.update(piece);
        take(piece);
        Ok(())
    })?;
    hasher.unwrap_or_else(|| BlobHasher::new(0)).finish()
}

fn binary(path: &str, bytes: u64) -> Error {
    Error::invalid_args(format!("{} is a binary file of {bytes} bytes", quoted(path)))
        .with_hint("read_file reads text files only")
}
