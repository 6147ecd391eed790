"""An error as a person reads it: the code and the sentence, about what was typed."""

import re

import click

# What DuckDB puts before a message.
CLASS = re.compile(r"(?:[A-Z]\w*(?: [A-Z]\w*)* Error: )+")
CODE = re.compile(r"[a-z_]+: ")
# What it puts after one: the line of the query, and a mark below it.
PLACE = re.compile(r"\n+LINE \d+: (.*)\n.*", re.DOTALL)


def said(error: BaseException) -> str:
    """Returns the message of an error of DuckDB's or redline's.

    What is said of a query stays only where a person has typed that query.
    """
    context = click.get_current_context(silent=True)
    meta = context.meta if context is not None else {}
    text, query = str(error), meta.get("query", "")
    sentence = CLASS.sub("", text, count=1) if CLASS.match(text) else text
    if CODE.match(sentence) or not query:
        text = sentence
    place = PLACE.search(text)
    if place is not None and (CODE.match(text) or place[1].strip(".") not in query):
        text = text[: place.start()]
    for ours, typed in meta.get("typed", {}).items():
        text = text.replace(ours, typed)
    return text


def call_it(ours: str, typed: str) -> str:
    """Returns what is asked for in place of what was typed, and remembers to name that in an error."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault("typed", {})[ours] = typed
    return ours
