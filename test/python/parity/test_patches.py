"""file_patches, diff_hunks and diff_lines compared with git byte for byte, with each option."""

import random
import re

import duckdb
import pytest
import repositories
from patch_parity import LOOKED_FOR, PLAIN, assert_same, git_diff, patches, raw_rows

OPTIONS = {
    "": [],
    "context := 0": ["-U0"],
    "context := 1": ["-U1"],
    "context := 10": ["-U10"],
    "context := -1": [f"-U{repositories.WHOLE_FILE}"],
    "inter_hunk_context := 5": ["--inter-hunk-context=5"],
    "algorithm := 'minimal'": ["--minimal"],
    "algorithm := 'patience'": ["--patience"],
    "algorithm := 'histogram'": ["--histogram"],
    "ignore_whitespace := 'all'": ["-w"],
    "ignore_whitespace := 'change'": ["-b"],
    "ignore_whitespace := 'eol'": ["--ignore-space-at-eol"],
    "ignore_whitespace := 'cr_at_eol'": ["--ignore-cr-at-eol"],
    "ignore_blank_lines := true": ["--ignore-blank-lines"],
    "ignore_blank_lines := true, context := 0, ignore_whitespace := 'all'": [
        "--ignore-blank-lines",
        "-U0",
        "-w",
    ],
}
# Precedes each commit of a log; no file of ripgrep contains it.
MARK = b"\x01\x02commit "
MARK_FORMAT = "--format=%x01%x02commit %H"


def bare_clone(tmp_path_factory, name):
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    return repositories.clone_bundle(
        f"{name}.bundle", tmp_path_factory.mktemp("patches") / f"{name}.git", "--bare"
    )


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory):
    return bare_clone(tmp_path_factory, "ripgrep")


@pytest.fixture(scope="module")
def cargo(tmp_path_factory):
    return bare_clone(tmp_path_factory, "cargo")


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("pair", [("before", "after"), ("after", "before"), ("EMPTY", "after")])
def test_patches_of_the_fixture_equal_those_of_git(con, options, pair):
    repo = repositories.fixture("basic")
    empty = repositories.git_text(repo, "hash-object", "-t", "tree", "/dev/null")
    theirs = git_diff(
        repo, *(empty if side == "EMPTY" else side for side in pair), *OPTIONS[options]
    )
    assert_same(patches(con, repo, *pair, options), theirs, f"{pair} {options}")


@pytest.mark.parametrize(
    "repo",
    ["sha256", "drivers", "attributes-bare.git", "attributes-info-only", "attributes-uncommitted"],
)
def test_patches_of_other_kinds_of_repository_equal_those_of_git(con, repo):
    path = repositories.fixture(repo)
    assert_same(patches(con, path, "main~1", "main"), git_diff(path, "main~1", "main"), repo)


@pytest.mark.slow
def test_patches_of_a_whole_history_equal_those_of_git(con, ripgrep):
    log = repositories.git(ripgrep, "log", "-p", "--no-merges", MARK_FORMAT, *PLAIN, "HEAD")
    roots = repositories.git_text(ripgrep, "rev-list", "--max-parents=0", "HEAD").split()
    compared = 0
    for part in log.split(MARK)[1:]:
        commit, _, theirs = part.partition(b"\n")
        commit = commit.decode()
        ours = patches(con, ripgrep, "EMPTY" if commit in roots else f"{commit}^", commit)
        # The log puts an empty line before each patch, and one after each but the last.
        assert_same(ours.strip(b"\n"), theirs.strip(b"\n"), commit)
        compared += 1
    assert compared > 2000


@pytest.mark.slow
def test_patches_of_a_sample_of_a_large_history_equal_those_of_git(con, cargo):
    commits = repositories.git_text(
        cargo, "rev-list", "--no-merges", "--min-parents=1", "HEAD"
    ).split()
    sample = random.Random(20_000_101).sample(commits, 1000)
    log = repositories.git(
        cargo,
        "log",
        "-p",
        "--no-walk=unsorted",
        "--stdin",
        MARK_FORMAT,
        *PLAIN,
        stdin="\n".join(sample).encode(),
    )
    parts = log.split(MARK)[1:]
    assert len(parts) == len(sample)
    for part in parts:
        commit, _, theirs = part.partition(b"\n")
        commit = commit.decode()
        assert_same(
            patches(con, cargo, f"{commit}^", commit).strip(b"\n"), theirs.strip(b"\n"), commit
        )


