//! From the name of a revision to an object, as git resolves it.
//!
//! Source: gitrevisions(7), and what git 2.47.3 answers where that is not exact. A name is taken apart from its end:
//! what is left when nothing can be taken off any more is a reference or an id, and what was taken off is then done
//! to its object, the last first.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use crate::error::{Error, Result, quoted};
use crate::git::Oid;
use crate::git::graph::commit_links::Commits;
use crate::git::objects::Objects;
use crate::git::refs::{Packed, References};
use crate::git::repository::Repository;
use crate::limits;
use crate::text::CancelToken;

/// What an abbreviated id is taken for where several objects begin with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Any object.
    Any,
    /// A commit.
    Commit,
    /// A commit or a tag of one.
    Committish,
    /// A tree, or what leads to one.
    Treeish,
    /// A tree (`core.disambiguate`).
    Tree,
    /// A blob (`core.disambiguate`).
    Blob,
}

/// What is done to an object.
enum Step<'n> {
    /// `^N`: a parent, 0 is the commit itself.
    Parent(u64),
    /// `~N`: the first parent of the first parent.
    Ancestor(u64),
    /// `^{}`: what is behind tags.
    Untag,
    /// `^{kind}`; without one any object.
    Peel(Option<Kind>),
    /// `^{/text}`: the newest ancestor whose message matches.
    Search(&'n [u8]),
}

/// Resolves revisions of one repository.
pub struct Resolver<'a> {
    pub(super) repository: &'a Repository,
    pub(super) references: References<'a>,
    pub(super) objects: Objects,
    commits: OnceCell<Commits>,
    /// The whole revision, for messages.
    pub(super) asked: String,
    /// A reference that a name may mean, and that holds no id.
    pub(super) broken: RefCell<Option<Vec<u8>>>,
    pub(super) cancel: CancelToken<'a>,
}

impl<'a> Resolver<'a> {
    /// Returns what resolves `asked` and its parts.
    pub fn new(repository: &'a Repository, asked: &str) -> Self {
        Self {
            repository,
            references: repository.references(),
            objects: repository.objects(),
            commits: OnceCell::new(),
            asked: asked.to_owned(),
            broken: RefCell::default(),
            cancel: repository.cancel(),
        }
    }

    /// Returns the resolver, with packed references that were read before.
    pub fn with_packed(self, packed: Arc<Packed>) -> Self {
        Self { references: self.references.with_packed(packed), ..self }
    }

    /// Returns the object that a revision names, `None` where it names nothing.
    ///
    /// # Errors
    /// Where more can be said than that it names nothing: an ambiguous id, a branch without an upstream, a damaged
    /// reference.
    pub fn resolve(&self, name: &[u8], hint: Hint) -> Result<Option<Oid>> {
        if name.len() > limits::REVISION_BYTES {
            return Err(Error::invalid_args(format!(
                "the revision {} has {} bytes",
                quoted(&self.asked),
                name.len()
            ))
            .with_hint(format!("redline reads {} of a revision", limits::REVISION_BYTES)));
        }
        if name.contains(&0) {
            return Ok(None);
        }
        if let Some(id) = self.object(name, hint)? {
            return Ok(Some(id));
        }
        if let Some(rest) = name.strip_prefix(b":") {
            return match rest {
                [b'/', pattern @ ..] if !pattern.is_empty() => self.search_all(pattern),
                _ => self.staged(rest),
            };
        }
        let Some(colon) = colon(name) else { return Ok(None) };
        match self.object(&name[..colon], Hint::Treeish)? {
            Some(id) => self.in_tree(&id, &name[colon + 1..]),
            None => Ok(None),
        }
    }

