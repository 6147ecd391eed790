//! A whole change for a page: the patches of its files, the names of their hunks, and the moved
//! lines.

use crate::machinery::hunk_ids::HunkNamer;
use crate::machinery::revisions::Revisions;
use crate::machinery::run::Context;
use crate::questions::moved_lines::{ChangedLines, DiffedLines, MovedRun};
use crate::review::data_changes::DataTable;
use crate::review::unchanged_lines::UnchangedLines;
use redline_base::budget::{Charge, Gather, Grow, Ordered, filled};
use redline_base::error::Result;
use redline_base::limits::UNCHANGED_PAGE_BYTES;
use redline_git::{Change, DiffAttribute, Patcher, PathAttributes, Reader, WrittenPatch};
use redline_review::{Marks, Noise, Rank};
use redline_text::CancelToken;
use redline_text::hunk_id::HunkId;
use redline_text::moved::{MovedMode, MovedWhitespace};

/// A whole change.
pub struct DiffPage {
    /// The name of the repository.
    pub repository: String,
    /// What was asked for, as it was typed.
    pub asked: String,
    /// Permanent names of both sides.
    pub ends: [String; 2],
    /// Its files in reading order: sources, tests, documents, vendored code, and last files that
    /// are collapsed by default.
    pub files: Vec<PagedFile>,
    /// Runs of moved lines; their files are indices into `files`. `None` if too many lines are
    /// equal.
    pub moved: Option<Vec<MovedRun>>,
    _charge: Charge,
}

/// A file of the change.
pub struct PagedFile {
    /// The change.
    pub change: Change,
    /// Its patch.
    pub patch: WrittenPatch,
    /// Added and removed lines.
    pub lines: (u64, u64),
    /// Why it is collapsed by default, if it is.
    pub noise: Option<Noise>,
    /// The names of its hunks, where they have any.
    pub ids: Vec<Option<HunkId>>,
    /// The names of the change of a file without hunks.
    pub id: Option<HunkId>,
    /// The changed cells of a file of data.
    pub data: Option<DataTable>,
    /// The unchanged lines beside its hunks.
    pub unchanged: Vec<UnchangedLines>,
}

impl DiffPage {
    /// Compares all files of two sides.
    ///
    /// # Errors
    /// Those of the revisions and of the repository.
    pub fn of(revisions: &Revisions, context: &Context) -> Result<Self> {
        context.read(|| Self::compare(revisions, context))
    }

    fn compare(revisions: &Revisions, context: &Context) -> Result<Self> {
        let comparison = revisions.open(context)?;
        let repository = comparison.repository().name();
        let ends = revisions.ends(&comparison)?;
        let work = revisions.work_on(&comparison, context, |comparison| {
            let mut patcher = comparison.patcher(revisions.diff.clone())?;
            let mut namer = HunkNamer::new(comparison, &revisions.diff, true)?;
            let mut reader = comparison.reader().of_pairs();
            Ok(move |change, cancel: &CancelToken<'_>| {
                let data = DataTable::of(&mut reader, &change, cancel)?;
                let (mut file, diff) = compared(&mut patcher, &mut namer, change, data, cancel)?;
                file.read_unchanged(&mut reader, cancel)?;
                Ok((file, diff))
            })
        })?;
        let cancel = CancelToken::of(&context.budget);
        let (mut files, mut diffs, mut charge) = (Vec::new(), Vec::new(), Charge::free());
        for compared in work {
            let (file, diff) = compared?;
            let held = size_of::<(PagedFile, ChangedLines)>()
                + file.patch.bytes.len()
                + file.data.as_ref().map_or(0, DataTable::bytes)
                + file.unchanged_bytes()
                + diff.bytes();
            charge.join(cancel.charge_all(held)?);
            files.add(file);
            diffs.add(diff);
        }
        let (mode, whitespace) = (MovedMode::default(), MovedWhitespace::default());
        let diffed = DiffedLines::new(diffs, whitespace, &cancel)?;
        let mut runs = None;
        if !diffed.is_large() {
            runs = Some(diffed.moved(mode, &cancel)?.runs());
        }
        let mut files = in_reading_order(files, runs.as_deref_mut().unwrap_or_default());
        let mut unchanged = 0;
        for file in &mut files {
            unchanged += file.unchanged_bytes();
            if unchanged > UNCHANGED_PAGE_BYTES {
                file.unchanged.clear();
            }
        }
        Ok(Self { repository, asked: revisions.asked(), ends, files, moved: runs, _charge: charge })
    }
}

impl PagedFile {
    /// Reads the unchanged lines beside the hunks of a file that has a content on both sides.
    fn read_unchanged(&mut self, reader: &mut Reader, cancel: &CancelToken<'_>) -> Result<()> {
        if self.patch.hunks.is_empty() || !self.change.is_of_files() {
            return Ok(());
        }
        let (_, new) = reader.contents(&self.change)?;
        if let Some(content) = new.text() {
            self.unchanged = UnchangedLines::beside(&self.patch.hunks, content, cancel)?;
        }
        Ok(())
    }

    fn unchanged_bytes(&self) -> usize {
        self.unchanged.iter().map(|run| size_of::<UnchangedLines>() + run.text.len()).sum()
    }
}

/// Sorts files and renumbers them in the runs.
fn in_reading_order(files: Vec<PagedFile>, runs: &mut [MovedRun]) -> Vec<PagedFile> {
    let mut files: Vec<_> = files.into_iter().enumerate().gather();
    files.order_by_key(|(_, file)| (file.noise.is_some(), Rank::of(&file.change.path)));
    let mut places = filled(0, files.len());
    for (place, (before, _)) in files.iter().enumerate() {
        places[*before] = place;
    }
    for run in runs {
        (run.file, run.other_file) = (places[run.file], places[run.other_file]);
    }
    files.into_iter().map(|(_, file)| file).gather()
}

/// Returns a file of the change, and its changed lines.
fn compared(
    patcher: &mut Patcher,
    namer: &mut HunkNamer,
    change: Change,
    data: Option<DataTable>,
    cancel: &CancelToken<'_>,
) -> Result<(PagedFile, ChangedLines)> {
    let attributes = patcher.attributes(&change.path)?;
    let patch = patcher.patch(&change, cancel)?;
    let names = namer.names(&change, &patch, cancel)?;
    let (id, ids) =
        names.map_or_else(Default::default, |names| (names.file().cloned(), names.of_all(&patch)));
    let diff = ChangedLines::of_patch(&change, &patch, cancel)?;
    let lines = patch.bytes.iter().filter(|&&byte| byte == b'\n').count();
    let noise = noise_of(&change.path, attributes, patch.bytes.len() / lines.max(1));
    let file = PagedFile {
        lines: diff.counts(),
        noise,
        ids,
        id,
        data,
        patch,
        change,
        unchanged: Vec::new(),
    };
    Ok((file, diff))
}

/// Returns why a file is collapsed by default, if it is; `mean_line` is the mean length of the
/// lines of its patch.
pub fn noise_of(path: &[u8], attributes: PathAttributes, mean_line: usize) -> Option<Noise> {
    let not_shown = attributes.diff == DiffAttribute::Unset;
    Noise::of(path, Marks { generated: attributes.generated, not_shown, mean_line })
}
