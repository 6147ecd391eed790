//! A comparison as pages within a budget: shared by `diff_review` and the git tools.
//!
//! All changes are measured once, for the sizes of their patches. The patches of the files on a
//! page are then written again.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::Question;
use crate::answers::PageAnswer;
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::Context;
use crate::params::comparison;
use crate::questions::moved_lines::{ChangedLines, DiffedLines};
use crate::review::cutter::{Cut, Cutter, Cutting, PieceIds};
use crate::review::data_changes::data_words;
use crate::review::diff_page::noise_of;
use crate::review::seen::Seen;
use redline_base::budget::{
    Charge, Gather, GatherSome, Grow, GrowBy, Ordered, Taken, Weigh, owned, text_of,
};
use redline_base::error::{Result, is_hard_to_see, quoted};
use redline_base::form::{Form, counted};
use redline_base::limits;
use redline_git::{
    Change, Comparison, LineCounts, Measure, Measured, Measurer, Origin, Reader, Status,
    changed_files, untracked_paths,
};
use redline_review::{Binding, File, Layout, Measures, Noise, Page, Rank, Review, Section};
use redline_rows::params::{Args, Asked, Given, Kind, Maybe, Param, Text, Texts, number, optional};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Needs, Row, Type, bigint, boolean, fields, joined,
    varchar,
};
use redline_text::hunk_id::HunkId;
use redline_text::moved::{MovedMode, MovedWhitespace};
use redline_text::{CancelToken, quoted_path};
use redline_tools as tools;

/// A request for a page.
#[derive(Debug, Clone)]
pub struct Request {
    /// The sides.
    pub revisions: Revisions,
    /// The one file to show, from the root of the repository.
    pub file: Option<String>,
    /// Whether hunks are shown, not only the list.
    pub has_hunks: bool,
    /// The bytes of the answer.
    pub max_bytes: usize,
    /// The cursor at which the page begins.
    pub cursor: Option<String>,
    /// Names of hunks and ranges that were seen: hunks seen with the lines around them are left
    /// out.
    pub except: Vec<String>,
}

/// A page and the changes of its sections.
pub struct Reviewed {
    /// The changed files that are shown, in git's order.
    pub rows: Vec<Measured>,
    /// The names of their hunks, in the same order, where the answer names them.
    pub ids: Vec<PieceIds>,
    /// How many hunks are left out that were seen.
    pub seen: usize,
    /// The page.
    pub page: Page,
    _charge: Charge,
}

impl Weigh for Reviewed {
    fn bytes(&self) -> usize {
        self.page.sections.iter().map(|section| section.text.len()).sum()
    }
}

impl RowGroup for Reviewed {
    /// All of it, and a section of the page.
    type Of<'a> = (&'a Self, &'a Section);

    fn rows(&self) -> usize {
        self.page.sections.len()
    }

    fn row(&self, index: usize) -> (&Self, &Section) {
        (self, &self.page.sections[index])
    }
}

impl Query for Request {
    type Group = Reviewed;
    type Row = Reviewed;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Reviewed>> {
        self.answer(context, None).map(|page| Rows::Once(Some(page)))
    }
}

impl Request {
    /// Compares and returns the page: of a tool's answer, else as rows.
    pub fn answer(&self, context: &Context, frame: Option<&PageAnswer>) -> Result<Reviewed> {
        context.read(|| self.compare(context, frame))
    }

