"""docs/benchmarks.md and its picture, from the results of one run."""

import math
import os
import platform
import subprocess
from xml.sax.saxutils import escape

import duckdb
from inputs import ROOT

# What redline may take at most, beside Python and DuckDB, in mebibytes.
MOST = 400
WIDTH, ROW, LABEL = 900, 26, 430

# The columns that come first.
PEERS = ("git", "libgit2", "GitPython")

# The picture of the README: what is mostly asked for, and one of the works in which git is as fast.
IN_BRIEF = (
    "line counts, 0.54.0 .. HEAD",
    "renames, 0.54.0 .. HEAD",
    "history with line counts, about 5,000 commits",
    "commits, all of cargo",
    "HEAD to WORKTREE, 100,000 unchanged files",
    "blame of all files of ripgrep",
)
STYLE = (
    "text{fill:#1c1e21}line{stroke:#1c1e21}.page{fill:#fff}.faster{fill:#2a9d5c}.slower{fill:#c8553d}"
    "@media(prefers-color-scheme:dark){text{fill:#e8eaed}line{stroke:#e8eaed}.page{fill:#15171a}}"
)

HEAD = """\
# Benchmarks

Written by `make bench`: one run, the contestants in turns, medians; [benches/README.md](../benches/README.md) has the
method. The columns with names are their time divided by redline's: above 1, redline is the faster one. redline is a query
in a running DuckDB, git its command, libgit2 (pygit2) and GitPython calls in a running Python. "own thread" is redline
once more, with `SET external_threads` to the number of processors: below 1, that is the faster way to run it in Python.
"redline" is the first question of a new connection, for which nothing is kept in the process, and "asked again" the same on a
connection that has answered it before. Names, histories and the lines of one file are added up in DuckDB; "fetchall" makes a
Python object of each of their values. "Arrow" and "Parquet" are other ways out of DuckDB than that: below 1, they are the
faster ones. For pairs of texts, "1 thread" and "4 threads" are redline with that many threads of DuckDB instead of one for
each processor.

{machine}

![redline beside git](benchmarks.svg)

"""

USED = """\
## Processor time

What the processors were busy for, the threads and processes of a contestant added up: other work on the machine changes it
less than the time above. The columns are read in the same way.

"""


def ratio(result, name: str, of: str = "redline") -> float:
    return result.seconds[name] / result.seconds[of]


def reached(result) -> str:
    """Returns the figures to reach, and whether they are."""
    said = []
    for name, least in result.work.figures.items():
        if name == "seconds":
            said.append((f"under {least * 1000:.0f} ms", result.seconds["redline"] < least))
            continue
        # `asked again, git`: another way to ask redline, against git.
        *way, other = name.split(", ")
        if way == ["processor"]:
            found = result.processor[other] / result.processor["redline"]
            said.append((f"{name} {least:.2g}", found >= least))
        elif other in result.seconds:
            said.append((f"{name} {least:.2g}", ratio(result, other, *way) >= least))
    return ", ".join(f"{words}: {'yes' if yes else '**no**'}" for words, yes in said) or "-"


def shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def line(result) -> str:
    others = "  ".join(
        f"{name} {ratio(result, name):.2f}" for name in result.seconds if name != "redline"
    )
    memory = " ".join(f"{name} {peak} MiB" for name, peak in result.peaks.items())
    return f"{result.work.title}: {shown(result.seconds['redline'])}  {others}  [{reached(result)}]  {memory}  ({result.rounds} rounds)"


def machine() -> str:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.strip()
    return f"{os.cpu_count()} processors ({platform.machine()}, {platform.system()}), DuckDB {duckdb.__version__}, {git}."


def table(results, title: str, cell, names) -> str:
    rows = [f"| {title} | redline | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    return "\n".join(
        rows
        + [
            f"| {r.work.title} | {cell(r, 'redline')} | {' | '.join(cell(r, name) for name in names)} |"
            for r in results
        ]
    )


