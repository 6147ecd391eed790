"""The pages: the list of waiting changes, one change with its answers, and the result of an answer."""

from __future__ import annotations

import collections
from typing import Any
from urllib.parse import urlencode
from xml.etree.ElementTree import Element

from ...pieces import text_of
from .elements import append, document, drawn, node, table
from .question import View, Waiting
from .seals import Seals

# What the session of a server's one client is called.
ALONE = "client"
SCOPES = ("once", "path", "sandbox", "session")
# What a wider yes never covers.
ALWAYS_ASKED = "New files, removals, moves, permissions and programs are asked about each time."
QUESTIONS = {
    "write": "Write this file?",
    "edit": "Apply this edit?",
    "read": "Allow this read?",
    "patch": "Apply this patch?",
    "commit": "Make this commit?",
    "stage": "Stage this?",
    "unstage": "Unstage this?",
}
# How many lines of a file a patch adds and removes.
SIDES = ("lines_added", "lines_removed")
MESSAGES = {
    "approved": "Approved.",
    "declined": "Declined, which is final for that change.",
    "gone": "That no longer waits: it was answered, it has expired, or its file has changed since. Nothing was approved.",
}


def overview(waiting: list[Waiting], said: str | None) -> bytes:
    """Returns the list of waiting changes."""
    title = (
        f"{len(waiting)} wait{'s' if len(waiting) == 1 else ''} for you"
        if waiting
        else "Nothing waits for you"
    )
    entries = [entry(one) for one in waiting]
    message = node("p", MESSAGES[said], role="status") if said in MESSAGES else None
    more = node(
        "p",
        node("a", "Look again", href="./"),
        "" if waiting else ". This page also looks by itself.",
    )
    return document(
        f"{title} - redline",
        node("h1", title),
        message,
        node("ol", *entries) if entries else None,
        more,
    )


def entry(question: Waiting) -> Element:
    """Returns a line of the list: the operation, its size, and the time since when it waits."""
    link = node("a", drawn(question.said), href=f"change?{urlencode({'id': question.approval_id})}")
    known = [text for text in (counted(question.fields), asked(question)) if text]
    return node("li", link, f" ({', '.join(known)})" if known else None)


def change(question: Waiting, view: View, seals: Seals, part: int, whole: bool) -> bytes:
    """Returns one part of a change. Its yes comes with the last part, which is reached through all before it."""
    parts = count_parts(view)
    here = view.parts[part - 1]
    words = [node("h1", drawn(view.title)), facts(question, view), *warnings(view)]
    if here:
        caption = (
            f"Part {part} of {parts}"
            if parts > 1
            else "The whole file, with the change in it"
            if whole
            else "The change"
        )
        words.append(table(here, caption, view.has_old))
    if question.fields.get("type") == "edit" and not view.problem:
        other = {"id": question.approval_id} | ({} if whole else {"view": "whole"})
        words.append(
            node(
                "p",
                node(
                    "a",
                    "View the change alone" if whole else "View the full file",
                    href=f"change?{urlencode(other)}",
                ),
            )
        )
    if part < parts:
        onward = {
            "id": question.approval_id,
            "part": part + 1,
            "after": seals.part(question, view, part),
        } | ({"view": "whole"} if whole else {})
        link = node("a", f"Read on: part {part + 1} of {parts}", href=f"change?{urlencode(onward)}")
        words.append(
            node("p", link, ". You can say yes once you have seen all of it.", class_="warning")
        )
    words.append(answers(question, seals, may_approve=part == parts and not view.problem))
    words.append(node("p", node("a", "Back to what waits", href="./")))
    return document(f"{text_of(view.title)} - redline", *words)


def count_parts(view: View) -> int:
    return len(view.parts)


