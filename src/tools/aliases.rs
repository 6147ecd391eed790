//! The names that agents try for arguments that several tools have, by the argument.

use super::tool::Alias;

/// What to do instead of giving a number of rows.
const PAGES: &str = "Give max_bytes, and cursor to go on";

/// For each argument the names that are read as it, in every tool that has it. A tool's own
/// argument or alias of such a name goes first, then what is earlier here.
pub const BY_ARGUMENT: &[(&str, &[Alias])] = &[
    (
        "rev",
        &[
            Alias::Means("revision", "rev"),
            Alias::Means("commit", "rev"),
            Alias::Means("commit_id", "rev"),
            Alias::Means("ref", "rev"),
            Alias::Means("branch", "rev"),
            Alias::Means("sha", "rev"),
            Alias::Means("hash", "rev"),
            Alias::Means("version", "rev"),
        ],
    ),
    ("file", &[Alias::Means("file_path", "file"), Alias::Means("filename", "file")]),
    (
        "paths",
        &[
            Alias::Means("file", "paths"),
            Alias::Means("file_path", "paths"),
            Alias::Means("pathspec", "paths"),
        ],
    ),
    (
        "path",
        &[
            Alias::Means("file_path", "path"),
            Alias::Means("file", "path"),
            Alias::Means("filename", "path"),
            Alias::Means("filepath", "path"),
            Alias::Means("absolute_path", "path"),
            Alias::Means("target_file", "path"),
        ],
    ),
    (
        "what",
        &[
            Alias::Means("files", "what"),
            Alias::Means("paths", "what"),
            Alias::Means("path", "what"),
            Alias::Means("file", "what"),
            Alias::Means("file_path", "what"),
            Alias::Means("pathspec", "what"),
            Alias::Means("hunk_ids", "what"),
            Alias::Means("hunks", "what"),
            Alias::Means("patch", "what"),
            Alias::Means("diff", "what"),
        ],
    ),
    (
        "repo",
        &[
            Alias::Means("path", "repo"),
            Alias::Means("repo_path", "repo"),
            Alias::Means("repository", "repo"),
        ],
    ),
    ("first_line", &[Alias::Means("start_line", "first_line")]),
    ("last_line", &[Alias::Means("end_line", "last_line")]),
    ("context_lines", &[Alias::Means("context", "context_lines")]),
    ("glob", &[Alias::Means("include", "glob")]),
    (
        "cursor",
        &[
            Alias::Say("limit", PAGES),
            Alias::Say("max_results", PAGES),
            Alias::Say("offset", "Give cursor = next_cursor of the previous answer to go on"),
        ],
    ),
];
