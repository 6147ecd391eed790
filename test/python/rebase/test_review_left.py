"""What is left to review: review_left and except_ids, over rebases."""

import json
import re

import pytest
import repositories
from rebases import clone_of_ripgrep
from repositories import ROOT, git

AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
BASE = [f"the line number {number}\n" for number in range(1, 61)]


@pytest.fixture
def con(con):
    con.execute((ROOT / "sql/macros.sql").read_text())
    return con


def make(made) -> None:
    git(made, "init", "-q", "-b", "main")
    (made / "tool.sh").write_text("true\n")
    write(made, "a.txt", BASE)
    commit(made)
    git(made, "checkout", "-qb", "feature")
    write(made, "a.txt", edited(BASE, {5: "five\n", 40: "forty\n"}))
    (made / "image.bin").write_bytes(b"\0\1\2")
    (made / "tool.sh").chmod(0o755)
    commit(made)


@pytest.fixture
def repo(tmp_path):
    """Returns a repository with a branch of one commit: two hunks of a text, a binary file and a mode."""
    return repositories.copied(tmp_path / "project", make)


def write(repo, name: str, lines: list[str]) -> None:
    (repo / name).write_text("".join(lines))


def edited(lines: list[str], edits: dict[int, str]) -> list[str]:
    return [edits.get(number, line) for number, line in enumerate(lines, 1)]


def commit(repo) -> None:
    git(repo, "add", "-A")
    git(repo, *AUTHOR, "commit", "-qm", "Change")


def rebase(repo, lines: list[str], more: str = "") -> None:
    """Moves the branch onto a commit of others."""
    git(repo, "checkout", "-q", "main")
    write(repo, "a.txt", lines)
    (repo / f"other{more}.txt").write_text(f"of others{more}\n")
    commit(repo)
    git(repo, "checkout", "-q", "feature")
    git(repo, *AUTHOR, "rebase", "-q", "main")


LEFT = "SELECT file_path, hunk, known_lines FROM review_left('main', 'feature', ?, {}) ORDER BY ALL"


def left(con, repo, seen: str) -> list[tuple]:
    return con.execute(LEFT.format(seen), [str(repo)]).fetchall()


WHOLE = [("a.txt", 1, False), ("a.txt", 2, False), ("image.bin", None, False), ("tool.sh", None, False)]  # fmt: skip


def test_all_is_left_where_nothing_was_seen(con, repo):
    for seen in ("NULL", "[]", "[NULL]", "['no such id']"):
        assert left(con, repo, seen) == WHOLE


def test_a_review_goes_on_over_two_rebases_with_a_file_per_reviewer(con, repo, tmp_path):
    seen = f"(SELECT list(hunk_id) || list(context_id) FROM '{tmp_path}/seen-*.jsonl')"

    def see(reviewer: str, which: str) -> None:
        rows = con.execute(
            f"SELECT hunk_id, context_id FROM review_left('main', 'feature', ?, NULL) WHERE {which}",
            [str(repo)],
        ).fetchall()
        with (tmp_path / f"seen-{reviewer}.jsonl").open("a") as file:
            for hunk_id, context_id in rows:
                file.write(
                    json.dumps({"reviewer": reviewer, "hunk_id": hunk_id, "context_id": context_id})
                    + "\n"
                )

    see("ann", "file_path = 'a.txt' AND hunk = 1")
    assert left(con, repo, seen) == WHOLE[1:]
    # Lines move, and no line around the hunks changes.
    rebase(repo, ["new\n", *BASE])
    assert left(con, repo, seen) == WHOLE[1:]
    see("ben", "file_path IN ('image.bin', 'tool.sh')")
    assert left(con, repo, seen) == [("a.txt", 2, False)]
    # A line beside the first hunk changes: its lines are known, and it is shown again.
    rebase(repo, edited(["new\n", *BASE], {3: "other text\n"}), " again")
    assert left(con, repo, seen) == [("a.txt", 1, True), ("a.txt", 2, False)]
    see("ann", "file_path = 'a.txt'")
    assert left(con, repo, seen) == []
    # Files of Parquet do as well.
    con.execute(f"COPY (FROM '{tmp_path}/seen-*.jsonl') TO '{tmp_path}/seen.parquet'")
    assert left(con, repo, f"(SELECT list(context_id) FROM '{tmp_path}/seen.parquet')") == []


