"""Commits as git's formats print them: `--oneline`, and the placeholders of `--format` that the tables can answer."""

import datetime
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .screen import Screen

if TYPE_CHECKING:
    import duckdb

COLUMNS = (
    "commit_id, parent_ids, tree_id, author_name, author_email, epoch(author_date)::BIGINT AS author_seconds, author_offset, "
    "committer_name, committer_email, epoch(committer_date)::BIGINT AS committer_seconds, subject, body"
)
PLACEHOLDER = re.compile(r"%(a[neitsd]|c[net]|C\(\w+\)|C(?:red|green|blue|yellow|reset)|x[0-9a-fA-F]{2}|[HhTtPpsbnDd%])")  # fmt: skip
SHORTEST = 7
INDEX = re.compile(rb"^index ([0-9a-f]+)\.\.([0-9a-f]+)", re.MULTILINE)
NAMED = {"oneline": "%h %s"}


@dataclass
class Listed:
    """A commit as the tables have it; its date by the author's clock."""

    cells: dict[str, Any]
    refs: list[str]
    date: datetime.datetime

    def __getitem__(self, name: str) -> Any:
        return self.cells[name]


def decorations(refs: list[str]) -> str:
    """Returns the references that lead to a commit, as git's %D."""
    names = [
        ref.removeprefix("refs/heads/").removeprefix("refs/remotes/").replace("refs/tags/", "tag: ")
        for ref in refs
    ]
    if len(names) > 1 and names[0] == "HEAD" and refs[1].startswith("refs/heads/"):
        names[:2] = [f"HEAD -> {names[1]}"]
    return ", ".join(names)


def is_known(form: str) -> bool:
    """Tells whether a format has nothing but what is answered here."""
    return "%" not in PLACEHOLDER.sub("", form)


def length_of_ids(con: "duckdb.DuckDBPyConnection", rev: str, repo: str) -> int:
    """Returns how long git writes an id in this repository, which the patch of any file tells."""
    query = "SELECT patch_bytes FROM system.main.file_patches('EMPTY', ?, ?) WHERE NOT contains(patch, 'similarity index') LIMIT 1"
    row = con.execute(query, [rev, repo]).fetchone()
    found = INDEX.search(row[0]) if row else None
    return len(found[1]) if found else SHORTEST


def abbreviations(ids: set[str], length: int) -> Callable[[str], str]:
    """Returns what abbreviates an id to this length at least, and so that it is none of the others."""
    ordered = sorted(ids)
    needed = dict.fromkeys(ordered, length)
    for one, other in zip(ordered, ordered[1:]):
        same = next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), len(one))
        for name in (one, other):
            needed[name] = max(needed[name], same + 1)
    return lambda name: name[: needed.get(name, length)]


def formatted(
    commits: list[Listed], form: str, length: int, screen: Screen, *, between: bool
) -> Iterator[str]:
    """Yields the text of each commit; `between` ends them by a newline only where another follows."""
    short = abbreviations(
        {id for commit in commits for id in [commit["commit_id"], *commit["parent_ids"]]}, length
    )
    for number, commit in enumerate(commits):
        if number and between:
            yield "\n"
        yield PLACEHOLDER.sub(lambda found: value_of(found[1], commit, short, screen), form)
        if not between:
            yield "\n"


def value_of(name: str, commit: Listed, short: Callable[[str], str], screen: Screen) -> str:
    """Returns what a placeholder stands for."""
    date = commit.date
    if name[0] == "x":
        return chr(int(name[1:], 16))
    if name[0] == "C":
        return ""
    values: dict[str, Callable[[], object]] = {
        "%": lambda: "%",
        "n": lambda: "\n",
        "H": lambda: commit["commit_id"],
        "h": lambda: screen.styled(short(commit["commit_id"]), fg="yellow"),
        "T": lambda: commit["tree_id"],
        "t": lambda: short(commit["tree_id"]),
        "P": lambda: " ".join(commit["parent_ids"]),
        "p": lambda: " ".join(map(short, commit["parent_ids"])),
        "an": lambda: commit["author_name"],
        "ae": lambda: commit["author_email"],
        "at": lambda: commit["author_seconds"],
        "ad": lambda: f"{date:%a %b} {date.day} {date:%H:%M:%S %Y %z}",
        "ai": lambda: f"{date:%Y-%m-%d %H:%M:%S %z}",
        "as": lambda: f"{date:%Y-%m-%d}",
        "cn": lambda: commit["committer_name"],
        "ce": lambda: commit["committer_email"],
        "ct": lambda: commit["committer_seconds"],
        "s": lambda: commit["subject"],
        "b": lambda: commit["body"],
        "D": lambda: decorations(commit.refs),
        "d": lambda: f" ({decorations(commit.refs)})" if commit.refs else "",
    }
    return str(values[name]())
