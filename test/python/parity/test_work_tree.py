"""INDEX and WORKTREE on either side, against `git diff`, `git diff --cached` and `git diff <revision>`."""

import functools
import hashlib
import os
import pathlib
import random
import re
import subprocess
from collections.abc import Iterable

import duckdb
import process_threads
import pytest
import repositories
from repositories import EMPTY_TREE

PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--full-index"]
# With -R git swaps the prefixes too.
REVERSED = ["-R", "--src-prefix=b/", "--dst-prefix=a/"]
# In a conflict our side is compared; git would print a combined diff.
OURS = ["--ours"]
# The two sides of a comparison -> the arguments of `git diff` for it.
SIDES = {
    ("INDEX", "WORKTREE"): OURS,
    ("HEAD", "INDEX"): ["--cached", "HEAD"],
    ("HEAD", "WORKTREE"): ["HEAD"],
    ("HEAD", None): ["HEAD"],
    ("EMPTY", "STAGED"): ["--cached", EMPTY_TREE],
    ("empty", "workdir"): [EMPTY_TREE],
    ("WORKTREE", "INDEX"): [*OURS, *REVERSED],
    ("INDEX", "HEAD"): ["--cached", "HEAD", *REVERSED],
    ("WORKTREE", "HEAD"): ["HEAD", *REVERSED],
}
LETTERS = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "T": "type_changed",
    "U": "unmerged",
    "R": "renamed",
    "C": "copied",
}


class Tree:
    """A work tree that a test changes."""

    def __init__(self, path: pathlib.Path):
        self.path = path

    @classmethod
    def new(cls, path: pathlib.Path, *config: str) -> "Tree":
        path.mkdir(exist_ok=True)
        tree = cls(path)
        tree.git("init", "--quiet", "--initial-branch=main")
        for name, value in [
            ("user.name", "T"),
            ("user.email", "t@example.com"),
            *(pair.split("=") for pair in config),
        ]:
            tree.git("config", name, value)
        return tree

    def git(self, *arguments: str) -> bytes:
        env = repositories.environment(
            GIT_OPTIONAL_LOCKS="0",
            GIT_CONFIG_COUNT="2",
            GIT_CONFIG_KEY_1="protocol.file.allow",
            GIT_CONFIG_VALUE_1="always",
        )
        return repositories.git(self.path, *arguments, env=env)

    def write(self, name: str, content: bytes | str, executable: bool = False) -> pathlib.Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if executable:
            path.chmod(0o755)
        return path

    def commit(self, message: str = "c") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)


def lines(*numbers: int) -> str:
    return "".join(f"line {number}\n" for number in numbers)


def make(path: pathlib.Path, *config: str) -> None:
    tree = Tree.new(path, *config)
    for name in ["a", "b", "sub/c", "sub/d", "sub.x", "z"]:
        tree.write(name, f"{name}\n" + lines(*range(20)))
    tree.write("run", "#!/bin/sh\n", executable=True)
    (tree.path / "link").symlink_to("a")
    tree.commit()


def start(path: pathlib.Path, *config: str) -> Tree:
    return Tree(repositories.copied(path, make, *config))


# -- what is done to the tree: each function is one case ---------------------------------------


def nothing(tree):
    pass


def edits_staged_and_not(tree):
    tree.write("a", "a\n" + lines(1, 2, 3))
    tree.git("add", "a")
    tree.write("a", "a\n" + lines(1, 2, 4))
    tree.write("b", "b\n")
    tree.write("new", "new\n")
    tree.git("add", "new")
    (tree.path / "sub/c").unlink()
    tree.git("rm", "--quiet", "--cached", "sub/d")
    tree.git("rm", "--quiet", "z")


def staged_then_undone(tree):
    tree.write("a", "other\n")
    tree.git("add", "a")
    tree.git("checkout", "HEAD", "--", "b")
    tree.write("a", "a\n" + lines(*range(20)))
    tree.write("new", "x\n")
    tree.git("add", "new")
    (tree.path / "new").unlink()


def touched_without_a_change(tree):
    for name in ["a", "sub/c"]:
        os.utime(tree.path / name, (1, 1))
    content = (tree.path / "b").read_bytes()
    (tree.path / "b").unlink()
    tree.write("b", content)


def same_size_and_time(tree):
    path = tree.path / "a"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"line 1\n", b"line X\n"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def modes(tree):
    (tree.path / "a").chmod(0o755)
    (tree.path / "run").chmod(0o644)
    (tree.path / "b").chmod(0o600)
    tree.git("update-index", "--chmod=+x", "z")


def kinds(tree):
    (tree.path / "a").unlink()
    (tree.path / "a").symlink_to("b")
    (tree.path / "link").unlink()
    tree.write("link", "a")
    (tree.path / "b").unlink()
    tree.write("b/inside", "was a file\n")
    (tree.path / "z").unlink()
    (tree.path / "z").symlink_to("nowhere")
    for path in (tree.path / "sub").iterdir():
        path.unlink()
    (tree.path / "sub").rmdir()
    tree.write("sub", "was a folder\n")


def kinds_staged(tree):
    kinds(tree)
    tree.git("add", "--all")


def link_to_another_target(tree):
    (tree.path / "link").unlink()
    (tree.path / "link").symlink_to("b")


def folder_became_a_link(tree):
    outside = tree.path.parent / "outside"
    (tree.path / "sub").rename(outside)
    (tree.path / "sub").symlink_to(outside)


def intent_to_add(tree):
    tree.write("later", "content\n")
    tree.write("empty", "")
    tree.write("gone", "x\n")
    tree.git("add", "--intent-to-add", "later", "empty", "gone")
    (tree.path / "gone").unlink()


def conflict(tree):
    tree.git("checkout", "--quiet", "-b", "other")
    tree.write("a", "theirs\n" + lines(*range(20)))
    tree.git("rm", "--quiet", "b")
    tree.write("both", "theirs\n")
    tree.write("sub/d", "their d\n")
    tree.commit()
    tree.git("checkout", "--quiet", "main")
    tree.write("a", "ours\n" + lines(*range(20)))
    tree.write("b", "our b\n")
    tree.write("both", "ours\n")
    tree.git("rm", "--quiet", "sub/d")
    tree.commit()
    subprocess.run(
        ["git", "-C", tree.path, "merge", "--quiet", "other"],
        capture_output=True,
        env=repositories.environment(),
    )


