//! `patch_hunks(patch)`: the hunks of all files of a patch.

use super::patches::{PATCH, check_made, file_path, read};
use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Col, ListOf, Out, Row, Written, bigint, varchar};
use redline_text::CancelToken;
use redline_text::patch::{self, FilePatch, PatchHunk};

/// The scalar function.
pub struct PatchHunks;

/// A hunk of a patch.
#[derive(Clone, Copy)]
pub struct HunkRow<'a> {
    seq: i64,
    file: &'a FilePatch<'a>,
    number: i64,
    hunk: &'a PatchHunk<'a>,
    /// The hunk as text.
    text: &'a [u8],
}

/// The rows of hunks.
pub struct HunkRows;

impl Row for HunkRows {
    type Of<'a> = HunkRow<'a>;

    const OWN: &'static [Col<Self>] = &[
        bigint("seq", "The hunk's number in the patch, from 1", |row| row.seq.into()),
        varchar("file_path", "The file, as in patch_files", |row, out| {
            out.text(file_path(row.file))
        }),
        bigint("hunk", "The hunk's number in its file, from 1", |row| row.number.into()),
        bigint("old_start", "Its first line in the old file, from 1; 0 for none", |row| {
            row.hunk.old_start.into()
        }),
        bigint("old_lines", "Its lines of the old file", |row| row.hunk.old_lines.into()),
        bigint("new_start", "Its first line in the new file, from 1; 0 for none", |row| {
            row.hunk.new_start.into()
        }),
        bigint("new_lines", "Its lines of the new file", |row| row.hunk.new_lines.into()),
        varchar("section", "The heading after @@", |row, out| out.text(row.hunk.section)),
        varchar("patch", "The hunk, from its @@ line on", |row, out| out.text(row.text)),
    ];
}

impl Scalar for PatchHunks {
    const DECLARATION: Declaration = Declaration {
        name: "patch_hunks",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Lists the hunks of all files of a patch",
        example: "SELECT unnest(patch_hunks(patch), recursive := true) FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATCH]];
    type Returns = ListOf<HunkRows>;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let patch = read(args, &state.budget)?;
        // The texts of the hunks together are about as long as the patch.
        let _charge = state.budget.charge(args.get(PATCH)?.len())?;
        let hunks = patch.files.iter().flat_map(|file| {
            file.hunks.iter().zip(1..).map(move |(hunk, number)| (file, hunk, number))
        });
        out.rows(|rows| {
            for ((file, hunk, number), seq) in hunks.zip(1..) {
                let text = patch::hunk_text_within(hunk, CancelToken::of(&state.budget))?;
                check_made(&text)?;
                rows.push(HunkRow { seq, file, number, hunk, text: &text });
            }
            Ok(())
        })
    }
}
