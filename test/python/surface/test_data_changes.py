"""What changed in the rows of a file of data: data_changes, the tools, the page and `redline stat --data` count as table_changes does."""

import csv
import io
import json
import random

import pytest
import written_repositories
from commands import in_process
from repositories import ROOT

from duckdb_redline.command.changes import Row, stat_lines, with_words
from duckdb_redline.command.screen import Screen

SEED = 20_261_128
SCRIPT = (ROOT / "sql/data.sql").read_text()
TEXTS = ["a", "A", "x y", 'q"', "x, y", "é", "line\nbreak", None]
NUMBERS = ["1", "1.0", "1.50", "1.5", "-2", "0", "-0.0", "1e3", None]


@pytest.fixture
def data(con):
    con.execute(SCRIPT)
    return con


def side(chance: random.Random, before: list[dict] | None) -> list[dict]:
    """Returns rows; those of another side changed, dropped, repeated and shuffled."""
    ids = chance.sample(range(12), chance.randint(1, 8))
    if chance.random() < 0.2:
        ids.append(ids[0])
    rows = [
        {"id": str(number), "price": chance.choice(NUMBERS), "name": chance.choice(TEXTS), "It's": chance.choice(TEXTS)}
        for number in ids
    ]  # fmt: skip
    known = {row.get("id"): row for row in before or []}
    for row in rows:
        if row["id"] in known and chance.random() < 0.8:
            row.update(known[row["id"]])
            if chance.random() < 0.4:
                row["price"] = chance.choice(NUMBERS)
    gone = [name for name in ("id", "name", "It's") if chance.random() < 0.15]
    names = [name for name in ("id", "price", "name", "It's") if name not in gone]
    chance.shuffle(names)
    return [{name: row.get(name) for name in names} for row in rows]


def written(rows: list[dict], ending: str) -> str:
    if ending == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()
    number = lambda name, value: float(value) if name == "price" and value else value
    listed = [{name: number(name, value) for name, value in row.items()} for row in rows]
    if ending == "json":
        return json.dumps(listed)
    return "".join(json.dumps(row) + "\n" for row in listed)


def guessed(con, old: str, new: str) -> list[str]:
    found = [name for (name,) in con.execute("FROM table_keys($old, $new)", {"old": old, "new": new}).fetchall()]  # fmt: skip
    best = [name for name in found if name == "id"] or found
    return best if len(best) == 1 else []


def compare(con, path, number: int, ending: str) -> tuple[str, str, str]:
    """Holds one random pair against the macros; returns both texts and what is said of them."""
    chance = random.Random(number)
    before = side(chance, None)
    texts = [written(rows, ending) for rows in (before, side(chance, before))]
    files = [path / f"{name}.{ending}" for name in ("old", "new")]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    reader = "read_csv('{}', header = true, delim = ',', quote = '\"', escape = '\"')"
    if ending != "csv":
        reader = "read_json('{}')"
    old, new = (reader.format(file) for file in files)
    key = guessed(con, old, new)
    wanted = con.execute(
        "SELECT rows_added, rows_removed, rows_changed, rows_unchanged, list_sort(list_transform(columns, lambda one: (one.column_name, one.cells_changed))), "
        "list_sort(columns_added), list_sort(columns_removed) FROM table_change_summary($old, $new, key := $key)",
        {"old": old, "new": new, "key": key or None},
    ).fetchone()
    found = con.execute(
        "SELECT c.rows_added, c.rows_removed, c.rows_changed, c.rows_unchanged, list_sort(list_transform(c.columns, lambda one: (one.column_name, one.cells_changed))), "
        "list_sort(c.columns_added), list_sort(c.columns_removed), c.key, len(c.cells), c.error, c.text FROM (SELECT data_changes($old, $new, $file) AS c)",
        {"old": texts[0], "new": texts[1], "file": f"a.{ending}"},
    ).fetchone()
    said = (number, ending, texts)
    assert found[9] is None, (said, found)
    assert found[7] == key and found[:7] == wanted, (said, found, wanted)
    assert found[8] == found[0] + found[1] + sum(count for _, count in found[4]), said
    return *texts, found[10]


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_counts_are_those_of_table_change_summary(data, tmp_path, ending):
    pairs = [compare(data, tmp_path, SEED + number, ending) for number in range(10)]
    assert len({said for *_, said in pairs}) > 5


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_counts_are_those_of_table_change_summary_on_many(data, tmp_path, ending):
    for number in range(10, 120):
        compare(data, tmp_path, SEED + number, ending)


