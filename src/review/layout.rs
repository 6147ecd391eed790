//! The layout of a page, and the cost of its parts.

use redline_base::form::Form;

/// The layout of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As rows, each complete by itself.
    Rows,
    /// As one text, where shared directories and heads are written once.
    Text(Form),
    /// As JSON values: the changed files and the patch, without text around them.
    Data,
}

impl Layout {
    /// Returns the cost of text outside the patch.
    pub fn words(self, text: &str) -> usize {
        match self {
            Self::Rows => text.len(),
            Self::Text(form) => form.cost(text),
            Self::Data => 0,
        }
    }

    /// Returns the form that carries the patch.
    pub const fn form(self) -> Form {
        match self {
            Self::Rows => Form::Text,
            Self::Text(form) => form,
            Self::Data => Form::Json,
        }
    }
}
