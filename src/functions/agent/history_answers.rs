//! The work of the tools `GitRefs` and `GitStatus`, and the reading of commits for lists.

use std::collections::HashMap;

use super::entry::{Answers, Call};
use crate::error::{Error, Result, escaped, visible};
use crate::find::Glob;
use crate::functions::context::execution_context::ExecutionContext;
use crate::git::{
    FileStatus, Mailmap, NamedReference, Oid, Pathspec, Reference, ReferenceDetails,
    ReferenceReader, RenameOptions, Repository, StatusOptions, Visited, checked_out, decorations,
    mailmap_of, reference_names,
};
use crate::limits;
use crate::query::commit::Commit;
use crate::query::file_status;
use crate::query::needs::{Need, Needs};
use crate::query::refs::kind;
use crate::review::{Binding, Position};
use crate::tools::{
    GitRefs, GitRefsArguments, GitStatus, GitStatusArguments, ListedCommit, ListedReference,
    ListedStatus, Listing, shown_id, utc_text,
};

/// The pages of a list.
pub struct Pages {
    binding: Binding,
    first: usize,
}

impl Pages {
    /// Reads the start of the page; a cursor is bound to `options` and `state`.
    pub fn new(options: &str, state: &str, cursor: Option<&str>) -> Result<Self> {
        let binding = Binding::new(options.as_bytes(), state.as_bytes());
        let from = cursor.map(|cursor| binding.position(cursor)).transpose()?;
        Ok(Self { binding, first: from.unwrap_or_default().listed })
    }

    /// Returns the number of rows on earlier pages.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns the cursor of a row.
    pub fn cursor(&self, row: usize) -> Result<String> {
        self.binding.cursor(Position { listed: row, ..Position::default() }).ok_or_else(|| {
            Error::too_large("there are more rows than a cursor can count")
                .with_hint("Ask for fewer")
        })
    }
}

/// Opens the repository in a tool's argument; also returns its name for display.
pub fn opened(execution: &ExecutionContext, repo: Option<&str>) -> Result<(String, Repository)> {
    let repo = repo.map_or_else(|| execution.default_repository(), str::to_owned);
    let repository = execution.repository(&repo)?;
    Ok((escaped(&repo), repository))
}

/// Returns bytes as text without characters that hide or reorder it, cut if it is long.
pub fn shown(bytes: &[u8]) -> String {
    visible(&String::from_utf8_lossy(bytes))
}

/// Reads commits for lists.
pub struct CommitReader<'a> {
    repository: &'a Repository,
    mailmap: Mailmap,
    decorations: HashMap<Oid, Vec<Vec<u8>>>,
}

impl<'a> CommitReader<'a> {
    /// Reads the mailmap, and the references that point to commits.
    pub fn new(repository: &'a Repository) -> Result<Self> {
        let (mailmap, decorations) = (mailmap_of(repository)?, decorations(repository)?);
        Ok(Self { repository, mailmap, decorations })
    }

    /// Returns the needed fields of a commit.
    pub fn commit(&self, visited: Visited, needs: Needs) -> Result<Commit> {
        let (objects, cancel) = (self.repository.objects(), self.repository.cancel());
        Commit::read(visited, needs, &objects, Some(&self.mailmap), &cancel)
    }

    /// Returns the short names of the references that point to a commit.
    pub fn refs(&self, id: &Oid) -> Vec<String> {
        let names = self.decorations.get(id).map_or(&[][..], Vec::as_slice);
        let first = names.iter().take(limits::SHOWN_REFERENCES);
        let mut texts: Vec<String> = first.map(|name| shown(short(name))).collect();
        if let Some(more @ 1..) = names.len().checked_sub(limits::SHOWN_REFERENCES) {
            texts.push(format!("and {more} more"));
        }
        texts
    }

    /// Returns the mailmap.
    pub fn mailmap(&self) -> &Mailmap {
        &self.mailmap
    }

    /// Returns a commit for a list.
    pub fn read(&self, visited: Visited) -> Result<ListedCommit> {
        let commit = self.commit(visited, Needs::of(&[Need::Info, Need::Names]))?;
        let (id, info) = (commit.visited.id, commit.info.as_ref());
        let author = info.and_then(|info| info.author.as_ref());
        Ok(ListedCommit {
            commit_id: id.to_string(),
            parent_ids: commit.visited.parents.iter().map(Oid::to_string).collect(),
            author_name: author.map_or(String::new(), |person| shown(&person.name)),
            author_email: author.map_or(String::new(), |person| shown(&person.email)),
            author_date: info.and_then(|info| info.author_date).map(utc_text),
            subject: info.map_or(String::new(), |info| shown(&info.subject)),
            refs: self.refs(&id),
            file: None,
            lines: None,
        })
    }
}

/// Returns the name of a reference without the prefix of its kind.
fn short(name: &[u8]) -> &[u8] {
    let prefixes: [&[u8]; 3] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/"];
    prefixes.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name)
}

impl Answers for GitRefs {
    fn answer(call: Call, arguments: GitRefsArguments) -> Result<Listing<ListedReference>> {
        call.execution.read(|| references(&call, &arguments))
    }
}