def conflict_and_removed(tree):
    conflict(tree)
    (tree.path / "a").unlink()
    (tree.path / "sub/d").unlink()


def conflict_without_file_modes(tree):
    """Where the file system has no modes, the mode of the common ancestor counts."""
    tree.git("config", "core.fileMode", "false")
    conflict(tree)
    tree.git("update-index", "--chmod=+x", "z")
    blob = tree.git("rev-parse", "HEAD:z").decode().strip()
    stages = "".join(
        f"{mode} {blob} {stage}\tz\n"
        for mode, stage in [("100755", 1), ("100644", 2), ("100755", 3)]
    )
    entries = f"0 {'0' * len(blob)}\tz\n{stages}"
    repositories.git(tree.path, "update-index", "--index-info", stdin=entries.encode())


def conflict_that_is_copied(tree):
    conflict(tree)
    tree.write("copy", "ours\n" + lines(*range(20)))
    tree.write("alike", "ours\n" + lines(*range(19)))
    tree.git("add", "copy", "alike")


def line_ends(tree):
    tree.write(
        ".gitattributes",
        "*.txt text\n*.auto text=auto\n*.bin -text\n*.crlf eol=crlf\n*.old crlf\n*.id ident\n",
    )
    for suffix in ["txt", "auto", "bin", "crlf", "old", "id"]:
        tree.write(f"f.{suffix}", "one\ntwo $Id$\n")
        tree.write(f"g.{suffix}", "one\r\ntwo\n")
    tree.write("h.auto", b"one\0\r\ntwo\r\n")
    tree.commit("with attributes")
    for suffix in ["txt", "auto", "bin", "crlf", "old", "id"]:
        tree.write(f"f.{suffix}", "one\r\ntwo $Id: 1234 $\r\n")
        tree.write(f"g.{suffix}", "one\r\ntwo\r\nthree\r\n")
    tree.write("h.auto", b"one\0\r\ntwo\r\nthree\r\n")


def autocrlf(tree):
    tree.git("config", "core.autocrlf", "true")
    tree.write("b", ("b\n" + "".join(lines(*range(20)))).replace("\n", "\r\n"))
    tree.write("a", "a\r\nchanged\r\n")


def autocrlf_with_crlf_in_the_index(tree):
    tree.write("crlf", "one\r\ntwo\r\n")
    tree.commit()
    tree.git("config", "core.autocrlf", "input")
    tree.write("crlf", "one\r\nTWO\r\n")
    tree.write("a", "a\r\n")


def encodings(tree):
    tree.write(
        ".gitattributes",
        "*.u16 working-tree-encoding=UTF-16\n*.latin working-tree-encoding=ISO-8859-1\n",
    )
    tree.write("f.u16", "héllo\nworld\n".encode("utf-16"))
    tree.write("f.latin", "héllo\n".encode("latin-1"))
    tree.commit()
    tree.write("f.u16", b"\xfe\xff" + "héllo\nworlds\n".encode("utf-16-be"))
    tree.write("f.latin", "hällo\n".encode("latin-1"))
    tree.write("g.latin", "ö\n".encode("latin-1"))
    tree.git("add", "g.latin")


def every_name_of_an_encoding(tree):
    names = [
        "UTF-16",
        "UTF-16LE",
        "UTF-16BE",
        "UTF-16LE-BOM",
        "UTF-16BE-BOM",
        "utf16",
        "UTF-32",
        "UTF-32LE",
        "UTF-32BE",
        "utf32le",
        "ISO-8859-1",
        "latin-1",
        "US-ASCII",
        "ascii",
        "windows-1252",
        "ISO-8859-15",
        "KOI8-R",
        "UTF-8",
        "utf8",
        "none",
    ]
    texts = {
        "marked16le": b"\xff\xfeh\0\xe9\0\n\0",
        "marked16be": b"\xfe\xff\0h\0\xe9\0\n",
        "16le": b"h\0\n\0",
        "16be": b"\0h\0\n",
        "lone": b"\0\xd8\n\0",
        "odd": b"h\0\n",
        "marked32le": b"\xff\xfe\0\0h\0\0\0",
        "marked32be": b"\0\0\xfe\xff\0\0\0h",
        "32le": b"h\0\0\0\n\0\0\0",
        "32be": b"\0\0\0h\0\0\0\n",
        "beyond": b"\0\0\x11\0",
        "high": b"\x7f\x80\x85\x9f\xa0\xa4\xff\n",
        "latin": b"h\xe9\n",
        "open": b"\x81\n",
        "plain": b"h\n",
        "empty": b"",
        "marked8": b"\xef\xbb\xbfh\n",
    }
    for number, _ in enumerate(names):
        for text in texts:
            tree.write(f"encoded/{number}.{text}", "before\n")
    tree.commit()
    tree.write(
        ".gitattributes",
        "".join(f"{number}.* working-tree-encoding={name}\n" for number, name in enumerate(names)),
    )
    for number, _ in enumerate(names):
        for text, content in texts.items():
            tree.write(f"encoded/{number}.{text}", content)


def quoted_names_with_blanks(tree):
    for name in [
        "ünï code",
        'quote" and blank',
        "tab\tand blank",
        "plain blank",
        "back\\slash blank",
    ]:
        tree.write(name, "x\n")
    tree.commit()
    for name in ["ünï code", 'quote" and blank', "plain blank"]:
        tree.write(name, "changed\n")
    (tree.path / "tab\tand blank").unlink()
    (tree.path / "back\\slash blank").rename(tree.path / "ünï moved blank")
    tree.git("add", "--all")
    tree.write("plain blank", "changed again\n")


def empty_files_that_are_binary(tree):
    tree.write(".gitattributes", "*.bin binary\n")
    tree.write("gone.bin", "")
    tree.write("emptied.bin", "x\n")
    tree.write("filled.bin", "")
    tree.write("mode.bin", "")
    tree.commit()
    (tree.path / "gone.bin").unlink()
    tree.write("emptied.bin", "")
    tree.write("filled.bin", "x\n")
    (tree.path / "mode.bin").chmod(0o755)
    tree.write("new.bin", "")
    tree.git("add", "new.bin")


