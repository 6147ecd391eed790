//! From the name of a revision to an object, as git resolves it.
//!
//! Source: gitrevisions(7), and the results of git 2.47.3 where that is not exact. A name is parsed
//! from its end: after all suffixes are removed, the rest is a reference or an id, and the suffixes
//! are then applied to its object, the last one first.

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::resolver::Resolver;
use super::short::{self, Hint};
use super::{named, path, search};
use crate::Oid;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// An operation on an object.
enum Step<'n> {
    /// `^N`: a parent, 0 is the commit itself.
    Parent(usize),
    /// `~N`: the first parent of the first parent.
    Ancestor(usize),
    /// `^{}`: peel tags.
    Untag,
    /// `^{kind}`; `None` for any object.
    Peel(Option<Kind>),
    /// `^{/text}`: the newest ancestor whose message matches.
    Search(&'n [u8]),
}

/// Returns the object of a revision, `None` if it does not resolve.
///
/// # Errors
/// An ambiguous id, a branch without an upstream, a damaged reference: cases with a more precise
/// error.
pub fn resolve(resolver: &Resolver<'_>, name: &[u8], hint: Hint) -> Result<Option<Oid>> {
    if name.len() > limits::REVISION_BYTES {
        return Err(Error::invalid_args(format!(
            "the revision {} has {} bytes",
            quoted(&resolver.asked),
            name.len()
        ))
        .with_hint(format!("redline reads {} of a revision", limits::REVISION_BYTES)));
    }
    if name.contains(&0) {
        return Ok(None);
    }
    if let Some(id) = object(resolver, name, hint)? {
        return Ok(Some(id));
    }
    if let Some(rest) = name.strip_prefix(b":") {
        return match rest {
            [b'/', pattern @ ..] if !pattern.is_empty() => search::all(resolver, pattern),
            _ => path::staged(resolver, rest),
        };
    }
    let Some(colon) = colon(name) else { return Ok(None) };
    match object(resolver, &name[..colon], Hint::Treeish)? {
        Some(id) => path::in_tree(resolver, &id, &name[colon + 1..]),
        None => Ok(None),
    }
}

/// Resolves a name without a path.
fn object(resolver: &Resolver<'_>, name: &[u8], hint: Hint) -> Result<Option<Oid>> {
    let (mut name, mut hint) = (name, hint);
    let mut steps = Vec::new();
    while let Some((rest, step)) = generations(name).or_else(|| peeled(name)) {
        let Some(step) = step else { return Ok(None) };
        name = rest;
        hint = match step {
            Step::Untag | Step::Peel(None | Some(Kind::Tag | Kind::Blob)) => Hint::Any,
            Step::Peel(Some(Kind::Tree)) => Hint::Treeish,
            _ => Hint::Committish,
        };
        steps.push(step);
    }
    let Some(mut id) = base(resolver, name, hint)? else { return Ok(None) };
    for step in steps.into_iter().rev() {
        let Some(next) = take(resolver, id, &step)? else { return Ok(None) };
        id = next;
    }
    Ok(Some(id))
}

/// Resolves a name without suffixes: a reference, its log, or an id.
fn base(resolver: &Resolver<'_>, name: &[u8], hint: Hint) -> Result<Option<Oid>> {
    if let Some(id) = named::named(resolver, name)? {
        return Ok(Some(id));
    }
    if let Some(id) = short::described(resolver, name)? {
        return Ok(Some(id));
    }
    short::abbreviated(resolver, name, hint)
}

fn take(resolver: &Resolver<'_>, id: Oid, step: &Step<'_>) -> Result<Option<Oid>> {
    resolver.cancel.check()?;
    match *step {
        Step::Parent(number) => {
            let Some(commit) = resolver.peel_to(id, Kind::Commit)? else { return Ok(None) };
            match number.checked_sub(1) {
                None => Ok(Some(commit)),
                Some(index) => Ok(resolver.parents(&commit)?.get(index).copied()),
            }
        }
        Step::Ancestor(generations) => {
            let Some(mut commit) = resolver.peel_to(id, Kind::Commit)? else { return Ok(None) };
            // A commit that is met again at the next power of two is its own ancestor (Brent's
            // cycle detection).
            let (mut mark, mut next) = (commit, 1);
            for step in 0..generations {
                resolver.cancel.check()?;
                let Some(parent) = resolver.parents(&commit)?.first().copied() else {
                    return Ok(None);
                };
                if parent == mark {
                    return Err(resolver.objects.own_ancestor(&parent));
                }
                commit = parent;
                if step == next {
                    (mark, next) = (commit, next * 2);
                }
            }
            Ok(Some(commit))
        }
        Step::Untag => resolver.untag(id).map(|found| found.map(|(_, id)| id)),
        Step::Peel(None) => Ok(resolver.kind(&id)?.map(|_| id)),
        Step::Peel(Some(kind)) => resolver.peel_to(id, kind),
        Step::Search(pattern) => match resolver.peel_to(id, Kind::Commit)? {
            Some(commit) if pattern.is_empty() => Ok(Some(commit)),
            Some(commit) => search::search(resolver, pattern, vec![commit]),
            None => Ok(None),
        },
    }
}

/// Splits `name~3` and `name^2`; the step is `None` if the number is too large.
fn generations(name: &[u8]) -> Option<(&[u8], Option<Step<'_>>)> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = name.split_at(name.len() - digits);
    let (&sign, rest) = rest.split_last().filter(|(sign, _)| matches!(sign, b'~' | b'^'))?;
    let number = if digits.is_empty() {
        Some(1)
    } else {
        digits.to_str().ok().and_then(|digits| digits.parse().ok())
    };
    let number = number.filter(|&number: &usize| number <= i32::MAX as usize);
    let step = number
        .map(|number| if sign == b'^' { Step::Parent(number) } else { Step::Ancestor(number) });
    Some((rest, step))
}

/// Splits `name^{...}`; the step is `None` if git has no such word.
fn peeled(name: &[u8]) -> Option<(&[u8], Option<Step<'_>>)> {
    if name.len() < 4 || !name.ends_with(b"}") {
        return None;
    }
    let at = name.rfind(b"^{")?;
    let word = &name[at + 2..];
    // git ignores the text after the brace of a kind.
    let kinds = [
        ("commit}", Some(Kind::Commit)),
        ("tag}", Some(Kind::Tag)),
        ("tree}", Some(Kind::Tree)),
        ("blob}", Some(Kind::Blob)),
        ("object}", None),
    ];
    let kind = kinds.iter().find(|(name, _)| word.starts_with(name.as_bytes()));
    let step = match word {
        [b'}', ..] => Some(Step::Untag),
        [b'/', b'}', ..] => Some(Step::Search(b"")),
        [b'/', pattern @ .., b'}'] => Some(Step::Search(pattern)),
        _ => kind.map(|(_, kind)| Step::Peel(*kind)),
    };
    Some((&name[..at], step))
}

/// Returns the index of the colon in `revision:path`: the first one outside of braces.
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
