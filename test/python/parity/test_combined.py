"""Combined diffs of merges and of conflicts, compared with git byte for byte."""

import json
import pathlib
import random

import pytest
import random_merges
import repositories
from patch_parity import LETTERS, assert_same

MARK = b"\x01\x02commit "
MARK_FORMAT = "--format=%x01%x02commit %H"
PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color"]
FORMS = {"combined": "--cc", "combined_all": "-c"}
OPTIONS = {
    "context := 0": ["-U0"],
    "context := 1": ["-U1"],
    "context := 10": ["-U10"],
    "context := -1": [f"-U{repositories.WHOLE_FILE}"],
    "algorithm := 'patience'": ["--patience"],
    "algorithm := 'histogram'": ["--histogram"],
    "ignore_whitespace := 'all'": ["-w"],
    "ignore_whitespace := 'change'": ["-b"],
    "ignore_whitespace := 'eol'": ["--ignore-space-at-eol"],
    "ignore_whitespace := 'cr_at_eol'": ["--ignore-cr-at-eol"],
    "ignore_blank_lines := true": ["--ignore-blank-lines"],
    "renames := true": ["-M"],
    "copies := true, similarity := 40": ["-C40"],
}


@pytest.fixture(scope="module")
def cloned(tmp_path_factory):
    """Returns a function that clones a repository of the tests and returns it with its merges."""
    known = {}

    def clone(name: str) -> tuple[pathlib.Path, list[str]]:
        if repositories.bundle_folder() is None:
            pytest.skip("REDLINE_TEST_REPOS is not set")
        if name not in known:
            target = repositories.clone_bundle(
                f"{name}.bundle", tmp_path_factory.mktemp("combined") / f"{name}.git", "--bare"
            )
            known[name] = (
                target,
                repositories.git_text(target, "rev-list", "--merges", "--all").split(),
            )
        return known[name]

    return clone


@pytest.fixture(scope="module")
def random_repo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merges") / "r.git"
    return folder, random_merges.merges(folder, 20_261_124, 60)


def ours(con, repo, commit, form, options=""):
    named = f", {options}" if options else ""
    rows = con.execute(
        f"SELECT patch_bytes FROM file_patches(?, NULL, ?, merges := ?{named})",
        [f"{commit}^!", str(repo), form],
    ).fetchall()
    return b"".join(row[0] for row in rows)


def git_patches(repo, commits, *options):
    """Returns what git prints of each commit."""
    renames = [] if any(option[:2] in ("-M", "-C") for option in options) else ["--no-renames"]
    log = repositories.git(
        repo,
        "log",
        "-p",
        "--no-walk=unsorted",
        "--stdin",
        MARK_FORMAT,
        *PLAIN,
        *renames,
        *options,
        stdin="\n".join(commits).encode(),
    )
    parts = [part.partition(b"\n") for part in log.split(MARK)[1:]]
    assert [commit.decode() for commit, _, _ in parts] == list(commits)
    return {commit.decode(): patch for commit, _, patch in parts}


def check_patches(con, repo, commits, form, options="", git_options=()):
    shown = 0
    for commit, theirs in git_patches(repo, commits, FORMS[form], *git_options).items():
        found = ours(con, repo, commit, form, options)
        assert_same(found.strip(b"\n"), theirs.strip(b"\n"), f"{commit} {form} {options}")
        shown += bool(found)
    return shown


@pytest.mark.parametrize("form", FORMS)
def test_combined_patches_of_a_sample_of_merges_equal_those_of_git(con, cloned, form):
    repo, merges = cloned("ripgrep")
    check_patches(con, repo, random.Random(1).sample(merges, min(60, len(merges))), form)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["ripgrep", "cargo"])
def test_combined_patches_of_all_merges_equal_those_of_git(con, cloned, name, form):
    repo, merges = cloned(name)
    assert check_patches(con, repo, merges, form) or form == "combined"


