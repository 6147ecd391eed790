//! Changes as git prints them: the patches of files, or the hunks of all.

use crate::Question;
use crate::machinery::hunk_ids::{HunkNamer, id_bytes};
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{OneRow, Query, RowGroup, Rows};
use crate::machinery::run::Context;
use crate::params::comparison;
use redline_base::budget::Weigh;
use redline_base::error::Result;
use redline_git::{Change, PatchHunk, WrittenPatch};
use redline_rows::params::Args;
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Need, Needs, Row, bigint, blob, varchar,
};
use redline_text::CancelToken;
use redline_text::hunk_id::HunkId;

/// A query for the patches between two sides.
pub struct PatchesQuery(pub Revisions);

/// A changed file and its patch.
pub struct FilePatch {
    /// The change.
    pub change: Change,
    /// The patch, if needed.
    pub patch: WrittenPatch,
    /// The names of a change without hunks, if needed.
    pub id: Option<HunkId>,
}

impl Weigh for FilePatch {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.change.path.len() + self.patch.bytes.len()
    }
}

impl OneRow for FilePatch {}

impl Query for PatchesQuery {
    type Group = FilePatch;
    type Row = FilePatch;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<FilePatch>> {
        let is_patched = needs.has_any(&[Need::Patch, Need::HunkId]);
        self.0.work(context, |comparison| {
            let patcher = is_patched.then(|| comparison.patcher(self.0.diff.clone()));
            let mut patcher = patcher.transpose()?;
            let mut namer = HunkNamer::new(comparison, &self.0.diff, needs.has(Need::HunkId))?;
            Ok(move |change: Change, cancel: &CancelToken<'_>| {
                let patch = match &mut patcher {
                    Some(patcher) => patcher.patch(&change, cancel)?,
                    None => WrittenPatch::default(),
                };
                let id = namer.file_name(&change, &patch, cancel)?;
                Ok(FilePatch { change, patch, id })
            })
        })
    }
}

/// A query for the hunks between two sides.
pub struct HunksQuery(pub Revisions);

/// The hunks of a file.
pub struct FileHunks {
    path: Vec<u8>,
    patch: WrittenPatch,
    /// Their names, where these were asked for and they have any.
    ids: Vec<Option<HunkId>>,
}

/// A hunk of a file.
#[derive(Clone, Copy)]
pub struct FileHunk<'a> {
    file: &'a FileHunks,
    /// The hunk's 0-based index in its file.
    pub index: usize,
}

impl<'a> FileHunk<'a> {
    /// Returns the path of the file.
    pub fn path(self) -> &'a [u8] {
        &self.file.path
    }

    /// Returns the ranges and the heading of the hunk.
    pub fn hunk(self) -> &'a PatchHunk {
        &self.file.patch.hunks[self.index]
    }

    /// Returns its names, where these were asked for and it has any.
    pub fn id(self) -> Option<&'a HunkId> {
        self.file.ids.get(self.index)?.as_ref()
    }

    /// Returns the hunk as git prints it.
    pub fn patch(self) -> &'a [u8] {
        &self.file.patch.bytes[self.hunk().span.clone()]
    }
}

impl Weigh for FileHunks {
    fn bytes(&self) -> usize {
        let ids: usize = self.ids.iter().flatten().map(id_bytes).sum();
        let hunks = self.patch.hunks.len() * size_of::<PatchHunk>();
        size_of::<Self>() + self.patch.bytes.len() + hunks + ids
    }
}

impl RowGroup for FileHunks {
    type Of<'a> = FileHunk<'a>;

    fn rows(&self) -> usize {
        self.patch.hunks.len()
    }

    fn row(&self, index: usize) -> FileHunk<'_> {
        FileHunk { file: self, index }
    }
}