    fn compare(&self, context: &Context, frame: Option<&PageAnswer>) -> Result<Reviewed> {
        let comparison = self.revisions.open(context)?;
        let layout = frame.map_or(Layout::Rows, PageAnswer::layout);
        let seen = Arc::new(Seen::of(&self.except, &self.revisions, context)?);
        let has_moves =
            matches!(layout, Layout::Text(_)) && self.has_hunks && self.cursor.is_none();
        let cutting = Cutting { has_names: frame.is_none_or(PageAnswer::names_hunks), seen };
        let make = |comparison: &Comparison| -> Result<Outliner> {
            let measure = Measure { sizes: true, lines: true };
            Ok(Outliner {
                measurer: comparison.measurer(measure, self.revisions.diff.clone()),
                cutter: cutting.cutter(comparison, &self.revisions.diff, has_moves)?,
                // Nothing is said where the answer has no words.
                data: (layout != Layout::Data).then(|| comparison.reader().of_pairs()),
                has_hunks: self.has_hunks,
                form: layout.form(),
            })
        };
        let Outlines { mut outlines, note, seen, charge } =
            self.outlines(&comparison, context, make)?;
        let moves = if has_moves {
            moves_text(&mut outlines, self.max_bytes, context)?
        } else {
            String::new()
        };
        let binding = Binding::new(self.options_text().as_bytes(), &state(&comparison, &outlines));
        let (mut rows, mut ids, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for outline in outlines {
            files.add(outline.file(frame));
            rows.add(outline.row);
            ids.add(outline.ids);
        }
        let overhead = frame.map_or(0, |frame| frame.overhead(&rows));
        let known = ids.iter().map(PieceIds::known).sum();
        let note = seen_words(seen, known) + &note;
        let (ends, note) = match layout {
            Layout::Text(_) => {
                (self.ends(&comparison)?, note + &self.untracked(&comparison)? + &moves)
            }
            Layout::Rows => (String::new(), note),
            Layout::Data => Default::default(),
        };
        let review = Review::new(files, layout, binding);
        let review = review.with_words(ends, note, seen > 0);
        let mut cutter = cutting.cutter(&comparison, &self.revisions.diff, false)?;
        let page = review.page(self.max_bytes, overhead, self.cursor.as_deref(), |file| {
            let (change, cancel) = (&rows[file].change, CancelToken::of(&context.budget));
            Ok(cutter.cut(change, &cancel)?.patch)
        })?;
        Ok(Reviewed { rows, ids, seen, page, _charge: charge })
    }

    /// Returns the names of both sides for the text; a later call may use them.
    fn ends(&self, comparison: &Comparison) -> Result<String> {
        let ends = self.revisions.ends(comparison)?;
        Ok(format!(" ({}..{})", ends[0], ends[1]))
    }

    /// Returns the line that counts untracked files.
    fn untracked(&self, comparison: &Comparison) -> Result<String> {
        let is_asked = self.file.is_none() && self.cursor.is_none();
        let count = if !is_asked { 0 } else { untracked_paths(comparison)?.len() };
        Ok(match count {
            0 => String::new(),
            1 => "1 untracked file is not shown: GitStatus.\n".to_owned(),
            many => format!("{many} untracked files are not shown: GitStatus.\n"),
        })
    }

    /// Measures every change with what `make` returns for each thread; also returns a note about
    /// them.
    fn outlines(
        &self,
        comparison: &Comparison,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<Outliner>,
    ) -> Result<Outlines> {
        let mut all = Outlines::default();
        let cancel = CancelToken::of(&context.budget);
        if let Some(file) = &self.file {
            let mut outliner = make(comparison)?;
            let (changes, note) = self.changes_of(comparison, file)?;
            all.note = note;
            for change in changes {
                all.add(outliner.outline(change, &cancel)?, &cancel)?;
            }
            return Ok(all);
        }
        let work = self.revisions.work_on(comparison, context, |comparison| {
            let mut outliner = make(comparison)?;
            Ok(move |change, cancel: &CancelToken<'_>| outliner.outline(change, cancel))
        })?;
        for outlined in work {
            all.add(outlined?, &cancel)?;
        }
        Ok(all)
    }

    /// Returns the change of one file, with its origin or its new path if renames are detected.
    fn changes_of(&self, comparison: &Comparison, file: &str) -> Result<(Vec<Change>, String)> {
        let mut note = String::new();
        let file = &comparison.repository().file_from_root(file)?;
        if let renames @ Some(_) = self.revisions.renames {
            let mut found = Vec::new();
            for change in changed_files(comparison, renames)? {
                let change = change?;
                let is_origin = |origin: &Origin| !origin.is_copy && origin.path == file.as_bytes();
                if change.path == file.as_bytes() {
                    found.add(change);
                } else if change.origin.as_ref().is_some_and(is_origin) {
                    let path = quoted(&text_of(&change.path));
                    note = format!("The file is renamed to {path}: GitDiffFile shows it there.\n");
                }
            }
            if !found.is_empty() {
                return Ok((found, String::new()));
            }
        }
        let mut changes =
            self.revisions.file(comparison, file, ["GitDiffFile", "GitDiffSummary"])?;
        changes.retain(|change| change.old != change.new || change.unmerged);
        Ok((changes, note))
    }

    fn options_text(&self) -> String {
        format!("{} {:?} {} {:?}", self.revisions.options(), self.file, self.has_hunks, self.except)
    }
}

/// A change and the sizes of its patch.
struct Outline {
    row: Measured,
    noise: Option<Noise>,
    measures: Measures,
    ids: PieceIds,
    lines: Option<ChangedLines>,
    /// What changed in the rows of a file of data.
    data: Option<String>,
}

/// The outlines of all changes of which something is left to see.
#[derive(Default)]
struct Outlines {
    outlines: Vec<Outline>,
    /// A note about them.
    note: String,
    /// How many hunks were seen.
    seen: usize,
    /// What the query is charged for them, and for what the page keeps of them.
    charge: Charge,
}

impl Outlines {
    fn add(&mut self, (outline, seen): Outlined, cancel: &CancelToken<'_>) -> Result<()> {
        let bytes = outline.as_ref().map_or(0, Outline::held_bytes);
        self.charge.join(cancel.charge_all(bytes)?);
        self.seen += seen;
        self.outlines.add_all(outline);
        Ok(())
    }
}

/// The outline of a change, `None` where all of its hunks were seen; and how many were.
type Outlined = (Option<Outline>, usize);

impl Outline {
    /// Returns the approximate memory of it and of the page's file.
    fn held_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of::<File>()
            + 4 * self.row.change.path.len()
            + 32 * self.measures.sizes().count()
            + self.ids.bytes()
            + self.lines.as_ref().map_or(0, ChangedLines::bytes)
            + 2 * self.data.as_ref().map_or(0, String::len)
    }

    fn file(&self, frame: Option<&PageAnswer>) -> File {
        let Measured { change, lines, .. } = &self.row;
        let name_bytes = |piece| {
            let id = self.ids.of(Some(piece))?;
            let is_known = self.ids.is_known(Some(piece)) == Some(true);
            Some(frame?.name_bytes(&self.row, id, is_known))
        };
        // A name that hides or reorders text is shown by its bytes, as git quotes them.
        let hides = |path: &[u8]| {
            std::str::from_utf8(path).is_ok_and(|path| path.chars().any(is_hard_to_see))
        };
        let shown = |path: &[u8]| text_of(&quoted_path(path, hides(path))).taken();
        let letter = match change.status() {
            Status::Added => 'A',
            Status::Deleted => 'D',
            Status::Modified => 'M',
            Status::TypeChanged => 'T',
            Status::Renamed => 'R',
            Status::Copied => 'C',
            Status::Unmerged => 'U',
        };
        let name = match &change.origin {
            Some(origin) => format!("{} => {}", shown(&origin.path), shown(&change.path)),
            None => shown(&change.path),
        };
        let mut notes = Vec::new();
        if let Some(origin) = &change.origin {
            notes.add(format!("{}% similar", origin.similarity));
        }
        if let (Some(old), Some(new)) = (change.old, change.new)
            && old.mode != new.mode
        {
            notes.add(format!("mode {} => {}", old.mode, new.mode));
        }
        if *lines == Some(LineCounts::BINARY) {
            notes.add("binary".to_owned());
        }
        if change.unmerged {
            notes.add("in conflict".to_owned());
        }
        notes.add_all(self.data.clone());
        let lines = lines.as_ref().filter(|_| !change.unmerged);
        let lines = lines.and_then(|lines| Some((lines.additions()?, lines.deletions()?)));
        let is_shown_by_list = change.origin.is_some() && change.has_same_content();
        File {
            letter,
            name,
            lines,
            notes,
            rank: Rank::of(&change.path),
            noise: self.noise,
            is_shown_by_list,
            extra: frame.map_or(0, |frame| frame.file_bytes(&self.row)),
            piece_extra: (0..self.measures.len()).map(|at| name_bytes(at).unwrap_or(0)).gather(),
            patch: self.measures.clone(),
        }
    }
}

/// Measures changes for one thread.
struct Outliner {
    measurer: Measurer,
    cutter: Cutter,
    data: Option<Reader>,
    has_hunks: bool,
    form: Form,
}

impl Outliner {
    /// Returns the outline of a change.
    fn outline(&mut self, change: Change, cancel: &CancelToken<'_>) -> Result<Outlined> {
        let attributes = self.cutter.attributes(&change.path)?;
        let cut = match self.has_hunks {
            true => self.cutter.cut(&change, cancel)?,
            false => Cut::default(),
        };
        let seen = cut.seen;
        if cut.is_seen {
            return Ok((None, seen));
        }
        let patch = cut.patch;
        let noise = noise_of(&change.path, attributes, patch.mean_line());
        let data = match &mut self.data {
            Some(reader) => data_words(reader, &change, cancel)?,
            None => None,
        };
        let outline = Some(Outline {
            noise,
            measures: patch.measures(self.form),
            ids: cut.ids,
            lines: cut.lines,
            data,
            row: self.measurer.measure(change, cancel)?,
        });
        Ok((outline, seen))
    }
}

/// Says how many hunks were seen, and of how many more the lines.
fn seen_words(seen: usize, known: usize) -> String {
    let hunks = |count: usize| counted(count as u64, "hunk");
    let mut words = String::new();
    if seen > 0 {
        let are = if seen == 1 { "was seen and is" } else { "were seen and are" };
        words.add_slice(&format!("{} {are} left out.\n", hunks(seen)));
    }
    if known > 0 {
        words.add_slice(&format!("{} whose lines were seen elsewhere.\n", hunks(known)));
    }
    words
}

/// Says that moved lines were not searched.
const MOVES_LEFT_OUT: &str = "Moved lines were not searched: too many lines are equal.\n";

/// Says what was moved, the most lines first; takes the changed lines of all files.
fn moves_text(outlines: &mut [Outline], max_bytes: usize, context: &Context) -> Result<String> {
    let diffs: Vec<_> = outlines.iter_mut().map(|outline| outline.lines.take()).gather();
    let count = |diff: &ChangedLines| diff.counts().0 + diff.counts().1;
    let all: u64 = diffs.iter().flatten().map(count).sum();
    // Without all files, lines moved from the others would look new.
    let Some(diffs) = diffs.into_iter().gather_some::<Vec<_>>() else {
        return Ok(String::new());
    };
    if all > limits::TOLD_MOVED_LINES as u64 {
        return Ok(String::new());
    }
    let cancel = CancelToken::of(&context.budget);
    let diffed = DiffedLines::new(diffs, MovedWhitespace::default(), &cancel)?;
    if diffed.is_large() {
        return Ok(MOVES_LEFT_OUT.to_owned());
    }
    let mut moves: Vec<(u32, usize, usize)> = Vec::new();
    for run in diffed.moved(MovedMode::default(), &cancel)?.runs() {
        let lines = run.last - run.first + 1;
        let same =
            |(_, to, from): &&mut (u32, usize, usize)| (*to, *from) == (run.file, run.other_file);
        match moves.iter_mut().find(same) {
            _ if !run.is_added => {}
            Some((count, ..)) => *count += lines,
            None => moves.add((lines, run.file, run.other_file)),
        }
    }
    moves.retain(|&(lines, ..)| lines >= limits::TOLD_MOVE_LINES);
    moves.order_by_key(|&(lines, ..)| Reverse(lines));
    let path = |file: usize| quoted(&text_of(&outlines[file].row.change.path));
    let told = moves.iter().take(limits::TOLD_MOVES).map(|&(lines, to, from)| {
        let lines = counted(lines.into(), "line");
        let (to, from) = if to == from {
            (String::new(), format!("within {}", path(to)))
        } else {
            (format!(" to {}", path(to)), format!("from {}", path(from)))
        };
        format!("{lines} moved {from}{to}.\n")
    });
    let text: String = told.gather();
    Ok(if text.len() <= max_bytes / limits::TOLD_MOVES_PART { text } else { String::new() })
}

/// Returns the state to which a cursor is bound: both sides, each change with its ids, and its
/// pieces.
fn state(comparison: &Comparison, outlines: &[Outline]) -> Vec<u8> {
    let mut state = format!("{:?}\n", comparison.sides()).into_bytes();
    for Outline { row, noise, measures, .. } in outlines {
        state.add_slice(&row.change.path);
        let Change { old, new, origin, unmerged, others, .. } = &row.change;
        let sizes: Vec<usize> = measures.sizes().gather();
        state.add_all(
            format!("\0{old:?} {new:?} {origin:?} {unmerged} {others:?} {noise:?} {sizes:?}\n")
                .into_bytes(),
        );
    }
    state
}

/// Returns the names of the hunk of a section, or of its file where that has no hunks; none of a
/// hunk whose end is on a later page.
fn names<'a>((reviewed, section): (&'a Reviewed, &Section)) -> Option<&'a HunkId> {
    let file = section.file.filter(|_| section.is_end)?;
    reviewed.ids.get(file)?.of(section.piece)
}

