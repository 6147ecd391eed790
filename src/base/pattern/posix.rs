//! Translates POSIX extended regular expressions, as git has the C library read them, for `regex`.
//!
//! Source: regex(7), and the GNU C library's extensions (`\w`, `\b`, `\<`, `\``).

/// How an expression treats a newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// As any other character.
    Character,
    /// As the end of a line (`REG_NEWLINE`): `^` and `$` match beside it, `.` and `[^…]` do not
    /// match it.
    EndsLine,
}

/// Translates `text` to a pattern of `regex` that matches the same; `None` if the C library rejects
/// `text`, or if it holds a back reference, which `regex` does not support.
pub fn translated(text: &[u8], newline: Newline) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let mut pattern =
        Translation { rest: text, newline, out: String::new(), groups: Vec::new(), last: None };
    while let Some(c) = pattern.next() {
        pattern.one(c)?;
    }
    pattern.groups.is_empty().then_some(pattern.out)
}

/// Translates a basic regular expression: its groups, intervals, `|`, `+` and `?` are written with
/// a backslash, and some signs are literal where they could not be an operator.
pub fn basic_translated(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let (mut extended, mut rest) = (String::new(), text);
    // Whether there is nothing yet that could be repeated.
    let mut is_start = true;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let was_start = std::mem::replace(&mut is_start, false);
        match c {
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                match escaped {
                    '(' | '|' => is_start = true,
                    ')' | '{' | '}' | '+' | '?' => {}
                    _ => extended.push('\\'),
                }
                extended.push(escaped);
            }
            '[' => {
                let end = bracket_end(rest)?;
                extended.push('[');
                extended.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            '*' if was_start => extended.push_str("\\*"),
            '^' if was_start => {
                extended.push('^');
                is_start = true;
            }
            '$' if rest.is_empty() || rest.starts_with("\\)") || rest.starts_with("\\|") => {
                extended.push('$');
            }
            '(' | ')' | '{' | '}' | '|' | '+' | '?' | '^' | '$' => {
                extended.push('\\');
                extended.push(c);
            }
            c => extended.push(c),
        }
    }
    translated(extended.as_bytes(), Newline::Character)
}

/// Returns the end of a bracket expression, its `]` included; `rest` begins after the `[`.
fn bracket_end(rest: &str) -> Option<usize> {
    let mut at = usize::from(rest.starts_with('^'));
    at += usize::from(rest[at..].starts_with(']'));
    loop {
        let c = rest[at..].chars().next()?;
        let is_class = rest[at..].starts_with("[:");
        at += if is_class { rest[at..].find(":]")? + 2 } else { c.len_utf8() };
        if c == ']' {
            return Some(at);
        }
    }
}

struct Translation<'t> {
    rest: &'t str,
    newline: Newline,
    out: String,
    /// The start of each open group in `out`.
    groups: Vec<usize>,
    /// The start of the last atom, if it can be repeated.
    last: Option<usize>,
}

