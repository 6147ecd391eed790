"""The patches of redline and of `git diff`, side by side."""

import pytest
import repositories

PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"]
LOOKED_FOR = [option for option in PLAIN if option != "--no-renames"]
LETTERS = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "T": "type_changed",
    "R": "renamed",
    "C": "copied",
}


def git_diff(repo, old, new, *options):
    return repositories.git(repo, "diff", *PLAIN, *options, old, new)


def patches(con, repo, old, new, options=""):
    """Returns the patches of all files, concatenated."""
    named = f", {options}" if options else ""
    rows = con.execute(
        f"SELECT patch_bytes FROM file_patches(?, ?, ?{named})", [old, new, str(repo)]
    ).fetchall()
    return b"".join(row[0] for row in rows)


def raw_rows(repo, old, new, *options):
    """Returns git's rows: path, status, old path, similarity."""
    fields = (
        repositories.git(repo, "diff", *LOOKED_FOR, "--raw", "-z", *options, old, new)
        .decode()
        .split("\0")
    )
    rows, at = [], 0
    while at < len(fields) - 1:
        letter = fields[at].split(" ")[4]
        pair = letter[0] in "RC"
        path, origin = (fields[at + 2], fields[at + 1]) if pair else (fields[at + 1], None)
        rows.append((path, LETTERS[letter[0]], origin, int(letter[1:]) if pair else None))
        at += 3 if pair else 2
    return rows


def assert_same(ours, theirs, what):
    if ours != theirs:
        pairs = zip(ours.split(b"\n"), theirs.split(b"\n"))
        place = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
        near = lambda text: text.split(b"\n")[max(0, (place or 0) - 2) : (place or 0) + 3]
        pytest.fail(f"{what}: line {place}: {near(ours)} where git prints {near(theirs)}")