impl Row for Reviewed {
    type Of<'a> = (&'a Self, &'a Section);

    const OWN: &'static [Col<Self>] = &[
        varchar("kind", "summary, file, hunk or omitted", |(_, section), out| {
            out.text(section.kind.name())
        }),
        varchar(
            "file_path",
            "The file that it is about; NULL for none",
            |(reviewed, section), out| {
                out.text(section.file.map(|file| reviewed.rows[file].change.path.as_slice()))
            },
        ),
        varchar("text", "What it says", |(_, section), out| out.text(section.text.as_str())),
        varchar(
            "hunk_id",
            "Digest of the path and of the removed and added lines; for a file without hunks, of its change",
            |row, out| out.text(names(row).map(|id| id.lines.as_str())),
        ),
        varchar("context_id", "The same with the lines around and the heading", |row, out| {
            out.text(names(row).map(|id| id.context.as_str()))
        }),
        boolean(
            "known_lines",
            "Whether the lines are among except_ids, and something else is around them",
            |(reviewed, section)| reviewed.ids.get(section.file?)?.is_known(section.piece),
        ),
        bigint("bytes", "Bytes of text", |(_, section)| section.text.len().into()),
        varchar(
            "next_cursor",
            "The cursor of the next page; NULL on the last",
            |(reviewed, _), out| out.text(reviewed.page.next_cursor.as_deref()),
        ),
    ];
}

