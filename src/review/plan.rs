//! Chooses the files and hunks that fit on a page.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::cursor::{Binding, CURSOR_BYTES, Position};
use super::directories;
use super::file::{File, Patch};
use super::layout::Layout;
use super::list::List;
use super::order::{self, OrderedPiece};
use super::page::{Kind, Page, Section};
use super::rank::Rank;
use super::wording::{self, Rest};
use redline_base::budget::{Gather, Grow, GrowBy, GrowMap, Ordered};
use redline_base::error::{Error, Result};
use redline_base::limits;

/// A change that is shown page by page.
pub struct Review {
    /// In the order of the list.
    files: Vec<File>,
    /// For each of them, its index in the order that the caller gave.
    given: Vec<usize>,
    /// All pieces in the order of the first page.
    first_page: Vec<OrderedPiece>,
    layout: Layout,
    binding: Binding,
    /// The two sides, as the totals name them.
    ends: String,
    /// A note for the first page; whole lines.
    note: String,
    /// Whether something was seen that is not among the files.
    is_rest: bool,
}

/// The pieces of a file that a page shows.
#[derive(Debug, Clone)]
struct ShownPieces {
    pieces: Range<usize>,
    /// The shown bytes of pieces that are cut or continued.
    parts: BTreeMap<usize, Range<usize>>,
}

impl Review {
    /// Prepares the pages of changed files, given in the order of their paths.
    pub fn new(files: Vec<File>, layout: Layout, binding: Binding) -> Self {
        let mut files: Vec<(usize, File)> = files.into_iter().enumerate().gather();
        let bytes: usize = files.iter().map(|(_, file)| file.patch.bytes()).sum();
        if bytes <= limits::REVIEW_LARGE_BYTES && files.len() <= limits::REVIEW_LARGE_FILES {
            // A small change keeps git's order.
            files.iter_mut().for_each(|(_, file)| file.rank = Rank::default());
        }
        files.order_by_key(|(_, file)| file.class());
        let (given, mut files): (Vec<usize>, Vec<File>) = files.into_iter().unzip();
        if matches!(layout, Layout::Text(_)) {
            let told = files.iter_mut().filter(|file| file.is_shown_by_list);
            // The pieces stay, at no cost: a cursor counts them in every layout.
            let pieces = told.flat_map(|file| &mut file.patch.pieces);
            pieces.for_each(|piece| piece.cost = 0);
        }
        let first_page = order::first_page(&files);
        let (ends, note) = Default::default();
        Self { files, given, first_page, layout, binding, ends, note, is_rest: false }
    }

    /// Sets the names of the sides, a note for the first page, and whether the files are the rest
    /// of a change of which something was seen.
    #[must_use]
    pub fn with_words(self, ends: String, note: String, is_rest: bool) -> Self {
        Self { ends, note, is_rest, ..self }
    }

    fn summary(&self, is_continued: bool) -> String {
        if self.files.is_empty() && self.is_rest {
            return wording::NOTHING_LEFT.to_owned();
        }
        wording::summary(&self.files, &self.ends, is_continued)
    }

    /// Returns the page that begins at a cursor, or the first one; `overhead` is what an answer of
    /// `max_bytes` needs besides the page. `patch` returns the patch of a file by its index in the
    /// order that the caller gave.
    ///
    /// # Errors
    /// Those of [`Binding::position`] and of `patch`; `too_large` if not even a single line fits in
    /// `max_bytes`; `stale` if a patch is not the one that was measured.
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
        let is_ours = position.listed <= self.files.len()
            && position.shown <= self.first_page.len()
            && position.first <= self.first_page.len();
        if is_ours {
            Ok(position)
        } else {
            Err(Error::invalid_args("the cursor is past the last page"))
        }
    }
}

