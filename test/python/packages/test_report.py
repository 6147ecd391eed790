"""The page of `redline report`: what is drawn in a real browser is what the SQL on the page answers."""

import datetime
import hashlib
import html
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")
pytest.importorskip("matplotlib", reason="`make test` installs what draws the pictures")

sys.path.insert(0, str(ROOT / "python"))

from axe import needs_axe, violations
from chromium import BROWSER, Chromium
from commands import in_process

import duckdb_redline

needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium (Debian: apt-get install chromium)"
)
PEOPLE = ["Ann \u202e$x_1$ & Co", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"]
FILES = ["src/a.py", "src/<b>&$y^2$.py", "src/deep/er/c.py", "docs/d.md", "top.txt"]
NAMES = [
    "churn",
    "growth",
    "people",
    "hours",
    "directories",
    "hotspots",
    "coupling",
    "owners",
    "age",
]
# A mark is drawn to a hundredth of a point, and a page has places of a sixteenth of a pixel.
PIXEL = 0.6


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> pathlib.Path:
    """Returns a repository of four years, whose files and people have names that markup and formulas are made of."""
    folder = tmp_path_factory.mktemp("history")
    stream, lines = [], dict.fromkeys(FILES, 0)
    for number in range(40):
        day = datetime.datetime(2020, 1, 5, 12, tzinfo=datetime.timezone.utc)
        seconds = int((day + datetime.timedelta(days=37 * number)).timestamp())
        author = PEOPLE[number % len(PEOPLE) if number % 3 else 0]
        stream.append(f"commit refs/heads/main\nauthor {author} <p> {seconds} +0000\n")
        stream.append(f"committer C <c> {seconds} +0000\ndata 4\nwork\n")
        changed = FILES[: 2 + number % 4] if number % 2 else [FILES[number % 5], FILES[2]]
        for at, file in enumerate(dict.fromkeys(changed)):
            lines[file] += 3 + number % (4 + at)
            # The older half is written anew now and then, so that lines of all years are left.
            text = "".join(
                f"{number // 7 if line % 2 else 0} {line}\n" for line in range(lines[file])
            )
            stream.append(f"M 644 inline {file}\ndata {len(text)}\n{text}\n")
        if number in (10, 30):
            stream.append(f"reset refs/tags/v{number}.0\nfrom refs/heads/main\n\n")
            stream.append(f"reset refs/tags/no-release-{number}\nfrom refs/heads/main\n\n")
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    subprocess.run(
        ["git", "-C", folder, "fast-import", "--quiet"], input="".join(stream).encode(), check=True
    )
    return folder


def report(
    extension, folder: pathlib.Path, *words: object, **more: str
) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "duckdb_redline", "--extension", extension, "report", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")} | more
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def page(extension, repo, tmp_path_factory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("page") / "report.html"
    done = report(extension, repo, "--output", out, "--snapshots", 4)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out}: 9 pictures, ")
    # On a machine with other work, drawing may take so long that it is said.
    assert all(re.fullmatch(r".* … \d+ s", line) for line in done.stderr.splitlines())
    return out


@pytest.fixture(scope="module")
def answers(extension, repo, page) -> dict[str, list[dict]]:
    """Returns the rows of each question, asked again by the SQL that the page shows."""
    text = page.read_text()
    found = {}
    with duckdb_redline.connect(extension=extension) as con:
        here = os.getcwd()
        os.chdir(repo)
        try:
            for name, section in re.findall(
                r'<section id="(\w+)">(.*?)</section>', text, re.DOTALL
            ):
                (sql,) = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", section, re.DOTALL)
                result = con.execute(html.unescape(sql))
                columns = [column[0] for column in result.description]
                found[name] = [dict(zip(columns, row)) for row in result.fetchall()]
        finally:
            os.chdir(here)
    assert list(found) == NAMES and all(found.values())
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory, page):
    made = Chromium(tmp_path_factory.mktemp("profile"))
    made.go(page.as_uri())
    yield made
    made.close()