impl Query for HunksQuery {
    type Group = FileHunks;
    type Row = FileHunks;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<FileHunks>> {
        self.0.work(context, |comparison| {
            let mut patcher = comparison.patcher(self.0.diff.clone())?;
            let mut namer = HunkNamer::new(comparison, &self.0.diff, needs.has(Need::HunkId))?;
            Ok(move |change: Change, cancel: &CancelToken<'_>| {
                let patch = patcher.patch(&change, cancel)?;
                let names = namer.names(&change, &patch, cancel)?;
                let ids = names.map_or_else(Vec::new, |names| names.of_all(&patch));
                Ok(FileHunks { path: change.path, patch, ids })
            })
        })
    }
}

impl Row for FileHunks {
    type Of<'a> = FileHunk<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| out.text(row.path())),
        bigint("hunk", "The hunk's number in its file, from 1", |row| (row.index + 1).into()),
        bigint("old_start", "Its first line in the old file, from 1; 0 for none", |row| {
            row.hunk().old.0.into()
        }),
        bigint("old_lines", "Its lines of the old file", |row| row.hunk().old.1.into()),
        bigint("new_start", "Its first line in the new file, from 1; 0 for none", |row| {
            row.hunk().new.0.into()
        }),
        bigint("new_lines", "Its lines of the new file", |row| row.hunk().new.1.into()),
        varchar("section", "The heading after @@, such as a function's first line", |row, out| {
            out.text(row.hunk().section.as_slice())
        }),
        varchar("patch", "The hunk as git prints it, from its @@ line on", |row, out| {
            out.text(row.patch())
        }),
        varchar::<Self>(
            "hunk_id",
            "A digest of the path and of the removed and added lines, by the default options",
            |row, out| out.text(row.id().map(|id| id.lines.as_str())),
        )
        .needing(&[Need::HunkId]),
        varchar::<Self>(
            "context_id",
            "The same with the lines around and the heading",
            |row, out| out.text(row.id().map(|id| id.context.as_str())),
        )
        .needing(&[Need::HunkId]),
    ];
}

impl Row for FilePatch {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "file_path",
            "Path from the repository's root; of a deleted file, the old one",
            |row, out| out.text(row.change.path.as_slice()),
        ),
        varchar("status", "As in file_changes", |row, out| out.text(row.change.status().name())),
        varchar("old_path", "The path that a renamed or copied file had", |row, out| {
            out.text(row.change.origin.as_ref().map(|origin| origin.path.as_slice()))
        }),
        varchar::<Self>("patch", "The patch as text, with U+FFFD for what is not UTF-8", |row, out| {
            out.text(row.patch.bytes.as_slice())
        })
        .needing(&[Need::Patch]),
        blob::<Self>("patch_bytes", "The patch, byte for byte", |row, out| {
            out.bytes(Some(&row.patch.bytes))
        })
        .needing(&[Need::Patch]),
        varchar::<Self>(
            "hunk_id",
            "A digest of a change without hunks: a mode, a name, a binary or an empty file; else NULL",
            |row, out| out.text(row.id.as_ref().map(|id| id.lines.as_str())),
        )
        .needing(&[Need::HunkId]),
        varchar::<Self>("context_id", "The same", |row, out| {
            out.text(row.id.as_ref().map(|id| id.context.as_str()))
        })
        .needing(&[Need::HunkId]),
    ];
}

impl Question for PatchesQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_patches",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Lists the changed files with their patches, equal to git diff by the byte",
        example: "SELECT string_agg(patch, '') FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = comparison::MERGE_NAMED;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_patches_list('HEAD~1', 'HEAD', '.', {'context': 1}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        comparison::revisions(args).map(Self)
    }
}

impl Question for HunksQuery {
    const DECLARATION: Declaration = Declaration {
        name: "diff_hunks",
        description: "Lists the hunks of all files between two sides of a repository, one row per hunk",
        example: "SELECT file_path, new_start, section FROM diff_hunks('HEAD~1', 'HEAD', '.')",
        ..PatchesQuery::DECLARATION
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = comparison::NAMED;
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(diff_hunks_list('HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        comparison::revisions(args).map(Self)
    }
}
