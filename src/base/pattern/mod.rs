//! Regular expressions whose matching can be cancelled.
//!
//! The `regex` crate takes time in proportion to the states of an expression times the bytes of a
//! text, and cannot be interrupted. So it is used only where that product is small. Otherwise this
//! module simulates the NFA byte by byte and checks the budget in between; the result is the same.
//!
//! `posix` translates POSIX expressions as git reads them.

pub mod posix;

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;

use crate::budget::{Stopped, check_current};
use crate::limits;

/// NFA states visited between two checks of the budget.
const CHECKED_STATES: usize = 1 << 18;

/// The most bytes of a compiled POSIX expression; a larger one is refused.
const EXTENDED_BYTES: usize = 1 << 20;

/// Syntax of an expression.
#[derive(Debug, Clone, Copy, Default)]
pub struct Syntax {
    /// Whether matching ignores case.
    pub ignores_case: bool,
    /// Whether `.` also matches a newline.
    pub dot_is_any: bool,
    /// Limit in bytes of the compiled expression.
    pub most_bytes: usize,
}

/// The NFA of an expression.
#[derive(Debug, Clone)]
pub struct States {
    nfa: NFA,
}

/// A compiled expression over bytes.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: regex::bytes::Regex,
    states: States,
}

/// A set of reached NFA states, in order of insertion.
struct Reached {
    ids: Vec<StateID>,
    are_in: Vec<bool>,
}

impl Reached {
    fn new(count: usize) -> Self {
        Self { ids: Vec::new(), are_in: vec![false; count] }
    }

    /// Adds a state; tells whether it is new.
    fn insert(&mut self, id: StateID) -> bool {
        let is_new = !std::mem::replace(&mut self.are_in[id.as_usize()], true);
        if is_new {
            self.ids.push(id);
        }
        is_new
    }

    fn clear(&mut self) {
        for id in self.ids.drain(..) {
            self.are_in[id.as_usize()] = false;
        }
    }
}

impl Pattern {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub fn new(pattern: &str, options: Syntax) -> Option<Self> {
        let regex = regex::bytes::RegexBuilder::new(pattern)
            .case_insensitive(options.ignores_case)
            .dot_matches_new_line(options.dot_is_any)
            .size_limit(options.most_bytes)
            .dfa_size_limit(options.most_bytes)
            .build()
            .ok()?;
        Some(Self { regex, states: States::new(pattern, options)? })
    }

    /// Compiles a POSIX extended regular expression, as git reads it; `None` if it is invalid or
    /// too large.
    pub fn extended(text: &[u8], newline: posix::Newline) -> Option<Self> {
        let pattern = posix::translated(text, newline)?;
        let options = Syntax { ignores_case: false, dot_is_any: true, most_bytes: EXTENDED_BYTES };
        Self::new(&pattern, options)
    }

    /// Tells whether the expression matches somewhere in a text.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, Stopped> {
        if self.states.are_quick(text.len()) {
            return Ok(self.regex.is_match(text));
        }
        Ok(self.states.shortest_match(text, 0)?.is_some())
    }
}

impl States {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub fn new(pattern: &str, options: Syntax) -> Option<Self> {
        let syntax = syntax::Config::new()
            .utf8(false)
            .case_insensitive(options.ignores_case)
            .dot_matches_new_line(options.dot_is_any);
        let config = Config::new().utf8(false).nfa_size_limit(Some(options.most_bytes));
        let nfa = Compiler::new().configure(config).syntax(syntax).build(pattern).ok()?;
        Some(Self { nfa })
    }

    /// Tells whether any engine matches `bytes` bytes in a short time.
    pub fn are_quick(&self, bytes: usize) -> bool {
        bytes.saturating_mul(self.nfa.states().len()) <= limits::MATCH_STEPS
    }

