"""Patches of real histories, in every format, applied as git applies them and taken back to the byte; and damaged ones, which change
nothing or land where they say. REDLINE_PATCHES says how many of each kind the slow tests take from each repository."""

# Promise (sandbox): A patch sent again is known, and a damaged one changes nothing or lands where
# it says, at the place that it names or the only one.

import copy
import json
import os
import random
import shutil
import subprocess

import patch_forms
import pytest
import repositories
from answers import answer
from sandboxes import configure

FEW = 12
MANY = int(os.environ.get("REDLINE_PATCHES", "40"))
REPOSITORIES = ("ripgrep", pytest.param("cargo", marks=pytest.mark.slow))
CODES = ("not_found:", "not_unique:", "invalid_args:", "stale:")

pytestmark = pytest.mark.skipif(
    repositories.bundle_folder() is None, reason="REDLINE_TEST_REPOS names no bundles"
)
amounts = pytest.mark.parametrize(
    "count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"]
)


@pytest.fixture(scope="module", params=REPOSITORIES)
def repo(request, tmp_path_factory):
    target = tmp_path_factory.mktemp("histories") / request.param
    bundle = repositories.bundle_folder() / f"{request.param}.bundle"
    repositories.git(target.parent, "clone", "--quiet", "--bare", str(bundle), str(target))
    return target


class Tree:
    """A directory whose files are those of a revision."""

    def __init__(self, root):
        self.root = root
        root.mkdir()

    def fill(self, files):
        for entry in self.root.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for path, (content, executable) in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if executable else 0o644)

    def files(self):
        return {
            str(path.relative_to(self.root)): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
            for path in self.root.rglob("*")
            if path.is_file()
        }


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "root")


@pytest.fixture
def agent(connect, tree, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    free = {"write_approval": False, "edit_approval": False, "reserved": []}
    return configure(connect(), {"name": "ws", "root": str(tree.root), "mode": "rw"} | free)


def patched(agent, patch, fuzz=False):
    query = "SELECT to_json(edit_files('ws', ?, {'fuzz': ?}))"
    found = answer(agent, query, patch, fuzz)
    return (None, found.error) if found.error else (json.loads(found.rows[0][0]), None)


def check_whole(agent, tree, before, patch, after):
    """Applies a patch, sends it again, takes it back, and takes that back."""
    tree.fill(before)
    result, error = patched(agent, patch)
    assert error is None, error
    assert result["outcome"] == "applied" and tree.files() == after, patch
    again, error = patched(agent, patch)
    # Where it is not certain that a hunk has been made, as of one that only removes, it fits nowhere.
    assert error or again["outcome"] == "already_applied", patch
    assert not error or ": not_found:" in error, error
    assert tree.files() == after, patch
    revert = "SELECT r.id, r.outcome FROM (SELECT revert_edit(?) AS r)"
    taken = answer(agent, revert, result["id"])
    assert taken.error is None, taken.error
    assert tree.files() == before, patch
    back = answer(agent, revert, taken.rows[0][0])
    assert back.error is None and tree.files() == after, back.error
    assert not list(tree.root.rglob(".redline*"))
    return error is None


@amounts
def test_a_git_diff_is_applied_as_git_applies_it_and_taken_back(repo, agent, tree, tmp_path, count):
    gits = Tree(tmp_path / "gits")
    environment = repositories.environment(GIT_CEILING_DIRECTORIES=str(tmp_path))
    known = 0
    for change in patch_forms.changes(repo, 30, count):
        before, after = change.files
        gits.fill(before)
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn"],
            cwd=gits.root,
            input=change.patch.encode(),
            env=environment,
            check=True,
        )
        assert gits.files() == after
        known += check_whole(agent, tree, before, change.patch, after)
    print(count, "patches,", known, "known when sent again")
    assert known >= count * 95 // 100


def formats(change):
    """Yields what a change is in the formats without numbers, and what it leaves."""
    before, after = change.files
    parts = patch_forms.without_numbers(change)
    in_blocks = [
        part
        for part in parts or []
        if part.new
        and part.old in (None, part.new)
        and part.hunks
        and not any(
            text.startswith(patch_forms.MARKS) for hunk in part.hunks for _, text, _ in hunk.lines
        )
    ]
    for write, chosen in ((patch_forms.envelope, parts), (patch_forms.blocks, in_blocks)):
        if chosen:
            wanted = dict(before)
            for part in chosen:
                wanted.pop(part.old, None)
                if part.new:
                    executable = before.get(part.old, (b"", False))[1]
                    wanted[part.new] = (after[part.new][0], executable)
            yield write(chosen), wanted


@amounts
def test_an_envelope_and_blocks_make_the_same_change(repo, agent, tree, count):
    done = known = 0
    for change in patch_forms.changes(repo, 31, count):
        for patch, wanted in formats(change):
            if wanted != change.files[0]:
                known += check_whole(agent, tree, change.files[0], patch, wanted)
                done += 1
    print(done, "patches,", known, "known when sent again")
    assert done >= count and known >= done * 90 // 100


