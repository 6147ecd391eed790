//! What the answers of several tools have in common: pages of a list, the repository that is named,
//! and names as they are shown.

use crate::Context;
use redline_base::budget::text_of;
use redline_base::error::{Error, Result, escaped, quoted, visible};
use redline_git::{Calendar, Repository};
use redline_review::{Binding, Position};
use redline_tools::{LinePlace, ListedRow, Listing, Reply, Rest, Room};

/// The pages of a list.
pub struct Pages {
    binding: Binding,
    first: usize,
}

impl Pages {
    /// Reads the start of the page; a cursor is bound to `options` and `state`.
    pub fn new(options: &str, state: &str, cursor: Option<&str>) -> Result<Self> {
        let binding = Binding::new(options.as_bytes(), state.as_bytes());
        let from = cursor.map(|cursor| binding.position(cursor)).transpose()?;
        Ok(Self { binding, first: from.unwrap_or_default().listed })
    }

    /// Returns the number of rows on earlier pages.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Fills the page with rows while the reply has room; `rows` are those after the earlier pages.
    ///
    /// # Errors
    /// `too_large` without room for one row; those of the rows.
    pub fn filled<R: ListedRow>(
        &self,
        head: String,
        reply: &Reply,
        rows: impl Iterator<Item = Result<R>>,
    ) -> Result<Listing<R>> {
        let rest = Rest::at(Some(self.cursor(self.first)?));
        let mut page = Listing { head, count: 0, rest, rows: Vec::new() };
        let mut room = Room::beside(reply, &page);
        let over = room.fill(rows, &mut page.rows)?;
        page.count = page.rows.len();
        page.rest = match over {
            None => Rest::default(),
            Some(_) if page.rows.is_empty() => return Err(room.too_small()),
            Some(_) => Rest::at(Some(self.cursor(self.first + page.count)?)),
        };
        Ok(page)
    }

    /// Returns the cursor of a row.
    fn cursor(&self, row: usize) -> Result<String> {
        self.binding.cursor(Position { listed: row, ..Position::default() }).ok_or_else(|| {
            Error::too_large("there are more rows than a cursor can count")
                .with_hint("Ask for fewer")
        })
    }
}

/// Opens the repository in a tool's argument; also returns its name for display.
pub fn opened(context: &Context, repo: Option<&str>) -> Result<(String, Repository)> {
    let repo = repo.map_or_else(|| context.default_repository(), str::to_owned);
    let repository = context.repository(&repo)?;
    Ok((escaped(&repo), repository))
}

/// Returns bytes as text without characters that hide or reorder it, cut if it is long.
pub fn shown(bytes: &[u8]) -> String {
    visible(&text_of(bytes))
}

/// Returns the name of a reference without the prefix of its kind.
pub fn short(name: &[u8]) -> &[u8] {
    let prefixes: [&[u8]; 3] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/"];
    prefixes.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name)
}

/// Returns a path that can be used as an argument, escaped if it hides or reorders text.
pub fn path_text(path: &[u8]) -> String {
    escaped(&text_of(path))
}

/// Returns a time as text, from microseconds since 1970: in UTC, to the second.
pub fn utc_text(micros: i64) -> String {
    let Calendar { year, month, day, hour, minute, second, .. } =
        Calendar::utc(micros.div_euclid(1_000_000));
    let (year, month) = (year + 1900, month + 1);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_in_utc() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(utc_text(seconds * 1_000_000), shown);
        }
    }
}
