//! How a page is laid out, and what its parts cost there.

use crate::form::Form;

/// How a page is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As rows, each of which stands for itself.
    Rows,
    /// As one text: what files have in common is said once.
    Text(Form),
    /// As values of JSON: the changed files and the patch, and no words around them.
    Data,
}

impl Layout {
    /// Returns the bytes of words.
    pub fn words(self, text: &str) -> usize {
        match self {
            Self::Rows => text.len(),
            Self::Text(form) => form.cost(text),
            Self::Data => 0,
        }
    }

    /// Returns how the patch is carried.
    pub const fn form(self) -> Form {
        match self {
            Self::Rows => Form::Text,
            Self::Text(form) => form,
            Self::Data => Form::Json,
        }
    }
}
