//! Every commit of a range.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Question;
use crate::machinery::history_jobs::{Jobs, Unsettled};
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::{Context, Run, mailmap_of};
use crate::params::range::{
    CommitRange, FIRST_PARENT, MAILMAP, MAILMAP_FILE, RANGE, SINCE, UNTIL, commit_range,
};
use crate::params::{PATHS, REPO};
use crate::questions::commit::Commit;
use crate::questions::commit_columns::CommitThen;
use redline_base::budget::{Charge, Grow, Weigh, owned, room_for};
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::Window;
use redline_git::{
    CommitInfo, CommitPatchIds, History, Notes, Oid, Pathspec, Signature, Trailer, Visited,
    decorations, range_of,
};
use redline_rows::params::{Args, Asked, Given, Kind, Param, Text, text};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, HasList, HasOne, ListOf, Need, Needs, Out, Row,
    StructOf, Type, Written, fields, optional_structure, structures, varchar, varchars,
};
use redline_text::CancelToken;

/// A query for the commits of a range.
pub struct CommitsQuery {
    /// The range.
    pub range: CommitRange,
    /// The reference of the notes; `None` for git's default.
    pub notes_ref: Option<String>,
    /// Paths that commits must change, if any.
    pub paths: Vec<Pathspec>,
}

/// Some consecutive commits.
pub struct Commits {
    commits: Vec<Annotated>,
    decorations: Arc<HashMap<Oid, Vec<Vec<u8>>>>,
    unsettled: Unsettled,
    /// The memory of the notes.
    _charge: Charge,
}

/// A commit with the requested data besides its own content.
struct Annotated {
    commit: Commit,
    note: Option<Vec<u8>>,
    patch_id: Option<String>,
}

/// What a commit has besides its people, dates and message, as far as it is needed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attached<'a> {
    /// The references that point to it.
    pub refs: &'a [Vec<u8>],
    /// The note on it.
    pub note: Option<&'a [u8]>,
    /// Its patch id.
    pub patch_id: Option<&'a str>,
    /// Its fields, with trailers and signature.
    pub info: Option<&'a CommitInfo>,
}

impl Weigh for Commits {
    fn bytes(&self) -> usize {
        let bytes = |row: &Annotated| {
            let patch_id = row.patch_id.as_ref().map_or(0, String::len);
            row.commit.bytes() + row.note.as_ref().map_or(0, Vec::len) + patch_id
        };
        self.commits.iter().map(bytes).sum()
    }
}

impl RowGroup for Commits {
    type Of<'a> = (&'a Commit, Attached<'a>);

    fn finalize(&mut self) -> Result<()> {
        let is_excluded = self.unsettled.settle()?;
        self.commits.retain(|row| !is_excluded(&row.commit.visited.id));
        Ok(())
    }

    fn rows(&self) -> usize {
        self.commits.len()
    }

    fn row(&self, index: usize) -> (&Commit, Attached<'_>) {
        let Annotated { commit, note, patch_id } = &self.commits[index];
        let attached = Attached {
            refs: self.decorations.get(&commit.visited.id).map_or(&[], Vec::as_slice),
            note: note.as_deref(),
            patch_id: patch_id.as_deref(),
            info: commit.info.as_ref(),
        };
        (commit, attached)
    }
}

impl Query for CommitsQuery {
    type Group = Commits;
    type Row = CommitThen<AttachedColumns>;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Commits>> {
        context.read(|| self.start_within(context, needs))
    }
}

impl CommitsQuery {
    fn start_within(&self, context: &Context, needs: Needs) -> Result<Rows<Commits>> {
        // One worker suffices to pass on the data of the walk.
        let is_read = needs.has_more_than(Need::Refs);
        let CommitRange { range, repo, history, mailmap } = &self.range;
        let run = Run::open(context, repo, if is_read { usize::MAX } else { 1 })?;
        let ends = range_of(&run.repository, range)?;
        let decorations =
            if needs.has(Need::Refs) { decorations(&run.repository)? } else { HashMap::new() };
        let decorations = Arc::new(decorations);
        let notes = needs
            .has(Need::Notes)
            .then(|| Notes::read(&run.repository, self.notes_ref.as_deref()).map(Arc::new))
            .transpose()?;
        let mailmap = mailmap_of(needs, &run.repository, mailmap)?;
        let history = History::new(&run.repository, &ends, *history)?
            .with_paths(&run.repository, &self.paths)?;
        let history = if is_read { history.with_content(limits::WALKED_COMMITS) } else { history };
        let excluded = history.excluded();
        let is_compared = needs.has(Need::PatchId);
        let most = if is_compared { limits::JOB_COMMITS } else { limits::JOB_SMALL_COMMITS };
        let jobs = Jobs::source(history, History::next_commit, most);
        run.start(jobs, Window::of(limits::WINDOW_HISTORY_JOBS), |run| {
            let (mailmap, excluded, decorations, notes) =
                (mailmap.clone(), Arc::clone(&excluded), Arc::clone(&decorations), notes.clone());
            let objects = run.repository.objects();
            let mut patch_ids = needs
                .has(Need::PatchId)
                .then(|| CommitPatchIds::new(&run.repository))
                .transpose()?;
            Ok(move |job: Vec<Visited>, cancel: &CancelToken<'_>| {
                let mut commits = room_for(job.len());
                let (mut unsettled, mut charge) = (Unsettled::new(&excluded), Charge::free());
                for visited in job {
                    let id = visited.id;
                    let read = Commit::read(visited, needs, &objects, mailmap.as_deref(), cancel);
                    let read = read.and_then(|commit| {
                        let note = match &notes {
                            Some(notes) => notes.of(&id, &objects, cancel, &mut charge)?,
                            None => None,
                        };
                        let patch_id = match &mut patch_ids {
                            Some(patch_ids) => patch_ids.of(&commit.visited, cancel)?,
                            None => None,
                        };
                        Ok(Annotated { commit, note, patch_id })
                    });
                    match read {
                        Ok(commit) => commits.add(commit),
                        Err(error) => unsettled.fail(id, error),
                    }
                }
                let decorations = Arc::clone(&decorations);
                Ok(Commits { commits, decorations, unsettled, _charge: charge })
            })
        })
        .map(Rows::Workers)
    }
}

