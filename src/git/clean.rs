//! The content of a file in the work tree as git would store it.
//!
//! After `convert_to_git` as `gitattributes` describes it: working-tree encoding, line ends, then
//! `$Id$`. Programs (`filter=<driver>`) are never run: what only they could convert stays as it is.
//! Each conversion is gix-filter's; which of them apply to a path is decided here.

use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::filter::plumbing::eol::{self, AttributesDigest, AutoCrlf};
use gix::filter::plumbing::ident;

use super::Comparison;
use super::attributes::{Attributes, State};
use super::encoding::file_to_utf8;
use super::index::Index;
use super::objects::Objects;
use crate::error::{Error, Result, quoted};

/// Converts files for one thread.
pub struct Cleaner {
    attributes: Attributes,
    index: Arc<Index>,
    objects: Objects,
    auto_crlf: AutoCrlf,
}

/// The attributes that decide, in the order in which they are looked up.
const ATTRIBUTES: &[&str] = &["text", "crlf", "eol", "ident", "working-tree-encoding"];

/// What is done to a file.
struct Conversion {
    line_ends: AttributesDigest,
    ident: bool,
    encoding: Option<Vec<u8>>,
}

impl Cleaner {
    /// Returns what converts the files of a comparison with the work tree.
    pub(super) fn new(comparison: &Comparison, index: Arc<Index>) -> Self {
        let repository = comparison.repository();
        Self {
            attributes: Attributes::new(comparison, ATTRIBUTES),
            index,
            objects: repository.objects(),
            auto_crlf: repository.checkout.auto_crlf,
        }
    }

    /// Returns the bytes of the file at `path` as git would store them.
    pub fn clean(&mut self, path: &[u8], bytes: Vec<u8>) -> Result<Vec<u8>> {
        let Conversion { line_ends, ident, encoding } = self.conversion(path)?;
        let mut bytes = bytes;
        let mut converted = Vec::new();
        if let Some(label) = encoding
            && let Some(utf8) = file_to_utf8(&bytes, &label)
        {
            bytes = utf8;
        }
        let mut failed = None;
        let mut staged = |buffer: &mut Vec<u8>| {
            let Some(entry) = self.index.content(path).filter(|entry| entry.mode.is_regular()) else { return Ok(None) };
            Ok(match self.objects.blob(&entry.oid) {
                Ok(blob) => {
                    buffer.clear();
                    buffer.extend_from_slice(&blob);
                    Some(())
                }
                Err(error) => {
                    failed = Some(error);
                    None
                }
            })
        };
        let changed = eol::convert_to_git(&bytes, line_ends, &mut converted, &mut staged, Default::default())
            .map_err(|error| unconvertible(path).with_source(error))?;
        if let Some(error) = failed {
            return Err(error);
        }
        if changed {
            std::mem::swap(&mut bytes, &mut converted);
        }
        if ident && ident::undo(&bytes, &mut converted).map_err(|error| unconvertible(path).with_source(error))? {
            std::mem::swap(&mut bytes, &mut converted);
        }
        Ok(bytes)
    }

    fn conversion(&mut self, path: &[u8]) -> Result<Conversion> {
        let states = self.attributes.of(path)?;
        let state = |name: &str| ATTRIBUTES.iter().position(|known| *known == name).and_then(|at| states.get(at));
        let digest = |name: &str| match state(name) {
            Some(State::Set) => Some(AttributesDigest::Text),
            Some(State::Unset) => Some(AttributesDigest::Binary),
            Some(State::Value(value)) => match value.as_slice() {
                b"input" => Some(AttributesDigest::TextInput),
                b"auto" => Some(AttributesDigest::TextAuto),
                _ => None,
            },
            _ => None,
        };
        let has_line_end =
            matches!(state("eol"), Some(State::Value(value)) if matches!(value.as_slice(), b"lf" | b"crlf"));
        // What line ends the work tree should have does not matter on the way to git, only that
        // naming them makes a file text.
        let line_ends = match digest("text").or_else(|| digest("crlf")) {
            None if has_line_end => AttributesDigest::Text,
            None => self.auto_crlf.into(),
            Some(found) => found,
        };
        let encoding = match state("working-tree-encoding") {
            Some(State::Value(label)) => Some(label.clone()),
            _ => None,
        };
        Ok(Conversion { line_ends, ident: matches!(state("ident"), Some(State::Set)), encoding })
    }
}

fn unconvertible(path: &[u8]) -> Error {
    Error::tool_failed(format!("{} cannot be converted to what git stores", quoted(&path.to_str_lossy())))
}