# -- damage ----------------------------------------------------------------------------------------


def wrong_counts(parts, chosen):
    return parts, lambda hunk, old, new: (
        max(0, old + chosen.randint(-3, 3)),
        max(0, new + chosen.randint(-3, 3)),
    )


def wrong_numbers(parts, chosen):
    for hunk in hunks_of(parts):
        hunk.start = max(1, hunk.start + chosen.choice([-40, -3, -1, 1, 2, 7, 100, 100_000]))


def hunks_of(parts):
    return [hunk for part in parts if part.old and part.new for hunk in part.hunks]


def one_line(parts, chosen, signs=" -"):
    """Returns a line of a hunk of a file that is there before and after."""
    lines = [
        (hunk, index)
        for hunk in hunks_of(parts)
        for index, (sign, text, _) in enumerate(hunk.lines)
        if sign in signs and text.strip()
    ]
    return chosen.choice(lines) if lines else None


def other_indentation(parts, chosen):
    hunk, index = one_line(parts, chosen) or (None, 0)
    if hunk:
        sign, text, ends = hunk.lines[index]
        text = chosen.choice([" ", "\t", "    "]) + text if chosen.random() < 0.5 else text.lstrip()
        hunk.lines[index] = (sign, text, ends)


def other_line_ends(parts, chosen):
    for hunk in hunks_of(parts):
        hunk.lines = [(sign, text + "\r", ends) for sign, text, ends in hunk.lines]


def the_wished_state(parts, chosen):
    hunk, _ = one_line(parts, chosen, "+") or (None, 0)
    if hunk:
        hunk.lines = [
            (" " if sign == "+" else sign, text, ends)
            for sign, text, ends in hunk.lines
            if sign != "-"
        ]


def a_line_left_out(parts, chosen):
    hunk, index = one_line(parts, chosen) or (None, 0)
    if hunk:
        del hunk.lines[index]


def a_line_doubled(parts, chosen):
    hunk, index = one_line(parts, chosen) or (None, 0)
    if hunk:
        hunk.lines.insert(index, hunk.lines[index])


def less_context(parts, chosen):
    for hunk in hunks_of(parts):
        while hunk.lines[0][0] == " " and chosen.random() < 0.8:
            hunk.lines.pop(0)
        while hunk.lines[-1][:1] == (" ",) and chosen.random() < 0.8:
            hunk.lines.pop()
        hunk.start = max(1, hunk.start + chosen.randint(-5, 5))


DAMAGE = [
    wrong_counts, wrong_numbers, other_indentation, other_line_ends, the_wished_state, a_line_left_out,
    a_line_doubled, less_context,
]  # fmt: skip


def check_said(change, parts, result):
    """Returns what the files are, if each hunk went where it says."""
    files = dict(change.files[0])
    for part, said in zip(parts, result["files"], strict=True):
        was = files.pop(part.old, (b"", False)) if part.old else (b"", False)
        if part.new is None:
            assert said["kind"] == "delete"
            continue
        executable = part.new_mode == "100755" if part.new_mode else was[1]
        hunks = part.hunks
        if part.old is None:
            hunks = [patch_forms.Hunk(0, hunk.lines) for hunk in part.hunks]
        places = said["hunks"] if part.old else [{"line": 1, "pass": "exact"}] * len(hunks)
        files[part.new] = (patch_forms.applied(was[0], hunks, places), executable)
    return files


@amounts
def test_a_damaged_patch_changes_nothing_or_lands_where_it_says(repo, agent, tree, count):
    outcomes = {}
    for number, change in enumerate(patch_forms.changes(repo, 32, count)):
        chosen = random.Random(number)
        damage = DAMAGE[number % len(DAMAGE)]
        parts, counts = copy.deepcopy(change.parts), None
        if (found := damage(parts, chosen)) is not None:
            parts, counts = found
        patch = patch_forms.unified(parts, *([counts] if counts else []))
        fuzz = number // len(DAMAGE) % 2 == 1
        tree.fill(change.files[0])
        result, error = patched(agent, patch, fuzz)
        files = tree.files()
        if error is None and result["outcome"] == "applied":
            assert files == check_said(change, parts, result), (damage.__name__, patch, result)
        else:
            assert files == change.files[0], (damage.__name__, patch)
        if damage is wrong_counts:
            # The body is the authority.
            assert files == change.files[1], (error, patch)
        if damage is other_line_ends and hunks_of(parts) and not fuzz:
            assert error is not None, patch
        if error is not None:
            words = error.partition("Invalid Input Error: ")[2] or error
            assert words.startswith(CODES), (damage.__name__, words)
        what = "refused" if error else result["outcome"]
        outcomes[damage.__name__, what] = outcomes.get((damage.__name__, what), 0) + 1
    print(outcomes)
    assert {"refused", "applied"} <= {what for _, what in outcomes}
