//! Converts a file of the work tree to the content that git would store.
//!
//! Follows `convert_to_git` as described in `gitattributes`: working-tree encoding, line ends, then
//! `$Id$`. Programs (`filter=<driver>`) are never run: their files are not converted. This file
//! chooses the conversions of a path.

use std::sync::Arc;

use crate::attributes::{Attributes, ContentSource, State};
use crate::config::conversions::{LineEndings, to_git_line_endings, without_ids};
use crate::encoding::file_to_utf8;
use crate::index::Index;
use crate::objects::Objects;
use redline_base::error::Result;

/// Converts files for one thread.
pub struct Cleaner {
    attributes: Attributes<5>,
    index: Arc<Index>,
    objects: Objects,
    /// The default without attributes.
    line_endings: LineEndings,
}

/// The conversions of a file.
struct Conversion {
    line_endings: LineEndings,
    ident: bool,
    encoding: Option<Vec<u8>>,
}

impl Cleaner {
    /// Creates a converter of the files of a work tree.
    pub fn new(source: &ContentSource, index: Arc<Index>) -> Self {
        Self {
            attributes: Attributes::new(
                source,
                ["text", "crlf", "eol", "ident", "working-tree-encoding"],
            ),
            index,
            objects: source.repository().objects(),
            line_endings: source.repository().checkout.line_endings,
        }
    }

    /// Returns the bytes of the file at `path` as git would store them.
    pub fn clean(&mut self, path: &[u8], mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let Conversion { line_endings, ident, encoding } = self.conversion(path)?;
        if let Some(label) = encoding
            && let Some(utf8) = file_to_utf8(&bytes, &label)?
        {
            bytes = utf8;
        }
        let staged = || match self.index.content(path).filter(|entry| entry.mode.is_regular()) {
            Some(entry) => self.objects.blob(&entry.oid).map(Some),
            None => Ok(None),
        };
        if let Some(converted) = to_git_line_endings(&bytes, line_endings, staged)? {
            bytes = converted;
        }
        if ident && let Some(converted) = without_ids(&bytes)? {
            bytes = converted;
        }
        Ok(bytes)
    }

    /// Tells whether the file at `path` has another encoding in the work tree.
    pub fn has_encoding(&mut self, path: &[u8]) -> Result<bool> {
        Ok(self.conversion(path)?.encoding.is_some())
    }

    fn conversion(&mut self, path: &[u8]) -> Result<Conversion> {
        let [text, crlf, eol, ident, encoding] = self.attributes.of(path)?;
        let digest = |state: State| match state {
            State::Set => Some(LineEndings::Text),
            State::Unset => Some(LineEndings::Keep),
            State::Value(value) => match value.as_slice() {
                b"input" => Some(LineEndings::Text),
                b"auto" => Some(LineEndings::Auto),
                _ => None,
            },
            State::Unspecified => None,
        };
        // The line ends of the work tree do not matter on the way to git, only that naming them
        // makes a file text.
        let by_line_end =
            matches!(&eol, State::Value(value) if matches!(value.as_slice(), b"lf" | b"crlf"));
        let line_endings = digest(text)
            .or_else(|| digest(crlf))
            .or(by_line_end.then_some(LineEndings::Text))
            .unwrap_or(self.line_endings);
        let encoding = match encoding {
            State::Value(label) => Some(label),
            _ => None,
        };
        Ok(Conversion { line_endings, ident: ident == State::Set, encoding })
    }
}