impl Translation<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn ends_line(&self) -> bool {
        self.newline == Newline::EndsLine
    }

    fn literal(&mut self, c: char) {
        self.word(&regex::escape(c.encode_utf8(&mut [0; 4])), true);
    }

    fn word(&mut self, pattern: &str, can_repeat: bool) {
        self.last = can_repeat.then_some(self.out.len());
        self.out.push_str(pattern);
    }

    fn one(&mut self, c: char) -> Option<()> {
        match c {
            '\\' => self.escaped()?,
            '[' => self.bracket()?,
            '(' => {
                self.groups.push(self.out.len());
                self.word("(?:", false);
            }
            ')' if !self.groups.is_empty() => {
                self.last = self.groups.pop();
                self.out.push(')');
            }
            '|' => self.word("|", false),
            '^' => self.word(if self.ends_line() { "(?m:^)" } else { r"\A" }, false),
            '$' => self.word(if self.ends_line() { "(?m:$)" } else { r"\z" }, false),
            '.' => self.word(if self.ends_line() { r"[^\n]" } else { "." }, true),
            '*' | '+' | '?' => self.repeated(&c.to_string())?,
            '{' => self.interval()?,
            c => self.literal(c),
        }
        Some(())
    }

    /// Repeats the last atom. A repetition is first put in a group, since `a+?` has another meaning
    /// in `regex`. The C library rejects an expression with nothing to repeat.
    fn repeated(&mut self, sign: &str) -> Option<()> {
        self.out.insert_str(self.last?, "(?:");
        self.out.push(')');
        self.out.push_str(sign);
        Some(())
    }

    fn escaped(&mut self) -> Option<()> {
        let c = self.next()?;
        match c {
            'w' => self.word("[_[:alnum:]]", true),
            'W' => self.word("[^_[:alnum:]]", true),
            's' => self.word(r"[\t-\r ]", true),
            'S' => self.word(r"[^\t-\r ]", true),
            'b' => self.word(r"\b", false),
            'B' => self.word(r"\B", false),
            '<' => self.word(r"\b{start}", false),
            '>' => self.word(r"\b{end}", false),
            '`' => self.word(r"\A", false),
            '\'' => self.word(r"\z", false),
            '1'..='9' => return None,
            c => self.literal(c),
        }
        Some(())
    }

    /// Reads `{n}`, `{n,}`, `{,m}` or `{n,m}`; anything else is invalid.
    fn interval(&mut self) -> Option<()> {
        let end = self.rest.find('}')?;
        let inside = &self.rest[..end];
        let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if inside.is_empty() || !is_number(least) || !is_number(most) {
            return None;
        }
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number <= 0x7fff);
        let first = if least.is_empty() { 0 } else { number(least)? };
        let sign = match (inside.contains(','), most) {
            (false, _) => format!("{{{first}}}"),
            (true, "") => format!("{{{first},}}"),
            (true, most) => format!("{{{first},{}}}", number(most).filter(|&most| most >= first)?),
        };
        self.repeated(&sign)?;
        self.rest = &self.rest[end + 1..];
        Some(())
    }

    /// Reads a bracket expression; a backslash in it is literal.
    fn bracket(&mut self) -> Option<()> {
        let mut class = String::from("[");
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.rest = rest;
            class.push('^');
            if self.ends_line() {
                class.push_str(r"\n");
            }
        }
        let mut is_first = true;
        loop {
            let c = self.next()?;
            if c == ']' && !is_first {
                break;
            }
            is_first = false;
            if c == '[' && self.rest.starts_with(':') {
                let end = self.rest.find(":]")?;
                let name = &self.rest[1..end];
                const NAMES: [&str; 12] = [
                    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print",
                    "punct", "space", "upper", "xdigit",
                ];
                if !NAMES.contains(&name) {
                    return None;
                }
                class.push_str(&format!("[:{name}:]"));
                self.rest = &self.rest[end + 2..];
                continue;
            }
            if c == '[' && self.rest.starts_with(['.', '=']) {
                return None;
            }
            let escape = |c: char| format!("\\x{{{:x}}}", u32::from(c));
            class.push_str(&escape(c));
            let mut ahead = self.rest.chars();
            if ahead.next() == Some('-')
                && let Some(last) = ahead.next()
                && last != ']'
            {
                if last < c || (last == '[' && matches!(ahead.next(), Some('.' | '=' | ':'))) {
                    return None;
                }
                class.push_str(&format!("-{}", escape(last)));
                self.rest = &self.rest[1 + last.len_utf8()..];
            }
        }
        class.push(']');
        self.word(&class, true);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::bytes::Regex;

    #[test]
    fn matches_what_the_c_library_matches() {
        for (text, subject, matches) in [
            ("a.c", "abc", true),
            ("a|b", "b", true),
            ("^a+?$", "", true),
            ("^a+?$", "aa", true),
            ("^(ab)*{2}$", "abab", true),
            ("^a{2}$", "aa", true),
            ("^a{2,}$", "a", false),
            ("^a{,2}$", "aa", true),
            ("[]a]", "]", true),
            ("[^]a]", "]", false),
            (r"[\d]", "5", false),
            (r"[\d]", "\\", true),
            ("[[:digit:]]", "5", true),
            ("[a-c]", "b", true),
            (r"\.", "x", false),
            (r"\d", "d", true),
            (r"\<b", "a b", true),
            (r"\w+", "_", true),
            (")", ")", true),
            ("a$b", "a$b", false),
            ("grün", "grün", true),
            ("[[:alpha:]]{2}", "ab", true),
            (r"\(\)*", "())", true),
            (r"^[)]*a", "))a", true),
            (r"^(a(b[(])*)+$", "ab(ab(b(", true),
            (r"^\\*{2}x$", r"\\\x", true),
            (r"^(a|b\))?c", "b)c", true),
            ("^ü*$", "üü", true),
        ] {
            let pattern = translated(text.as_bytes(), Newline::Character)
                .unwrap_or_else(|| panic!("{text} is no pattern"));
            let regex =
                Regex::new(&pattern).unwrap_or_else(|error| panic!("{text}: {pattern}: {error}"));
            assert_eq!(
                regex.is_match(subject.as_bytes()),
                matches,
                "{text} {subject} as {pattern}"
            );
        }
    }

    #[test]
    fn operators_of_a_basic_expression_follow_backslashes() {
        for (text, subject, matches) in [
            ("main(", "fn main()", true),
            (r"\(ab\)*c", "ababc", true),
            (r"^\(a\|b\)$", "b", true),
            ("a|b", "a|b", true),
            ("a|b", "a", false),
            ("*a", "*a", true),
            ("a^b$c", "a^b$c", true),
            (r"^a\{2\}$", "aa", true),
            (r"a{2}", "a{2}", true),
            (r"^a\+$", "aaa", true),
            ("^a+$", "a+", true),
            ("[]*]x", "*x", true),
            ("[[:digit:]]*z", "12z", true),
        ] {
            let pattern = basic_translated(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            let regex = Regex::new(&pattern).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(regex.is_match(subject.as_bytes()), matches, "{text} {subject} {pattern}");
        }
        for text in ["[", "\\", r"\(a", r"a\{2,1\}", r"\(a\)\1"] {
            assert_eq!(basic_translated(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn refuses_what_the_c_library_refuses() {
        for text in [
            "[",
            "(",
            "a{2,1}",
            "[b-a]",
            "[[:nosuch:]]",
            "\\",
            "(a",
            r"(a)\1",
            "a{x",
            "{2}",
            "*a",
            "(?:x)",
        ] {
            assert_eq!(translated(text.as_bytes(), Newline::Character), None, "{text}");
        }
    }

    #[test]
    fn each_repetition_encloses_the_one_before() {
        let text = format!(r"^(\\[)]b|c\)){}$", "*".repeat(2000));
        let pattern = translated(text.as_bytes(), Newline::Character).unwrap();
        let repeated =
            format!(r"\A{}(?:\\[\x{{29}}]b|c\)){}\z", "(?:".repeat(2000), ")*".repeat(2000));
        assert_eq!(pattern, repeated);
    }
}
