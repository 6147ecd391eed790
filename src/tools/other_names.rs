//! Names of tools elsewhere, and the call that does the same here: an agent knows the tools of its
//! own client and of other servers, and its call should lead on in one step.

use redline_base::budget::Gather;
use redline_base::strict_json;
use serde_json::Value;

/// Names of tools that take out of the index what they are given.
const UNSTAGING: &[&str] = &["git_reset", "git_unstage", "unstage_files"];

/// Names of tools, and what to call.
const OTHER_NAMES: &[(&[&str], &str)] = &[
    (
        &["delete_file", "remove_file", "Delete", "rm", "git_rm", "unlink"],
        "apply_patch removes a file: patch = *** Begin Patch\\n*** Delete File: workspace/a.txt\\n*** End Patch",
    ),
    (
        &["move_file", "rename_file", "Move", "Rename", "mv", "git_mv"],
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
            "NotebookEdit",
            "sed",
            "perl",
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
            "view_image",
            "get_file_info",
            "head",
            "tail",
            "less",
            "nl",
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
            "find",
            "find_files",
            "tree",
            "git_ls_files",
        ],
        "list_files lists files: glob = *.md",
    ),
    (
        &[
            "Grep",
            "grep",
            "grep-search",
            "grep-files",
            "search_file_content",
            "codebase_search",
            "search_files",
            "list_code_definition_names",
            "rg",
            "ag",
            "git_grep",
            "find_in_files",
        ],
        "search finds lines: pattern = TODO, or an expression with regex = true",
    ),
    (
        &["list_allowed_directories", "get_capabilities"],
        "redline_capabilities names the sandboxes and what may be done in each: no arguments",
    ),
    (
        &["git_diff", "git_diff_unstaged", "git_diff_staged", "git_status_diff"],
        "GitDiff compares revisions, INDEX and WORKTREE: from = INDEX is what is not staged, from = HEAD, to = INDEX what is, \
         from = main~1, to = main two commits",
    ),
    (&["git_log", "git_history"], "GitLog lists commits: no arguments"),
    (&["git_show"], "GitShow shows a commit: rev = HEAD"),
    (
        &["git_add", "git_stage_files", "stage_files"],
        "GitStage stages files and hunks: what = a list of paths, from the root of the repository",
    ),
    (
        UNSTAGING,
        "GitStage unstages files and hunks: what = a list of paths, or staged for all, unstage = true",
    ),
    (
        &["git_commit", "create_commit"],
        "GitCommit commits what is staged: message = Fix the sum; or what = a list of paths alone",
    ),
    (&["git_status"], "GitStatus lists uncommitted changes: no arguments"),
    (&["git_blame"], "GitBlame names the commit of each line: file = src/main.rs"),
    (
        &["git_range_diff"],
        "GitRangeDiff compares two versions of a series: old_range = main..v1, new_range = main..v2",
    ),
    (
        &["git_branch", "git_branches", "git_tag", "git_for_each_ref"],
        "GitRefs lists branches and tags: no arguments",
    ),
    (
        &["sql", "execute_query", "run_query", "read_query", "duckdb", "sqlite3"],
        "query runs one SELECT: sql = FROM redline_help()",
    ),
    (&["revert", "revert_edit", "undo_edit"], "undo takes back the last operation: no arguments"),
];

/// Names of tools that run a command.
const SHELLS: &[&str] = &[
    "Bash",
    "bash",
    "sh",
    "zsh",
    "shell",
    "local_shell",
    "container.exec",
    "exec_command",
    "execute_command",
    "run_shell_command",
    "run_terminal_cmd",
    "run_in_terminal",
    "run_command",
    "terminal",
];

/// Returns a name without what differs between clients: upper case, and what joins its words.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).gather()
}

/// Tells whether a tool of this name runs a command, which no tool here takes.
#[must_use]
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Returns what a call has beside the same arguments, as it is added to a sentence.
#[must_use]
pub fn beside_the_same(name: &str) -> &'static str {
    if UNSTAGING.iter().any(|other| plain(other) == plain(name)) {
        " and unstage = true"
    } else {
        ""
    }
}

/// Returns the call that does what a tool of another name does elsewhere, the name of ours first;
/// `arguments` are those of the call, as JSON.
#[must_use]
pub fn meant_by(name: &str, arguments: &str) -> Option<&'static str> {
    let known = |name: &str| {
        let name = plain(name);
        let is_same = |other: &&str| plain(other) == name;
        let meant = OTHER_NAMES.iter().find(|(names, _)| names.iter().any(&is_same));
        meant.map(|(_, call)| *call)
    };
    let given: Value = strict_json::parse(arguments).unwrap_or_default();
    if name == "str_replace_based_edit_tool" && given["command"] == "view" {
        return known("view");
    }
    if !is_shell(name) {
        return known(name);
    }
    let command = ["command", "cmd", "script"].map(|name| &given[name]);
    let words = command.into_iter().find_map(|command| match command {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    })?;
    let mut words = words.split_whitespace().filter(|word| {
        // What a shell is called with comes before its command.
        !(word.starts_with('-') || is_shell(word))
    });
    match words.next()? {
        "git" => known(&format!("git_{}", words.next()?.replace('-', "_"))),
        program => known(program),
    }
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
        assert!(meant_by("delete_file", "").unwrap().starts_with("apply_patch "));
        assert_eq!(meant_by("read_file", "{}"), None);
    }
}