    /// Resolves a name without a path.
    fn object(&self, name: &[u8], hint: Hint) -> Result<Option<Oid>> {
        let (mut name, mut hint) = (name, hint);
        let mut steps = Vec::new();
        loop {
            if let Some((rest, step)) = generations(name) {
                let Some(step) = step else { return Ok(None) };
                (name, hint) = (rest, Hint::Committish);
                steps.push(step);
            } else if let Some((rest, step)) = peeled(name) {
                let Some(step) = step else { return Ok(None) };
                name = rest;
                hint = match step {
                    Step::Peel(Some(Kind::Commit)) | Step::Search(_) => Hint::Committish,
                    Step::Peel(Some(Kind::Tree)) => Hint::Treeish,
                    _ => Hint::Any,
                };
                steps.push(step);
            } else {
                break;
            }
        }
        let Some(mut id) = self.base(name, hint)? else { return Ok(None) };
        for step in steps.into_iter().rev() {
            let Some(next) = self.step(id, &step)? else { return Ok(None) };
            id = next;
        }
        Ok(Some(id))
    }

    /// Resolves a name with nothing behind it: a reference, its log, or an id.
    fn base(&self, name: &[u8], hint: Hint) -> Result<Option<Oid>> {
        if let Some(id) = self.named(name)? {
            return Ok(Some(id));
        }
        if let Some(id) = self.described(name)? {
            return Ok(Some(id));
        }
        self.abbreviated(name, hint)
    }

    fn step(&self, id: Oid, step: &Step<'_>) -> Result<Option<Oid>> {
        self.cancel.check()?;
        match *step {
            Step::Parent(number) => {
                let Some(commit) = self.peel_to(id, Kind::Commit)? else { return Ok(None) };
                match usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1) {
                    None => Ok(Some(commit)),
                    Some(index) => Ok(self.parents(&commit)?.get(index).copied()),
                }
            }
            Step::Ancestor(generations) => {
                let Some(mut commit) = self.peel_to(id, Kind::Commit)? else { return Ok(None) };
                // A commit that is met again at the next power of two is its own ancestor (Brent's search for a cycle).
                let (mut mark, mut next) = (commit, 1);
                for step in 0..generations {
                    self.cancel.check()?;
                    let Some(parent) = self.parents(&commit)?.first().copied() else {
                        return Ok(None);
                    };
                    if parent == mark {
                        return Err(self.objects.own_ancestor(&parent));
                    }
                    commit = parent;
                    if step == next {
                        (mark, next) = (commit, next * 2);
                    }
                }
                Ok(Some(commit))
            }
            Step::Untag => self.untag(id).map(|found| found.map(|(_, id)| id)),
            Step::Peel(None) => Ok(self.kind(&id)?.map(|_| id)),
            Step::Peel(Some(kind)) => self.peel_to(id, kind),
            Step::Search(pattern) => match self.peel_to(id, Kind::Commit)? {
                Some(commit) if pattern.is_empty() => Ok(Some(commit)),
                Some(commit) => self.search(pattern, vec![commit]),
                None => Ok(None),
            },
        }
    }

    /// Returns the reader of links between commits.
    pub(super) fn commits(&self) -> Result<&Commits> {
        if let Some(commits) = self.commits.get() {
            return Ok(commits);
        }
        let commits = Commits::new(self.repository)?;
        Ok(self.commits.get_or_init(|| commits))
    }

    /// Returns the parents of a commit.
    pub(super) fn parents(&self, commit: &Oid) -> Result<Vec<Oid>> {
        Ok(self.commits()?.links(commit)?.parents)
    }

    /// Returns the kind of an object, `None` where it is missing.
    pub(super) fn kind(&self, id: &Oid) -> Result<Option<Kind>> {
        if id.is_empty_tree() {
            return Ok(Some(Kind::Tree));
        }
        Ok(self.objects.header(id)?.map(|(kind, _)| kind))
    }

    /// Follows tags to what they lead to; `None` where that is missing.
    pub(super) fn untag(&self, id: Oid) -> Result<Option<(Kind, Oid)>> {
        Ok(self.untagged(id)?.ok())
    }

    /// Follows tags to what they lead to, or returns the object that is missing.
    ///
    /// # Errors
    /// `tool_failed` for a tag that leads to itself, and beyond [`limits::TAG_DEPTH`].
    pub(super) fn untagged(&self, id: Oid) -> Result<std::result::Result<(Kind, Oid), Oid>> {
        let mut id = id;
        let mut seen = Vec::new();
        loop {
            self.cancel.check()?;
            match self.kind(&id)? {
                None => return Ok(Err(id)),
                Some(Kind::Tag) => {}
                Some(kind) => return Ok(Ok((kind, id))),
            }
            if seen.contains(&id) || seen.len() == limits::TAG_DEPTH {
                let what = if seen.contains(&id) {
                    "leads to itself"
                } else {
                    "leads to too many other tags"
                };
                return Err(self.repository.git_dir.gate().damaged(format!("tag {id} {what}")));
            }
            seen.push(id);
            let Some((_, bytes)) = self.objects.object(&id)? else { return Ok(Err(id)) };
            let line = bytes.lines().next().unwrap_or_default();
            id = match line.strip_prefix(b"object ").map(Oid::from_hex) {
                Some(Ok(target)) if target.kind() == id.kind() => target,
                _ => {
                    return Err(self
                        .repository
                        .git_dir
                        .gate()
                        .damaged(format!("tag {id} names no object")));
                }
            };
        }
    }

    /// Follows tags, and commits to their trees, to an object of a kind; `None` where they lead to another.
    pub(super) fn peel_to(&self, id: Oid, wanted: Kind) -> Result<Option<Oid>> {
        if wanted == Kind::Tag {
            return Ok((self.kind(&id)? == Some(Kind::Tag)).then_some(id));
        }
        match self.untag(id)? {
            Some((kind, id)) if kind == wanted => Ok(Some(id)),
            Some((Kind::Commit, id)) if wanted == Kind::Tree => {
                Ok(Some(self.commits()?.links(&id)?.tree))
            }
            _ => Ok(None),
        }
    }

    /// Returns the error of a range one end of which names nothing.
    pub(super) fn unresolved_end(&self, end: &str) -> Error {
        Error::not_found(format!(
            "no revision {} in {} can be resolved in the repository at {}",
            quoted(end),
            quoted(&self.asked),
            quoted(&self.repository.given)
        ))
    }

    /// Returns the error of a revision that names nothing, and why.
    pub(super) fn unresolved(&self, why: &str) -> Error {
        Error::not_found(format!(
            "no revision {} can be resolved in the repository at {}{why}",
            quoted(&self.asked),
            quoted(&self.repository.given)
        ))
    }
}

