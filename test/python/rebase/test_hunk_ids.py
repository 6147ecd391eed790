"""hunk_id and context_id: what changes them and what does not."""

import repositories

IDENTITY = ["-c", "user.name=A U Thor", "-c", "user.email=a@b"]


def commit(repo, files: dict, message="x") -> str:
    for name, lines in files.items():
        (repo / name).write_text("".join(f"{line}\n" for line in lines))
    repositories.git(repo, "add", "--all")
    repositories.git(repo, *IDENTITY, "commit", "--quiet", "--allow-empty", "-m", message)
    return repositories.git_text(repo, "rev-parse", "HEAD")


def ids(con, repo, old, new, options="") -> list[tuple]:
    return con.execute(
        f"SELECT hunk_id, context_id FROM diff_hunks(?, ?, ?{options}) ORDER BY ALL",
        [old, new, str(repo)],
    ).fetchall()


def test_ids_survive_a_rebase(con, tmp_path):
    repositories.git(tmp_path, "init", "--quiet", ".")
    text = [f"line {number}" for number in range(40)]
    changed = [*text[:20], "new", *text[21:]]
    base = commit(tmp_path, {"f": text})
    topic = commit(tmp_path, {"f": changed})
    moved = commit(tmp_path, {"f": ["above", *text]})
    rebased = commit(tmp_path, {"f": ["above", *changed]})
    near = commit(tmp_path, {"f": [*text[:18], "near", *text[19:]]})
    beside = commit(tmp_path, {"f": [*text[:18], "near", text[19], "new", *text[21:]]})
    first = ids(con, tmp_path, base, topic)
    assert len(first) == 1 and ids(con, tmp_path, moved, rebased) == first
    [(lines, context)] = ids(con, tmp_path, near, beside)
    assert lines == first[0][0] and context != first[0][1]


def test_options_of_the_call_do_not_change_ids(con, cases):
    commits = repositories.git_text(cases, "rev-list", "--no-merges", "HEAD").split()
    for new, old in zip(commits, commits[1:]):
        plain = {pair[0] for pair in ids(con, cases, old, new)}
        for options in (
            "context := 10",
            "context := 0",
            "ignore_whitespace := 'all'",
            "algorithm := 'histogram'",
        ):
            given = {pair[0] for pair in ids(con, cases, old, new, f", {options}")} - {None}
            assert {part for name in given for part in name.split("+")} <= plain, options


def test_lines_have_the_ids_of_their_hunks(con, cases):
    commits = repositories.git_text(cases, "rev-list", "--no-merges", "HEAD").split()
    for new, old in zip(commits, commits[1:]):
        different = con.execute(
            """SELECT count(*) FROM diff_lines($old, $new, $repo) lines
               JOIN diff_hunks($old, $new, $repo) hunks USING (file_path, hunk)
               WHERE (lines.hunk_id, lines.context_id) IS DISTINCT FROM (hunks.hunk_id, hunks.context_id)""",
            {"old": old, "new": new, "repo": str(cases)},
        ).fetchone()
        assert different == (0,)


def test_a_binary_file_has_an_id(con, tmp_path):
    repositories.git(tmp_path, "init", "--quiet", ".")
    (tmp_path / "b").write_bytes(b"\0one")
    old = commit(tmp_path, {})
    (tmp_path / "b").write_bytes(b"\0two")
    new = commit(tmp_path, {})
    rows = con.execute(
        "SELECT line_type, hunk_id, context_id FROM diff_lines(?, ?, ?)", [old, new, str(tmp_path)]
    ).fetchall()
    assert len(rows) == 1 and rows[0][0] == "BINARY" and len(rows[0][1]) == 40


def test_lines_are_the_same_with_and_without_their_ids(con, cases):
    """With ids, they are read from the patch that is written for these."""
    commits = repositories.git_text(cases, "rev-list", "--no-merges", "HEAD").split()
    columns = "COLUMNS(* EXCLUDE (hunk_id, context_id))"
    for new, old in zip(commits, commits[1:]):
        for options in ("", ", context := 10", ", renames := true"):
            plain, named = (
                con.execute(
                    f"SELECT {columns}{ids} FROM diff_lines(?, ?, ?{options})",
                    [old, new, str(cases)],
                ).fetchall()
                for ids in ("", ", hunk_id, context_id")
            )
            assert [row[:-2] for row in named] == plain, (old, new, options)