const MAX_BYTES: Param<AnswerBytes> =
    number("max_bytes", limits::REVIEW_BYTES as i64, "Bytes of the whole answer");
const CURSOR: Param<Maybe<Text>> = optional("cursor", "The next_cursor of the page before");
const EXCEPT_IDS: Param<Maybe<Texts>> = optional(
    "except_ids",
    "What was seen: hunk ids (hunks whose context_id is listed are omitted) and ranges a..b; NULL for nothing",
);

/// The maximum length of an answer.
struct AnswerBytes;

impl Kind for AnswerBytes {
    const TYPE: Type = Type::BigInt;
    type Of<'a> = usize;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<usize> {
        Ok(tools::max_bytes("max_bytes", given.integer())?.unwrap_or(limits::REVIEW_BYTES))
    }
}

impl Question for Request {
    const DECLARATION: Declaration = Declaration {
        name: "diff_review",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Returns a comparison page by page within a budget of bytes: totals, files and hunks",
        example: "SELECT string_agg(text, '') FROM diff_review('HEAD~1', 'HEAD', '.', max_bytes := 10000)",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] =
        joined!(Field: comparison::NAMED, fields![MAX_BYTES, CURSOR, EXCEPT_IDS]);
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            revisions: comparison::revisions(args)?,
            file: None,
            has_hunks: true,
            max_bytes: args.get(MAX_BYTES)?,
            cursor: args.get(CURSOR)?.map(owned).transpose()?,
            except: args.get(EXCEPT_IDS)?.unwrap_or_default(),
        })
    }
}
