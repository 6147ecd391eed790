//! The instructions of a server for a model: MCP's `instructions`.

/// The purpose of the tools, the form of paths, and the use of budgets and cursors; under 1,500
/// bytes.
pub const INSTRUCTIONS: &str = "\
redline shows what changed in git repositories and edits files, within directories called sandboxes.

Paths: a file is sandbox/relative/path (workspace/src/main.rs); a repository (repo) is a sandbox or a directory in one. \
Inside a repository, file and paths count from its root. redline_capabilities lists the sandboxes and what may be written.

Review: GitDiffSummary lists changed files; GitDiff adds the hunks, page by page; GitDiffFile shows one file. \
from = main...topic is what a branch changed, from = HEAD what is not committed yet.
History: GitLog, then GitShow; GitBlame, GitFile (a file at rev), GitRefs, GitStatus, GitRangeDiff.
Find: list_files, search, read_file (by lines; line_numbers = true numbers them).
Change: edit_file replaces old_string, which must occur exactly once, with new_string; write_file writes a whole file; apply_patch several, all or none; undo takes \
back a change. \
Pass base_oid of an earlier answer to change only the version that you have seen. A person may have to approve a change.

Budget: an answer has at most max_bytes bytes. What has no room follows when you call again with \
cursor = next_cursor, alone or beside the same arguments.

Errors start with a code and end with what to do. stale: it changed, start again without cursor. \
approval_required: repeat the call once a person has approved. declined: a person said no; do not ask again. \
fs_denied, permission_denied: no other spelling helps.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_short() {
        assert!(INSTRUCTIONS.len() < 1_500, "{}", INSTRUCTIONS.len());
    }
}