MARKS = """
[...document.querySelectorAll('#%s .mark')].map(mark => {
    const box = mark.querySelector('path').getBBox();
    return {says: mark.querySelector('title').textContent, x: box.x, y: box.y, width: box.width, height: box.height,
            fill: getComputedStyle(mark.querySelector('path')).fill};
})
"""


TICKS = """
[...document.querySelectorAll('#%s svg text')].map(text => {
    const box = text.getBBox(), moved = text.transform.baseVal.consolidate();
    return {text: text.textContent, x: box.x + (moved ? moved.matrix.e : 0), width: box.width};
})
"""


@pytest.fixture
def marks(browser):
    return lambda name: browser.value(MARKS % name)


def assert_in_proportion(drawn: list[float], values: list[float]) -> None:
    """Fails unless all are the values, times one number."""
    assert len(drawn) == len(values) and sum(values) > 0
    scale = sum(drawn) / sum(values)
    off = [(size, value) for size, value in zip(drawn, values) if abs(size - value * scale) > PIXEL]
    assert off == []


@needs_browser
def test_the_bars_of_churn_are_the_lines_of_each_period(browser, marks, answers):
    rows = answers["churn"][::-1]
    drawn = marks("churn")
    added, removed = drawn[: len(rows)], drawn[len(rows) :]
    assert_in_proportion(
        [mark["height"] for mark in drawn],
        [row["additions"] for row in rows] + [row["deletions"] for row in rows],
    )
    middle = max(mark["y"] + mark["height"] for mark in added)
    assert all(abs(mark["y"] + mark["height"] - middle) < PIXEL for mark in added)
    assert all(abs(mark["y"] - middle) < PIXEL for mark in removed)
    assert [mark["x"] for mark in added] == sorted(mark["x"] for mark in added)
    assert added[3]["says"] == f"{rows[3]['period']}: {rows[3]['additions']} lines added"
    # Months without a change have their place, and a name stands below the middle of its month.
    months = [int(row["period"][:4]) * 12 + int(row["period"][5:]) for row in rows]
    assert len(months) < months[-1] - months[0] + 1
    steps = [(mark["x"] - added[0]["x"]) for mark in added]
    assert_in_proportion(steps, [month - months[0] for month in months])
    ticks = browser.value(TICKS % "churn")
    middles = {row["period"]: mark["x"] + mark["width"] / 2 for row, mark in zip(rows, added)}
    shared = [tick for tick in ticks if tick["text"] in middles]
    assert len(shared) > 5
    for tick in shared:
        assert abs(tick["x"] + tick["width"] / 2 - middles[tick["text"]]) < 2, tick
    caption = browser.value("document.querySelector('#churn figcaption').textContent")
    most = max(rows, key=lambda row: row["additions"] + row["deletions"])
    assert caption == (
        f"Most lines changed in {most['period']}: {most['additions']} added, {most['deletions']} removed."
    )


@needs_browser
def test_the_stacks_of_growth_are_the_lines_of_each_ending(browser, marks, answers, repo):
    sizes = [row for row in answers["growth"] if row["language"]]
    releases = [row for row in answers["growth"] if row["release"]]
    drawn = marks("growth")
    said = [re.fullmatch(r"(.*): ([\d,]+) lines of (.*)", mark["says"]).groups() for mark in drawn]
    lines = {(row["day"], row["language"]): row["lines"] for row in sizes}
    assert {(day, language): int(count.replace(",", "")) for day, count, language in said} == lines
    assert_in_proportion([m["height"] for m in drawn], [lines[day, name] for day, _, name in said])
    # Bars are at their part of the history, and a release is between the parts before and after it.
    left = {day: mark["x"] for (day, _, _), mark in zip(said, drawn)}
    parts = {row["day"]: row["part"] for row in sizes}
    first, last = min(parts), max(parts)
    unit = (left[last] - left[first]) / (parts[last] - parts[first])
    for day, x in left.items():
        assert abs(x - left[first] - unit * (parts[day] - parts[first])) < PIXEL
    assert [row["release"] for row in releases] == ["v10.0", "v30.0"]
    begin = left[first] - 0.08 * unit - unit * parts[first]
    names = {text["text"]: text for text in browser.value(BOXES % "growth")}
    edge = browser.value("document.querySelector('#growth svg').getScreenCTM().e")
    scale = browser.value("document.querySelector('#growth svg').getScreenCTM().a")
    for row in releases:
        at = (names[row["release"]]["left"] - edge) / scale
        assert 0 < at - (begin + unit * row["part"]) < unit, row
    # git counts the same lines at the end.
    count = lambda file: subprocess.run(
        ["git", "-C", repo, "show", f"main:{file}"], capture_output=True, check=True
    ).stdout.count(b"\n")
    python = sum(count(file) for file in FILES if file.endswith(".py"))
    assert lines[last, "py"] == python and lines[last, "md"] == count("docs/d.md")


