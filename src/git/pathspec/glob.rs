//! Wildcards, with the meaning of git's `wildmatch`: `*`, `**`, `?`, `[…]` and `\`.
//!
//! A pattern is compiled to steps, and a text is matched against all steps reached so far, byte by
//! byte: the time is at most proportional to the product of both lengths.

use crate::model::space::is_space;

/// The bytes that make a pattern more than a plain path.
pub(super) const WILD: &[u8] = b"*?[\\";

/// How a pattern is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// `*`, `?` and `[…]` do not match a slash; only `**` as a whole component does: git's magic
    /// `glob`.
    pub by_directory: bool,
    /// ASCII letters match in either case: git's magic `icase`.
    pub fold_case: bool,
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    steps: Vec<Step>,
    fold_case: bool,
}

/// The remaining steps of matching, and reusable buffers.
#[derive(Debug)]
pub struct Work {
    left: u64,
    places: Vec<usize>,
    next: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Byte(u8),
    /// Any byte, including a slash if `slashes`.
    One {
        slashes: bool,
    },
    /// One byte of a set, one bit for each.
    Set(Box<[u64; 4]>),
    /// Any number of bytes, including slashes if `slashes`.
    Run {
        slashes: bool,
    },
    /// Optionally skips the next two steps: before the run and the slash of `**/`.
    Maybe,
}

/// Tells whether each part of a pattern can match: every class has an end and a member, and no
/// backslash is at the end.
pub fn is_pattern(pattern: &[u8]) -> bool {
    let glob = Glob::new(pattern, Rules::default());
    !glob.steps.iter().any(|step| matches!(step, Step::Set(set) if **set == [0; 4]))
}

impl Glob {
    /// Compiles a pattern. As in git, a malformed one matches nothing from the error on.
    pub fn new(pattern: &[u8], rules: Rules) -> Self {
        let Rules { by_directory, fold_case } = rules;
        let mut steps = Vec::new();
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            let start = at;
            at += 1;
            let step = match byte {
                b'*' => {
                    at += pattern[at..].iter().take_while(|&&next| next == b'*').count();
                    let (before, after) = (&pattern[..start], &pattern[at..]);
                    let is_component = at - start > 1
                        && before.last().is_none_or(|&byte| byte == b'/')
                        && (after.is_empty()
                            || after.starts_with(b"/")
                            || after.starts_with(b"\\/"));
                    if by_directory && is_component && after.starts_with(b"/") {
                        steps.push(Step::Maybe);
                    }
                    Some(Step::Run { slashes: !by_directory || is_component })
                }
                b'?' => Some(Step::One { slashes: !by_directory }),
                b'[' => class(pattern, &mut at, rules),
                // An escaped byte is not folded, so an upper-case letter matches nothing.
                b'\\' => {
                    at += 1;
                    pattern.get(at - 1).copied().map(Step::Byte)
                }
                _ if fold_case => Some(Step::Byte(byte.to_ascii_lowercase())),
                _ => Some(Step::Byte(byte)),
            };
            match step {
                Some(step) => steps.push(step),
                None => {
                    steps.push(set(|_| false));
                    break;
                }
            }
        }
        Self { steps, fold_case }
    }

    /// Tells whether the pattern matches the whole text.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.matches_within(text, &mut Work::new(u64::MAX))
    }

    /// Tells whether the pattern matches the whole text; `false` if the work is used up.
    pub fn matches_within(&self, text: &[u8], work: &mut Work) -> bool {
        let Work { left, places, next } = work;
        places.clear();
        next.clear();
        self.stand(0, places);
        for &byte in text {
            *left = left.saturating_sub(places.len() as u64);
            if *left == 0 {
                return false;
            }
            let byte = if self.fold_case { byte.to_ascii_lowercase() } else { byte };
            for &place in places.iter() {
                match self.steps.get(place) {
                    Some(Step::Byte(wanted)) if *wanted == byte => self.stand(place + 1, next),
                    Some(Step::One { slashes }) if *slashes || byte != b'/' => {
                        self.stand(place + 1, next)
                    }
                    Some(Step::Set(set)) if holds(set, byte) => self.stand(place + 1, next),
                    Some(Step::Run { slashes }) if *slashes || byte != b'/' => {
                        self.stand(place, next)
                    }
                    _ => {}
                }
            }
            if next.is_empty() {
                return false;
            }
            std::mem::swap(places, next);
            next.clear();
        }
        places.last() == Some(&self.steps.len())
    }

    /// Adds a step and those reached from it without a byte. Steps ascend, and each call adds
    /// neighbours, so a step not above the last one has been added already.
    fn stand(&self, place: usize, places: &mut Vec<usize>) {
        let (mut at, mut end) = (place, place);
        while at <= end {
            if places.last().is_none_or(|&last| last < at) {
                places.push(at);
            }
            end = match self.steps.get(at) {
                Some(Step::Run { .. }) => end.max(at + 1),
                Some(Step::Maybe) => end.max(at + 3),
                _ => end,
            };
            at += 1;
        }
    }
}

