//! What the answers of several tools have in common: pages of a list, the repository that is named,
//! and names as they are shown.

use crate::error::{Error, Result, escaped, quoted, visible};
use crate::git::Repository;
use crate::query::Context;
use crate::review::{Binding, Position};
use crate::tools::LinePlace;

/// What pages of a list are cut by.
pub struct Pages {
    binding: Binding,
    first: usize,
}

impl Pages {
    /// Reads where a page begins; `options` and `state` are what a cursor holds for.
    pub fn new(options: &str, state: &str, cursor: Option<&str>) -> Result<Self> {
        let binding = Binding::new(options.as_bytes(), state.as_bytes());
        let from = cursor.map(|cursor| binding.position(cursor)).transpose()?;
        Ok(Self { binding, first: from.unwrap_or_default().listed })
    }

    /// Returns how many rows stand on the pages before.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns what leads to a row.
    pub fn cursor(&self, row: usize) -> Result<String> {
        self.binding.cursor(Position { listed: row, ..Position::default() }).ok_or_else(|| {
            Error::too_large("there are more rows than a cursor can count")
                .with_hint("Ask for fewer")
        })
    }
}

/// Opens the repository that a tool was given; also returns its name as it is shown.
pub fn opened(context: &Context, repo: Option<&str>) -> Result<(String, Repository)> {
    let repo = repo.map_or_else(|| context.default_repository(), str::to_owned);
    let repository = context.repository(&repo)?;
    Ok((escaped(&repo), repository))
}

/// Returns bytes as text that hides and turns nothing, cut where it is long.
pub fn shown(bytes: &[u8]) -> String {
    visible(&String::from_utf8_lossy(bytes))
}

/// Returns the name of a reference without what all of its kind begin with.
pub fn short(name: &[u8]) -> &[u8] {
    let prefixes: [&[u8]; 3] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/"];
    prefixes.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name)
}

/// Returns a path as it can be given again, escaped where it hides or turns text.
pub fn path_text(path: &[u8]) -> String {
    escaped(&String::from_utf8_lossy(path))
}

/// Returns the place in a file that a cursor leads to.
pub fn place_of(from: Position) -> LinePlace {
    LinePlace { line: from.listed as u64, byte: from.offset as u64 }
}

/// Returns the cursor of a place in a file.
pub fn line_cursor(binding: &Binding, place: LinePlace, path: &str) -> Result<String> {
    let number = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
    let position =
        Position { listed: number(place.line), offset: number(place.byte), ..Position::default() };
    binding.cursor(position).ok_or_else(|| {
        Error::too_large(format!("{} has a line that no cursor reaches", quoted(path)))
            .with_hint("Use search to find a text in it")
    })
}
