"""Files of a revision as paths: file_at, files_at and file_versions_at give DuckDB's readers what `git show` prints."""

import collections
import csv
import hashlib
import io
import json
import os
import pathlib
import stat
import subprocess
import sys
import threading

import pytest
import repositories
import waiting
from answers import answer, assert_refused
from repositories import git, git_text

WHO = "-c", "user.name=n", "-c", "user.email=e"


def commit(repo: pathlib.Path, message: str = "change") -> str:
    git(repo, "add", "--all")
    git(repo, *WHO, "commit", "--quiet", "--allow-empty", "-m", message)
    return git_text(repo, "rev-parse", "HEAD")


def table(number: int) -> list[dict[str, str]]:
    return [{"id": str(row), "price": str(row * number)} for row in range(3 + number)]


def data(con, repo: pathlib.Path) -> pathlib.Path:
    """Makes a repository with five versions of a table as CSV, JSON and Parquet, one with another name."""
    repo.mkdir()
    git(repo, "init", "--quiet", "--initial-branch=main", ".")
    (repo / "data").mkdir()
    for number in range(5):
        rows = table(number)
        if number == 3:
            git(repo, "mv", "data/prices.csv", "data/price_list.csv")
            commit(repo, "another name")
        name = "prices.csv" if number < 3 else "price_list.csv"
        with (repo / "data" / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "price"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        (repo / "data/rows.json").write_text(json.dumps(rows))
        con.execute(f"COPY (FROM read_json('{repo}/data/rows.json')) TO '{repo}/data/rows.parquet'")
        commit(repo, f"version {number}")
    return repo


@pytest.fixture(scope="module")
def repo(loaded, tmp_path_factory) -> pathlib.Path:
    return data(loaded.database, tmp_path_factory.mktemp("data") / "repo")


@pytest.fixture(params=["SHA-1", "SHA-256"])
def twin(repo, request, tmp_path) -> pathlib.Path:
    if request.param == "SHA-1":
        return repo
    return repositories.sha256_twin(repo, tmp_path / "twin")


def one(con, query: str, *parameters):
    return con.execute(query, [str(given) for given in parameters]).fetchone()[0]


def show(repo, rev: str, file: str) -> bytes:
    return git(repo, "show", f"{rev}:{file}")


# -- contents ---------------------------------------------------------------------------------


def test_every_version_of_every_format_is_read(con, twin):
    for rev in git_text(twin, "rev-list", "main").split():
        files = git_text(twin, "ls-tree", "-r", "--name-only", rev).splitlines()
        for file in files:
            path = pathlib.Path(one(con, "SELECT file_at(?, ?, ?)", file, rev, twin))
            assert path.read_bytes() == show(twin, rev, file)
            oid = git_text(twin, "rev-parse", f"{rev}:{file}")
            assert path.parts[-2:] == (oid, pathlib.Path(file).name)
        [listed] = [name for name in files if name.endswith(".csv")]
        wanted = list(csv.DictReader(io.StringIO(show(twin, rev, listed).decode())))
        for reader, file in [
            ("read_csv", listed),
            ("read_json", "data/rows.json"),
            ("read_parquet", "data/rows.parquet"),
        ]:
            rows = con.execute(
                f"SELECT id::VARCHAR, price::VARCHAR FROM {reader}(file_at(?, ?, ?))",
                [file, rev, str(twin)],
            ).fetchall()
            assert rows == [(row["id"], row["price"]) for row in wanted]


def test_all_files_of_a_pathspec_are_read(con, twin):
    for pathspec in ["data/*", "*.parquet", ":(icase)DATA/ROWS.json", "data", "none*"]:
        listed = git_text(twin, "ls-tree", "-r", "--format=%(objectname)/%(path)", "main~1")
        selected = git_text(twin, "log", "--format=", "--name-only", "main~1", "--", pathspec)
        wanted = [line for line in listed.splitlines() if line.split("/", 1)[1] in selected.split()]
        paths = one(con, "SELECT files_at(?, 'main~1', ?)", pathspec, twin)
        short = ["/".join(pathlib.Path(path).parts[-2:]) for path in paths]
        assert short == [line.replace("/data/", "/") for line in wanted]


def test_each_content_of_a_history_is_read_through_a_rename(con, twin):
    paths = one(con, "SELECT file_versions_at('data/price_list.csv', 'main', ?)", twin)
    wanted = [show(twin, f"main~{back}", "data/price_list.csv") for back in (0, 1, 2)]
    wanted += [show(twin, f"main~{back}", "data/prices.csv") for back in (4, 5)]
    assert [pathlib.Path(path).read_bytes() for path in paths] == wanted
    names = [pathlib.Path(path).name for path in paths]
    assert names == ["price_list.csv"] * 3 + ["prices.csv"] * 2
    short = one(con, "SELECT file_versions_at('data/price_list.csv', 'main~2..main', ?)", twin)
    assert short == paths[:2]


def test_a_content_that_comes_back_is_one_version(con, tmp_path):
    git(tmp_path, "init", "--quiet", ".")
    for text in ["a", "b", "a", "b"]:
        (tmp_path / "x.csv").write_text(text)
        commit(tmp_path)
    paths = one(con, "SELECT file_versions_at('x.csv', 'HEAD', ?)", tmp_path)
    assert [pathlib.Path(path).read_text() for path in paths] == ["b", "a"]


def test_the_index_the_work_tree_and_the_stages_are_sides(con, tmp_path):
    git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    (tmp_path / ".gitattributes").write_text(
        "crlf.csv text\nwide.csv working-tree-encoding=UTF-16LE\n"
    )
    (tmp_path / "a.csv").write_text("base\n")
    commit(tmp_path)
    git(tmp_path, "switch", "--quiet", "-c", "side")
    (tmp_path / "a.csv").write_text("side\n")
    commit(tmp_path)
    git(tmp_path, "switch", "--quiet", "main")
    (tmp_path / "a.csv").write_text("main\n")
    commit(tmp_path)
    with pytest.raises(repositories.GitFailed):
        git(tmp_path, *WHO, "merge", "side")
    (tmp_path / "crlf.csv").write_bytes(b"1\r\n2\r\n")
    (tmp_path / "wide.csv").write_bytes("1,ä\n".encode("utf-16-le"))
    (tmp_path / "plain.csv").write_text("1\n")
    (tmp_path / "a[1].csv").write_text("1\n")
    git(tmp_path, "add", "crlf.csv", "wide.csv")

    def read(file: str, rev: str) -> bytes:
        return pathlib.Path(one(con, "SELECT file_at(?, ?, ?)", file, rev, tmp_path)).read_bytes()

    for names in [(":1", "base"), (":2", "ours"), (":3", "theirs")]:
        for name in names:
            assert read("a.csv", name) == git(tmp_path, "show", f"{names[0]}:a.csv")
            assert one(con, "SELECT file_bytes('a.csv', ?, ?)", name, tmp_path) == read(
                "a.csv", name
            )
    assert one(con, "SELECT file_at('crlf.csv', ':2', ?)", tmp_path) is None
    for file in ["crlf.csv", "wide.csv"]:
        assert read(file, "INDEX") == read(file, "WORKTREE") == git(tmp_path, "show", f":{file}")
    assert one(con, "SELECT file_at('plain.csv', 'WORKTREE', ?)", tmp_path) == str(
        tmp_path / "plain.csv"
    )
    # The name would be a pattern.
    assert one(con, "SELECT file_at('a[1].csv', 'WORKTREE', ?)", tmp_path).endswith("/a_1_.csv")
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    assert read("link.csv", "WORKTREE") == b"/etc/passwd"
    listed = one(con, "SELECT files_at('*.csv', 'WORKTREE', ?)", tmp_path)
    assert collections.Counter(map(os.path.basename, listed)) == collections.Counter(
        ["a.csv", "a_1_.csv", "crlf.csv", "plain.csv", "wide.csv"]
    )


def test_what_is_no_file_has_no_path(con, repo):
    for file, rev in [
        ("data", "main"),
        ("none", "main"),
        ("data/rows.json/x", "main"),
        ("a", "EMPTY"),
    ]:
        assert one(con, "SELECT file_at(?, ?, ?)", file, rev, repo) is None
    assert one(con, "SELECT files_at('data', 'EMPTY', ?)", repo) == []


# -- when DuckDB binds ------------------------------------------------------------------------


def test_a_view_and_a_prepared_statement_read_what_is_there_then(con, tmp_path):
    git(tmp_path, "init", "--quiet", ".")
    con.execute(f"SET VARIABLE repo = '{tmp_path}'")
    (tmp_path / "a.csv").write_text("n\n1\n")
    commit(tmp_path)
    con.execute(f"CREATE TEMP VIEW v AS FROM read_csv(file_at('a.csv', 'HEAD', '{tmp_path}'))")
    con.execute(f"PREPARE p AS FROM read_csv(file_at('a.csv', $1, '{tmp_path}'))")
    con.execute(f"EXPLAIN FROM read_csv(file_at('a.csv', 'HEAD', '{tmp_path}'))")
    path = pathlib.Path(one(con, "SELECT file_at('a.csv', 'HEAD', ?)", tmp_path))
    before = path.stat()
    for _ in range(2):
        assert (
            con.execute("FROM v").fetchall()
            == con.execute("EXECUTE p('HEAD')").fetchall()
            == [(1,)]
        )
    # It is not written again.
    assert path.stat().st_ctime_ns == before.st_ctime_ns
    path.unlink()
    assert con.execute("FROM v").fetchall() == [(1,)]
    path.unlink()
    assert con.execute("EXECUTE p('HEAD')").fetchall() == [(1,)]
    (tmp_path / "a.csv").write_text("n\n2\n")
    commit(tmp_path)
    assert con.execute("FROM v").fetchall() == con.execute("EXECUTE p('HEAD')").fetchall() == [(2,)]
    con.execute("DROP VIEW v; DEALLOCATE p; RESET VARIABLE repo")


def test_a_name_with_a_revision_is_a_table(con, repo, monkeypatch):
    monkeypatch.chdir(repo)
    for name, wanted in [
        ("data/prices.csv@main~3", table(2)),
        ("./data/price_list.csv@HEAD", table(4)),
        ("data/rows.json@main~1", table(3)),
        ("data/*.parquet@main~4", table(1)),
        ("data/price_list.csv@INDEX", table(4)),
        ("data/price_list.csv@WORKTREE", table(4)),
        ("data/price_list.csv@@", table(4)),
    ]:
        rows = con.execute(f"SELECT id::VARCHAR, price::VARCHAR FROM '{name}'").fetchall()
        assert rows == [(row["id"], row["price"]) for row in wanted]
    for name, code in [
        ("none.csv@HEAD", "not_found"),
        ("none*.csv@HEAD", "not_found"),
        ("a''b.csv@HEAD", "not_found"),
        ("data/rows.json@none", "not_found"),
    ]:
        assert_refused(answer(con, f"FROM '{name}'"), code)
    # A range names changes.
    changed = con.execute("SELECT file_path FROM 'main~1..main' ORDER BY ALL").fetchall()
    assert changed == [("data/price_list.csv",), ("data/rows.json",), ("data/rows.parquet",)]


def test_names_of_duckdb_stay_its_own(con, repo, monkeypatch, tmp_path):
    monkeypatch.chdir(repo)
    con.execute('CREATE TEMP TABLE "data/rows.json@HEAD" AS SELECT 7 AS own')
    assert con.execute("FROM 'data/rows.json@HEAD'").fetchall() == [(7,)]
    con.execute('DROP TABLE "data/rows.json@HEAD"')
    monkeypatch.chdir(tmp_path)
    # Its readers take a name by its ending first, and a file of such a name is left to it.
    (tmp_path / "HEAD:a.csv").write_text("n\n8\n")
    assert con.execute("FROM 'HEAD:a.csv'").fetchall() == [(8,)]
    (tmp_path / "a.csv@HEAD").write_text("n\n8\n")
    git(tmp_path, "init", "--quiet", ".")
    (tmp_path / "a.csv").write_text("n\n9\n")
    commit(tmp_path)
    assert "capable of reading the file" in answer(con, "FROM 'a.csv@HEAD'").error
    (tmp_path / "a.csv@HEAD").unlink()
    assert con.execute("FROM 'a.csv@HEAD'").fetchall() == [(9,)]


# -- Git LFS ----------------------------------------------------------------------------------


def pointer(content: bytes, size: int | None = None, oid: str | None = None) -> bytes:
    oid = oid or hashlib.sha256(content).hexdigest()
    size = len(content) if size is None else size
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n".encode()


def stored(store: pathlib.Path, content: bytes, oid: str | None = None) -> pathlib.Path:
    oid = oid or hashlib.sha256(content).hexdigest()
    path = store / "objects" / oid[:2] / oid[2:4] / oid
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def large(tmp_path) -> pathlib.Path:
    repo = tmp_path / "large"
    repo.mkdir()
    git(repo, "init", "--quiet", "--initial-branch=main", ".")
    return repo


def test_the_content_of_a_pointer_is_read_from_the_repository_s_own_store(con, large, tmp_path):
    content = b"id,price\n1,2\n" * 100_000
    (large / "a.csv").write_bytes(pointer(content))
    commit(large)
    missing = answer(con, "SELECT file_at('a.csv', 'HEAD', ?)", str(large))
    assert "git lfs fetch" in assert_refused(missing, "not_found")
    stored(large / ".git/lfs", content)
    git(large, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    for repo, rev in [
        (large, "HEAD"),
        (large, "INDEX"),
        (large, "WORKTREE"),
        (tmp_path / "linked", "HEAD"),
    ]:
        path = pathlib.Path(one(con, "SELECT file_at('a.csv', ?, ?)", rev, repo))
        assert path.read_bytes() == content
        assert path.parts[-2:] == (hashlib.sha256(content).hexdigest(), "a.csv")
    small = pathlib.Path(one(con, "SELECT file_at('a.csv', 'HEAD', ?, false)", large))
    assert small.read_bytes() == pointer(content)
    assert one(con, "SELECT file_bytes('a.csv', 'HEAD', ?, true)", large) == content
    assert one(con, "SELECT file_content('a.csv', 'HEAD', ?, true)", large) == content.decode()
    assert one(con, "SELECT file_bytes('a.csv', 'HEAD', ?)", large) == pointer(content)
    assert one(con, "SELECT file_bytes('a.csv', 'HEAD', ?, false)", large) == pointer(content)


def limited(connect, repo: pathlib.Path, temp: pathlib.Path):
    """Opens a database that reads a repository, and what lies in its directory of temporary files, alone."""
    con = connect()
    con.execute(f"SET temp_directory = '{temp}'")
    con.execute(f"SET allowed_directories = ['{repo}']")
    con.execute("SET enable_external_access = false")
    return con


def test_a_store_elsewhere_is_read_where_it_may_be(connect, large, tmp_path):
    content = b"n\n1\n"
    (large / "a.csv").write_bytes(pointer(content))
    commit(large)
    stored(large / ".git/elsewhere", content)
    stored(tmp_path / "outside", content)
    query = "SELECT content FROM read_text(file_at('a.csv', 'HEAD', ?))"
    for storage, is_inside in [("elsewhere", True), (str(tmp_path / "outside"), False)]:
        git(large, "config", "lfs.storage", storage)
        assert answer(connect(), query, str(large)).rows == [("n\n1\n",)]
        got = answer(limited(connect, large, tmp_path / "temp"), query, str(large))
        if is_inside:
            assert got.rows == [("n\n1\n",)]
        else:
            assert_refused(got, "not_found")


# Promise (copies): Content of Git LFS is used only with the size and the SHA-256 of its pointer, and read from a store that may be
# read. With `test_a_store_elsewhere_is_read_where_it_may_be`.
def test_a_content_that_is_not_the_one_of_its_pointer_is_refused(con, large):
    content = b"id\n1\n"
    for name, given, there in [
        ("bytes.csv", pointer(content), b"id\n2\n"),
        ("long.csv", pointer(content), content + b"3\n"),
        ("short.csv", pointer(content), b"id"),
        ("size.csv", pointer(content, size=4), content),
    ]:
        (large / name).write_bytes(given)
        commit(large)
        stored(large / ".git/lfs", there, hashlib.sha256(content).hexdigest())
        for call in ["file_at(?, 'HEAD', ?)", "file_bytes(?, 'HEAD', ?, true)"]:
            got = answer(con, f"SELECT {call}", name, str(large))
            assert "damaged" in assert_refused(got, "tool_failed"), name
    path = stored(large / ".git/lfs", content)
    (large / "fine.csv").write_bytes(pointer(content))
    commit(large)
    assert (
        pathlib.Path(one(con, "SELECT file_at('fine.csv', 'HEAD', ?)", large)).read_bytes()
        == content
    )
    path.unlink()
    path.mkdir()
    (large / "other.csv").write_bytes(pointer(b"other"))
    commit(large)
    directory = stored(large / ".git/lfs", b"other")
    directory.unlink()
    directory.mkdir()
    assert_refused(answer(con, "SELECT file_at('other.csv', 'HEAD', ?)", str(large)), "tool_failed")


# -- the directory of copies ------------------------------------------------------------------


# Promise (copies): A copy has the content of its object, in a directory of the database alone (0700), and nobody may write or
# execute it (0400); equal contents share one. With `a_copy_is_for_its_user_alone_and_ends_with_the_database`.
def test_a_copy_is_for_its_user_alone_and_shared_by_equal_contents(con, tmp_path):
    git(tmp_path, "init", "--quiet", ".")
    (tmp_path / "run.csv").write_text("n\n1\n")
    (tmp_path / "run.csv").chmod(0o755)
    (tmp_path / "same.csv").write_text("n\n1\n")
    commit(tmp_path)
    run, same = one(con, "SELECT files_at('*.csv', 'HEAD', ?)", tmp_path)
    assert stat.S_IMODE(os.stat(run).st_mode) == 0o400
    for above in pathlib.Path(run).parents[:2]:
        assert stat.S_IMODE(above.stat().st_mode) == 0o700
    assert os.path.samefile(run, same) and run != same


# Promise (copies): All copies have no more bytes than `redline_copies_bytes`, which are counted before anything is written: also where a
# pointer of Git LFS claims an exbibyte. With `what_was_used_longest_ago_goes_first_and_what_is_held_stays`.
def test_copies_used_longest_ago_are_removed_and_what_does_not_fit_is_refused(connect, tmp_path):
    git(tmp_path, "init", "--quiet", ".")
    for name in "abcd":
        (tmp_path / f"{name}.csv").write_text(name * 10)
    (tmp_path / "claim.csv").write_bytes(pointer(b"", size=1 << 60))
    commit(tmp_path)
    con = connect()
    con.execute("SET redline_copies_bytes = 35")

    def path(name: str) -> pathlib.Path:
        return pathlib.Path(one(con, "SELECT file_at(?, 'HEAD', ?)", f"{name}.csv", tmp_path))

    a, b, c = map(path, "abc")
    assert path("a") == a
    d = path("d")
    assert [each.exists() for each in (a, b, c, d)] == [True, False, True, True]
    for query in [
        "SELECT files_at('?.csv', 'HEAD', ?)",
        "SELECT file_at('claim.csv', 'HEAD', ?)",
        "SELECT files_at('*.csv', 'HEAD', ?)",
    ]:
        got = answer(con, query, str(tmp_path))
        assert "redline_copies_bytes is 35" in assert_refused(got, "too_large")
    assert [each.exists() for each in (a, b, c, d)] == [True, False, True, True]
    assert len(one(con, "SELECT files_at('[abc].csv', 'HEAD', ?)", tmp_path)) == 3
    con.execute("SET redline_copies_bytes = 0")
    assert_refused(answer(con, "SELECT file_at('b.csv', 'INDEX', ?)", str(tmp_path)), "too_large")


# Promise (copies): The copies end with the database, and those of a process that was killed, also while it wrote, with the next
# database that makes some; what a living process uses stays. With `test_what_a_killed_process_left_is_removed_by_the_next`,
# `directories_without_a_lock_are_removed_and_others_stay`.
def test_a_database_that_closes_takes_its_copies_along(connect, repo, tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    first, second = connect(tmp_path / "one.db"), connect()
    for con in (first, second):
        con.execute(f"SET temp_directory = '{temp}'")
        path = pathlib.Path(one(con, "SELECT file_at('data/rows.json', 'main', ?)", repo))
        assert path.is_relative_to(temp) and path.exists()
    assert len(list(temp.glob("redline-copies-*"))) == 2
    first.close()
    assert path.exists() and len(list(temp.glob("redline-copies-*"))) == 1
    second.close()
    assert not list(temp.glob("redline-copies-*"))


COPY = """
import duckdb, sys
extension, repo, temp, file = sys.argv[1:]
con = duckdb.connect(config={"allow_unsigned_extensions": True})
con.execute(f"LOAD '{extension}'")
con.execute(f"SET temp_directory = '{temp}'")
print(con.execute("SELECT file_at(?, 'HEAD', ?)", [file, repo]).fetchone()[0], flush=True)
sys.stdin.read()
"""


def host(extension, repo, temp, file: str) -> subprocess.Popen:
    command = [sys.executable, "-c", COPY, *map(str, (extension, repo, temp, file))]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_what_a_killed_process_left_is_removed_by_the_next(connect, extension, large, tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    size = 1 << 31
    zeros = hashlib.sha256()
    for _ in range(64):
        zeros.update(bytes(size // 64))
    path = stored(large / ".git/lfs", b"", zeros.hexdigest())
    os.truncate(path, size)
    (large / "big.csv").write_bytes(pointer(b"", size, zeros.hexdigest()))
    (large / "a.csv").write_text("n\n1\n")
    commit(large)
    # One is killed while it writes, one afterwards, and one lives on.
    writing = host(extension, large, temp, "big.csv")
    waiting.until(lambda: list(temp.glob("redline-copies-*/new")))
    writing.kill()
    writing.wait()
    assert list(temp.glob("redline-copies-*/new")) and not list(temp.glob("redline-copies-*/*/*"))
    done = host(extension, large, temp, "a.csv")
    kept = pathlib.Path(done.stdout.readline().strip())
    assert not list(temp.glob("redline-copies-*/new"))
    done.kill()
    done.wait()
    living = host(extension, large, temp, "a.csv")
    lives = pathlib.Path(living.stdout.readline().strip())
    assert not kept.exists()
    con = connect()
    con.execute(f"SET temp_directory = '{temp}'")
    own = pathlib.Path(one(con, "SELECT file_at('a.csv', 'HEAD', ?)", large))
    assert lives.exists() and own.exists() and own != lives
    living.communicate()
    assert not lives.exists() and own.exists()


# Promise (copies): No connection sees a part of a copy.
def test_connections_that_race_never_see_a_part_of_a_file(connect, tmp_path):
    git(tmp_path, "init", "--quiet", ".")
    for number in range(12):
        (tmp_path / f"{number}.csv").write_text(f"{number}\n" * 50_000)
    commit(tmp_path)
    con = connect()
    wrong = []

    def ask(seed: int) -> None:
        cursor = con.cursor()
        for turn in range(24):
            number = (turn * 5 + seed) % 12
            path = one(cursor, "SELECT file_at(?, 'HEAD', ?)", f"{number}.csv", tmp_path)
            if pathlib.Path(path).read_text() != f"{number}\n" * 50_000:
                wrong.append(path)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    own = pathlib.Path(one(con, "SELECT file_at('0.csv', 'HEAD', ?)", tmp_path)).parents[1]
    assert len(list(own.iterdir())) == 12


def test_the_place_of_the_copies(extension, connect, repo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system").mkdir()
    script = COPY.replace("SET temp_directory = '{temp}'", "{temp}").replace("sys.stdin.read()", "")

    def place(setting: str, system: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-c", script, str(extension), str(repo), setting, "data/rows.json"],
            capture_output=True,
            text=True,
            env=os.environ | {"TMPDIR": system},
        )
        return done.stdout.strip(), done.stderr

    system = str(tmp_path / "system")
    (tmp_path / "there").mkdir()
    for setting, above in [
        ("SELECT 1", system),
        ("SET temp_directory = ''", system),
        (f"SET temp_directory = '{tmp_path}/there'", f"{tmp_path}/there"),
        (f"SET temp_directory = '{tmp_path}/made'", f"{tmp_path}/made"),
        ("SET temp_directory = 'there'", f"{tmp_path}/there"),
        ("SET temp_directory = 'relative'", system),
        # The file system of processes takes no new directory, not even from root.
        ("SET temp_directory = '/proc/self'", system),
        ("SET temp_directory = '/proc/none/x'", system),
    ]:
        path, words = place(setting, system)
        assert path.startswith(f"{above}/redline-copies-"), (setting, path, words)
        left = {entry.name for entry in tmp_path.iterdir()}
        assert left == {"system", "there"} and not any((tmp_path / "system").iterdir()), setting
    _, words = place("SET temp_directory = '/proc/self'", "/proc/self")
    assert "tool_failed: there is no directory for a copy" in words and "temp_directory" in words


def test_the_versions_of_a_long_history(con, tmp_path):
    count = 2_000
    stream = [b"reset refs/heads/main\n"]
    for number in range(count):
        text = b"n\n%d\n" % number
        stream.append(
            b"commit refs/heads/main\ncommitter n <e> %d +0000\ndata 0\n" % (1_700_000_000 + number)
            + b"M 100644 inline a.csv\ndata %d\n%s\n" % (len(text), text)
        )
    git(tmp_path, "init", "--quiet", "--bare", ".")
    git(tmp_path, "fast-import", "--quiet", stdin=b"".join(stream))
    rows = con.execute(
        "SELECT n FROM read_csv(file_versions_at('a.csv', 'main', ?)) ORDER BY n", [str(tmp_path)]
    ).fetchall()
    assert rows == [(number,) for number in range(count)]
