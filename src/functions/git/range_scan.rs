//! `FROM 'main..feature'`: a range of revisions as a table, which is `file_changes` of it in the
//! current directory.

use crate::ffi::ReplacementScan;
use redline_query::Question;
use redline_query::questions::file_changes::FileChangesQuery;
use redline_sandbox::is_free_name;

/// The replacement of table names that are ranges.
pub struct RangeScan;

impl ReplacementScan for RangeScan {
    const FUNCTION: &'static str = FileChangesQuery::DECLARATION.name;

    fn arguments(table: &str) -> Option<Vec<Option<String>>> {
        (is_range(table) && is_free_name(table))
            .then(|| vec![Some(table.to_owned()), None, Some(".".to_owned())])
    }
}

/// Tells whether a name is certainly `a..b` or `a...b`; an end that is left out is HEAD, as in git.
///
/// DuckDB asks for every name it does not know, so anything that could be a path, a URL, a pattern
/// or a misspelt table is left alone, and with it the rarest revisions: those with a colon
/// (`HEAD:src`) or a space (`@{1 day ago}`). The functions take them.
fn is_range(name: &str) -> bool {
    let Some((from, to)) = name.split_once("..") else { return false };
    let to = to.strip_prefix('.').unwrap_or(to);
    !(from.is_empty() && to.is_empty())
        && [from, to].iter().all(|end| end.is_empty() || is_revision(end))
}

/// Tells whether a text has the form of a revision: the rules of `git check-ref-format`, with `~`,
/// `^` and `@{…}` after a name.
fn is_revision(text: &str) -> bool {
    let is_foreign =
        |c: char| c.is_control() || c.is_whitespace() || matches!(c, ':' | '*' | '?' | '[' | '\\');
    !text.contains(is_foreign)
        && !text.contains("..")
        && !text.starts_with(['-', '~', '^'])
        && text
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_revisions_is_recognised() {
        for range in [
            "main..feature",
            "main...feature",
            "HEAD~1..HEAD",
            "HEAD^..HEAD^2",
            "v1.0..v1.1",
            "..feature",
            "main..",
            "...feature",
            "main...",
            "@~1..@",
            "@{u}..",
            "main@{1}..main@{0}",
            "HEAD^{tree}..HEAD",
            "0123abc..89def",
            "refs/heads/a..origin/b",
            "feature/x-1_y..release/2.0",
            "v1..WORKTREE",
            "grün..日本",
        ] {
            assert!(is_range(range), "{range}");
        }
    }

    #[test]
    fn paths_urls_and_patterns_are_not_ranges() {
        for other in [
            "",
            "main",
            "main.feature",
            "..",
            "...",
            "....",
            "../foo.txt",
            "../foo",
            "..\\foo",
            "a/../b",
            "a/..",
            "a/b/../../c.csv",
            "./a..b",
            "/a..b",
            "/tmp/a..b",
            "a..b/",
            "a//b..c",
            "a..b..c",
            "a....b",
            "a.....b",
            "s3://b/..x",
            "s3://bucket/a..b",
            "https://x.y/a..b",
            "C:a..b",
            "HEAD:src..HEAD",
            "a*..b",
            "a..b?",
            "a..[b]",
            "a ..b",
            "a.. b",
            "a..b\n",
            "a..b\u{0}c",
            "a..b\u{a0}c",
            "-a..b",
            "a..-b",
            "~/a..b",
            "^a..b",
            ".a..b",
            "a/.b..c",
            "a...b...c",
        ] {
            assert!(!is_range(other), "{other:?}");
        }
    }
}
