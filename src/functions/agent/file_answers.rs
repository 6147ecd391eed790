//! What the tools `Diff`, `read_file`, `write_file`, `edit_file`, `apply_patch` and `undo` do.

use super::entry::{Answers, Call};
use crate::error::{Error, Result, quoted};
use crate::functions::context::file_input::read_file_for;
use crate::functions::context::settings;
use crate::functions::text::diff_tool::{Differ, Shown};
use crate::git::blob_id;
use crate::query::files::FileTools;
use crate::review::{Binding, Position};
use crate::text::Engine;
use crate::tools::{
    ApplyPatch, ApplyPatchArguments, Bounds, Diff, DiffArguments, DiffMode, DiffResult, EditCall,
    EditFile, EditFileArguments, Edited, FileCall, LinePlace, LineScan, Lines, PatchResult,
    ReadFile, ReadFileArguments, Undo, UndoArguments, Undone, WriteFile, WriteFileArguments,
    Written,
};

impl Answers for Diff {
    fn answer(call: Call, arguments: DiffArguments) -> Result<DiffResult> {
        let Call { execution, reply } = call;
        let labels = [arguments.label_a.as_deref(), arguments.label_b.as_deref()];
        let mode = arguments.mode()?;
        // In an answer of values the labels stand beside the diff.
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

impl Answers for ReadFile {
    fn answer(call: Call, arguments: ReadFileArguments) -> Result<Lines> {
        let Call { execution, reply } = call;
        let mut range = arguments.range()?;
        let options = format!(
            "read_file {:?} {:?} {:?} {}",
            arguments.path, arguments.first_line, arguments.last_line, range.has_numbers
        );
        // The cursor says where to go on before the file tells whether it is still the same one.
        let from =
            arguments.cursor.as_deref().map(|given| Binding::peek(given, options.as_bytes()));
        if let Some(from) = from.transpose()? {
            range.from = LinePlace { line: from.listed as u64, byte: from.offset as u64 };
        }
        let mut scan = LineScan::new(range, reply.max_bytes);
        let tools = FileTools::new(execution.caller().clone());
        let elsewhere = |path: &str| read_file_for(path, &execution);
        let base_oid = tools.stream(&arguments.path, |chunk| scan.push(chunk), elsewhere)?;
        let binding = Binding::new(options.as_bytes(), base_oid.as_bytes());
        if let Some(cursor) = &arguments.cursor {
            binding.position(cursor)?;
        }
        let cursor = |place: LinePlace| {
            let number = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
            let position = Position {
                listed: number(place.line),
                offset: number(place.byte),
                ..Position::default()
            };
            binding.cursor(position).ok_or_else(|| {
                Error::too_large(format!(
                    "{} has a line that no cursor reaches",
                    quoted(&arguments.path)
                ))
                .with_hint("Use search to find a text in it")
            })
        };
        let lines = Lines { path: arguments.path.clone(), base_oid, ..Lines::default() };
        lines.filled(&scan.finish(), range, &reply, cursor)
    }

    fn file_call(arguments: ReadFileArguments) -> Option<FileCall> {
        Some(FileCall::Read(arguments))
    }
}

impl Answers for WriteFile {
    fn answer(call: Call, arguments: WriteFileArguments) -> Result<Written> {
        let result = FileTools::new(call.execution.caller().clone()).write(&arguments)?;
        Ok(Written { result, oid: blob_id(arguments.content.as_bytes())? })
    }

    fn file_call(arguments: WriteFileArguments) -> Option<FileCall> {
        Some(FileCall::Write(arguments))
    }
}

impl Answers for EditFile {
    fn answer(call: Call, arguments: EditFileArguments) -> Result<Edited> {
        let Call { execution, reply } = call;
        let result = FileTools::new(execution.caller().clone())
            .edit(&mut Engine::default(), EditCall::Strings(&arguments))?;
        Edited::new(result, &reply)
    }

    fn file_call(arguments: EditFileArguments) -> Option<FileCall> {
        Some(FileCall::Edit(arguments))
    }
}

impl Answers for ApplyPatch {
    fn answer(call: Call, arguments: ApplyPatchArguments) -> Result<PatchResult> {
        FileTools::new(call.execution.caller().clone())
            .patch(&mut Engine::default(), &arguments.into())
    }

    fn file_call(arguments: ApplyPatchArguments) -> Option<FileCall> {
        Some(FileCall::Patch(arguments.into()))
    }
}

impl Answers for Undo {
    fn answer(call: Call, arguments: UndoArguments) -> Result<Undone> {
        let Call { execution, reply } = call;
        FileTools::new(execution.caller().clone())
            .undo(&arguments.chosen(), None, false)?
            .within(&reply)
    }

    fn file_call(arguments: UndoArguments) -> Option<FileCall> {
        Some(FileCall::Undo(arguments))
    }
}
