"""The sub-command status: the differences from the last commit."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .names import Exact, is_replaced, print_ended, quoted
from .screen import Screen

if TYPE_CHECKING:
    import duckdb

# git's letters for the statuses of a change, by our words; and those that a work tree has besides.
OF_CHANGES = {
    "added": "A",
    "copied": "C",
    "deleted": "D",
    "modified": "M",
    "renamed": "R",
    "type_changed": "T",
    "unmerged": "U",
}
LETTERS = OF_CHANGES | {"untracked": "?", "ignored": "!"}
# What differs in a submodule of the work tree.
SUBMODULES = {"commits": "M", "content": "m", "untracked": "?"}
# As `git status --short` has them: ours, then theirs.
CONFLICTS = {
    "both_deleted": "DD",
    "added_by_us": "AU",
    "deleted_by_them": "UD",
    "added_by_them": "UA",
    "deleted_by_us": "DU",
    "both_added": "AA",
    "both_modified": "UU",
}

COLUMNS = (
    "index_status, worktree_status, submodule_change, conflict, encode(old_path), encode(file_path)"
)
# After the tracked files, as in git.
LAST = {"untracked": 1, "ignored": 2}


@dataclass
class Line:
    """A file with a letter for the index and one for the work tree."""

    index: str | None
    worktree: str | None
    submodule: str | None
    conflict: str | None
    old_path: bytes | None
    path: bytes

    def letters(self) -> str:
        if self.conflict:
            return CONFLICTS[self.conflict]
        index, worktree = (LETTERS.get(word or "", " ") for word in (self.index, self.worktree))
        if self.worktree in LAST:
            return worktree * 2
        return index + SUBMODULES.get(self.submodule or "", worktree)

    def place(self) -> tuple[int, bytes]:
        """Returns what git sorts by: conflicts are among the other tracked files."""
        return LAST.get(self.worktree or "", 0), self.path


def show_status(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    paths: list[str],
    repo: str,
    ignored: bool,
    untracked: str,
    ends_by_nul: bool,
) -> None:
    """Prints a line per file, as `git status --short`: one letter for the index, one for the work tree."""
    query = f"SELECT {COLUMNS} FROM system.main.file_status(?, ignored := ?, paths := ?)"
    with screen.working("reading the work tree"):
        rows = con.execute(query, [repo, ignored, paths or None]).fetchall()
        if is_replaced(name for row in rows for name in row[4:]):
            exact = exact_names(con, paths, repo)
            rows = [(*row[:4], exact.of(row[4]), exact.of(row[5])) for row in rows]
    found = sorted((Line(*row) for row in rows), key=Line.place)
    if untracked == "no":
        found = [line for line in found if line.worktree != "untracked"]
    elif untracked == "normal":
        found = directories(con, found, repo)
    if not found:
        screen.note("Nothing to commit: the work tree and the index are as HEAD has them.")
        return
    if ends_by_nul:
        print_ended(cell for line in found for cell in cells(line))
    else:
        screen.show(printed(line, screen) for line in found)


def directories(con: "duckdb.DuckDBPyConnection", lines: list[Line], repo: str) -> list[Line]:
    """Puts a directory in the place of its untracked files, where none of its files is tracked."""
    rows = con.execute(
        "SELECT encode(file_path) FROM system.main.tree_files('INDEX', ?)", [repo]
    ).fetchall()
    tracked = {parent for (path,) in rows for parent in parents_of(path)}
    kept: dict[tuple[bytes, str], Line] = {}
    for line in lines:
        if line.worktree == "untracked":
            new = (parent for parent in parents_of(line.path) if parent not in tracked)
            line.path = next(new, line.path)
        kept.setdefault((line.path, line.letters()), line)
    return sorted(kept.values(), key=Line.place)


def parents_of(path: bytes) -> list[bytes]:
    """Returns the directories of a path, the first component first, each with its slash."""
    parts = path.split(b"/")
    return [b"/".join(parts[:at]) + b"/" for at in range(1, len(parts))]


def exact_names(con: "duckdb.DuckDBPyConnection", paths: list[str], repo: str) -> Exact:
    """Returns the names of what is staged, and of what is not."""
    exact = Exact()
    for old, new in (("HEAD", "INDEX"), ("INDEX", "WORKTREE")):
        source = "system.main.file_patches(?, ?, ?, renames := true, untracked := true, paths := ?)"
        exact.look(con, source, [old, new, repo, paths or None])
    return exact


def cells(line: Line) -> list[bytes]:
    """Returns the cells of `git status --short -z`: a renamed file's old name follows its new one."""
    named = line.letters().encode() + b" " + line.path
    return [named] if line.old_path is None else [named, line.old_path]


def printed(line: Line, screen: Screen) -> str:
    letters = line.letters()
    is_red = line.conflict is not None or line.worktree in LAST
    shown = screen.styled(letters[0], fg="red" if is_red else "green")
    shown += screen.styled(letters[1], fg="red")
    names = [
        quoted(name, readable=screen.is_terminal, blanks=True)
        for name in (line.old_path, line.path)
        if name is not None
    ]
    return f"{shown} {' -> '.join(names)}\n"
