//! The readable references of a repository, if a sandbox limits them.

use crate::rules::rel_path::is_like;
use redline_base::error::Error;

/// A pattern of full names: `*` matches any text, slashes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefPattern(String);

/// The patterns of all sandboxes around a repository: a name must match a pattern of each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefLimit(Vec<Vec<RefPattern>>);

impl RefPattern {
    /// Parses a pattern such as `refs/heads/main` or `refs/tags/*`; `None` if it matches no
    /// reference.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_usual = |c: char| !c.is_control() && !" ~^:?[\\".contains(c);
        let has_names = text.split('/').all(|name| !name.is_empty() && !name.starts_with('.'));
        let is_full = text.starts_with("refs/") && has_names && !text.contains("..");
        (is_full && text.chars().all(is_usual)).then(|| Self(text.to_owned()))
    }

    /// Tells whether it matches a full name.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        is_like(self.0.as_bytes(), name)
    }

    /// Returns the given pattern.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl RefLimit {
    /// Joins the patterns of sandboxes; `None` if none of them has any.
    pub(crate) fn of<'s>(lists: impl Iterator<Item = &'s [RefPattern]>) -> Option<Self> {
        let lists: Vec<Vec<RefPattern>> = lists.map(<[RefPattern]>::to_vec).collect();
        (!lists.is_empty()).then_some(Self(lists))
    }

    /// Tells whether a reference may be read, by its full name.
    pub fn allows(&self, name: &[u8]) -> bool {
        self.0.iter().all(|patterns| patterns.iter().any(|pattern| pattern.matches(name)))
    }

    /// Returns the refusal of the index and the work tree, which have the files of a branch that
    /// may not be read.
    pub fn refuse_work_tree(&self) -> Error {
        Error::fs_denied(
            "the checked-out reference may not be read, so its index and work tree may not be either",
        )
        .with_hint("Name a branch or a tag that refs(repo) lists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(lists: &[&[&str]]) -> RefLimit {
        let lists: Vec<Vec<RefPattern>> = lists
            .iter()
            .map(|texts| texts.iter().map(|text| RefPattern::parse(text).expect(text)).collect())
            .collect();
        RefLimit::of(lists.iter().map(Vec::as_slice)).unwrap()
    }

    #[test]
    fn a_star_is_any_text_and_all_else_is_exact() {
        for (pattern, name, is_allowed) in [
            ("refs/heads/main", "refs/heads/main", true),
            ("refs/heads/main", "refs/heads/main2", false),
            ("refs/heads/main", "refs/heads/mai", false),
            ("refs/heads/main", "x/refs/heads/main", false),
            ("refs/heads/*", "refs/heads/a/b", true),
            ("refs/heads/*", "refs/heads/", true),
            ("refs/heads/*", "refs/headsx/a", false),
            ("refs/tags/v*.0", "refs/tags/v1.0", true),
            ("refs/tags/v*.0", "refs/tags/v.0", true),
            ("refs/tags/v*.0", "refs/tags/v.1", false),
            ("refs/*/a*b*c", "refs/x/aXbYbZc", true),
            ("refs/*/a*b*c", "refs/x/acb", false),
            ("refs/a*a", "refs/a", false),
            ("refs/*", "HEAD", false),
        ] {
            assert_eq!(
                limit(&[&[pattern]]).allows(name.as_bytes()),
                is_allowed,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn every_sandbox_around_must_allow_a_name() {
        let both = limit(&[&["refs/heads/*", "refs/tags/*"], &["refs/heads/main"]]);
        assert!(both.allows(b"refs/heads/main") && !both.allows(b"refs/tags/v1"));
        assert_eq!(RefLimit::of(std::iter::empty()), None);
        assert!(!limit(&[&[]]).allows(b"refs/heads/main"));
    }

    #[test]
    fn a_pattern_must_be_able_to_name_a_reference() {
        for text in [
            "",
            "main",
            "HEAD",
            "refs",
            "refs/",
            "refs//a",
            "refs/heads/..",
            "refs/a b",
            "refs/a\n",
            "*",
            "/refs/a",
            "refs/.a",
            "refs/heads/[ab]",
            "refs/a?",
        ] {
            assert_eq!(RefPattern::parse(text), None, "{text}");
        }
    }
}