BOXES = """
[...document.querySelectorAll('#%s svg text')].map(text => {
    const {left, right, top, bottom} = text.getBoundingClientRect();
    return {text: text.textContent, left, right, top, bottom};
})
"""


@needs_browser
@pytest.mark.parametrize("name", [name for name in NAMES if name != "coupling"])
def test_no_label_lies_over_another_or_beyond_the_picture(browser, name):
    """Names of columns in coupling are turned: their boxes meet where their letters do not."""
    boxes = browser.value(BOXES % name)
    (whole,) = browser.value(BOXES.replace("svg text", "svg") % name)
    shared = lambda a, b, low, high: min(a[high], b[high]) - max(a[low], b[low])
    for at, one in enumerate(boxes):
        assert shared(one, whole, "left", "right") > one["right"] - one["left"] - 1, one
        assert shared(one, whole, "top", "bottom") > one["bottom"] - one["top"] - 1, one
        for other in boxes[at + 1 :]:
            # Lines of one text stand close.
            assert (
                shared(one, other, "left", "right") < 1 or shared(one, other, "top", "bottom") < 4
            ), (one, other)


@needs_browser
def test_names_of_hotspots_stand_in_their_tiles(browser, marks):
    tiles = browser.value(BOXES.replace("svg text", ".mark") % "hotspots")
    for label in browser.value(BOXES % "hotspots"):
        if not re.search(r"^\d+(–\d+)?$|^commits$", label["text"]):
            assert any(
                tile["left"] <= label["left"] and label["right"] <= tile["right"] + 1
                and tile["top"] <= label["top"] + 2 and label["bottom"] <= tile["bottom"] + 2
                for tile in tiles
            ), label  # fmt: skip


@needs_browser
def test_the_bars_of_people_are_the_authors_of_each_quarter(marks, answers):
    rows, drawn = answers["people"][::-1], marks("people")
    assert sum(row["new"] for row in rows) == len(PEOPLE)
    assert_in_proportion(
        [mark["height"] for mark in drawn],
        [row["authors"] - row["new"] for row in rows]
        + [row["new"] for row in rows]
        + [row["left"] for row in rows],
    )


@needs_browser
def test_the_cells_of_hours_are_at_their_day_and_hour(marks, answers):
    rows, drawn = answers["hours"], marks("hours")
    assert sum(row["commits"] for row in rows) == 40 and {row["hour"] for row in rows} == {12}
    for mark, row in zip(drawn, rows, strict=True):
        place = round((mark["y"] - drawn[0]["y"]) / (mark["height"] / 0.94))
        assert place == row["day"] - rows[0]["day"]
        assert f", 12:00 to 12:59: {row['commits']} commits" in mark["says"]


@needs_browser
def test_the_bars_of_directories_are_their_changed_lines(marks, answers):
    rows, drawn = answers["directories"], marks("directories")
    assert [row["directory"] for row in rows][:1] == ["src"] and len(rows) == 4
    assert_in_proportion(
        [mark["width"] for mark in drawn],
        [row["additions"] for row in rows] + [row["deletions"] for row in rows],
    )
    # What was removed follows what was added.
    for added, removed in zip(drawn[:4], drawn[4:]):
        assert abs(added["x"] + added["width"] - removed["x"]) < PIXEL


