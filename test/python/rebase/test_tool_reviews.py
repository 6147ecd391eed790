"""A review by an agent over rebases, with the tools alone."""

import json
import random
import re

import pytest
import repositories
from answers import next_cursor_of_text
from repositories import git

AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
BASE = [f"the line number {number}\n" for number in range(1, 201)]
EDITS = {5: "five\n", 40: "forty\n", 80: "return true;\n", 140: "\tend of it\n"}


def edited(lines: list[str], edits: dict[int, str]) -> list[str]:
    return [edits.get(number, line) for number, line in enumerate(lines, 1)]


def commit(repo, **files: list[str]) -> None:
    for name, lines in files.items():
        (repo / f"{name}.txt").write_text("".join(lines))
    git(repo, "add", "-A")
    git(repo, *AUTHOR, "commit", "-qm", "Change")


def make(made) -> None:
    git(made, "init", "-q", "-b", "main")
    commit(made, a=BASE, old=BASE[:40])
    git(made, "checkout", "-qb", "feature")
    git(made, "mv", "old.txt", "new.txt")
    (made / "image.bin").write_bytes(b"\0\1\2")
    commit(made, a=edited(BASE, EDITS), new=edited(BASE[:40], {20: "twenty\n"}))


@pytest.fixture
def repo(tmp_path):
    """Returns a repository with a branch: four hunks of a text, a renamed file and a binary one."""
    return repositories.copied(tmp_path / "project", make)


def rebase(repo, lines: list[str]) -> None:
    git(repo, "checkout", "-q", "main")
    commit(repo, a=lines)
    git(repo, "checkout", "-q", "feature")
    git(repo, *AUTHOR, "rebase", "-q", "main")


@pytest.fixture
def ask(con, repo):
    def run(**given):
        given = {"repo": str(repo), "from": "main...feature"} | given
        query = "SELECT redline_call_text('GitDiff', ?)"
        (text,) = con.execute(query, [json.dumps(given)]).fetchone()
        assert len(text.encode()) <= given.get("max_bytes", 18_000)
        if given.get("format") == "json" and text.startswith("{"):
            return json.loads(text)
        return text

    return run


def pages(ask, **given) -> list[dict]:
    found, cursor = [], None
    while not found or cursor:
        found.append(ask(format="json", **given, **({"cursor": cursor} if cursor else {})))
        cursor = found[-1]["next_cursor"]
    return found


def shown(text: str) -> set[str]:
    return {line[1:] for line in re.findall(r"^\+(?!\+\+).*$", text, flags=re.M)}


def test_an_answer_names_the_sides_that_a_later_call_leaves_out(ask, repo):
    (ends,) = re.findall(r"\((\w+\.\.\w+)\)", ask())
    assert (
        ask(except_ids=[ends]) == "Nothing is left to see.\n6 hunks were seen and are left out.\n"
    )
    rebase(repo, ["above\n", *BASE])
    commit(repo, a=["above\n", *edited(BASE, EDITS | {140: "another end\n"})])
    text = ask(except_ids=[ends])
    assert "5 hunks were seen and are left out.\n" in text and shown(text) == {"another end"}
    # The range of git's own words does as well, and nothing is known of a range without changes.
    assert shown(ask(except_ids=["main...feature~1"])) == {"another end"}
    assert "twenty" in shown(ask(except_ids=["main..main"]))


def test_the_ids_of_answers_are_those_of_the_hunks_and_are_given_back(ask, con, repo):
    whole = ask(format="json")
    names = [(row["file_path"], row["hunk_id"], row["context_id"]) for row in whole["hunks"]]
    hunks = con.execute(
        """SELECT file_path, hunk_id, context_id FROM diff_hunks('main', 'feature', $repo, renames := true)
           UNION ALL SELECT file_path, hunk_id, context_id FROM file_patches('main', 'feature', $repo, renames := true) WHERE hunk_id IS NOT NULL""",
        {"repo": str(repo)},
    ).fetchall()
    assert sorted(names) == sorted(hunks) and len(names) == 6
    seen = [row["context_id"] for row in whole["hunks"] if row["file_path"] == "a.txt"][:2]
    rebase(repo, ["above\n", *BASE])
    rest = ask(format="json", except_ids=seen)
    assert len(rest["hunks"]) == 4 and rest["hunks_seen"] == 2
    assert not {row["context_id"] for row in rest["hunks"]} & set(seen)
    assert not shown(rest["patch"]) & {"five", "forty"}
    done = ask(format="json", except_ids=[row["context_id"] for row in whole["hunks"]])
    assert (done["files"], done["patch"], done["hunks"], done["hunks_seen"]) == ([], "", [], 6)


