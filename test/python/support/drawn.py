"""Reads drawings of a change back: the box of a terminal, the form of a client and the page of a browser."""

import html.parser

NO_NEWLINE = "\\ No newline at end of file"


def text(row) -> str:
    return "".join(piece["text"] for piece in row["pieces"])


def told(rows, *kinds) -> list[str]:
    return [text(row) for row in rows if row["kind"] in kinds]


def lines(rows) -> list[tuple[bool, str]]:
    """Returns the lines that a box or a form draws for rows: whether it is redline's own, and its text with its sign."""
    has_signs = any(row["kind"] in ("hunk", "header") for row in rows)
    signs = {"removed": "-", "added": "+" if has_signs else "", "context": " "}
    own = ("header", "remark", "cut")
    return [
        (row["kind"] in own, (signs.get(row["kind"], "") + text(row)).rstrip())
        for row in rows
        if row["kind"] not in ("title", "warning", "question")
    ]


def unwrapped(rows: list[tuple[bool, bool, str]]) -> list[tuple[bool, str]]:
    """Joins rows of a terminal to lines: (is redline's own, continues the row before, text)."""
    found: list[tuple[bool, str]] = []
    for is_own, is_continued, shown in rows:
        if is_continued:
            found[-1] = (found[-1][0], found[-1][1] + shown)
        else:
            found.append((is_own, shown))
    return [(is_own, shown.rstrip()) for is_own, shown in found]


def box(page: str) -> tuple[list[tuple[bool, str]], str]:
    """Returns the lines of a box, and what stands below it."""
    drawn, _, below = page.partition("\n└")
    rows = []
    for row in drawn.split("\n")[2:-1]:
        assert row[0] in "│├" and row.endswith("│"), row
        goes_on = row[-2] == "…"
        shown = row[3:-2] if goes_on else row[3:-1].rstrip()
        rows.append((row[0] == "├", row[2] == "…", shown))
    return unwrapped(rows), below.partition("\n")[2]


def form(page: str) -> tuple[str, list[tuple[bool, str]], str]:
    """Returns the title of a form, its lines, and what stands below them."""
    rows = page.split("\n")
    start = rows.index("")
    end = len(rows) - 1 - rows[::-1].index("")
    title = "".join(row.removeprefix("…") if at else row for at, row in enumerate(rows[:start]))
    found = []
    for row in rows[start + 1 : end]:
        assert row[0] in " ─" and row[1] in " …", row
        found.append((row[0] == "─", row[1] == "…", row[2:]))
    return title, unwrapped(found), "\n".join(rows[end + 1 :])


class Table(html.parser.HTMLParser):
    """The rows of the tables of a page: ("own", text), or for each side its kind, its number and its text."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.rows, self.warnings, self.heading = [], [], ""
        self.place, self.number, self.skips = None, "", 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td" and given.get("class") in ("ins", "del", "same", "own", "gap"):
            self.place = [given["class"], self.number, ""]
            self.rows[-1].append(self.place)
            self.number = ""
        elif tag == "th":
            self.place = "number"
        elif tag == "p" and given.get("class") == "warning":
            self.warnings.append("")
            self.place = "warning"
        elif tag == "h1":
            self.place = "heading"
        elif tag == "span" and given.get("class") in ("sign", "spoken"):
            self.skips = 1
        elif tag == "em":
            self.rows[-1].append(["end", "", ""])
            self.skips = 1

    def handle_endtag(self, tag):
        if tag in ("td", "th", "p", "h1"):
            self.place = None
        if tag in ("span", "em"):
            self.skips = 0

    def handle_data(self, data):
        if self.skips or self.place is None:
            return
        if self.place == "number":
            self.number = data if data.isdigit() else ""
        elif self.place == "warning":
            self.warnings[-1] += data
        elif self.place == "heading":
            self.heading += data
        else:
            self.place[2] += data


def from_table(rows) -> list[tuple[str, str, str]]:
    """Returns the lines of a page in the order of a diff: kind, number, text."""
    found, removed, added = [], [], []

    def flush():
        found.extend(removed + added)
        removed.clear()
        added.clear()

    for row in rows:
        cells = [cell for cell in row if cell[0] != "end"]
        if not cells:
            continue
        for place, (kind, number, shown) in enumerate(cells):
            if kind == "del":
                removed.append(("removed", number, shown))
            elif kind == "ins":
                added.append(("added", number, shown))
            elif place == 0:
                flush()
                if kind != "gap":
                    found.append(("own" if kind == "own" else "context", number, shown))
    flush()
    return found


def for_table(rows) -> list[tuple[str, str, str]]:
    """Returns the same of the extension's rows."""
    found = []
    for row in rows:
        kind, shown = row["kind"], text(row)
        if (
            kind in ("title", "warning", "question", "hunk")
            or shown == NO_NEWLINE
            and kind == "remark"
        ):
            continue
        number = row["new_line"] if kind == "added" else row["old_line"]
        kind = "own" if kind in ("header", "remark", "cut") else kind
        found.append((kind, "" if number is None else str(number), shown))
    return found