@needs_browser
def test_the_tiles_of_hotspots_have_the_area_of_their_lines_and_fill_the_map(marks, answers):
    rows = sorted(answers["hotspots"], key=lambda row: (-row["lines"], row["file_path"]))
    drawn = marks("hotspots")
    whole = sum(mark["width"] * mark["height"] for mark in drawn)
    total = sum(row["lines"] for row in rows)
    for mark, row in zip(drawn, rows, strict=True):
        assert mark["width"] * mark["height"] / whole == pytest.approx(
            row["lines"] / total, rel=0.02
        )
        assert f": {row['lines']} lines, {row['commits']} commits" in mark["says"]
    ends = lambda low, size: max(m[low] + m[size] for m in drawn) - min(m[low] for m in drawn)
    assert ends("x", "width") * ends("y", "height") == pytest.approx(whole, rel=0.01)
    # Files with more commits are of another colour.
    by_commits = sorted(zip(rows, drawn), key=lambda pair: pair[0]["commits"])
    assert by_commits[0][1]["fill"] != by_commits[-1][1]["fill"]


@needs_browser
def test_the_cells_of_coupling_are_in_the_row_and_the_column_of_their_files(marks, answers):
    rows, drawn = answers["coupling"], marks("coupling")
    names = sorted({row["file_path"] for row in rows} | {row["with_file"] for row in rows})
    corner = [min(mark[side] for mark in drawn) for side in "xy"]
    for mark, row in zip(drawn, rows, strict=True):
        place = [
            round((mark[side] - at) / (mark[size] / 0.94))
            for side, at, size in zip("xy", corner, ["width", "height"])
        ]
        assert place == [names.index(row["with_file"]), names.index(row["file_path"])], row
        assert f"{row['support']} of the {row['commits']} commits" in mark["says"]


@needs_browser
def test_the_bars_of_owners_are_the_lines_of_each_person(marks, answers):
    rows, drawn = answers["owners"], marks("owners")
    lines = {(row["directory"], row["author"]): row["lines"] for row in rows}
    assert any(author == "(others)" for _, author in lines) and len(drawn) == len(rows)
    said = [re.fullmatch(r"(.*): ([\d,]+) lines of .*", mark["says"]) for mark in drawn]
    numbers = [int(found[2].replace(",", "")) for found in said]
    assert sorted(numbers) == sorted(lines.values())
    assert_in_proportion([mark["width"] for mark in drawn], numbers)
    # The parts of a directory follow one another from the left.
    for directory in {row["directory"] for row in rows}:
        bars = sorted(
            (m["x"], m["width"]) for m, found in zip(drawn, said) if found[1] == directory
        )
        for (at, width), (following, _) in zip(bars, bars[1:]):
            assert abs(at + width - following) < PIXEL


@needs_browser
def test_the_stacks_of_age_are_the_lines_of_each_year(marks, answers, repo):
    rows, drawn = answers["age"], marks("age")
    assert len({row["day"] for row in rows}) == 4
    ordered = sorted(rows, key=lambda row: (row["since_year"], row["day"]))
    assert_in_proportion([mark["height"] for mark in drawn], [row["lines"] for row in ordered])
    # git counts the same lines in the last one.
    git = lambda *words: (
        subprocess.run(
            ["git", "-C", repo, *words], capture_output=True, text=True, check=True
        ).stdout
    )
    files = git("ls-tree", "-r", "-z", "--name-only", "main").split("\0")[:-1]
    counted = sum(git("show", f"main:{file}").count("\n") for file in files)
    last = max(row["day"] for row in rows)
    assert sum(row["lines"] for row in rows if row["day"] == last) == counted


@needs_browser
def test_the_page_asks_for_nothing_and_its_policy_stops_nothing_of_its_own(browser, page):
    browser.go(page.as_uri())
    assert browser.requested() == [page.as_uri()]
    assert [one for one in browser.events if one["method"] == "Log.entryAdded"] == []
    assert (
        browser.value(
            "document.scripts.length + document.querySelectorAll('[style], [onclick], img, iframe, link').length"
        )
        == 0
    )
    # The style of the page counts: each mark has a colour of its role.
    assert browser.value("getComputedStyle(document.querySelector('.mark path')).fill").startswith(
        "rgb("
    )


