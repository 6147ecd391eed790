"""The cases that a comparison of two trees meets, one row each: the patches of the fixture are those of git.

A case that takes more than a patch to check has its own test: kinds of repositories and of attributes in
test_repositories.py, odd trees and damage in test_security.py, the index and the work tree in their own files.
"""

import pytest
import repositories
from patch_parity import LOOKED_FOR, assert_same, patches, raw_rows

# For each case: the fixture, its pathspecs, and the options in SQL and in git.
PLAIN = ("", ["--no-renames"])
RENAMES = ("renames := true", ["-M"])
CASES = {
    "the mode alone": ("basic", ["mode-only.sh", "mode-dropped.sh", "mode-only-binary.bin"], PLAIN),
    "the mode and the content": ("basic", ["mode-and-content.sh"], PLAIN),
    "a file and a link": (
        "basic",
        ["file-to-link.txt", "link-to-file", "link-to-file-same-bytes", "binary-to-link"],
        PLAIN,
    ),
    "an empty file and a link": ("basic", ["empty-to-link", "link-to-empty-file"], PLAIN),
    "a file and a submodule": (
        "basic",
        ["file-to-module", "module-to-file", "module-to-link"],
        PLAIN,
    ),
    "a folder and a submodule": ("basic", ["folder-to-module", "module-to-folder"], PLAIN),
    "a submodule added, moved on and dropped": (
        "basic",
        ["module-added", "module-bumped", "module-deleted"],
        PLAIN,
    ),
    "a rename without a change": ("renames", ["exact.txt", "exact-moved.txt"], RENAMES),
    "a rename with a change": ("renames", ["inexact.txt", "inexact-moved.txt"], RENAMES),
    "a rename with another mode": ("renames", ["moded.txt", "moded.sh"], RENAMES),
    "a rename in case alone": ("renames", ["README", "readme"], RENAMES),
    "a rename to another folder": ("renames", ["folder", "other"], RENAMES),
    "a rename of an empty file": ("renames", ["empty", "empty-moved"], RENAMES),
    "a rename of a binary file": ("renames", ["image.bin", "image-moved.bin"], RENAMES),
    "a rename of a link": ("renames", ["link-from", "link-to"], RENAMES),
    "a rename of a quoted path": ("renames", ["paths"], RENAMES),
    "a copy of a changed file": (
        "renames",
        ["copied.txt", "the-copy.txt"],
        ("copies := true", ["-C"]),
    ),
    "as many renames as the limit": (
        "renames",
        ["many"],
        ("renames := true, rename_limit := 12", ["-M", "-l12"]),
    ),
    "more renames than the limit": (
        "renames",
        ["many"],
        ("renames := true, rename_limit := 5", ["-M", "-l5"]),
    ),
    "all of them": ("renames", [], ("copies := true", ["-C"])),
    "a NUL at byte 8,000 and behind": ("basic", ["nul-at-7999", "nul-at-8000"], PLAIN),
    "binary by attribute": ("basic", ["attributes"], PLAIN),
    "binary by a driver": ("drivers", [], PLAIN),
    "binary by size": ("big-files", ["hunks.txt", "modified.txt", "long-line.txt"], PLAIN),
    "UTF-16": ("basic", ["utf16.txt"], PLAIN),
    "a newline lost, gained and missing": (
        "basic",
        [f"newline-{how}.txt" for how in ("lost", "gained", "none", "only")],
        PLAIN,
    ),
    "a file emptied and filled": (
        "basic",
        ["emptied.txt", "filled.txt", "empty-added.txt", "empty-deleted.txt"],
        PLAIN,
    ),
    "CR LF": (
        "basic",
        [
            "lf-to-crlf.txt",
            "crlf-edited.txt",
            "crlf-last-lost.txt",
            "mixed-ends.txt",
            "cr-only.txt",
        ],
        PLAIN,
    ),
    "odd paths": ("basic", ["paths"], PLAIN),
    "odd paths with core.quotePath false": ("quote-path", ["paths"], PLAIN),
    "ids with core.abbrev": ("abbreviated", [], PLAIN),
    "the work tree as a sparse checkout": ("sparse", [], PLAIN),
    "a sparse index": ("sparse-index", [], PLAIN),
}


def ends(repo: str) -> tuple[str, str]:
    return (
        ("before", "after")
        if repo in ("basic", "big-files", "quote-path", "abbreviated")
        else ("main~1", "main")
    )


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_printed_as_by_git(con, case):
    name, paths, (options, arguments) = CASES[case]
    repo = repositories.fixture(name)
    old, new = ends(name)
    wanted = repositories.git(repo, "diff", *LOOKED_FOR, *arguments, old, new, "--", *paths)
    assert wanted, "the fixture shows nothing of the case"
    named = [options, f"paths := {paths}" if paths else ""]
    assert_same(patches(con, repo, old, new, ", ".join(filter(None, named))), wanted, case)


@pytest.mark.parametrize("limit", [0, 1, 5, 11, 12, 13, 100])
@pytest.mark.parametrize("detection", ["renames", "copies"])
def test_the_limit_of_renames_is_git_s(con, limit, detection):
    repo = repositories.fixture("renames")
    query = f"SELECT file_path, status, old_path, similarity FROM file_changes('main~1', 'main', ?, {detection} := true, rename_limit := ?)"
    arguments = ["-M" if detection == "renames" else "-C", f"-l{limit}"]
    assert con.execute(query, [str(repo), limit]).fetchall() == raw_rows(
        repo, "main~1", "main", *arguments
    )


def test_the_root_commit_has_the_files_of_git(con):
    repo = repositories.fixture("renames")
    wanted = repositories.git(
        repo, "diff-tree", "--root", "-p", "--no-commit-id", *LOOKED_FOR, "--no-renames", "main~1"
    )
    assert_same(patches(con, repo, "EMPTY", "main~1"), wanted, "the root commit")


def test_of_two_merge_bases_git_s_is_taken(con):
    """git takes the first of `git merge-base --all` and warns of the rest."""
    repo = repositories.fixture("criss-cross")
    assert len(repositories.git_text(repo, "merge-base", "--all", "main", "side").splitlines()) == 2
    for range_ in ("main...side", "side...main"):
        wanted = repositories.git(repo, "diff", *LOOKED_FOR, "--no-renames", range_)
        ours = con.execute(
            "SELECT patch_bytes FROM file_patches(?, NULL, ?)", [range_, str(repo)]
        ).fetchall()
        assert_same(b"".join(row[0] for row in ours), wanted, range_)


def test_the_binary_line_of_file_diff_is_quoted_as_by_git(con):
    for name in ("basic", "quote-path"):
        repo = repositories.fixture(name)
        path = "paths/binary \u00fc\t.bin"
        ((content,),) = con.execute(
            "SELECT content FROM file_diff(?, 'before', 'after', ?)", [path, str(repo)]
        ).fetchall()
        wanted = (
            repositories.git(repo, "diff", "before", "after", "--", path).decode().splitlines()[-1]
        )
        assert content == wanted, name
