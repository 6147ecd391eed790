"""Repositories as git 3 makes them, with SHA-256 ids and references in tables: other tests on such twins, and every kind of
table on the twin of ripgrep, which has a commit-graph and a multi-pack-index.

`make test-slow` runs all tests of parity on twins; here it is a sample.
"""

import os
import random
import re
import subprocess
import sys

import patch_parity
import pytest
import repositories
from repositories import git_text

SEED = 20_261_127
# A test of each kind of table.
SAMPLE = [
    "history/test_blame.py::test_every_file_of_the_cases_is_blamed_as_git_does_it",
    "history/test_file_history.py::test_files_are_followed_through_renames_and_copies_as_in_git",
    "history/test_history.py::test_rows_equal_those_of_git_log",
    "history/test_line_history.py::test_lines_are_followed_through_renames_and_merges",
    "history/test_tables.py::test_random_histories_are_simplified_as_git_does_it",
    "history/test_tables.py::test_the_references_are_those_of_git_for_each_ref",
    "parity/test_combined.py::test_combined_patches_of_random_merges_equal_those_of_git",
    "parity/test_combined.py::test_files_that_differ_from_all_parents_are_those_of_git",
    "parity/test_patches.py::test_renames_of_the_fixture_equal_those_of_git",
    "parity/test_status.py::test_every_kind_of_conflict_is_listed",
    "parity/test_status.py::test_every_state_of_a_file_is_listed",
    "parity/test_tree_files.py::test_every_file_of_a_fixture_is_listed_and_read",
    "parity/test_work_tree.py::test_a_linked_work_tree_has_its_own_index",
    "rebase/test_patch_ids.py::test_the_patches_of_commits_have_the_ids_of_git",
]


@pytest.mark.slow
def test_a_sample_of_the_tests_of_parity_passes_on_twins(extension):
    folder = repositories.ROOT / "test/python"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    without = {"REDLINE_TEST_REPOS", "PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS"}
    done = subprocess.run(
        [*command, *(f"{folder}/{test}" for test in SAMPLE)],
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name not in without}
        | {"REDLINE_TEST_TWIN": "1", "REDLINE_EXTENSION": str(extension)},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= 2 * len(SAMPLE)


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of ripgrep.bundle")
    folder = tmp_path_factory.mktemp("twin")
    return repositories.sha256_twin(
        repositories.clone_bundle("ripgrep.bundle", folder / "ripgrep"), folder / "twin"
    )


@pytest.mark.slow
def test_commits_and_references_are_those_of_git(con, twin):
    theirs = [
        tuple(line.split("\t"))
        for line in git_text(twin, "log", "--format=%H%x09%T%x09%P%x09%an%x09%ct").splitlines()
    ]
    ours = con.execute(
        "SELECT commit_id, tree_id, array_to_string(parent_ids, ' '), author_name, epoch(committer_date)::BIGINT::VARCHAR FROM commits('HEAD', ?)",
        [str(twin)],
    ).fetchall()
    assert ours == theirs and len(theirs[0][0]) == 64 and len(theirs) > 2000
    names = sorted(
        tuple(line.split())
        for line in git_text(twin, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    )
    rows = con.execute(
        "SELECT name, object_id FROM refs(?) WHERE name != 'HEAD' ORDER BY name", [str(twin)]
    ).fetchall()
    assert rows == names and len(rows) > 1
    tips = random.Random(SEED).sample([row[0] for row in theirs], 40)
    for one, two in zip(tips[::2], tips[1::2]):
        distance = con.execute("SELECT ahead_behind(?, ?, ?)", [one, two, str(twin)]).fetchone()[0]
        assert f"{distance['ahead']}\t{distance['behind']}" == git_text(
            twin, "rev-list", "--left-right", "--count", f"{one}...{two}"
        )
        assert con.execute("SELECT merge_base(?, ?, ?)", [one, two, str(twin)]).fetchone()[
            0
        ] == git_text(twin, "merge-base", one, two)
        assert (
            con.execute("SELECT resolve_revision(?, ?)", [one[:12], str(twin)]).fetchone()[0] == one
        )


@pytest.mark.slow
def test_changes_of_commits_are_those_of_git(con, twin):
    printed = git_text(
        twin,
        "log",
        "--no-merges",
        "--no-renames",
        "--raw",
        "--no-abbrev",
        "--format=%x00%H",
        "HEAD",
    )
    theirs = []
    for record in printed.split("\0")[1:]:
        commit, *lines = record.strip("\n").split("\n")
        for line in filter(None, lines):
            modes, path = line.split("\t")
            theirs.append((commit, path, *modes[1:].split(" ")[2:4]))
    rows = con.execute(
        "SELECT commit_id, file_path, coalesce(old_oid, repeat('0', 64)), coalesce(new_oid, repeat('0', 64)) FROM commit_changes('HEAD', ?)",
        [str(twin)],
    ).fetchall()
    assert not repositories.first_differences(rows, theirs) and len(rows) > 5000


@pytest.mark.slow
def test_patches_are_those_of_git(con, twin):
    for old, new in random.Random(SEED).sample(repositories.history(twin)[1:], 60):
        patch_parity.assert_same(
            patch_parity.patches(con, twin, old, new),
            patch_parity.git_diff(twin, old, new),
            (old, new),
        )


@pytest.mark.slow
def test_blame_and_trees_are_those_of_git(con, twin):
    listed = [line.split("\t") for line in git_text(twin, "ls-tree", "-r", "HEAD").splitlines()]
    rows = con.execute("SELECT file_path, oid FROM tree_files('HEAD', ?)", [str(twin)]).fetchall()
    assert rows == [(path, entry.split()[2]) for entry, path in listed]
    sources = [path for _, path in listed if path.endswith(".rs")]
    for path in random.Random(SEED).sample(sources, 12):
        theirs = [
            line.split(" ")[0].lstrip("^")
            for line in git_text(twin, "blame", "--abbrev=64", "HEAD", "--", path).splitlines()
        ]
        ours = [
            commit
            for (commit,) in con.execute(
                "SELECT commit_id FROM file_blame(?, 'HEAD', ?) ORDER BY line", [path, str(twin)]
            ).fetchall()
        ]
        assert [commit[:63] for commit in ours] == [commit[:63] for commit in theirs], path
