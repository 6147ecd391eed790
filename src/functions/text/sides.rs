//! The parameters of functions over two texts, and what compares them.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Field, Settings, THREADS, Type};
use crate::functions::context::settings;
use crate::text::{CancelToken, Diff, DiffOptions, Engine, lines};

/// The first text.
pub const A: Field = Field::new("a", Type::Varchar, "The old text");
/// The second text.
pub const B: Field = Field::new("b", Type::Varchar, "The new text");
/// How much around a change is shown.
pub const CONTEXT: Field = Field::optional(
    "context",
    Type::BigInt,
    "3",
    "Unchanged lines around a change; a negative number is the whole text",
);

/// What a thread that compares texts keeps between rows.
pub struct Comparer {
    engine: Engine,
    /// What the query may use.
    pub budget: Arc<Budget>,
}

/// The settings that it reads.
pub const SETTINGS: &[&str] = &[settings::MAX_SECONDS, THREADS];

impl Comparer {
    /// Prepares a thread of an execution.
    pub fn new(settings: &Settings) -> Self {
        Self { engine: Engine::default(), budget: settings::budget(settings) }
    }

    /// Returns what another thread of the same execution keeps.
    pub fn helper(&self) -> Self {
        Self { engine: Engine::default(), budget: Arc::clone(&self.budget) }
    }

    /// Compares the first two arguments; `None` when a text is too large to be compared by line.
    ///
    /// # Errors
    /// `timeout`, and `too_large` when the query may use no more memory.
    pub fn compare<'a>(
        &mut self,
        arguments: Arguments<'a>,
        options: &DiffOptions,
    ) -> Result<Option<Diff<'a>>> {
        let texts = [0, 1].map(|index| arguments.text(index).unwrap_or_default());
        if texts.iter().any(|text| text.len() > lines::MAX_BYTES) {
            return Ok(None);
        }
        Diff::new(&mut self.engine, texts[0], texts[1], options, &CancelToken::of(&self.budget))
            .map(Some)
    }
}