fn references(call: &Call, arguments: &GitRefsArguments) -> Result<Listing<ListedReference>> {
    let (repo, repository) = opened(&call.execution, arguments.repo.as_deref())?;
    let globs = arguments.glob.as_deref().map(reference_globs).transpose()?;
    let all = reference_names(&repository)?;
    let mut named: Vec<NamedReference> = Vec::new();
    for reference in &all {
        let name = String::from_utf8_lossy(&reference.name);
        if globs.as_ref().map_or(Ok(true), |globs| Glob::any_matches(globs, &name))? {
            named.push(reference.clone());
        }
    }
    let state: Vec<String> = named
        .iter()
        .map(|named| format!("{} {:?}", String::from_utf8_lossy(&named.name), named.object))
        .collect();
    let asked = format!("GitRefs {:?}", arguments.glob);
    let pages = Pages::new(&asked, &state.join("\n"), arguments.cursor.as_deref())?;
    let details = ReferenceDetails {
        short: false,
        commit: true,
        message: true,
        upstream: true,
        distance: true,
        committed: false,
    };
    let reader = ReferenceReader::new(&repository, details, repository.packed_references()?);
    let plural = if named.len() == 1 { "" } else { "s" };
    let mut head = format!("{repo}: {} reference{plural}", named.len());
    if named.is_empty() && !all.is_empty() {
        let count = |prefix: &[u8]| all.iter().filter(|one| one.name.starts_with(prefix)).count();
        let [branches, tags, remotes] =
            [&b"refs/heads/"[..], b"refs/tags/", b"refs/remotes/"].map(count);
        head += &format!(
            ". None of {} matches the glob: {branches} below refs/heads/, {tags} below refs/tags/, {remotes} below refs/remotes/",
            all.len()
        );
    }
    let mut rows =
        named.into_iter().skip(pages.first()).map(|named| Ok(listed(&reader.read(named)?)));
    Listing::filled(head, &call.reply, pages.first(), &mut rows, |row| pages.cursor(row))
}

/// Returns the globs for an argument: full names, or prefixes up to a slash, as `git for-each-ref`
/// takes them, and both without `refs/` and the kind, as revisions do.
fn reference_globs(given: &str) -> Result<Vec<Glob>> {
    let mut globs = Vec::new();
    let text = given.strip_suffix("/*").or_else(|| given.strip_suffix('/')).unwrap_or(given);
    for prefix in ["", "refs/", "refs/heads/", "refs/tags/", "refs/remotes/"] {
        globs.push(Glob::parse(&format!("{prefix}{text}/**"))?);
        globs.push(Glob::parse(&format!("{prefix}{given}"))?);
    }
    Ok(globs)
}

fn listed(reference: &Reference) -> ListedReference {
    let named = &reference.named;
    ListedReference {
        name: path_text(short(&named.name)),
        kind: kind(&named.name),
        commit_id: reference.commit.map(|id| id.to_string()),
        symbolic_target: named.target.as_deref().map(|target| shown(short(target))),
        is_head: named.is_head,
        upstream: reference.upstream.as_deref().map(|upstream| shown(short(upstream))),
        ahead: reference.distance.map(|(ahead, _)| ahead),
        behind: reference.distance.map(|(_, behind)| behind),
        subject: reference.subject.as_deref().map(shown),
    }
}

impl Answers for GitStatus {
    fn answer(call: Call, arguments: GitStatusArguments) -> Result<Listing<ListedStatus>> {
        call.execution.read(|| status(&call, &arguments))
    }
}

fn status(call: &Call, arguments: &GitStatusArguments) -> Result<Listing<ListedStatus>> {
    let (repo, repository) = opened(&call.execution, arguments.repo.as_deref())?;
    let paths = arguments.paths.iter().flatten().map(|path| Pathspec::parse(path));
    let options = StatusOptions {
        paths: paths.collect::<Result<_>>()?,
        renames: Some(RenameOptions::default()),
        untracked: true,
        ignored: false,
    };
    let files = file_status::status(&repository, options, &call.execution)?;
    let head = checked_out(&repository)?;
    let place = match (&head.branch, head.commit) {
        (Some(branch), Some(id)) => {
            format!("on {} at {}", shown(short(branch)), shown_id(&id.to_string()))
        }
        (Some(branch), None) => format!("on {}, which has no commit yet", shown(short(branch))),
        (None, Some(id)) => format!("at {}, no branch", shown_id(&id.to_string())),
        (None, None) => "with a damaged HEAD".to_owned(),
    };
    let count = match files.len() {
        0 => "nothing to commit, nothing untracked".to_owned(),
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let asked = format!("GitStatus {:?}", arguments.paths);
    let state = format!("{:?} {files:?}", head.commit);
    let pages = Pages::new(&asked, &state, arguments.cursor.as_deref())?;
    let mut rows = files.iter().skip(pages.first()).map(|file| Ok(status_row(file)));
    let head = format!("{repo} {place}: {count}");
    Listing::filled(head, &call.reply, pages.first(), &mut rows, |row| pages.cursor(row))
}

fn status_row(file: &FileStatus) -> ListedStatus {
    ListedStatus {
        file_path: path_text(&file.path),
        old_path: file.old_path.as_deref().map(path_text),
        index_status: file.index,
        worktree_status: file.work_tree,
        conflict: file.conflict,
    }
}

/// Returns a path that can be used as an argument, escaped if it hides or reorders text.
fn path_text(path: &[u8]) -> String {
    escaped(&String::from_utf8_lossy(path))
}
