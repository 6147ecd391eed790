//! The work of the tools `Diff` and `read_file`, which read what the host's settings let them.

use crate::functions::context::diff_tool::{Differ, ShowOptions};
use crate::functions::context::file_input::read_file_for;
use crate::functions::context::settings;
use crate::functions::tools::{HostAnswers, HostCall};
use redline_base::error::Result;
use redline_query::answers;
use redline_query::files::FileTools;
use redline_tools::{Bounds, Diff, DiffMode, DiffResult, ReadFile};

impl HostAnswers for Diff {
    fn answer(call: HostCall, arguments: Self::Arguments) -> Result<Self::Output> {
        let HostCall { execution, reply, .. } = call;
        let labels = [arguments.label_a.as_deref(), arguments.label_b.as_deref()];
        let mode = arguments.mode()?;
        // In an answer of values the labels are beside the diff.
        let label = |given: Option<&str>, other: &str| given.unwrap_or(other).to_owned();
        let (a, b) = match mode {
            DiffMode::Paths(a, b) => (a, b),
            DiffMode::Texts(..) => ("a", "b"),
        };
        let (label_a, label_b) = (label(labels[0], a), label(labels[1], b));
        let empty = DiffResult { label_a, label_b, ..DiffResult::default() };
        let bytes = settings::max_diff_bytes(&execution.settings);
        let bounds = Bounds { bytes, ..Bounds::room(reply.body(), reply.room(&empty)) };
        let labels = [arguments.label_a.clone(), arguments.label_b.clone()];
        let shown = ShowOptions::of_tool(arguments.context_lines, labels)?;
        let mut differ = Differ::within(execution, bounds);
        match mode {
            DiffMode::Paths(a, b) => differ.files([a, b], &shown),
            DiffMode::Texts(a, b) => differ.texts([a.as_bytes(), b.as_bytes()], &shown),
        }
    }
}

impl HostAnswers for ReadFile {
    fn answer(call: HostCall, arguments: Self::Arguments) -> Result<Self::Output> {
        let elsewhere = |path: &str| read_file_for(path, &call.execution);
        let tools = FileTools::new(call.execution.caller.clone());
        answers::read_file(&tools, &call.reply, &arguments, elsewhere)
    }
}