def attributes_in_either_case(tree):
    tree.git("config", "core.ignoreCase", "true")
    tree.write(".gitattributes", "*.bin -diff\nB -diff\n/SUB/c -diff\n")
    tree.write("N.BIN", "x\n")
    tree.commit()
    for name in ["N.BIN", "b", "sub/c"]:
        tree.write(name, "changed\n")


def attributes_of_the_index(tree):
    tree.write(".gitattributes", "a -diff\nb diff=rust\n")
    tree.write("sub/.gitattributes", "c binary\n")
    tree.git("add", "--all")
    (tree.path / ".gitattributes").unlink()
    (tree.path / "sub/.gitattributes").unlink()
    tree.write("a", "changed\n")
    tree.write("b", "b\n" + lines(*range(19)))
    tree.write("sub/c", "changed\n")


def binary_and_empty(tree):
    tree.write("a", b"\0\1\2")
    tree.write("b", "")
    tree.write("z", "z\n" + "".join(lines(*range(20)))[:-1])


def renamed(tree):
    (tree.path / "a").rename(tree.path / "a.moved")
    (tree.path / "sub/c").rename(tree.path / "c.moved")
    tree.write("c.moved", "sub/c\n" + lines(*range(18)))
    tree.git("add", "--all")
    tree.write("c.moved", "sub/c\n" + lines(*range(17)))


def assumed_and_skipped(tree):
    tree.git("update-index", "--assume-unchanged", "a")
    tree.git("update-index", "--skip-worktree", "b", "z")
    tree.write("a", "hidden\n")
    tree.write("b", "hidden\n")
    (tree.path / "z").unlink()


def sparse(tree):
    tree.git("sparse-checkout", "set", "--no-cone", "/*", "!/sub/")
    tree.write("sub/c", "present all the same\n")
    tree.write("a", "changed\n")


def sparse_index(tree):
    for name in ["cone/in/f", "out/of/g", "out/h"]:
        tree.write(name, name)
    tree.commit()
    tree.git("sparse-checkout", "set", "--cone", "--sparse-index", "cone")
    tree.write("cone/in/f", "changed\n")
    tree.git("rm", "--quiet", "--sparse", "--cached", "out/h")


def split_index(tree):
    tree.git("update-index", "--split-index")
    tree.write("a", "changed\n")
    tree.write("new", "new\n")
    tree.git("add", "new")
    tree.git("rm", "--quiet", "--cached", "b")


def directories_with_and_without_changes(tree):
    """What git keeps in the index for each directory is true of some of them, and not of others."""
    for name in ["p/q/r/one", "p/q/two", "p/s/three", "p/four", "u/v/five", "w/six", "x/y/seven"]:
        tree.write(name, name)
    tree.commit()
    tree.git("write-tree")
    tree.write("p/q/two", "staged\n")
    tree.write("w/later", "later\n")
    tree.git("add", "p/q/two")
    tree.git("add", "--intent-to-add", "w/later")
    tree.git("rm", "--quiet", "-r", "u")
    tree.write("u", "was a folder\n")
    tree.git("add", "u")
    tree.write("x/y/seven", "only in the work tree\n")
    tree.write("p/s/untracked", "untracked\n")


def a_tree_read_beside_others(tree):
    tree.git("read-tree", "--prefix=copy/", "HEAD")
    tree.git("read-tree", "--prefix=sub/copy/", "HEAD")
    tree.git("rm", "--quiet", "--cached", "copy/sub/c")


def directories_of_a_split_index(tree):
    directories_with_and_without_changes(tree)
    tree.git("update-index", "--split-index")
    tree.write("p/four", "staged\n")
    tree.git("add", "p/four")
    tree.git("write-tree")


def index_version_4(tree):
    tree.git("update-index", "--index-version", "4")
    edits_staged_and_not(tree)


def odd_names(tree):
    for name in [
        "tab\there",
        "new\nline",
        'quote"',
        "ünicode",
        "back\\slash",
        " space",
        "-dash",
        ":colon",
    ]:
        tree.write(name, "x\n")
    (tree.path / os.fsdecode(b"latin-\xe9")).write_bytes(b"x\n")
    tree.commit()
    for path in tree.path.iterdir():
        if path.is_file() and not path.is_symlink():
            path.write_bytes(b"changed\n")


def submodules(tree):
    for name in ["clean", "moved", "dirty", "staged", "both", "untracked", "removed", "absent"]:
        other = Tree.new(tree.path.parent / f"module-{name}")
        other.write("f", "1\n")
        other.commit()
        tree.git("submodule", "--quiet", "add", str(other.path), f"modules/{name}")
    tree.commit()
    inside = lambda name: tree.path / "modules" / name
    git = lambda name, *words: repositories.git(
        inside(name), "-c", "user.name=T", "-c", "user.email=t@example.com", *words
    )
    for name in ["moved", "both"]:
        git(
            name,
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "next",
        )
    for name in ["dirty", "both"]:
        (inside(name) / "f").write_text("changed\n")
    (inside("staged") / "f").write_text("staged\n")
    git("staged", "add", "f")
    (inside("untracked") / "g").write_text("new\n")
    subprocess.run(["rm", "-rf", inside("removed")], check=True)
    for path in inside("absent").iterdir():
        subprocess.run(["rm", "-rf", path], check=True)
    tree.write("z", "changed\n")


def submodules_behind_the_index(tree):
    names = ["back", "dirty", "absent"]
    for name in [*names, "added"]:
        other = Tree.new(tree.path.parent / f"module-{name}")
        other.write("f", "1\n")
        other.commit()
        if name != "added":
            tree.git("submodule", "--quiet", "add", str(other.path), name)
    tree.commit()
    for name in names:
        git = lambda *words: repositories.git(
            tree.path / name, "-c", "user.name=T", "-c", "user.email=t@example.com", *words
        )
        git("commit", "--quiet", "--allow-empty", "-m", "next")
        tree.git("add", name)
        git("checkout", "--quiet", "HEAD~1")
    (tree.path / "dirty/f").write_text("changed\n")
    subprocess.run(["rm", "-rf", tree.path / "absent"], check=True)
    (tree.path / "absent").mkdir()
    tree.git("submodule", "--quiet", "add", str(tree.path.parent / "module-added"), "added")
    (tree.path / "added/f").write_text("changed\n")


