"""commit_changes with contains and changed_lines finds the changes that `git log -S` and `git log -G` find."""

import pathlib
import random

import duckdb
import pytest
import repositories
from histories import Clock, write

SEED = 20_261_128


def git_search(repo, *options: str) -> list[tuple]:
    """Returns commits and paths of `git log` with -S or -G."""
    printed = repositories.git(
        repo,
        "log",
        "--no-merges",
        "--name-status",
        "-z",
        "--no-textconv",
        "--format=%x01%H",
        *options,
    )
    rows = []
    for entry in printed.split(b"\x01")[1:]:
        commit, *fields = [field.lstrip(b"\n") for field in entry.split(b"\0")]
        fields = iter(field for field in fields if field)
        for status in fields:
            paths = [repositories.lossy(next(fields)) for _ in range(1 + (status[:1] in b"RC"))]
            rows.append((commit.decode(), paths[-1]))
    return rows


def search(con, repo, range="HEAD", **options) -> list[tuple]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    query = f"SELECT commit_id, file_path FROM commit_changes($range, $repo{arguments})"
    return con.execute(query, {"range": range, "repo": str(repo), **options}).fetchall()


def assert_same(got, wanted, what):
    difference = repositories.first_differences(got, wanted)
    assert not difference, f"{what} against {repositories.git_version()}\n{difference}"


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> pathlib.Path:
    """Returns a history of texts that repeat, overlap, move, are binary, linked and named by attributes."""
    repo = tmp_path_factory.mktemp("texts")
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    clock.commit("root", files={"a": "aaaa\nneedle\n", "b.bin": b"\0needle\n", "c": "x\n"})
    clock.commit("overlap", files={"a": "aaa\nneedle\n"})
    clock.commit("twice", files={"a": "aaa\nneedle needle\n"})
    clock.commit("moved", files={"a": "aaa\n needle needle\n"})
    repositories.git(repo, "mv", "a", "renamed")
    clock.commit("renamed", files={"renamed": "aaa\n needle\n"})
    clock.commit("binary", files={"b.bin": b"\0\n", "d": "caf\u00e9 needle"})
    clock.commit("attributes", files={".gitattributes": "d -diff\nb.bin diff\n", "d": "caf\u00e9"})
    clock.commit("as text", files={"b.bin": b"\0needle\n"})
    (repo / "c").unlink()
    (repo / "c").symlink_to("needle")
    write(repo, "add c")
    clock.commit("a link")
    write(repo, "rm --quiet renamed")
    clock.commit("gone", files={"e": "Needle(1)\n\tNeedle [2]\nlast"})
    return repo


@pytest.mark.parametrize(
    "text",
    [
        "needle",
        "aa",
        "caf\u00e9",
        "needle\n",
        "Needle(1)",
        "needle needle",
        "no such",
        "\t",
        "last",
    ],
)
def test_a_text_is_found_where_git_finds_it(con, texts, text):
    for git, options in ([], {}), (["-M"], {"renames": True}):
        wanted = git_search(texts, f"-S{text}", *(git or ["--no-renames"]), "HEAD")
        assert_same(search(con, texts, contains=text, **options), wanted, (text, git))
        assert_same(search(con, texts, contains=[text], **options), wanted, (text, git))


# Each sees the newline that ends a line, or does not.
NEWLINES = [
    "needle[[:space:]]",
    r"needle\s",
    r"needle\W",
    "needle[^x]",
    "needle.$",
    r"needle\'",
    "needle\n",
    r"\`needle",
    r"\S\s$",
    "^[^n]*$",
    "[[:cntrl:]]",
    "needle(\n|x)",
    r"last\s",
    r"\Bn",
    "e\n^",
    "$^",
]


@pytest.mark.parametrize(
    "pattern",
    [
        *NEWLINES,
        "needle",
        "^needle",
        "needle$",
        "^ ?needle( needle)?$",
        "[Nn]eedle.?[([]",
        r"\[[0-9]\]",
        "a{3}",
        "^$",
        "^.*$",
        "caf.",
        "last$",
    ],
)
def test_a_pattern_is_found_where_git_finds_it(con, texts, pattern):
    for git, options in ([], {}), (["-M"], {"renames": True}):
        wanted = git_search(texts, f"-G{pattern}", *(git or ["--no-renames"]), "HEAD")
        assert_same(search(con, texts, changed_lines=pattern, **options), wanted, (pattern, git))


def test_each_of_several_texts_is_named(con, texts):
    needles = ["needle", "aa", "no such"]
    rows = con.execute(
        "SELECT commit_id, file_path, matched FROM commit_changes('HEAD', ?, contains := ?)",
        [str(texts), needles],
    ).fetchall()
    for needle in needles:
        wanted = git_search(texts, f"-S{needle}", "--no-renames", "HEAD")
        assert [(commit, path) for commit, path, matched in rows if needle in matched] == wanted
    assert all(matched for *_, matched in rows)
    assert con.execute(
        "SELECT DISTINCT matched FROM commit_changes('HEAD', ?)", [str(texts)]
    ).fetchall() == [(None,)]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"contains": ""}, "contains has no text"),
        ({"contains": []}, "contains "),
        ({"contains": [None]}, "contains is not a list of texts"),
        ({"contains": "a", "changed_lines": "b"}, "given together"),
        ({"changed_lines": "("}, "changed_lines is"),
        ({"changed_lines": r"(a)\1"}, "changed_lines is"),
    ],
)
def test_invalid_searches_are_refused(con, texts, options, words):
    with pytest.raises(duckdb.Error, match=f"invalid_args: .*{words}"):
        search(con, texts, **options)


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory) -> pathlib.Path:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    return repositories.clone_bundle("ripgrep.bundle", tmp_path_factory.mktemp("large") / "ripgrep")


def words(ripgrep, count: int) -> list[str]:
    text = (ripgrep / "crates/core/main.rs").read_text() + (ripgrep / "README.md").read_text()
    return random.Random(SEED).sample(
        sorted({word for word in text.split() if len(word) > 4}), count
    )


def test_a_word_is_found_in_ripgrep_where_git_finds_it(con, ripgrep):
    (word,) = words(ripgrep, 1)
    assert_same(
        search(con, ripgrep, contains=word),
        git_search(ripgrep, f"-S{word}", "--no-renames", "HEAD"),
        word,
    )


@pytest.mark.slow
def test_fifty_words_are_found_in_ripgrep_where_git_finds_them(con, ripgrep):
    needles = words(ripgrep, 50)
    rows = con.execute(
        "SELECT commit_id, file_path, matched FROM commit_changes('HEAD', ?, contains := ?)",
        [str(ripgrep), needles],
    ).fetchall()
    for needle in needles:
        wanted = git_search(ripgrep, f"-S{needle}", "--no-renames", "HEAD")
        assert_same(
            [(commit, path) for commit, path, matched in rows if needle in matched], wanted, needle
        )


@pytest.mark.slow
def test_patterns_are_found_in_ripgrep_where_git_finds_them(con, ripgrep):
    special = set(r"\[](){}*+?.^$|")
    for word in words(ripgrep, 50)[:12]:
        pattern = "".join(f"\\{letter}" if letter in special else letter for letter in word)
        assert_same(
            search(con, ripgrep, changed_lines=pattern),
            git_search(ripgrep, f"-G{pattern}", "--no-renames", "HEAD"),
            pattern,
        )
