"""The Diff tool's SQL functions: their diffs applied with `patch`, their bounds and what they may read."""

import ctypes
import os
import random
import re
import shutil
import subprocess
import sys

import apart
import duckdb
import process_threads
import pytest
import repositories
from lockdown import PURE_CALLS, READING_TOOLS, TOOL_CALLS
from reading_calls import CALLS, FUNCTIONS, filled

MARK = re.compile(r"\[diff truncated at (\d+) bytes\]\Z")
# A call of each function that a grant opens.
REPOSITORY = {
    "old": "'before'",
    "new": "'after'",
    "file": "'modified.txt'",
    "repo": "'build/fixtures/basic'",
}
GRANTED_CALLS = {name: filled(CALLS[name], **REPOSITORY) for name in FUNCTIONS} | {
    "diff_texts": "SELECT diff_texts('a', 'b')",
    "diff_files": "SELECT diff_files('README.md', 'README.md')",
    "edit_explain": "FROM edit_explain('README.md', 'redline')",
    # Its work tree has changes, however git has looked at it before.
    "file_status": "SELECT * FROM file_status('build/fixtures/readme-edits', ignored := true)",
    # Another file has a name that is not UTF-8.
    "tree_blame": "SELECT lines FROM tree_blame('after', 'build/fixtures/basic', paths := ['modified.txt'])",
    "tree_blame_list": "SELECT len(tree_blame_list('after', 'build/fixtures/basic', {'paths': 'modified.txt'}))",
}


def documented_grants() -> dict[str, set[str]]:
    """Returns the tools of each function as docs/settings.md was reviewed: its table, and those below it that none opens."""
    text = (repositories.ROOT / "docs/settings.md").read_text()
    table, _, below = text.partition("<!-- grants:")[2].partition("<!-- end -->")
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    names = lambda cell: re.findall(r"`(\w+)`", cell)
    keyed = dict.fromkeys(names(below.partition("are opened by no tool")[0]), set())
    return keyed | {
        name: set(names(tools)) for functions, tools in rows for name in names(functions)
    }


def diff(con, *arguments, function="diff_texts"):
    marks = ", ".join("?" * len(arguments))
    return con.execute(f"SELECT {function}({marks})", list(arguments)).fetchone()[0]


def refusal(con, query, *arguments):
    with pytest.raises(duckdb.Error) as caught:
        con.execute(query, list(arguments)).fetchall()
    assert con.execute("SELECT 42").fetchone() == (42,)
    return repositories.code_and_words(str(caught.value))


# -- the diff --------------------------------------------------------------------------------------


def edited(dice, text):
    """Returns the lines with some of them left out, doubled, changed or moved."""
    lines = text.splitlines(keepends=True)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(lines) + 1)
        lines[at : at + dice.randrange(4)] = [
            dice.choice(["new\n", "\n", "ä\n", "- x\n", "+++ y\n"])
            for _ in range(dice.randrange(4))
        ]
    return "".join(lines)