def count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def facts(question: Waiting, view: View) -> Element:
    """Returns the facts of a call besides its change."""
    fields = question.fields
    found = node("dl")
    what = "Repository" if fields.get("type") == "commit" else "File"
    known: dict[str, Any] = {
        what: drawn(view.name) if view.name else None,
        "Sandbox": fields.get("sandbox"),
        "Client": client if (client := question.session.split(":")[0]) != ALONE else None,
    }
    if fields.get("type") == "read":
        size = f"{count(fields['file_lines'], 'line')}, {count(fields['file_bytes'], 'byte')}"
        known["Content"] = size if fields["file_exists"] else "There is no such file."
    known |= {"Change": counted(fields), "Asked": asked(question)}
    for name, given in known.items():
        if given is not None and given != "":
            append(found, node("dt", name))
            append(found, node("dd", given if isinstance(given, Element) else str(given)))
    return found


def counted(fields: dict[str, Any]) -> str | None:
    """Returns how many lines a change adds and removes, as in +3 −1; None where the payload does not tell."""
    if files := fields.get("files"):
        added, removed = (sum(file[side] for file in files) for side in SIDES)
        return f"+{added} −{removed}"
    if diff := fields.get("unified_diff"):
        _, _, hunks = f"\n{diff}".partition("\n@@")
        signs = collections.Counter(line[:1] for line in hunks.split("\n"))
        return f"+{signs['+']} −{signs['-']}"
    if fields.get("type") in ("write", "write_large") and not fields["file_exists"]:
        return f"+{fields['content_lines']} −0"
    return None


def asked(question: Waiting) -> str | None:
    """Returns how long ago it was asked."""
    if question.age is None:
        return None
    seconds = int(question.age)
    return count(seconds, "second") + " ago" if seconds < 120 else f"{seconds // 60} minutes ago"


def warnings(view: View) -> list[Element]:
    """Returns the warnings for a person."""
    own = [node("p", view.problem, class_="warning")] if view.problem else []
    return [*own, *(node("p", drawn(text), class_="warning") for text in view.warnings)]


def action_of(fields: dict[str, Any]) -> str:
    """Returns what a call does: the type of its payload, or which of those that write into a git directory."""
    return str(fields.get("action", fields.get("type")))


def covered(fields: dict[str, Any]) -> tuple[str, ...]:
    """Returns what a yes of each scope is for."""
    if fields.get("type") == "read":
        return (
            "this read, once",
            "every read of this file",
            "every read in this sandbox",
            "every read of this client",
        )
    if fields.get("type") == "commit":
        return (f"this {action_of(fields)}, once",)
    files = fields.get("files") or [fields]
    here = "this file" if len(files) == 1 else f"exactly these {len(files)} files"
    content = "that only changes the content of"
    return (
        "this change, once",
        f"every such call {content} {here}",
        f"every such call {content} files in this sandbox",
        f"every such call of this client {content} files",
    )


def answers(question: Waiting, seals: Seals, may_approve: bool) -> Element:
    """Returns the two answers, each a form that counts for this payload alone."""
    asked = node(
        "section",
        node("h2", QUESTIONS.get(action_of(question.fields), "Allow this?")),
        aria_label="Your answer",
    )
    if may_approve:
        scopes = node("fieldset", node("legend", "Yes is for"))
        for scope, label in zip(SCOPES, covered(question.fields)):
            checked = {"checked": "checked"} if scope == "once" else {}
            append(
                scopes,
                node(
                    "label",
                    node("input", type="radio", name="scope", value=scope, **checked),
                    label,
                ),
            )
        if question.fields.get("type") not in ("read", "commit"):
            append(scopes, node("p", ALWAYS_ASKED))
        append(asked, form(question, seals.answer(question, "yes"), "yes", "Yes, approve", scopes))
    append(asked, form(question, seals.answer(question, "no"), "no", "No, decline"))
    return asked


def form(question: Waiting, seal: str, answer: str, label: str, *content: Element) -> Element:
    sent = {"id": question.approval_id, "answer": answer, "seal": seal}
    inputs = [node("input", type="hidden", name=name, value=given) for name, given in sent.items()]
    return node(
        "form",
        *inputs,
        *content,
        node("button", label, type="submit"),
        method="post",
        action="decide",
    )
