//! The lines of a comparison that were moved, within and across files.

use crate::Question;
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::{Context, Run};
use crate::params::{FROM, PATHS, REPO, TO};
use redline_base::budget::{Charge, Gather, Grow, TryGather, Weigh};
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{Change, Reader, RenameOptions, WrittenPatch};
use redline_rows::params::{Args, Choice, Flag, OneOf, Param, choice, flag};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Needs, Row, bigint, boolean, fields, varchar,
};
use redline_text::moved::{DiffItem, EqualLines, Mark, MovedMode, MovedWhitespace, TextIds, mark};
use redline_text::{CancelToken, Diff, DiffOptions, Engine, LineKind};

/// A query for the moved lines between two sides.
pub struct MovedLinesQuery {
    /// The sides.
    pub revisions: Revisions,
    /// How moves are marked.
    pub mode: MovedMode,
    /// The whitespace that is ignored when lines are compared.
    pub whitespace: MovedWhitespace,
}

/// The changed lines of a file, with the gaps between them.
pub struct ChangedLines {
    path: Vec<u8>,
    contents: Vec<u8>,
    lines: Vec<LineOrGap>,
    charge: Charge,
}

/// A line of a diff, or a gap between two.
struct LineOrGap {
    kind: LineKind,
    /// Its number on its side, from 1.
    number: u32,
    /// The end of its content.
    end: usize,
}

/// The moved lines of a comparison.
pub struct MovedLines {
    files: Vec<ChangedLines>,
    /// The file of each item, and its index there.
    places: Vec<(u32, u32)>,
    marks: Vec<Mark>,
    /// The items that were moved.
    moved: Vec<u32>,
    _charge: Charge,
}

/// A moved line.
#[derive(Clone, Copy)]
pub struct MovedLine<'a> {
    all: &'a MovedLines,
    item: u32,
}

impl<'a> MovedLine<'a> {
    /// Returns its marks.
    pub fn mark(self) -> Mark {
        self.all.marks[self.item as usize]
    }

    /// Returns the equal line on the other side.
    pub fn partner(self) -> Self {
        Self { item: self.mark().partner, ..self }
    }

    /// Returns the index of its file among the compared ones.
    pub fn file(self) -> usize {
        self.all.places[self.item as usize].0 as usize
    }

    fn place(self) -> (&'a ChangedLines, usize) {
        let (file, line) = self.all.places[self.item as usize];
        (&self.all.files[file as usize], line as usize)
    }

    /// Returns the path of its file.
    pub fn path(self) -> &'a [u8] {
        &self.place().0.path
    }

    /// Returns its number on its side, from 1.
    pub fn number(self) -> u32 {
        let (file, line) = self.place();
        file.lines[line].number
    }

    /// Tells whether it was added, not removed.
    pub fn is_added(self) -> bool {
        let (file, line) = self.place();
        file.lines[line].kind == LineKind::Added
    }

    /// Returns its content without its newline.
    pub fn content(self) -> &'a [u8] {
        let (file, line) = self.place();
        file.content(line)
    }
}

impl Weigh for MovedLines {
    fn bytes(&self) -> usize {
        self.files.iter().map(ChangedLines::bytes).sum()
    }
}

impl RowGroup for MovedLines {
    type Of<'a> = MovedLine<'a>;

    fn rows(&self) -> usize {
        self.moved.len()
    }

    fn row(&self, index: usize) -> MovedLine<'_> {
        MovedLine { all: self, item: self.moved[index] }
    }
}

impl Query for MovedLinesQuery {
    type Group = MovedLines;
    type Row = MovedLines;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<MovedLines>> {
        context.read(|| {
            // One job, as every line may be moved to any other place.
            let job = Source::new(std::iter::once(Ok(self.files(context)?)));
            let (mode, whitespace) = (self.mode, self.whitespace);
            let run = Run::open(context, &self.revisions.repo, 1)?;
            run.start(job, Window::unweighed(limits::WINDOW_JOBS), |_| {
                Ok(move |files, cancel: &CancelToken<'_>| {
                    DiffedLines::new(files, whitespace, cancel)?.moved(mode, cancel)
                })
            })
            .map(Rows::Workers)
        })
    }
}