def write(results, idle: int) -> None:
    measured = dict.fromkeys(name for result in results for name in result.seconds)
    names = [name for name in dict.fromkeys((*PEERS, *measured)) if name in measured]
    names.remove("redline")
    time_cell = lambda r, name: (
        ""
        if name not in r.seconds
        else shown(r.seconds[name])
        if name == "redline"
        else f"{ratio(r, name):.2f}"
    )
    peak_cell = lambda r, name: str(r.peaks.get(name, ""))
    text = HEAD.format(machine=machine())
    text += "## Time\n\n" + table(results, "work", time_cell, names) + "\n\n"
    used_cell = lambda r, name: (
        ""
        if name not in r.processor
        else shown(r.processor[name])
        if name == "redline"
        else f"{r.processor[name] / r.processor['redline']:.2f}"
    )
    text += USED + table(results, "work", used_cell, names) + "\n\n"
    text += "## Memory\n\nMebibytes at most, each answer in a process of its own (redline, libgit2 and GitPython with Python and what they\nreturn in it). No file is mapped: the resident memory is all there is. "
    text += f"Of redline's, {idle} MiB are Python and DuckDB,\nmeasured in a process that has asked nothing.\n\n"
    text += (
        table(
            results,
            "work",
            peak_cell,
            [name for name in names if any(name in result.peaks for result in results)],
        )
        + "\n"
    )
    # What benches/agent_session.py has measured, in a run of its own.
    text += "\n" + (ROOT / "benches" / "agent_session.md").read_text()
    (ROOT / "docs" / "benchmarks.md").write_text(text)
    bars = [(r.work.title, ratio(r, "git")) for r in results if "git" in r.seconds]
    (ROOT / "docs" / "benchmarks.svg").write_text(picture(bars))
    if brief := [bar for bar in bars if bar[0] in IN_BRIEF]:
        (ROOT / "docs" / "speed.svg").write_text(picture(brief))
    # What is to be reached is in benches/README.md; what was missed is for who runs this.
    for result in results:
        if result.work.figures:
            print(f"{result.work.title}: {reached(result)}")
        if result.peaks.get("redline", 0) - idle > MOST:
            print(
                f"{result.work.title}: {result.peaks['redline'] - idle} MiB instead of at most {MOST}"
            )


def picture(bars: list[tuple[str, float]]) -> str:
    """Returns bars of git's time divided by redline's, on a scale of logarithms; the line is 1."""
    logarithms = [math.log2(value) for _, value in bars]
    most, least = max(1.0, *logarithms) + 0.3, min(-1.0, *logarithms) - 0.3
    place = lambda logarithm: LABEL + (logarithm - least) / (most - least) * (WIDTH - LABEL - 20)
    height = ROW * (len(bars) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" font-family="sans-serif" font-size="13">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" class="page"/>',
        f'<text x="10" y="{ROW - 8}" font-weight="bold">git\'s time divided by redline\'s</text>',
    ]
    for index, ((title, value), logarithm) in enumerate(zip(bars, logarithms)):
        top = ROW * (index + 1)
        start, end = sorted([place(0), place(logarithm)])
        faster = "faster" if value >= 1 else "slower"
        parts.append(f'<text x="10" y="{top + 17}">{escape(title)}</text>')
        parts.append(
            f'<rect x="{start:.1f}" y="{top + 4}" width="{max(end - start, 1):.1f}" height="{ROW - 8}" class="{faster}"/>'
        )
        parts.append(f'<text x="{min(end + 4, WIDTH - 40):.1f}" y="{top + 17}">{value:.2f}</text>')
    parts.append(f'<line x1="{place(0):.1f}" x2="{place(0):.1f}" y1="{ROW}" y2="{height - ROW}"/>')
    parts.append(
        f'<text x="{place(0):.1f}" y="{height - 8}" text-anchor="middle">1: as fast as git</text></svg>'
    )
    return "\n".join(parts) + "\n"
