#!/usr/bin/env python3
"""Draws the pictures of the documents into docs/pictures: two of a report about a clone of ripgrep, and a terminal.

Usage: draw_pictures.py EXTENSION [RIPGREP]; without a clone, the terminal alone. Wants matplotlib.
"""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/python/support")]

import repositories

import duckdb_redline

# What docs/analytics.md shows, and the revision that it is about.
DRAWN, REV = ("age", "hotspots"), "14.1.1"
COMMANDS = ("stat HEAD~1 HEAD", "diff HEAD~1 HEAD -- README.md hello.py")
COLUMNS, CELL, LINE = 74, 8.0, 19
# The colours of a terminal, for light and for dark.
STYLE = (
    "text{font:13px ui-monospace,monospace;fill:#1c1e21;white-space:pre}.page{fill:#f6f7f9}.b{font-weight:700}"
    ".c31{fill:#b3261e}.c32{fill:#14713d}.c33{fill:#7a5900}.c36{fill:#0b6b7a}.c7{font-weight:700;text-decoration:underline}"
    "@media(prefers-color-scheme:dark){text{fill:#e8eaed}.page{fill:#15171a}.c31{fill:#ff8f87}.c32{fill:#66d28f}"
    ".c33{fill:#e5c15a}.c36{fill:#69cfe0}}"
)
CODE = re.compile("\x1b\\[([0-9;]*)m")


def on_a_terminal(extension: Path, folder: Path, words: str) -> str:
    """Returns what the command prints on a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "duckdb_redline", "--extension", extension, "--no-pager"]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "python"),
        "COLUMNS": str(COLUMNS),
        "LINES": "50",
        "TERM": "xterm",
    }
    process = subprocess.Popen(
        [*command, *words.split()], cwd=folder, env=environment, stdout=theirs
    )
    os.close(theirs)
    read = b""
    try:
        while part := os.read(ours, 1 << 16):
            read += part
    except OSError:
        pass  # Linux says so when the other end is closed.
    os.close(ours)
    if process.wait():
        raise SystemExit(f"redline {words} failed")
    return read.decode().replace("\r\n", "\n")


def terminal(extension: Path) -> str:
    """Returns a picture of a terminal in which the commands ran."""
    folder = repositories.fixture("readme-edits")
    shown = [
        f"\x1b[1m$ redline {words}\x1b[0m\n{on_a_terminal(extension, folder, words)}"
        for words in COMMANDS
    ]
    lines = "\n".join(shown).rstrip("\n").split("\n")
    width, height = int(COLUMNS * CELL + 32), len(lines) * LINE + 28
    texts = (
        f'<text x="16" y="{14 + LINE * (at + 0.75):.1f}">{spans(line)}</text>'
        for at, line in enumerate(lines)
        if line
    )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" aria-labelledby="t">',
        f'<title id="t">{escape(" and ".join(f"redline {words}" for words in COMMANDS))} in a terminal</title>',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" rx="8" class="page"/>',
        *texts,
        "</svg>\n",
    ])  # fmt: skip


def spans(line: str) -> str:
    """Returns a line in which codes of colours are classes."""
    made: list[str] = []
    style: list[str] = []
    for at, part in enumerate(CODE.split(line)):
        if at % 2:
            for code in part.split(";"):
                style = [] if code in ("", "0") else [*style, "b" if code == "1" else f"c{code}"]
        elif part:
            text = escape(part)
            made.append(f'<tspan class="{" ".join(style)}">{text}</tspan>' if style else text)
    return "".join(made)


def report_pictures(extension: Path, clone: str) -> dict[str, bytes]:
    """Returns the pictures of a report that a document shows."""
    from duckdb_redline.report.charts import chart
    from duckdb_redline.report.questions import Asked, Question, questions
    from duckdb_redline.report.vectors import standalone

    made = {}
    with duckdb_redline.connect(extension=extension) as con:
        for name, title, text, sql in questions(Asked(REV, clone), days=3000):
            if name in DRAWN:
                result = con.execute(sql)
                columns = [column[0] for column in result.description]
                drawn = chart(Question(name, title, text, sql, columns, result.fetchall()))
                made[name] = standalone(drawn, name, f"{title}: ripgrep {REV}")
    return made


def main() -> None:
    extension = Path(sys.argv[1]).resolve()
    PICTURES.mkdir(exist_ok=True)
    made = {"terminal": terminal(extension).encode()}
    if len(sys.argv) > 2:
        made |= report_pictures(extension, sys.argv[2])
    for name, picture in made.items():
        (PICTURES / f"{name}.svg").write_bytes(picture)
        print(f"docs/pictures/{name}.svg  {len(picture) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