def test_names_are_texts_whatever_they_hold(page):
    text = page.read_text()
    assert "<b>&amp;$y^2$.py" not in text and "&lt;b&gt;&amp;$y^2$.py" in text
    assert "Ann &lt;U+202E&gt;$x_1$ &amp; Co" in text and "\u202e" not in text
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'",
        policy,
    )


def test_the_tables_hold_the_rows(page, answers):
    for name, rows in answers.items():
        (section,) = re.findall(
            rf'<section id="{name}">(.*?)</section>', page.read_text(), re.DOTALL
        )
        cells = [
            [html.unescape(text) for text in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", section)
        ]
        shown = lambda value: (
            f"{value:,}"
            if isinstance(value, int | float)
            else (value or "").replace("\u202e", "<U+202E>")
        )
        assert cells == [list(rows[0]), *([shown(value) for value in row.values()] for row in rows)]


@needs_browser
def test_a_screen_reader_is_told_what_each_picture_shows(browser, page):
    browser.go(page.as_uri())
    spoken = browser.spoken()
    headings = [name for role, name in spoken if role == "heading"]
    images = [name for role, name in spoken if role == "image"]
    assert len(headings) == 10 and len(images) == 9
    for title, image in zip(headings[1:], images):
        assert image.startswith(title) and len(image) > len(title) + 20
    assert [role for role, _ in spoken].count("navigation") == 1


CONTRAST = """
(() => {
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue('--' + name).trim();
    const light = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
    const ratio = (a, b) => { const [x, y] = [light(colour(a)), light(colour(b))]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
    const texts = [['ink', 'page'], ['quiet', 'page'], ['link', 'page'], ...[1, 2, 3, 4, 5, 6, 7, 8].map(n => ['on' + n, 'q' + n])];
    const shapes = ['edge', 'plus', 'minus', 'others', 's1', 's2', 's3', 's4', 's5', 's6'].map(name => [name, 'page']);
    return [...texts.map(pair => [pair, ratio(...pair), 4.5]), ...shapes.map(pair => [pair, ratio(...pair), 3])]
        .filter(([, has, wants]) => has < wants);
})()
"""


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_shapes_stand_out_in_light_and_dark(browser, page, scheme):
    browser.do(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    browser.go(page.as_uri())
    background = browser.value("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 27)"}[scheme]
    assert browser.value(CONTRAST) == []


@pytest.fixture(scope="module")
def in_this_process(extension):
    with in_process(extension) as run:
        yield run


def test_since_and_a_revision_choose_the_history(in_this_process, repo, tmp_path):
    in_this_process(
        "report",
        "main~20",
        "-C",
        repo,
        "-o",
        tmp_path / "part.html",
        "--since",
        "2021-06-01",
        "--snapshots",
        1,
    )
    text = (tmp_path / "part.html").read_text()
    assert f"{repo}" in html.unescape(text) and "main~20" in text
    periods = re.findall(r'<th scope="row">(\d{4}-\d\d)</th>', text)
    assert min(periods) >= "2021-06" and max(periods) < "2022-03"


def test_paths_choose_the_files_of_every_picture(in_this_process, extension, repo, tmp_path):
    words = [
        "report",
        "HEAD",
        "-C",
        repo,
        "-o",
        tmp_path / "part.html",
        "--snapshots",
        2,
        "--",
        "*.py",
        ":!**/deep/**",
    ]
    in_this_process(*words)
    text = html.unescape((tmp_path / "part.html").read_text())
    assert "*.py  :!**/deep/**" in text and "src/a.py" in text
    assert "docs/d.md" not in text and "top.txt" not in text and "er/c.py" not in text
    with duckdb_redline.connect(extension=extension) as con:
        for sql in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", text, re.DOTALL):
            assert con.execute(sql).fetchall(), sql


def test_what_takes_long_is_said_in_a_pipe_too(capsys):
    from duckdb_redline.command.screen import tell_in_lines

    for second in range(1, 100):
        tell_in_lines("blaming", second)
    assert capsys.readouterr().err.splitlines() == [
        f"blaming … {seconds} s" for seconds in (10, 20, 40, 80)
    ]


def test_a_picture_that_fails_says_so_in_its_place(extension, repo, monkeypatch):
    import contextlib

    from duckdb_redline.report import page, questions

    monkeypatch.chdir(repo)
    monkeypatch.setattr(questions, "owners", lambda _: "SELECT error('too_large: it is <large>')")
    asked = questions.Asked("HEAD", ".", snapshots=2)
    working, bounded = (lambda _: contextlib.nullcontext()), (lambda: contextlib.nullcontext(str))
    with duckdb_redline.connect(extension=extension) as con:
        totals = questions.summary(con, asked)
        asked_all = questions.answers(con, asked, totals, working, bounded)
    assert [question.name for question in asked_all if question.failure] == ["owners"]
    text = page.page("x", asked, totals, asked_all).decode()
    assert "This picture is missing: too_large: it is &lt;large&gt;" in text
    assert text.count("<svg") == 8 and 'id="age-title"' in text


def test_a_sample_of_the_files_is_blamed_where_there_are_many_and_said(
    extension, repo, monkeypatch
):
    from duckdb_redline.report import charts, questions

    monkeypatch.chdir(repo)
    monkeypatch.setattr(questions, "BLAMED", 3)
    one_in = {"owners": 2, "age": 4}
    asked_all = {name: words for name, *words in questions.questions(questions.Asked("HEAD", ".", snapshots=2), 1)}  # fmt: skip
    with duckdb_redline.connect(extension=extension) as con:
        for name, parts in one_in.items():
            title, text, sql = asked_all[name]
            con.execute(sql)
            rows = con.fetchall()
            chosen = [
                path for path in FILES
                if int.from_bytes(hashlib.md5(path.encode()).digest(), "little") % parts == 0
            ]  # fmt: skip
            assert 0 < len(chosen) < len(FILES)
            blamed = "SELECT sum(lines) FROM tree_blame('HEAD', '.') WHERE file_path IN (SELECT unnest(?))"
            (lines,) = con.execute(blamed, [chosen]).fetchone()
            latest = [row for row in rows if name == "owners" or row[4] == 1]
            at = 2 if name == "owners" else 3
            assert sum(row[at] for row in latest) == lines
            sentence = charts.chart(questions.Question(name, title, text, sql, [], rows)).sentence
            said = (
                f"A sample: blame of {len(chosen)} of the 5 files, chosen by a hash of their paths"
            )
            assert said in sentence


def test_a_picture_is_ended_after_its_processor_time(monkeypatch):
    from duckdb_redline.command import report as command

    ended = threading.Event()
    monkeypatch.setattr(command.INTERRUPTS, "stop", ended.set)
    with command.bounded(0) as over:
        while not ended.is_set():
            sum(range(10_000))
        assert "more than 0 seconds of processor time; --max-seconds gives it more" in over()
    with command.bounded(1_000) as over:
        assert over() is None


@pytest.mark.slow
def test_a_chart_begins_with_the_window_of_since(extension, tmp_path):
    """Also where an author wrote a change years before it was committed; years are years, and so are gaps."""
    stream = ""
    for author, committer in (("2011-05-01", "2021-02-01"), ("2021-03-01", "2021-03-01"), ("2023-07-01", "2023-07-01")):  # fmt: skip
        dates = [int(datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()) for day in (author, committer)]  # fmt: skip
        stream += f"commit refs/heads/main\nauthor A <a> {dates[0]} +0000\ncommitter A <a> {dates[1]} +0000\ndata 4\nwork\n"
        stream += f"M 644 inline a.txt\ndata {len(author)}\n{author}\n"
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "fast-import", "--quiet"], input=stream.encode(), check=True)  # fmt: skip
    out = tmp_path / "page.html"
    for words, first in ((["--since", "2021-01-01"], "2021-03"), ([], "2021-03")):
        done = report(extension, tmp_path, "-o", out, *words)
        assert done.returncode == 0, done.stderr
        section = re.search(r'<section id="churn">(.*?)</section>', out.read_text(), re.DOTALL)[1]
        periods = re.findall(r"<title>(\S+): [\d,]+ lines added</title>", section)
        if words:
            assert periods == [first, "2023-07"]
    from duckdb_redline.report.charts import Periods

    for names, places, named in (
        (["2019", "2022"], [0, 3], "2021"),
        (["2019-Q4", "2020-Q1", "2021-Q1"], [0, 1, 5], "2020-Q2"),
        (["2019-11", "2020-01"], [0, 2], "2020-01"),
    ):
        axis = Periods(names)
        assert axis.places == places and axis.name_of(axis.begin + 2) == named