@pytest.mark.parametrize("form", FORMS)
def test_combined_patches_of_random_merges_equal_those_of_git(con, random_repo, form):
    assert check_patches(con, *random_repo, form) > 50


@pytest.mark.parametrize("options", OPTIONS)
def test_combined_patches_with_an_option_equal_those_of_git(con, random_repo, options):
    repo, merges = random_repo
    for form in FORMS:
        check_patches(con, repo, merges[:8], form, options, OPTIONS[options])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_combined_patches_of_many_random_merges_equal_those_of_git(con, tmp_path, seed):
    repo, dice = tmp_path / "r.git", random.Random(seed)
    merges = random_merges.merges(repo, seed, 100)
    for form in FORMS:
        check_patches(con, repo, merges, form)
        options = dice.choice(list(OPTIONS))
        check_patches(con, repo, merges, form, options, OPTIONS[options])


@pytest.mark.parametrize("seed", range(12))
def test_patches_of_conflicts_equal_those_of_git(con, tmp_path, seed):
    repo = tmp_path / "conflicts"
    random_merges.conflicts(repo, seed)
    for form, option in FORMS.items():
        theirs = repositories.git(repo, "diff", *PLAIN, "--no-renames", option)
        rows = con.execute(
            "SELECT patch_bytes FROM file_patches('INDEX', 'WORKTREE', ?, merges := ?)",
            [str(repo), form],
        ).fetchall()
        assert_same(b"".join(row[0] for row in rows), theirs, f"{seed} {form}")
    assert_same(
        b"".join(
            row[0]
            for row in con.execute(
                "SELECT patch_bytes FROM file_patches('INDEX', 'WORKTREE', ?)", [str(repo)]
            ).fetchall()
        ),
        repositories.git(repo, "diff", *PLAIN, "--no-renames", "--ours"),
        f"{seed} first_parent",
    )


