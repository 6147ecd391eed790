//! Names of references: abbreviated, with their logs (`main@{1}`), and shorthands (`@{-1}`,
//! `@{upstream}`).

use gix::bstr::ByteSlice;

use super::clock::Clock;
use super::date;
use super::readable_log::{checkout, readable_log};
use super::resolver::Resolver;
use super::upstream::{Branches, Mark};
use crate::Oid;
use crate::refs::Resolved;
use redline_base::error::{Result, quoted};

/// The maximum depth of shorthands that expand to shorthands.
const MAX_NAMES: usize = 8;

/// The prefixes and suffixes of abbreviated names, in git's order.
pub const RULES: [(&[u8], &[u8]); 6] = [
    (b"", b""),
    (b"refs/", b""),
    (b"refs/tags/", b""),
    (b"refs/heads/", b""),
    (b"refs/remotes/", b""),
    (b"refs/remotes/", b"/HEAD"),
];

/// Resolves a full id, a reference, or an entry of its log.
pub fn named(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<Oid>> {
    if let Some(id) = whole_id(resolver, name) {
        return existing(resolver, id);
    }
    let mut is_prior = false;
    let mut log = None;
    for at in (0..(name.len() + 1).saturating_sub(4)).rev() {
        if !name.ends_with(b"}") || !name[at..].starts_with(b"@{") {
            continue;
        }
        if name[at + 2] == b'-' {
            if at != 0 {
                return Ok(None);
            }
            is_prior = true;
            continue;
        }
        if mark(&name[at..]).is_none() {
            log = Some((&name[..at], &name[at + 2..name.len() - 1]));
        }
        break;
    }
    let name = log.map_or(name, |(name, _)| name);
    if !name.is_empty() && is_path(name) {
        return Ok(None);
    }
    if is_prior
        && let Some((_, branch)) = prior(resolver, name)?
        && let Some(id) = whole_id(resolver, &branch)
    {
        return existing(resolver, id);
    }
    let Some((_, log)) = log else { return Ok(reference(resolver, name)?.map(|(_, id)| id)) };
    let found =
        if name.is_empty() { reference(resolver, b"HEAD")? } else { logged(resolver, name)? };
    let Some((reference, id)) = found else { return Ok(None) };
    match in_log(resolver, &reference, id, log)? {
        Some(id) => resolver.nameable(id),
        None => Ok(None),
    }
}

fn whole_id(resolver: &Resolver<'_>, name: &[u8]) -> Option<Oid> {
    let is_whole = name.len() == resolver.repository.object_hash().len_in_hex();
    if is_whole { Oid::from_hex(name).ok() } else { None }
}

/// Returns an id if it has an object that may be named. git accepts it without a check; an unknown
/// id is better reported here.
fn existing(resolver: &Resolver<'_>, id: Oid) -> Result<Option<Oid>> {
    if resolver.kind(&id)?.is_some() { resolver.nameable(id) } else { Ok(None) }
}

/// Returns the references that a name may mean, in git's order.
fn candidates(resolver: &Resolver<'_>, name: &[u8]) -> Result<impl Iterator<Item = Vec<u8>>> {
    let name = match interpret(resolver, name, 0)? {
        Some((length, whole)) if length == name.len() => whole,
        _ => name.to_vec(),
    };
    Ok(RULES.into_iter().map(move |(before, after)| [before, &name, after].concat()))
}

/// Returns the reference of a name, and its object.
pub fn reference(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<(Vec<u8>, Oid)>> {
    for candidate in candidates(resolver, name)? {
        match resolver.references.resolve(&candidate)? {
            Resolved::Id { name, id } => return Ok(Some((name, id))),
            // There are other files beside HEAD.
            Resolved::Broken { is_symbolic: false } if candidate.starts_with(b"refs/") => {
                resolver.broken.borrow_mut().get_or_insert(candidate);
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Returns the reference with a log of a name, and its object.
pub fn logged(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<(Vec<u8>, Oid)>> {
    for candidate in candidates(resolver, name)? {
        if let Some(found) = resolver.references.logged(&candidate)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the former id of a reference, a number of changes ago or at a date; `id` is its current
/// id.
fn in_log(resolver: &Resolver<'_>, reference: &[u8], id: Oid, log: &[u8]) -> Result<Option<Oid>> {
    let is_number = log.iter().all(u8::is_ascii_digit);
    let number = if is_number { log.to_str_lossy().parse().unwrap_or(i64::MAX) } else { -1 };
    // A number that large is a time, in the range of git's numbers; git reads a time before 1970 as
    // one in the far future.
    let time = match number {
        100_000_000..0x8000_0000 => Some(number as u64),
        0.. => None,
        _ => match date::parse(log, &Clock::here()) {
            Some(time) => Some(time as u64),
            None => return Ok(None),
        },
    };
    let entries = readable_log(resolver, reference)?;
    let shown = quoted(&reference.to_str_lossy());
    let Some(oldest) = entries.last() else {
        return if time.is_none() && number == 0 {
            Ok(Some(id))
        } else {
            Err(resolver.unresolved(&format!(": the log of {shown} is empty")))
        };
    };
    let place = match time {
        Some(time) => entries.iter().position(|entry| entry.time <= time),
        None => usize::try_from(number).ok().filter(|&place| place < entries.len()),
    };
    if let Some(place) = place {
        // The newest entry, or one before the reference was created again: it must agree with the
        // reference.
        let is_followed = place.checked_sub(1).is_some_and(|newer| !entries[newer].old.is_null());
        let entry = &entries[place];
        let is_exact = entry.time == time.unwrap_or(0);
        return Ok(Some(if is_followed || is_exact { entry.new } else { id }));
    }
    if time.is_some_and(|time| time != 0) {
        return Ok(Some(if oldest.old.is_null() { oldest.new } else { oldest.old }));
    }
    if usize::try_from(number) == Ok(entries.len()) && !oldest.old.is_null() {
        return Ok(Some(oldest.old));
    }
    Err(resolver.unresolved(&format!(": the log of {shown} has only {} entries", entries.len())))
}

/// Expands a shorthand at the front of `name`; also returns its length.
fn interpret(
    resolver: &Resolver<'_>,
    name: &[u8],
    depth: usize,
) -> Result<Option<(usize, Vec<u8>)>> {
    if depth > MAX_NAMES {
        return Ok(None);
    }
    if let Some((length, branch)) = prior(resolver, name)? {
        return if length == name.len() {
            Ok(Some((length, branch)))
        } else {
            interpret_rest(resolver, name, length, branch, depth).map(Some)
        };
    }
    for at in name.find_iter(b"@") {
        let is_alone = at == 0 && name.get(1).is_none_or(|_| name[1..].starts_with(b"@{"));
        if is_alone {
            return interpret_rest(resolver, name, 1, b"HEAD".to_vec(), depth).map(Some);
        }
        if let Some((mark, length)) = mark(&name[at..])
            && !name[..at].contains(&b':')
        {
            let branches = Branches::new(resolver, reference);
            let whole = branches.marked(&name[..at], mark)?;
            return Ok(Some((at + length, whole)));
        }
    }
    Ok(None)
}

/// Expands further after the first `length` bytes of a name were replaced by `branch`.
fn interpret_rest(
    resolver: &Resolver<'_>,
    name: &[u8],
    length: usize,
    branch: Vec<u8>,
    depth: usize,
) -> Result<(usize, Vec<u8>)> {
    let next = [&branch, &name[length..]].concat();
    Ok(match interpret(resolver, &next, depth + 1)? {
        Some((used, whole)) => ((used + length).saturating_sub(branch.len()), whole),
        None => (length, branch),
    })
}

/// Returns the previous branch of `@{-N}` at the front of a name, and the length of the shorthand.
fn prior(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<(usize, Vec<u8>)>> {
    let Some(rest) = name.strip_prefix(b"@{-") else { return Ok(None) };
    let Some(brace) = rest.find_byte(b'}') else { return Ok(None) };
    // As the C library parses a number: with leading whitespace and an optional sign.
    let digits = rest[..brace].trim_start_with(|c| c.is_ascii_whitespace());
    let number = digits.to_str().ok().filter(|digits| !digits.starts_with('-'));
    let Some(number @ 1..) = number.and_then(|digits| digits.parse::<usize>().ok()) else {
        return Ok(None);
    };
    let entries = readable_log(resolver, b"HEAD")?;
    let mut left = entries.iter().filter_map(|entry| checkout(&entry.message));
    Ok(left.nth(number - 1).map(|(branch, _)| (brace + 4, branch.to_vec())))
}

/// Returns the mark at the front of a name, and its length.
fn mark(name: &[u8]) -> Option<(Mark, usize)> {
    let marks =
        [("@{upstream}", Mark::Upstream), ("@{u}", Mark::Upstream), ("@{push}", Mark::Push)];
    let begins = |text: &str| {
        name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text.as_bytes()))
    };
    marks.into_iter().find(|(text, _)| begins(text)).map(|(text, mark)| (mark, text.len()))
}

/// Tells whether a name may be the path of a file: it has empty components, or ends in one of dots.
fn is_path(name: &[u8]) -> bool {
    let mut is_empty = true;
    for &byte in name {
        match byte {
            b'/' if is_empty => break,
            b'/' => is_empty = true,
            b'.' => {}
            _ => is_empty = false,
        }
    }
    is_empty
}
