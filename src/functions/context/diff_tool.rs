//! The parts shared by `diff_texts`, `diff_files` and the tool `Diff`.

use std::sync::Arc;

use crate::ffi::Settings;
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::file_input;
use crate::functions::context::settings;
use crate::functions::params::{Args, Bytes, Maybe, Param, bounded, number, optional};
use crate::functions::surface::State;
use redline_base::budget::Budget;
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_text::{CancelToken, DiffOptions, Engine};
use redline_tools::{Bounds, DiffResult, MAX_CONTEXT, Side};

bounded! {
    /// Unchanged lines around a change, at most as many as the tool shows.
    pub ToolContextLines: BigInt as u32, 0..=i64::from(MAX_CONTEXT),
        format!("Give 0 to {MAX_CONTEXT} lines");
}

/// The number of unchanged lines around a change.
pub const CONTEXT: Param<ToolContextLines> = number(
    "context_lines",
    DiffOptions::CONTEXT as i64,
    "Unchanged lines around a change, 0 to 20",
);
/// The name of the first side.
pub const LABEL_A: Param<Maybe<Bytes>> =
    optional("label_a", "The name of the first side; NULL for its path, or a");
/// The name of the second side.
pub const LABEL_B: Param<Maybe<Bytes>> =
    optional("label_b", "The name of the second side; NULL for its path, or b");

/// The state of one thread between rows.
pub struct Differ {
    engine: Engine,
    /// The access, and the shared budget of the calls.
    pub execution: ExecutionContext,
    bounds: Bounds,
}

impl State for Differ {
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        Ok(Self::new(ExecutionContext::new(settings)?))
    }

    fn helper(&self) -> Option<Self> {
        Some(Self::new(self.execution.clone()))
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(&self.execution.caller.context.budget)
    }
}

/// The options of showing two contents.
pub struct ShowOptions {
    /// Lines of context.
    context: u32,
    /// The names of both sides; `None`: the path, or `a` and `b`.
    labels: [Option<String>; 2],
}

impl ShowOptions {
    /// Reads the optional arguments of a row.
    pub fn of_row(args: Args<'_>) -> Result<Self> {
        let label = |param| {
            let label: Option<&[u8]> = args.get(param)?;
            Ok::<_, Error>(label.map(|label| String::from_utf8_lossy(label).into_owned()))
        };
        Ok(Self { context: args.get(CONTEXT)?, labels: [label(LABEL_A)?, label(LABEL_B)?] })
    }

    /// Reads the arguments of a tool.
    pub fn of_tool(context_lines: Option<i64>, labels: [Option<String>; 2]) -> Result<Self> {
        Ok(Self { context: CONTEXT.of_tool(context_lines)?, labels })
    }
}

impl Differ {
    /// Prepares a thread of an execution.
    pub fn new(execution: ExecutionContext) -> Self {
        let bounds = Bounds::bytes(settings::max_diff_bytes(&execution.settings));
        Self::within(execution, bounds)
    }

    /// Prepares an answer with this much room for a diff.
    pub fn within(execution: ExecutionContext, bounds: Bounds) -> Self {
        Self { engine: Engine::default(), execution, bounds }
    }

    /// Compares two texts.
    pub fn texts(&mut self, texts: [&[u8]; 2], shown: &ShowOptions) -> Result<DiffResult> {
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
    pub fn files(&mut self, paths: [&str; 2], shown: &ShowOptions) -> Result<DiffResult> {
        let a = file_input::read_file_for(paths[0], &self.execution)?;
        let b = file_input::read_file_for(paths[1], &self.execution)?;
        self.compare([&a, &b], paths, shown)
    }

    fn compare(
        &mut self,
        contents: [&[u8]; 2],
        names: [&str; 2],
        shown: &ShowOptions,
    ) -> Result<DiffResult> {
        let label = |n: usize| shown.labels[n].as_deref().unwrap_or(names[n]);
        let side = |n: usize| Side { bytes: contents[n], label: label(n) };
        DiffResult::new(
            &mut self.engine,
            side(0),
            side(1),
            shown.context,
            self.bounds,
            &CancelToken::of(&self.execution.caller.context.budget),
        )
    }
}
