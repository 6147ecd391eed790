"""Patterns of `.gitignore` and `.gitattributes`: random ones against git, and hostile ones against the clock."""

import random
import time

import duckdb
import pytest
import repositories

NAMES = ["a", "b", "A", "ab", "aB", "a.c", "b.C", ".c", "a b", "x "]
FOLDERS = ["", "a/", "b/", "a/b/", "A/", "a/a/", "b/a/b/", "a.c.d/"]
PARTS = [
    "a",
    "a",
    "b",
    "A",
    "c",
    "*",
    "*",
    "**",
    "**/",
    "/**",
    "/",
    "/",
    "?",
    "[ab]",
    "[!a]",
    "[A-C]",
    "\\a",
    "\\*",
    "\\",
    ".c",
    "*.c",
    "[",
    " ",
    "\\ ",
    "x",
]


def pattern() -> str:
    text = "".join(random.choice(PARTS) for _ in range(random.randint(1, 5)))
    return (
        random.choice(["", "", "", "!", "/", "#", "\\!", "\\#"])
        + text
        + random.choice(["", "", "", "/", " ", "  ", "\t", "\r"])
    )


def ignore_file() -> str:
    text = "".join(pattern() + "\n" for _ in range(random.randint(0, 6)))
    return ("\ufeff" if random.random() < 0.1 else "") + (
        text if random.random() < 0.8 else text.removesuffix("\n")
    )


@pytest.mark.parametrize("ignore_case", ["false", "true"])
def test_ignored_files_are_those_of_git(con, tmp_path, ignore_case):
    random.seed(11)
    repositories.git(tmp_path, "init", "--quiet")
    repositories.git(tmp_path, "config", "core.ignoreCase", ignore_case)
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        for name in NAMES:
            if not (tmp_path / folder / name).exists():
                (tmp_path / folder / name).write_text("x")
    written = sum(path.is_file() for path in tmp_path.glob("[!.]*/**/*"))
    hidden = 0
    for _ in range(100):
        for file in [
            ".gitignore",
            "a/.gitignore",
            "b/.gitignore",
            "b/a/b/.gitignore",
            ".git/info/exclude",
        ]:
            (tmp_path / file).write_text(ignore_file(), newline="")
        theirs = repositories.git(tmp_path, "ls-files", "--others", "--exclude-standard", "-z")
        query = "SELECT file_path FROM file_changes('INDEX', 'WORKTREE', ?, untracked := true)"
        ours = [path for (path,) in con.execute(query, [str(tmp_path)]).fetchall()]
        files = {
            file: (tmp_path / file).read_bytes()
            for file in [".gitignore", "a/.gitignore", ".git/info/exclude"]
        }
        assert sorted(ours) == sorted(theirs.decode().split("\0")[:-1]), files
        hidden += written - len(ours)
    assert hidden > 500, "too few patterns matched"


HOSTILE = {
    "directories at any depth, 26 times": b"**/a/" * 26 + b"b",
    "stars": b"*a" * 900 + b"b",
    "a million lines": b"".join(b"%d\n" % number for number in range(600_000)),
    "a hundred thousand wildcards": b"".join(b"?%d*x\n" % number for number in range(100_000)),
    "one line a hundred thousand times": b"a/\n" * 100_000 + b"a\n" * 100_000,
    "one pattern of a megabyte": b"**/" * 350_000,
    "question marks": b"?" * 1_000_000,
    "60 MiB": b"a\n" * (30 << 20),
}


# Promise (survival): A pattern costs a bounded number of steps. With
# `a_pattern_of_many_stars_takes_no_more_steps_than_the_product_of_the_lengths`.
@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("file", [".gitignore", ".gitattributes"])
def test_hostile_patterns_end_at_once(con, tmp_path, file, what):
    repositories.git(tmp_path, "init", "--quiet")
    folder = tmp_path / "/".join(["a"] * 30)
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f"{number}").write_text("x")
    lines = HOSTILE[what]
    if file == ".gitattributes":
        lines = (
            b"".join(line + b" diff\n" for line in lines.split(b"\n"))
            if len(lines) < 2_000_000
            else lines * 2
        )
    (tmp_path / file).write_bytes(lines)
    started = time.process_time()
    query = "SELECT count(*), sum(additions) FROM file_changes('INDEX', 'WORKTREE', ?, untracked := true)"
    try:
        con.execute(query, [str(tmp_path)]).fetchall()
    except duckdb.Error as error:
        assert "too_large:" in str(error)
    assert time.process_time() - started < 20