def test_pages_name_each_hunk_once_where_it_ends(ask, repo):
    commit(repo, b=[f"another line, the number {number}\n" for number in range(150)])
    whole = [row["context_id"] for row in ask(format="json", max_bytes=1_000_000)["hunks"]]
    dice = random.Random(3)
    for _ in range(12):
        given = {"max_bytes": dice.randint(2_200, 9_000), "context_lines": dice.choice([3, 3, 10, 0])}  # fmt: skip
        named = [row["context_id"] for page in pages(ask, **given) for row in page["hunks"]]
        assert len(named) == len(set(named)), given
        if given["context_lines"] == 3:
            assert sorted(named) == sorted(whole), given
        else:
            assert {part for name in named for part in name.split("+")} <= set(whole), given


def test_a_text_names_each_hunk_in_its_header_where_it_is_asked_to(ask, repo):
    named = re.compile(r"^@@ -.* \[([0-9a-f+-]+)\]$", re.MULTILINE)
    assert named.findall(ask()) == []
    commit(repo, b=[f"another line, the number {number}\n" for number in range(150)])
    whole = [row["context_id"] for row in ask(format="json", max_bytes=1_000_000)["hunks"]]
    text = ask(ids=True, max_bytes=1_000_000)
    # A file without hunks has no header.
    assert set(named.findall(text)) < set(whole) and len(named.findall(text)) == len(whole) - 1
    assert named.sub(lambda header: header[0].rpartition(" [")[0], text) == ask(max_bytes=1_000_000)
    # A hunk that is larger than a page is named where it begins.
    for most in (2_200, 3_000, 5_000):
        found, cursor = [], None
        while not found or cursor:
            found.append(ask(ids=True, max_bytes=most, **({"cursor": cursor} if cursor else {})))
            cursor = next_cursor_of_text(found[-1])
        names = [name for page in found for name in named.findall(page)]
        assert sorted(names) == sorted(named.findall(text))
    assert "Nothing is left" in ask(except_ids=whole)


def test_the_same_lines_in_another_place_are_shown(ask, repo):
    (ends,) = re.findall(r"\((\w+\.\.\w+)\)", ask())
    seen = [name for row in ask(format="json")["hunks"] for name in (row["hunk_id"], row["context_id"])]  # fmt: skip
    # The reviewed `return true;` is taken back where it was, and added where nobody has seen it.
    edits = {number: line for number, line in EDITS.items() if number != 80}
    lines = edited(BASE, edits)
    lines[109:110] = ["return true;\n"]
    lines[79] = BASE[79]
    commit(repo, a=lines)
    for known in ([ends], seen):
        text = ask(except_ids=known)
        assert shown(text) == {"return true;"}
    # The removed line differs here; where it is the same, that is said.
    write = edited(BASE, EDITS | {78: "beside\n"})
    commit(repo, a=edited(BASE, EDITS))
    git(repo, "checkout", "-q", "main")
    commit(repo, a=edited(BASE, {78: "beside\n"}))
    git(repo, "checkout", "-q", "feature")
    git(repo, *AUTHOR, "rebase", "-q", "main")
    assert (repo / "a.txt").read_text().splitlines(keepends=True) == write
    for known in ([ends], seen):
        text = ask(except_ids=known)
        assert shown(text) == {"return true;"}
        assert "1 hunk whose lines were seen elsewhere.\n" in text
        (row,) = ask(format="json", except_ids=known)["hunks"]
        assert row["known_lines"] is True


def test_what_is_no_id_is_refused(ask):
    for given in ("HEAD~1", "abc", " ", "x" * 40, "a" * 39, "a" * 40 + "-", "a" * 40 + "+"):
        answer = ask(except_ids=[given])
        assert answer.startswith("invalid_args: ") and "except_ids" in answer, given
    assert ask(except_ids=["nowhere..main"]).startswith("not_found: ")
    for given in ("a" * 40, "a" * 40 + "-2", "a" * 40 + "+" + "b" * 40 + "-3"):
        assert "5 hunks" not in ask(except_ids=[given]) and "6 files" not in ask(except_ids=[given])
    # A list of nothing but empty texts is a list that was left out.
    assert ask(except_ids=[]) == ask(except_ids=[""]) == ask()
    assert ask(except_ids=["", "abc"]).startswith("invalid_args: ")


def test_a_cursor_belongs_to_what_was_seen(ask):
    (first, *_) = pages(ask, max_bytes=2_200)
    answer = ask(cursor=first["next_cursor"], except_ids=["main..main"], format="json")
    assert answer.startswith("invalid_args: ") and "cursor" in answer
