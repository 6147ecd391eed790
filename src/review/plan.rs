//! Which files and hunks a page has room for.
//!
//! Hunks stand in one order for all pages: files that people wrote before those that come last, and
//! among them by the bytes of the file up to the hunk's end. So a page fills all files to the same
//! level, as water fills vessels: small files are whole before a large one goes on, and a cursor is no
//! more than a place in that order.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::cursor::{Binding, CURSOR_BYTES, Position};
use super::file::{File, Patch};
use super::form::Form;
use super::page::{Kind, Page, Section};
use super::wording::{self, Rest};
use crate::error::{Error, Result};
use crate::limits;

/// A change that is shown page by page.
pub struct Review {
    /// In the order of the list: what comes last stands last.
    files: Vec<File>,
    /// For each of them, its place among those that were given.
    given: Vec<usize>,
    /// All pieces in the fair order.
    order: Vec<OrderedPiece>,
    form: Form,
    binding: Binding,
}

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OrderedPiece {
    file: usize,
    piece: usize,
}

/// The pieces of a file that a page shows.
#[derive(Debug, Clone)]
struct Shown {
    pieces: Range<usize>,
    /// The bytes of those that are cut or whose beginning was shown before.
    parts: BTreeMap<usize, Range<usize>>,
}

/// What showing something takes from the room, and what it gives back to it.
#[derive(Debug, Clone, Copy)]
struct Cost {
    takes: usize,
    gives: usize,
}

impl Review {
    /// Prepares the pages of changed files, given in the order of their paths.
    pub fn new(files: Vec<File>, form: Form, binding: Binding) -> Self {
        let mut files: Vec<(usize, File)> = files.into_iter().enumerate().collect();
        files.sort_by_key(|(_, file)| file.noise.is_some());
        let (given, files): (Vec<usize>, Vec<File>) = files.into_iter().unzip();
        let mut order = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let mut level = 0;
            for (piece, measure) in file.patch.pieces.iter().enumerate() {
                level += measure.bytes;
                order.push((file.noise.is_some(), level, OrderedPiece { file: index, piece }));
            }
        }
        order.sort_by_key(|(is_noise, level, place)| (*is_noise, *level, place.file, place.piece));
        let order = order.into_iter().map(|(_, _, place)| place).collect();
        Self { files, given, order, form, binding }
    }

    /// Returns the page that begins at a cursor, or the first one; `overhead` is what an answer of
    /// `max_bytes` needs beside the page. `patch` returns the patch of a file by its place among those
    /// that were given.
    ///
    /// # Errors
    /// Those of [`Binding::position`] and of `patch`; `too_large` where `max_bytes` has no room for a
    /// single line; `stale` where a patch is not the one that was measured.
    pub fn page(
        &self,
        max_bytes: usize,
        overhead: usize,
        cursor: Option<&str>,
        patch: impl FnMut(usize) -> Result<Patch>,
    ) -> Result<Page> {
        let from = match cursor {
            Some(cursor) => self.position(cursor)?,
            None => Position::default(),
        };
        let mut builder = Builder::new(self, from, max_bytes, overhead, patch)?;
        builder.list()?;
        builder.show()?;
        builder.finish()
    }

    fn position(&self, cursor: &str) -> Result<Position> {
        let position = self.binding.position(cursor)?;
        let is_ours = position.listed <= self.files.len() && position.shown <= self.order.len();
        if is_ours {
            Ok(position)
        } else {
            Err(Error::invalid_args("the cursor is past the last page"))
        }
    }
}

/// A page in the making.
struct Builder<'a, P> {
    review: &'a Review,
    max_bytes: usize,
    /// Bytes that are left.
    room: usize,
    /// Bytes that were left before anything was listed or shown.
    whole_room: usize,
    is_continued: bool,
    /// Bytes kept for the names of files that wait.
    names_room: usize,
    listed: Range<usize>,
    /// How many pieces of each file earlier pages have shown.
    before: HashMap<usize, usize>,
    /// What this page shows of each file.
    shown: BTreeMap<usize, Shown>,
    /// Where the next page begins.
    next: Position,
    patch: P,
    patches: HashMap<usize, Patch>,
}

impl<'a, P: FnMut(usize) -> Result<Patch>> Builder<'a, P> {
    fn new(
        review: &'a Review,
        from: Position,
        max_bytes: usize,
        overhead: usize,
        patch: P,
    ) -> Result<Self> {
        let (files, form) = (&review.files, review.form);
        let all = Rest { files: files.len(), hunks: review.order.len(), of_files: files.len() };
        let fixed = overhead
            + form.text(&wording::summary(files, true))
            + form.text(&wording::closing(all, &"0".repeat(CURSOR_BYTES), files.len()))
            // The empty lines before the hunks and before what is left out.
            + 2 * form.text("\n");
        let before =
            review.order[..from.shown].iter().map(|place| (place.file, place.piece + 1)).collect();
        let mut builder = Self {
            review,
            max_bytes,
            room: 0,
            whole_room: 0,
            is_continued: from != Position::default(),
            names_room: 0,
            listed: from.listed..from.listed,
            before,
            shown: BTreeMap::new(),
            next: from,
            patch,
            patches: HashMap::new(),
        };
        builder.room = builder.left(max_bytes, fixed)?;
        builder.whole_room = builder.room;
        Ok(builder)
    }