@pytest.mark.parametrize("count", [15, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [options for options in OPTIONS if options])
def test_patches_with_an_option_equal_those_of_git(con, ripgrep, options, count):
    commits = repositories.git_text(
        ripgrep, "rev-list", "--no-merges", "--min-parents=1", "HEAD"
    ).split()
    sample = random.Random(options).sample(commits, count)
    log = repositories.git(
        ripgrep, "log", "-p", "--no-walk=unsorted", MARK_FORMAT, *PLAIN, *OPTIONS[options], *sample
    )
    for part in log.split(MARK)[1:]:
        commit, _, theirs = part.partition(b"\n")
        commit = commit.decode()
        assert_same(
            patches(con, ripgrep, f"{commit}^", commit, options).strip(b"\n"),
            theirs.strip(b"\n"),
            commit,
        )


def test_hunks_are_those_of_the_patch(con):
    repo = str(repositories.fixture("basic"))
    whole = dict(
        con.execute(
            "SELECT file_path, patch FROM file_patches('before', 'after', ?)", [repo]
        ).fetchall()
    )
    hunks = con.execute("SELECT * FROM diff_hunks('before', 'after', ?)", [repo]).fetchall()
    assert len(hunks) > 50
    header = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?\n")
    for path, number, old_start, old_lines, new_start, new_lines, section, patch, *ids in hunks:
        found = header.match(patch)
        numbers = [int(text) if text else 1 for text in found.groups()[:4]]
        assert numbers == [old_start, old_lines, new_start, new_lines], path
        assert section == (found[5] or ""), path
        assert number >= 1 and patch in whole[path] and len(set(ids)) == 2, path


def test_the_lines_of_all_files_equal_those_of_each(con):
    repo = str(repositories.fixture("basic"))
    for options in ("", ", context := 0", ", ignore_whitespace := 'all'"):
        lines = con.execute(
            f"SELECT * EXCLUDE (hunk_id, context_id) FROM diff_lines('before', 'after', ?{options})",
            [repo],
        ).fetchall()
        by_path = {}
        for path, *line, marks in lines:
            assert marks is None
            by_path.setdefault(path, []).append(tuple(line))
        assert len(by_path) > 50
        for path, expected in by_path.items():
            if "\ufffd" in path:
                continue
            one = con.execute(
                f"SELECT * FROM file_diff(?, 'before', 'after', ?{options})", [path, repo]
            ).fetchall()
            assert one == expected, path


@pytest.mark.parametrize(
    "options",
    ["", "ignore_whitespace := 'all'", "algorithm := 'histogram'", "ignore_blank_lines := true"],
)
def test_line_counts_equal_the_lines_of_the_patch(con, options):
    repo = str(repositories.fixture("basic"))
    named = f", {options}" if options else ""
    rows = con.execute(
        f"""SELECT c.file_path FROM file_changes('before', 'after', '{repo}'{named}) c
            JOIN (SELECT file_path, count(*) FILTER (line_type = 'ADDED') a, count(*) FILTER (line_type = 'REMOVED') d
                  FROM diff_lines('before', 'after', '{repo}'{named}) GROUP BY file_path) l USING (file_path)
            WHERE NOT c.is_binary AND c.status <> 'type_changed' AND (c.additions <> a OR c.deletions <> d)"""
    ).fetchall()
    assert rows == []


def test_git_applies_our_patches(con, ripgrep, tmp_path):
    repositories.git(".", "clone", "-q", str(ripgrep), str(tmp_path / "work"))
    repo = tmp_path / "work"
    for commit in repositories.git_text(
        repo, "rev-list", "--no-merges", "--min-parents=1", "-40", "HEAD"
    ).split():
        repositories.git(repo, "checkout", "-q", f"{commit}^")
        repositories.git(
            repo, "apply", "--index", "-", stdin=patches(con, repo, f"{commit}^", commit)
        )
        assert repositories.git_text(repo, "write-tree") == repositories.git_text(
            repo, "rev-parse", f"{commit}^{{tree}}"
        )
        repositories.git(repo, "reset", "-q", "--hard")


# -- renames and copies -------------------------------------------------------------------------

RENAMES = {
    "renames := true": ["-M"],
    "renames := true, similarity := 30": ["-M30%"],
    "renames := true, similarity := 90": ["-M90%"],
    "renames := true, similarity := 100": ["-M100%"],
    "renames := true, rename_limit := 1": ["-M", "-l1"],
    "copies := true": ["-C"],
    "copies := true, ignore_whitespace := 'all'": ["-C", "-w"],
}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(one, marks=pytest.mark.slow if one == "renames := true" else ())
        for one in RENAMES
    ],
)
def test_patches_of_renamed_files_equal_those_of_git(con, ripgrep, options):
    if options == "renames := true":
        commits = repositories.git_text(
            ripgrep, "rev-list", "--no-merges", "--min-parents=1", "HEAD"
        ).split()
    else:
        moving = repositories.git_text(
            ripgrep,
            "log",
            "--no-merges",
            "--min-parents=1",
            "-M30%",
            "-C30%",
            "--diff-filter=RC",
            "--format=%H",
            "HEAD",
        )
        commits = moving.split()
    log = repositories.git(
        ripgrep,
        "log",
        "-p",
        "--no-walk=unsorted",
        MARK_FORMAT,
        *LOOKED_FOR,
        *RENAMES[options],
        *commits,
    )
    parts = log.split(MARK)[1:]
    assert len(parts) == len(commits) >= 20
    for part in parts:
        commit, _, theirs = part.partition(b"\n")
        commit = commit.decode()
        assert_same(
            patches(con, ripgrep, f"{commit}^", commit, options).strip(b"\n"),
            theirs.strip(b"\n"),
            commit,
        )


