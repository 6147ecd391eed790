"""The pictures, drawn by matplotlib. A colour is a role, to which the page gives one for light and one for dark."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ..command.screen import cut
from ..visible import harmless
from .questions import SIZES, Question, Rows
from .treemap import tiles

INCHES = 9.0
# matplotlib knows numbers of colours alone: these represent roles until `vectors` replaces them.
ROLES = {
    name: f"#fa{number:04x}"
    for number, name in enumerate(
        ["paper", "ink", "rule", "edge", "plus", "minus", "others"]
        + [f"s{number}" for number in range(1, 7)]
        + [f"q{number}" for number in range(1, 9)]
        + [f"on{number}" for number in range(1, 9)]
    )
}
STEPS = 8
# Releases that are marked, if there are more.
MOST_RELEASES = 12
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": ROLES["ink"],
    "axes.edgecolor": ROLES["rule"],
    "axes.labelcolor": ROLES["ink"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": ROLES["rule"],
    "grid.linewidth": 0.6,
    "xtick.color": ROLES["rule"],
    "ytick.color": ROLES["rule"],
    "xtick.labelcolor": ROLES["ink"],
    "ytick.labelcolor": ROLES["ink"],
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.labelcolor": ROLES["ink"],
}


@dataclass
class Chart:
    """A picture as SVG, with a description of each mark and of the whole."""

    svg: bytes
    marks: dict[str, str]
    sentence: str


@dataclass
class Canvas:
    """Where a question is drawn."""

    name: str
    figure: Figure
    axes: Axes
    marks: dict[str, str] = field(default_factory=dict)

    def mark(self, artist: Artist, says: str) -> None:
        """Names a shape, so that the page can describe it."""
        name = f"{self.name}-{len(self.marks)}"
        artist.set_gid(name)
        artist.set_clip_on(False)
        self.marks[name] = harmless(says)


def chart(question: Question) -> Chart | None:
    """Returns the picture of a question; None where there is nothing to draw."""
    if not question.rows:
        return None
    height, draw = DRAWN[question.name]
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": question.name}):
        figure = Figure(figsize=(INCHES, height(question.rows)), layout="constrained")
        FigureCanvasSVG(figure)
        figure.patch.set_alpha(0)
        canvas = Canvas(question.name, figure, figure.add_subplot())
        canvas.axes.patch.set_alpha(0)
        sentence = draw(canvas, question.rows)
        written = io.BytesIO()
        with warnings.catch_warnings():
            # Of letters that matplotlib's font has not: the browser has others.
            warnings.simplefilter("ignore", UserWarning)
            figure.savefig(written, format="svg", metadata={"Date": None})
    return Chart(written.getvalue(), canvas.marks, sentence)


def number(value: float) -> str:
    """Returns a number as people read it."""
    return f"{value:,.0f}"


def short(value: float, _: object = None) -> str:
    """Returns a number for an axis, without a minus for downwards."""
    size = abs(value)
    for least, letter in ((1e6, "M"), (1e3, "k")):
        if size >= least:
            return f"{size / least:g} {letter}"
    return f"{size:g}"


def name_of(path: str, width: int = 28) -> str:
    """Returns a path for a label: of a long one its end."""
    path = harmless(path)
    return path if len(path) <= width else "…" + path[1 - width :]


def draw_churn(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    rows = rows[::-1]
    axis = Periods([row[0] for row in rows])
    for role, sign, at in (("plus", 1, 2), ("minus", -1, 3)):
        word = "added" if sign > 0 else "removed"
        bars = axes.bar(
            axis.places, [sign * row[at] for row in rows], width=0.84, color=ROLES[role], label=word
        )
        for shape, row in zip(bars, rows):
            canvas.mark(shape, f"{row[0]}: {number(row[at])} lines {word}")
    axis.draw(canvas)
    axes.set_ylabel("lines")
    canvas.figure.legend(loc="outside upper right", ncols=2)
    most = max(rows, key=lambda row: row[2] + row[3])
    return f"Most lines changed in {most[0]}: {number(most[2])} added, {number(most[3])} removed."


class Periods:
    """An axis of time: months, quarters or years by their names, those without a change included."""

    def __init__(self, names: list[str]) -> None:
        first = names[0]
        self.length = 3 if "-Q" in first else 1 if "-" in first else 12
        self.numbers = [self.number_of(name) for name in names]
        self.begin, self.count = self.numbers[0], self.numbers[-1] - self.numbers[0] + 1
        self.places = [number - self.begin for number in self.numbers]

    def number_of(self, name: str) -> int:
        """Returns how many such periods have been since the year 0."""
        year, _, part = name.partition("-")
        return int(year) * 12 // self.length + (int(part.lstrip("Q")) - 1 if part else 0)

    def name_of(self, number: int) -> str:
        year, part = divmod(number, 12 // self.length)
        if self.length == 12:
            return str(year)
        return f"{year}-Q{part + 1}" if self.length == 3 else f"{year}-{part + 1:02}"

    def draw(self, canvas: Canvas) -> None:
        """Draws the axis, with a name at each so many periods."""
        axes, step = canvas.axes, -(-self.count // 12)
        shown = range(0, self.count, step)
        axes.set_xticks(shown, [self.name_of(self.begin + place) for place in shown])
        axes.set_xlim(-0.7, self.count - 0.3)
        axes.axhline(0, color=ROLES["edge"], linewidth=0.8)
        axes.grid(axis="x", visible=False)
        axes.yaxis.set_major_formatter(FuncFormatter(short))


def draw_people(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    rows = rows[::-1]
    axis = Periods([row[0] for row in rows])
    stayed = [row[1] - row[2] for row in rows]
    for role, word, values, before in (
        ("others", "known", stayed, [0] * len(rows)),
        ("plus", "new", [row[2] for row in rows], stayed),
        ("minus", "left", [-row[3] for row in rows], [0] * len(rows)),
    ):
        bars = axes.bar(axis.places, values, bottom=before, width=0.84, color=ROLES[role], label=word)  # fmt: skip
        for shape, row, value in zip(bars, rows, values):
            canvas.mark(shape, f"{row[0]}: {abs(value)} {word}")
    axis.draw(canvas)
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set_ylabel("authors")
    canvas.figure.legend(loc="outside upper right", ncols=3)
    most = max(rows, key=lambda row: row[1])
    return f"Most authors wrote in {most[0]}: {most[1]}, of whom {most[2]} were new."


def draw_parts(canvas: Canvas, days: dict[int, str], count: int) -> None:
    """Draws the axis of equal parts of the history, each named by the day of its last commit."""
    axes = canvas.axes
    step = -(-count // 8)
    # Counted from the end, which is what is looked for.
    shown = [part for part in days if (count - 1 - part) % step == 0]
    axes.set_xticks(shown, [days[part] for part in shown])
    axes.set_xlim(-0.7, count - 0.3)
    axes.grid(axis="x", visible=False)
    axes.yaxis.set_major_formatter(FuncFormatter(short))
    axes.set_ylabel("lines")


def draw_growth(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    sizes = [row for row in rows if row[1] is not None]
    releases = [row for row in rows if row[1] is None]
    total: dict[str, int] = {}
    for _, language, lines, _, _ in sizes:
        total[language] = max(total.get(language, 0), lines)
    languages = sorted(total, key=lambda one: (one == "(others)", -total[one], one))
    before = dict.fromkeys((int(row[4]) for row in sizes), 0)
    for at, language in enumerate(languages):
        role = "others" if language == "(others)" else f"s{at + 1}"
        label = harmless(language)
        for day, other, lines, _, part in sizes:
            if other != language:
                continue
            (shape,) = axes.bar(
                part, lines, bottom=before[int(part)], width=0.84, color=ROLES[role],
                edgecolor=ROLES["paper"], linewidth=0.5, label=label,
            )  # fmt: skip
            label = "_"
            before[int(part)] += lines
            canvas.mark(shape, f"{day}: {number(lines)} lines of {language}")
    draw_parts(canvas, {int(row[4]): row[0] for row in sizes}, SIZES)
    step = -(-len(releases) // MOST_RELEASES)
    # As above: the latest one is shown.
    shown = releases[(len(releases) - 1) % step :: step] if releases else []
    top = max(before.values())
    axes.set_ylim(0, top * 1.3)
    for _, _, _, name, part in shown:
        # A part is drawn around its number.
        axes.axvline(part - 0.5, color=ROLES["ink"], linewidth=0.6, linestyle=(0, (3, 3)))
        axes.text(
            part - 0.4, top * 1.28, cut(harmless(name), 16), fontsize=7, va="top", rotation=90,
            color=ROLES["ink"],
        )  # fmt: skip
    canvas.figure.legend(loc="outside right upper", reverse=True)
    latest = max(int(row[4]) for row in sizes)
    now = {row[1]: row[2] for row in sizes if int(row[4]) == latest}
    most = max(now, key=lambda language: now[language])
    said = f"{number(sum(now.values()))} lines at the end, {now[most] / sum(now.values()):.0%} of them of {harmless(most)}."
    return f"{said} {len(shown)} of {len(releases)} releases are marked." if step > 1 else said


WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def draw_hours(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    most = max(row[2] for row in rows)
    for day, hour, commits in rows:
        step = 1 + min(STEPS - 1, STEPS * commits // (most + 1))
        (shape,) = axes.bar(
            hour, 0.94, width=0.94, bottom=day - 1.47, color=ROLES[f"q{step}"],
            edgecolor=ROLES["edge"], linewidth=0.6,
        )  # fmt: skip
        canvas.mark(shape, f"{WEEK[day - 1]}, {hour}:00 to {hour}:59: {number(commits)} commits")
    axes.set_yticks(range(7), WEEK)
    axes.set_xticks(range(0, 24, 3), [f"{hour}:00" for hour in range(0, 24, 3)])
    axes.set_xlim(-0.5, 23.5)
    axes.set_ylim(6.5, -0.5)
    axes.grid(visible=False)
    busiest = max(rows, key=lambda row: row[2])
    weekend = sum(row[2] for row in rows if row[0] > 5) / sum(row[2] for row in rows)
    return (
        f"Most commits are of {WEEK[busiest[0] - 1]} from {busiest[1]}:00 to {busiest[1]}:59: {number(busiest[2])}. "
        f"{weekend:.0%} are of weekends."
    )


def draw_directories(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    for role, at, word in (("plus", 3, "added"), ("minus", 4, "removed")):
        before = [row[3] if at == 4 else 0 for row in rows]
        bars = axes.barh(
            range(len(rows)), [row[at] for row in rows], left=before, height=0.7,
            color=ROLES[role], label=word,
        )  # fmt: skip
        for shape, row in zip(bars, rows):
            canvas.mark(shape, f"{row[0]}: {number(row[at])} lines {word} by {row[1]} commits")
    named_rows(canvas, [row[0] for row in rows])
    canvas.figure.legend(loc="outside upper right", ncols=2)
    where = "The root" if rows[0][0] == "." else harmless(rows[0][0])
    return f"{where} changed most: {number(rows[0][3] + rows[0][4])} lines in {number(rows[0][1])} commits."


def named_rows(canvas: Canvas, names: list[str]) -> None:
    """Writes the names of horizontal bars, the first at the top."""
    axes = canvas.axes
    axes.set_yticks(range(len(names)), [name_of(name) for name in names])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.xaxis.set_major_formatter(FuncFormatter(short))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.set_xlabel("lines")


def draw_hotspots(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    width, height = 100.0, 56.0
    rows = sorted(rows, key=lambda row: (-row[1], row[0]))
    least, most = (end(row[2] for row in rows) for end in (min, max))
    first_of = steps_between(least, most)
    names = names_of([row[0] for row in rows])
    for tile, row in zip(tiles([row[1] for row in rows], width, height), rows):
        step = sum(first <= row[2] for first in first_of)
        (shape,) = axes.bar(
            tile.x, tile.height, width=tile.width, bottom=tile.y, align="edge",
            color=ROLES[f"q{step}"], edgecolor=ROLES["edge"], linewidth=0.6,
        )  # fmt: skip
        canvas.mark(shape, f"{row[0]}: {number(row[1])} lines, {row[2]} commits")
        # A letter is about 0.85 of these units wide, a line 2.6 high.
        room = int((tile.width - 1) / 0.86)
        if room < 5 or tile.height < 3:
            continue
        name, lines = harmless(names[row[0]]), int((tile.height - 0.7) / 2.6)
        # A long name goes on in the next lines, the last of which is for the commits.
        most_lines = max(1, lines - 1)
        name = cut(name, room * most_lines)
        said = "\n".join(name[at : at + room] for at in range(0, len(name), room))
        if lines > 1:
            commits = f"{row[2]} commits"
            said += "\n" + (commits if len(commits) <= room else str(row[2]))
        axes.text(
            tile.x + 0.7, tile.y + tile.height - 0.7, said, fontsize=7, va="top",
            color=ROLES[f"on{step}"], linespacing=1.25,
        )  # fmt: skip
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    key = [
        Patch(facecolor=ROLES[f"q{at}"], edgecolor=ROLES["edge"], linewidth=0.6, label=said)
        for at, said in ranges(first_of, most)
    ]
    canvas.figure.legend(
        handles=key, loc="outside lower left", ncols=STEPS, title="commits", alignment="left"
    )
    first = max(rows, key=lambda row: row[4])
    return f"{harmless(first[0])} leads: {number(first[1])} lines, changed by {number(first[2])} commits."


def names_of(paths: list[str]) -> dict[str, str]:
    """Returns of each path the shortest end that no other one has."""
    shared = Counter(end for path in paths for end in ends_of(path))
    return {path: next((end for end in ends_of(path) if shared[end] == 1), path) for path in paths}


def ends_of(path: str) -> list[str]:
    """Returns the ends of a path, the name of the file first."""
    parts = path.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]


def steps_between(least: int, most: int) -> list[int]:
    """Returns the first number of each step; a step is as many times the one before, as few files change very often."""
    ratio = (most + 1) / least
    return sorted({round(least * ratio ** (step / STEPS)) for step in range(STEPS)})


def ranges(first_of: list[int], most: int) -> list[tuple[int, str]]:
    """Returns the texts of the steps in a key."""
    ends = [*(first - 1 for first in first_of[1:]), most]
    said = [
        str(first) if first == last else f"{first}–{last}" for first, last in zip(first_of, ends)
    ]
    return list(enumerate(said, 1))


def draw_coupling(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    names = sorted({row[0] for row in rows} | {row[1] for row in rows})
    place = {name: at for at, name in enumerate(names)}
    for file, other, support, commits, confidence in rows:
        step = 1 + min(STEPS - 1, int(STEPS * confidence))
        (shape,) = axes.bar(
            place[other], 0.94, width=0.94, bottom=place[file] - 0.47, color=ROLES[f"q{step}"],
            edgecolor=ROLES["edge"], linewidth=0.6,
        )  # fmt: skip
        canvas.mark(
            shape,
            f"{other} changed in {support} of the {commits} commits that changed {file}: {confidence:.0%}",
        )
        axes.text(
            place[other], place[file], f"{100 * confidence:.0f}", fontsize=7, ha="center",
            va="center", color=ROLES[f"on{step}"],
        )  # fmt: skip
    axes.set_yticks(range(len(names)), [name_of(name) for name in names])
    axes.set_xticks(
        range(len(names)), [name_of(name, 18) for name in names], rotation=40, ha="right"
    )
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    most = max(rows, key=lambda row: (row[2], row[4]))
    return f"{harmless(most[0])} and {harmless(most[1])} changed together most often, in {most[2]} commits."


def draw_owners(canvas: Canvas, rows: Rows) -> str:
    names = list(dict.fromkeys(row[0] for row in rows))
    total: dict[str, int] = {}
    for _, author, lines, *_ in rows:
        total[author] = total.get(author, 0) + lines
    people = sorted(total, key=lambda author: (author == "(others)", -total[author], author))
    lines_of = {(directory, author): lines for directory, author, lines, *_ in rows}
    before = [0] * len(names)
    for at, author in enumerate(people):
        role = "others" if author == "(others)" else f"s{at + 1}"
        label = cut(harmless(author), 24)
        for place, directory in enumerate(names):
            lines = lines_of.get((directory, author), 0)
            if not lines:
                continue
            (shape,) = canvas.axes.barh(
                place, lines, left=before[place], height=0.7, color=ROLES[role],
                edgecolor=ROLES["paper"], linewidth=0.5, label=label,
            )  # fmt: skip
            label = "_"
            before[place] += lines
            canvas.mark(shape, f"{directory}: {number(lines)} lines of {author}")
    named_rows(canvas, names)
    canvas.figure.legend(loc="outside upper right", ncols=4)
    said = f"{harmless(people[0])} wrote {total[people[0]] / sum(total.values()):.0%} of the lines of these directories."
    return said + of_a_sample(rows[0])


def of_a_sample(row: tuple[Any, ...]) -> str:
    """Returns what a sentence adds where the blame is of a part of the files; a row ends with their count and that of all."""
    *_, read, files = row
    if read == files:
        return ""
    return (
        f" A sample: blame of {number(read)} of the {number(files)} files, chosen by a hash of their paths; "
        "the lines are theirs alone."
    )


def draw_age(canvas: Canvas, rows: Rows) -> str:
    axes = canvas.axes
    days = {row[4]: row[0] for row in rows}
    count = max(days) + 1
    ages = sorted({(row[1], row[2]) for row in rows})
    before = dict.fromkeys(days, 0)
    for at, (first, last) in enumerate(ages):
        # The oldest lines are the darkest; where there are few steps they are apart.
        step = STEPS - at * (STEPS - 1) // max(1, len(ages) - 1)
        label = years = str(first) if first == last else f"{first}–{last}"
        for point, since, _, lines, part, *_ in rows:
            if since != first:
                continue
            (shape,) = axes.bar(
                part, lines, bottom=before[part], width=0.84,
                color=ROLES[f"q{step}"], edgecolor=ROLES["edge"], linewidth=0.6, label=label,
            )  # fmt: skip
            label = "_"
            before[part] += lines
            canvas.mark(shape, f"{point}: {number(lines)} lines of {years}")
    draw_parts(canvas, days, count)
    canvas.figure.legend(loc="outside right upper", reverse=True, title="written in")
    latest = [row for row in rows if row[4] == count - 1]
    share = latest[0][3] / sum(row[3] for row in latest)
    first, last = latest[0][1:3]
    years = str(first) if first == last else f"{first} to {last}"
    said = f"Of the lines of {latest[0][0]}, {share:.0%} are from {years}."
    return said + of_a_sample(latest[0])


def bars_high(rows: Rows) -> float:
    return 1.3 + 0.26 * len({row[0] for row in rows})


DRAWN: dict[str, tuple[Callable[[Rows], float], Callable[[Canvas, Rows], str]]] = {
    "churn": (lambda _: 3.4, draw_churn),
    "growth": (lambda _: 3.8, draw_growth),
    "people": (lambda _: 3.0, draw_people),
    "hours": (lambda _: 2.8, draw_hours),
    "directories": (bars_high, draw_directories),
    "hotspots": (lambda _: 5.0, draw_hotspots),
    "coupling": (lambda rows: 2.2 + 0.3 * len({row[0] for row in rows}), draw_coupling),
    "owners": (bars_high, draw_owners),
    "age": (lambda _: 3.8, draw_age),
}
