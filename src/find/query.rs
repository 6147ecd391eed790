//! A search for a string or a regular expression, and its matching lines.

use std::io::{self, Read};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use redline_base::budget::{CopiedText, Grow, Stopped, check_current, text_of};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::pattern::{States, Syntax};

/// What a search looks for, and how.
#[derive(Debug, Clone, Copy)]
pub struct QueryOptions<'a> {
    /// The string or the expression.
    pub pattern: &'a str,
    /// Whether it is a regular expression.
    pub is_regex: bool,
    /// Whether the search ignores case.
    pub ignores_case: bool,
    /// Lines of context around a match.
    pub context: usize,
}

/// A search.
pub struct Query {
    matcher: LineMatcher,
    searcher: Searcher,
}

/// A line of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line ending; invalid UTF-8 becomes U+FFFD; a long line is cut.
    pub text: String,
    /// Whether it matches; else it is context.
    pub is_match: bool,
    /// Whether lines are omitted before it.
    pub is_after_gap: bool,
}

/// The matches in a content.
#[derive(Debug, Default)]
pub struct Matches {
    /// The lines, up to the limit of the request.
    pub lines: Vec<FoundLine>,
    /// Whether there are more.
    pub is_over: bool,
}

impl Query {
    /// Prepares a search.
    ///
    /// # Errors
    /// `invalid_args` for a pattern that is invalid, empty, or holds a line break.
    pub fn new(options: QueryOptions<'_>) -> Result<Self> {
        let QueryOptions { pattern, is_regex, ignores_case, context } = options;
        let wrong = |what: String| {
            Error::invalid_args(format!("the pattern {} cannot be used: {what}", quoted(pattern)))
                .with_hint(
                    "A pattern matches within a line; regex = true makes it a regular expression",
                )
        };
        if pattern.is_empty()
            || pattern.len() > limits::PATTERN_TEXT_BYTES
            || pattern.contains('\n')
        {
            return Err(wrong("it is empty, too long, or holds a line break".to_owned()));
        }
        let matcher = RegexMatcherBuilder::new()
            .fixed_strings(!is_regex)
            .case_insensitive(ignores_case)
            .line_terminator(Some(b'\n'))
            .size_limit(limits::PATTERN_PROGRAM_BYTES)
            .dfa_size_limit(limits::PATTERN_PROGRAM_BYTES)
            .build(pattern)
            .map_err(|error| wrong(quoted(&error.to_string())))?;
        let escaped = if is_regex { pattern.to_owned() } else { regex::escape(pattern) };
        let most_bytes = limits::PATTERN_PROGRAM_BYTES;
        let states = States::new(&escaped, Syntax { ignores_case, dot_is_any: false, most_bytes })
            .ok_or_else(|| wrong("it is too large".to_owned()))?;
        let matcher = LineMatcher { quick: matcher, states };
        if matches!(matcher.quick.is_match(b""), Ok(true)) {
            return Err(wrong("it matches every line".to_owned()));
        }
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(limits::SEARCH_HEAP_BYTES))
            .bom_sniffing(false)
            .build();
        Ok(Self { matcher, searcher })
    }

    /// Searches a content from a line on, until the lines to show have `most` bytes. Stops without
    /// an error in a binary content or at a line too long to hold. `go_on` is called regularly.
    ///
    /// # Errors
    /// `tool_failed` if the content cannot be read; those of `go_on`.
    pub fn search(
        &mut self,
        content: impl Read,
        from: u64,
        most: usize,
        go_on: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Matches> {
        let mut lines = LineSink {
            from,
            most,
            found: Matches::default(),
            is_gap: false,
            is_binary: false,
            go_on,
            failed: None,
        };
        let searched = self.searcher.search_reader(&self.matcher, content, &mut lines);
        let LineSink { found, is_binary, failed, .. } = lines;
        if let Some(error) = failed {
            return Err(error);
        }
        // The searcher reports a stopped query with the same kind of error as a line that is too
        // long.
        check_current()?;
        if let Err(error) = searched
            && error.kind() != io::ErrorKind::Other
        {
            return Err(Error::tool_failed("a file cannot be read").with_source(error));
        }
        Ok(if is_binary { Matches::default() } else { found })
    }
}

/// Matches lines with the engine of `quick` where that is fast, else step by step.
struct LineMatcher {
    quick: RegexMatcher,
    states: States,
}

impl Matcher for LineMatcher {
    type Captures = NoCaptures;
    type Error = Stopped;

    /// Only whether a line matches is needed, so the start of a match is set to its end.
    fn find_at(&self, line: &[u8], at: usize) -> std::result::Result<Option<Match>, Stopped> {
        Ok(self.shortest_match_at(line, at)?.map(Match::zero))
    }

    fn new_captures(&self) -> std::result::Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(
        &self,
        line: &[u8],
        at: usize,
    ) -> std::result::Result<Option<usize>, Stopped> {
        check_current()?;
        if self.states.are_quick(line.len()) {
            // `NoError` cannot occur.
            return self.quick.shortest_match_at(line, at).map_err(|_| Stopped::Cancelled);
        }
        self.states.shortest_match(line, at)
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.quick.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.quick.line_terminator()
    }

