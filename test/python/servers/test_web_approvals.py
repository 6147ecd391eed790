"""Approvals on the page of `redline-mcp --approve web`: what a person sees, and what an attacker does not get."""

import contextlib
import itertools
import os
import pathlib
import re
import socket
import stat
import subprocess
import sys
import time
import urllib.parse
from concurrent.futures import FIRST_COMPLETED, wait

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import anyio.to_thread
import waiting
from served import COMMAND, ROOT, Document, Served, words

sys.path.insert(0, str(ROOT / "python"))

NUMBERS = itertools.count(1)
# Every element and attribute that the page has; anything else would be from a payload.
ELEMENTS = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "name", "content"}, "title": set(), "link": {"rel", "href"}, "body": set(),
    "main": set(), "h1": set(), "h2": set(), "p": {"class", "role"}, "ol": set(), "li": set(), "a": {"href"}, "dl": set(), "dt": set(),
    "dd": set(), "bdo": {"dir"}, "mark": set(), "span": {"class", "aria-hidden"}, "table": set(), "caption": set(), "thead": set(),
    "tbody": set(), "tr": set(), "th": {"scope"}, "td": {"class", "colspan"}, "pre": set(), "em": set(), "section": {"aria-label"},
    "form": {"method", "action"}, "input": {"type", "name", "value", "checked"}, "button": {"type"}, "fieldset": set(), "legend": set(),
    "label": set(),
}  # fmt: skip


@pytest.fixture(scope="module")
def served(extension, tmp_path_factory):
    made = Served.with_page(extension, tmp_path_factory)
    yield made
    assert made.close() == "", "stdout has what is the protocol's"


@pytest.fixture(autouse=True)
def nothing_waits(served):
    yield
    served.decline_all()


@pytest.fixture
def path(served) -> pathlib.Path:
    return served.new_file()


def edit(path: pathlib.Path, new: str = "2", old: str = "two") -> tuple[str, dict]:
    return "edit_file", {"path": f"workspace/{path.name}", "old_string": old, "new_string": new}