def file_became_a_repository(tree):
    (tree.path / "a").unlink()
    other = Tree.new(tree.path / "a")
    other.write("f", "1\n")
    other.commit()


def without_file_modes(tree):
    tree.git("config", "core.fileMode", "false")
    (tree.path / "a").chmod(0o755)
    (tree.path / "run").chmod(0o644)
    tree.write("b", "changed\n", executable=True)


CASES = [
    nothing,
    edits_staged_and_not,
    staged_then_undone,
    touched_without_a_change,
    same_size_and_time,
    modes,
    kinds,
    kinds_staged,
    link_to_another_target,
    folder_became_a_link,
    intent_to_add,
    conflict,
    conflict_and_removed,
    conflict_without_file_modes,
    conflict_that_is_copied,
    line_ends,
    autocrlf,
    autocrlf_with_crlf_in_the_index,
    encodings,
    every_name_of_an_encoding,
    attributes_of_the_index,
    attributes_in_either_case,
    binary_and_empty,
    empty_files_that_are_binary,
    renamed,
    quoted_names_with_blanks,
    assumed_and_skipped,
    sparse,
    sparse_index,
    split_index,
    directories_with_and_without_changes,
    directories_of_a_split_index,
    a_tree_read_beside_others,
    index_version_4,
    odd_names,
    submodules,
    submodules_behind_the_index,
    file_became_a_repository,
    without_file_modes,
]


# -- the comparison ----------------------------------------------------------------------------


def patches(con, sides, repo, options=""):
    rows = con.execute(
        f"SELECT patch_bytes FROM file_patches(?, ?, ?{options})", [*sides, str(repo)]
    ).fetchall()
    return b"".join(row[0] for row in rows)


def full(patch: bytes) -> bytes:
    """Returns a patch without its index lines, in which redline abbreviates ids and git was asked not to."""
    return b"\n".join(line for line in patch.split(b"\n") if not line.startswith(b"index "))


def raw_and_counts(tree: Tree, words: Iterable[str]) -> tuple[list[tuple], list[tuple]]:
    """Returns path, status and modes, and line counts, as `git diff --raw --numstat` prints them."""
    fields = tree.git("diff", "--raw", "--numstat", "-z", *PLAIN, *words).split(b"\0")[:-1]
    found, counts = [], []
    while fields:
        first = fields.pop(0)
        if not first.startswith(b":"):
            *numbers, path = first.split(b"\t", 2)
            counts.append(tuple(None if number == b"-" else int(number) for number in numbers))
            # Both paths of a rename follow.
            fields = fields if path else fields[2:]
            continue
        old_mode, new_mode, _, _, letter = first.lstrip(b":").decode().split()
        if letter[0] in "RC":
            fields.pop(0)
        status = LETTERS[letter[0]]
        mode = lambda text: None if text == "000000" or status == "unmerged" else text
        found.append(
            (fields.pop(0).decode(errors="replace"), status, mode(old_mode), mode(new_mode))
        )
    return found, counts


def raw(tree: Tree, words: list[str]) -> list[tuple]:
    return raw_and_counts(tree, words)[0]


def rows(con, sides, repo, options=""):
    return con.execute(
        f"SELECT file_path, status, old_mode, new_mode, additions, deletions FROM file_changes(?, ?, ?{options})",
        [*sides, str(repo)],
    ).fetchall()


WAYS = {"": "--no-renames", ", renames := true": "-M", ", copies := true": "-C"}
# The sides between which the merge gate looks for renames: each kind of side as the old and as the new one.
RENAMED_SIDES = [("INDEX", "WORKTREE"), ("HEAD", "INDEX"), ("WORKTREE", "HEAD")]


