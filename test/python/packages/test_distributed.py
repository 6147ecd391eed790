"""examples/distributed: what one task does to its repository, whatever engine runs it."""

import argparse
import fcntl
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import repositories
from histories import Clock, lines, write

ROOT = repositories.ROOT
EXAMPLE = ROOT / "examples/distributed/histories.py"
README = ROOT / "examples/distributed/README.md"
spec = importlib.util.spec_from_file_location("example_histories", EXAMPLE)
histories = importlib.util.module_from_spec(spec)
spec.loader.exec_module(histories)

# For each step that changes what is on disk, runs a task in a process that is killed before that step, and prints how many
# steps there are. Forked, so that nothing is imported again.
KILLED = """
import importlib.util, json, os, shutil, signal, sys
spec = importlib.util.spec_from_file_location("histories", sys.argv[1])
histories = importlib.util.module_from_spec(spec)
spec.loader.exec_module(histories)
task, saved, folder = json.loads(sys.argv[2]), sys.argv[3], sys.argv[4]
def run(left):
    def stepping(real):
        def step(*arguments):
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return real(*arguments)
        return step
    os.replace, os.fsync, os.unlink = stepping(os.replace), stepping(os.fsync), stepping(os.unlink)
    os._exit(0 if histories.update(task)["state"] == "continued" else 3)
for step in range(100):
    task["out"] = os.path.join(folder, str(step))
    shutil.copytree(saved, task["out"])
    child = os.fork()
    if child == 0:
        run(step)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != -signal.SIGKILL:
        break
print(code, step)
"""


@pytest.fixture
def out(tmp_path) -> pathlib.Path:
    return tmp_path / "out"


@pytest.fixture
def tasks(extension, out):
    """Returns a function that gives the tasks of repositories."""

    def of(*paths, **options):
        options = {
            "tip": "HEAD",
            "tables": list(histories.TABLES),
            "processors": 1,
            "again": False,
        } | options
        return histories.tasks(
            argparse.Namespace(
                out=out, repositories=list(map(str, paths)), extension=extension, **options
            )
        )

    return of


@pytest.fixture
def clock(tmp_path) -> Clock:
    """Returns a repository to commit to, of two files."""
    repo = tmp_path / "repo"
    repo.mkdir()
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    clock.commit("one", files={"a.txt": lines(0, 9), "b.txt": "b\n"})
    return clock


def on_disk(folder: pathlib.Path) -> dict:
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def contents(con, out: pathlib.Path) -> dict:
    """Returns the rows of each table, from the files that the records name."""
    query = "SELECT * EXCLUDE (repository), {} FROM read_parquet(?, hive_partitioning := true) ORDER BY ALL"
    times = {
        "changes": ("author_date", "committer_date"),
        "commits": ("author_date", "committer_date"),
        "blame": ("author_date",),
    }
    rows = {}
    for table, columns in times.items():
        texts = ", ".join(f"{column}::VARCHAR" for column in columns)
        found = query.format(texts).replace("(repository)", f"(repository, {', '.join(columns)})")
        rows[table] = con.execute(found, [histories.files(out, table)]).fetchall()
    return rows


def expected(con, repo: pathlib.Path, tip: str = "HEAD") -> dict:
    """Returns what the functions say of the repository, in the same form."""
    queries = {"changes": histories.CHANGES, "commits": histories.COMMITS, "blame": histories.BLAME}
    rows = {}
    for table, query in queries.items():
        named = {"repository": str(repo), "tip" if table == "blame" else "range": tip}
        columns = ("author_date",) if table == "blame" else ("author_date", "committer_date")
        texts = ", ".join(f"{column}::VARCHAR" for column in columns)
        rows[table] = con.execute(
            f"SELECT * EXCLUDE ({', '.join(columns)}), {texts} FROM ({query}) ORDER BY ALL", named
        ).fetchall()
    return rows


def test_each_repository_is_in_its_own_partition(con, tasks, out):
    paths = [repositories.fixture("readme"), repositories.fixture("basic")]
    results = [histories.update(task) for task in tasks(*paths, tables=["changes", "commits"])]
    assert [result["state"] for result in results] == ["written", "written"], results
    query = "SELECT repository, count(*), count(DISTINCT commit_id) FROM read_parquet(?, hive_partitioning := true) GROUP BY ALL"
    found = {
        name: counts
        for name, *counts in con.execute(query, [histories.files(out, "changes")]).fetchall()
    }
    for path in paths:
        changes = con.execute(
            "SELECT count(*), count(DISTINCT commit_id) FROM commit_changes('HEAD', ?)", [str(path)]
        ).fetchone()
        assert tuple(found[path.name]) == changes and changes[0] > 0