def test_edits_after_the_review_are_shown(con, repo):
    con.execute(
        "CREATE TABLE seen AS SELECT hunk_id, context_id FROM review_left('main', 'feature', ?, NULL)",
        [str(repo)],
    )
    seen = "(SELECT list(hunk_id) || list(context_id) FROM seen)"
    assert left(con, repo, seen) == []
    write(repo, "a.txt", edited(BASE, {5: "five\n", 40: "FORTY\n"}))
    (repo / "image.bin").write_bytes(b"\0\1\3")
    commit(repo)
    assert left(con, repo, seen) == [("a.txt", 2, False), ("image.bin", None, False)]


REVIEWED = "SELECT file_path, kind, known_lines, text FROM diff_review('main', 'feature', ?, except_ids := getvariable('seen')) WHERE kind <> 'summary'"


def test_diff_review_leaves_out_the_same_hunks(con, repo):
    ids = "SELECT list(context_id) FROM review_left('main', 'feature', '{}', NULL) WHERE {}"
    con.execute(f"SET VARIABLE seen = ({ids.format(repo, 'hunk = 1 OR file_path = $$tool.sh$$')})")
    rows = con.execute(REVIEWED, [str(repo)]).fetchall()
    assert [row[:2] for row in rows] == [
        ("a.txt", "file"), ("image.bin", "file"), ("a.txt", "hunk"), ("image.bin", "hunk")
    ]  # fmt: skip
    (text,) = [row[3] for row in rows if row[:2] == ("a.txt", "hunk")]
    assert (
        text.startswith("diff --git a/a.txt b/a.txt\n")
        and "+forty\n" in text
        and "+five" not in text
    )
    con.execute(f"SET VARIABLE seen = ({ids.format(repo, 'true')})")
    assert con.execute(REVIEWED, [str(repo)]).fetchall() == []
    # The lines are known, and others are around them.
    lines = "SELECT list(hunk_id) FROM diff_hunks('main', 'feature', '{}')"
    con.execute(f"SET VARIABLE seen = ({lines.format(repo)})")
    rows = con.execute(REVIEWED, [str(repo)]).fetchall()
    assert [row[2] for row in rows if row[:2] == ("a.txt", "hunk")] == [True, True]
    assert [row[2] for row in rows if row[:2] == ("image.bin", "hunk")] == [False]


def test_a_hunk_that_joins_two_is_left_out_only_where_both_were_seen(con, repo):
    write(repo, "a.txt", edited(BASE, {5: "five\n", 20: "twenty\n"}))
    commit(repo)
    hunks = "SELECT context_id FROM diff_hunks('main', 'feature', ?) WHERE file_path = 'a.txt' ORDER BY hunk"
    ids = [context_id for (context_id,) in con.execute(hunks, [str(repo)]).fetchall()]
    query = "SELECT count(*) FROM diff_review('main', 'feature', ?, context := {}, except_ids := ?) WHERE kind = 'hunk' AND file_path = 'a.txt'"
    left = lambda context, seen: con.execute(query.format(context), [str(repo), seen]).fetchone()[0]
    assert len(ids) == 2
    assert [left(10, seen) for seen in ([], ids[:1], ids[1:], ids)] == [1, 1, 1, 0]
    assert [left(0, seen) for seen in ([], ids[:1], ids[1:], ids)] == [2, 1, 1, 0]


HUNKS = "SELECT hunk_id, context_id FROM diff_hunks('main', 'feature', ?, paths := 'a.txt'{}) ORDER BY hunk"


def of_page(con, repo, options: str) -> list[tuple]:
    """Returns the ids of the hunks on a page."""
    (page,) = con.execute(
        f"SELECT diff_html('main', 'feature', ?, {{'paths': 'a.txt'{options}}})", [str(repo)]
    ).fetchone()
    body = page.split("</style>")[1].split("<script>")[0]
    spans = re.findall(r'<span class="h[^"]*"(?: id="([^"]*)" data-c="([^"]*)")?>', body)
    return [tuple(name or None for name in span) for span in spans]


