//! What the tools do that list commits, references and files, and show their lines.

use crate::functions::tools::{Answers, Call};
use redline_base::error::Result;
use redline_query::answers;
use redline_tools::{
    FileLines, GitBlame, GitFile, GitLog, GitRangeDiff, GitRefs, GitStatus, ListFiles, Search,
};

impl Answers for GitLog {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let arguments = arguments.checked()?;
        let Call { execution, reply, .. } = call;
        execution.read(|| answers::log(&execution, &reply, &arguments))
    }
}

/// Declares what tools do that read a repository.
macro_rules! read {
    ($($tool:ident: $answer:path;)+) => {$(
        impl Answers for $tool {
            fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
                let Call { execution, reply, .. } = call;
                execution.read(|| $answer(&execution, &reply, &arguments))
            }
        }
    )+};
}

read! {
    GitRefs: answers::references;
    GitStatus: answers::status;
    GitBlame: answers::blame;
}

impl Answers for GitFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let Call { execution, reply, .. } = call;
        execution.read(|| answers::file(&execution, &reply, &arguments)).map(FileLines)
    }
}

impl Answers for GitRangeDiff {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        answers::range_diff(&call.execution, &call.reply, arguments)
    }
}

impl Answers for ListFiles {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        answers::list_files(&call.execution, &call.reply, &arguments)
    }
}

impl Answers for Search {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        answers::search(&call.execution, &call.reply, &arguments)
    }
}
