//! Path patterns as callers give them.

use redline_base::budget::{Grow, Joined};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_git::{Ignores, is_pattern};

/// A path pattern with the syntax of `.gitignore` and alternatives in braces: `*.rs` anywhere,
/// `src/**/*.{c,h}` from the top.
#[derive(Debug)]
pub struct Glob(Ignores);

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    /// `invalid_args` for a malformed one.
    pub fn parse(given: &str) -> Result<Self> {
        let wrong = |why: &str| {
            Error::invalid_args(format!("the glob {} cannot be used: {why}", quoted(given)))
                .with_hint("Give a pattern such as *.rs or src/**/*.py")
        };
        if given.is_empty() || given.len() > limits::GLOB_BYTES || given.starts_with(['!', '#']) {
            return Err(wrong("it is empty, too long, or starts with ! or #"));
        }
        if given.contains(['\n', '\0']) {
            return Err(wrong("it has a line break or a NUL"));
        }
        let mut patterns = vec![given.to_owned()];
        let mut done: Vec<String> = Vec::new();
        while let Some(pattern) = patterns.pop() {
            if patterns.len() + done.len() >= limits::GLOB_ALTERNATIVES {
                return Err(wrong("its braces have too many alternatives"));
            }
            match braces(&pattern).map_err(wrong)? {
                Some((before, inner, after)) => {
                    patterns.add_all(alternatives(inner).map(|one| format!("{before}{one}{after}")))
                }
                None => done.add(pattern),
            }
        }
        if done.iter().any(|pattern| !is_pattern(pattern.as_bytes())) {
            return Err(wrong("a [ or \\ has no end"));
        }
        if has_backward_range(given) {
            return Err(wrong("a range such as z-a runs backwards"));
        }
        Ignores::new(done.joined("\n").as_bytes(), b"", None, false).map(Self)
    }

    /// Tells whether the pattern matches a path.
    ///
    /// # Errors
    /// `too_large` for a pattern that takes too many steps.
    pub fn matches(&self, path: &str) -> Result<bool> {
        self.0.is_ignored(path.as_bytes(), false)
    }

    /// Tells whether one of several globs matches a path.
    ///
    /// # Errors
    /// See [`Self::matches`].
    pub fn any_matches(globs: &[Self], path: &str) -> Result<bool> {
        for glob in globs {
            if glob.matches(path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The text before the first braces, their content, and the text after them.
type Braces<'a> = (&'a str, &'a str, &'a str);

/// Finds the first braces that are neither escaped nor in a class.
fn braces(pattern: &str) -> std::result::Result<Option<Braces<'_>>, &'static str> {
    let (mut start, mut depth) = (None, 0);
    for (at, char) in special(pattern) {
        match char {
            '{' => {
                start.get_or_insert(at);
                depth += 1;
            }
            '}' if depth > 1 => depth -= 1,
            '}' => {
                let start: usize = start.ok_or("a } has no {")?;
                return Ok(Some((&pattern[..start], &pattern[start + 1..at], &pattern[at + 1..])));
            }
            _ => {}
        }
    }
    if depth > 0 { Err("a { has no }") } else { Ok(None) }
}

/// Splits the content of braces at the commas outside nested braces.
fn alternatives(inner: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let mut ends: Vec<usize> = Vec::new();
    for (at, char) in special(inner) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => ends.add(at),
            _ => {}
        }
    }
    ends.add(inner.len());
    let mut start = 0;
    ends.into_iter().map(move |end| &inner[std::mem::replace(&mut start, end + 1)..end])
}

/// Returns the characters that are neither escaped nor in a class, with their offsets; `[` starts a
/// class.
fn special(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let mut chars = pattern.char_indices();
    let mut class_end = 0;
    std::iter::from_fn(move || {
        loop {
            let (at, char) = chars.next()?;
            match char {
                _ if at < class_end => {}
                '\\' => {
                    chars.next();
                }
                '[' => {
                    class_end = at + 1 + members(pattern, at).len();
                    return Some((at, char));
                }
                _ => return Some((at, char)),
            }
        }
    })
}

/// Returns the members of the class that starts at `at`; empty if it has no end.
fn members(pattern: &str, at: usize) -> &str {
    let inner = &pattern[at + 1..];
    // A leading `]` is a member.
    let first = inner.trim_start_matches(['!', '^']).chars().next().map_or(0, char::len_utf8);
    let start = inner.len() - inner.trim_start_matches(['!', '^']).len() + first;
    inner[start..].find(']').map_or("", |end| &inner[..start + end])
}

/// Tells whether a class has a range such as `z-a`, which git reads as its first character.
fn has_backward_range(pattern: &str) -> bool {
    let is_backward = |range: &[u8]| range[1] == b'-' && range[0] > range[2] && range[0] != b'\\';
    special(pattern)
        .filter(|&(_, char)| char == '[')
        .any(|(at, _)| members(pattern, at).as_bytes().windows(3).any(is_backward))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_means_what_it_means_in_gitignore() {
        for (glob, path, is_meant) in [
            ("*.rs", "a/b.rs", true),
            ("*.rs", "b.rs", true),
            ("/*.rs", "a/b.rs", false),
            ("src/**/*.rs", "src/a/b.rs", true),
            ("src/**/*.rs", "other/src/a/b.rs", false),
            ("{a,b}.txt", "b.txt", true),
            ("{a,b}.txt", "c.txt", false),
            ("src/{a,b/{c,d}}/*.{c,h}", "src/b/d/x.h", true),
            ("src/{a,b/{c,d}}/*.{c,h}", "src/b/x.h", false),
            ("a{,b}", "a", true),
            ("[{]a[,}]", "{a}", true),
            (r"\{a,b\}", "{a,b}", true),
            (r"{a\,b,c}", "a,b", true),
        ] {
            assert_eq!(
                Glob::parse(glob).unwrap().matches(path).unwrap(),
                is_meant,
                "{glob} {path}"
            );
        }
    }

    #[test]
    fn refuses_what_is_malformed() {
        let many = "{a,b}".repeat(10);
        for wrong in ["", "!a", "[z-a]", "[a", "a\\", "{a", "a}", "a\nb", &many] {
            assert!(Glob::parse(wrong).is_err(), "{wrong}");
        }
    }
}