impl MovedLinesQuery {
    /// Compares all files.
    fn files(&self, context: &Context) -> Result<Vec<ChangedLines>> {
        let comparison = self.revisions.open(context)?;
        let work = self.revisions.work_on(&comparison, context, |comparison| {
            let (mut reader, mut engine) = (comparison.reader(), Engine::default());
            Ok(move |change: Change, cancel: &CancelToken<'_>| {
                file_diff(&mut reader, &mut engine, change, cancel)
            })
        })?;
        work.try_gather()
    }
}

impl MovedLines {
    /// Returns the runs of moved lines: those of one block with a run of lines on the other side.
    pub fn runs(&self) -> Vec<MovedRun> {
        let mut runs: Vec<MovedRun> = Vec::new();
        for index in 0..self.moved.len() {
            let (line, is_first) = (self.row(index), index == 0);
            match runs.last_mut() {
                Some(run) if !is_first && run.goes_on(line, self.row(index - 1)) => {
                    run.last = line.number();
                }
                _ => runs.add(MovedRun::of(line)),
            }
        }
        runs
    }
}

/// Lines that were moved together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedRun {
    /// The index of their file among the compared ones.
    pub file: usize,
    /// Whether they were added, not removed.
    pub is_added: bool,
    /// The number of the first, on its side.
    pub first: u32,
    /// The number of the last.
    pub last: u32,
    /// The index of the file with the same lines on the other side.
    pub other_file: usize,
    /// The number of the first of them there.
    pub other_first: u32,
    /// Whether they have the second colour.
    pub is_alternate: bool,
}

impl MovedRun {
    fn of(line: MovedLine<'_>) -> Self {
        Self {
            file: line.file(),
            is_added: line.is_added(),
            first: line.number(),
            last: line.number(),
            other_file: line.partner().file(),
            other_first: line.partner().number(),
            is_alternate: line.mark().is_alternate,
        }
    }

    /// Tells whether a line continues the run that ends with `before`.
    fn goes_on(&self, line: MovedLine<'_>, before: MovedLine<'_>) -> bool {
        let (partner, last) = (line.partner(), before.partner());
        line.mark().block == before.mark().block
            && (line.file(), line.is_added()) == (self.file, self.is_added)
            && line.number() == self.last + 1
            && (partner.file(), partner.number()) == (last.file(), last.number() + 1)
    }
}

fn file_diff(
    reader: &mut Reader,
    engine: &mut Engine,
    change: Change,
    cancel: &CancelToken<'_>,
) -> Result<ChangedLines> {
    let mut file = ChangedLines::new(&change);
    for part in change.parts() {
        if part.has_same_content() {
            continue;
        }
        let (old, new) = reader.contents(&part)?;
        let (Some(old), Some(new)) = (old.text(), new.text()) else { continue };
        file.add(&Diff::new(engine, old, new, &DiffOptions::default(), cancel)?, cancel)?;
    }
    Ok(file)
}

impl ChangedLines {
    /// Returns the changed lines of a patch that shows all of them.
    pub fn of_patch(
        change: &Change,
        patch: &WrittenPatch,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let mut file = Self::new(change);
        let mut pace = cancel.pace();
        let hunks = if change.is_combined() { &[][..] } else { &patch.hunks };
        for hunk in hunks {
            file.push(LineKind::Context, 0, &[], cancel)?;
            let (mut old, mut new) = (hunk.old.0, hunk.new.0);
            let text = &patch.bytes[hunk.span.clone()];
            for line in text.split(|&byte| byte == b'\n').skip(1) {
                pace.pass(line.len())?;
                let (sign, content) = line.split_first().unwrap_or((&b'\\', &[]));
                let kind = LineKind::of(*sign);
                let number = match kind {
                    Some(LineKind::Removed) => old,
                    Some(LineKind::Added) => new,
                    _ => 0,
                };
                old += u32::from(kind.is_some_and(LineKind::is_old));
                new += u32::from(kind.is_some_and(LineKind::is_new));
                file.push(kind.unwrap_or(LineKind::Context), number, content, cancel)?;
            }
        }
        Ok(file)
    }

