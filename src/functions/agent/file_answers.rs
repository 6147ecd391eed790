//! The work of the tools `Diff`, `read_file`, `write_file`, `edit_file`, `apply_patch`, `undo`,
//! `GitCommit` and `GitStage`.

use crate::functions::context::diff_tool::{Differ, Shown};
use crate::functions::context::file_input::read_file_for;
use crate::functions::context::settings;
use crate::functions::tools::{Answers, Call};
use redline_base::error::Result;
use redline_git::blob_id;
use redline_query::answers;
use redline_query::files::{Chosen, CommitArguments, FileTools};
use redline_text::Engine;
use redline_tools::{
    ApplyPatch, Bounds, Diff, DiffMode, DiffResult, EditCall, EditFile, FileCall, GitCommit,
    GitStage, ReadFile, Undo, Undone, WriteFile, Written,
};

impl Answers for Diff {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let Call { execution, reply, .. } = call;
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
        let shown = Shown::of_tool(arguments.context_lines, labels)?;
        let mut differ = Differ::within(execution, bounds);
        match mode {
            DiffMode::Paths(a, b) => differ.files([a, b], &shown),
            DiffMode::Texts(a, b) => differ.texts([a.as_bytes(), b.as_bytes()], &shown),
        }
    }
}

fn tools(call: &Call) -> FileTools {
    FileTools::new(call.execution.caller().clone())
}

impl Answers for ReadFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let elsewhere = |path: &str| read_file_for(path, &call.execution);
        answers::read_file(&tools(&call), &call.reply, &arguments, elsewhere)
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Read(arguments))
    }
}

impl Answers for WriteFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let result = tools(&call).write(&arguments)?;
        Ok(Written::new(result, blob_id(arguments.content.as_bytes())?))
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Write(arguments))
    }
}

impl Answers for EditFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let result = tools(&call).edit(&mut Engine::default(), EditCall::Strings(&arguments))?;
        result.within(&call.reply)
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Edit(arguments))
    }
}

impl Answers for ApplyPatch {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        tools(&call).patch(&mut Engine::default(), &arguments.into())
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Patch(arguments.into()))
    }
}

impl Answers for Undo {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        Undone::new(tools(&call).undo(&Chosen::try_from(&arguments)?, None, false)?, &call.reply)
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Undo(arguments))
    }
}

impl Answers for GitCommit {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let tools = tools(&call);
        tools.commit(&CommitArguments::of_commit(&arguments, &tools.caller().context)?)
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Commit(arguments))
    }
}

impl Answers for GitStage {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let tools = tools(&call);
        tools.commit(&CommitArguments::of_stage(&arguments, &tools.caller().context)?)
    }

    fn file_call(arguments: Self::Arguments) -> Option<FileCall> {
        Some(FileCall::Stage(arguments))
    }
}