@pytest.mark.parametrize(
    "everywhere", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["", "all"]
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_rows_and_patches_equal_those_of_git(con, tmp_path, case, everywhere):
    tree = start(tmp_path / "tree")
    case(tree)
    raw_of_git = functools.cache(lambda *words: raw_and_counts(tree, words))
    patch_of_git = functools.cache(lambda *words: full(tree.git("diff", *PLAIN, *words)))
    for sides, words in SIDES.items():
        is_copied = case is conflict_that_is_copied
        count = 3 if is_copied else 2 if everywhere or sides in RENAMED_SIDES else 1
        for options, renames in list(WAYS.items())[:count]:
            ours = rows(con, sides, tree.path, options)
            listed, theirs = raw_of_git(*words, renames)
            assert [row[:4] for row in ours] == listed, (sides, options)
            # --numstat leaves out a submodule that differs only in the index; --raw lists it.
            counted = lambda all: [
                one for one in all if case is not submodules_behind_the_index or one != (0, 0)
            ]
            assert counted(row[4:] for row in ours) == counted(theirs), (sides, options)
            theirs = patch_of_git(*words, renames)
            assert full(patches(con, sides, tree.path, options)) == theirs, (sides, options)


# `git hash-object` does not look in the index for whether a file may have CRLF.
STORED = [case for case in CASES if case is not autocrlf_with_crlf_in_the_index]


# Promise (answers): The content shown for a file of the work tree has the id in its row; a file
# that changes in between is `stale:` (`src/git/worktree/files.rs` compares the ids).
@pytest.mark.parametrize("case", STORED, ids=lambda case: case.__name__)
def test_the_id_of_a_file_on_disk_is_the_one_that_git_would_store(con, tmp_path, case):
    tree = start(tmp_path / "tree")
    case(tree)
    stored = con.execute(
        "SELECT file_path, new_mode, new_size, new_oid FROM file_changes('EMPTY', 'WORKTREE', ?) "
        "WHERE status = 'added' AND new_mode <> '160000'",
        [str(tree.path)],
    ).fetchall()
    listed = tree.git("ls-files", "-v", "-z").decode(errors="replace").split("\0")
    hidden = {line[2:] for line in listed if line[:1] in ("h", "S")}
    ids = {}
    for path, mode, _size, oid in stored:
        if "\ufffd" in path or path in hidden:
            continue
        name = tree.path / path
        if mode == "120000":
            content = os.readlink(name).encode()
            theirs = repositories.git(tree.path, "hash-object", "--stdin", stdin=content)
            assert oid == theirs.decode().strip(), path
        elif name.exists():  # else it is not in the sparse checkout, so taken from the index
            ids[path] = oid
    paths = b"".join(repositories.quoted(path) + b"\n" for path in ids)
    theirs = repositories.git(tree.path, "hash-object", "--stdin-paths", stdin=paths)
    assert ids == dict(zip(ids, theirs.decode().split(), strict=True))


def test_renames_and_edits_of_a_real_tree(con, tmp_path):
    if not repositories.bundle_folder():
        pytest.skip("REDLINE_TEST_REPOS is not set")
    clone = repositories.clone_bundle("ripgrep.bundle", tmp_path / "ripgrep")
    tree = Tree.__new__(Tree)
    tree.path = clone
    random.seed(7)
    tracked = sorted(
        path for path in clone.rglob("*") if path.is_file() and ".git" not in path.parts
    )
    for number, path in enumerate(random.sample(tracked, 60)):
        content = path.read_bytes().splitlines(keepends=True)
        match number % 6:
            case 0:
                path.unlink()
            case 1:
                path.rename(path.with_name(path.name + ".moved"))
            case 2:
                path.chmod(0o755)
            case _:
                random.shuffle(content) if number % 6 == 3 else content.insert(
                    len(content) // 2, b"inserted\n"
                )
                path.write_bytes(b"".join(content))
        if number % 4 == 0:
            tree.git("add", "--all")
    for sides, words in SIDES.items():
        for options, renames in [("", ["--no-renames"]), (", copies := true", ["-C"])]:
            theirs = tree.git("diff", *PLAIN, *words, *renames)
            assert full(patches(con, sides, clone, options)) == full(theirs), (sides, options)


def test_index_lines_equal_those_of_git(con, tmp_path):
    tree = start(tmp_path / "tree")
    edits_staged_and_not(tree)
    for sides in [("INDEX", "WORKTREE"), ("HEAD", "WORKTREE"), ("HEAD", "INDEX")]:
        theirs = tree.git("diff", "--no-color", "--no-renames", *SIDES[sides])
        assert patches(con, sides, tree.path) == theirs


def test_ids_are_cut_as_git_cuts_them_where_the_null_id_collides(con, tmp_path):
    tree = start(tmp_path / "tree", "core.abbrev=4")
    blobs = (str(number).encode() for number in range(1_000_000))
    zeros = next(
        blob
        for blob in blobs
        if hashlib.new(repositories.HASH, b"blob %d\0%s" % (len(blob), blob)).digest()[:2]
        == b"\0\0"
    )
    tree.write("zeros", zeros)
    tree.git("add", "zeros")
    tree.write("a", "changed\n")
    tree.git("rm", "--quiet", "b")
    for sides in [("INDEX", "WORKTREE"), ("HEAD", "WORKTREE"), ("HEAD", "INDEX")]:
        theirs = tree.git("diff", "--no-color", "--no-renames", *SIDES[sides])
        assert patches(con, sides, tree.path) == theirs
    assert re.search(rb"^index 0{5,}\.\.", theirs, re.M)


# -- where the work tree is --------------------------------------------------------------------


@pytest.mark.parametrize("value", ["../../elsewhere", "absolute"])
def test_the_work_tree_is_where_the_configuration_names_it(con, tmp_path, value):
    tree = start(tmp_path / "tree")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for path in tree.path.iterdir():
        if path.name != ".git":
            path.rename(elsewhere / path.name)
    tree.git("config", "core.worktree", str(elsewhere) if value == "absolute" else value)
    (elsewhere / "a").write_text("changed\n")
    (elsewhere / ".gitattributes").write_text("b -diff\n")
    (elsewhere / "b").write_text("changed\n")
    for sides, words in SIDES.items():
        git_dir = f"--git-dir={tree.path / '.git'}"
        theirs = repositories.git(elsewhere, git_dir, "diff", *PLAIN, "--no-renames", *words)
        for repo in [tree.path, tree.path / ".git"]:
            assert full(patches(con, sides, repo)) == full(theirs), (sides, repo)
    tree.git("config", "core.worktree", str(tmp_path / "missing"))
    with pytest.raises(duckdb.Error, match="not_found: .*core.worktree"):
        rows(con, ("HEAD", "WORKTREE"), tree.path)


def test_a_work_tree_outside_is_refused(connect, tmp_path):
    (tmp_path / "inside").mkdir()
    tree = start(tmp_path / "inside/tree")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_text("SECRET\n")
    con = connect()
    con.execute(f"SET allowed_directories = ['{tmp_path / 'inside'}']")
    con.execute("SET enable_external_access = false")
    assert rows(con, ("HEAD", "WORKTREE"), tree.path) == []
    for value in [str(tmp_path / "outside"), "../../../outside"]:
        tree.git("config", "core.worktree", value)
        with pytest.raises(duckdb.Error, match="fs_denied:"):
            patches(con, ("HEAD", "WORKTREE"), tree.path)


# -- submodules that lead back -----------------------------------------------------------------


def own_submodule(tree) -> None:
    """Makes the index say that `own` is a submodule."""
    head = tree.git("rev-parse", "HEAD").decode().strip()
    tree.git("update-index", "--add", "--cacheinfo", f"160000,{head},own")
    (tree.path / "own").mkdir()


def test_a_submodule_that_is_none_is_not_looked_into(con, tmp_path):
    tree = start(tmp_path / "tree")
    own_submodule(tree)
    tree.commit()
    (tree.path / "own/.git").symlink_to("nowhere")
    for sides, words in SIDES.items():
        assert full(patches(con, sides, tree.path)) == full(
            tree.git("diff", *PLAIN, "--no-renames", *words)
        ), sides


@pytest.mark.parametrize("gitdir", ["../.git", "absolute"])
def test_a_submodule_that_is_its_own_ends_in_an_error(con, tmp_path, gitdir):
    tree = start(tmp_path / "tree")
    own_submodule(tree)
    (tree.path / "own/.git").write_text(
        f"gitdir: {tree.path / '.git' if gitdir == 'absolute' else gitdir}\n"
    )
    with pytest.raises(
        duckdb.Error, match="tool_failed: the submodule 'own' is its own parent repository"
    ):
        rows(con, ("INDEX", "WORKTREE"), tree.path)


# -- untracked files ---------------------------------------------------------------------------


def test_untracked_files_are_those_that_git_add_would_take(con, tmp_path):
    tree = start(tmp_path / "tree")
    tree.write(".gitignore", "*.o\n/build/\n!keep.o\nsub/only\n")
    tree.write("sub/.gitignore", "local\n!special.o\n")
    (tree.path / ".git/info/exclude").write_text("excluded\n")
    for name in [
        "new",
        "x.o",
        "keep.o",
        "build/out",
        "deep/er/new",
        "deep/x.o",
        "sub/local",
        "sub/special.o",
        "sub/only",
        "excluded",
        "deep/excluded",
        "local",
        "ünï",
        "-n",
        "sub-new",
        "sub/new",
    ]:
        tree.write(name, f"{name}\n")
    (tree.path / "dangling").symlink_to("nowhere")
    (tree.path / "to-folder").symlink_to("deep")
    os.mkfifo(tree.path / "fifo")
    (tree.path / "hollow").mkdir()
    other = Tree.new(tree.path / "nested")
    other.write("f", "1\n")
    other.commit()
    tree.write("a", "changed\n")
    tree.git("rm", "--quiet", "--cached", "z")
    before = {
        sides: rows(con, sides, tree.path, ", untracked := true")
        for sides in [("INDEX", "WORKTREE"), ("HEAD", "WORKTREE")]
    }
    # A query for names alone does not read the files.
    for old, new in [
        ("INDEX", "WORKTREE"),
        ("HEAD", "WORKTREE"),
        ("WORKTREE", "INDEX"),
        ("WORKTREE", "HEAD"),
    ]:
        query = "SELECT file_path, status FROM file_changes(?, ?, ?, untracked := true)"
        named = con.execute(query, [old, new, str(tree.path)]).fetchall()
        assert named == [row[:2] for row in rows(con, (old, new), tree.path, ", untracked := true")]
        assert len(named) > 12
    listed = con.execute(
        "SELECT line_type, content FROM file_diff('deep/er/new', 'HEAD', NULL, ?, untracked := true)",
        [str(tree.path)],
    ).fetchall()
    assert listed == [("ADDED", "deep/er/new")]
    assert not [row for row in rows(con, ("INDEX", "WORKTREE"), tree.path) if row[1] == "added"]
    names = tree.git("ls-files", "--others", "--exclude-standard", "-z").decode().split("\0")[:-1]
    added = [row[0] for row in before["INDEX", "WORKTREE"] if row[1] == "added"]
    assert added == sorted((name.rstrip("/") for name in names if name != "fifo"), key=str.encode)
    tree.git("add", "--all", "--", ":!fifo")
    theirs = raw(tree, ["--cached", "HEAD", "--no-renames"])
    assert [row[:4] for row in before["HEAD", "WORKTREE"]] == theirs


# -- what must be refused, reported or left alone ----------------------------------------------


def test_a_fifo_where_a_file_was_is_a_deleted_file(con, tmp_path):
    tree = start(tmp_path / "tree")
    (tree.path / "a").unlink()
    os.mkfifo(tree.path / "a")
    assert rows(con, ("INDEX", "WORKTREE"), tree.path) == [("a", "deleted", "100644", None, 0, 21)]


# Promise (outside): A linked directory of the work tree has no files; a file that became a link
# shows its target's name, never its target's content. With
# `a_directory_that_became_a_link_leads_nowhere_even_when_it_was_open`.
def test_a_link_out_of_the_work_tree_is_not_followed(con, tmp_path):
    tree = start(tmp_path / "tree")
    secret = tmp_path / "secret"
    secret.mkdir()
    for name in ["c", "d"]:
        (secret / name).write_text("SECRET\n")
    subprocess.run(["rm", "-rf", tree.path / "sub"], check=True)
    (tree.path / "sub").symlink_to(secret)
    (tree.path / "a").unlink()
    (tree.path / "a").symlink_to(secret / "c")
    for sides in SIDES:
        assert b"SECRET" not in patches(con, sides, tree.path, ", untracked := true")


@pytest.mark.parametrize("word", ["clean", "process", "smudge"])
def test_no_program_of_a_filter_is_run(con, tmp_path, word):
    tree = start(tmp_path / "tree")
    mark = tmp_path / "ran"
    other = Tree.new(tmp_path / "module")
    other.write("f", "1\n")
    other.commit()
    subprocess.run(
        ["git", "clone", "-q", other.path, tree.path / "module"],
        check=True,
        env=repositories.environment(),
    )
    module = Tree.__new__(Tree)
    module.path = tree.path / "module"
    entry = module.git("rev-parse", "HEAD").decode().strip()
    tree.git("update-index", "--add", "--cacheinfo", f"160000,{entry},module")
    tree.write(".gitattributes", "* filter=evil diff=evil\n")
    module.write(".git/info/attributes", "* filter=evil\n")
    module.write("f", "2\n")
    for name in [
        f"filter.evil.{word}",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.fsmonitor",
        "core.hooksPath",
    ]:
        for one in [tree, module]:
            one.git("config", name, f"touch {mark}")
    tree.git("config", "filter.evil.required", "true")
    mark.unlink(missing_ok=True)
    tree.write("a", "changed\n")
    for sides in SIDES:
        patches(con, sides, tree.path, ", untracked := true")
    assert b"+changed" in patches(con, ("INDEX", "WORKTREE"), tree.path)
    assert b"-dirty" in patches(con, ("INDEX", "WORKTREE"), tree.path)
    assert not mark.exists()


# Promise (answers): An index that is truncated, or whose entries lead outside or into `.git`, is
# an error. With `test_a_torn_index_is_refused`.
@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "a/../../outside", ".git/config", "sub/.GIT/config"]
)
def test_an_index_that_names_a_path_outside_is_refused(con, tmp_path, path):
    tree = start(tmp_path / "tree")
    (tmp_path / "outside").write_text("SECRET\n")
    blob = tree.git("rev-parse", "HEAD:a").decode().strip()
    index = (tree.path / ".git/index").read_bytes()
    # git refuses such a path, so an entry of the same length is written and then patched.
    stand_in = ("x" * 100)[: len(path)]
    tree.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{stand_in}")
    index = (tree.path / ".git/index").read_bytes()
    assert index.count(stand_in.encode() + b"\0") == 1
    body = index.replace(stand_in.encode() + b"\0", path.encode() + b"\0")[:-20]
    (tree.path / ".git/index").write_bytes(body + hashlib.sha1(body).digest())
    with pytest.raises(duckdb.Error, match="tool_failed: the repository .* is damaged: its index"):
        patches(con, ("INDEX", "WORKTREE"), tree.path)