/// The columns of data attached to a commit.
pub struct AttachedColumns;

impl Row for AttachedColumns {
    type Of<'a> = Attached<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchars::<Self>(
            "refs",
            "The full names of HEAD, branches, remote-tracking branches, tags and the stash that lead to it, in the order of git's %D",
            |row, out| out.texts(row.refs.iter().cloned()),
        )
        .needing(&[Need::Refs]),
        varchar::<Self>(
            "notes",
            "The note on it, as git's %N; NULL where there is none",
            |row, out| out.text(row.note),
        )
        .needing(&[Need::Notes]),
        varchar::<Self>(
            "patch_id",
            "The id of its patch, as git patch-id --stable of git diff-tree -p --no-renames --full-index; NULL for a merge and without changes",
            |row, out| out.text(row.patch_id),
        )
        .needing(&[Need::PatchId]),
        structures::<Self, TrailerRow>(
            "trailers",
            "The trailers of its message, as %(trailers:only,unfold) of git log prints them",
        )
        .needing(&[Need::Trailers]),
        optional_structure::<Self, SignatureRow>(
            "signature",
            "Its signature, which is not verified; NULL where there is none",
        )
        .needing(&[Need::Signature]),
    ];
}

/// A line such as `Signed-off-by: …` of a message.
pub struct TrailerRow;

impl Row for TrailerRow {
    type Of<'a> = &'a Trailer;

    const OWN: &'static [Col<Self>] = &[
        varchar("key", "The text before the colon, such as Signed-off-by", |row, out| {
            out.text(row.key.as_slice())
        }),
        varchar("value", "The text after it, on one line", |row, out| {
            out.text(row.value.as_slice())
        }),
    ];
}

impl HasList<TrailerRow> for AttachedColumns {
    fn list(row: Attached<'_>, out: Out<'_, ListOf<TrailerRow>>) -> Written {
        out.all(row.info.map_or(&[][..], |info| &info.trailers))
    }
}

/// The signature of a commit.
pub struct SignatureRow;

impl Row for SignatureRow {
    type Of<'a> = &'a Signature;

    const OWN: &'static [Col<Self>] = &[
        varchar("kind", "openpgp, ssh or x509; NULL for another text", |row, out| {
            out.text(row.kind)
        }),
        varchar(
            "key",
            "The key that the signature names: of openpgp the fingerprint or id, in hexadecimal; of ssh the fingerprint, as ssh-keygen -l shows it; NULL for others",
            |row, out| out.text(row.key.as_deref()),
        ),
        varchar("text", "The signature as it is, with its armor", |row, out| {
            out.text(row.text.as_slice())
        }),
        varchar(
            "payload_sha256",
            "The SHA-256 of the signed bytes, in hexadecimal: the commit without its signatures",
            |row, out| out.text(row.payload_sha256.as_str()),
        ),
    ];
}

impl HasOne<SignatureRow> for AttachedColumns {
    fn one(row: Attached<'_>, out: Out<'_, StructOf<SignatureRow>>) -> Written {
        match row.info.and_then(|info| info.signature.as_ref()) {
            Some(signature) => out.row(signature),
            None => out.null(),
        }
    }
}

const NOTES_REF: Param<NotesRef> = text(
    "notes_ref",
    "refs/notes/commits",
    "The reference with the notes of the column notes, as git's --notes; refs/notes/ may be left out",
);

/// A reference that must exist; `None` for the default, which need not exist.
struct NotesRef;

impl Kind for NotesRef {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = Option<&'a str>;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Option<&'a str>> {
        match given {
            Given::Default(_) => Ok(None),
            given => Text::read(given, asked).map(Some),
        }
    }
}

impl Question for CommitsQuery {
    const DECLARATION: Declaration = Declaration {
        name: "commits",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits of a range, merges included, in the order of git log",
        example: "SELECT commit_id, author_name, subject FROM commits('HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![RANGE, REPO];
    const NAMED: &'static [Field] =
        fields![SINCE, UNTIL, PATHS, FIRST_PARENT, MAILMAP, MAILMAP_FILE, NOTES_REF];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commits_list('HEAD~2..HEAD', '.', {'paths': 'README.md'}))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            range: commit_range(args, RANGE)?,
            notes_ref: args.get(NOTES_REF)?.map(owned).transpose()?,
            paths: args.get(PATHS)?.unwrap_or_default(),
        })
    }
}
