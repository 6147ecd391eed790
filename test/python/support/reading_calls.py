"""Calls of every function and tool that reads a repository, with the names of their values in place of these.

Tests of locks, of links, of hidden references, of grants and of threads take their calls from here: a new function over a
repository is named once.
"""

import re

import tool_calls

# All columns, with the times as numbers: Python needs another package for times with a zone.
COMMITS = (
    "* REPLACE (epoch_us(author_date) AS author_date, epoch_us(committer_date) AS committer_date)"
)
# Each function that takes a repository, with two revisions, a file and the repository.
CALLS = {
    "file_changes": "SELECT * FROM file_changes($old, $new, $repo)",
    "file_changes_list": "SELECT file_changes_list($old, $new, $repo)",
    "file_diff": "SELECT * FROM file_diff($file, $old, $new, $repo)",
    "file_diff_list": "SELECT file_diff_list($file, $old, $new, $repo)",
    "diff_review": "SELECT * FROM diff_review($old, $new, $repo)",
    "diff_lines": "SELECT * FROM diff_lines($old, $new, $repo)",
    "diff_lines_list": "SELECT diff_lines_list($old, $new, $repo)",
    "diff_hunks": "SELECT * FROM diff_hunks($old, $new, $repo)",
    "diff_html": "SELECT diff_html($old, $new, $repo)",
    "moved_lines": "SELECT list(moved) FROM moved_lines($old, $new, $repo, mode := 'plain') AS moved",
    "range_diff": "SELECT * FROM range_diff($old || '..' || $new, $old || '..' || $new, $repo)",
    "file_patches": "SELECT * FROM file_patches($old, $new, $repo)",
    "diff_hunks_list": "SELECT diff_hunks_list($old, $new, $repo)",
    "file_patches_list": "SELECT file_patches_list($old, $new, $repo)",
    "commit_changes_list": "SELECT list_transform(commit_changes_list($new, $repo), lambda c: c.subject || c.file_path || c.new_oid)",
    "tree_blame_list": "SELECT list_transform(tree_blame_list($new, $repo), lambda r: r.file_path || r.commit_id || r.subject)",
    "commit_changes": f"SELECT {COMMITS} FROM commit_changes($new, $repo)",
    "resolve_revision": "SELECT resolve_revision($new, $repo)",
    "merge_base": "SELECT merge_base($old, $new, $repo)",
    "commits": "SELECT * EXCLUDE (author_date, committer_date) FROM commits($new, $repo)",
    "commits_list": "SELECT list_transform(commits_list($new, $repo), lambda c: c.subject || c.body || c.notes)",
    "refs": "SELECT * EXCLUDE (tagged_at, committed_at) FROM refs($repo)",
    "refs_list": "SELECT list_transform(refs_list($repo), lambda r: r.name || r.subject)",
    "ahead_behind": "SELECT ahead_behind($old, $new, $repo)",
    "merge_bases": "SELECT merge_bases([$old, $new], $repo, true)",
    "refs_containing": "SELECT * EXCLUDE (tagged_at, committed_at) FROM refs_containing($old, $repo)",
    "reflog": "SELECT * EXCLUDE (recorded_at) FROM reflog('HEAD', $repo)",
    "file_outline": "SELECT * FROM file_outline($file, $new, $repo)",
    "file_outline_list": "SELECT file_outline_list($file, $new, $repo)",
    "tree_files": "SELECT * FROM tree_files($new, $repo)",
    "tree_files_list": "SELECT tree_files_list($new, $repo)",
    "file_content": "SELECT file_content($file, $new, $repo)",
    "file_bytes": "SELECT file_bytes($file, 'WORKTREE', $repo)",
    # The id of the content and the name of the file: the directory above is another one in each database.
    "file_at": "SELECT parse_path(file_at($file, $new, $repo))[-2:]",
    "files_at": "SELECT list_transform(files_at('*', $new, $repo), lambda p: parse_path(p)[-2:])",
    "file_versions_at": "SELECT list_transform(file_versions_at($file, $new, $repo), lambda p: parse_path(p)[-2:])",
    "file_status": "SELECT * FROM file_status($repo, ignored := true)",
    "file_status_list": "SELECT file_status_list($repo)",
    "file_blame": "SELECT * EXCLUDE (author_date) FROM file_blame($file, $new, $repo, copies := 3)",
    "file_blame_list": "SELECT list_transform(file_blame_list($file, $new, $repo), lambda l: l.content || l.subject)",
    "file_history": "SELECT * EXCLUDE (author_date, committer_date) FROM file_history($file, $new, $repo)",
    "file_history_list": "SELECT list_transform(file_history_list($file, $new, $repo), lambda c: c.subject || c.file_path)",
    "line_history": "SELECT * EXCLUDE (author_date, committer_date) FROM line_history($file, 1, NULL, $new, $repo)",
    "line_history_list": "SELECT list_transform(line_history_list($file, 1, 1, $new, $repo), lambda c: c.subject || c.patch)",
    "tree_blame": "SELECT * EXCLUDE (author_date) FROM tree_blame($new, $repo)",
    "redline_call": "SELECT redline_call('GitDiff', json_object('from_rev', $old, 'to_rev', $new, 'path', $repo))",
    "redline_call_text": "SELECT redline_call_text('GitDiffSummary', json_object('from_rev', $old, 'to_rev', $new, 'path', $repo))",
}