    /// Returns approximately how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        self.path.len() + self.contents.len() + self.lines.len() * size_of::<LineOrGap>()
    }

    fn content(&self, line: usize) -> &[u8] {
        let start = line.checked_sub(1).map_or(0, |before| self.lines[before].end);
        &self.contents[start..self.lines[line].end]
    }

    /// Returns the numbers of added and removed lines.
    pub fn counts(&self) -> (u64, u64) {
        let count = |kind| self.lines.iter().filter(|line| line.kind == kind).count();
        (count(LineKind::Added) as u64, count(LineKind::Removed) as u64)
    }

    fn new(change: &Change) -> Self {
        Self {
            path: change.path.clone(),
            contents: Vec::new(),
            lines: Vec::new(),
            charge: Charge::free(),
        }
    }

    fn add(&mut self, diff: &Diff<'_>, cancel: &CancelToken<'_>) -> Result<()> {
        let mut pace = cancel.pace();
        for hunk in diff.hunks() {
            self.push(LineKind::Context, 0, &[], cancel)?;
            for line in diff.lines(hunk) {
                pace.pass(line.content.len())?;
                let number = match line.kind {
                    LineKind::Removed => line.old,
                    LineKind::Added => line.new,
                    LineKind::Context => None,
                };
                let content = line.content.strip_suffix(b"\n");
                let text = content.unwrap_or(line.content);
                self.push(line.kind, number.unwrap_or_default(), text, cancel)?;
                // git's note about a missing newline, which is between two lines.
                if content.is_none() {
                    self.push(LineKind::Context, 0, &[], cancel)?;
                }
            }
        }
        Ok(())
    }

    /// Appends a line; of one that is neither added nor removed, only that it is there.
    fn push(
        &mut self,
        kind: LineKind,
        number: u32,
        content: &[u8],
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let is_again = self.lines.last().is_some_and(|last| last.kind == LineKind::Context);
        if kind == LineKind::Context && is_again {
            return Ok(());
        }
        let content = if kind == LineKind::Context { &[] } else { content };
        cancel.room(&mut self.charge, &mut self.contents, content.len())?;
        cancel.room(&mut self.charge, &mut self.lines, 1)?;
        self.contents.extend_from_slice(content);
        self.lines.push(LineOrGap { kind, number, end: self.contents.len() });
        Ok(())
    }
}

/// The changed lines of all files, of which equal ones are known.
pub struct DiffedLines {
    files: Vec<ChangedLines>,
    items: Vec<DiffItem>,
    /// The file of each item, and its index there.
    places: Vec<(u32, u32)>,
    equal: EqualLines,
    charge: Charge,
}

impl DiffedLines {
    /// Finds the equal lines among the changed lines of all files.
    pub fn new(
        files: Vec<ChangedLines>,
        whitespace: MovedWhitespace,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let mut texts = TextIds::new(whitespace);
        let (mut items, mut places, mut charge) = (Vec::new(), Vec::new(), Charge::free());
        let mut pace = cancel.pace();
        for (file, diff) in files.iter().enumerate() {
            // The texts are in memory twice.
            charge.join(cancel.charge(2 * diff.contents.len())?);
            for (at, line) in diff.lines.iter().enumerate() {
                pace.pass(diff.content(at).len())?;
                cancel.room(&mut charge, &mut items, 1)?;
                cancel.room(&mut charge, &mut places, 1)?;
                items.push(match line.kind {
                    LineKind::Context => DiffItem::OTHER,
                    kind => texts.item(kind, diff.content(at)),
                });
                places.push((file as u32, at as u32));
            }
        }
        let equal = EqualLines::new(&items, texts.count(), cancel)?;
        Ok(Self { files, items, places, equal, charge })
    }

