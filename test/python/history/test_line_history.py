"""line_history lists what `git log -L` lists: each commit with the patch of the lines, and the lines of its own version."""

import pathlib
import random
import re

import duckdb
import pytest
import repositories
from histories import PARENTS, Clock, each_file, write

SEED = 20_261_128


def git_lines(repo, lines: str, rev: str = "HEAD", *options: str) -> list[tuple]:
    """Returns commit, path and patch of each file that a commit changed; `lines` is the argument of -L."""
    printed = repositories.git(repo, "log", "--format=%x01commit %H", *options, "-L", lines, rev)
    rows = []
    for entry in printed.split(b"\x01commit ")[1:]:
        commit, _, body = entry.partition(b"\n")
        if not body.strip(b"\n"):
            # Of a merge git prints no patch.
            rows.append((commit.decode(), None, ""))
        for patch in re.split(rb"(?m)^(?=diff --git a/)", body.lstrip(b"\n")):
            if patch:
                # The next commit is set off by an empty line.
                patch = patch.removesuffix(b"\n") if patch.endswith(b"\n\n") else patch
                rows.append(
                    (
                        commit.decode(),
                        re.search(rb"(?m)^\+\+\+ b/(.*)$", patch)[1].decode(),
                        repositories.lossy(patch),
                    )
                )
    return rows


def history(con, repo, file: str, first, last, rev: str = "HEAD", **options) -> list[tuple]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    return con.execute(
        f"SELECT commit_id, file_path, patch, first_line, last_line FROM line_history($file, $first, $last, $rev, $repo{arguments})",
        {"file": file, "first": first, "last": last, "rev": rev, "repo": str(repo), **options},
    ).fetchall()


def assert_same(got: list[tuple], wanted: list[tuple], what="") -> int:
    """Compares; the lines that a row names hold all of its hunks. Returns how many rows name just these."""
    rows = [(commit, path if patch else None, patch) for commit, path, patch, *_ in got]
    difference = repositories.first_differences(rows, wanted)
    assert not difference, f"{what} against {repositories.git_version()}\n{difference}"
    exact = 0
    for _, _, patch, first, last in got:
        hunks = [
            (int(start), int(start) + int(count) - 1)
            for start, count in re.findall(r"(?m)^@@ -\S+ \+(\d+),(\d+) @@$", patch)
        ]
        if not patch:
            assert first <= last
            continue
        assert first <= hunks[0][0] and hunks[-1][1] <= last, (what, patch)
        exact += (first, last) == (hunks[0][0], hunks[-1][1])
    return exact