@pytest.mark.skipif(not shutil.which("patch"), reason="the program patch is not here")
def test_a_diff_applies_with_patch(con, tmp_path):
    dice = random.Random(4)
    words = [
        "one\n",
        "two\n",
        "\n",
        "  indented\n",
        "-\n",
        "+plus\n",
        "@@ -1 +1 @@\n",
        "\\ No newline\n",
        "päß\n",
        "tab\there\n",
    ]
    for number in range(200):
        old = "".join(dice.choice(words) for _ in range(dice.randrange(40)))
        new = edited(dice, old)
        old, new = (text[:-1] if dice.random() < 0.2 else text for text in (old, new))
        result = diff(con, old, new, dice.randrange(21), "old file", "new\tfile")
        assert result["identical"] == (old == new) and not result["truncated"]
        assert result["diff_lines"] == len(result["diff"].split("\n")) - 1 or result["identical"]
        if old == new:
            assert result["diff"] == ""
            continue
        target, source = tmp_path / "target", tmp_path / "source.diff"
        target.write_bytes(old.encode())
        source.write_bytes(result["diff"].encode())
        # An empty result is written too, and nothing is guessed.
        patch = ["patch", "--quiet", "--posix", "--fuzz=0", "-i", str(source), str(target)]
        subprocess.run(patch, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        patched = target.read_bytes() if target.exists() else b""
        assert patched.decode() == new, (number, old, result["diff"])


# Promise (files): A diff has no more bytes than `redline_max_diff_bytes`, and is cut between
# lines.
@pytest.mark.own_database
def test_a_cut_diff_ends_at_a_line_within_the_limit(con):
    dice = random.Random(5)
    old = "".join(dice.choice("aäß€😀\n") for _ in range(3000))
    new = "".join(dice.choice("aäß€😀\n") for _ in range(3000))
    whole = diff(con, old, new)["diff"]
    size = len(whole.encode())
    for limit in [*range(0, 200, 3), *(dice.randrange(size) for _ in range(100)), size - 1, size]:
        con.execute(f"SET redline_max_diff_bytes = {limit}")
        result = diff(con, old, new)
        assert result["truncated"] == (limit < size), limit
        found = MARK.search(result["diff"])
        if limit == size:
            assert result["diff"] == whole and not found
            continue
        kept = result["diff"][: found.start()]
        assert whole.startswith(kept) and (kept == "" or kept.endswith("\n")), limit
        assert int(found[1]) == len(kept.encode())
        # The line that tells of the cut is given even where nothing fits.
        assert len(result["diff"].encode()) <= limit or kept == "", limit
        assert result["diff_lines"] == kept.count("\n") + 1


def test_bytes_that_are_not_utf_8_are_compared_and_shown_replaced(con, tmp_path):
    (tmp_path / "a").write_bytes(b"caf\xe9\nsame\n")
    (tmp_path / "b").write_bytes(b"caf\xe8\nsame\n")
    (tmp_path / "c").write_bytes(b"x\0\n")
    paths = [str(tmp_path / name) for name in "abc"]
    result = diff(con, *paths[:2], 0, "a", "b", function="diff_files")
    assert (
        result["diff"] == "--- a\n+++ b\n@@ -1 +1 @@\n-caf\ufffd\n+caf\ufffd\n"
        and not result["identical"]
    )
    result = diff(con, paths[0], paths[2], function="diff_files")
    assert (
        result["diff"] == f"Binary files {paths[0]} and {paths[2]} differ\n"
        and result["diff_lines"] == 1
    )


# -- what may be read ------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Returns a directory with an allowed one in it, one beside that, and ways out."""
    allowed, outside = tmp_path / "allowed", tmp_path / "allowed_evil"
    for place in (allowed, outside):
        (place / "sub").mkdir(parents=True)
        for name in ("a", "b", "sub/c"):
            (place / name).write_text(f"{name} of {place.name}\n")
        os.mkfifo(place / "fifo")
    (tmp_path / "single").write_text("a single file\n")
    (allowed / "file-link").symlink_to(outside / "a")
    (allowed / "folder-link").symlink_to(outside)
    (allowed / "fifo-link").symlink_to(outside / "fifo")
    (allowed / "loop").symlink_to("loop")
    return tmp_path


def lock(con, folder):
    con.execute(f"SET allowed_directories = ['{folder / 'allowed'}']")
    con.execute(f"SET allowed_paths = ['{folder / 'single'}']")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


# Promise (files): What is inside is read as before, and errors there are distinct. With
# `test_what_is_wrong_inside_is_told_apart`.
@pytest.mark.own_database
def test_files_that_duckdb_allows_are_read(con, folder):
    lock(con, folder)
    for a, b in [
        ("allowed/a", "allowed/b"),
        ("allowed/sub/c", "single"),
        ("allowed/sub/../a", "allowed/./b"),
    ]:
        result = diff(con, str(folder / a), str(folder / b), function="diff_files")
        assert not result["identical"] and "+" in result["diff"]
    url = diff(con, f"file://{folder}/allowed/a", str(folder / "allowed/a"), function="diff_files")
    assert url["identical"]


# Promise (files): A file outside is refused, however it is named (`..`, links, `file:` URLs, `~`,
# a sibling whose name starts alike), and with the same message whether it exists or not.
@pytest.mark.own_database
def test_refuses_a_path_outside_the_allowed_directories(con, folder):
    names = [
        "allowed_evil/a", "allowed_evil/none", "allowed_evil", "allowed_evil/fifo", "allowed/../allowed_evil/a", "allowed/..",
        "allowed/sub/../../allowed_evil/a", "allowed//../allowed_evil/a", "allowed/file-link", "allowed/folder-link/a",
        "allowed/folder-link", "allowed/fifo-link", "single/../allowed_evil/a", "singles", "single_", "",
    ]  # fmt: skip
    paths = [str(folder / name) for name in names]
    paths += [
        f"file://{folder}/allowed_evil/a",
        f"file:{folder}/allowed_evil/a",
        f"file://localhost{folder}/allowed_evil/a",
    ]
    paths += [
        "/etc/passwd",
        "/dev/zero",
        "/proc/self/environ",
        "README.md",
        "~/a",
        "s3://bucket/a",
        "https://localhost:1/a",
    ]
    # The control: without the limit, those that exist can be read.
    control = diff(
        con, str(folder / "allowed/a"), str(folder / "allowed/file-link"), function="diff_files"
    )
    assert "+a of allowed_evil" in control["diff"]
    lock(con, folder)
    inside = str(folder / "allowed/a")
    words = set()
    for path in paths:
        for pair in ((inside, path), (path, inside)):
            code, message = refusal(con, "SELECT diff_files(?, ?)", *pair)
            assert code == "fs_denied", (pair, message)
            assert "of allowed_evil" not in message and "root:" not in message
            words.add(message.replace(f"'{path}'", "it"))
    # The message does not tell whether it exists or what it is.
    assert len(words) == 1, words


@pytest.mark.own_database
def test_what_is_wrong_inside_is_told_apart(con, folder):
    lock(con, folder)
    allowed = folder / "allowed"
    for name, code in [
        ("none", "not_found"),
        ("sub", "tool_failed"),
        ("fifo", "tool_failed"),
        ("a/x", "not_found"),
        ("sub/", "tool_failed"),
    ]:
        assert (
            refusal(con, "SELECT diff_files(?, ?)", str(allowed / "a"), f"{allowed}/{name}")[0]
            == code
        ), name
    assert refusal(con, "SELECT diff_files(?, ?)", str(allowed / "a"), str(allowed / "loop"))[
        0
    ] in ("tool_failed", "not_found", "fs_denied")


# Promise (files): A FIFO, socket or device is not opened, not even through a link.
def test_a_fifo_or_device_is_refused_at_once(extension, folder):
    single = str(folder / "single")
    special = [
        folder / "allowed/fifo",
        folder / "allowed/fifo-link",
        "/dev/zero",
        f"file://{folder}/allowed/fifo",
    ]
    statements = [
        ("SELECT diff_files(?, ?)", pair)
        for path in map(str, special)
        for pair in ([single, path], [path, single])
    ]
    for got, (_, paths) in zip(apart.run(extension, statements, seconds=20), statements):
        code, words = repositories.code_and_words(got.error)
        assert code == "tool_failed" and "is a pipe, a socket or a device, not a file" in words, (
            paths
        )


@pytest.mark.own_database
def test_the_home_directory_is_duckdb_s(con, folder):
    con.execute(f"SET home_directory = '{folder / 'allowed'}'")
    assert diff(con, "~/a", str(folder / "allowed/a"), function="diff_files")["identical"]
    assert con.execute("SELECT content FROM read_text('~/a')").fetchone() == ("a of allowed\n",)
    assert refusal(con, "SELECT diff_files('~/fifo', '~/a')")[0] == "tool_failed"


@pytest.mark.own_database
@pytest.mark.skipif(sys.platform != "linux", reason="the user of one thread is changed")
def test_a_file_that_the_system_forbids_is_said_to_be_denied(con, tmp_path):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0)
    process_threads.let_work(con, 1)
    system = ctypes.CDLL(None)
    before = system.setfsuid(65534)
    try:
        code, words = refusal(
            con, "SELECT diff_files(?, ?)", str(tmp_path / "secret"), str(tmp_path / "secret")
        )
    finally:
        system.setfsuid(before)
    assert code == "fs_denied" and "the system does not let DuckDB read" in words