    /// Tells whether so many removed lines equal added ones that only a query for moved lines
    /// should search them: no remark may cost more than [`limits::REMARKED_PAIRS`] steps.
    pub fn is_large(&self) -> bool {
        self.equal.pairs() > limits::REMARKED_PAIRS
    }

    /// Finds the moved lines.
    pub fn moved(self, mode: MovedMode, cancel: &CancelToken<'_>) -> Result<MovedLines> {
        let Self { files, items, places, equal, charge } = self;
        let marks = mark(&items, &equal, mode, cancel)?;
        let moved = (0..).zip(&marks).filter(|(_, mark)| mark.is_moved).map(|(at, _)| at).gather();
        Ok(MovedLines { files, places, marks, moved, _charge: charge })
    }
}

impl Row for MovedLines {
    type Of<'a> = MovedLine<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| out.text(row.path())),
        varchar("line_type", "ADDED or REMOVED", |row, out| {
            out.text(if row.is_added() { "ADDED" } else { "REMOVED" })
        }),
        bigint("line", "Its number on its side, from 1", |row| row.number().into()),
        varchar("content", "The line without its newline", |row, out| out.text(row.content())),
        bigint("block", "The number of its block, from 1; NULL in the mode plain", |row| {
            Some(row.mark().block).filter(|&block| block > 0).into()
        }),
        boolean("is_alternate", "Whether it has the second colour", |row| {
            Some(row.mark().is_alternate)
        }),
        boolean("is_dimmed", "Whether dimmed-zebra dims it", |row| Some(row.mark().is_dimmed)),
        varchar("moved_file", "The file of the same line on the other side", |row, out| {
            out.text(row.partner().path())
        }),
        bigint("moved_line", "Its number there; of several places the first", |row| {
            row.partner().number().into()
        }),
        bigint("candidates", "Number of places that have the whole block", |row| {
            row.mark().candidates.into()
        }),
    ];
}

const MODE: Param<OneOf<Modes>> = choice(
    "mode",
    "Marked lines: zebra (alternating blocks), plain (any line), blocks or dimmed-zebra",
);
const WHITESPACE: Param<OneOf<WhitespaceNames>> = choice(
    "whitespace",
    "Whitespace that does not count: none, all, change, eol or indentation (of a whole block)",
);
const RENAMES: Param<Flag> = flag("renames", false, "Detect renames, as git's -M");

/// The modes, by their names.
struct Modes;

impl Choice for Modes {
    type Of = MovedMode;
    const WORDS: &'static [(&'static str, MovedMode)] = &[
        ("zebra", MovedMode::Zebra),
        ("plain", MovedMode::Plain),
        ("blocks", MovedMode::Blocks),
        ("dimmed-zebra", MovedMode::DimmedZebra),
    ];
}

/// The whitespace that does not count, by its name.
struct WhitespaceNames;

impl Choice for WhitespaceNames {
    type Of = MovedWhitespace;
    const WORDS: &'static [(&'static str, MovedWhitespace)] = &[
        ("none", MovedWhitespace::Exact),
        ("all", MovedWhitespace::All),
        ("change", MovedWhitespace::Change),
        ("eol", MovedWhitespace::Eol),
        ("indentation", MovedWhitespace::Indentation),
    ];
}

impl Question for MovedLinesQuery {
    const DECLARATION: Declaration = Declaration {
        name: "moved_lines",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Lists the lines that were moved between two sides, as git diff --color-moved marks them",
        example: "SELECT file_path, line, moved_file, moved_line FROM moved_lines('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FROM, TO, REPO];
    const NAMED: &'static [Field] = fields![MODE, WHITESPACE, RENAMES, PATHS];
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            revisions: Revisions {
                paths: args.get(PATHS)?.unwrap_or_default(),
                renames: args.get(RENAMES)?.then(RenameOptions::default),
                ..Revisions::between(
                    args.owned(FROM)?,
                    args.get(TO)?.map(str::to_owned),
                    args.owned(REPO)?,
                )
            },
            mode: args.get(MODE)?,
            whitespace: args.get(WHITESPACE)?,
        })
    }
}
