//! The crate's error type: a stable code, what was given, and what to do.

use std::error::Error as StdError;
use std::fmt;

/// Declares the codes of errors, each with the function that creates such an error: it has the name
/// of the code.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $kind:ident: $code:ident;)+) => {
        /// Stable codes that start the message of every SQL error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl ErrorKind {
            /// Returns the code as SQL shows it, without the colon.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($code),)+
                }
            }
        }

        impl Error {
            $(
                #[doc = concat!("Creates an error `", stringify!($code), "`.")]
                pub fn $code(message: impl Into<String>) -> Self {
                    Self::new(ErrorKind::$kind, message)
                }
            )+
        }
    };
}

codes! {
    /// An argument has a wrong form, value or combination.
    InvalidArgs: invalid_args;
    /// The named object does not exist.
    NotFound: not_found;
    /// The path is outside the host's sandboxes.
    FsDenied: fs_denied;
    /// The tool is not granted.
    PermissionDenied: permission_denied;
    /// The operation needs an approval first.
    ApprovalRequired: approval_required;
    /// An input is over a named limit.
    TooLarge: too_large;
    /// A text that must occur once occurs more often.
    NotUnique: not_unique;
    /// The content changed since it was read.
    Stale: stale;
    /// The query exceeded its time limit.
    Timeout: timeout;
    /// A person declined the operation.
    Declined: declined;
    /// The work failed for a reason outside the arguments: a damaged repository, an I/O error.
    ToolFailed: tool_failed;
}

/// An error as SQL shows it: `code: message. Hint.`
///
/// `message` says what is wrong and includes the given value; `hint` says what to do. The source is
/// for developers: its text never reaches SQL, since the texts of libraries may contain data they
/// read.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error of `kind`; `message` is one clause without a final full stop.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, source: None }
    }

    /// Sets the hint: one sentence without its final full stop.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Appends a sentence to the hint.
    #[must_use]
    pub fn and_hint(mut self, more: impl AsRef<str>) -> Self {
        let more = more.as_ref();
        self.hint = Some(match self.hint {
            Some(hint) if hint.ends_with(['?', '.']) => format!("{hint} {more}"),
            Some(hint) => format!("{hint}. {more}"),
            None => more.to_owned(),
        });
        self
    }

    /// Adds the question whether one of the quoted `names` was meant; without names the hint stays.
    #[must_use]
    pub fn near(self, names: &[String]) -> Self {
        if names.is_empty() {
            return self;
        }
        self.and_hint(format!("Did you mean {}?", names.join(" or ")))
    }

    /// Sets the hint, unless there is one.
    #[must_use]
    pub fn or_hint(self, hint: impl Into<String>) -> Self {
        if self.hint.is_some() { self } else { self.with_hint(hint) }
    }

    /// Keeps the cause for `std::error::Error::source`.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the stable code.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.code(), self.message)?;
        match &self.hint {
            Some(hint) if hint.ends_with(['?', '.']) => write!(f, ". {hint}"),
            Some(hint) => write!(f, ". {hint}."),
            None => write!(f, "."),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Returns `given` in quotes for a message, as [`visible`] shows it.
pub fn quoted(given: &str) -> String {
    format!("'{}'", visible(given))
}

/// Returns `text` for a message: at most 200 characters, with hidden characters escaped.
pub fn visible(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    match text.char_indices().nth(MAX_CHARS) {
        None => escaped(text),
        Some((end, _)) => format!("{}…", escaped(&text[..end])),
    }
}

/// Returns the whole of `text` with hidden characters escaped.
pub fn escaped(text: &str) -> String {
    escaping(text, is_hard_to_see)
}

/// Returns a line of a file in readable form: escapes line breaks that only some programs know, and
/// characters that move the cursor or reorder text; keeps tabs and the CR of a CR LF.
pub fn escaped_line(text: &str) -> String {
    let (line, end) = text.strip_suffix('\r').map_or((text, ""), |line| (line, "\r"));
    escaping(line, |c| c != '\t' && unseen(c) == Some(Unseen::Moving)) + end
}

fn escaping(text: &str, hides: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if hides(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Why a character is not seen as itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unseen {
    /// It is a control, ends a line or reorders the text around it.
    Moving,
    /// It is invisible or joins its neighbours: Unicode's `Default_Ignorable_Code_Point`.
    Ignored,
    /// It looks like a space.
    Blank,
    /// It is a letter, a mark or a symbol that is drawn as nothing.
    NoSign,
}

/// Returns why a character is not seen: the one table for all texts that people and models read.
/// What is drawn for a person leaves out whole categories of characters, too
/// (`render::visible`).
pub fn unseen(c: char) -> Option<Unseen> {
    let is_moving = c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_ignored = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    match c {
        ' ' => None,
        _ if is_moving => Some(Unseen::Moving),
        _ if is_ignored => Some(Unseen::Ignored),
        _ if c.is_whitespace() || c == '\u{2800}' => Some(Unseen::Blank),
        '\u{2d7f}' | '\u{fffc}' | '\u{16fe4}' | '\u{1d159}' => Some(Unseen::NoSign),
        _ => None,
    }
}

/// Tells whether a character is invisible or changes how the text around it is shown.
pub fn is_hard_to_see(c: char) -> bool {
    matches!(unseen(c), Some(Unseen::Moving | Unseen::Ignored))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_without_its_code_or_hint_cannot_be_built() {
        let error = Error::invalid_args("context is -7").with_hint("Use -1 or more");
        assert_eq!(error.to_string(), "invalid_args: context is -7. Use -1 or more.");
        assert_eq!(Error::not_found("no x").to_string(), "not_found: no x.");
    }

    #[test]
    fn given_values_cannot_forge_lines_or_hide_text_in_a_message() {
        assert_eq!(quoted("a\nb\u{202e}c\0"), "'a\\nb\\u{202e}c\\u{0}'");
        assert_eq!(quoted(&"x".repeat(300)).chars().count(), 203);
    }

    #[test]
    fn the_text_of_a_source_never_shows() {
        let error = Error::tool_failed("HEAD cannot be read").with_source("root:x:0:0");
        assert!(!error.to_string().contains("root"));
        assert!(error.source().is_some());
    }
}