# Promise (files): A file over the limit is refused before it is read, and one that hides its size
# is read no further than the limit. With `test_a_file_that_hides_its_size_is_read_whole`.
def test_a_file_over_the_limit_is_refused_unread(extension, tmp_path):
    # A file of 1 TiB without content: no memory here would hold it.
    with open(tmp_path / "huge", "wb") as huge:
        huge.truncate(1 << 40)
    [got] = apart.run(
        extension, [("SELECT diff_files(?, ?)", [str(tmp_path / "huge")] * 2)], seconds=20
    )
    code, words = repositories.code_and_words(got.error)
    assert (
        code == "too_large"
        and "1099511627776 bytes, and redline_max_read_bytes is 4194304" in words
    )


@pytest.mark.own_database
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there is no /proc")
def test_a_file_that_hides_its_size_is_read_whole(con):
    assert (
        diff(con, "/proc/self/status", "/proc/self/status", function="diff_files")["lines_a"] > 10
    )
    con.execute("SET redline_max_read_bytes = 100")
    code, words = refusal(con, "SELECT diff_files('/proc/self/status', 'README.md')")
    assert code == "too_large" and "has over 100 bytes" in words


@pytest.mark.own_database
def test_the_words_of_another_file_system_are_kept(con):
    con.execute("SET autoload_known_extensions = false")
    con.execute("SET autoinstall_known_extensions = false")
    code, words = refusal(con, "SELECT diff_files('s3://bucket/a', 'README.md')")
    assert code == "tool_failed" and "'s3://bucket/a'" in words and "httpfs" in words


