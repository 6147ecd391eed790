//! Names of tools elsewhere, and the call that does the same here: an agent knows the tools of its
//! own client and of other servers, and its call should lead on in one step.

/// Names of tools, and what to call.
const OTHER_NAMES: &[(&[&str], &str)] = &[
    (
        &["delete_file", "remove_file", "Delete", "rm", "unlink"],
        "apply_patch removes a file: patch = *** Begin Patch\\n*** Delete File: workspace/a.txt\\n*** End Patch",
    ),
    (
        &["move_file", "rename_file", "Move", "Rename", "mv"],
        "apply_patch moves a file: patch = *** Begin Patch\\n*** Update File: workspace/a.txt\\n*** Move to: workspace/b.txt\\n\
         *** End Patch",
    ),
    (
        &["create_file", "new_file", "Write", "create", "save_file", "write_to_file", "touch"],
        "write_file creates a file: path = workspace/a.txt, content = its text",
    ),
    (
        &["copy_file", "Copy", "cp"],
        "read_file the one, then write_file the other: path = workspace/b.txt, content = what was read",
    ),
    (
        &["create_directory", "make_directory", "mkdir"],
        "write_file makes the directories of its path: path = workspace/new/a.txt, content = its text",
    ),
    (
        &[
            "Edit",
            "MultiEdit",
            "multi_edit",
            "str_replace",
            "str_replace_editor",
            "replace",
            "search_replace",
            "replace_in_file",
            "str_replace_based_edit_tool",
            "insert",
            "replace_string_in_file",
        ],
        "edit_file replaces text: path = workspace/a.txt, old_string = x, new_string = y; or edits = a list of these",
    ),
    (
        &[
            "Read",
            "view",
            "cat",
            "open_file",
            "read",
            "read_text_file",
            "read_many_files",
            "read_multiple_files",
        ],
        "read_file reads a file: path = workspace/a.txt",
    ),
    (
        &[
            "Glob",
            "glob",
            "LS",
            "ls",
            "list_directory",
            "list_dir",
            "directory_tree",
            "file_search",
            "search_files",
            "find_files",
        ],
        "list_files lists files: glob = *.md",
    ),
    (
        &["Grep", "grep", "search_file_content", "codebase_search", "rg", "find_in_files"],
        "search finds lines: pattern = TODO",
    ),
    (
        &["list_allowed_directories", "get_capabilities"],
        "redline_capabilities names the sandboxes and what may be done in each: no arguments",
    ),
    (
        &["git_diff", "git_diff_unstaged", "git_diff_staged", "git_status_diff"],
        "GitDiff compares revisions, INDEX and WORKTREE: from = HEAD, to = WORKTREE",
    ),
    (&["git_log", "git_history"], "GitLog lists commits: no arguments"),
    (&["git_show"], "GitShow shows a commit: rev = HEAD"),
    (&["git_branch", "git_branches", "git_tag"], "GitRefs lists branches and tags: no arguments"),
    (&["revert", "revert_edit", "undo_edit"], "undo takes back the last operation: no arguments"),
];

/// Returns the call that does what a tool of another name does elsewhere.
#[must_use]
pub fn meant_by(name: &str) -> Option<&'static str> {
    let meant = OTHER_NAMES.iter().find(|(names, _)| names.contains(&name));
    meant.map(|(_, call)| *call)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_name_leads_to_one_call() {
        let mut seen = HashSet::new();
        for name in OTHER_NAMES.iter().flat_map(|(names, _)| *names) {
            assert!(seen.insert(name), "{name} is there twice");
        }
        assert!(meant_by("delete_file").unwrap().starts_with("apply_patch "));
        assert_eq!(meant_by("read_file"), None);
    }
}
