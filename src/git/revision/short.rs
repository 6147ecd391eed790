//! Abbreviated ids, and the output of `git describe`.

use std::collections::BTreeSet;

use gix::bstr::ByteSlice;
use gix::hash::Prefix;
use gix::objs::Kind;

use super::resolver::Resolver;
use crate::Oid;
use redline_base::error::{Error, Result, quoted};

/// The least number of digits of an abbreviated id in git.
const FEWEST: usize = 4;

/// The preferred object if several begin with an abbreviated id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Any object.
    Any,
    /// A commit.
    Commit,
    /// A commit or a tag of one.
    Committish,
    /// A tree, or a commit or tag of one.
    Treeish,
    /// A tree (`core.disambiguate`).
    Tree,
    /// A blob (`core.disambiguate`).
    Blob,
}

/// Resolves `name-3-g1234567` by its digits, which must be a commit's.
pub fn described(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<Oid>> {
    // git uses the last `-g` with anything after it; since version 2.49 not that of a path.
    let Some(at) = name.rfind(b"-g").filter(|&at| at > 0) else { return Ok(None) };
    if name[..at].contains(&b':') {
        return Ok(None);
    }
    abbreviated(resolver, &name[at + 2..], Hint::Commit)
}

/// Resolves an abbreviated id.
///
/// # Errors
/// `invalid_args` if several objects, or several of the preferred kind, begin with it.
pub fn abbreviated(resolver: &Resolver<'_>, digits: &[u8], hint: Hint) -> Result<Option<Oid>> {
    let longest = resolver.repository.object_hash().len_in_hex();
    if !(FEWEST..=longest).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Ok(None);
    }
    let mut whole = digits.to_ascii_lowercase();
    whole.resize(longest, b'0');
    let Some(prefix) =
        Oid::from_hex(&whole).ok().and_then(|id| Prefix::new(&id, digits.len()).ok())
    else {
        return Ok(None);
    };
    let mut found = BTreeSet::new();
    resolver.objects.each_with_prefix(prefix, &mut |id| {
        found.insert(id.to_owned());
    })?;
    let mut named = BTreeSet::new();
    for id in found {
        named.extend(resolver.nameable(id)?);
    }
    if named.len() < 2 {
        return Ok(named.pop_first());
    }
    let hint = if hint == Hint::Any { usual_hint(resolver) } else { hint };
    let mut fitting = Vec::new();
    for &id in &named {
        resolver.cancel.check()?;
        if fits(resolver, id, hint)? {
            fitting.push(id);
        }
    }
    if let [only] = fitting[..] {
        return Ok(Some(only));
    }
    let shown = if fitting.is_empty() { named.into_iter().collect() } else { fitting };
    let shown: Vec<String> = shown.iter().take(5).map(ToString::to_string).collect();
    Err(Error::invalid_args(format!(
        "the abbreviated id {} is ambiguous",
        quoted(&digits.to_str_lossy())
    ))
    .with_hint(format!("Give more digits; it may be {}", shown.join(", "))))
}

/// Returns the preference of `core.disambiguate`.
fn usual_hint(resolver: &Resolver<'_>) -> Hint {
    let value = resolver.repository.config.string("core.disambiguate");
    match value.map(|value| value.to_ascii_lowercase()).as_deref() {
        Some(b"commit") => Hint::Commit,
        Some(b"committish") => Hint::Committish,
        Some(b"tree") => Hint::Tree,
        Some(b"treeish") => Hint::Treeish,
        Some(b"blob") => Hint::Blob,
        _ => Hint::Any,
    }
}

/// Tells whether an object satisfies a hint.
fn fits(resolver: &Resolver<'_>, id: Oid, hint: Hint) -> Result<bool> {
    let kind = || resolver.kind(&id);
    let peeled = || resolver.untag(id).map(|found| found.map(|(kind, _)| kind));
    Ok(match hint {
        Hint::Any => true,
        Hint::Commit => kind()? == Some(Kind::Commit),
        Hint::Tree => kind()? == Some(Kind::Tree),
        Hint::Blob => kind()? == Some(Kind::Blob),
        Hint::Committish => peeled()? == Some(Kind::Commit),
        Hint::Treeish => matches!(peeled()?, Some(Kind::Commit | Kind::Tree)),
    })
}
