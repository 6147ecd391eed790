"""HTML as a tree of elements: text is always escaped, since nothing is ever pasted into markup."""

from __future__ import annotations

import base64
import hashlib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

if TYPE_CHECKING:
    from ...pieces import Piece
    from .lines import Cell, Row


def node(tag: str, *children: str | Element | None, **attributes: str) -> Element:
    """Makes an element; `class_` and `for_` are attributes whose names are words of Python."""
    made = Element(
        tag, {name.rstrip("_").replace("_", "-"): given for name, given in attributes.items()}
    )
    for child in children:
        append(made, child)
    return made


def append(parent: Element, child: str | Element | None) -> None:
    if isinstance(child, Element):
        parent.append(child)
    elif child and len(parent):
        parent[-1].tail = (parent[-1].tail or "") + child
    elif child:
        parent.text = (parent.text or "") + child


def document(
    title: str, *content: Element | None, inline: tuple[str, str | None] | None = None
) -> bytes:
    """Returns a page. Its style sheet is a separate file; if it must be one file, it has a style and perhaps a script in it, and no others."""
    head = node("head", node("meta", charset="utf-8"), node("title", title))
    if inline is None:
        append(head, node("link", rel="stylesheet", href="style.css"))
    else:
        style, script = inline
        append(
            head, node("meta", http_equiv="Content-Security-Policy", content=policy(style, script))
        )
        append(head, node("style", style))
        if script is not None:
            append(head, node("script", script, type="module"))
    append(head, node("meta", name="viewport", content="width=device-width, initial-scale=1"))
    return written(node("html", head, node("body", node("main", *content)), lang="en"))


def style_of(package: str) -> str:
    """Returns the style of the pages of a package: what all pages have in common, then their own."""
    shared = resources.files("duckdb_redline").joinpath("colours.css")
    own = resources.files(package).joinpath("style.css")
    return shared.read_text(encoding="utf-8") + own.read_text(encoding="utf-8")


def policy(style: str, script: str | None) -> str:
    """Returns a policy that allows exactly this style and this script."""
    allowed = {"style-src": style} | ({} if script is None else {"script-src": script})
    sources = "".join(f" {kind} 'sha256-{digest(text)}';" for kind, text in allowed.items())
    return f"default-src 'none';{sources} base-uri 'none'; form-action 'none'"


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def leading_to(address: str) -> bytes:
    """Returns a page that leads to another one."""
    head = node(
        "head",
        node("meta", charset="utf-8"),
        node("meta", http_equiv="refresh", content=f"0; url={address}"),
    )
    return written(
        node(
            "html",
            head,
            node("body", node("a", "Open the page of redline", href=address)),
            lang="en",
        )
    )


def written(page: Element) -> bytes:
    html: bytes = ElementTree.tostring(page, encoding="us-ascii", method="html")
    return b"<!DOCTYPE html>\n" + html


def drawn(pieces: Iterable[Piece]) -> Element:
    """Returns a line of pieces, in the order in which it is stored; changed words are emphasised."""
    line = node("bdo", dir="ltr")
    for kind, text, changed in pieces:
        shown = text if kind == "plain" else node("span", text, class_=kind)
        append(line, node("mark", shown) if changed else shown)
    return line


def table(rows: Iterable[Row], caption: str, has_old: bool) -> Element:
    """Returns a change: both sides, or the one of a new file."""
    titles = ["Old line", "Old text", "New line", "New text"] if has_old else ["Line", "Text"]
    head = node("thead", node("tr", *(node("th", title, scope="col") for title in titles)))
    body = node("tbody", *(line(row, has_old) for row in rows))
    return node("table", node("caption", caption), head, body)


def line(row: Row, has_old: bool) -> Element:
    if row.own is not None:
        said = "Unchanged lines are left out." if row.is_gap else drawn(row.own)
        over = "4" if has_old else "2"
        return node("tr", node("td", said, colspan=over, class_="gap" if row.is_gap else "own"))
    old = side(row.old, "del") if has_old else []
    return node("tr", *old, *side(row.new, "ins"))


def side(cell: Cell | None, change: str) -> list[Element]:
    """Returns the number and the text of one side of a row."""
    if cell is None:
        return [node("td", class_="none"), node("td", class_="none")]
    kind = change if cell.is_changed else "same"
    sign, spoken = {"del": ("−", "removed: "), "ins": ("+", "added: "), "same": (" ", "")}[kind]
    text = node(
        "pre", node("span", sign, class_="sign", aria_hidden="true"), node("span", spoken, class_="spoken") if spoken else None,
        drawn(cell.pieces),
    )  # fmt: skip
    end = None if cell.has_newline else node("em", "no newline at the end of the file")
    number = "" if cell.number is None else str(cell.number)
    return [node("th", number, scope="row"), node("td", text, end, class_=kind)]