def test_a_run_adds_what_came_since_the_last(con, tasks, out, clock):
    (task,) = tasks(clock.repo)
    assert histories.update(task)["state"] == "written"
    first = on_disk(out)
    assert histories.update(task) | {"seconds": 0, "peak_mib": 0} == {
        "repository": "repo",
        "state": "up to date",
        "rows": 0,
        "seconds": 0,
        "peak_mib": 0,
        "error": "",
    }
    assert on_disk(out) == first
    clock.commit("two", files={"a.txt": lines(0, 12), "c.txt": "c\n"})
    result = histories.update(task)
    assert (result["state"], result["rows"]) == ("continued", 2 + 1 + 4), (
        "two changes, a commit, and the blame of three files"
    )
    assert contents(con, out) == expected(con, clock.repo)
    # What was there is as it was; only the blame is replaced.
    kept = {
        name: time
        for name, time in first.items()
        if name.endswith(".parquet") and "blame" not in name
    }
    assert len(kept) == 2 and kept.items() <= on_disk(out).items()
    assert sorted(name.rpartition("/")[2] for name in on_disk(out)) == [
        "blame-000002.parquet", "changes-000001.parquet", "changes-000002.parquet", "commits-000001.parquet", "commits-000002.parquet", "record.json",
    ]  # fmt: skip


def test_runs_one_after_the_other_are_one_run(con, tasks, out, clock):
    """Through merges in both directions, renames, deletions and reverted files: the rows are those of a whole run each time."""
    repo, states = clock.repo, []

    def run():
        states.append(histories.update(tasks(repo)[0])["state"])
        assert contents(con, out) == expected(con, repo)

    def merge(branch: str, *options: str):
        clock.now += 3600
        when = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (
                ("NAME", "M"),
                ("EMAIL", "m@example.com"),
                ("DATE", f"{clock.now} +0000"),
            )
        }
        write(
            repo, " ".join(["merge", "--quiet", "--no-ff", *options, "-m", "merge", branch]), **when
        )

    run()
    write(repo, "branch side")
    clock.commit("main goes on", files={"a.txt": lines(3, 9)})
    clock.commit("and back", files={"a.txt": lines(0, 9)})
    run()
    write(repo, "checkout --quiet side")
    clock.commit("side", files={"b.txt": "side\nb\n"})
    write(repo, "checkout --quiet main")
    merge("side")
    run()
    repositories.git(repo, "mv", "a.txt", "moved.txt")
    clock.commit("move")
    repositories.git(repo, "rm", "--quiet", "b.txt")
    clock.commit("remove")
    run()
    clock.commit("empty")
    run()
    # From here the old tip is the second parent: the blame cannot be continued, the rest can.
    write(repo, "branch topic", "checkout --quiet -b other HEAD~2")
    clock.commit("other", files={"d.txt": "d\n"})
    merge("topic")
    write(repo, "checkout --quiet -B main")
    run()
    assert states == ["written"] + ["continued"] * 5


def test_a_rewritten_history_is_read_anew(con, tasks, out, clock):
    clock.commit("two", files={"a.txt": lines(0, 5)})
    (task,) = tasks(clock.repo)
    histories.update(task)
    old = repositories.git_text(clock.repo, "rev-parse", "HEAD")
    write(clock.repo, "reset --quiet --hard HEAD~1")
    clock.commit("other two", files={"a.txt": lines(0, 4)})
    assert (
        histories.update(task)["state"]
        == f"done again: its history was rewritten, {old[:12]} is not in it"
    )
    assert contents(con, out) == expected(con, clock.repo)
    # A tip that is gone altogether was rewritten too, and so is one that went back.
    write(
        clock.repo,
        "reset --quiet --hard HEAD~1",
        "reflog expire --expire=now --all",
        "gc --quiet --prune=now",
    )
    assert histories.update(task)["state"].startswith("done again: its history was rewritten")
    assert contents(con, out) == expected(con, clock.repo)
    assert len([name for name in on_disk(out) if name.endswith(".parquet")]) == 3


def test_names_and_attributes_that_change_are_applied_to_old_commits(con, tasks, out, clock):
    (task,) = tasks(clock.repo)
    histories.update(task)
    clock.commit("names", files={".mailmap": "New Name <author@example.com>\n"})
    assert histories.update(task)["state"] == "done again: a .mailmap or .gitattributes changed"
    assert contents(con, out) == expected(con, clock.repo)
    assert {row[2] for row in contents(con, out)["changes"]} == {"New Name"}
    clock.commit("attributes", files={"src/.gitattributes": "*.txt -diff\n"})
    assert histories.update(task)["state"] == "done again: a .mailmap or .gitattributes changed"


def test_everything_is_done_again_when_told_or_with_other_tables(con, tasks, out, clock):
    histories.update(tasks(clock.repo)[0])
    assert histories.update(tasks(clock.repo, again=True)[0])["state"] == "done again: as asked"
    assert contents(con, out) == expected(con, clock.repo)
    assert (
        histories.update(tasks(clock.repo, tables=["commits"])[0])["state"]
        == "done again: other tables"
    )
    assert [name.rpartition("/")[2] for name in on_disk(out) if name.endswith(".parquet")] == [
        "commits-000003.parquet"
    ]


