"""Calls of every tool, right ones and wrong ones, in a directory that is made for them."""

import pathlib
import shutil

import repositories

# Of the client: today's protocol, and the earlier one.
MODES = ["auto", "legacy"]
# Right calls with words of their answers, and wrong calls with their error codes.
GOOD = {
    "Diff": ({"path_a": "workspace/a.txt", "path_b": "workspace/b.txt"}, "@@ -1,2 +1,2 @@"),
    "GitDiff": ({"from": "v1", "to": "v2", "repo": "workspace/repo"}, "README.md"),
    "GitDiffSummary": ({"from": "v1", "to": "v2", "repo": "workspace/repo"}, "README.md"),
    "GitDiffFile": (
        {"from": "v1", "to": "v2", "file": "README.md", "repo": "workspace/repo"},
        "+for examples.",
    ),
    "GitLog": ({"range": "v2", "repo": "workspace/repo"}, ", v2]"),
    "GitShow": ({"rev": "v2", "repo": "workspace/repo"}, "+for examples."),
    "GitFile": ({"file": "README.md", "rev": "v1", "repo": "workspace/repo"}, "README.md at v1 ("),
    "GitBlame": ({"file": "README.md", "rev": "v2", "repo": "workspace/repo"}, "\n1\t"),
    "GitStatus": ({"repo": "workspace/repo"}, "workspace/repo on "),
    "GitRefs": ({"glob": "refs/tags/*", "repo": "workspace/repo"}, "v1 "),
    "GitRangeDiff": (
        {"old_range": "v1..v2", "new_range": "v1..v2", "repo": "workspace/repo"},
        ": 1 equal\n",
    ),
    "list_files": ({"path": "workspace", "glob": "*.txt"}, "a.txt 8\n"),
    "search": ({"pattern": "thr", "path": "workspace"}, "workspace/b.txt\n2:three\n"),
    "redline_capabilities": (
        {},
        "- workspace/ (read and write), a person approves: write_file, edit_file",
    ),
    "read_file": ({"path": "workspace/a.txt"}, "one\n"),
    "write_file": (
        {"path": "workspace/new/c.txt", "content": "c\n"},
        "Created workspace/new/c.txt",
    ),
    "edit_file": (
        {"path": "workspace/a.txt", "old_string": "two", "new_string": "2"},
        "Replaced 1 line at line 2",
    ),
    "apply_patch": (
        {"patch": "*** Begin Patch\n*** Update File: workspace/b.txt\n-three\n+3\n*** End Patch\n"},
        "Patched b.txt: +1",
    ),
    "undo": ({}, "Reverted changes to workspace/b.txt"),
    "GitStage": (
        {"what": ["hello.py"], "repo": "workspace/repo"},
        "Staged 1 file\nupdate hello.py +1 -0",
    ),
    "GitCommit": (
        {"message": "Say more", "repo": "workspace/repo", "author": "A. U. Thor <a@example.com>"},
        "Committed 1 file to main\ncommit_id: ",
    ),
}
WRONG = {
    "Diff": ({"path_a": "workspace/a.txt"}, "invalid_args"),
    "GitDiff": ({"from": "nowhere", "to": "v2", "repo": "workspace/repo"}, "not_found"),
    "GitDiffSummary": ({"from": "v1", "to": "v2", "repo": "/"}, "fs_denied"),
    "GitDiffFile": ({"from": 1, "to": "v2", "file": "README.md"}, "invalid_args"),
    "GitLog": ({"range": "nowhere", "repo": "workspace/repo"}, "not_found"),
    "GitShow": ({"rev": "v1..v2", "repo": "workspace/repo"}, "invalid_args"),
    "GitFile": ({"file": "nothing", "repo": "workspace/repo"}, "not_found"),
    "GitBlame": ({"file": "README.md", "first_line": -1, "repo": "workspace/repo"}, "invalid_args"),
    "GitStatus": ({"repo": "workspace/nothing"}, "not_found"),
    "GitRefs": ({"repo": "/"}, "fs_denied"),
    "GitRangeDiff": (
        {"old_range": "v1", "new_range": "v2", "repo": "workspace/repo"},
        "invalid_args",
    ),
    "list_files": ({"path": "workspace/.."}, "fs_denied"),
    "search": ({"pattern": "(", "regex": True}, "invalid_args"),
    "redline_capabilities": ({"path": "workspace"}, "invalid_args"),
    "read_file": ({"path": "workspace/../a.txt"}, "fs_denied"),
    "write_file": ({"path": "workspace/.git/config", "content": ""}, "fs_denied"),
    "edit_file": (
        {"path": "workspace/a.txt", "old_string": "nowhere", "new_string": ""},
        "not_found",
    ),
    "apply_patch": ({"patch": "no patch at all"}, "invalid_args"),
    "undo": ({"id": "none"}, "not_found"),
    "GitStage": ({"what": ["nothing"], "repo": "workspace/repo"}, "not_found"),
    "GitCommit": ({"message": "", "what": ["hello.py"], "repo": "workspace/repo"}, "invalid_args"),
}


def fill(folder: pathlib.Path) -> pathlib.Path:
    """Makes what the calls are about, as it was before any of them."""
    shutil.rmtree(folder / "new", ignore_errors=True)
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "b.txt").write_text("one\nthree\n")
    # Commits of an earlier call are gone.
    shutil.rmtree(folder / "repo", ignore_errors=True)
    shutil.copytree(repositories.fixture("readme"), folder / "repo")
    repositories.git(folder / "repo", "reset", "--quiet", "--hard")
    with (folder / "repo/hello.py").open("a") as file:
        file.write("print()\n")
    return folder