    fn find_candidate_line(
        &self,
        lines: &[u8],
    ) -> std::result::Result<Option<LineMatchKind>, Stopped> {
        check_current()?;
        if self.states.are_quick(lines.len()) {
            return self.quick.find_candidate_line(lines).map_err(|_| Stopped::Cancelled);
        }
        let mut start = 0;
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if let Some(end) = self.shortest_match_at(text, 0)? {
                return Ok(Some(LineMatchKind::Confirmed(start + end)));
            }
            start += line.len();
        }
        Ok(None)
    }
}

/// Collects lines.
struct LineSink<'a> {
    from: u64,
    most: usize,
    found: Matches,
    is_gap: bool,
    is_binary: bool,
    go_on: &'a mut dyn FnMut() -> Result<()>,
    failed: Option<Error>,
}

impl LineSink<'_> {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) -> bool {
        if let Err(error) = (self.go_on)() {
            self.failed = Some(error);
            return false;
        }
        let number = number.unwrap_or_default();
        let is_after_gap = std::mem::take(&mut self.is_gap);
        if number < self.from {
            return true;
        }
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = shortened(bytes);
        if self.most < text.len() {
            self.found.is_over = true;
            return false;
        }
        self.most -= text.len();
        let is_after_gap = is_after_gap && !self.found.lines.is_empty();
        self.found.lines.add(FoundLine { number, text, is_match, is_after_gap });
        true
    }
}

/// Returns a line as text, cut if it is long.
pub fn shortened(bytes: &[u8]) -> String {
    let most = limits::SEARCH_LINE_BYTES;
    if bytes.len() <= most {
        return text_of(bytes).copied_text();
    }
    format!("{} […{} bytes]", text_of(&bytes[..most]), bytes.len())
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.push(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.push(context.line_number(), context.bytes(), false))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.is_gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use redline_base::budget::{Budget, Current};

    fn search(options: QueryOptions<'_>, content: &[u8], from: u64, most: usize) -> Matches {
        Query::new(options).unwrap().search(content, from, most, &mut || Ok(())).unwrap()
    }

    fn literal(pattern: &str) -> QueryOptions<'_> {
        QueryOptions { pattern, is_regex: false, ignores_case: false, context: 0 }
    }

    #[test]
    fn matching_lines_have_numbers_and_context() {
        let content = b"a\nb.c\r\nd\nbxc\ne\nf\nB.C";
        let numbers = |found: Matches| -> Vec<(u64, bool)> {
            found.lines.iter().map(|line| (line.number, line.is_match)).collect()
        };
        assert_eq!(numbers(search(literal("b.c"), content, 1, 100)), [(2, true)]);
        let regex = QueryOptions { is_regex: true, ignores_case: true, ..literal("b.c") };
        assert_eq!(numbers(search(regex, content, 1, 100)), [(2, true), (4, true), (7, true)]);
        assert_eq!(numbers(search(regex, content, 4, 100)), [(4, true), (7, true)]);
        let around = search(QueryOptions { context: 1, ..literal("B.C") }, content, 1, 100);
        assert_eq!(around.lines[1].text, "B.C");
        assert_eq!(numbers(around), [(6, false), (7, true)]);
    }

    #[test]
    fn an_expression_of_many_states_finds_the_same_lines_of_a_large_content() {
        let states = "[ab]*a[ab]{1500}c";
        let options = QueryOptions { is_regex: true, ..literal(states) };
        let long = [&b"a".repeat(1_600)[..], b"c\r\n"].concat();
        let content = [&b"abab\n".repeat(20_000)[..], &long, b"ab\n", &long].concat();
        let found = search(options, &content, 1, 100_000);
        let numbers: Vec<u64> = found.lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [20_001, 20_003]);
    }

    #[test]
    fn a_search_of_a_long_line_ends_with_the_query() {
        let options = QueryOptions { is_regex: true, ..literal("[ab]*a[ab]{1500}c") };
        let mut query = Query::new(options).unwrap();
        let budget = Arc::new(Budget::new(Some(Duration::ZERO)));
        let _current = Current::enter(&budget);
        let line = b"ab".repeat(1 << 20);
        let error = query.search(&line[..], 1, 100, &mut || Ok(())).unwrap_err();
        assert!(error.to_string().starts_with("timeout: "), "{error}");
    }

    #[test]
    fn lines_without_room_are_left_out() {
        let found = search(literal("x"), b"x1\nx2\nx3\n", 1, 4);
        assert_eq!((found.lines.len(), found.is_over), (2, true));
        let long = [b"y".repeat(9_000), b"x\n".to_vec()].concat();
        assert!(search(literal("x"), &long, 1, 9_000).lines[0].text.ends_with("[…9001 bytes]"));
    }

    #[test]
    fn a_binary_content_has_no_lines_and_a_bad_pattern_is_refused() {
        assert!(search(literal("x"), b"x\n\0x\n", 1, 100).lines.is_empty());
        for pattern in ["(", "", "a*", "\\n"] {
            let options = QueryOptions { is_regex: true, ..literal(pattern) };
            let error = Query::new(options).err().expect(pattern).to_string();
            assert!(error.starts_with("invalid_args: "), "{error}");
        }
    }
}