def test_a_person_sees_the_change_and_their_yes_writes_it(served, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    page = served.shown(link)
    assert (
        f"Edit: workspace/{path.name}" in page.text
        and "removed: two" in page.text
        and "added: 2" in page.text
    )
    assert path.read_text() == "one\ntwo\n" and not call.done()
    answer = served.answer(page.form("yes"))
    assert (answer.status, answer.headers["location"]) == (303, "./?said=approved")
    assert not call.result(120).is_error and path.read_text() == "one\n2\n"
    assert "Approved." in served.request("./?said=approved").text and served.waiting(0) == []


def test_a_no_is_final(served, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    assert served.answer(served.shown(link).form("no")).headers["location"] == "./?said=declined"
    assert words(call.result(120)).startswith("declined: ")
    # It is not asked again.
    assert (
        words(served.call(*edit(path)).result(120)).startswith("declined: ")
        and path.read_text() == "one\ntwo\n"
    )


# Promise (page): Without the whole token there is nothing, and it is on stderr alone; it is in no
# list of processes. With `test_the_address_is_on_stderr_alone_and_new_each_time`,
# `test_a_browser_is_opened_by_a_file_that_only_this_user_reads`.
def test_without_the_token_there_is_nothing(served, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    form = served.shown(link).form("yes")
    place = urllib.parse.urlsplit(served.address("approve"))
    token = place.path.strip("/")
    for wrong in (
        "",
        "/",
        token[:-1],
        token + "x",
        token.swapcase(),
        "x" * len(token),
        f"{token}%00",
        "%ff",
        "..%2f" + token,
    ):
        for tail in ("", link, "next", "style.css"):
            answer = served.request(address=f"http://{place.netloc}/{wrong}/{tail}")
            assert answer.status == 404 and "workspace" not in answer.text, (wrong, tail, answer)
        assert (
            served.request(
                address=f"http://{place.netloc}/{wrong}/decide", method="POST", body=form
            ).status
            == 404
        )
    assert not call.done() and path.read_text() == "one\ntwo\n"


# Promise (page): A request for another host name (DNS rebinding) or from another origin is
# refused, even one that knows the token and the seal: forms, frames and requests of another site
# decide nothing. With `test_a_form_of_another_site_is_refused`,
# `test_another_site_that_knows_the_address_can_not_decide`,
# `test_a_name_that_leads_to_this_machine_is_refused`.
def test_another_host_name_is_refused(served, path):
    served.call(*edit(path))
    (link,) = served.waiting()
    form = served.shown(link).form("yes")
    place = urllib.parse.urlsplit(served.address("approve"))
    port = place.port
    hosts = [
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port + 1}",
        f"127.0.0.1.evil.example:{port}",
        f"[::1]:{port}",
        "",
        None,
        [place.netloc, "evil.example"],
    ]
    for host in hosts:
        for method, target in (("GET", ""), ("GET", link), ("POST", "decide")):
            answer = served.request(target, method, form if method == "POST" else None, host=host)
            assert answer.status in (400, 421) and "workspace" not in answer.text, (host, answer)
    assert served.request(host=f"localhost:{port}").status == 200
    assert path.read_text() == "one\ntwo\n"


def test_a_form_of_another_site_is_refused(served, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    form = served.shown(link).form("yes")
    place = urllib.parse.urlsplit(served.address("approve"))
    own = f"http://{place.netloc}"
    for origin in (
        "http://evil.example",
        "null",
        f"https://{place.netloc}",
        f"http://127.0.0.1:{place.port + 1}",
        own + ".evil.example",
        "",
        None,
        [own, "http://evil.example"],
    ):
        answer = served.answer(form, origin=origin)
        assert answer.status == 403, (origin, answer)
    assert not call.done() and path.read_text() == "one\ntwo\n"
    # The control: the same form from the page itself counts.
    assert served.answer(form).status == 303 and not call.result(120).is_error


# Promise (page): A form counts once, for its answer to exactly the payload that was shown; not
# for another that waits, not when the same is asked again, not once the file has changed. With
# `test_an_old_form_does_not_answer_the_same_question_asked_again`,
# `test_a_yes_to_a_file_that_has_changed_since_is_refused`,
# `test_a_new_file_that_somebody_else_makes_meanwhile_is_not_overwritten`.
def test_a_seal_counts_for_one_answer_to_one_payload_once(served, path):
    other = path.with_name(f"other{next(NUMBERS)}.txt")
    other.write_text("one\ntwo\n")
    calls = [served.call(*edit(path)), served.call(*edit(other), number=1)]
    forms = [(page.form("yes"), page.form("no")) for page in map(served.shown, served.waiting(2))]
    (yes, no), (other_yes, _) = forms
    forged = [
        yes | {"seal": no["seal"]}, yes | {"seal": other_yes["seal"]}, yes | {"id": other_yes["id"]}, yes | {"seal": ""},
        yes | {"seal": "0" * 64}, yes | {"seal": yes["seal"][:-1]}, {"id": yes["id"], "answer": "yes"}, yes | {"id": ""}, yes | {"id": "x"},
        no | {"answer": "yes"},
    ]  # fmt: skip
    for form in forged:
        answer = served.answer(form)
        assert answer.status == 409 and "Nothing was approved." in answer.text, (form, answer)
    for form in (
        yes | {"answer": "maybe"},
        yes | {"scope": "unread"},
        yes | {"scope": "everything"},
    ):
        assert served.answer(form).status == 400, form
    assert path.read_text() == other.read_text() == "one\ntwo\n" and not any(
        call.done() for call in calls
    )
    # Of two waiting changes, a yes approves one.
    assert served.answer(yes).status == 303
    done, not_done = wait(calls, return_when=FIRST_COMPLETED)
    assert len(done) == len(served.waiting(1)) == 1
    assert sorted((path.read_text(), other.read_text())) == ["one\n2\n", "one\ntwo\n"], done
    assert served.answer(yes).status == 409 and not any(call.done() for call in not_done)
    assert served.answer(other_yes).status == 303
    assert [call.result(120).is_error for call in calls] == [False, False]


def test_an_old_form_does_not_answer_the_same_question_asked_again(served, path):
    before = path.read_text()
    call = served.call(*edit(path))
    (link,) = served.waiting()
    old = served.shown(link).form("yes")
    assert served.answer(old).status == 303 and not call.result(120).is_error
    path.write_text(before)
    again = served.call(*edit(path))
    (link,) = served.waiting()
    assert served.answer(old).status == 409 and not again.done() and path.read_text() == before
    assert (
        served.answer(served.shown(link).form("yes")).status == 303
        and not again.result(120).is_error
    )


def test_a_yes_to_a_file_that_has_changed_since_is_refused(served, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    form = served.shown(link).form("yes")
    path.write_text("zero\none\ntwo\n")
    answer = served.answer(form)
    assert answer.status == 409 and "Nothing was approved." in answer.text
    assert call.result(120).is_error and path.read_text() == "zero\none\ntwo\n"
    # What the call would do now is a new question, which no form of the old one answers.
    page = served.shown(link)
    assert (
        "zero" in page.text
        and served.answer(form).status == 409
        and path.read_text() == "zero\none\ntwo\n"
    )


def test_a_new_file_that_somebody_else_makes_meanwhile_is_not_overwritten(served):
    path = served.folder / f"made{next(NUMBERS)}.txt"
    call = served.call("write_file", {"path": f"workspace/{path.name}", "content": "ours\n"})
    (link,) = served.waiting()
    form = served.shown(link).form("yes")
    path.write_text("theirs\n")
    served.answer(form)
    assert call.result(120).is_error and path.read_text() == "theirs\n"


def parts_of(served, link: str) -> list[Document]:
    """Reads a change from its first part to its last."""
    parts = [served.shown(link)]
    while onward := [link for link in parts[-1].links if "part=" in link]:
        parts.append(served.shown(onward[0]))
    return parts


# Promise (page): Nothing is approved before all parts were shown, and nothing that cannot be
# shown completely. With `test_a_change_that_cannot_be_shown_whole_cannot_be_approved`.
def test_a_long_change_is_approved_after_all_of_its_parts(served):
    path = served.folder / f"long{next(NUMBERS)}.txt"
    content = "".join(f"line {number} end{number}.\n" for number in range(1300))
    call = served.call("write_file", {"path": f"workspace/{path.name}", "content": content})
    (link,) = served.waiting()
    parts = parts_of(served, link)
    assert len(parts) == 3 and [part.form("yes") is not None for part in parts] == [
        False,
        False,
        True,
    ]
    shown = "".join(part.text for part in parts)
    assert all(f"end{number}." in shown for number in range(1300))
    # No part is reached but through those before it, and no seal of a part is a yes.
    onward = urllib.parse.parse_qs(
        next(link for link in parts[0].links if "part=" in link).partition("?")[2]
    )
    ((approval_id,), (after,)) = onward["id"], onward["after"]
    for asked in (
        {"part": 3},
        {"part": 3, "after": after},
        {"part": 2, "after": after[::-1]},
        {"part": 2},
        {"part": 99, "after": after},
        {"part": "²"},
        {"part": "-1"},
    ):
        page = served.shown(f"change?{urllib.parse.urlencode({'id': approval_id} | asked)}")
        assert "Part 1 of 3" in page.text and page.form("yes") is None, asked
    assert (
        served.answer({"id": approval_id, "answer": "yes", "scope": "once", "seal": after}).status
        == 409
    )
    assert not call.done() and not path.exists()
    assert (
        served.answer(parts[-1].form("yes")).status == 303
        and not call.result(120).is_error
        and path.read_text() == content
    )


def test_what_no_page_can_show_is_refused_at_once(served):
    path = served.folder / f"large{next(NUMBERS)}.txt"
    call = served.call("write_file", {"path": f"workspace/{path.name}", "content": "x\n" * 600_000})
    # Nobody is asked, and nothing is left that somebody would have to decline.
    assert (
        words(call.result(120)).startswith("too_large: This is too large to be shown whole")
        and not path.exists()
    )
    assert served.waiting(0) == []


def test_the_list_and_the_page_say_how_large_a_change_is_and_since_when_it_waits(served, path):
    path.write_text("one\ntwo\n--- three\n")
    served.call(*edit(path, new="2\n2\n+++ 2", old="two\n--- three"))
    served.waiting()
    new = served.call(
        "write_file", {"path": f"workspace/new{next(NUMBERS)}.txt", "content": "a\nb\n"}
    )
    links = served.waiting(2)
    listed = Document(served.request().text).text
    assert re.search(r"\(\+3 −2, \d+ seconds? ago\)", listed) and re.search(
        r"\(\+2 −0, \d+ seconds? ago\)", listed
    ), listed
    for link, size in zip(links, ("+3 −2", "+2 −0")):
        page = served.shown(link).text
        assert f"Change{size}" in page.replace("\n", "") and re.search(
            r"Asked\d+ seconds? ago", page.replace("\n", "")
        ), page

    def ages():
        listed = Document(served.request().text).text
        return [int(age) for age in re.findall(r"(\d+) seconds? ago", listed)]

    waiting.until(lambda: min(ages()) >= 2, lambda: str(ages()))
    assert len(ages()) == 2 and not new.done()


def test_the_full_file_is_shown_on_demand_with_the_change_in_it(served):
    path = served.folder / f"full{next(NUMBERS)}.txt"
    path.write_text("".join(f"line {number}\n" for number in range(700)))
    call = served.call(*edit(path, new="changed", old="line 350\n"))
    (link,) = served.waiting()
    page = served.shown(link)
    assert (
        "line 340" not in page.text
        and "Unchanged lines are left out." in page.text
        and page.form("yes")
    )
    whole = parts_of(served, next(link for link in page.links if "view=whole" in link))
    text = "".join(part.text for part in whole)
    assert (
        len(whole) == 2
        and all(f"line {number}" in text for number in range(700))
        and "added: changed" in text
    )
    assert served.answer(whole[-1].form("yes")).status == 303 and not call.result(120).is_error


# Names and texts that would be markup, would run, or would turn what is beside them.
HOSTILE = [
    "<script>window.pwned = 1</script>", "<img src=x onerror=alert(1)>", "</pre></td></tr></table><form action=decide><button>Yes",
    "<!-- ", "]]>", "&lt;b&gt; &amp; &#x41; &quot;", "\" onmouseover=\"alert(1)", "' autofocus onfocus='alert(1)", "javascript:alert(1)",
    "<style>*{display:none}</style>", "<meta http-equiv=refresh content='0; url=http://evil.example'>", "<base href=//evil.example>",
    "\u202egnp.exe\u202c", "a\u2066b\u2069", "zero\u200bwidth", "\ufeffbom", "\u00a0space", "ta\tb", "end ", "end\t", "cr\r", "\x1b[2J", "\x07", "\x7f",
    "\u2028line", "\u2800", "\u3164", "\U000e0041tag", "e" + "\u0301" * 40, "⇥ ␣ ␍ <U+202E>", "א", "\ud7ff", "\ufffd", "\U0010ffff",
]  # fmt: skip


# Promise (page): No name or text becomes markup, runs or loads anything; were markup to get in,
# the policy would stop it. With `test_nothing_of_a_payload_runs_or_loads`,
# `test_the_policy_stops_an_injection`.
def test_hostile_names_and_texts_are_texts(served):
    """The page has its own elements alone, and no character that is not seen."""
    path = served.folder / "<b onclick=alert(1)>&amp;'\".txt"
    content = "".join(f"{text}\n" for text in HOSTILE)
    for old in (None, "<i>old</i>\n"):
        if old is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(old)
        call = served.call("write_file", {"path": f"workspace/{path.name}", "content": content})
        (link,) = served.waiting()
        answer = served.request(link)
        page = Document(answer.text)
        for tag, attributes in page.elements:
            assert tag in ELEMENTS and set(attributes) <= ELEMENTS[tag], (tag, attributes)
        assert len(page.forms) == 2 and {form["answer"] for form in page.forms} == {"yes", "no"}
        assert answer.text.isascii()
        for text in HOSTILE[:12]:
            assert text.rstrip() in page.text, text
        for number in (
            "202E",
            "202C",
            "2066",
            "200B",
            "FEFF",
            "00A0",
            "001B",
            "0007",
            "007F",
            "2028",
            "2800",
            "3164",
            "E0041",
            "10FFFF",
        ):
            assert f"<U+{number}>" in page.text, number
        assert all(c == "\n" or c.isprintable() for c in page.text), [
            c for c in page.text if not c.isprintable()
        ]
        assert "hidden characters are shown by number" in page.text
        served.answer(page.form("no"))
        assert words(call.result(120)).startswith("declined: ")


def test_what_seems_equal_is_told_apart(served, path):
    for before, after, shown in [
        ("a  b", "a\tb", ["␣␣", "⇥"]), ("end", "end ", ["end␣"]), ("x\r", "x", ["x␍"]), ("last", None, ["no newline at the end of the file"]),
    ]:  # fmt: skip
        path.write_bytes(f"first\n{before}\n".encode())
        wanted = f"first\n{before}" if after is None else f"first\n{after}\n"
        call = served.call("write_file", {"path": f"workspace/{path.name}", "content": wanted})
        (link,) = served.waiting()
        page = served.shown(link)
        assert all(text in page.text for text in shown), page.text
        assert served.answer(page.form("yes")).status == 303
        assert not call.result(120).is_error and path.read_bytes() == wanted.encode()


@pytest.mark.parametrize("scope, next_asks", [("once", True), ("path", False)])
def test_a_scope_is_what_the_person_has_chosen(served, path, scope, next_asks):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    assert (
        served.answer(served.shown(link).form("yes") | {"scope": scope}).status == 303
        and not call.result(120).is_error
    )
    after = served.call(*edit(path, new="3", old="2"))
    if next_asks:
        (link,) = served.waiting()
        served.answer(served.shown(link).form("no"))
    assert after.result(120).is_error is next_asks
    # It does not count for the other client.
    other = served.call(*edit(path, new="4", old="one"), number=1)
    (link,) = served.waiting()
    assert "client 2" in served.shown(link).text
    served.answer(served.shown(link).form("no"))
    assert words(other.result(120)).startswith("declined: ")


def test_a_call_that_was_cancelled_leaves_its_question(served, path):
    tool, arguments = edit(path)

    async def conversation(client):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, tool, arguments)
            await anyio.to_thread.run_sync(served.waiting)
            group.cancel_scope.cancel()

    served.run(conversation)
    (link,) = served.waiting()
    assert (
        served.answer(served.shown(link).form("yes")).status == 303
        and path.read_text() == "one\ntwo\n"
    )
    # The yes counts when the agent asks again.
    assert not served.call(tool, arguments).result(120).is_error and path.read_text() == "one\n2\n"


# Promise (page): No answer may be kept by a cache, framed, or sniffed; forms and heads of
# requests are bounded in size and time. With
# `test_a_request_without_a_form_of_the_page_is_refused`,
# `test_a_form_that_never_ends_is_given_up`, `test_a_connection_that_never_asks_is_closed`.
def test_every_answer_forbids_scripts_frames_and_caches(served, path):
    served.call(*edit(path))
    (link,) = served.waiting()
    answers = [
        served.request(target)
        for target in ("", link, "style.css", "change?id=x", "nothing", "./?said=<script>")
    ]
    answers += [
        served.answer({}),
        served.request("decide"),
        served.request(address=served.address("approve")[:-5] + "/"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert (
            policy.startswith("default-src 'none'; ")
            and "frame-ancestors 'none'" in policy
            and "script-src" not in policy
        )
        assert (
            "unsafe" not in policy
            and "base-uri 'none'" in policy
            and "form-action 'self'" in policy
        )
        assert (
            answer.headers["cache-control"] == "no-store"
            and answer.headers["x-frame-options"] == "DENY"
        )
        assert (
            answer.headers["x-content-type-options"] == "nosniff"
            and answer.headers["referrer-policy"] == "same-origin"
        )
        assert (
            "server" not in answer.headers
            and "<script" not in answer.text
            and "style=" not in answer.text
        )


def test_a_request_without_a_form_of_the_page_is_refused(served, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    yes = served.shown(link).form("yes")
    whole = urllib.parse.urlencode(yes)
    for body, headers, status in [
        (whole, {"content_type": "text/plain"}, 415), (whole, {"content_type": None}, 415), (whole, {"content_type": "application/json"}, 415),
        (whole + "&answer=no", {}, 400), (whole + "&id=x", {}, 400), ("x" * 5000, {}, 413), ("\xff", {}, 400), ("", {}, 409), ("a", {}, 400),
        ("&".join(f"a{number}=1" for number in range(20)), {}, 400),
    ]:  # fmt: skip
        assert served.request("decide", "POST", body, **headers).status == status, (
            body[:80],
            headers,
        )
    assert (
        served.request(
            "decide",
            "PUT",
            whole,
            origin=f"http://{urllib.parse.urlsplit(served.address('approve')).netloc}",
        ).status
        == 405
    )
    with contextlib.suppress(
        ConnectionError
    ):  # The answer may come while the request is still sent.
        assert served.request("x" * 200_000).status == 400
    assert not call.done() and path.read_text() == "one\ntwo\n"


def test_a_form_that_never_ends_is_given_up(monkeypatch):
    from starlette.requests import Request

    from duckdb_redline.server.web import site

    monkeypatch.setattr(site, "MAX_FORM_SECONDS", 0.1)

    async def receive():
        await anyio.sleep(0.02)
        return {"type": "http.request", "body": b"a", "more_body": True}

    headers = [(b"content-type", b"application/x-www-form-urlencoded")]
    answer = anyio.run(
        site.form_of, Request({"type": "http", "method": "POST", "headers": headers}, receive)
    )
    assert answer.status_code == 408


def test_a_connection_that_never_asks_is_closed(monkeypatch):
    from starlette.responses import PlainTextResponse

    from duckdb_redline.server import listening

    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(listening, "IDLE_SECONDS", 1)

    async def slow(scope, receive, send):
        # An answer may take longer than the question: a connection that came later is closed meanwhile.
        host, port = scope["server"]
        assert await anyio.to_thread.run_sync(ended, port) == b""
        await PlainTextResponse("answered")(scope, receive, send)

    def ended(port: int, *parts: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
            for part in parts:
                connection.sendall(part)
                time.sleep(0.1)  # So that they are not read as one; the answer is waited for below.
            return b"".join(iter(lambda: connection.recv(4096), b""))

    async def main():
        listener = listening.bound("127.0.0.1", 0)
        port = listener.getsockname()[1]
        whole = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"
        async with anyio.create_task_group() as group:
            server = listening.Listener(slow)
            group.start_soon(server.serve, [listener])
            found = [
                await anyio.to_thread.run_sync(ended, port, *parts)
                for parts in ([], [b"GET / HTTP"], [whole[:-2], b"x: "], [whole], [whole, b"GET"])
            ]
            server.should_exit = True
        return found

    nothing, torn, slowly, asked, asked_again = anyio.run(main)
    assert (
        nothing == torn == slowly == b""
        and b"answered" in asked
        and asked_again.count(b"answered") == 1
    )


def test_the_page_looks_by_itself_while_nothing_waits(served, path):
    assert served.request().headers["refresh"] == "1; url=next"
    answer = served.calls.submit(lambda: served.request("next"))
    # It waits while other pages are answered, until there is something to decide on.
    for _ in range(5):
        assert served.request().status == 200 and not answer.done()
    served.call(*edit(path))
    assert answer.result(120).status == 303 and len(served.waiting()) == 1
    assert "refresh" not in served.request().headers


def test_the_address_is_on_stderr_alone_and_new_each_time(served, extension, tmp_path):
    command = [
        *COMMAND,
        str(tmp_path),
        "--write",
        "--approve",
        "web",
        "--extension",
        str(extension),
    ]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, ""), done
    (line,) = done.stderr.splitlines()
    address = urllib.parse.urlsplit(line.removeprefix("redline-mcp: approve at "))
    other = urllib.parse.urlsplit(served.address("approve"))
    for one in (address, other):
        assert one.hostname == "127.0.0.1" and len(one.path.strip("/")) >= 43
    assert address.path != other.path


def test_a_browser_is_opened_by_a_file_that_only_this_user_reads(extension, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf "%s" "$*" > {seen}.new\ncp "${{1#file://}}" {seen}.html; stat -c %a "${{1#file://}}" > {seen}.mode\necho noise\nmv {seen}.new {seen}\n'
    )
    browser.chmod(0o755)
    command = [
        *COMMAND,
        str(tmp_path),
        "--write",
        "--approve",
        "web",
        "--open",
        "--extension",
        str(extension),
    ]
    server = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"BROWSER": f"{browser} %s"},
    )
    address = server.stderr.readline().removeprefix("redline-mcp: approve at ").strip()
    waiting.until(seen.exists)
    out, _ = server.communicate(timeout=30)
    assert out == "" and server.returncode == 0
    token = urllib.parse.urlsplit(address).path.strip("/")
    assert seen.read_text().startswith("file://") and token not in seen.read_text()
    assert (
        f"{address}" in pathlib.Path(f"{seen}.html").read_text()
        and int(pathlib.Path(f"{seen}.mode").read_text(), 8) == stat.S_IRUSR | stat.S_IWUSR
    )


# Promise (page): Tokens and seals are compared in constant time.
def test_tokens_and_seals_are_compared_in_constant_time():
    """Time itself is too noisy to test, so the sources are: each comparison with a secret is hmac's."""
    source = ROOT / "python/duckdb_redline/server"
    for file, words_of_it in (
        ("web/seals.py", "return hmac.compare_digest(given"),
        ("over_http.py", "if hmac.compare_digest(given, expected)"),
    ):
        assert words_of_it in (source / file).read_text()
    site = (source / "web/site.py").read_text()
    assert site.count("is_same(") == 3 and not re.search(
        r"[!=]= *self\.(token|seals)|(token|seal)\S* *[!=]=", site
    )