def test_a_torn_index_is_refused(con, tmp_path):
    tree = start(tmp_path / "tree")
    index = (tree.path / ".git/index").read_bytes()
    random.seed(3)
    for _ in range(60):
        torn = bytearray(index)
        if random.random() < 0.5:
            del torn[random.randrange(len(torn)) :]
        else:
            torn[random.randrange(len(torn))] ^= 1 << random.randrange(8)
        (tree.path / ".git/index").write_bytes(bytes(torn))
        with pytest.raises(duckdb.Error, match="tool_failed: .* its index"):
            rows(con, ("HEAD", "INDEX"), tree.path)


def test_a_bare_repository_has_no_work_tree(con, tmp_path):
    repositories.git(tmp_path, "init", "--quiet", "--bare", "bare")
    with pytest.raises(duckdb.Error, match="invalid_args: .* is bare: it has no work tree"):
        rows(con, ("EMPTY", "WORKTREE"), tmp_path / "bare")
    assert rows(con, ("EMPTY", "INDEX"), tmp_path / "bare") == []


def test_an_unreadable_file_is_an_error(con, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    tree = start(tmp_path / "tree")
    tree.write("a", "changed\n").chmod(0)
    with pytest.raises(duckdb.Error, match="tool_failed: 'a' in the work tree cannot be read"):
        rows(con, ("INDEX", "WORKTREE"), tree.path)


def test_a_linked_work_tree_has_its_own_index(con, tmp_path):
    tree = start(tmp_path / "tree")
    tree.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Tree.__new__(Tree)
    side.path = tmp_path / "side"
    side.write("a", "on the side\n")
    side.git("add", "a")
    tree.write("b", "on main\n")
    for one in [tree, side]:
        for sides, words in SIDES.items():
            assert full(patches(con, sides, one.path)) == full(
                one.git("diff", *PLAIN, "--no-renames", *words)
            ), sides


def test_the_merge_base_of_the_work_tree_is_that_of_head(con, tmp_path):
    tree = start(tmp_path / "tree")
    tree.git("checkout", "--quiet", "-b", "feature")
    tree.write("a", "feature\n")
    tree.commit()
    tree.git("checkout", "--quiet", "main")
    tree.write("b", "main\n")
    tree.commit()
    tree.git("checkout", "--quiet", "feature")
    tree.write("z", "not committed\n")
    for to, words in [("WORKTREE", []), (None, []), ("INDEX", ["--cached"])]:
        theirs = tree.git("diff", *PLAIN, "--no-renames", "--merge-base", *words, "main")
        assert full(patches(con, ("main", to), tree.path, ", merge_base := true")) == full(theirs)


def test_file_diff_shows_a_file_of_the_work_tree(con, tmp_path):
    tree = start(tmp_path / "tree")
    edits_staged_and_not(tree)
    tree.write("stray", "x\n")
    diff = lambda name, *sides: con.execute(
        "SELECT line_type, content FROM file_diff(?, ?, ?, ?, context := 0)",
        [name, *sides, str(tree.path)],
    ).fetchall()
    assert diff("a", "INDEX", "WORKTREE") == [("REMOVED", "line 3"), ("ADDED", "line 4")]
    assert diff("run", "HEAD", None) == []
    assert diff("new", "HEAD", "INDEX") == [("ADDED", "new")]
    assert len(diff("z", "HEAD", "WORKTREE")) == 21
    for name, message in [
        ("stray", "no file 'stray' in 'HEAD'"),
        ("sub", "'sub' is a directory"),
        ("SUB/c", "Did you mean 'sub/c'"),
    ]:
        with pytest.raises(duckdb.Error, match=f"not_found: .*{message}"):
            diff(name, "HEAD", "WORKTREE")


def test_ids_are_cut_as_git_cuts_them_where_objects_begin_alike(con, tmp_path):
    """With four digits, most ids of 3,000 files share their prefix with another object: packed, loose or on the other
    side. The ids of files in the work tree are abbreviated like those of objects."""
    tree = start(tmp_path / "namesakes", "core.abbrev=4", "gc.auto=0")

    def write(count: int, word: str) -> None:
        for number in range(count):
            tree.write(f"{number}.txt", f"{word} {number}\n")

    write(1_500, "packed")
    tree.commit()
    tree.git("repack", "-adq")
    write(1_500, "loose")
    tree.commit()
    write(750, "in the work tree")
    for sides, revisions in (
        (("HEAD~1", "HEAD"), ["HEAD~1", "HEAD"]),
        (("HEAD", "WORKTREE"), ["HEAD"]),
    ):
        wanted = tree.git("diff", *PLAIN[:-1], *revisions)
        heads = [line.split(b" ")[1] for line in wanted.split(b"\n") if line.startswith(b"index ")]
        assert len({len(head) for head in heads}) > 1, "no two objects begin alike"
        assert patches(con, sides, tree.path) == wanted


@pytest.mark.parametrize("name", ["a", "sub/c", "deep/er/f"])
def test_an_index_whose_trees_do_not_have_its_entries_is_believed_as_far_as_by_git(
    con, tmp_path, name
):
    tree = Tree.new(tmp_path / "tree")
    for path in ["a", "sub/c", "sub/d", "deep/er/f", "z"]:
        tree.write(path, path)
    tree.commit()
    tree.git("write-tree")
    index = tree.path / ".git/index"
    hash_bytes = len(bytes.fromhex(EMPTY_TREE))
    content = index.read_bytes()[:-hash_bytes]
    old, new = (
        bytes.fromhex(tree.git("rev-parse", f"HEAD:{path}").decode().strip())
        for path in (name, "z")
    )
    assert content.count(old) == 1
    content = content.replace(old, new)
    index.write_bytes(content + hashlib.new(repositories.HASH, content).digest())
    # As old as its files, the index does not vouch for them: git, too, reads their contents.
    written = (tree.path / name).stat().st_mtime_ns
    os.utime(index, ns=(written, written))
    listed = tree.git("ls-files", "--stage").decode()
    assert f"{new.hex()} 0\t{name}" in listed
    assert bool(raw(tree, ["--cached", "HEAD"])) == (name == "a")
    check_as_git(con, tree)


# -- many files, and an index that is kept -------------------------------------------------------

MANY = 2000


@pytest.fixture
def large(tmp_path):
    """Returns a work tree with enough files for several threads, none of them written just now."""
    tree = Tree.new(tmp_path / "large")
    for number in range(MANY):
        tree.write(f"d{number % 40:02}/f{number:04}.txt", f"{number}\n")
    os.symlink("f0001.txt", tree.path / "d01/link")
    tree.commit()
    settle(tree)
    return tree


def settle(tree: Tree) -> None:
    """Lets the files be older than the index, and the index old enough to be kept."""
    for place, seconds in ((".", 100), (".git/index", 50)):
        for path in (
            [tree.path / place]
            if place != "."
            else [path for path in tree.path.glob("d*/*") if not path.is_symlink()]
        ):
            os.utime(path, (path.stat().st_mtime - seconds,) * 2)
        if place == ".":
            tree.git("update-index", "--refresh")


def check_as_git(con, tree: Tree) -> None:
    for sides, words in SIDES.items():
        if None not in sides and sides[0].upper() != "EMPTY":
            got = [row[:4] for row in rows(con, sides, tree.path)]
            assert got == raw(tree, words), sides


@pytest.mark.own_database
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow), 7])
def test_changes_among_many_files_are_those_of_git_with_any_number_of_threads(con, large, threads):
    process_threads.let_work(con, threads)
    check_as_git(con, large)
    large.write("d00/f0000.txt", "changed\n")
    large.write("d03/f0003.txt", "8\n")  # As long as before.
    (large.path / "d05/f0005.txt").unlink()
    (large.path / "d07/f0007.txt").chmod(0o755)
    (large.path / "d09/f0009.txt").unlink()
    os.symlink("elsewhere", large.path / "d09/f0009.txt")
    (large.path / "d01/link").unlink()
    large.write("d01/link", "f0001.txt")
    for path in (large.path / "d11").iterdir():
        path.unlink()
    (large.path / "d11").rmdir()
    os.symlink("d12", large.path / "d11")
    (large.path / "d13/f0013.txt").unlink()
    large.write("d13/f0013.txt/inside", "x\n")
    large.git("update-index", "--assume-unchanged", "d15/f0015.txt")
    large.write("d15/f0015.txt", "unseen\n")
    large.git("rm", "--quiet", "--cached", "d39/f1999.txt")
    large.write("d17/new.txt", "new\n")
    large.git("add", "--intent-to-add", "d17/new.txt")
    check_as_git(con, large)
    large.git("config", "core.fileMode", "false")
    check_as_git(con, large)