def test_one_commit_has_a_page_that_says_what_it_lacks(extension, tmp_path, tmp_path_factory):
    git = ["git", "-C", tmp_path, "-c", "user.name=A", "-c", "user.email=a"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "empty").write_text("")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "Start"], check=True)
    folder = tmp_path_factory.mktemp("pages")
    done = report(extension, tmp_path, TMPDIR=str(folder))
    assert done.returncode == 0, done.stderr
    # Of this user alone, and not in the clone.
    (made,) = folder.glob("redline-*/report-*.html")
    assert done.stdout.startswith(f"{made}: 9 pictures") and made.stat().st_mode & 0o777 == 0o600
    assert "The history has nothing of it." in made.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", "empty"]


def test_a_failing_report_is_a_line_and_leaves_the_old_page(extension, tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    (tmp_path / "report.html").write_text("old")
    done = report(extension, tmp_path, "-o", "report.html")
    assert done.returncode == 1 and "'main' has no commit yet" in done.stderr
    assert (tmp_path / "report.html").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", "report.html"]


def test_without_matplotlib_the_command_says_what_to_install(extension, tmp_path):
    # A package of this name that cannot be found.
    hidden = "import sys; sys.path_importer_cache.clear(); sys.modules['matplotlib'] = None\n"
    script = tmp_path / "run.py"
    script.write_text(
        hidden + "import importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'matplotlib' else found(name, *more)\n"
        f"from duckdb_redline.command.main import main; main(['--extension', {str(extension)!r}, 'report'])\n"
    )
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr.endswith("pip install matplotlib\n")


def test_a_tile_is_named_by_the_shortest_end_that_is_its_own():
    from duckdb_redline.report.charts import names_of

    paths = ["a/src/lib.rs", "b/src/lib.rs", "a/src/main.rs", "lib.rs"]
    assert list(names_of(paths).values()) == ["a/src/lib.rs", "b/src/lib.rs", "main.rs", "lib.rs"]


def test_the_tiles_of_a_treemap_are_in_the_map_and_do_not_overlap():
    from duckdb_redline.report.treemap import tiles

    values = [50.0, 30, 9, 9, 5, 3, 2, 1, 1, 0.5]
    made = tiles(values, 16, 9)
    for value, tile in zip(values, made, strict=True):
        assert tile.width * tile.height == pytest.approx(value * 16 * 9 / sum(values))
        assert tile.x >= -1e-9 and tile.y >= -1e-9
        assert tile.x + tile.width <= 16 + 1e-9 and tile.y + tile.height <= 9 + 1e-9
        assert max(tile.width / tile.height, tile.height / tile.width) < 4
    for one, other in ((a, b) for at, a in enumerate(made) for b in made[:at]):
        shared = [
            min(one[at] + one[at + 2], other[at] + other[at + 2]) - max(one[at], other[at])
            for at in (0, 1)
        ]
        assert min(shared) < 1e-9


@needs_browser
@needs_axe
def test_axe_finds_nothing_in_the_page(browser):
    assert violations(browser) == []
    browser.value("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert violations(browser) == []