def test_a_hunk_has_the_ids_of_all_hunks_that_it_shows_whole_and_of_no_other(con, repo):
    write(repo, "a.txt", edited(BASE, {5: "five\n", 9: "nine\n", 20: "twenty\n", 45: "end \n"}))
    commit(repo)
    ids = lambda options: con.execute(HUNKS.format(options), [str(repo)]).fetchall()
    whole = ids("")
    assert len(whole) == 3
    joined = lambda *names: tuple("+".join(name) for name in zip(*names))
    nothing = (None, None)
    for sql, struct, wanted in [
        ("context := 10", "context: 10", [joined(*whole[:2]), whole[2]]),
        ("context := -1", "context: -1", [joined(*whole)]),
        ("inter_hunk_context := 20", "inter_hunk_context: 20", [joined(*whole)]),
        # Two parts of the first hunk.
        ("context := 0", "context: 0", [nothing, nothing, whole[1], whole[2]]),
        ("algorithm := 'histogram'", "algorithm: 'histogram'", whole),
        ("ignore_whitespace := 'all'", "ignore_whitespace: 'all'", whole),
    ]:
        assert ids(f", {sql}") == of_page(con, repo, f", {struct}") == wanted, sql
    # What was seen joined was seen apart.
    for seen in (ids(", context := 10"), ids(", context := -1")):
        names = [name for pair in seen for name in pair]
        con.execute("SET VARIABLE seen = ?", [names])
        left = con.execute(
            "SELECT file_path, hunk FROM review_left('main', 'feature', ?, getvariable('seen')) WHERE file_path = 'a.txt'",
            [str(repo)],
        ).fetchall()
        review = con.execute(
            "SELECT count(*) FROM diff_review('main', 'feature', ?, except_ids := getvariable('seen')) WHERE kind = 'hunk' AND file_path = 'a.txt'",
            [str(repo)],
        ).fetchone()
        assert (left, review) == ([], (0,))


def test_a_hunk_shown_without_its_white_space_has_not_been_seen(con, repo):
    """A change of indentation beside a line that is shown, and one alone in its hunk and in its file."""
    write(
        repo,
        "a.txt",
        edited(BASE, {5: "five\n", 7: "  the line number 7\n", 40: "\tthe line number 40\n"}),
    )
    commit(repo)
    assert len(con.execute(HUNKS.format(""), [str(repo)]).fetchall()) == 2
    for option, struct in [("ignore_whitespace := 'all'", "ignore_whitespace: 'all'"), ("ignore_whitespace := 'all', context := 0", "ignore_whitespace: 'all', context: 0")]:  # fmt: skip
        hunks = con.execute(HUNKS.format(f", {option}"), [str(repo)]).fetchall()
        assert (None, None) in hunks and len({name for pair in hunks for name in pair}) == 1
        assert set(of_page(con, repo, f", {struct}")) == {(None, None)}
    write(repo, "a.txt", edited(BASE, {40: "\tthe line number 40\n"}))
    commit(repo)
    (named,) = con.execute(
        "SELECT count(hunk_id) FROM diff_review('main', 'feature', ?, ignore_whitespace := 'all') WHERE file_path = 'a.txt'",
        [str(repo)],
    ).fetchone()
    assert named == 0 and set(of_page(con, repo, ", ignore_whitespace: 'all'")) <= {(None, None)}
    # Nor is what all hunks hide left out where these were seen.
    con.execute("SET VARIABLE seen = ['x']")
    assert ("a.txt", "file") in [row[:2] for row in con.execute(REVIEWED, [str(repo)]).fetchall()]