impl Work {
    /// Creates a limit of `steps` steps.
    pub fn new(steps: u64) -> Self {
        Self { left: steps, places: Vec::new(), next: Vec::new() }
    }

    /// Uses a number of steps.
    pub fn take(&mut self, steps: u64) {
        self.left = self.left.saturating_sub(steps);
    }

    /// Tells whether no step is left.
    pub fn is_used_up(&self) -> bool {
        self.left == 0
    }
}

fn set(holds: impl Fn(u8) -> bool) -> Step {
    let mut bits = [0_u64; 4];
    for byte in (0..=u8::MAX).filter(|&byte| holds(byte)) {
        bits[usize::from(byte / 64)] |= 1 << (byte % 64);
    }
    Step::Set(Box::new(bits))
}

fn holds(set: &[u64; 4], byte: u8) -> bool {
    set[usize::from(byte / 64)] >> (byte % 64) & 1 != 0
}

/// Parses a bracket expression after its `[`; `None` if it is malformed.
fn class(pattern: &[u8], at: &mut usize, rules: Rules) -> Option<Step> {
    let Rules { by_directory, fold_case } = rules;
    let take = |at: &mut usize| {
        let byte = pattern.get(*at).copied();
        *at += 1;
        byte
    };
    let is_negated = matches!(pattern.get(*at), Some(b'!' | b'^'));
    *at += usize::from(is_negated);
    let mut members = [false; 256];
    // The byte at which a range may start; a leading `]` is a member.
    let mut low = None;
    let mut is_first = true;
    loop {
        let byte = take(at)?;
        if byte == b']' && !is_first {
            break;
        }
        is_first = false;
        let next = pattern.get(*at).copied();
        low = match (byte, low, next) {
            (b'\\', ..) => Some(take(at)?).inspect(|&byte| members[usize::from(byte)] = true),
            (b'-', Some(low), Some(next)) if next != b']' => {
                let high = match take(at)? {
                    b'\\' => take(at)?,
                    high => high,
                };
                let within = |byte: u8| (low..=high).contains(&byte);
                add(&mut members, |byte| {
                    within(byte)
                        || fold_case
                            && byte.is_ascii_lowercase()
                            && within(byte.to_ascii_uppercase())
                });
                None
            }
            (b'[', _, Some(b':')) => {
                let name = &pattern[*at + 1..];
                let name = &name[..name.iter().position(|&byte| byte == b']')?];
                match name.strip_suffix(b":") {
                    Some(name) => {
                        *at += name.len() + 3;
                        let holds = named(name)?;
                        add(&mut members, |byte| {
                            holds(&byte)
                                || fold_case && name == b"upper" && byte.is_ascii_lowercase()
                        });
                        None
                    }
                    // Without its `:]` it is a member like any other.
                    None => Some(b'[').inspect(|&byte| members[usize::from(byte)] = true),
                }
            }
            _ => Some(byte).inspect(|&byte| members[usize::from(byte)] = true),
        };
    }
    Some(set(|byte| members[usize::from(byte)] != is_negated && !(by_directory && byte == b'/')))
}

fn add(members: &mut [bool; 256], holds: impl Fn(u8) -> bool) {
    for (byte, member) in (0..=u8::MAX).zip(members) {
        *member |= holds(byte);
    }
}

