//! What the tools do that list commits, references and files, and show their lines.

use super::entry::{Answers, Call};
use crate::error::Result;
use crate::functions::params::moment;
use crate::git::{HistoryOptions, Merges};
use crate::query::answers;
use crate::tools::{
    FileLines, FileList, GitBlame, GitBlameArguments, GitFile, GitFileArguments, GitLog,
    GitLogArguments, GitRangeDiff, GitRangeDiffArguments, GitRefs, GitRefsArguments, GitStatus,
    GitStatusArguments, ListFiles, ListFilesArguments, ListedBlame, ListedCommit, ListedPair,
    ListedReference, ListedStatus, Listing, Matches, Search, SearchArguments,
};

impl Answers for GitLog {
    fn answer(call: Call, arguments: GitLogArguments) -> Result<Listing<ListedCommit>> {
        let arguments = arguments.checked()?;
        let time = |name: &str, given: &Option<String>| {
            given.as_deref().map(|text| moment(name, text)).transpose()
        };
        let options = HistoryOptions {
            merges: Merges::AllParents,
            since: time("since", &arguments.since)?,
            until: time("until", &arguments.until)?,
            first_parent: false,
        };
        let Call { execution, reply } = call;
        execution.read(|| answers::log(&execution, &reply, &arguments, options))
    }
}

/// Declares what tools do that read a repository.
macro_rules! read {
    ($($tool:ident($arguments:ty) -> $output:ty: $answer:expr;)+) => {$(
        impl Answers for $tool {
            fn answer(call: Call, arguments: $arguments) -> Result<$output> {
                let Call { execution, reply } = call;
                execution.read(|| $answer(&execution, &reply, &arguments))
            }
        }
    )+};
}

read! {
    GitRefs(GitRefsArguments) -> Listing<ListedReference>: answers::references;
    GitStatus(GitStatusArguments) -> Listing<ListedStatus>: answers::status;
    GitBlame(GitBlameArguments) -> Listing<ListedBlame>: answers::blame;
}

impl Answers for GitFile {
    fn answer(call: Call, arguments: GitFileArguments) -> Result<FileLines> {
        let Call { execution, reply } = call;
        execution.read(|| answers::file(&execution, &reply, &arguments)).map(FileLines)
    }
}

impl Answers for GitRangeDiff {
    fn answer(call: Call, arguments: GitRangeDiffArguments) -> Result<Listing<ListedPair>> {
        answers::range_diff(&call.execution, &call.reply, arguments)
    }
}

impl Answers for ListFiles {
    fn answer(call: Call, arguments: ListFilesArguments) -> Result<FileList> {
        answers::list_files(&call.execution, &call.reply, &arguments)
    }
}

impl Answers for Search {
    fn answer(call: Call, arguments: SearchArguments) -> Result<Matches> {
        answers::search(&call.execution, &call.reply, &arguments)
    }
}