# -- grants ----------------------------------------------------------------------------------------


# Promise (grants): A function is opened only by its own tools; every function needs a grant or
# reads nothing. With `test_every_function_belongs_to_a_tool_or_is_open`.
@pytest.mark.own_database
@pytest.mark.parametrize("granted", [*READING_TOOLS, "*"])
def test_a_granted_tool_opens_only_its_own_functions(con, fixtures, granted):
    con.execute(f"SET redline_tool_grants = ['search', '{granted}']")
    for name, query in GRANTED_CALLS.items():
        tools = documented_grants()[name]
        if granted == "*" or granted in tools:
            assert con.execute(query).fetchall(), name
        else:
            code, words = refusal(con, query)
            assert (
                code == "permission_denied"
                and f"redline_tool_grants is ['search', '{granted}']" in words
            ), name
            assert any(tool in words for tool in tools)


def test_every_function_belongs_to_a_tool_or_is_open(con):
    names = con.execute("SELECT name FROM redline_help(function := 'ALL')").fetchall()
    assert {name for (name,) in names} == set(documented_grants()) | set(PURE_CALLS) | set(
        TOOL_CALLS
    )


# Promise (grants): A connection that was given its own grants before the lock keeps them, and no
# other has them.
def test_a_session_has_grants_of_its_own(connect, tmp_path):
    con = connect(tmp_path / "shared.db")
    con.execute("SET GLOBAL redline_tool_grants = ['GitDiff']")
    own = con.cursor()
    own.execute("SET SESSION redline_tool_grants = ['Diff']")
    con.execute("SET lock_configuration = true")
    assert diff(own, "a", "a")["identical"]
    # The other connection, and one opened after the lock, have the global value.
    for other in (con, con.cursor()):
        assert refusal(other, "SELECT diff_texts('a', 'b')")[0] == "permission_denied"
    with pytest.raises(duckdb.Error, match="locked"):
        own.execute("RESET SESSION redline_tool_grants")


# Promise (grants): The settings of one database do not apply to another of the same process.
def test_each_database_has_its_own_settings(connect, tmp_path):
    one, two = connect(tmp_path / "one.db"), connect(tmp_path / "two.db")
    one.execute("SET GLOBAL redline_tool_grants = []::VARCHAR[]")
    assert diff(two, "a", "a")["identical"]
    assert refusal(one, "SELECT diff_texts('a', 'a')")[0] == "permission_denied"


# Promise (grants): A prepared statement obeys the grants at the time it runs.
@pytest.mark.own_database
def test_a_prepared_statement_obeys_the_current_grants(con):
    con.execute("PREPARE compared AS SELECT diff_texts('a', 'b')")
    con.execute("SET redline_tool_grants = ['GitDiff']")
    assert refusal(con, "EXECUTE compared")[0] == "permission_denied"
