"""Calls as agents make them that know other tools: each is taken, or its error has the call to make instead, which is taken."""

import json

import duckdb
import pytest
import repositories
import sandboxes
from histories import Clock, write

# The call is taken as it is.
TAKEN = None
APP = "workspace/src/app.py"
SIDES = {"from": "main~1", "to": "main"}


def v4a(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def updated(path: str) -> str:
    return v4a(f"*** Update File: {path}", "-two", "+2")


def diffed(old: str, new: str) -> str:
    return f"--- {old}\n+++ {new}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


def same(tool: str, **changed):
    """Returns a row's end: the same arguments with another tool, or some of them changed."""
    return tool, changed


# Tool, arguments, and the call that follows: TAKEN; a tool, with the arguments that differ (None: left out); or a tool and a
# whole call, which the error has as JSON.
CALLS = [
    # -- Claude Code: Read, Grep, Glob, LS, Edit, MultiEdit, Write, by their names and by ours
    ("Read", {"file_path": "{root}/src/app.py"}, same("read_file")),
    ("Read", {"file_path": APP, "offset": 2, "limit": 2}, same("read_file")),
    ("read_file", {"file_path": APP, "offset": 2, "limit": 2}, TAKEN),
    ("read_file", {"file_path": APP, "offset": 2}, TAKEN),
    ("read_file", {"file_path": APP, "limit": 2}, TAKEN),
    ("read_file", {"file_path": APP, "offset": 0, "limit": 2}, TAKEN),
    ("read_file", {"path": APP, "first_line": 1.0}, TAKEN),
    ("read_file", {"path": APP, "first_line": "1.0", "last_line": 2.0}, TAKEN),
    ("read_file", {"path": APP, "first_line": 1.5}, same("read_file", first_line=1)),
    ("Grep", {"pattern": "def", "path": "workspace"}, same("search")),
    ("Grep", {"pattern": "def \\w+", "output_mode": "content", "-n": True}, same("search")),
    ("search", {"pattern": "def", "output_mode": "content"}, TAKEN),
    ("search", {"pattern": "def", "output_mode": "files_with_matches"}, TAKEN),
    ("search", {"pattern": "def", "output_mode": "count"}, TAKEN),
    ("search", {"pattern": "def", "-A": 2}, TAKEN),
    ("search", {"pattern": "def", "-B": 2}, TAKEN),
    ("search", {"pattern": "def", "-C": 2}, TAKEN),
    ("search", {"pattern": "def", "-A": 1, "-B": 2}, TAKEN),
    ("search", {"pattern": "DEF", "-i": True}, TAKEN),
    ("search", {"pattern": "def", "-n": True}, TAKEN),
    ("search", {"pattern": "def", "head_limit": 10}, TAKEN),
    ("search", {"pattern": "def", "type": "py"}, TAKEN),
    ("search", {"pattern": "def", "multiline": False}, TAKEN),
    ("search", {"pattern": "def.*\\n", "multiline": True}, same("search", multiline=None)),
    ("Glob", {"pattern": "**/*.py"}, same("list_files")),
    ("Glob", {"pattern": "*.py", "path": "{root}/src"}, same("list_files")),
    ("LS", {"path": "{root}/src"}, same("list_files")),
    ("LS", {"path": "{root}", "ignore": ["*.txt"]}, same("list_files", ignore=None)),
    ("Edit", {"file_path": "workspace/a.txt", "old_string": "two", "new_string": "2"}, same("edit_file")),
    ("MultiEdit", {"file_path": "workspace/a.txt", "edits": [{"old_string": "two", "new_string": "2"}]}, same("edit_file")),
    ("Write", {"file_path": "workspace/new.txt", "content": "x\n"}, same("write_file")),
    ("Bash", {"command": "git log --oneline"}, ("GitLog", {"command": None})),
    ("Bash", {"command": "git diff"}, ("GitDiff", {"command": None, "from": "INDEX"})),
    ("Bash", {"command": "cat src/app.py"}, ("read_file", {"command": None, "path": "workspace/a.txt"})),
    ("NotebookEdit", {"notebook_path": "workspace/a.txt", "new_source": "x"}, ("edit_file", {"path": "workspace/a.txt", "old_string": "two", "new_string": "2", "notebook_path": None, "new_source": None})),
    # -- Codex
    ("apply_patch", {"input": updated("a.txt")}, TAKEN),
    ("apply_patch", {"patch": [updated("a.txt")]}, TAKEN),
    ("apply_patch", {"patch": updated("a.txt").split("\n")}, TAKEN),
    ("apply_patch", {"command": ["apply_patch", updated("a.txt")]}, TAKEN),
    ("apply_patch", {"command": f"apply_patch <<'EOF'\n{updated('a.txt')}\nEOF"}, TAKEN),
    ("apply_patch", {"cmd": f"apply_patch <<'EOF'\n{updated('a.txt')}\nEOF"}, TAKEN),
    ("apply_patch", {"diff": diffed("a/a.txt", "b/a.txt")}, TAKEN),
    ("apply_patch", {"patch": updated("a.txt"), "workdir": "{root}"}, TAKEN),
    ("apply_patch", {"patch": updated("a.txt"), "dry_run": "true"}, TAKEN),
    ("shell", {"command": ["git", "status"]}, ("GitStatus", {"command": None})),
    ("shell", {"command": ["bash", "-lc", "git log -3"]}, ("GitLog", {"command": None})),
    ("exec_command", {"cmd": "git show HEAD"}, ("GitShow", {"cmd": None})),
    ("local_shell", {"command": ["ls"]}, ("list_files", {"command": None})),
    ("list_dir", {"dir_path": "{root}/src"}, same("list_files")),
    ("grep_files", {"pattern": "def", "include": "*.py", "path": "{root}"}, same("search")),
    ("read_file", {"file_path": APP, "mode": "slice"}, same("read_file", mode=None)),
    ("view_image", {"path": "workspace/a.txt"}, same("read_file")),
    # -- Gemini CLI
    ("read_file", {"absolute_path": "{root}/src/app.py"}, TAKEN),
    ("read_file", {"absolute_path": "{root}/src/app.py", "offset": 1, "limit": 2}, TAKEN),
    ("read_many_files", {"paths": ["src/app.py"]}, ("read_file", {"paths": None, "path": "workspace/a.txt"})),
    ("replace", {"file_path": "{root}/a.txt", "old_string": "two", "new_string": "2"}, same("edit_file")),
    ("edit_file", {"file_path": "{root}/a.txt", "old_string": "two", "new_string": "2", "expected_replacements": 1}, TAKEN),
    ("edit_file", {"file_path": "{root}/a.txt", "old_string": "two", "new_string": "2", "instruction": "change it"}, TAKEN),
    ("write_file", {"file_path": "{root}/new.txt", "content": "x\n"}, TAKEN),
    ("search_file_content", {"pattern": "def", "include": "*.py"}, same("search")),
    ("glob", {"pattern": "*.py", "case_sensitive": False}, same("list_files", case_sensitive=None)),
    ("list_directory", {"path": "{root}"}, same("list_files")),
    ("list_files", {"dir_path": "{root}/src"}, TAKEN),
    ("list_files", {"path": "workspace", "respect_git_ignore": True}, TAKEN),
    ("list_files", {"path": "workspace", "recursive": True}, TAKEN),
    ("list_files", {"path": "workspace", "recursive": False}, TAKEN),
    ("run_shell_command", {"command": "git blame src/app.py"}, ("GitBlame", {"command": None, "file": "src/app.py"})),
    # -- Cursor
    ("read_file", {"target_file": APP}, TAKEN),
    ("read_file", {"target_file": APP, "should_read_entire_file": True, "explanation": "to see it"}, TAKEN),
    ("read_file", {"target_file": APP, "start_line_one_indexed": 1, "end_line_one_indexed_inclusive": 2}, TAKEN),
    ("edit_file", {"target_file": "workspace/a.txt", "code_edit": "2", "instructions": "x"}, ("edit_file", {"target_file": None, "code_edit": None, "instructions": None, "path": "workspace/a.txt", "old_string": "two", "new_string": "2"})),
    ("search_replace", {"file_path": "workspace/a.txt", "old_string": "two", "new_string": "2"}, same("edit_file")),
    ("grep_search", {"query": "def", "include_pattern": "*.py", "case_sensitive": False}, same("search")),
    ("search", {"query": "def", "include_pattern": "*.py", "explanation": "to find it"}, TAKEN),
    ("search", {"query": "DEF", "case_sensitive": False}, TAKEN),
    ("search", {"query": "def", "case_sensitive": True}, TAKEN),
    ("codebase_search", {"query": "def", "target_directories": ["{root}/src"]}, same("search", target_directories=None)),
    ("list_dir", {"relative_workspace_path": "src"}, ("list_files", {"relative_workspace_path": None, "path": "workspace/src"})),
    ("file_search", {"query": "app.py"}, ("list_files", {"query": None, "glob": "app.py"})),
    ("delete_file", {"target_file": "workspace/a.txt"}, ("apply_patch", {"target_file": None, "patch": v4a("*** Delete File: workspace/a.txt")})),
    ("run_terminal_cmd", {"command": "git branch"}, ("GitRefs", {"command": None})),
    # -- the text editor tool of the API, and Cline
    ("str_replace_based_edit_tool", {"command": "view", "path": APP}, ("read_file", {"command": None})),
    ("str_replace_based_edit_tool", {"command": "str_replace", "path": "workspace/a.txt", "old_str": "two", "new_str": "2"}, same("edit_file")),
    ("edit_file", {"command": "str_replace", "path": "workspace/a.txt", "old_str": "two", "new_str": "2"}, TAKEN),
    ("edit_file", {"command": "insert", "path": "workspace/a.txt", "insert_line": 1, "new_str": "x\n"}, ("edit_file", {"command": None, "insert_line": None, "new_str": None, "old_string": "two", "new_string": "x\ntwo"})),
    ("read_file", {"path": APP, "view_range": [1, 2]}, TAKEN),
    ("read_file", {"path": APP, "view_range": [2, -1]}, TAKEN),
    ("GitFile", {"file": "src/app.py", "lines": [1, 2]}, TAKEN),
    ("GitFile", {"file": "src/app.py", "line_range": "1-2"}, TAKEN),
    ("read_file", {"path": APP, "lines": "1:2"}, TAKEN),
    ("read_file", {"path": APP, "line": 2}, TAKEN),
    ("GitBlame", {"file": "src/app.py", "line": 2}, TAKEN),
    ("GitLog", {"file": "src/app.py", "line_range": "1,2"}, TAKEN),
    ("replace_in_file", {"path": "workspace/a.txt", "diff": "------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE"}, ("edit_file", {"diff": None, "old_string": "two", "new_string": "2"})),
    ("write_to_file", {"path": "workspace/new.txt", "content": "x\n"}, same("write_file")),
    ("search_files", {"path": "workspace", "regex": "d.f", "file_pattern": "*.py"}, ("search", {"regex": True, "pattern": "d.f"})),
    ("list_code_definition_names", {"path": "workspace/src"}, ("search", {"pattern": "def"})),
    # -- the servers of MCP: filesystem and git
    ("read_text_file", {"path": "{root}/a.txt"}, same("read_file")),
    ("read_text_file", {"path": "{root}/a.txt", "head": 1}, same("read_file")),
    ("read_file", {"path": "{root}/a.txt", "head": 1}, TAKEN),
    ("read_file", {"path": "{root}/a.txt", "tail": 1}, same("read_file", tail=None)),
    ("read_multiple_files", {"paths": ["{root}/a.txt"]}, ("read_file", {"paths": None, "path": "workspace/a.txt"})),
    ("edit_file", {"path": "{root}/a.txt", "edits": [{"oldText": "two", "newText": "2"}], "dryRun": False}, TAKEN),
    ("edit_file", {"path": "{root}/a.txt", "edits": {"oldText": "two", "newText": "2"}}, TAKEN),
    ("create_directory", {"path": "{root}/made"}, ("write_file", {"path": "workspace/new/a.txt", "content": "its text"})),
    ("directory_tree", {"path": "{root}"}, same("list_files")),
    ("move_file", {"source": "{root}/a.txt", "destination": "{root}/b.txt"}, ("apply_patch", {"source": None, "destination": None, "patch": v4a("*** Update File: workspace/a.txt", "*** Move to: workspace/b.txt")})),
    ("get_file_info", {"path": "{root}/a.txt"}, same("read_file")),
    ("list_allowed_directories", {}, same("redline_capabilities")),
    ("git_status", {"repo_path": "{root}"}, same("GitStatus")),
    ("git_diff_unstaged", {"repo_path": "{root}"}, same("GitDiff", **{"from": "INDEX"})),
    ("git_diff_staged", {"repo_path": "{root}"}, same("GitDiff", **{"from": "HEAD", "to": "INDEX"})),
    ("git_diff", {"repo_path": "{root}", "target": "main~1"}, same("GitDiff", target=None, **{"from": "main~1"})),
    ("git_log", {"repo_path": "{root}", "max_count": 2}, same("GitLog")),
    ("git_show", {"repo_path": "{root}", "revision": "HEAD"}, same("GitShow")),
    ("git_branch", {"repo_path": "{root}", "branch_type": "local"}, same("GitRefs")),
    ("git_branch", {"repo_path": "{root}", "branch_type": "remote"}, same("GitRefs")),
    ("git_blame", {"repo_path": "{root}", "file": "src/app.py"}, same("GitBlame")),
    # -- paths in other spellings, in every tool
    ("read_file", {"path": "src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "./src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "~/checkout/src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "file://{root}/src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "file:///workspace/src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "a/src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "workspace\\src\\app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "src\\app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "workspace//src/app.py"}, same("read_file", path=APP)),
    ("read_file", {"path": "/home/user/project/src/app.py"}, same("read_file", path=APP)),
    ("edit_file", {"path": "~/checkout/a.txt", "old_string": "two", "new_string": "2"}, same("edit_file", path="workspace/a.txt")),
    ("edit_file", {"path": "a/a.txt", "old_string": "two", "new_string": "2"}, same("edit_file", path="workspace/a.txt")),
    ("edit_file", {"path": "workspace\\a.txt", "old_string": "two", "new_string": "2"}, same("edit_file", path="workspace/a.txt")),
    ("edit_file", {"path": "file://{root}/a.txt", "old_string": "two", "new_string": "2"}, same("edit_file", path="workspace/a.txt")),
    ("write_file", {"path": "~/checkout/new.txt", "content": "x"}, same("write_file", path="workspace/new.txt")),
    ("write_file", {"path": "file://{root}/new.txt", "content": "x"}, same("write_file", path="workspace/new.txt")),
    ("write_file", {"path": "workspace\\new.txt", "content": "x"}, same("write_file", path="workspace/new.txt")),
    ("list_files", {"path": "src"}, same("list_files", path="workspace/src")),
    ("list_files", {"path": "~/checkout/src"}, same("list_files", path="workspace/src")),
    ("list_files", {"path": "file://{root}/src"}, same("list_files", path="workspace/src")),
    ("list_files", {"path": "workspace\\src"}, same("list_files", path="workspace/src")),
    ("search", {"pattern": "def", "path": "./src"}, same("search", path="workspace/src")),
    ("search", {"pattern": "def", "path": "~/checkout"}, same("search", path="workspace")),
    ("Diff", {"path_a": "a/a.txt", "path_b": "workspace/c.txt"}, same("Diff", path_a="workspace/a.txt")),
    ("Diff", {"path_a": "~/checkout/a.txt", "path_b": "workspace/c.txt"}, same("Diff", path_a="workspace/a.txt")),
    ("apply_patch", {"patch": updated("{root}/a.txt")}, TAKEN),
    ("apply_patch", {"patch": updated("/workspace/a.txt")}, TAKEN),
    ("apply_patch", {"patch": updated("./a.txt")}, TAKEN),
    ("apply_patch", {"patch": updated("a/a.txt")}, TAKEN),
    ("apply_patch", {"patch": updated("~/checkout/a.txt")}, same("apply_patch", patch=updated("workspace/a.txt"))),
    ("apply_patch", {"patch": updated("file://{root}/a.txt")}, same("apply_patch", patch=updated("workspace/a.txt"))),
    ("apply_patch", {"patch": updated("workspace\\a.txt")}, same("apply_patch", patch=updated("workspace/a.txt"))),
    ("apply_patch", {"patch": v4a("*** Delete File: {root}/a.txt")}, TAKEN),
    ("apply_patch", {"patch": v4a("*** Add File: {root}/new.txt", "+x")}, TAKEN),
    ("apply_patch", {"patch": diffed("{root}/a.txt", "{root}/a.txt")}, TAKEN),
    ("apply_patch", {"patch": diffed("a{root}/a.txt", "b{root}/a.txt")}, TAKEN),
    ("apply_patch", {"patch": diffed("a/workspace/a.txt", "b/workspace/a.txt")}, TAKEN),
    ("GitFile", {"file": "{root}/src/app.py"}, same("GitFile", file="src/app.py")),
    ("GitFile", {"file": APP}, same("GitFile", file="src/app.py")),
    ("GitFile", {"file": "a/src/app.py"}, same("GitFile", file="src/app.py")),
    ("GitFile", {"file": "~/checkout/src/app.py"}, same("GitFile", file="src/app.py")),
    ("GitFile", {"file": "src\\app.py"}, same("GitFile", file="src/app.py")),
    ("GitBlame", {"file": "file://{root}/src/app.py"}, same("GitBlame", file="src/app.py")),
    ("GitLog", {"file": "{root}/src/app.py"}, same("GitLog", file="src/app.py")),
    ("GitLog", {"paths": ["{root}/src/app.py"]}, same("GitLog", paths=["src/app.py"])),
    ("GitDiffFile", SIDES | {"file": "{root}/src/app.py"}, same("GitDiffFile", file="src/app.py")),
    ("GitDiffFile", SIDES | {"file": "b/src/app.py"}, same("GitDiffFile", file="src/app.py")),
    ("GitDiff", SIDES | {"paths": ["{root}/src/app.py"]}, same("GitDiff", paths=["src/app.py"])),
    ("GitDiff", SIDES | {"paths": ["src\\app.py"]}, same("GitDiff", paths=["src/app.py"])),
    ("GitStatus", {"paths": ["workspace/src/app.py"]}, same("GitStatus", paths=["src/app.py"])),
    ("GitStatus", {"repo": "~/checkout"}, same("GitStatus", repo="workspace")),
    ("GitStatus", {"repo": "file://{root}"}, same("GitStatus", repo="{root}")),
    ("GitStatus", {"repo": "."}, same("GitStatus", repo="workspace")),
    # -- revisions
    ("GitDiff", {"from": "topic"}, same("GitDiff", **{"from": "origin/topic"})),
    ("GitLog", {"range": "topic"}, same("GitLog", range="origin/topic")),
    ("GitShow", {"rev": "topic"}, same("GitShow", rev="origin/topic")),
    ("GitDiff", {"from": "main..topic"}, same("GitDiff", **{"from": "main..origin/topic"})),
    # -- mcp-server-git's git_add, git_commit and git_reset, and the same in a shell
    ("git_add", {"repo_path": "{root}", "files": ["c.txt", "a.txt"], "dry_run": True}, same("GitStage")),
    ("git_add", {"repo_path": "{root}", "files": ["."], "dry_run": True}, same("GitStage")),
    ("git_commit", {"repo_path": "{root}", "message": "Say more", "dry_run": True}, same("GitCommit")),
    ("git_commit", {"message": "Say more", "files": "a.txt", "dry_run": True}, same("GitCommit")),
    ("git_reset", {"repo_path": "{root}", "dry_run": True}, ("GitStage", {"what": ["staged"], "unstage": True})),
    ("git_unstage", {"files": ["staged.txt"], "dry_run": True}, same("GitStage", unstage=True)),
    ("Bash", {"command": "git add a.txt", "dry_run": True}, ("GitStage", {"command": None, "what": ["a.txt"]})),
    ("Bash", {"command": "git commit -m 'Say more'", "dry_run": True}, ("GitCommit", {"command": None, "message": "Fix the sum"})),
    ("shell", {"command": ["git", "reset", "HEAD", "staged.txt"], "dry_run": True}, ("GitStage", {"command": None, "what": ["staged.txt"], "unstage": True})),
    ("GitStage", {"paths": ["a.txt"], "dry_run": True}, TAKEN),
    ("GitStage", {"path": "a.txt", "dry_run": True}, TAKEN),
    ("GitStage", {"all": True, "dry_run": True}, TAKEN),
    ("GitStage", {"files": ["workspace/a.txt"], "unstage": False, "dry_run": True}, same("GitStage", files=["a.txt"])),
    ("GitCommit", {"repo_path": "{root}", "message": "Say more", "dry_run": True}, TAKEN),
    ("GitCommit", {"message": "Say more", "what": "staged", "dry_run": True}, TAKEN),
    ("GitCommit", {"message": "Say more", "staged": True, "dry_run": True}, TAKEN),
    ("GitCommit", {"message": "Say more", "all": True, "dry_run": True}, TAKEN),
    ("GitCommit", {"message": "Say more", "amend": False, "dry_run": True}, TAKEN),
    ("GitCommit", {"message": "Say more", "amend": True, "dry_run": True}, same("GitCommit", amend=None)),
    ("GitCommit", {"message": "Say more", "no_verify": True, "dry_run": True}, same("GitCommit", no_verify=None)),
    ("GitCommit", {"message": "Say more", "branch": "topic", "dry_run": True}, same("GitCommit", branch=None)),
    # -- what an agent asks beside the calls
    ("undo", {"id": "nothing"}, same("undo", id=None)),
    ("undo", {"path": "workspace/a.txt"}, same("undo", path=None)),
    ("sql", {"query": "SELECT 1"}, same("redline_capabilities", query=None)),
]  # fmt: skip
# Calls that take a step more: the next call is led on again.
LATER = {("list_dir", "src")}
# Words of the file that an agent has read before it changes it.
READ = {"two", "x", "2"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Returns a checkout with a branch that only its remote has."""
    root = tmp_path_factory.mktemp("home") / "checkout"
    root.mkdir()
    write(root, "init --quiet --initial-branch=main .")
    clock = Clock(root)
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    (root / "src").mkdir()
    clock.commit("first", files={"src/app.py": code, "c.txt": "one\nthree\n"})
    clock.commit("second", files={"src/app.py": code.replace("return 1", "return 11")})
    write(root, "update-ref refs/remotes/origin/topic main~1")
    for name, value in (("name", "A. U. Thor"), ("email", "a@example.com")):
        repositories.git(root, "config", f"user.{name}", value)
    (root / "staged.txt").write_text("staged\n")
    write(root, "add staged.txt")
    return root


@pytest.fixture(scope="module")
def ask(extension, checkout):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    free = {f"{what}_approval": False for what in ("read", "write", "edit")}
    sandboxes.configure(
        con, {"name": "workspace", "root": checkout, "mode": "rw", "git": "commit", **free}
    )

    def call(tool: str, arguments: dict) -> dict:
        repositories.git(checkout, "checkout", "--quiet", ".")
        (checkout / "a.txt").write_text("one\ntwo\n")
        (checkout / "new.txt").unlink(missing_ok=True)
        text = json.dumps(arguments)
        return json.loads(con.execute("SELECT redline_call(?, ?)", [tool, text]).fetchone()[0])

    return call


def filled(value, root):
    """Returns arguments with the root of the sandbox in its place."""
    return json.loads(json.dumps(value).replace("{root}", str(root)))


def words_of(value) -> list[str]:
    """Returns the words by which an error tells an argument: of a patch its lines without their marks, of a range its ends."""
    if isinstance(value, str):
        lines = [
            line for line in value.split("\n") if not line.startswith(("*** Begin", "*** End"))
        ]
        whole = [line.removeprefix("*** Update File: ").lstrip("+-") for line in lines]
        return [word for line in whole for word in line.split("..") if word not in READ]
    if isinstance(value, list):
        return [word for one in value for word in words_of(one)]
    return [json.dumps(value)]


def outcome(ask, root, row) -> str:
    """Returns what became of a call: taken, led (the error has the call that is then taken), or why not."""
    tool, given, follows = row
    given = filled(given, root)
    answer = ask(tool, given)
    text = answer["content"][0]["text"]
    if not answer["isError"] and "names no file" not in text:
        return "taken"
    if follows is TAKEN:
        return f"not taken: {text}"
    next_tool, changed = follows
    changed = filled(changed, root)
    if next_tool != tool and next_tool not in text:
        return f"no {next_tool}: {text}"
    for name, value in changed.items():
        if value is not None:
            # What the agent has given by itself it knows.
            known = text + json.dumps(given)
            missing = [word for word in words_of(value) if word not in known]
            if missing:
                return f"no {name} = {missing[0]!r}: {text}"
    arguments = {name: value for name, value in (given | changed).items() if value is not None}
    answer = ask(next_tool, arguments)
    if answer["isError"]:
        return f"the next call fails: {answer['content'][0]['text']} (after {text})"
    return "led"


@pytest.mark.parametrize(
    "number", range(len(CALLS)), ids=lambda number: f"{number}-{CALLS[number][0]}"
)
def test_a_call_of_another_agent_is_taken_or_led_on(ask, checkout, monkeypatch, number):
    monkeypatch.setenv("HOME", str(checkout.parent))
    found = outcome(ask, checkout, CALLS[number])
    tool, given, _ = CALLS[number]
    if (tool, str(next(iter(given.values()), None))) in LATER:
        assert found not in ("taken", "led")
    else:
        assert found in ("taken", "led"), found


def test_the_table_is_as_long_as_it_should_be():
    assert len(CALLS) - len(LATER) >= 190
