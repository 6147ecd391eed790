//! What `diff_texts`, `diff_files` and the tool `Diff` have in common.

use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Type};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::file_input;
use crate::functions::context::settings;
use crate::functions::surface::records::write_record;
use crate::limits;
use crate::text::{CancelToken, DiffOptions, Engine};
use crate::tools::{Bounds, DiffResult, MAX_CONTEXT, Side};

/// What may follow both sides.
const CONTEXT: Field =
    Field::optional("context_lines", Type::BigInt, "3", "Unchanged lines around a change, 0 to 20");
const LABEL_A: Field = Field::optional(
    "label_a",
    Type::Varchar,
    "NULL",
    "The name of the first side; NULL for its path, or a",
);
const LABEL_B: Field = Field::optional(
    "label_b",
    Type::Varchar,
    "NULL",
    "The name of the second side; NULL for its path, or b",
);

/// Returns the parameters behind two sides.
pub const fn overloads(sides: [Field; 2]) -> ([Field; 3], [Field; 5]) {
    let [a, b] = sides;
    ([a, b, CONTEXT], [a, b, CONTEXT, LABEL_A, LABEL_B])
}

/// What one thread keeps between rows.
pub struct Differ {
    engine: Engine,
    /// What may be read, and what the calls may use together.
    pub execution: ExecutionContext,
    bounds: Bounds,
}

/// How two contents are shown.
pub struct Shown<'a> {
    /// Lines of context as given; `None` is the default.
    pub context_lines: Option<i64>,
    /// The names of both sides; `None` is the path, or `a` and `b`.
    pub labels: [Option<&'a str>; 2],
}

impl Differ {
    /// Prepares a thread of an execution.
    pub fn new(execution: ExecutionContext) -> Self {
        let bounds = Bounds::bytes(settings::max_diff_bytes(&execution.settings));
        Self::within(execution, bounds)
    }

    /// Prepares an answer that has room for so much of a diff.
    pub fn within(execution: ExecutionContext, bounds: Bounds) -> Self {
        Self { engine: Engine::default(), execution, bounds }
    }

    /// Compares two texts.
    pub fn texts(&mut self, texts: [&[u8]; 2], shown: &Shown<'_>) -> Result<DiffResult> {
        for (name, text) in ["text_a", "text_b"].into_iter().zip(texts) {
            if text.len() > limits::DIFF_TEXT_BYTES {
                let most = limits::DIFF_TEXT_BYTES;
                return Err(Error::too_large(format!(
                    "{name} has {} bytes, and at most {most} are compared",
                    text.len()
                ))
                .with_hint("unified_diff(a, b) takes longer texts"));
            }
        }
        self.compare(texts, ["a", "b"], shown)
    }

    /// Reads and compares two files.
    pub fn files(&mut self, paths: [&str; 2], shown: &Shown<'_>) -> Result<DiffResult> {
        // A wrong argument is told before a file is read.
        context_lines(shown.context_lines)?;
        let a = file_input::read_file_for(paths[0], &self.execution)?;
        let b = file_input::read_file_for(paths[1], &self.execution)?;
        self.compare([&a, &b], paths, shown)
    }

    fn compare(
        &mut self,
        contents: [&[u8]; 2],
        names: [&str; 2],
        shown: &Shown<'_>,
    ) -> Result<DiffResult> {
        let context = context_lines(shown.context_lines)?;
        let side =
            |n: usize| Side { bytes: contents[n], label: shown.labels[n].unwrap_or(names[n]) };
        DiffResult::new(
            &mut self.engine,
            side(0),
            side(1),
            context,
            self.bounds,
            &CancelToken::of(&self.execution.budget),
        )
    }
}

/// Returns the lines of context that were asked for; NULL is the default.
fn context_lines(given: Option<i64>) -> Result<u32> {
    let Some(given) = given else { return Ok(DiffOptions::CONTEXT) };
    u32::try_from(given).ok().filter(|lines| *lines <= MAX_CONTEXT).ok_or_else(|| {
        Error::invalid_args(format!("context_lines is {given}"))
            .with_hint(format!("Give 0 to {MAX_CONTEXT} lines"))
    })
}

/// Answers a row, given what is compared; a NULL of either makes the answer NULL.
pub fn call(
    arguments: Arguments<'_>,
    out: &mut Column,
    compare: impl FnOnce(&Shown<'_>) -> Result<DiffResult>,
) -> Result<()> {
    if arguments.text(0).is_none() || arguments.text(1).is_none() {
        out.push_null();
        return Ok(());
    }
    let labels = [3, 4].map(|index| arguments.text(index).map(String::from_utf8_lossy));
    let labels = [labels[0].as_deref(), labels[1].as_deref()];
    write_record(&compare(&Shown { context_lines: arguments.bigint(2), labels })?, out);
    Ok(())
}
