//! A whole change for a page: the patches of its files, the names of their hunks, and the moved
//! lines.

use crate::machinery::hunk_ids::HunkNamer;
use crate::machinery::revisions::Revisions;
use crate::machinery::run::Context;
use crate::questions::moved_lines::{ChangedLines, DiffedLines, MovedRun};
use crate::review::data_changes::{cells_bytes, data_cells};
use crate::review::unchanged_lines;
use redline_base::budget::{Charge, Gather, Grow, Ordered, filled};
use redline_base::error::Result;
use redline_base::limits::UNCHANGED_PAGE_BYTES;
use redline_git::{Change, DiffAttribute, Patcher, PathAttributes, Reader, Status};
use redline_render::html::{self, Page, PageFile, PageHunk, PageLines};
use redline_review::{Marks, Noise, Rank};
use redline_text::CancelToken;
use redline_text::moved::{MovedMode, MovedWhitespace};

/// A whole change, with its files in reading order: sources, tests, documents, vendored code, and
/// last files that are collapsed by default.
pub struct DiffPage {
    /// What is shown.
    pub page: Page,
    _charge: Charge,
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
            let mut compared = Compared {
                patcher: comparison.patcher(revisions.diff.clone())?,
                namer: HunkNamer::new(comparison, &revisions.diff, true)?,
                reader: comparison.reader().of_pairs(),
            };
            Ok(move |change, cancel: &CancelToken<'_>| compared.file(change, cancel))
        })?;
        let cancel = CancelToken::of(&context.budget);
        let (mut files, mut diffs, mut charge) = (Vec::new(), Vec::new(), Charge::free());
        for compared in work {
            let (file, diff) = compared?;
            let held = size_of::<(PageFile, ChangedLines)>()
                + file.patch.len()
                + file.data.as_ref().map_or(0, cells_bytes)
                + unchanged_bytes(&file)
                + diff.bytes();
            charge.join(cancel.charge_all(held)?);
            files.add(file);
            diffs.add(diff);
        }
        let (mode, whitespace) = (MovedMode::default(), MovedWhitespace::default());
        let diffed = DiffedLines::new(diffs, whitespace, &cancel)?;
        let are_moves_left_out = diffed.is_large();
        let runs =
            if are_moves_left_out { Vec::new() } else { diffed.moved(mode, &cancel)?.runs() };
        let mut files = in_reading_order(files, runs);
        let mut unchanged = 0;
        for file in &mut files {
            unchanged += unchanged_bytes(file);
            if unchanged > UNCHANGED_PAGE_BYTES {
                file.unchanged.clear();
            }
        }
        let page = Page { repository, asked: revisions.asked(), ends, files, are_moves_left_out };
        Ok(Self { page, _charge: charge })
    }
}

fn unchanged_bytes(file: &PageFile) -> usize {
    file.unchanged.iter().map(|run| size_of::<PageLines>() + run.text.len()).sum()
}

/// Sorts files, and gives them their moved lines.
fn in_reading_order(files: Vec<PageFile>, runs: Vec<MovedRun>) -> Vec<PageFile> {
    let mut files: Vec<_> = files.into_iter().enumerate().gather();
    files.order_by_key(|(_, file)| (file.note.is_some(), Rank::of(&file.path)));
    let mut places = filled(0, files.len());
    for (place, (before, _)) in files.iter().enumerate() {
        places[*before] = place;
    }
    let mut files: Vec<PageFile> = files.into_iter().map(|(_, file)| file).gather();
    for run in runs {
        files[places[run.file]].moved.add(html::MovedRun {
            is_added: run.is_added,
            lines: run.first..=run.last,
            other_file: places[run.other_file],
            other_first: run.other_first,
            is_alternate: run.is_alternate,
        });
    }
    files
}

/// What compares the files of one thread.
struct Compared {
    patcher: Patcher,
    namer: HunkNamer,
    reader: Reader,
}

impl Compared {
    /// Returns a file of the change, and its changed lines.
    fn file(
        &mut self,
        change: Change,
        cancel: &CancelToken<'_>,
    ) -> Result<(PageFile, ChangedLines)> {
        let data = data_cells(&mut self.reader, &change, cancel)?;
        let attributes = self.patcher.attributes(&change.path)?;
        let patch = self.patcher.patch(&change, cancel)?;
        let names = self.namer.names(&change, &patch, cancel)?;
        let (id, ids) = names
            .map_or_else(Default::default, |names| (names.file().cloned(), names.of_all(&patch)));
        let diff = ChangedLines::of_patch(&change, &patch, cancel)?;
        let mut unchanged = Vec::new();
        if !patch.hunks.is_empty() && change.is_of_files() {
            let (_, new) = self.reader.contents(&change)?;
            if let Some(content) = new.text() {
                unchanged = unchanged_lines::beside(&patch.hunks, content, cancel)?;
            }
        }
        let mut ids = ids.into_iter();
        let hunks: Vec<PageHunk> = patch
            .hunks
            .iter()
            .map(|hunk| PageHunk {
                span: hunk.span.clone(),
                old: hunk.old.0,
                new: hunk.new.0,
                id: ids.next().flatten(),
            })
            .gather();
        let lines = patch.bytes.iter().filter(|&&byte| byte == b'\n').count();
        let noise = noise_of(&change.path, attributes, patch.bytes.len() / lines.max(1));
        let file = PageFile {
            status: match change.status() {
                Status::Unmerged => "in conflict",
                status => status.name(),
            },
            old_path: change.origin.map(|origin| origin.path),
            path: change.path,
            lines: (!hunks.is_empty()).then(|| diff.counts()),
            note: noise.map(Noise::words),
            id,
            patch: patch.bytes,
            hunks,
            moved: Vec::new(),
            data,
            unchanged,
        };
        Ok((file, diff))
    }
}

/// Returns why a file is collapsed by default, if it is; `mean_line` is the mean length of the
/// lines of its patch.
pub fn noise_of(path: &[u8], attributes: PathAttributes, mean_line: usize) -> Option<Noise> {
    let not_shown = attributes.diff == DiffAttribute::Unset;
    Noise::of(path, Marks { generated: attributes.generated, not_shown, mean_line })
}
