//! Finds commits by message or author: `--grep` and `--author` of `git log -E`.

use crate::change::search::not_a_pattern;
use crate::model::commit::{CommitInfo, has_message_line};
use crate::model::mailmap::Mailmap;
use redline_base::budget::Joined;
use redline_base::error::Result;
use redline_base::pattern::Pattern;
use redline_base::pattern::posix::Newline;
use redline_text::CancelToken;

/// The patterns of a commit's message and author; both must match if both are given.
#[derive(Default)]
pub struct CommitFilter {
    message: Option<Pattern>,
    author: Option<Pattern>,
}

impl CommitFilter {
    /// Compiles POSIX extended regular expressions: for a line of the message, and for the author's
    /// name and address.
    ///
    /// # Errors
    /// `invalid_args` for an invalid one.
    pub fn new(message: Option<&str>, author: Option<&str>) -> Result<Self> {
        let read = |name: &str, given: Option<&str>| given.map(|text| pattern(name, text));
        Ok(Self {
            message: read("message", message).transpose()?,
            author: read("author", author).transpose()?,
        })
    }

    /// Tells whether every commit matches.
    pub fn is_any(&self) -> bool {
        self.message.is_none() && self.author.is_none()
    }

    /// Tells whether the bytes of a commit match; `mailmap` maps its author.
    pub fn matches(
        &self,
        commit: &[u8],
        mailmap: &Mailmap,
        cancel: &CancelToken<'_>,
    ) -> Result<bool> {
        if let Some(pattern) = &self.author {
            let info = CommitInfo::read(commit, Some(mailmap), cancel)?;
            let Some(author) = info.author else { return Ok(false) };
            let shown = [&author.name[..], b" <", &author.email, b">"].chained();
            if !pattern.is_match(&shown)? {
                return Ok(false);
            }
        }
        match &self.message {
            Some(pattern) => Ok(has_message_line(commit, |line| pattern.is_match(line))?),
            None => Ok(true),
        }
    }
}

fn pattern(name: &str, text: &str) -> Result<Pattern> {
    let compiled = Pattern::extended(text.as_bytes(), Newline::EndsLine);
    compiled.filter(|_| !text.is_empty()).ok_or_else(|| not_a_pattern(name, text))
}