    /// Returns what is left of a room.
    fn left(&self, room: usize, needed: usize) -> Result<usize> {
        room.checked_sub(needed).ok_or_else(|| {
            Error::too_large(format!(
                "the next line does not fit in max_bytes = {}",
                self.max_bytes
            ))
            .with_hint(format!(
                "Give max_bytes of at least {}",
                self.max_bytes.saturating_add(needed - room)
            ))
        })
    }

    /// Lists files while there is room.
    fn list(&mut self) -> Result<()> {
        let (files, form) = (&self.review.files, self.review.form);
        let cost =
            |file: &File| form.text(&wording::file_line(file, !file.patch.is_empty())) + file.extra;
        for file in &files[self.listed.start..] {
            let Some(room) = self.room.checked_sub(cost(file)) else { break };
            self.room = room;
            self.listed.end += 1;
        }
        if self.listed.is_empty()
            && let Some(file) = files.get(self.listed.end)
        {
            self.left(self.room, cost(file))?;
        }
        self.next.listed = self.listed.end;
        let names: usize = self.waiting().map(|(file, ..)| self.name_cost(file)).sum();
        self.names_room = names.min(self.max_bytes / limits::REVIEW_NAMES_SHARE).min(self.room / 2);
        self.room -= self.names_room;
        Ok(())
    }

    /// Returns the most that the line of a file that is left out costs.
    fn name_cost(&self, file: usize) -> usize {
        self.review.form.text(&self.review.files[file].name) + wording::OMITTED_BYTES
    }

    /// Returns the next piece of a file and the bytes of it that were shown, unless all was.
    fn rest(&self, file: usize) -> Option<(usize, usize)> {
        let cut = self.review.order.get(self.next.shown).filter(|_| self.next.offset > 0);
        if let Some(cut) = cut.filter(|cut| cut.file == file) {
            return Some((cut.piece, self.next.offset));
        }
        let before = self.before.get(&file).copied().unwrap_or(0);
        let piece = self.shown.get(&file).map_or(before, |shown| shown.pieces.end);
        (piece < self.review.files[file].patch.len()).then_some((piece, 0))
    }

