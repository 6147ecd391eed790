"""GitLog finds the commits that `git log` finds with -S, -G, --grep, --author and -L; GitFile reads the versions of a conflict."""

import json
import subprocess

import pytest
import repositories
from histories import Clock, write


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    """Returns a history with a merge, renames, words of every kind, and a conflict in the work tree."""
    repo = tmp_path_factory.mktemp("searched")
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    body = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    clock.commit("Start\n\nWith a body: needle here", files={"app.py": body, "note.txt": "alpha\n"})
    clock.commit(
        "Change one",
        files={"app.py": body.replace("return 1", "return alpha")},
        author="Jos\u00e9 <jose@example.com>",
    )
    repositories.git(repo, "mv", "app.py", "main.py")
    clock.commit("Rename", files={})
    write(repo, "checkout --quiet -b side")
    clock.commit(
        "Needle on the side",
        files={"main.py": body.replace("return 2", "return needle"), "side.txt": "needle\n"},
        author="Other <other@example.com>",
    )
    write(repo, "checkout --quiet main")
    clock.commit("Elsewhere", files={"note.txt": "alpha\nalpha\n"})
    repositories.git(
        repo,
        "merge",
        "--quiet",
        "--no-ff",
        "-m",
        "Join needle",
        "side",
        env=repositories.environment(**clock_names(clock)),
    )
    clock.commit("Remove", files={"side.txt": "", "main.py": body})
    write(repo, "checkout --quiet -b conflict HEAD~1")
    clock.commit("Theirs", files={"note.txt": "theirs\n"})
    write(repo, "checkout --quiet main")
    clock.commit("Ours", files={"note.txt": "ours\n"})
    subprocess.run(
        ["git", "-C", repo, "merge", "-q", "conflict"],
        env=repositories.environment(**clock_names(clock)),
        capture_output=True,
    )
    return repo


def clock_names(clock) -> dict:
    clock.now += 3_600
    return {
        f"GIT_{role}_{part}": text
        for role in ("AUTHOR", "COMMITTER")
        for part, text in (
            ("NAME", "A U Thor"),
            ("EMAIL", "author@example.com"),
            ("DATE", f"{clock.now} +0000"),
        )
    }


@pytest.fixture
def ask(con, repo):
    def run(tool, **given):
        text = con.execute(
            "SELECT redline_call(?, ?)", [tool, json.dumps({"repo": str(repo)} | given)]
        ).fetchone()[0]
        return json.loads(text)

    return run


CASES = [
    ({"contains": "needle"}, ["-S", "needle"]),
    ({"contains": "alpha"}, ["-S", "alpha"]),
    ({"contains": "return"}, ["-S", "return"]),
    ({"contains": "needle", "paths": ["side.txt"]}, ["-S", "needle", "--", "side.txt"]),
    ({"contains": "needle", "range": "ALL"}, ["-S", "needle", "--all"]),
    ({"contains": "needle", "range": "HEAD~2..HEAD"}, ["-S", "needle", "HEAD~2..HEAD"]),
    ({"contains": "nowhere"}, ["-S", "nowhere"]),
    ({"changed_lines": "return (1|2)$"}, ["-G", "return (1|2)$"]),
    ({"changed_lines": "alpha", "paths": ["note.txt"]}, ["-G", "alpha", "--", "note.txt"]),
    ({"message": "needle"}, ["-E", "--grep", "needle"]),
    ({"message": "^With.*needle"}, ["-E", "--grep", "^With.*needle"]),
    ({"message": "(Start|Remove)$"}, ["-E", "--grep", "(Start|Remove)$"]),
    ({"author": "Other"}, ["-E", "--author", "Other"]),
    ({"author": "<jose@"}, ["-E", "--author", "<jose@"]),
    (
        {"author": "Thor", "message": "Change|Rename"},
        ["-E", "--author", "Thor", "--grep", "Change|Rename"],
    ),
    ({"message": "Join", "contains": "needle"}, ["-E", "--grep", "Join", "-S", "needle"]),
    ({"message": "e", "limit": 2}, ["-E", "--grep", "e", "-n", "2"]),
    ({"file": "main.py", "contains": "alpha"}, ["--follow", "-S", "alpha", "--", "main.py"]),
    ({"file": "main.py", "function": "one"}, ["-s", "-L", ":one:main.py"]),
    ({"file": "main.py", "first_line": 5, "last_line": 6}, ["-s", "-L", "5,6:main.py"]),
    (
        {"file": "main.py", "first_line": 5, "author": "Other"},
        ["-s", "-L", "5,:main.py", "-E", "--author", "Other"],
    ),
]


@pytest.mark.parametrize(
    "given, options",
    CASES,
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_commits_are_those_of_git_log(ask, repo, given, options):
    answer = ask("GitLog", format="json", **given)
    assert not answer["isError"], answer
    found = [commit["commit_id"] for commit in answer["structuredContent"]["commits"]]
    assert found == repositories.git_text(repo, "log", "--format=%H", *options).split()


def test_lines_have_their_hunks(ask, repo):
    (rows, text) = (
        ask("GitLog", file="main.py", function="one", **more) for more in ({"format": "json"}, {})
    )
    first = rows["structuredContent"]["commits"][-1]
    assert (first["first_line"], first["file_path"]) == (1, "app.py")
    assert first["patch"].startswith("@@ ") and "+def one():" in first["patch"]
    assert "\n    +def one():\n" in text["content"][0]["text"]


def test_a_search_without_commits_says_what_to_try(ask):
    text = lambda **given: ask("GitLog", **given)["content"][0]["text"]
    assert "changed_lines takes a regular expression" in text(contains="needle|alpha")
    assert "whose words match" in text(message="NEEDLE HERE")


@pytest.mark.parametrize(
    "names, stage", [((":1", "base"), 1), ((":2", "ours", "OURS"), 2), ((":3", "theirs"), 3)]
)
def test_the_versions_of_a_conflict_are_read(ask, repo, names, stage):
    wanted = repositories.git(repo, "show", f":{stage}:note.txt").decode()
    for name in names:
        answer = ask("GitFile", file="note.txt", rev=name, format="json")
        assert answer["structuredContent"]["content"] == wanted, name


def test_blame_says_once_what_a_commit_is(ask, repo):
    text = ask("GitBlame", file="main.py", rev="HEAD")["content"][0]["text"]
    subjects = [line for line in text.splitlines() if line.endswith(": Start")]
    assert len(subjects) == 1


def test_the_totals_name_ids_that_pin_a_cursor(ask, repo):
    first = ask("GitDiff", **{"from": "HEAD~3...conflict"})["content"][0]["text"].splitlines()[0]
    base = repositories.git_text(repo, "merge-base", "HEAD~3", "conflict")[:12]
    tip = repositories.git_text(repo, "rev-parse", "conflict")[:12]
    assert f" ({base}..{tip})" in first, first


def test_untracked_files_are_counted_and_renamed_ones_followed(ask, repo):
    (repo / "untracked1").write_text("x")
    (repo / "untracked2").write_text("x")
    text = lambda tool, **given: ask(tool, **given)["content"][0]["text"]
    assert "\n2 untracked files are not shown: GitStatus.\n" in text("GitDiff", **{"from": "HEAD"})
    moved = text("GitDiffFile", **{"from": "main~5", "to": "main~3"}, file="app.py")
    assert "The file is renamed to 'main.py': GitDiffFile shows it there.\n" in moved, moved
