"""sql/lockdown.sql for a test, and a call of every function to try under it."""

import pathlib
import re
import shutil

import repositories
import text_calls
from reading_calls import CALLS, FUNCTIONS, filled
from repositories import ROOT

# The tools that sql/lockdown.sql grants: those that only read.
READING_TOOLS = re.findall(
    r"'(\w+)'",
    re.search(r"redline_tool_grants = \[([^]]*)\]", (ROOT / "sql/lockdown.sql").read_text())[1],
)
# How each function is called on a place: a file {file}, a repository {repo} and a file {tracked} of it. A new function fails
# test_every_function_is_tried_under_the_locks until it is
# listed here, in reading_calls if it takes a repository, or by its parameters in text_calls if it reads them alone.
FILE_CALLS = {
    "read_file": ["SELECT read_file('{file}')"],
    "edit_explain": [
        "SELECT * FROM edit_explain('{file}', 'in')",
        "SELECT line FROM edit_explain('{file}', 'in')",
    ],
    "diff_files": [
        "SELECT diff_files('{file}', '{file}')",
        "SELECT diff_files('{file}', '{file}', 0, 'a', 'b')",
    ],
}
# What the calls of every function over a repository do not read: the index, the work tree, fewer columns.
MORE_REPOSITORY_CALLS = {
    "file_changes": [
        "SELECT file_path FROM file_changes('main~1', 'main', '{repo}')",
        "SELECT * FROM file_changes('HEAD', 'WORKTREE', '{repo}', untracked := true)",
        "SELECT * FROM file_changes('HEAD', 'INDEX', '{repo}')",
    ],
    "commits": ["SELECT commit_id FROM commits('ALL', '{repo}', paths := ['{tracked}'])"],
    "range_diff": ["SELECT status FROM range_diff('main~1..main', 'main~1..main', '{repo}')"],
    "refs": ["SELECT name FROM refs('{repo}')"],
    "tree_files": ["SELECT file_path FROM tree_files('WORKTREE', '{repo}')"],
    "file_content": ["SELECT file_content('{tracked}', 'WORKTREE', '{repo}')"],
    "file_bytes": ["SELECT file_bytes('{tracked}', 'INDEX', '{repo}')"],
    "file_blame": ["SELECT content FROM file_blame('{tracked}', 'WORKTREE', '{repo}')"],
    "tree_blame": ["SELECT lines FROM tree_blame('WORKTREE', '{repo}')"],
    "commit_changes_list": [
        "SELECT len(commit_changes_list('main', '{repo}', {{'renames': true}}))"
    ],
    "commit_changes": ["SELECT file_path FROM commit_changes('ALL', '{repo}')"],
}
REPOSITORY_CALLS = {
    name: [
        filled(CALLS[name], old="'main~1'", new="'main'", file="'{tracked}'", repo="'{repo}'"),
        *MORE_REPOSITORY_CALLS.get(name, []),
    ]
    for name in FUNCTIONS
}
# Without a sandbox that may be written, and where the tool is not granted, nothing is written anywhere.
WRITE_CALLS = {
    "edit_file": "SELECT edit_file('{file}', 'in', 'written')",
    "edit_lines": "SELECT edit_lines('{file}', 1, 1, 'written', '0123456789012345678901234567890123456789')",
    "edit_files": """SELECT edit_files('w', '[{{"path": "{file}", "old_string": "in", "new_string": "written"}}]')""",
    "git_commit": "SELECT git_commit('{repo}', 'written', ['.'])",
    "git_stage": "SELECT git_stage('{repo}', ['.'])",
    "git_unstage": "SELECT git_unstage('{repo}', ['.'])",
    "git_restore": "SELECT git_restore('{repo}', ['.'], 'main~1')",
    "write_file": "SELECT write_file('{file}', 'written')",
    "revert_edits": "SELECT revert_edits('{file}')",
    "needs_approval": 'SELECT needs_approval(\'write_file\', \'{{"path": "{file}", "content": "written"}}\')',
    "read_approval": "SELECT read_approval('{file}/../../outside/secret')",
    "write_approval": "SELECT write_approval('{file}', 'written')",
    "edit_approval": "SELECT edit_approval('{file}', 'in', 'written')",
    "approve": 'SELECT approve(\'{{"type": "other", "description": "{file}"}}\', \'once\', \'guess\')',
    "approval_file": 'SELECT approval_file(\'{{"type": "other", "description": "{file}"}}\', \'guess\')',
    "decline": "SELECT decline('{file}', 'guess')",
    "withdraw": "SELECT withdraw('{file}', 'guess')",
    "end_work": "SELECT end_work(1, 'guess')",
    "pending_approvals": "SELECT * FROM pending_approvals('guess')",
}
# Nothing waits for a person here and no operation was recorded, under any name.
WAITING_CALLS = {
    "approval_chunk": "SELECT approval_chunk('{file}', 1)",
    "revert_edit": "SELECT revert_edit('{file}')",
}
# Changes of files are listed where the files may be written.
JOURNAL_CALLS = {"redline_log": "SELECT * FROM redline_log()"}
# Functions that answer with their errors, and the words in an answer without an error.
TOOL_CALLS = {
    "redline_call": (
        """SELECT redline_call('Diff', '{{"path_a": "{file}", "path_b": "{file}"}}')""",
        '"isError":false',
    ),
    "redline_call_text": (
        """SELECT redline_call_text('Diff', '{{"path_a": "{file}", "path_b": "{file}"}}')""",
        "identical",
    ),
}
# Functions of their arguments alone: they answer under every lock, and open nothing.
PURE_CALLS = {name: f"SELECT {call}" for name, call in text_calls.calls("locked").items()} | {
    "redline_help": "SELECT * FROM redline_help(function := 'ALL')",
    "redline_sql": "SELECT redline_sql('macros')",
    "redline_tools": "SELECT * FROM redline_tools()",
    "redline_capabilities": "SELECT * FROM redline_capabilities()",
    "approvals_given": "SELECT * FROM approvals_given()",
    "approval_pages": "SELECT approval_pages(NULL, 80, 24)",
    "patch_id": "SELECT patch_id(E'diff --git a/f b/f\\n--- {file}\\n+++ {file}\\n@@ -1 +1 @@\\n-a\\n+b\\n')",
    "patch_pieces": "SELECT patch_pieces('{file}')",
    "visible_pieces": "SELECT visible_pieces('{file}')",
    "data_history_sql": "SELECT data_history_sql('rows', '{file}', 'HEAD', '{repo}')",
}
READING_CALLS = [call for calls in (FILE_CALLS | REPOSITORY_CALLS).values() for call in calls]


def lockdown_script(extension: pathlib.Path, root: pathlib.Path) -> str:
    """Returns sql/lockdown.sql with this build and this directory."""
    script = (ROOT / "sql" / "lockdown.sql").read_text()
    for text, own, count in (("LOAD redline;", f"LOAD '{extension}';", 1), ("'/srv/workspace'", f"'{root}'", 1), ('"/srv/workspace"', f'"{root}"', 1)):  # fmt: skip
        assert script.count(text) == count
        script = script.replace(text, own)
    return script


def staged_copy(tmp_path: pathlib.Path) -> pathlib.Path:
    """Returns a directory with a copy of a repository with a change that is staged, and a file beside it."""
    shutil.copytree(
        repositories.fixture("sandbox") / "inside/plain", tmp_path / "root/plain", symlinks=True
    )
    repositories.git(tmp_path / "root/plain", "reset", "--quiet", "--hard")
    (tmp_path / "root/plain/a.txt").write_text("inside\n")
    repositories.git(tmp_path / "root/plain", "add", "a.txt")
    (tmp_path / "secret.txt").write_text("SECRET\n")
    return tmp_path / "root"