def call_of(tool: str, arguments: dict[str, str]) -> str:
    """Returns a call of a tool whose arguments are expressions of SQL."""
    pairs = ", ".join(f"'{name}', {value}" for name, value in arguments.items())
    return f"SELECT redline_call('{tool}', json_object({pairs}))"


# The tools that are called through redline_call alone.
TOOLS = {name: calls.reading for name, calls in tool_calls.TOOLS.items() if calls.reading}
CALLS |= {name: call_of(name, arguments) for name, arguments in TOOLS.items()}
# The functions of a repository.
FUNCTIONS = [name for name in CALLS if name not in TOOLS and not name.startswith("redline_call")]


def filled(call: str, **values: str) -> str:
    """Returns a call with expressions of SQL in place of its values."""
    return re.sub(r"\$(old|new|file|repo)\b", lambda found: values[found[1]], call)


# What reads the index, the work tree, submodules, the ignore files and all references.
OTHER_CALLS = [
    "SELECT * FROM file_patches('HEAD', 'WORKTREE', $repo, untracked := true)",
    "SELECT * FROM file_patches('INDEX', 'WORKTREE', $repo)",
    "SELECT * FROM file_changes('HEAD', 'INDEX', $repo)",
    f"SELECT {COMMITS} FROM commit_changes('ALL', $repo)",
    f"SELECT {COMMITS} FROM commit_changes('main~1..main', $repo, merges := 'all_parents')",
    "SELECT * FROM file_changes('main...side', NULL, $repo)",
    "SELECT redline_call_text('GitDiff', json_object('from_rev', 'HEAD', 'path', $repo))",
    "SELECT redline_call('GitLog', json_object('range', 'ALL', 'repo', $repo))",
    "SELECT redline_call('GitFile', json_object('file', 'a.txt', 'rev', 'WORKTREE', 'repo', $repo))",
    "SELECT redline_call('search', json_object('pattern', 'e', 'repo', $repo, 'rev', 'WORKTREE'))",
    "SELECT * EXCLUDE (author_date) FROM file_blame('a.txt', 'WORKTREE', $repo)",
    "SELECT lines FROM tree_blame('WORKTREE', $repo)",
    f"SELECT {COMMITS} FROM commit_changes('ALL', $repo, contains := 'e')",
    f"SELECT {COMMITS} FROM commit_changes('ALL', $repo, changed_lines := 'e')",
]