    /// Returns the files with something left that this page neither shows nor lists; those that it
    /// lists are marked there.
    fn waiting(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.listed.start)
            .filter(|file| !self.shown.contains_key(file))
            .filter_map(|file| self.rest(file).map(|(piece, offset)| (file, piece, offset)))
    }

    /// Shows hunks in the fair order while there is room.
    fn show(&mut self) -> Result<()> {
        if self.listed.end < self.review.files.len() {
            return Ok(());
        }
        while let Some(&place) = self.review.order.get(self.next.shown) {
            let file = &self.review.files[place.file];
            let cost = self.cost(place, place.piece + 1 < file.patch.len());
            let takes = cost.takes + file.patch.pieces[place.piece].cost;
            let is_begun = self.next.offset > 0;
            if let Some(room) = (self.room + cost.gives).checked_sub(takes)
                && !is_begun
            {
                self.room = room;
                self.shown
                    .entry(place.file)
                    .or_insert_with(|| Shown::from(place.piece))
                    .pieces
                    .end += 1;
                self.next.shown += 1;
                continue;
            }
            // Only what has no room on a page of its own is cut, and not for a few lines.
            let is_worth_it = self.room >= self.whole_room / 4 && takes > self.whole_room;
            if !(self.is_empty() || is_worth_it) || !self.show_part(place)? {
                break;
            }
        }
        Ok(())
    }

    /// Returns what showing a piece costs beside its text; `has_rest` tells whether something of the
    /// file will be left then.
    fn cost(&self, place: OrderedPiece, has_rest: bool) -> Cost {
        let (file, form) = (&self.review.files[place.file], self.review.form);
        let mut cost =
            Cost { takes: if has_rest { self.name_cost(place.file) } else { 0 }, gives: 0 };
        match self.shown.get(&place.file) {
            Some(shown) => {
                // It was kept when the piece before was shown.
                cost.gives = self.name_cost(place.file);
                if !file.patch.has_same_head(place.piece, shown.pieces.end - 1) {
                    cost.takes += file.patch.head_cost(place.piece);
                }
            }
            None => {
                cost.takes += file.patch.head_cost(place.piece);
                if self.listed.contains(&place.file) {
                    let line = |is_left_out| form.text(&wording::file_line(file, is_left_out));
                    cost.gives = line(true) - line(false);
                }
            }
        }
        cost
    }

    /// Tells whether the page lists and shows nothing yet; a page that goes on within a piece is so.
    fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.listed.is_empty()
    }

    /// Shows what there is room for of a piece that is larger than a page; tells whether its end is
    /// shown.
    fn show_part(&mut self, place: OrderedPiece) -> Result<bool> {
        let (form, offset) = (self.review.form, self.next.offset);
        let cost = self.cost(place, true);
        self.load(place.file)?;
        let whole = self.patches[&place.file].piece(place.piece);
        let Some(text) = whole.get(offset..) else {
            return Err(Error::invalid_args("the cursor is past the end of a hunk"));
        };
        let all = whole.len();
        // A part that ends within a line gets a newline.
        let fixed = cost.takes + form.patch(&wording::part(whole, all, all)) + form.patch("\n");
        let needed = fixed + limits::REVIEW_PART_BYTES.min(form.patch(text));
        let mut room = self.room + cost.gives;
        if room < needed {
            if !self.is_empty() {
                return Ok(false);
            }
            // The names of the files that wait give way to what they wait for.
            room += std::mem::take(&mut self.names_room);
            self.left(room, needed)?;
        }
        let fits = form.fitting(text, room - fixed);
        let is_last = fits.len() == text.len();
        let end = match fits.rfind('\n') {
            Some(newline) if !is_last => newline + 1,
            _ => fits.len(),
        };
        self.room = room - fixed - form.patch(&text[..end]);
        let part = offset..offset + end;
        let shown = self.shown.entry(place.file).or_insert_with(|| Shown::from(place.piece));
        shown.pieces.end += 1;
        shown.parts.insert(place.piece, part);
        if is_last {
            self.next = Position { shown: self.next.shown + 1, offset: 0, ..self.next };
        } else {
            self.next.offset += end;
        }
        Ok(is_last)
    }

    /// Gets the patch of a file.
    fn load(&mut self, file: usize) -> Result<()> {
        if !self.patches.contains_key(&file) {
            let patch = (self.patch)(self.review.given[file])?;
            if patch.measures(self.review.form) != self.review.files[file].patch {
                return Err(Error::stale(format!(
                    "{} changed while it was compared",
                    self.review.files[file].name
                ))
                .with_hint("Ask again"));
            }
            self.patches.insert(file, patch);
        }
        Ok(())
    }

    /// Writes the page.
    fn finish(mut self) -> Result<Page> {
        let (review, files) = (self.review, &self.review.files);
        let mut sections = Vec::new();
        let mut add = |kind, file: Option<usize>, text| {
            sections.push(Section { kind, file: file.map(|file| review.given[file]), text });
        };
        add(Kind::Summary, None, wording::summary(files, self.is_continued));
        for file in self.listed.clone() {
            let is_left_out = !files[file].patch.is_empty() && !self.shown.contains_key(&file);
            add(Kind::File, Some(file), wording::file_line(&files[file], is_left_out));
        }
        for (file, shown) in self.shown.clone() {
            self.load(file)?;
            let patch = &self.patches[&file];
            for piece in shown.pieces.clone() {
                let has_head = piece == shown.pieces.start
                    || !files[file].patch.has_same_head(piece, piece - 1);
                let mut text = if has_head { patch.head(piece).to_owned() } else { String::new() };
                match shown.parts.get(&piece) {
                    None => text.push_str(patch.piece(piece)),
                    Some(part) => {
                        text.push_str(&wording::part(patch.piece(piece), part.start, part.end));
                        text.push_str(&patch.piece(piece)[part.clone()]);
                    }
                }
                if !text.ends_with('\n') {
                    text.push('\n');
                }
                add(Kind::Hunk, Some(file), text);
            }
        }
        for &file in self.shown.keys() {
            if let Some((piece, offset)) = self.rest(file) {
                add(Kind::Omitted, Some(file), wording::omitted(&files[file], piece, offset));
            }
        }
        let mut names_room = self.names_room;
        for (file, piece, offset) in self.waiting() {
            let Some(room) = names_room.checked_sub(self.name_cost(file)) else { break };
            names_room = room;
            add(Kind::Omitted, Some(file), wording::omitted(&files[file], piece, offset));
        }
        let left = &review.order[self.next.shown..];
        let rest = Rest {
            files: files.len() - self.next.listed,
            hunks: left.len(),
            of_files: left.iter().map(|place| place.file).collect::<HashSet<_>>().len(),
        };
        if rest.files == 0 && rest.hunks == 0 {
            return Ok(Page { sections, next_cursor: None });
        }
        let cursor = review.binding.cursor(self.next).ok_or_else(|| {
            Error::too_large("the change has more hunks than a cursor can count")
                .with_hint("Name fewer files in paths")
        })?;
        add(Kind::Omitted, None, wording::closing(rest, &cursor, files.len()));
        Ok(Page { sections, next_cursor: Some(cursor) })
    }
}

impl Shown {
    fn from(piece: usize) -> Self {
        Self { pieces: piece..piece, parts: BTreeMap::new() }
    }
}