    /// Returns the end of the shortest match that begins at `from` or later.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn shortest_match(&self, text: &[u8], from: usize) -> Result<Option<usize>, Stopped> {
        let count = self.nfa.states().len();
        let mut now = Reached::new(count);
        let mut next = Reached::new(count);
        let mut waiting = Vec::new();
        let mut followed = 0;
        for at in from..=text.len() {
            // A match may begin anywhere.
            self.reach(self.nfa.start_anchored(), text, at, &mut now, &mut waiting);
            let byte = text.get(at).copied();
            for &id in &now.ids {
                let reached = match self.nfa.state(id) {
                    State::Match { .. } => return Ok(Some(at)),
                    State::ByteRange { trans } => {
                        byte.filter(|&byte| trans.matches_byte(byte)).map(|_| trans.next)
                    }
                    State::Sparse(sparse) => byte.and_then(|byte| sparse.matches_byte(byte)),
                    State::Dense(dense) => byte.and_then(|byte| dense.matches_byte(byte)),
                    _ => None,
                };
                if let Some(reached) = reached {
                    self.reach(reached, text, at + 1, &mut next, &mut waiting);
                }
            }
            followed += 1 + now.ids.len();
            if followed >= CHECKED_STATES {
                check_current()?;
                followed = 0;
            }
            std::mem::swap(&mut now, &mut next);
            next.clear();
        }
        Ok(None)
    }

    /// Adds a state and all states reachable from it without reading a byte.
    fn reach(
        &self,
        start: StateID,
        text: &[u8],
        at: usize,
        set: &mut Reached,
        waiting: &mut Vec<StateID>,
    ) {
        waiting.push(start);
        while let Some(id) = waiting.pop() {
            if !set.insert(id) {
                continue;
            }
            match self.nfa.state(id) {
                State::Look { look, next } if self.nfa.look_matcher().matches(*look, text, at) => {
                    waiting.push(*next);
                }
                State::Union { alternates } => waiting.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => waiting.extend([*alt1, *alt2]),
                State::Capture { next, .. } => waiting.push(*next),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::budget::{Budget, Current};

    const OPTIONS: Syntax = Syntax { ignores_case: false, dot_is_any: true, most_bytes: 10 << 20 };

    #[test]
    fn the_states_match_what_the_engine_matches() {
        let patterns = [
            "",
            "a",
            "^a",
            "a$",
            "^$",
            "a|b",
            "(a|ab)(c|bcd)$",
            r"\bxa\b",
            r"\Ba",
            "[^a]b",
            "a{3,5}b",
            "a*?b",
            ".",
            "é",
            r"\w+é",
            r"(?-u:\xff)",
            r"(?-u:\b)a",
            r"(?m)^b$",
            r"\d\s",
            "(?i)AB",
            "[ab]*a[ab]{9}c",
        ];
        let texts: [&[u8]; 12] = [
            b"",
            b"a",
            b"ab",
            b"xab",
            b"xa b",
            b"abcd",
            b"aaaab",
            b"\xff\xfe",
            "caf\u{e9} xa".as_bytes(),
            b"a\nb\n",
            b"1 2",
            b"babbabababbabac",
        ];
        for pattern in patterns {
            let pattern = Pattern::new(pattern, OPTIONS).unwrap();
            for text in texts {
                let found = pattern.states.shortest_match(text, 0).unwrap();
                assert_eq!(found, pattern.regex.shortest_match(text), "{pattern:?} {text:?}");
            }
        }
        for none in ["(", r"(\w{100}){100}"] {
            assert!(Pattern::new(none, OPTIONS).is_none());
        }
    }

    #[test]
    fn a_long_line_ends_with_the_query_whatever_the_expression_has_of_states() {
        let pattern = Pattern::new("[ab]*a[ab]{1500}c", OPTIONS).unwrap();
        let line = b"ab".repeat(8 << 20);
        let budget = Arc::new(Budget::new(Some(Duration::ZERO)));
        let _current = Current::enter(&budget);
        assert!(matches!(pattern.is_match(&line), Err(Stopped::Timeout { .. })));
        assert_eq!(pattern.is_match(b"ab"), Ok(false));
    }
}
