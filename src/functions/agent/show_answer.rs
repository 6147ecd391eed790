//! What the tool `GitShow` does.

use super::entry::{Answers, Call};
use super::git_answers::{AnswerFrame, Shown, compared};
use crate::error::{Error, Result, quoted};
use crate::functions::params::CONTEXT;
use crate::git::{Pathspec, RenameOptions};
use crate::query::Revisions;
use crate::query::answers::{opened, words};
use crate::query::review::Request;
use crate::text::{Combined, DiffOptions};
use crate::tools::{GitShow, GitShowArguments, ShownCommit, ShownMerges};

impl Answers for GitShow {
    fn answer(call: Call, arguments: GitShowArguments) -> Result<ShownCommit> {
        let rev = arguments.rev.as_deref().unwrap_or("HEAD");
        let names_file = rev
            .split_once(':')
            .is_some_and(|(rev, file)| !rev.is_empty() && !file.is_empty() && !rev.contains('{'));
        if names_file {
            let error = Error::invalid_args(format!("{} names a file, not a commit", quoted(rev)));
            return Err(error.with_hint(
                "Call GitFile: rev is the part before the colon, file the part after it",
            ));
        }
        let execution = &call.execution;
        let words = execution.read(|| {
            let (_, repository) = opened(execution, arguments.repo.as_deref())?;
            words(&repository, rev, &call.reply)
        })?;
        let repo = arguments.repo.unwrap_or_else(|| execution.default_repository());
        let paths = arguments.paths.unwrap_or_default();
        let renames = Some(RenameOptions::default());
        let is_combined =
            arguments.merges == Some(ShownMerges::Combined) && words.parent_ids.len() > 1;
        let (from, to) = if is_combined {
            (format!("{}^!", words.commit_id), None)
        } else {
            let parent = words.parent_ids.first().map_or("EMPTY", String::as_str);
            (parent.to_owned(), Some(words.commit_id.clone()))
        };
        let request = Request {
            revisions: Revisions {
                paths: Pathspec::parse_all(&paths)?,
                renames,
                combined: is_combined.then_some(Combined::Dense),
                ..Revisions::between(from, to, repo)
            },
            options: DiffOptions {
                context: CONTEXT.of_tool(arguments.context_lines)?,
                ..DiffOptions::default()
            },
            file: None,
            has_hunks: true,
            max_bytes: call.reply.max_bytes,
            cursor: arguments.cursor,
            except: Vec::new(),
        };
        let is_first = request.cursor.is_none();
        let besides = match (call.reply.is_data, is_first) {
            (true, true) => serde_json::to_string(&words).map_or(0, |json| json.len()) + 16,
            (true, false) => 0,
            (false, true) => call.reply.form.cost(&words.text()),
            (false, false) => call.reply.form.cost(&words.short_text()),
        };
        let frame = AnswerFrame::new(call.reply, Shown::Hunks, besides);
        let compared = compared(&call.reply, request.answer(execution, &frame)?);
        Ok(ShownCommit { words, is_first, compared })
    }
}
