//! The object directories of a repository: its own, and its alternates (`objects/info/alternates`).
//!
//! Lines are parsed as in git (`gitrepository-layout`): each is a path, absolute or relative to the
//! object directory with the file; a line that begins with `#` is a comment, one that begins with
//! `"` is quoted as in C; nothing is trimmed. A missing directory is skipped, as in git.

use std::collections::HashSet;

use super::gate::GitDirectory;
use redline_base::budget::check_current;
use redline_base::error::Result;
use redline_base::limits;
use redline_text::patch::unquote;

const FILE: &[u8] = b"info/alternates";

/// Opens the object directories of a repository, its own first, each once.
///
/// # Errors
/// `fs_denied` if one is outside of what may be read; `too_large` for more than
/// [`limits::ALTERNATES`] of them, more than [`limits::ALTERNATE_LINES`] that name one, or deeper
/// ones than git follows.
pub fn open(common_dir: &GitDirectory) -> Result<Vec<GitDirectory>> {
    let gate = common_dir.gate();
    let own = common_dir.directory(b"objects")?.ok_or_else(|| gate.damaged("it has no objects"))?;
    let mut seen = HashSet::from([own.own_stamp()?.identity()]);
    let mut found = vec![own];
    let mut lines = 0;
    // One level of alternates after the other.
    let mut level = 0..1;
    for _ in 0..limits::ALTERNATES_DEPTH {
        for index in level.clone() {
            let Some(bytes) = found[index].read(FILE, limits::ALTERNATES_BYTES)? else { continue };
            for path in paths(&bytes) {
                // A missing store is skipped, but each line costs a lookup.
                lines += 1;
                if lines > limits::ALTERNATE_LINES {
                    return Err(gate.too_large(format!(
                        "names over {} stores to borrow objects from",
                        limits::ALTERNATE_LINES
                    )));
                }
                check_current()?;
                let Some(directory) = found[index].follow(&path)? else { continue };
                if !seen.insert(directory.own_stamp()?.identity()) {
                    continue;
                }
                if found.len() == limits::ALTERNATES {
                    return Err(gate.too_large(format!(
                        "borrows objects from over {} stores",
                        limits::ALTERNATES
                    )));
                }
                found.push(directory);
            }
        }
        level = level.end..found.len();
    }
    for directory in &found[level] {
        if directory.stamp(FILE)?.is_some() {
            return Err(
                gate.too_large(format!("borrows objects over {} levels", limits::ALTERNATES_DEPTH))
            );
        }
    }
    Ok(found)
}

/// Returns the paths in an alternates file.
fn paths(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if rest[0] == b'"'
            && let Some((path, length)) = unquote(rest)
        {
            paths.push(path);
            rest = &rest[length..];
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            continue;
        }
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        if !matches!(rest[0], b'#' | b'\n') {
            paths.push(rest[..end].to_vec());
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    // A NUL ends a path in git, and in system calls.
    paths.retain_mut(|path| {
        if let Some(end) = path.iter().position(|&byte| byte == 0) {
            path.truncate(end);
        }
        !path.is_empty()
    });
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_as_they_are_and_quoted_ones_unquoted() {
        for (bytes, wanted) in [
            (&b"/a\n/b\n"[..], &[&b"/a"[..], b"/b"][..]),
            (b"/a", &[b"/a"]),
            (b"# no\n\n/a\r\n", &[b"/a\r"]),
            (b"/a \n", &[b"/a "]),
            (b"\"/a\\n\\303\\244\"\n/b\n", &[b"/a\n\xc3\xa4", b"/b"]),
            (b"\"/torn\n/b", &[b"\"/torn", b"/b"]),
            (b"/a\0b\n", &[b"/a"]),
            (b"\n\n", &[]),
        ] {
            assert_eq!(paths(bytes), wanted, "{bytes:?}");
        }
    }
}