def test_names_of_columns_match_in_any_case_as_in_table_changes(con):
    asked = lambda old, new, file, key: con.execute(
        "SELECT c.text, c.error FROM (SELECT data_changes($old, $new, $file, {'key': $key}) AS c)",
        {"old": old, "new": new, "file": file, "key": key},
    ).fetchone()
    for old, new, file, key, words in (
        ("ID,Price\n1,2\n", "price,id\n3,1\n", "a.csv", ["Id"], "1 row changed in column Price; key ID"),
        ("Ä,id\n1,2\n", "ä,id\n1,2\n", "a.csv", ["id"], "no row differs; column added: ä; column removed: Ä; key id"),
        ('{"id": 1, "a": 1, "A": 2}', '{"A": 2, "a": 1, "ID": 1}', "a.jsonl", ["id"], "no row differs; key id"),
        ('{"id": 1, "a": 1}', '{"id": 1, "A": 2, "a": 1}', "a.jsonl", ["id"], "no row differs; column added: A; key id"),
    ):  # fmt: skip
        assert asked(old, new, file, key) == (words, None), (old, new)


OLD = "id,item,price,stock\n1,apple,0.50,3\n2,pear,0.70,4\n3,plum,0.90,5\n"
NEW = "id,item,price,stock\n1,apple,0.5,2\n2,pear,0.75,1\n4,fig,1.2,9\n"
WORDS = "1 row added, 1 removed, 2 changed in columns price, stock; key id"
HOSTILE = '<script>alert(1)</script>\u202e"'


@pytest.fixture
def repo(tmp_path):
    large = "id,a\n1," + "x" * (9 << 19)
    before = {
        "prices.csv": OLD,
        "conf.json": '{"a": 1}',
        "large.csv": large,
        "gone.csv": OLD,
        "bad.csv": "id\n1,2\n",
    }
    after = {
        "prices.csv": NEW,
        "conf.json": '{"a": 2}',
        "large.csv": large + "y",
        "come.csv": OLD,
        "bad.csv": "id\n1,3\n",
        "hostile.jsonl": json.dumps({"id": 1, HOSTILE: "b"}),
    }
    last = after | {"hostile.jsonl": json.dumps({"id": 1, HOSTILE: HOSTILE})}
    encoded = [{name: text.encode() for name, text in files.items()} for files in (before, after, last)]  # fmt: skip
    return written_repositories.write(tmp_path / "repo", encoded)


def test_lists_of_tools_say_what_changed_in_rows(con, repo):
    for tool in ("GitDiff", "GitDiffSummary"):
        arguments = json.dumps({"from": "HEAD~2", "to": "HEAD~1", "repo": str(repo)})
        ((text,),) = con.execute("SELECT redline_call_text($1, $2)", [tool, arguments]).fetchall()
        lines = {line.split()[1]: line for line in text.splitlines() if line[1:2] == " "}
        assert lines["prices.csv"].startswith(f"M prices.csv +3 -3 ({WORDS})"), text
        assert "large.csv +1 -1 (rows not compared)" in text
        for name in ("conf.json", "bad.csv", "gone.csv", "come.csv"):
            assert all(line.count("(") == 0 for key, line in lines.items() if key == name), text
        assert text.count("(rows not compared)") == 1 and "{gone.csv => come.csv}" not in text
    ((text,),) = con.execute(
        "SELECT string_agg(text, '') FROM diff_review('HEAD~1', 'HEAD', $1)", [str(repo)]
    ).fetchall()
    assert 'in column <script>alert(1)</script>\\u{202e}"; key id' in text


