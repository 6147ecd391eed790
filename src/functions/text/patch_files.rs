//! `patch_files(patch)`: the files of a patch.

use super::patches::{PATCH, file_path, read};
use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Col, ListOf, Out, Row, Written, bigint, boolean, utinyint, varchar};
use redline_text::patch::FilePatch;
use redline_text::{CancelToken, LineKind};

/// The scalar function.
pub struct PatchFiles;

/// A file of a patch.
pub struct PatchFile;

impl Row for PatchFile {
    type Of<'a> = (i64, &'a FilePatch<'a>);

    const OWN: &'static [Col<Self>] = &[
        bigint("seq", "The file's number in the patch, from 1", |(seq, _)| seq.into()),
        varchar("file_path", "The new path, or that of a deleted file", |(_, file), out| {
            out.text(file_path(file))
        }),
        varchar("status", "As in file_changes", |(_, file), out| out.text(file.status.name())),
        varchar("old_path", "The old path, where it is another", |(_, file), out| {
            let path = file_path(file);
            out.text(file.old_path.as_deref().filter(|old| Some(*old) != path && !old.is_empty()))
        }),
        varchar("old_mode", "The old mode, octal, where the patch tells", |(_, file), out| {
            out.text(mode(file.old_mode))
        }),
        varchar("new_mode", "The new mode, octal, where the patch tells", |(_, file), out| {
            out.text(mode(file.new_mode))
        }),
        varchar("old_oid", "The old object id, as the patch has it", |(_, file), out| {
            out.text(file.old_oid)
        }),
        varchar("new_oid", "The new object id, as the patch has it", |(_, file), out| {
            out.text(file.new_oid)
        }),
        utinyint("similarity", "Of a rename or copy, in percent", |(_, file)| file.similarity),
        boolean("is_binary", "Whether the patch says that the file is binary", |(_, file)| {
            Some(file.is_binary)
        }),
        bigint("additions", "Added lines; NULL for a binary file", |(_, file)| {
            lines(file, LineKind::Added).into()
        }),
        bigint("deletions", "Removed lines; NULL for a binary file", |(_, file)| {
            lines(file, LineKind::Removed).into()
        }),
        bigint("hunks", "Hunks", |(_, file)| file.hunks.len().into()),
    ];
}

fn mode(mode: Option<u32>) -> Option<String> {
    mode.map(|mode| format!("{mode:06o}"))
}

fn lines(file: &FilePatch<'_>, kind: LineKind) -> Option<usize> {
    let of_kind = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind);
    (!file.is_binary).then(|| of_kind.count())
}

impl Scalar for PatchFiles {
    const DECLARATION: Declaration = Declaration {
        name: "patch_files",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Lists the files of a patch and how each changes",
        example: "SELECT unnest(patch_files(patch), recursive := true) FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATCH]];
    type Returns = ListOf<PatchFile>;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let patch = read(args, &state.budget)?;
        out.rows(|rows| {
            let mut pace = CancelToken::of(&state.budget).pace();
            for (file, seq) in patch.files.iter().zip(1..) {
                pace.spend(1 + file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>())?;
                rows.push((seq, file));
            }
            Ok(())
        })
    }
}