/// Splits `name~3` and `name^2`; the step is `None` for a number that is too large.
fn generations(name: &[u8]) -> Option<(&[u8], Option<Step<'_>>)> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = name.split_at(name.len() - digits);
    let (&sign, rest) = rest.split_last().filter(|(sign, _)| matches!(sign, b'~' | b'^'))?;
    let number = if digits.is_empty() {
        Some(1)
    } else {
        digits.to_str().ok().and_then(|digits| digits.parse().ok())
    };
    let number = number.filter(|&number: &u64| number <= i32::MAX as u64);
    let step = number
        .map(|number| if sign == b'^' { Step::Parent(number) } else { Step::Ancestor(number) });
    Some((rest, step))
}

/// Splits `name^{...}`; the step is `None` where git knows none by that word.
fn peeled(name: &[u8]) -> Option<(&[u8], Option<Step<'_>>)> {
    if name.len() < 4 || !name.ends_with(b"}") {
        return None;
    }
    let at = name.rfind(b"^{")?;
    let word = &name[at + 2..];
    // What stands behind the brace of a kind does not count for git.
    let kinds = [
        ("commit}", Kind::Commit),
        ("tag}", Kind::Tag),
        ("tree}", Kind::Tree),
        ("blob}", Kind::Blob),
    ];
    let kind =
        kinds.iter().find(|(name, _)| word.starts_with(name.as_bytes())).map(|(_, kind)| *kind);
    let step = match word {
        _ if kind.is_some() => Some(Step::Peel(kind)),
        word if word.starts_with(b"object}") => Some(Step::Peel(None)),
        [b'}', ..] => Some(Step::Untag),
        [b'/', b'}', ..] => Some(Step::Search(b"")),
        [b'/', pattern @ .., b'}'] => Some(Step::Search(pattern)),
        _ => None,
    };
    Some((&name[..at], step))
}

/// Returns where the path of `revision:path` begins: at the first colon outside of braces.
fn colon(name: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    name.iter().position(|&byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b':' => return depth == 0,
            _ => {}
        }
        false
    })
}