@pytest.mark.slow
def test_a_run_that_is_killed_at_any_step_changes_nothing(con, tasks, out, clock, tmp_path):
    (task,) = tasks(clock.repo)
    histories.update(task)
    before = contents(con, out)
    clock.commit("two", files={"a.txt": lines(0, 12), "c.txt": "c\n"})
    after = expected(con, clock.repo)
    command = [sys.executable, "-c", KILLED, EXAMPLE, json.dumps(task), out, tmp_path / "killed"]
    done = subprocess.run(command, capture_output=True, text=True)
    # Three files and the record, each synced, renamed, and its directory synced; then the old blame is removed.
    assert done.stdout == "0 13\n", done.stdout + done.stderr
    seen = []
    for step in range(13):
        killed = tmp_path / "killed" / str(step)
        seen.append(contents(con, killed))
        assert seen[-1] in (before, after), step
        # The next run completes it, and clears what was left.
        assert histories.update(task | {"out": str(killed)})["state"] in ("continued", "up to date")
        assert contents(con, killed) == after and len(on_disk(killed)) == 6, step
    assert seen.count(after) == 2


def test_two_runs_at_once_do_not_mix(tasks, out, clock):
    (task,) = tasks(clock.repo)
    histories.update(task)
    before = on_disk(out)
    clock.commit("two")
    with open(out / "repository=repo/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = histories.update(task)
    assert (result["state"], result["error"]) == (
        "failed",
        "another run writes to this repository's files",
    )
    assert on_disk(out) == before
    assert histories.update(task)["state"] == "continued"


def test_one_broken_repository_fails_alone_and_leaves_no_file(tasks, tmp_path, out):
    broken = tmp_path / "broken.git"
    broken.mkdir()
    results = [histories.update(task) for task in tasks(broken, repositories.fixture("readme"))]
    assert [(result["repository"], result["state"]) for result in results] == [
        ("broken", "failed"),
        ("readme", "written"),
    ]
    assert "not_found: " in results[0]["error"]
    assert {name.partition("/")[0] for name in on_disk(out)} == {"repository=readme"}


def test_repositories_of_one_name_get_names_of_their_own(tasks, out):
    name = lambda *paths: [task["name"] for task in tasks(*paths)]
    assert name("/a/repo", "/b/repo.git", "/c/other/.git") == ["other", "a-repo", "b-repo"]
    assert name("/x/a/repo", "/y/a/repo") == ["x-a-repo", "y-a-repo"]
    assert name("mine=/a/repo", "/b/repo") == ["mine", "repo"]
    assert name("/a/with space", "/a/-dash") == ["with-space", "dash"]
    for paths, message in (
        (("x=/a/repo", "x=/b/repo"), "Two repositories are named x"),
        (("/a/repo", "/a/../a/repo"), "Given twice: /a/repo"),
        (("../x=/a/repo",), "'../x' is no name"),
        (("/a-b", "/a/b", "/b"), "Give a name, as name=path, to /a/b"),
    ):
        with pytest.raises(SystemExit, match=re.escape(message)):
            tasks(*paths)


def test_a_repository_keeps_the_name_it_was_given(tasks, out, tmp_path):
    folders = [tmp_path / parent / "repo" for parent in ("a", "b")]
    for folder in folders:
        folder.mkdir(parents=True)
        write(folder, "init --quiet --initial-branch=main .")
        Clock(folder).commit("one", files={"a.txt": f"{folder}\n"})
    (first,) = tasks(folders[0])
    histories.update(first)
    # Another of that name, alone or beside it, does not take its place.
    assert [task["name"] for task in tasks(folders[1])] == ["b-repo"]
    assert {task["name"]: task["repository"] for task in tasks(*folders)} == {
        "repo": str(folders[0]),
        "b-repo": str(folders[1]),
    }
    histories.update(tasks(folders[1])[0])
    assert sorted(path.name for path in out.iterdir()) == ["repository=b-repo", "repository=repo"]
    # One that is moved takes it along under its name.
    moved = folders[0].rename(tmp_path / "c")
    assert histories.update(tasks(f"repo={moved}")[0])["state"] == "up to date"
    assert [task["name"] for task in tasks(moved)] == ["repo"]


def test_the_files_are_read_by_their_records_in_sql_too(con, tasks, out, clock, monkeypatch):
    histories.update(tasks(clock.repo)[0])
    (out / "repository=repo/changes-000009.parquet").write_bytes(
        (out / "repository=repo/changes-000001.parquet").read_bytes()
    )
    (out.parent / "histories").symlink_to(out)
    monkeypatch.chdir(out.parent)
    (script,) = re.findall(r"^```sql\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
    *first, last = script.strip().removesuffix(";").split(";\n")
    for statement in first:
        con.execute(statement)
    assert con.execute(last).fetchall() == [("repo", 2)]


@pytest.mark.slow
def test_runs_over_a_long_history_are_one_run(con, tasks, out, tmp_path):
    """Ripgrep from tag to tag, where its .mailmap and attributes change too."""
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    repo = repositories.clone_bundle("ripgrep.bundle", tmp_path / "ripgrep")
    tags = ["12.1.1", "13.0.0", "14.0.0", "14.1.1", "15.0.0"]
    states = [histories.update(tasks(repo, tip=tag)[0])["state"] for tag in tags]
    assert states[0] == "written" and states.count("continued") >= 3, states
    assert contents(con, out) == expected(con, repo, tags[-1])
    shutil.rmtree(repo)