def test_an_index_that_is_kept_is_read_again_when_it_was_written(con, large):
    check_as_git(con, large)
    large.write("d00/f0000.txt", "changed\n")
    large.git("add", "--all")
    check_as_git(con, large)
    index = large.path / ".git/index"
    state = index.stat()
    os.utime(index, ns=(state.st_atime_ns, state.st_mtime_ns - 50_000_000_000))
    check_as_git(con, large)
    # In its place, with the size and the time that it had: only the time of its last change tells.
    state, before = index.stat(), index.read_bytes()
    large.git("reset", "--quiet", "HEAD")
    assert len(index.read_bytes()) == len(before)
    content = index.read_bytes()
    index.write_bytes(before)
    os.utime(index, ns=(state.st_atime_ns, state.st_mtime_ns))
    check_as_git(con, large)
    with open(index, "r+b") as stream:
        stream.write(content)
    os.utime(index, ns=(state.st_atime_ns, state.st_mtime_ns))
    check_as_git(con, large)


def test_a_staged_change_is_listed_after_the_index_was_equal_to_the_tree(con, large):
    check_as_git(con, large)
    large.write("d20/untracked.txt", "new\n")
    large.write("d21/f0021.txt", "changed\n")
    wanted = sorted([*raw(large, ["HEAD"]), ("d20/untracked.txt", "added", None, "100644")])
    assert [
        row[:4] for row in rows(con, ("HEAD", "WORKTREE"), large.path, ", untracked := true")
    ] == wanted
    (large.path / "d20/untracked.txt").unlink()
    check_as_git(con, large)
    large.git("checkout", "--quiet", "d21/f0021.txt")
    parent = (
        large.git("commit-tree", "-m", "other", large.git("write-tree").decode().strip())
        .decode()
        .strip()
    )
    assert rows(con, (parent, "INDEX"), large.path) == []
    assert len(rows(con, ("EMPTY", "INDEX"), large.path, ", paths := 'd01'")) == MANY // 40 + 1
    large.write("d20/f0020.txt", "staged\n")
    large.git("add", "d20/f0020.txt")
    settle(large)
    check_as_git(con, large)
    large.git("write-tree")
    check_as_git(con, large)
    large.git("commit", "--quiet", "-m", "second")
    check_as_git(con, large)
    large.git("reset", "--quiet", "--soft", "HEAD~1")
    check_as_git(con, large)
    large.git("read-tree", "HEAD~0^{tree}", "--prefix=copy/")
    check_as_git(con, large)