def test_the_page_shows_changed_cells_or_lines(con, repo):
    ((page,),) = con.execute("SELECT diff_html('HEAD~2', 'HEAD', $1)", [str(repo)]).fetchall()
    table = page.partition('<div class="data">')[2].partition("</div>")
    assert table[0].startswith(f"<table>\n<caption>{WORDS}</caption>")
    for row in (
        '<td>changed</td><th scope="row">1</th><td>stock</td><td class="del">3</td><td class="ins">2</td>',
        '<td>changed</td><th scope="row">2</th><td>price</td><td class="del">0.70</td><td class="ins">0.75</td>',
        '<td>removed</td><th scope="row">3</th><td></td><td class="del">{&quot;id&quot;:&quot;3&quot;,',
    ):
        assert row in table[0], table[0]
    assert (
        table[2].startswith('\n<details class="patch-header">') and page.count('class="data"') == 1
    )
    # A file without changed cells has no switch.
    assert page.count('<fieldset class="shows">') == 1 and page.count('type="radio"') == 2
    ((page,),) = con.execute("SELECT diff_html('HEAD~1', 'HEAD', $1)", [str(repo)]).fetchall()
    shown = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;U+202E&gt;&quot;"
    assert f'<td>{shown}</td><td class="del">b</td><td class="ins">{shown}</td>' in page


def test_a_table_of_many_changes_is_bounded(con, tmp_path):
    rows = lambda value: "id,a\n" + "".join(f"{n},{value}\n" for n in range(600)) + "x,"
    files = [{"a.csv": (rows(value) + value * 2000).encode()} for value in "pq"]
    repo = written_repositories.write(tmp_path / "repo", files)
    ((page,),) = con.execute("SELECT diff_html('HEAD~1', 'HEAD', $1)", [str(repo)]).fetchall()
    table = page.partition('<div class="data">')[2].partition("</div>")[0]
    assert table.count("<tr><td>changed</td>") == 500
    assert "101 more changes among the lines." in table
    one = [{"a.csv": f"id,a\n1,{value * 2000}\n".encode()} for value in "pq"]
    repo = written_repositories.write(tmp_path / "one", one)
    ((page,),) = con.execute("SELECT diff_html('HEAD~1', 'HEAD', $1)", [str(repo)]).fetchall()
    assert f'<td class="ins">{"q" * 1000}…</td>' in page


def test_stat_counts_rows(extension, repo):
    with in_process(extension) as run:
        for sides in (["HEAD~2", "HEAD~1"], ["HEAD~2..HEAD~1"]):
            lines = run("stat", "-C", repo, "--data", *sides).decode().splitlines()
            told = {line.split("\t")[3]: line.split("\t")[4] for line in lines}
            assert told["prices.csv"] == WORDS and told["large.csv"] == "rows not compared"
            assert {name for name, words in told.items() if words} == {"prices.csv", "large.csv"}
        assert "leave out -z" in run("stat", "-C", repo, "--data", "-z", code=2)
        assert "leave out --markdown" in run("stat", "-C", repo, "--data", "--markdown", code=2)
    screen = Screen("never", False)
    screen.is_terminal, screen.width = True, 80
    rows = [
        Row("modified", 3, 3, None, None, b"prices.csv"),
        Row("added", 1, 0, None, None, b"come.csv"),
    ]
    drawn = list(with_words(rows, stat_lines(rows, screen), {b"prices.csv": WORDS}, screen))
    assert drawn[1] == f"   {WORDS}\n" and len(drawn) == 4 and "2 files changed" in drawn[3]