@pytest.mark.parametrize("git, options", PARENTS, ids=["plain", "first-parent"])
def test_the_files_of_the_cases_have_git_s_history(con, cases, git, options):
    compared = 0
    for rev, file in each_file(cases):
        content = repositories.git(cases, "show", f"{rev.split('..')[-1]}:{file}")
        count = len(content.split(b"\n"))
        for first, last in {(1, count), (max(1, count // 2), count), (1, 1)}:
            if first > count or not content:
                continue
            last = min(last, max(count - 1, 1))
            wanted = git_lines(cases, f"{first},{last}:{file}", rev, *git)
            assert_same(
                history(con, cases, file, min(first, last), max(first, last), rev, **options),
                wanted,
                (file, first, last, rev),
            )
            compared += len(wanted)
    assert compared > 30


@pytest.fixture(scope="module")
def moved(tmp_path_factory) -> pathlib.Path:
    """Returns a repository whose file is renamed, edited on two sides at once, joined, and without a last newline."""
    repo = tmp_path_factory.mktemp("moved")
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    text = lambda *changed: "".join(
        f"fn part_{number}() {{\n    {changed[0] if changed and number in changed[1:] else 'body'} {number}\n}}\n\n"
        for number in range(12)
    )
    clock.commit("begin", files={"src/old.rs": text(), ".gitattributes": "*.rs diff=rust\n"})
    clock.commit("edit", files={"src/old.rs": text("first", 2, 7)})
    repositories.git(repo, "mv", "src/old.rs", "src/new.rs")
    clock.commit("move", files={"src/new.rs": text("first", 2, 7, 8)})
    write(repo, "checkout --quiet -b side")
    clock.commit("on the side", files={"src/new.rs": text("side", 2)})
    write(repo, "checkout --quiet main")
    clock.commit(
        "on main", files={"src/new.rs": text("first", 2, 7, 8).replace("body 10", "main 10")}
    )
    who = {
        f"GIT_{role}_{part}": "a@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    write(repo, "merge --quiet --no-commit --strategy=ours side", **who)
    clock.commit(
        "joined by hand",
        files={"src/new.rs": text("joined", 2, 7).replace("body 10", "main 10").rstrip("\n")},
    )
    clock.commit("nothing of it", files={"other": "x\n"})
    clock.commit(
        "last line",
        files={"src/new.rs": text("joined", 2, 7).replace("body 10", "main 10") + "// end"},
    )
    return repo


@pytest.mark.parametrize(
    "lines", [(1, 1), (9, 12), (5, 40), (1, 48), (30, 35), (45, 48), (48, 49), (41, 43)]
)
@pytest.mark.parametrize("rev", ["main", "main~3", "side", "main~5..main"])
def test_lines_are_followed_through_renames_and_merges(con, moved, lines, rev):
    count = len(repositories.git(moved, "show", f"{rev.split('..')[-1]}:src/new.rs").splitlines())
    if lines[0] > count:
        return
    wanted = git_lines(moved, f"{lines[0]},{min(lines[1], count)}:src/new.rs", rev)
    assert_same(history(con, moved, "src/new.rs", *lines, rev), wanted, (lines, rev))


@pytest.mark.parametrize(
    "name", ["part_2", "^fn part_7", "part_1", "part_11(", r"part_\(3\|4\)", "fn"]
)
def test_a_function_is_found_by_its_name(con, moved, name):
    wanted = git_lines(moved, f":{name}:src/new.rs", "main")
    assert wanted
    assert_same(history(con, moved, f":{name}:src/new.rs", None, None, "main"), wanted, name)


def test_times_and_lists(con, moved):
    times = [int(time) for time in repositories.git_text(moved, "log", "--format=%ct").split()]
    since, until = (f"make_timestamptz({times[index]}000000)" for index in (5, 2))
    got = con.execute(
        f"SELECT commit_id FROM line_history('src/new.rs', 1, 48, 'main', ?, since := {since})",
        [str(moved)],
    ).fetchall()
    assert [row[0] for row in got] == list(
        dict.fromkeys(
            row[0] for row in git_lines(moved, "1,48:src/new.rs", "main", f"--since=@{times[5]}")
        )
    )
    got = con.execute(
        f"SELECT commit_id FROM line_history('src/new.rs', 1, 48, 'main', ?, until := {until})",
        [str(moved)],
    ).fetchall()
    assert [row[0] for row in got] == list(
        dict.fromkeys(
            row[0] for row in git_lines(moved, "1,48:src/new.rs", "main", f"--until=@{times[2]}")
        )
    )
    table = con.execute(
        "SELECT commit_id, patch FROM line_history('src/new.rs', 9, 12, 'main', ?)", [str(moved)]
    ).fetchall()
    query = "SELECT row.commit_id, row.patch FROM (SELECT unnest(line_history_list('src/new.rs', 9, 12, 'main', ?)) AS row)"
    assert con.execute(query, [str(moved)]).fetchall() == table and len(table) > 2


def test_a_function_in_a_class_is_one_where_an_attribute_names_the_language(con, tmp_path):
    repo = tmp_path
    write(repo, "init --quiet --initial-branch=main .")
    text = "class One:\n    x = 1\n\n    def two(self):\n        return 2\n"
    Clock(repo).commit("begin", files={"a.py": text})
    query = "SELECT first_line, last_line FROM line_history(':two:a.py', NULL, NULL, 'main', ?)"
    said = "no function of 'a.py' matches 'two'. Line 4 does, but is not taken .* diff=rust"
    with pytest.raises(duckdb.Error, match=said):
        con.execute(query, [str(repo)]).fetchall()
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("*.py diff=python\n")
    assert con.execute(query, [str(repo)]).fetchall() == [(4, 5)]


def test_wrong_lines_files_and_ranges_are_refused(con, moved):
    for arguments, code, words in [
        (("src/new.rs", 500, 501, "main"), "invalid_args", "the file has 49"),
        (("src/new.rs", 0, 1, "main"), "invalid_args", "first is 0"),
        (("src/new.rs", 5, 4, "main"), "invalid_args", "first is 5 and last is 4"),
        (("src/nwe.rs", 1, 2, "main"), "not_found", "Did you mean 'src/new.rs'?"),
        (("src", 1, 2, "main"), "not_found", "there is no file"),
        (("src/new.rs", 1, 2, "ALL"), "invalid_args", "names several commits"),
        (("src/new.rs", 1, 2, "WORKTREE"), "invalid_args", "WORKTREE"),
        (("src/new.rs", 1, 2, "mian"), "not_found", "Did you mean 'main'"),
        ((":nothing:src/new.rs", None, None, "main"), "not_found", "no function of 'src/new.rs'"),
        ((":part_2", None, None, "main"), "invalid_args", "':name:file'"),
        (
            (r":\(:src/new.rs", None, None, "main"),
            "invalid_args",
            "is not a basic regular expression",
        ),
    ]:
        with pytest.raises(duckdb.Error) as caught:
            history(con, moved, *arguments[:3], rev=arguments[3])
        got, said = repositories.code_and_words(str(caught.value))
        assert got == code and words in said, (arguments, got, said)
    # Its absolute end is beyond the file, and NULL is all of it.
    assert history(con, moved, "src/new.rs", 1, 10_000, "main") == history(
        con, moved, "src/new.rs", None, None, "main"
    )


def tangled(repo: pathlib.Path, dice: random.Random, size: int) -> None:
    """Writes merges, roots and clocks that are wrong; each commit edits lines of one file, or none."""
    write(repo, "init --quiet --initial-branch=main .")
    stream, text = [], [f"line {number}" for number in range(8)]
    clock = dice.choice(["true", "skewed", "wild", "same"])
    window, rooted = dice.choice([1, 2, 4, 12]), dice.choice([0, 0, 0.05])
    for number in range(1, size + 1):
        after = {
            "true": number,
            "skewed": number + dice.randrange(-6, 6),
            "wild": dice.randrange(size),
            "same": 0,
        }[clock]
        stream.append(
            f"commit refs/heads/c{number}\nmark :{number}\ncommitter A <a@b> {1_700_000_000 + after} +0000\ndata 1\nx\n"
        )
        known = range(max(1, number - window), number)
        parents = dice.sample(known, min(dice.choice([1, 1, 2, 2, 3]), len(known)))
        if number > 1 and dice.random() < rooted:
            parents = []
        for place, parent in enumerate(parents):
            stream.append(f"{'merge' if place else 'from'} :{parent}\n")
        if not parents or dice.random() < 0.7:
            text[dice.randrange(len(text))] = f"line of {number}"
            content = "\n".join(text) + "\n"
            stream.append(f"M 644 inline file\ndata {len(content)}\n{content}\n")
        stream.append("\n")
    repositories.git(repo, "fast-import", "--quiet", stdin="".join(stream).encode())


@pytest.mark.parametrize("seed", range(40))
def test_the_order_is_git_s_whatever_the_clocks_and_merges(con, tmp_path, seed):
    dice = random.Random(SEED + seed)
    tangled(tmp_path, dice, 60)
    rows = 0
    for rev in ["c60", "c59", f"c{dice.randrange(30, 59)}", f"c{dice.randrange(2, 30)}..c60"]:
        first = dice.randrange(1, 8)
        wanted = git_lines(tmp_path, f"{first},8:file", rev)
        got = history(con, tmp_path, "file", first, 8, rev)
        assert_same(got, wanted, (seed, first, rev))
        rows += len(wanted)
    assert rows


def test_commits_before_the_lines_began_are_not_read(con, tmp_path):
    repo = tmp_path / "lines"
    repo.mkdir()
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    clock.commit("lost", files={"file": "one\n"})
    clock.commit("first line", files={"file": "1\n"})
    clock.commit("second line", files={"file": "1\n2\n"})
    clock.commit("again", files={"file": "1\nII\n"})
    wanted = git_lines(repo, "2,2:file")
    oldest = repositories.git_text(repo, "rev-list", "--max-parents=0", "HEAD").strip()
    (repo / ".git" / "objects" / oldest[:2] / oldest[2:]).unlink()
    assert_same(history(con, repo, "file", 2, 2), wanted)
    with pytest.raises(duckdb.Error, match=oldest):
        history(con, repo, "file", 1, 1)


def seeded(repo, count: int):
    """Returns files, lines and revisions of a repository, the same in each run."""
    dice = random.Random(SEED)
    revisions = repositories.git_text(repo, "rev-list", "--first-parent", "HEAD").split()
    found = []
    while len(found) < count:
        rev = dice.choice(revisions[: len(revisions) // 2]) if found else "HEAD"
        files = [
            file
            for file in repositories.git_text(
                repo, "ls-tree", "-r", "--name-only", rev
            ).splitlines()
            if file.endswith((".rs", ".md", ".toml"))
        ]
        file = dice.choice(files)
        lines = repositories.git(repo, "show", f"{rev}:{file}").count(b"\n")
        if lines > 3:
            first = dice.randrange(1, lines)
            found.append((file, first, min(lines, first + dice.choice([0, 3, 20, 200])), rev))
    return found


def compare_ripgrep(con, tmp_path, count: int) -> None:
    folder = repositories.bundle_folder()
    if folder is None:
        pytest.skip("REDLINE_TEST_REPOS does not name the large repositories")
    repo = repositories.clone_bundle("ripgrep.bundle", tmp_path / "ripgrep")
    rows = exact = 0
    for file, first, last, rev in seeded(repo, count):
        wanted = git_lines(repo, f"{first},{last}:{file}", rev)
        got = history(con, repo, file, first, last, rev)
        exact += assert_same(got, wanted, (file, first, last, rev))
        rows += len(wanted)
    assert rows > count and exact > rows * 0.8, (rows, exact)
    for name, file in (
        ("search", "crates/core/main.rs"),
        ("is_match", "crates/globset/src/lib.rs"),
    ):
        wanted = git_lines(repo, f":{name}:{file}")
        assert_same(history(con, repo, f":{name}:{file}", None, None), wanted, (name, file))


def test_some_lines_of_ripgrep_have_git_s_history(con, tmp_path):
    compare_ripgrep(con, tmp_path, 15)


@pytest.mark.slow
def test_a_hundred_ranges_of_ripgrep_have_git_s_history(con, tmp_path):
    compare_ripgrep(con, tmp_path, 100)
