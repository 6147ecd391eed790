"""Calls that agents are likely to get wrong: each is taken, or answered by an error that names the right call."""

import json

import duckdb
import pytest
import repositories
from histories import Clock, write

TAKEN = None
BASE = {"from": "main~1", "to": "main"}
PAGE = "cursor = next_cursor"

# Tool, arguments, and words of the error, or TAKEN.
CALLS = [
    # -- GitDiff, GitDiffSummary, GitDiffFile: names of the two sides
    ("GitDiff", {"from_rev": "main~1", "to_rev": "main"}, TAKEN),
    ("GitDiff", {"ref1": "main~1", "ref2": "main"}, TAKEN),
    ("GitDiff", {"base": "main~1", "head": "main"}, TAKEN),
    ("GitDiff", {"base_ref": "main~1", "head_ref": "main"}, TAKEN),
    ("GitDiff", {"source": "main~1", "target": "main"}, TAKEN),
    ("GitDiff", {"old": "main~1", "new": "main"}, TAKEN),
    ("GitDiff", {"range": "main~1..main"}, TAKEN),
    ("GitDiff", {"from": "main~1...topic"}, TAKEN),
    ("GitDiff", {"rev": "HEAD"}, TAKEN),
    ("GitDiff", {"commit": "HEAD~1"}, TAKEN),
    ("GitDiff", {"base": "main~1", "from": "main"}, "both from and base, which mean the same"),
    ("GitDiff", {"target": "main"}, "needs the argument 'from'"),
    ("GitDiff", {}, "from: Revision, INDEX, WORKTREE, EMPTY"),
    # -- the index and the work tree
    ("GitDiff", {"staged": True}, "from = HEAD, to = INDEX"),
    ("GitDiff", {"cached": True}, "from = HEAD, to = INDEX"),
    ("GitDiff", {"from": "HEAD", "staged": True}, "from = HEAD, to = INDEX"),
    ("GitDiff", {"from": "--cached"}, "from = HEAD, to = INDEX"),
    ("GitDiff", {"from": "--staged"}, "from = HEAD, to = INDEX"),
    ("GitDiff", {"from": "HEAD", "to": "INDEX"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "index"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "STAGED"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "WORKTREE"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "WORKDIR"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "WORKING"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "working tree"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": "working_tree"}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": ""}, TAKEN),
    ("GitDiff", {"from": "HEAD", "to": None}, TAKEN),
    ("GitDiff", {"from": "", "to": "main"}, "Name a branch, a tag or a commit"),
    ("GitDiff", {"from": "INDEX"}, TAKEN),
    ("GitDiff", {"from": "EMPTY", "to": "HEAD"}, TAKEN),
    # -- revisions that are not there
    ("GitDiff", {"from": "master", "to": "HEAD"}, "Did you mean 'main'?"),
    ("GitDiff", {"from": "mian", "to": "HEAD"}, "Did you mean 'main'?"),
    ("GitDiff", {"from": "origin/main"}, "not_found"),
    ("GitDiff", {"from": "main..topic", "to": "HEAD"}, "Give its two ends as two arguments"),
    ("GitDiff", {"from": "HEAD~99"}, "HEAD~99"),
    ("GitDiff", {"from": "deadbeef"}, "deadbeef"),
    # -- paths
    ("GitDiff", BASE | {"paths": "src"}, TAKEN),
    ("GitDiff", BASE | {"paths": ["src", ":!docs"]}, TAKEN),
    ("GitDiff", BASE | {"paths": '["src"]'}, TAKEN),
    ("GitDiff", BASE | {"paths": []}, TAKEN),
    ("GitDiff", BASE | {"pathspec": "src"}, TAKEN),
    ("GitDiff", BASE | {"files": ["src/app.py"]}, TAKEN),
    ("GitDiff", BASE | {"paths": ["workspace/src"]}, "Paths start at the root of the repository"),
    ("GitDiff", BASE | {"paths": ["nothere.py"]}, "'nothere.py' names no file. Paths start at the root of the repository"),
    ("GitDiff", {"from": "main", "to": "main", "paths": ["nothere.py"]}, "'nothere.py' names no file"),
    ("GitDiff", BASE | {"paths": ["kept2.txt"]}, "No file that paths names differs, and 1 others do.\n"),
    ("GitDiffSummary", BASE | {"paths": ["nothere.py", "kept2.txt"]}, "'nothere.py' names no file"),
    ("GitDiffSummary", {"from": "main", "to": "main"}, TAKEN),
    ("GitDiff", BASE | {"paths": [1]}, "the argument 'paths[0]' of GitDiff cannot be used: it is the number 1, and must be a text"),
    ("GitDiff", BASE | {"paths": "[src"}, "it is the text"),
    ("GitDiff", BASE | {"paths": {"include": "src"}}, "it is an object, and must be a list"),
    ("GitDiff", BASE | {"paths": ["/etc/passwd"]}, "paths"),
    ("GitDiff", BASE | {"paths": ["../outside"]}, "outside"),
    ("GitDiff", BASE | {"file": "src/app.py", "paths": ["src"]}, "Give file for one file, or paths"),
    ("GitDiff", BASE | {"file_path": "src/app.py"}, TAKEN),
    ("GitDiff", BASE | {"filename": "src/app.py"}, TAKEN),
    # -- numbers, truths and pages
    ("GitDiff", BASE | {"context_lines": "10"}, TAKEN),
    ("GitDiff", BASE | {"context": 0}, TAKEN),
    ("GitDiff", BASE | {"unified": 5}, TAKEN),
    ("GitDiff", BASE | {"context_lines": -1}, TAKEN),
    ("GitDiff", BASE | {"context_lines": -2}, "-1 for the whole file"),
    ("GitDiff", BASE | {"context_lines": "many"}, "must be a whole number"),
    ("GitDiff", BASE | {"context_lines": 1.5}, "it is the number 1.5, and must be a whole number"),
    ("GitDiff", BASE | {"context_lines": [3]}, "it is a list, and must be a whole number"),
    ("GitDiff", BASE | {"renames": "true"}, TAKEN),
    ("GitDiff", BASE | {"renames": "yes"}, "must be true or false"),
    ("GitDiff", BASE | {"renames": 1}, "must be true or false"),
    ("GitDiff", BASE | {"ignore_whitespace": "all"}, TAKEN),
    ("GitDiff", BASE | {"ignore_whitespace": True}, "none (default), all, change, eol, cr_at_eol"),
    ("GitDiff", BASE | {"ignore_whitespace": "some"}, "none (default), all, change, eol, cr_at_eol"),
    ("GitDiff", BASE | {"max_bytes": "5000"}, TAKEN),
    ("GitDiff", BASE | {"max_length": 5000}, TAKEN),
    ("GitDiff", BASE | {"max_bytes": 100}, "Give 2000 to"),
    ("GitDiff", BASE | {"max_bytes": "lots"}, "a whole number of bytes"),
    ("GitDiff", BASE | {"limit": 10}, "cursor to go on"),
    ("GitDiff", BASE | {"offset": 10}, PAGE),
    ("GitDiff", BASE | {"cursor": ""}, TAKEN),
    ("GitDiff", BASE | {"cursor": "2"}, "next_cursor of the previous page unchanged"),
    ("GitDiff", BASE | {"cursor": None}, TAKEN),
    ("GitDiff", BASE | {"format": "json"}, TAKEN),
    ("GitDiff", BASE | {"ids": True}, TAKEN),
    ("GitDiff", BASE | {"ids": "some"}, "must be true or false"),
    ("GitDiff", BASE | {"format": "patch"}, "Give text or json"),
    ("GitDiff", BASE | {"stat": True}, "GitDiffSummary"),
    ("GitDiff", BASE | {"untracked": True}, "GitStatus"),
    ("GitDiff", BASE | {"repos": "workspace"}, "Did you mean 'repo'?"),
    ("GitDiffSummary", {"range": "main~1..main"}, TAKEN),
    ("GitDiffSummary", BASE | {"file": "src/app.py"}, TAKEN),
    ("GitDiffFile", BASE, "needs the argument 'file'"),
    ("GitDiffFile", BASE | {"file_path": "src/app.py"}, TAKEN),
    ("GitDiffFile", BASE | {"file": "app.py"}, "Did you mean"),
    ("GitDiffFile", BASE | {"file": "src"}, "GitDiffSummary lists the changed files below it"),
    ("GitDiffFile", BASE | {"file": "./src/app.py"}, TAKEN),
    ("GitDiffFile", BASE | {"file": "workspace/src/app.py"}, "Did you mean 'src/app.py'?"),
    ("GitDiffFile", {"from": "HEAD", "file": "untracked.txt"}, "It is not tracked: read_file shows it"),
    ("GitDiffFile", {"from": "HEAD", "file": "added.txt", "to": "main~1"}, "It is added in the index"),
    # -- the repository
    ("GitDiff", BASE | {"repo": "workspace"}, TAKEN),
    ("GitDiff", BASE | {"repo": "{root}"}, TAKEN),
    ("GitDiff", BASE | {"repo_path": "workspace"}, TAKEN),
    ("GitDiff", BASE | {"path": "workspace"}, TAKEN),
    ("GitDiff", BASE | {"repo": "workspace/"}, TAKEN),
    ("GitDiff", BASE | {"repo": "workspace/src"}, TAKEN),
    ("GitDiff", BASE | {"repo": "work"}, "workspace"),
    ("GitDiff", BASE | {"repo": "."}, "workspace"),
    ("GitDiff", BASE | {"repo": "/"}, "workspace"),
    ("GitDiff", BASE | {"repo": "/somewhere/else"}, "workspace"),
    ("GitStatus", {}, TAKEN),
    ("GitStatus", {"path": "workspace"}, TAKEN),
    ("GitStatus", {"repo_path": "{root}"}, TAKEN),
    ("GitStatus", {"paths": "src"}, TAKEN),
    ("GitStatus", {"file": "src/app.py"}, TAKEN),
    ("GitStatus", {"paths": ["src/app.py"]}, ": nothing to commit, nothing untracked"),
    ("GitStatus", {"paths": ["nothere", "src/ap.py"]}, "'nothere' and 'src/ap.py' name no file. "),
    ("GitStatus", {"paths": ["src/appp.py"]}, "'src/appp.py' names no file. Did you mean 'src/app.py'? Paths start at the root"),
    ("GitStatus", {"paths": ["workspace/src"]}, "names no file"),
    ("GitStatus", {"paths": [":!src", "*.nothing"]}, "'*.nothing' names no file"),
    ("GitStatus", {"untracked": True}, "untracked files are listed"),
    ("GitStatus", {"staged": True}, "from = HEAD, to = INDEX"),
    ("GitStatus", {"short": True}, "Leave it out"),
    ("GitStatus", {"limit": 5}, "cursor to go on"),
    # -- GitLog
    ("GitLog", {}, TAKEN),
    ("GitLog", {"rev": "main"}, TAKEN),
    ("GitLog", {"branch": "topic"}, TAKEN),
    ("GitLog", {"ref": "main"}, TAKEN),
    ("GitLog", {"sha": "main"}, TAKEN),
    ("GitLog", {"revision_range": "main~1..main"}, TAKEN),
    ("GitLog", {"range": "--all"}, TAKEN),
    ("GitLog", {"range": "ALL"}, TAKEN),
    ("GitLog", {"from": "main~1", "to": "main"}, "range = from..to"),
    ("GitLog", {"limit": 2}, TAKEN),
    ("GitLog", {"limit": "2"}, TAKEN),
    ("GitLog", {"max_count": 2}, TAKEN),
    ("GitLog", {"n": 2}, TAKEN),
    ("GitLog", {"max_results": 2}, TAKEN),
    ("GitLog", {"limit": 0}, TAKEN),
    ("GitLog", {"limit": -1}, "must be a whole number of 0 or more"),
    ("GitLog", {"skip": 2}, PAGE),
    ("GitLog", {"grep": "second"}, TAKEN),
    ("GitLog", {"message": "second|first"}, TAKEN),
    ("GitLog", {"query": "second"}, TAKEN),
    ("GitLog", {"message": "("}, "extended regular expression"),
    ("GitLog", {"author": "A U Thor"}, TAKEN),
    ("GitLog", {"author": "nobody"}, TAKEN),
    ("GitLog", {"S": "def one"}, TAKEN),
    ("GitLog", {"pickaxe": "def one"}, TAKEN),
    ("GitLog", {"contains": "def one"}, TAKEN),
    ("GitLog", {"contains": ""}, TAKEN),
    ("GitLog", {"changed_lines": "def .*"}, TAKEN),
    ("GitLog", {"G": "def .*"}, TAKEN),
    ("GitLog", {"contains": "x", "changed_lines": "y"}, "Give contains for a text, or changed_lines"),
    ("GitLog", {"since": "2 weeks ago"}, TAKEN),
    ("GitLog", {"after": "2020-01-01"}, TAKEN),
    ("GitLog", {"until": "2030-01-01"}, TAKEN),
    ("GitLog", {"since": "whenever"}, "Give a date, such as"),
    ("GitLog", {"file": "src/app.py"}, TAKEN),
    ("GitLog", {"file_path": "src/app.py"}, TAKEN),
    ("GitLog", {"file": "src/appp.py"}, "Did you mean 'src/app.py'?"),
    ("GitLog", {"file": "moved.txt"}, "It is renamed in the index from 'kept.txt'"),
    ("GitLog", {"paths": ["src/appp.py"]}, "'src/appp.py' names no file. Did you mean 'src/app.py'?"),
    ("GitLog", {"range": "ALL", "paths": ["nothere"]}, "'nothere' names no file"),
    ("GitLog", {"range": "main~1..main", "paths": ["docs.md"]}, "0 commits change what paths names\n"),
    ("GitLog", {"paths": ["src"], "message": "no such word"}, "0 commits whose words match"),
    ("GitLog", {"paths": ["scr"], "contains": "def one"}, "'scr' names no file"),
    ("GitLog", {"since": "v1.0"}, "since is 'v1.0', which is a revision. Give range = v1.0..HEAD for its commits, or a date"),
    ("GitLog", {"since": "topic"}, "since is 'topic', which is a revision"),
    ("GitLog", {"until": "main~1"}, "Give range = main~1 for its commits"),
    ("GitLog", {"since": "2020-01-01"}, TAKEN),
    ("GitLog", {"since": "2100-01-01"}, ": 0 commits of that time"),
    ("GitLog", {"range": "main..main"}, "0 commits: all that the range leads to is left out by its start"),
    ("GitLog", {"changed_lines": "no such line"}, "0 commits add or remove a line that matches"),
    ("GitLog", {"contains": "no such text"}, "0 commits add or remove the text"),
    ("GitLog", {"file": "src/app.py", "paths": ["src"]}, "Give file for one file"),
    ("GitLog", {"file": "src/app.py", "first_line": 1, "last_line": 2}, TAKEN),
    ("GitLog", {"file": "src/app.py", "start_line": 1, "end_line": 2}, TAKEN),
    ("GitLog", {"file": "src/app.py", "function": "one"}, TAKEN),
    ("GitLog", {"file": "src/app.py", "symbol": "one"}, TAKEN),
    ("GitLog", {"function": "one"}, "Give file, and first_line and last_line, or function"),
    ("GitLog", {"first_line": 3}, "Give file, and first_line"),
    ("GitLog", {"file": "src/app.py", "line": 3}, TAKEN),
    ("GitLog", {"file": "src/app.py", "line_range": "1,3"}, TAKEN),
    ("GitLog", {"file": "src/app.py", "function": "nothing_here"}, "nothing_here"),
    ("GitLog", {"file": "src/app.py", "first_line": 5000}, "lines"),
    # -- GitShow
    ("GitShow", {}, TAKEN),
    ("GitShow", {"commit": "HEAD"}, TAKEN),
    ("GitShow", {"revision": "HEAD"}, TAKEN),
    ("GitShow", {"sha": "HEAD"}, TAKEN),
    ("GitShow", {"hash": "HEAD"}, TAKEN),
    ("GitShow", {"commit_id": "HEAD"}, TAKEN),
    ("GitShow", {"rev": "HEAD:src/app.py"}, "Call GitFile: rev is the part before the colon"),
    ("GitShow", {"rev": "main~1..main"}, "GitLog lists the commits of a range"),
    ("GitShow", {"range": "main~1..main"}, "GitLog or GitDiff for a range"),
    ("GitShow", {"rev": "HEAD", "file": "src/app.py"}, TAKEN),
    ("GitShow", {"rev": "INDEX"}, "INDEX"),
    ("GitShow", {"rev": "main", "paths": ["nothere"]}, "'nothere' names no file"),
    ("GitShow", {"rev": "main", "paths": ["kept2.txt"]}, "No file that paths names differs, and 1 others do.\n"),
    ("GitShow", {"rev": ""}, TAKEN),
    # -- GitFile and GitBlame
    ("GitFile", {"file": "src/app.py"}, TAKEN),
    ("GitFile", {"path": "src/app.py", "ref": "main"}, TAKEN),
    ("GitFile", {"file_path": "src/app.py", "commit": "main"}, TAKEN),
    ("GitFile", {"file": "src/app.py", "rev": "INDEX"}, TAKEN),
    ("GitFile", {"file": "src/app.py", "rev": "WORKTREE"}, TAKEN),
    ("GitFile", {"file": "src/app.py", "rev": ":2"}, "files in conflict, which GitStatus lists"),
    ("GitFile", {"file": "src/app.py", "rev": "ours"}, "files in conflict, which GitStatus lists"),
    ("GitFile", {"file": "workspace/src/app.py"}, "Did you mean 'src/app.py'?"),
    ("GitFile", {"file": "App.py"}, "Did you mean"),
    ("GitFile", {"file": "untracked.txt"}, "It is not tracked: read_file shows it"),
    ("GitFile", {"file": "added.txt"}, "It is added in the index"),
    ("GitFile", {"file": "src/app.py", "line": 3}, TAKEN),
    ("GitFile", {"file": "src/app.py", "line_range": [1, 2]}, TAKEN),
    ("GitFile", {"file": "src/app.py", "offset": 1}, TAKEN),
    ("GitFile", {"file": "src/app.py", "start_line": 1, "end_line": 2}, TAKEN),
    ("GitFile", {"file": "src/app.py", "first_line": "1"}, TAKEN),
    ("GitFile", {"file": "src/app.py", "first_line": -1}, "must be a whole number of 0 or more"),
    ("GitBlame", {"file": "src/app.py"}, TAKEN),
    ("GitBlame", {"path": "src/app.py"}, TAKEN),
    ("GitBlame", {"file_path": "src/app.py", "revision": "main"}, TAKEN),
    ("GitBlame", {"file": "src/app.py", "line": 2}, TAKEN),
    ("GitBlame", {"file": "src/app.py", "lines": [1, 2]}, TAKEN),
    ("GitBlame", {"file": "src/app.py", "first_line": 2, "last_line": 1}, "The last line must not be before the first"),
    ("GitBlame", {"file": "src/app.py", "first_line": 0}, TAKEN),
    ("GitBlame", {"file": "moved.txt"}, "It is renamed in the index from 'kept.txt'"),
    ("GitBlame", {}, "needs the argument 'file'"),
    # -- GitRangeDiff
    ("GitRangeDiff", {"old_range": "main~1..main", "new_range": "main~1..main"}, TAKEN),
    ("GitRangeDiff", {"old": "main~1..main", "new": "main~1..topic"}, TAKEN),
    ("GitRangeDiff", {"from": "main~1..main", "to": "main~1..main"}, TAKEN),
    ("GitRangeDiff", {"base": "main~1", "old": "main", "new": "topic"}, "old_range = base..old"),
    ("GitRangeDiff", {"old": "main", "new": "topic"}, "both ends, such as 'main..topic'"),
    ("GitRangeDiff", {"old": "main~1..main"}, "needs the argument 'new_range'"),
    # -- GitRefs
    ("GitRefs", {"pattern": "main"}, TAKEN),
    ("GitRefs", {"glob": "refs/heads/*"}, TAKEN),
    ("GitRefs", {"glob": "tags"}, TAKEN),
    ("GitRefs", {"name": "topic"}, TAKEN),
    ("GitRefs", {"branch_type": "remote"}, TAKEN),
    ("GitRefs", {"glob": ""}, TAKEN),
    ("GitRefs", {"glob": "nothing*"}, "None of 4 matches the glob"),
    ("GitRefs", {"glob": "["}, "Give a pattern such as *.rs"),
    # -- files of the sandbox, in every spelling
    ("read_file", {"path": "workspace/src/app.py"}, TAKEN),
    ("read_file", {"file_path": "workspace/src/app.py"}, TAKEN),
    ("read_file", {"filename": "workspace/src/app.py"}, TAKEN),
    ("read_file", {"path": "{root}/src/app.py"}, TAKEN),
    ("read_file", {"path": "src/app.py"}, "'workspace/src/app.py'"),
    ("read_file", {"path": "./src/app.py"}, "workspace"),
    ("read_file", {"path": "/workspace/src/app.py"}, "workspace/src/app.py"),
    ("read_file", {"path": "workspace/src/appp.py"}, "Did you mean 'app.py', in 'workspace/src'?"),
    ("read_file", {"path": "workspace/src"}, "list_files"),
    ("read_file", {"path": "/etc/passwd"}, "workspace"),
    ("read_file", {"path": "workspace/../../etc/passwd"}, "fs_denied"),
    ("read_file", {"path": ""}, "workspace"),
    ("read_file", {}, "needs the argument 'path'"),
    ("read_file", {"path": "workspace/src/app.py", "offset": 1, "limit": 2}, TAKEN),
    ("read_file", {"path": "workspace/src/app.py", "view_range": [1, 2]}, TAKEN),
    ("read_file", {"path": "workspace/src/app.py", "line": 2}, TAKEN),
    ("read_file", {"path": "workspace/src/app.py", "head": 5}, TAKEN),
    ("read_file", {"path": "workspace/src/app.py", "rev": "main"}, "GitFile"),
    ("read_file", {"path": ["workspace/src/app.py"]}, "it is a list, and must be a text"),
    ("read_file", {"path": "workspace/src/app.py", "first_line": "one"}, "must be a whole number of 0 or more"),
    ("list_files", {}, TAKEN),
    ("list_files", {"path": "workspace/src"}, TAKEN),
    ("list_files", {"directory": "workspace"}, TAKEN),
    ("list_files", {"path": "{root}/src"}, TAKEN),
    ("list_files", {"path": "src"}, "workspace/src"),
    ("list_files", {"path": "."}, "workspace"),
    ("list_files", {"path": "/"}, "workspace"),
    ("list_files", {"pattern": "*.py"}, TAKEN),
    ("list_files", {"recursive": True}, TAKEN),
    ("list_files", {"max_depth": 1}, TAKEN),
    ("list_files", {"rev": "main"}, TAKEN),
    ("list_files", {"glob": "*.nothing"}, "No file matches the glob '*.nothing'; globs match paths from"),
    ("list_files", {"rev": "main", "glob": "*.nothing"}, "No file matches the glob '*.nothing'"),
    ("list_files", {"path": "workspace/scr"}, "not_found"),
    ("list_files", {"rev": "main", "path": "workspace/src"}, "repo, rev and glob"),
    ("search", {"pattern": "def"}, TAKEN),
    ("search", {"query": "def"}, TAKEN),
    ("search", {"pattern": "one|two"}, TAKEN),
    ("search", {"pattern": "def", "include": "*.py"}, TAKEN),
    ("search", {"pattern": "def", "glob": "workspace/src/**"}, TAKEN),
    ("search", {"pattern": "def", "file": "workspace/src/app.py"}, TAKEN),
    ("search", {"pattern": "def", "case_insensitive": True}, TAKEN),
    ("search", {"pattern": "def", "case_sensitive": False}, TAKEN),
    ("search", {"pattern": "(", "regex": True}, "("),
    ("search", {"pattern": ""}, "pattern"),
    ("search", {"pattern": "def", "max_results": 5}, "cursor to go on"),
    ("search", {"pattern": "def", "path": "src"}, "workspace/src"),
    ("search", {}, "needs the argument 'pattern'"),
    ("search", {"pattern": "def", "glob": "*.nothing"}, "No file matches the glob"),
    ("search", {"pattern": "d.f"}, "regex = true"),
    # -- changes of files
    ("write_file", {"file_path": "workspace/new1.txt", "content": "x\n"}, TAKEN),
    ("write_file", {"path": "workspace/new2.txt", "file_text": "x\n"}, TAKEN),
    ("write_file", {"path": "{root}/new3.txt", "content": "x\n"}, TAKEN),
    ("write_file", {"path": "new4.txt", "content": "x\n"}, "'workspace/new4.txt'"),
    ("write_file", {"path": "workspace/new5.txt"}, "needs the argument 'content'"),
    ("write_file", {"path": "workspace/new6.txt", "content": ["x"]}, "it is a list, and must be a text"),
    ("write_file", {"path": "workspace/src", "content": "x"}, "directory"),
    ("edit_file", {"path": "workspace/edit.txt", "oldText": "one", "newText": "1"}, TAKEN),
    ("edit_file", {"path": "workspace/edit.txt", "old_str": "two", "new_str": "2"}, TAKEN),
    ("edit_file", {"path": "workspace/edit.txt", "search": "three", "replace": "3"}, TAKEN),
    ("edit_file", {"path": "workspace/edit.txt", "edits": [{"oldText": "four", "newText": "4"}]}, TAKEN),
    ("edit_file", {"path": "workspace/edit.txt", "edits": {"oldText": "five", "newText": "5"}}, "not_found"),
    ("edit_file", {"path": "workspace/edit.txt", "old_string": "six"}, "Give either old_string and new_string, or edits"),
    ("edit_file", {"path": "workspace/edit.txt", "old_string": "same", "new_string": "x"}, "replace_all"),
    ("edit_file", {"path": "workspace/edit.txt", "old_string": "not in it", "new_string": "x"}, "not_found"),
    ("edit_file", {"path": "workspace/none.txt", "old_string": "", "new_string": "x"}, "write_file creates"),
    ("edit_file", {"path": "workspace/edit.txt", "old_string": "", "new_string": "x"}, "Give text next to the new text as old_string"),
    ("edit_file", {"path": "edit.txt", "old_string": "seven", "new_string": "7"}, "'workspace/edit.txt'"),
    ("edit_file", {"path": "workspace/edit.txt", "diff": "@@ -1 +1 @@"}, "old_string"),
    ("apply_patch", {"input": "*** Begin Patch\n*** Add File: workspace/new7.txt\n+x\n*** End Patch"}, TAKEN),
    ("apply_patch", {"patch": "--- a/workspace/edit.txt\n+++ b/workspace/edit.txt\n@@ -1 +1 @@\n-1\n+one\n", "dry_run": True}, TAKEN),
    ("apply_patch", {"patch": "not a patch"}, "invalid_args"),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Update File: workspace/edit.txt\n-not in it\n+x\n*** End Patch"}, "not_found"),
    ("apply_patch", {"path": "workspace/edit.txt", "patch": "x"}, "The patch names its files"),
    ("undo", {}, TAKEN),
    ("undo", {"id": "nothing"}, "Leave out id for the last one"),
    ("undo", {"path": "workspace/edit.txt"}, "leave out id for the last one"),
    # -- GitStage and GitCommit: a path that is not there, an argument that is missing, and what no call does
    ("GitStage", {"what": ["added.txt"], "unstage": True, "dry_run": True}, TAKEN),
    ("GitStage", {}, "GitStage needs the argument 'what'"),
    ("GitStage", {"what": []}, "Give paths, ids of hunks, a patch"),
    ("GitStage", {"what": "srcapp.py"}, "names no file that git knows or that could be added. Did you mean 'src/app.py'?"),
    ("GitStage", {"what": ["0" * 40]}, "GitDiff with ids = true"),
    ("GitStage", {"what": ["0" * 40], "unstage": True}, "GitDiff with ids = true"),
    ("GitStage", {"what": ["../outside"]}, "outside"),
    ("GitStage", {"what": "staged", "dry_run": True}, "nothing would change"),
    ("GitCommit", {"what": "added.txt"}, "GitCommit needs the argument 'message'"),
    ("GitCommit", {"message": "m", "files": ["a"], "paths": ["b"]}, "Give what alone"),
    ("GitCommit", {"message": "m", "author": "nobody"}, "Give 'Name <address>'"),
    ("GitCommit", {"message": "m"}, "names no committer"),
    ("GitCommit", {"message": "m", "amend": True}, "A commit is not replaced"),
    ("GitCommit", {"message": "m", "author": "A <a@b>", "all": True, "dry_run": True}, TAKEN),
    # -- Diff and the capabilities
    ("Diff", {"path_a": "workspace/edit.txt", "path_b": "workspace/kept2.txt"}, TAKEN),
    ("Diff", {"old_path": "workspace/edit.txt", "new_path": "workspace/kept2.txt"}, TAKEN),
    ("Diff", {"path_a": "{root}/edit.txt", "path_b": "{root}/kept2.txt"}, TAKEN),
    ("Diff", {"path1": "workspace/edit.txt", "path2": "workspace/kept2.txt"}, TAKEN),
    ("Diff", {"old_text": "a", "new_text": "b"}, TAKEN),
    ("Diff", {"path_a": "workspace/edit.txt"}, "path_a and path_b, or text_a and text_b"),
    ("Diff", {"path": "workspace/edit.txt"}, "Give path_a and path_b"),
    ("Diff", {"from": "main", "to": "topic"}, "Call GitDiff for revisions"),
    ("Diff", {"text_a": "a", "text_b": "b", "label_a": "x" * 200_000}, "a name of at most 1000 bytes"),
    ("Diff", {"text_a": "a", "text_b": "b", "cursor": "x"}, "has no cursor"),
    ("redline_capabilities", {}, TAKEN),
    ("redline_capabilities", {"verbose": True}, "redline_capabilities has no argument 'verbose'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Returns a checkout with two branches, a staged rename, an added and an untracked file."""
    root = tmp_path_factory.mktemp("checkout")
    write(root, "init --quiet --initial-branch=main .")
    clock = Clock(root)
    (root / "src").mkdir()
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    clock.commit(
        "first",
        files={
            "src/app.py": code,
            "kept.txt": "kept\n" * 20,
            "kept2.txt": "x\n",
            "edit.txt": "one\ntwo\nthree\nfour\nseven\nsame\nsame\n",
        },
    )
    clock.commit(
        "second", files={"src/app.py": code.replace("return 1", "return 11"), "docs.md": "words\n"}
    )
    write(root, "branch topic")
    write(root, "tag v1.0")
    clock.commit("third", files={"src/app.py": code.replace("return 1", "return 111")})
    repositories.git(root, "mv", "kept.txt", "moved.txt")
    (root / "added.txt").write_text("added\n")
    write(root, "add added.txt")
    (root / "untracked.txt").write_text("untracked\n")
    return root


@pytest.fixture(scope="module")
def ask(extension, checkout):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    sandbox = {
        "name": "workspace",
        "root": str(checkout),
        "mode": "rw",
        "git": "commit",
        "read_approval": False,
        "write_approval": False,
        "edit_approval": False,
    }
    con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps([sandbox])])
    return lambda tool, text: json.loads(
        con.execute("SELECT redline_call(?, ?)", [tool, text]).fetchone()[0]
    )


@pytest.mark.parametrize(
    "number", range(len(CALLS)), ids=lambda number: f"{number}-{CALLS[number][0]}"
)
def test_a_likely_call_is_taken_or_led_to_the_right_one(ask, checkout, number):
    tool, arguments, words = CALLS[number]
    answer = ask(tool, json.dumps(arguments).replace("{root}", str(checkout)))
    text = answer["content"][0]["text"]
    if words is TAKEN:
        assert not answer["isError"], text
        return
    # An empty answer that says why leads on as an error does.
    assert words in text, text
    assert len(text) < 1_500
    for words_of_rust in ("u64", "i64", "expected", "invalid type", "struct ", "serde"):
        assert words_of_rust not in text, text


def test_the_table_has_the_calls_of_every_tool(con):
    tools = {name for (name,) in con.execute("SELECT name FROM redline_tools()").fetchall()}
    assert {tool for tool, _, _ in CALLS} == tools and len(CALLS) >= 230