WIDE_RANGES = [
    ("0.2.0", "0.10.0"),
    ("0.10.0", "13.0.0"),
    ("13.0.0", "HEAD"),
    ("HEAD", "0.9.0"),
]


# The merge gate looks with each option through every other range, and through each range with every other option.
@pytest.mark.parametrize(
    ("options", "ranges"),
    [
        pytest.param(
            options,
            WIDE_RANGES[(number + turn) % 2 :: 2],
            id=f"{options} {turn}",
            marks=pytest.mark.slow if turn else (),
        )
        for number, options in enumerate(RENAMES)
        for turn in range(2)
    ],
)
def test_renames_over_a_wide_range_equal_those_of_git(con, ripgrep, options, ranges):
    for old, new in ranges:
        rows = con.execute(
            f"SELECT file_path, status, old_path, similarity FROM file_changes(?, ?, ?, {options})",
            [old, new, str(ripgrep)],
        ).fetchall()
        assert rows == raw_rows(ripgrep, old, new, *RENAMES[options]), (old, new)
        if "whitespace" in options:
            continue
        numbers = con.execute(
            f"SELECT additions, deletions FROM file_changes(?, ?, ?, {options})",
            [old, new, str(ripgrep)],
        ).fetchall()
        counts = repositories.git_text(
            ripgrep, "diff", *LOOKED_FOR, "--numstat", *RENAMES[options], old, new
        )
        theirs = [
            tuple(None if n == "-" else int(n) for n in line.split("\t")[:2])
            for line in counts.splitlines()
        ]
        assert numbers == theirs, (old, new)


def test_renames_of_the_fixture_equal_those_of_git(con):
    repo = repositories.fixture("basic")
    for pair in [("before", "after"), ("after", "before")]:
        for options, arguments in RENAMES.items():
            theirs = repositories.git(repo, "diff", *LOOKED_FOR, *arguments, *pair)
            assert_same(patches(con, repo, *pair, options), theirs, f"{pair} {options}")


# -- ranges -------------------------------------------------------------------------------------


def names(con, sql, *parameters):
    return [
        row[0] for row in con.execute(f"SELECT file_path FROM {sql}", list(parameters)).fetchall()
    ]


def test_ranges_are_read_as_by_git(con, tmp_path):
    repo = tmp_path / "branches"
    git = lambda *arguments: repositories.git(
        repo, "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments
    )
    repositories.git(tmp_path, "init", "-q", "-b", "main", str(repo))
    for branch, start, file in [
        ("main", None, "base"),
        ("feature", "main", "new"),
        ("main", None, "later"),
    ]:
        if start:
            git("checkout", "-q", "-b", branch, start)
        elif file == "later":
            git("checkout", "-q", branch)
        (repo / file).write_text(f"{file}\n")
        git("add", file)
        git("commit", "-q", "-m", file)
    path = str(repo)
    for range_, _options in [
        ("main..feature", []),
        ("main...feature", []),
        ("feature...main", []),
        ("main..", []),
        ("..feature", []),
    ]:
        theirs = repositories.git_text(repo, "diff", "--name-only", "--no-renames", range_).split()
        assert names(con, "file_changes(?, NULL, ?)", range_, path) == theirs, range_
        whole = con.execute(
            "SELECT patch_bytes FROM file_patches(?, NULL, ?)", [range_, path]
        ).fetchall()
        assert b"".join(row[0] for row in whole) == repositories.git(repo, "diff", *PLAIN, range_)
    assert names(con, "file_changes('main', 'feature', ?, merge_base := true)", path) == ["new"]
    assert names(con, "file_changes('main..feature', NULL, ?, merge_base := true)", path) == ["new"]
    # One revision is compared with the work tree, where `main` is checked out.
    assert names(con, "file_changes('main', NULL, ?)", path) == []
    assert (
        names(con, "file_changes('feature', NULL, ?)", path)
        == repositories.git_text(repo, "diff", "--name-only", "feature").split()
    )
    with pytest.raises(duckdb.Error, match="invalid_args: 'main..feature' is a range"):
        names(con, "file_changes('main..feature', 'main', ?)", path)
    git("checkout", "-q", "--orphan", "apart")
    git("commit", "-q", "-m", "apart")
    with pytest.raises(duckdb.Error, match="not_found: .*no merge base"):
        names(con, "file_changes('main...apart', NULL, ?)", path)


@pytest.mark.parametrize(
    "argument",
    [
        "algorithm := 'quick'",
        "ignore_whitespace := 'tabs'",
        "context := -2",
        "inter_hunk_context := -1",
        "similarity := 101",
    ],
)
@pytest.mark.parametrize("function", ["file_changes", "file_patches", "diff_hunks", "diff_lines"])
def test_bad_options_are_refused(con, function, argument):
    with pytest.raises(duckdb.Error, match=f"invalid_args: {argument.split()[0]} is"):
        con.execute(f"SELECT * FROM {function}('HEAD', 'HEAD', '.', {argument})").fetchall()
