//! Names of references: git's rules for them, and the directory of a reference.
//!
//! Source: git-check-ref-format(1) and gitrepository-layout(5), "per-worktree references".

use gix::bstr::ByteSlice;

/// Tells whether a name is valid: no `..`, no control character, no component that is hidden or
/// ends in `.lock`. One level is enough (`HEAD`). A valid name never leads out of the directory it
/// is read in.
pub fn is_valid(name: &[u8]) -> bool {
    let is_allowed = |byte: u8| byte > b' ' && byte != 0x7f && !b"~^:?*[\\".contains(&byte);
    name != b"@"
        && !name.ends_with(b".")
        && !name.contains_str("..")
        && !name.contains_str("@{")
        && name.iter().all(|&byte| is_allowed(byte))
        && name.split(|&byte| byte == b'/').all(|component| {
            !component.is_empty() && !component.starts_with(b".") && !component.ends_with(b".lock")
        })
}

/// Tells whether a name is one like `HEAD` or `MERGE_HEAD`.
fn is_root(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_'))
}

/// Tells whether each work tree has its own reference of this name.
fn is_per_work_tree(name: &[u8]) -> bool {
    is_root(name) || is_own(name)
}

/// Tells whether each work tree has its own reference of this name below `refs`.
pub fn is_own(name: &[u8]) -> bool {
    PER_WORK_TREE.iter().any(|prefix| name.starts_with(prefix))
}

/// The prefixes of references that each work tree has itself, besides `HEAD` and the like.
pub const PER_WORK_TREE: [&[u8]; 3] = [b"refs/bisect/", b"refs/rewritten/", b"refs/worktree/"];

/// Returns the path of a reference with a valid name in the common directory, where the git
/// directory of another work tree is `worktrees/<name>`; `None` if this work tree has it itself.
pub fn shared(name: &[u8]) -> Option<&[u8]> {
    let bare = name.strip_prefix(b"main-worktree/").filter(|bare| is_per_work_tree(bare));
    bare.or_else(|| (!is_per_work_tree(name)).then_some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_names_that_git_check_ref_format_refuses() {
        for name in [
            "",
            "@",
            "a..b",
            "../HEAD",
            "a/../b",
            "/etc/passwd",
            "a//b",
            "a/",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a b",
            "a~",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "a@{b",
            "a\0b",
            "a\n",
            "a\x7f",
        ] {
            assert!(!is_valid(name.as_bytes()), "{name:?}");
        }
        for name in [
            "HEAD",
            "refs/heads/main",
            "a.b",
            "a@b",
            "@a",
            "a{b",
            "grün",
            "-x",
            "refs/heads/@",
            "a.lockx",
        ] {
            assert!(is_valid(name.as_bytes()), "{name:?}");
        }
    }

    #[test]
    fn a_work_tree_has_its_own_head_and_bisection() {
        for (name, at) in [
            ("HEAD", None),
            ("refs/bisect/bad", None),
            ("refs/heads/main", Some("refs/heads/main")),
            ("main", Some("main")),
            ("main-worktree/HEAD", Some("HEAD")),
            ("main-worktree/refs/heads/main", Some("main-worktree/refs/heads/main")),
            ("worktrees/x/HEAD", Some("worktrees/x/HEAD")),
            ("worktrees/x/refs/heads/main", Some("worktrees/x/refs/heads/main")),
        ] {
            assert_eq!(shared(name.as_bytes()), at.map(str::as_bytes), "{name}");
        }
    }
}
