//! The ways in which a passage differs from the string that was searched for.

use crate::near::fold::each_look_alike;
use redline_base::budget::{Copied, CopiedText, Gather, Grow, Joined};

/// A kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Tabs on one side, spaces on the other.
    Tabs,
    /// The whitespace at the start of lines.
    Indentation,
    /// The whitespace at the end of lines.
    TrailingSpace,
    /// Whitespace within lines.
    Spacing,
    /// Where lines end, empty lines included.
    LineBreaks,
    /// CRLF or CR on one side, LF on the other.
    LineEnds,
    /// Escapes such as `\n` on one side, the characters on the other.
    EscapedNewline,
    /// Quotes or backslashes with a backslash before them on one side.
    EscapedQuote,
    /// Upper and lower case.
    Case,
    /// Characters that look alike or are invisible.
    Confusable,
    /// Bytes that are not UTF-8, which no string can match.
    NotUtf8,
    /// Other characters.
    Text,
}

impl Reason {
    /// Returns the name in results and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tabs => "tabs",
            Self::Indentation => "indentation",
            Self::TrailingSpace => "trailing space",
            Self::Spacing => "spacing",
            Self::LineBreaks => "line breaks",
            Self::LineEnds => "line ends",
            Self::EscapedNewline => "escaped newline",
            Self::EscapedQuote => "escaped quote",
            Self::Case => "case",
            Self::Confusable => "Unicode confusable",
            Self::NotUtf8 => "not UTF-8",
            Self::Text => "text",
        }
    }
}

/// Kinds of difference that a comparison can ignore; those that include others come first.
const OVERLOOKED: [Reason; 9] = [
    Reason::LineBreaks,
    Reason::Spacing,
    Reason::Indentation,
    Reason::TrailingSpace,
    Reason::LineEnds,
    Reason::EscapedNewline,
    Reason::EscapedQuote,
    Reason::Case,
    Reason::Confusable,
];

/// Returns why two different texts differ: the kinds that must be ignored to make them equal, and
/// no others.
pub fn reasons(wanted: &str, found: &str) -> Vec<Reason> {
    let mut needed = OVERLOOKED.copied_vec();
    let equal =
        |overlooked: &[Reason]| overlooking(wanted, overlooked) == overlooking(found, overlooked);
    if !equal(&needed) {
        return vec![Reason::Text];
    }
    for reason in OVERLOOKED {
        let without: Vec<Reason> = needed.iter().copied().filter(|&kept| kept != reason).gather();
        if equal(&without) {
            needed = without;
        }
    }
    let is_blank = |reason: &&mut Reason| matches!(reason, Reason::Indentation | Reason::Spacing);
    if wanted.contains('\t') != found.contains('\t')
        && let Some(blank) = needed.iter_mut().find(is_blank)
    {
        *blank = Reason::Tabs;
    }
    needed
}

/// Returns a normal form of a text, equal for texts that differ only in the given ways.
fn overlooking(text: &str, reasons: &[Reason]) -> String {
    let overlooks = |reason| reasons.contains(&reason);
    let mut text = text.copied_text();
    if overlooks(Reason::Confusable) {
        let mut plain = String::new();
        text.chars().for_each(|c| each_look_alike(c, &mut |c| plain.add(c)));
        text = plain;
    }
    if overlooks(Reason::Case) {
        text = text.chars().flat_map(char::to_lowercase).gather();
    }
    if overlooks(Reason::EscapedNewline) {
        text = text.replaced("\\r\\n", "\n").replaced("\\n", "\n").replaced("\\t", "\t");
    }
    if overlooks(Reason::EscapedQuote) {
        text = text.replaced("\\\"", "\"").replaced("\\'", "'").replaced("\\\\", "\\");
    }
    if overlooks(Reason::LineEnds) {
        text = text.replaced("\r\n", "\n").replaced("\r", "\n");
    }
    if overlooks(Reason::LineBreaks) {
        return text.split_whitespace().gather();
    }
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let (start, end) = (line.len() - line.trim_start().len(), line.trim_end().len());
            let (before, body, after) = match line.get(start..end) {
                Some(body) => (&line[..start], body, &line[end..]),
                None => (line, "", ""),
            };
            let before = if overlooks(Reason::Indentation) { "" } else { before };
            let after = if overlooks(Reason::TrailingSpace) { "" } else { after };
            let body = if overlooks(Reason::Spacing) {
                body.split_whitespace().gather()
            } else {
                body.copied_text()
            };
            [before, &body, after].joined("")
        })
        .gather();
    lines.joined("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_difference_has_its_reason() {
        use Reason::*;
        for (wanted, found, expected) in [
            ("    x", "\tx", vec![Tabs]),
            ("if a:\n    b", "if a:\n\tb", vec![Tabs]),
            ("a = 1", "a\t= 1", vec![Tabs]),
            ("  x", "    x", vec![Indentation]),
            ("a\n b", "a\n   b", vec![Indentation]),
            ("a \nb", "a\nb", vec![TrailingSpace]),
            ("a\nb", "a\nb  \t", vec![TrailingSpace]),
            ("f(a,b)", "f(a, b)", vec![Spacing]),
            ("f(a, b)", "f(\n  a,\n  b\n)", vec![LineBreaks]),
            ("a\nb", "a\n\nb", vec![LineBreaks]),
            ("a\r\nb", "a\nb", vec![LineEnds]),
            ("a\nb", "a\rb", vec![LineEnds]),
            ("a\\nb", "a\nb", vec![EscapedNewline]),
            ("a\nb", "a\\nb", vec![EscapedNewline]),
            ("say(\\\"x\\\")", "say(\"x\")", vec![EscapedQuote]),
            ("Total", "total", vec![Case]),
            ("it’s", "it's", vec![Confusable]),
            ("a\u{a0}b", "a b", vec![Confusable]),
            ("a\u{200b}b", "ab", vec![Confusable]),
            ("    It’s", "\tit's", vec![Tabs, Case, Confusable]),
            ("one", "two", vec![Text]),
            ("one", "", vec![Text]),
        ] {
            assert_eq!(reasons(wanted, found), expected, "{wanted:?} {found:?}");
            assert_eq!(reasons(found, wanted), expected, "{found:?} {wanted:?}");
        }
    }
}