/// Returns the predicate of a class such as `alpha`: ASCII only.
fn named(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| is_space(*byte),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Rules = Rules { by_directory: false, fold_case: false };
    const DIRECTORIES: Rules = Rules { by_directory: true, fold_case: false };
    const FOLDED: Rules = Rules { by_directory: false, fold_case: true };

    /// `+` or `-` (match or not), the rules, the pattern, the text. Each row was tested with git,
    /// with a letter before both.
    const ROWS: &[(char, Rules, &str, &str)] = &[
        ('+', ANY, "", ""),
        ('-', ANY, "", "a"),
        ('+', ANY, "*", "a/b"),
        ('-', DIRECTORIES, "*", "a/b"),
        ('+', DIRECTORIES, "*/b", "a/b"),
        ('-', DIRECTORIES, "*/b", "b"),
        ('-', DIRECTORIES, "*/b", "x/a/b"),
        ('+', ANY, "?b", "/b"),
        ('-', DIRECTORIES, "?b", "/b"),
        ('-', DIRECTORIES, "a[!x]b", "a/b"),
        ('+', ANY, "a[!x]b", "a/b"),
        ('+', DIRECTORIES, "**/b", "b"),
        ('+', DIRECTORIES, "**/b", "x/a/b"),
        ('-', ANY, "**/b", "b"),
        ('+', DIRECTORIES, "a/**/b", "a/b"),
        ('+', DIRECTORIES, "a/**/b", "a/x/y/b"),
        ('-', DIRECTORIES, "**/b", "ab"),
        ('-', DIRECTORIES, "a/**/b", "ab"),
        ('-', DIRECTORIES, "a/**/b", "a/xb"),
        ('+', DIRECTORIES, "a/**", "a/b/c"),
        ('-', DIRECTORIES, "a/**", "a"),
        ('-', DIRECTORIES, "?/b**", "a/b/c"),
        ('+', DIRECTORIES, "**\\/b", "a/b"),
        ('-', DIRECTORIES, "**\\/b", "b"),
        ('+', DIRECTORIES, "**/**/b", "b"),
        ('-', DIRECTORIES, "**/**/", "a/b"),
        ('+', DIRECTORIES, "**/*/b", "a/b"),
        ('-', DIRECTORIES, "**/*/b", "b"),
        ('+', DIRECTORIES, "*/**/b", "a/b"),
        ('+', ANY, "a*c*e", "abcde"),
        ('-', ANY, "a*c*e", "abdce_"),
        ('+', ANY, "\\*", "*"),
        ('-', ANY, "\\*", "a"),
        ('-', ANY, "?\\", "a\\"),
        ('-', ANY, "?\\", "a"),
        ('+', ANY, "[a-c]", "b"),
        ('-', ANY, "[c-a]", "b"),
        ('+', ANY, "[]a]", "]"),
        ('+', ANY, "[!]a]", "b"),
        ('-', ANY, "[^]a]", "]"),
        ('+', ANY, "[a-]", "-"),
        ('+', ANY, "[-a]", "-"),
        ('+', ANY, "[\\]]", "]"),
        ('+', ANY, "[a\\-c]", "-"),
        ('-', ANY, "[a\\-c]", "b"),
        ('+', ANY, "[a-\\c]", "b"),
        ('+', ANY, "[a-c-e]", "-"),
        ('-', ANY, "[a-c-e]", "d"),
        ('+', ANY, "[[:digit:]x]", "7"),
        ('+', ANY, "[[:digit:]x]", "x"),
        ('-', ANY, "[[:nothing:]x]", "x"),
        ('-', ANY, "[[::]x]", "x"),
        ('+', ANY, "[[:]", ":"),
        ('+', ANY, "[[:a]", "["),
        ('-', ANY, "[[:a", "["),
        ('-', ANY, "[a", "a"),
        ('-', ANY, "?[", "a["),
        ('+', ANY, "[[:space:]]", "\t"),
        ('-', ANY, "[[:space:]]", "\u{b}"),
        ('-', ANY, "[[:alpha:]]", "\u{e9}"),
        ('+', FOLDED, "A*b", "aXB"),
        ('+', FOLDED, "[A-C]", "b"),
        ('+', FOLDED, "[a-c]", "B"),
        ('-', FOLDED, "[A]", "a"),
        ('-', FOLDED, "[A]", "A"),
        ('+', FOLDED, "[[:upper:]]", "a"),
        ('-', FOLDED, "\\A", "A"),
        ('+', FOLDED, "\\a", "A"),
    ];

    #[test]
    fn a_pattern_is_read_as_git_reads_it() {
        for &(sign, rules, pattern, text) in ROWS {
            let matches = Glob::new(pattern.as_bytes(), rules).matches(text.as_bytes());
            assert_eq!(matches, sign == '+', "{pattern} {text} {rules:?}");
        }
    }

    // Promise (arguments): A pathspec is compiled to steps of bounded cost, so no pattern of
    // wildcards runs forever.
    #[test]
    fn a_pattern_of_many_stars_takes_no_more_steps_than_the_product_of_the_lengths() {
        for rules in [ANY, DIRECTORIES] {
            for (pattern, text) in [
                ("*a".repeat(2000) + "b", "a".repeat(4000)),
                ("**/a/".repeat(500) + "b", "a/".repeat(1000)),
            ] {
                let glob = Glob::new(pattern.as_bytes(), rules);
                let most = (glob.steps.len() + 1) * text.len();
                let mut work = Work::new(most as u64 + 1);
                assert!(!glob.matches_within(text.as_bytes(), &mut work));
                assert!(!work.is_used_up(), "{rules:?} {}", &pattern[..5]);
            }
        }
    }
}