def test_a_conflict_of_two_branches_is_shown_as_git_diff_shows_it(con, tmp_path):
    roles = {
        f"GIT_{role}_{part}": "a@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    who = repositories.environment(**roles)
    repositories.git(tmp_path, "init", "-q", "-b", "main", ".")

    def commit(content):
        (tmp_path / "f").write_text(content)
        repositories.git(tmp_path, "add", ".")
        repositories.git(tmp_path, "commit", "-q", "-m", "m", env=who)

    commit("".join(f"{line}\n" for line in range(30)))
    repositories.git(tmp_path, "branch", "side")
    commit("".join(f"{line}\n" if line != 12 else "ours\n" for line in range(30)))
    repositories.git(tmp_path, "checkout", "-q", "side")
    commit("".join(f"{line}\n" if line != 12 else "theirs\n" for line in range(30)))
    repositories.git(tmp_path, "checkout", "-q", "main")
    with pytest.raises(repositories.GitFailed):
        repositories.git(tmp_path, "merge", "-q", "side", env=who)
    theirs = repositories.git(tmp_path, "diff", *PLAIN)
    assert b"++<<<<<<<" in theirs
    [(path, status, patch)] = con.execute(
        "SELECT file_path, status, patch_bytes FROM file_patches('INDEX', NULL, ?, merges := 'combined')",
        [str(tmp_path)],
    ).fetchall()
    assert (path, status, patch) == ("f", "unmerged", theirs)


@pytest.mark.parametrize("form", FORMS)
def test_lines_with_their_marks_are_those_of_the_patch(con, random_repo, form):
    repo, merges = random_repo
    for commit in merges[:20]:
        arguments = [f"{commit}^!", str(repo), form]
        patches = con.execute(
            "SELECT file_path, patch FROM file_patches(?, NULL, ?, merges := ?)", arguments
        ).fetchall()
        lines = con.execute(
            "SELECT file_path, line_type, marks, content, old_line, new_line FROM diff_lines(?, NULL, ?, merges := ?)",
            arguments,
        ).fetchall()
        for path, patch in patches:
            body = patch.split("\n@@", 1)[1] if "\n@@" in patch else ""
            wanted = [line for line in body.split("\n")[1:-1] if not line.startswith("@@@")]
            found = [row for row in lines if row[0] == path and row[1] != "BINARY"]
            assert [marks + content for _, _, marks, content, _, _ in found] == wanted, (
                commit,
                path,
            )
            for _, line_type, marks, _, old, new in found:
                assert (new is None) is (line_type == "REMOVED") is ("-" in marks)
                assert (old is None) is (
                    marks[0] == ("+" if line_type == "ADDED" else " ")
                    if line_type != "CONTEXT"
                    else False
                )


@pytest.mark.parametrize("options", ["", ", renames := true"])
def test_files_that_differ_from_all_parents_are_those_of_git(con, random_repo, options):
    repo, merges = random_repo
    renames = "-M" if options else "--no-renames"
    wanted = []
    log = repositories.git(
        repo,
        "log",
        "--merges",
        "--all",
        "--cc",
        "--raw",
        "-z",
        renames,
        "--format=%x01%x02commit %H",
    ).decode()
    for part in log.split("\x01\x02commit ")[1:]:
        fields = part.split("\0")
        commit, rows = fields[0], [field.lstrip("\n") for field in fields[1:]]
        at = 0
        while at < len(rows):
            if rows[at].startswith("::"):
                colons = len(rows[at]) - len(rows[at].lstrip(":"))
                words = rows[at][colons:].split(" ")
                letters = words[-1]
                wanted.append(
                    (
                        commit,
                        rows[at + 1],
                        LETTERS.get(letters[0], letters[0]),
                        words[0],
                        words[colons],
                    )
                )
                at += 1
            at += 1
    rows = con.execute(
        f"SELECT commit_id, file_path, status, old_mode, new_mode FROM commit_changes('ALL', ?, merges := 'combined'{options})",
        [str(repo)],
    ).fetchall()
    merged = set(merges)
    type_changed = lambda status: "modified" if status == "type_changed" else status
    found = [
        (commit, path, type_changed(status), old or "000000", new or "000000")
        for commit, path, status, old, new in rows
        if commit in merged
    ]
    assert sorted(found) == sorted(
        (commit, path, type_changed(status), old, new) for commit, path, status, old, new in wanted
    )
    assert len(found) > 100


def test_the_tool_shows_a_merge_as_git_show_does(con, random_repo):
    repo, merges = random_repo
    # The pages of a tool put long files after short ones.
    by_file = lambda patch: sorted(("\n" + patch.strip("\n")).split("\ndiff --cc "))
    for commit in merges[:10]:
        arguments = {
            "rev": commit,
            "repo": str(repo),
            "merges": "combined",
            "format": "json",
            "max_bytes": 200_000,
        }
        (answer,) = con.execute(
            "SELECT redline_call('GitShow', ?)", [json.dumps(arguments)]
        ).fetchone()
        shown = json.loads(answer)["structuredContent"]
        theirs = git_patches(repo, [commit], "--cc", "-M")[commit].decode(errors="replace")
        assert by_file(shown["patch"]) == by_file(theirs), commit
        assert shown["files_changed"] >= len(by_file(theirs)) - 1


def test_a_commit_without_other_parents_is_compared_with_its_only_one(con):
    repo = str(repositories.fixture("readme"))
    both = "SELECT list(patch ORDER BY file_path) FROM file_patches({}, ?, merges := 'combined')"
    assert (
        con.execute(both.format("'v2^!', NULL"), [repo]).fetchall()
        == con.execute(both.format("'v1', 'v2'"), [repo]).fetchall()
    )
    assert (
        con.execute(both.format("'v1^!', NULL"), [repo]).fetchall()
        == con.execute(both.format("'EMPTY', 'v1'"), [repo]).fetchall()
    )
