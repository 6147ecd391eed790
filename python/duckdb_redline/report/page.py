"""The page of a report."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ..command.changes import plural
from ..server.web.elements import document, node, style_of
from ..visible import harmless
from .charts import chart
from .questions import Asked, Question, Summary
from .vectors import Styles, embedded


def page(name: str, asked: Asked, summary: Summary, questions: list[Question]) -> bytes:
    """Returns the page, which needs no other file, no script and no connection."""
    styles = Styles()
    sections = [section(question, styles) for question in questions]
    title = f"The history of {harmless(name)}"
    style = style_of(__package__) + styles.sheet()
    content = [node("h1", title), facts(asked, summary), contents(questions), *sections, foot()]
    return document(title, *content, inline=(style, None))


def facts(asked: Asked, summary: Summary) -> Element:
    said = {
        "Revision": f"{harmless(asked.rev)}, {summary.commit[:12]}",
        "Commits": f"{summary.commits:,} of {plural(summary.authors, 'author')}, half of them of {summary.half:,}",
        "Each month": f"{plural(round(summary.commits / max(summary.days / 30.44, 1)), 'commit')}",
        "From": f"{summary.first} to {summary.last}",
        "Files": f"{summary.files:,}",
    }
    if summary.release:
        said["Latest release"] = f"{harmless(summary.release)} of {summary.released}"
    if asked.paths:
        said["Pictures of"] = harmless("  ".join(asked.paths))
    rows = [part for term, text in said.items() for part in (node("dt", term), node("dd", text))]
    return node("dl", *rows)


def contents(questions: list[Question]) -> Element:
    links = (
        node("li", node("a", question.title, href=f"#{question.name}")) for question in questions
    )
    return node("nav", node("ul", *links), aria_label="Pictures")


def section(question: Question, styles: Styles) -> Element:
    """Returns a question: its picture, then for everybody its rows and its SQL."""
    drawn = chart(question)
    if question.failure is not None:
        shown = node(
            "p", f"This picture is missing: {harmless(question.failure)}", class_="nothing"
        )
    elif drawn is None:
        shown = node("p", "The history has nothing of it.", class_="nothing")
    else:
        picture = embedded(drawn, question.name, question.title, styles)
        # Of a narrow screen, on which a picture would be too small to read.
        hint = node(
            "p", "The picture is wider than the screen: it moves sideways.", class_="mark-hint"
        )
        shown = node("div", hint, node("figure", picture, node("figcaption", drawn.sentence)))
    rows = node(
        "details",
        node("summary", "The row" if len(question.rows) == 1 else f"The {len(question.rows)} rows"),
        node("div", table(question), class_="wide"),
    )
    sql = node(
        "details", node("summary", "The SQL"), node("pre", node("code", question.sql), tabindex="0")
    )
    return node(
        "section", node("h2", question.title), node("p", question.text), shown, rows, sql,
        id=question.name,
    )  # fmt: skip


def table(question: Question) -> Element:
    head = node("tr", *(node("th", column, scope="col") for column in question.columns))
    body = (
        node("tr", *(cell(value, at == 0) for at, value in enumerate(row))) for row in question.rows
    )
    return node(
        "table",
        node("caption", question.title, class_="spoken"),
        node("thead", head),
        node("tbody", *body),
    )


def cell(value: object, is_first: bool) -> Element:
    if isinstance(value, int | float):
        return node("td", f"{value:,}", class_="number")
    text = "" if value is None else harmless(str(value))
    return node("th", text, scope="row") if is_first else node("td", text)


def foot() -> Element:
    return node(
        "footer",
        node(
            "p",
            "Made by redline report. The SQL runs in a clone: redline sql, or DuckDB with redline and its macros.",
        ),
    )
