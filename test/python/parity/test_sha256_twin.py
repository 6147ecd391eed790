"""The twin of ripgrep with SHA-256 ids, references in tables, a commit-graph and a multi-pack-index: every kind of table against git."""

import random

import patch_parity
import pytest
import repositories
from repositories import git_text

pytestmark = pytest.mark.slow

SEED = 20_261_127


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    if repositories.test_repositories() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of ripgrep.bundle")
    folder = tmp_path_factory.mktemp("twin")
    return repositories.sha256_twin(
        repositories.clone_bundle("ripgrep.bundle", folder / "ripgrep"), folder / "twin"
    )


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


def test_patches_are_those_of_git(con, twin):
    for old, new in random.Random(SEED).sample(repositories.history(twin)[1:], 60):
        patch_parity.assert_same(
            patch_parity.patches(con, twin, old, new),
            patch_parity.git_diff(twin, old, new),
            (old, new),
        )


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