/// A page that is being built.
struct Builder<'a, P> {
    review: &'a Review,
    /// All pieces in the order of this page and those before it.
    order: Vec<OrderedPiece>,
    max_bytes: usize,
    /// The bytes left.
    room: usize,
    /// The bytes left before anything was listed or shown.
    whole_room: usize,
    is_first: bool,
    listed: Range<usize>,
    /// The line of totals by directory.
    directories: Option<String>,
    /// The line that counts the files not listed yet.
    rest_of_list: Option<String>,
    /// The number of pieces of each file on earlier pages.
    before: HashMap<usize, usize>,
    /// The pieces of each file on this page.
    shown: BTreeMap<usize, ShownPieces>,
    /// The start of the next page.
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
        let (files, layout) = (&review.files, review.layout);
        let is_first = from == Position::default();
        let order = if is_first {
            review.first_page.clone()
        } else {
            order::after(&review.first_page, from.first)
        };
        let all = Rest { files: files.len(), hunks: order.len(), of_files: files.len() };
        let fixed = overhead
            + layout.words(&review.summary(true))
            + if is_first { layout.words(&review.note) } else { 0 }
            + layout.words(&wording::closing(all, &"0".repeat(CURSOR_BYTES), files.len(), true))
            + layout.words(&wording::longest_only_noise(files))
            // The empty lines before the hunks and before the closing line.
            + 2 * layout.words("\n");
        let before = order[..from.shown].iter().map(|place| (place.file, place.piece + 1)).gather();
        let mut builder = Self {
            review,
            order,
            max_bytes,
            room: 0,
            whole_room: 0,
            is_first,
            listed: from.listed..from.listed,
            directories: None,
            rest_of_list: None,
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

    /// Returns `room` less `needed`.
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

    fn list_of_files(&self) -> List<'a> {
        let Review { files, layout, .. } = self.review;
        List { files, layout: *layout, from: self.listed.start }
    }

    /// Lists files in a part of the page; the unused rest is left to hunks.
    fn list(&mut self) -> Result<()> {
        let (list, count) = (self.list_of_files(), self.review.files.len());
        if self.listed.end == count {
            return Ok(());
        }
        let has_hunks = self.next.shown < self.order.len();
        let mut share = self.room;
        if has_hunks {
            share = share.min(self.max_bytes * limits::REVIEW_LIST_PERCENT / 100);
        }
        let whole: usize = (self.listed.end..count).map(|at| list.cost(at)).sum();
        let counts_rest = self.is_first && whole > share;
        if counts_rest {
            let layout = self.review.layout;
            self.directories = directories::totals(&self.review.files, layout, share / 2);
        }
        if let Some(text) = &self.directories {
            let cost = self.review.layout.words(text);
            self.room -= cost;
            if !has_hunks {
                self.list_while(share - cost);
            }
            self.next.listed = self.listed.end;
            return Ok(());
        }
        let kept = if counts_rest { share / limits::REVIEW_REST_SHARE } else { 0 };
        let room = self.list_while(share - kept);
        // A line longer than that part is listed alone.
        if self.listed.is_empty() {
            let needed = list.cost(self.listed.end);
            self.room = self.left(self.room, needed)?;
            self.listed.end += 1;
        }
        if counts_rest && kept + room <= self.room {
            self.rest_of_list = list.rest(self.listed.end, kept + room);
            let text = self.rest_of_list.as_deref().unwrap_or_default();
            self.room -= self.review.layout.words(text);
        }
        self.next.listed = self.listed.end;
        Ok(())
    }

    /// Lists files while they fit; returns the room left.
    fn list_while(&mut self, mut room: usize) -> usize {
        let list = self.list_of_files();
        while self.listed.end < self.review.files.len() {
            let cost = list.cost(self.listed.end);
            let Some(left) = room.checked_sub(cost) else { break };
            room = left;
            self.room -= cost;
            self.listed.end += 1;
        }
        room
    }

    /// Shows hunks in order while they fit.
    fn show(&mut self) -> Result<()> {
        while let Some(&place) = self.order.get(self.next.shown) {
            let file = &self.review.files[place.file];
            let takes = self.head_cost(place)
                + file.patch.pieces[place.piece].cost
                + file.piece_extra(place.piece);
            let is_begun = self.next.offset > 0;
            if let Some(room) = self.room.checked_sub(takes)
                && !is_begun
            {
                self.room = room;
                self.add(place);
                self.next.shown += 1;
                continue;
            }
            // A hunk is cut only if it does not fit on a page of its own, and only if enough of it
            // fits.
            let is_worth_it = self.room >= self.whole_room / 4 && takes > self.whole_room;
            if !(self.is_empty() || is_begun || is_worth_it) || !self.show_part(place)? {
                break;
            }
        }
        if self.next.shown == self.order.len() {
            if let Some(rest) = self.rest_of_list.take() {
                self.room += self.review.layout.words(&rest);
            }
            self.list_while(self.room);
            self.next.listed = self.listed.end;
        }
        if self.is_first {
            self.next.first = self.next.shown + usize::from(self.next.offset > 0);
        }
        Ok(())
    }

    /// Adds a piece to the page, after those of its file.
    fn add(&mut self, place: OrderedPiece) -> &mut ShownPieces {
        let nothing = ShownPieces { pieces: place.piece..place.piece, parts: BTreeMap::new() };
        let shown = self.shown.slot(place.file).or_insert(nothing);
        shown.pieces.end += 1;
        shown
    }

    /// Returns the cost of the head above a piece; zero if the page has it already.
    fn head_cost(&self, place: OrderedPiece) -> usize {
        let patch = &self.review.files[place.file].patch;
        match self.shown.get(&place.file) {
            Some(shown) if patch.has_same_head(place.piece, shown.pieces.end - 1) => 0,
            _ => patch.head_cost(place.piece),
        }
    }

    /// Tells whether the page lists and shows nothing yet, even if it begins within a cut piece.
    fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.listed.is_empty()
    }

    /// Shows as much as fits of a piece that is larger than a page; tells whether its end is shown.
    fn show_part(&mut self, place: OrderedPiece) -> Result<bool> {
        let (form, offset) = (self.review.layout.form(), self.next.offset);
        let head_cost = self.head_cost(place);
        self.load(place.file)?;
        let whole = self.patches[&place.file].piece(place.piece);
        let Some(text) = whole.get(offset..) else {
            return Err(Error::invalid_args("the cursor is past the end of a hunk"));
        };
        let all = whole.len();
        // A part that ends within a line gets a newline.
        let extra = self.review.files[place.file].piece_extra(place.piece);
        let fixed =
            head_cost + extra + form.cost(&wording::part(whole, all, all)) + form.cost("\n");
        let needed = fixed + limits::REVIEW_PART_BYTES.min(form.cost(text));
        if self.room < needed {
            if self.is_empty() {
                self.left(self.room, needed)?;
            }
            return Ok(false);
        }
        let fits = form.fitting(text, self.room - fixed);
        let is_last = fits.len() == text.len();
        let end = match fits.rfind('\n') {
            Some(newline) if !is_last => newline + 1,
            _ => fits.len(),
        };
        self.room -= fixed + form.cost(&text[..end]);
        let part = offset..offset + end;
        self.add(place).parts.put(place.piece, part);
        if is_last {
            self.next = Position { shown: self.next.shown + 1, offset: 0, ..self.next };
        } else {
            self.next.offset += end;
        }
        Ok(is_last)
    }

    /// Loads the patch of a file.
    fn load(&mut self, file: usize) -> Result<()> {
        if !self.patches.contains_key(&file) {
            let patch = (self.patch)(self.review.given[file])?;
            if patch.measures(self.review.layout.form()) != self.review.files[file].patch {
                return Err(Error::stale(format!(
                    "{} changed while it was compared",
                    self.review.files[file].name
                ))
                .with_hint("Ask again"));
            }
            self.patches.put(file, patch);
        }
        Ok(())
    }

    /// Tells whether the list says as much as the patch would.
    fn is_shown_by_list(&self, file: usize) -> bool {
        matches!(self.review.layout, Layout::Text(_)) && self.review.files[file].is_shown_by_list
    }

    /// Tells whether a part of a file is on none of the pages up to this one.
    fn is_left_out(&self, file: usize) -> bool {
        if self.is_shown_by_list(file) {
            return false;
        }
        let is_cut = self.next.offset > 0
            && self.order.get(self.next.shown).is_some_and(|place| place.file == file);
        let before = self.before.get(&file).copied().unwrap_or(0);
        let pieces = self.shown.get(&file).map_or(before, |shown| shown.pieces.end);
        is_cut || pieces < self.review.files[file].patch.len()
    }

    /// Writes the page.
    fn finish(mut self) -> Result<Page> {
        let (review, files) = (self.review, &self.review.files);
        let mut sections = Vec::new();
        let mut put = |kind, file: Option<usize>, piece, text, is_end| {
            let file = file.map(|file| review.given[file]);
            sections.add(Section { kind, file, piece, is_end, text });
        };
        let note = if self.is_first { &review.note[..] } else { "" };
        let summary = review.summary(!self.is_first) + note;
        put(Kind::Summary, None, None, summary, true);
        if let Some(text) = self.directories.take() {
            put(Kind::Summary, None, None, text, true);
        }
        let list = self.list_of_files();
        for file in self.listed.clone() {
            let mut text = list.text(file, self.is_left_out(file));
            if file + 1 == self.listed.end {
                text.add_slice(list.end(file));
            }
            put(Kind::File, Some(file), None, text, true);
        }
        if let Some(rest) = self.rest_of_list.take() {
            put(Kind::Summary, None, None, rest, true);
        }
        for (file, shown) in self.shown.clone() {
            if self.is_shown_by_list(file) {
                continue;
            }
            self.load(file)?;
            let patch = &self.patches[&file];
            for piece in shown.pieces.clone() {
                let has_head = piece == shown.pieces.start
                    || !files[file].patch.has_same_head(piece, piece - 1);
                let mut text = if has_head { patch.head(piece).to_owned() } else { String::new() };
                match shown.parts.get(&piece) {
                    None => text.add_slice(patch.piece(piece)),
                    Some(part) => {
                        text.add_slice(&wording::part(patch.piece(piece), part.start, part.end));
                        text.add_slice(&patch.piece(piece)[part.clone()]);
                    }
                }
                if !text.ends_with('\n') {
                    text.add('\n');
                }
                let all = patch.piece(piece).len();
                let is_end = shown.parts.get(&piece).is_none_or(|part| part.end == all);
                put(Kind::Hunk, Some(file), Some(piece), text, is_end);
            }
        }
        let waiting = self.order[self.next.shown..].iter();
        let left: Vec<&OrderedPiece> =
            waiting.filter(|place| !self.is_shown_by_list(place.file)).gather();
        let rest = Rest {
            files: files.len() - self.next.listed,
            hunks: left.len(),
            of_files: left.iter().map(|place| place.file).gather::<HashSet<_>>().len(),
        };
        let waiting = left.iter().map(|place| place.file).chain(self.next.listed..files.len());
        let only_noise = wording::only_noise(files, waiting);
        if self.next.listed == files.len() && self.next.shown == self.order.len() {
            return Ok(Page { sections, next_cursor: None });
        }
        let cursor = review.binding.cursor(self.next).ok_or_else(|| {
            Error::too_large("the change has more hunks than a cursor can count")
                .with_hint("Name fewer files in paths")
        })?;
        put(
            Kind::Omitted,
            None,
            None,
            only_noise + &wording::closing(rest, &cursor, files.len(), !self.listed.is_empty()),
            true,
        );
        Ok(Page { sections, next_cursor: Some(cursor) })
    }
}