def test_the_kind_of_a_file_is_seen_with_its_hunks(con, repo):
    """The same lines as the target of a link, of a program, or under another old name."""
    (repo / "new").write_text("a.txt")
    write(repo, "b.txt", edited(BASE, {50: "fifty\n"}))
    git(repo, "rm", "-q", "a.txt")
    commit(repo)
    query = "SELECT hunk_id, context_id FROM diff_hunks('main', 'feature', ?, paths := ?, renames := true)"
    ids = lambda path: con.execute(query, [str(repo), path]).fetchall()
    ((lines, context),) = ids("new")
    (repo / "new").chmod(0o755)
    commit(repo)
    ((same, of_program),) = ids("new")
    (repo / "new").unlink()
    (repo / "new").symlink_to("a.txt")
    commit(repo)
    ((also, of_link),) = ids("new")
    assert lines == same == also and len({context, of_program, of_link}) == 3
    # The rest of a file that was renamed is that of the other one.
    names = lambda: con.execute(
        "SELECT hunk_id, context_id FROM diff_hunks('main', 'feature', ?, renames := true) WHERE file_path = 'b.txt'",
        [str(repo)],
    ).fetchall()
    ((lines, context),) = names()
    git(repo, "checkout", "-q", "main")
    git(repo, "mv", "a.txt", "c.txt")
    commit(repo)
    git(repo, "checkout", "-q", "feature")
    ((same, other),) = names()
    assert lines == same and context != other


def test_a_part_of_a_hunk_has_no_ids_before_its_end(con, repo):
    write(repo, "a.txt", [f"another line, the number {number}\n" for number in range(400)])
    commit(repo)
    query = "SELECT text, hunk_id, next_cursor FROM diff_review('main', 'feature', ?, paths := 'a.txt', max_bytes := 4000, cursor := ?)"
    parts, cursor = [], None
    while not parts or cursor:
        rows = con.execute(query, [str(repo), cursor]).fetchall()
        parts += [hunk_id for text, hunk_id, _ in rows if "[part of " in text]
        cursor = rows[0][2]
    assert len(parts) > 3 and parts[-1] and not any(parts[:-1])


def test_a_cursor_belongs_to_what_was_seen(con, repo):
    write(repo, "a.txt", edited(BASE, {number: f"{number}\n" * 40 for number in range(5, 60, 9)}))
    commit(repo)
    query = "SELECT next_cursor FROM diff_review('main', 'feature', ?, max_bytes := 2000{}) LIMIT 1"
    (cursor,) = con.execute(query.format(""), [str(repo)]).fetchone()
    with pytest.raises(Exception, match="invalid_args: .*cursor"):
        con.execute(query.format(f", cursor := '{cursor}', except_ids := ['x']"), [str(repo)])


@pytest.mark.parametrize(
    "options", ["", ", context := 0", ", context := 10", ", ignore_whitespace := 'all'"]
)
def test_the_ids_of_diff_review_are_those_of_diff_hunks(con, tmp_path_factory, options):
    repo = str(clone_of_ripgrep(tmp_path_factory))
    hunks = con.execute(
        f"SELECT hunk_id, context_id FROM diff_hunks('HEAD~40', 'HEAD', ?{options}) ORDER BY ALL",
        [repo],
    ).fetchall()
    rows = con.execute(
        "SELECT hunk_id, context_id FROM diff_review('HEAD~40', 'HEAD', ?, max_bytes := 60000000"
        f"{options}) WHERE kind = 'hunk' AND contains(text, '@@ ') ORDER BY ALL",
        [repo],
    ).fetchall()
    assert len(hunks) > 90 and rows == hunks


def test_every_change_has_ids(con, repo):
    rows = con.execute(
        "SELECT file_path, hunk_id IS NOT NULL, hunk_id = context_id FROM file_patches('main', 'feature', ?)",
        [str(repo)],
    ).fetchall()
    assert rows == [("a.txt", False, None), ("image.bin", True, True), ("tool.sh", True, True)]
    of_review = con.execute(
        "SELECT DISTINCT file_path, hunk_id FROM diff_review('main', 'feature', ?) WHERE file_path <> 'a.txt' ORDER BY ALL",
        [str(repo)],
    ).fetchall()
    of_patches = con.execute(
        "SELECT file_path, hunk_id FROM file_patches('main', 'feature', ?) WHERE hunk_id IS NOT NULL ORDER BY ALL",
        [str(repo)],
    ).fetchall()
    assert of_review == of_patches
