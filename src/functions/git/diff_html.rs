//! `diff_html(from, to, repo)`: a change as one page for a browser.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{
    Args, FROM, REPO, TO, Value, comparison, fields, options, row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::budget::{Gather, Grow};
use redline_base::error::Result;
use redline_git::Status;
use redline_query::review::data_changes::DataCell;
use redline_query::review::diff_page::{DiffPage, PagedFile};
use redline_query::review::unchanged_lines::UnchangedLines;
use redline_render::html::{
    self, MovedRun, Page, PageCell, PageData, PageFile, PageHunk, PageLines,
};
use redline_rows::{Field, Out, Varchar, Written};
use redline_text::CancelToken;

const NAMED: &[Field] = comparison::NAMED;
const WHOLE: [Field; 4] = [
    FROM.field,
    TO.field,
    REPO.field,
    options(NAMED, "A STRUCT of the named parameters of file_changes; NULL for none"),
];

/// The scalar function.
pub struct DiffHtml;

/// Volatile, since the meaning of a revision changes with the repository.
impl Scalar for DiffHtml {
    const DECLARATION: Declaration = Declaration {
        name: "diff_html",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Returns a comparison as one HTML page to review in a browser, self-contained and readable without script",
        example: "SELECT length(diff_html('HEAD~1', 'HEAD', '.')) > 0",
    };
    const OVERLOADS: &'static [Overload] = &[WHOLE.split_at(3).0, &WHOLE];
    type Returns = Varchar;
    type State = ExecutionContext;
    const NULLS: Nulls = Nulls::Handle;

    fn call(
        execution: &mut ExecutionContext,
        args: Args<'_>,
        out: Out<'_, Varchar>,
    ) -> Result<Written> {
        if args.is_null(REPO.field.name) {
            return Ok(out.null());
        }
        let values = row_options(args.options(), NAMED, args.function())?;
        let nothing = [Value::Text("EMPTY".to_owned())];
        let args = args.with((NAMED, &values), (fields![FROM], &nothing));
        let revisions = comparison::revisions(args)?;
        execution.share_threads();
        let page = DiffPage::of(&revisions, &execution.caller.context)?;
        let html = html::page(&shown(&page), &CancelToken::of(&execution.caller.context.budget))?;
        Ok(out.text(html))
    }
}

fn shown(page: &DiffPage) -> Page<'_> {
    let mut files: Vec<PageFile<'_>> = page.files.iter().map(file).gather();
    for run in page.moved.iter().flatten() {
        files[run.file].moved.add(MovedRun {
            is_added: run.is_added,
            lines: run.first..=run.last,
            other_file: run.other_file,
            other_first: run.other_first,
            is_alternate: run.is_alternate,
        });
    }
    Page {
        repository: &page.repository,
        asked: &page.asked,
        ends: [&page.ends[0], &page.ends[1]],
        files,
        are_moves_left_out: page.moved.is_none(),
    }
}

fn file(file: &PagedFile) -> PageFile<'_> {
    let PagedFile { change, patch, lines, noise, .. } = file;
    let hunks = patch.hunks.iter().enumerate().map(|(index, hunk)| PageHunk {
        span: hunk.span.clone(),
        old: hunk.old.0,
        new: hunk.new.0,
        id: file.ids.get(index).and_then(Option::as_ref),
    });
    PageFile {
        status: match change.status() {
            Status::Unmerged => "in conflict",
            status => status.name(),
        },
        path: &change.path,
        old_path: change.origin.as_ref().map(|origin| origin.path.as_slice()),
        lines: (!patch.hunks.is_empty()).then_some(*lines),
        note: noise.map(|noise| noise.words()),
        id: file.id.as_ref(),
        patch: &patch.bytes,
        hunks: hunks.gather(),
        moved: Vec::new(),
        data: file.data.as_ref().map(|data| PageData {
            words: &data.words,
            cells: data.cells.iter().map(cell).gather(),
            left_out: data.left_out,
        }),
        unchanged: file.unchanged.iter().map(unchanged).gather(),
    }
}

fn unchanged(lines: &UnchangedLines) -> PageLines<'_> {
    let UnchangedLines { before, old, new, count, ref text } = *lines;
    PageLines { before, old, new, count, text }
}

fn cell(cell: &DataCell) -> PageCell<'_> {
    PageCell {
        change: cell.change,
        key: cell.key.as_deref(),
        column: cell.column.as_deref(),
        old: cell.old.as_deref(),
        new: cell.new.as_deref(),
    }
}
