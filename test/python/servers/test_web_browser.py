"""The page of approvals in a real browser without a window: used by keyboard and screen reader, and attacked by other sites."""

import itertools
import json
import pathlib
import urllib.parse

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import waiting
from axe import needs_axe, violations
from chromium import BROWSER, Chromium, site
from served import Document, Served, words

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium (Debian: apt-get install chromium)"
)
NUMBERS = itertools.count(1)
ENTER = ("Enter", 13, "\r")
# What the policy of the page names as it stops something.
STOPPED = [
    "script-src-elem",
    "script-src-attr",
    "style-src-attr",
    "img-src",
    "frame-src",
    "style-src-elem",
    "form-action",
    "connect-src",
]


@pytest.fixture(scope="module")
def served(extension, tmp_path_factory):
    made = Served.with_page(extension, tmp_path_factory)
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Chromium(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def nothing_waits(served):
    yield
    served.decline_all()


@pytest.fixture
def path(served) -> pathlib.Path:
    return served.new_file()


@pytest.fixture
def elsewhere():
    """Serves the pages of another site."""
    pages = {}
    with site(pages) as address:
        yield pages, address


def edit(path: pathlib.Path, new: str = "2") -> tuple[str, dict]:
    return "edit_file", {"path": f"workspace/{path.name}", "old_string": "two", "new_string": new}


# Promise (page): It is used by the keyboard alone, and a screen reader is told everything. With
# `test_a_screen_reader_is_told_everything`.
def test_a_change_is_approved_by_the_keyboard_alone(served, browser, path):
    call = served.call(*edit(path))
    served.waiting()
    browser.go(served.address("approve"))
    browser.focus("Edit workspace/")
    browser.press(*ENTER)
    browser.until("document.forms.length === 2 && document.readyState === 'complete'")
    assert (
        browser.value("getComputedStyle(document.querySelector('td.del')).backgroundColor")
        != "rgba(0, 0, 0, 0)"
    ), "there is no style"
    way = browser.focus("Yes, approve")
    assert "View the full file" in way and "this change, once" in way
    # What has the focus is outlined.
    assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press(*ENTER)
    browser.until("document.querySelector('[role=status]')?.innerText === 'Approved.'")
    assert not call.result(120).is_error and path.read_text() == "one\n2\n"


def test_a_screen_reader_is_told_everything(served, browser, path):
    served.call(*edit(path, "t\u202eo"))
    (link,) = served.waiting()
    browser.go(served.address("approve") + link)
    said = browser.spoken()
    for wanted in [
        ("heading", f"Edit: workspace/{path.name} (line 2)"), ("button", "Yes, approve"), ("button", "No, decline"),
        ("table", "The change"), ("group", "Yes is for"), ("radio", "this change, once"), ("radio", "every such call of this client that only changes the content of files"),
        ("columnheader", "Old text"), ("columnheader", "New text"), ("rowheader", "2"), ("region", "Your answer"), ("main", ""),
    ]:  # fmt: skip
        assert wanted in said, (wanted, [one for one in said if one[0] == wanted[0]])
    texts = [name.strip() for role, name in said if role == "StaticText"]
    assert "removed:" in texts and "added:" in texts and "<U+202E>" in texts
    assert browser.value("document.documentElement.lang") == "en" and browser.value(
        "document.title"
    ).startswith("Edit: workspace/")


def test_nothing_of_a_payload_runs_or_loads(served, browser):
    path = served.folder / "<img src=x onerror=window.pwned=1>.txt"
    texts = [
        "<script>window.pwned=1</script>", "</bdo></pre></td><script>window.pwned=1</script>", "<img src=http://evil.example/x onerror=window.pwned=1>",
        "<svg onload=window.pwned=1>", "<iframe src=javascript:window.pwned=1>", "<form action=http://evil.example><button>Yes, approve</button></form>",
        "<link rel=stylesheet href=http://evil.example/x>", "<meta http-equiv=refresh content='0; url=http://evil.example'>", "&lt;script&gt;",
    ]  # fmt: skip
    call = served.call(
        "write_file",
        {"path": f"workspace/{path.name}", "content": "".join(f"{text}\n" for text in texts)},
    )
    (link,) = served.waiting()
    browser.go(served.address("approve") + link)
    assert browser.value(
        "window.pwned === undefined && document.scripts.length === 0 && document.forms.length === 2"
    )
    assert (
        browser.value("document.querySelectorAll('img, svg, iframe, object, style, base').length")
        == 0
    )
    assert (
        browser.value("[...document.querySelectorAll('td.ins bdo')].map(e => e.textContent)")
        == texts
    )
    origin = "http://" + urllib.parse.urlsplit(served.address("approve")).netloc
    assert all(url.startswith(origin + "/") for url in browser.requested()), browser.requested()
    served.decline_all()
    assert words(call.result(120)).startswith("declined: ")


def test_the_policy_stops_an_injection(served, browser, elsewhere):
    """The control for the test before: were markup to get in, it would still not run or load."""
    pages, other = elsewhere
    browser.go(served.address("approve"))
    inject = """
        const add = (tag, given) => document.body.append(Object.assign(document.createElement(tag), given));
        add('script', {text: 'window.pwned = 1'});
        add('script', {src: OTHER + '/script'});
        add('img', {src: OTHER + '/img'});
        add('div', {innerHTML: '<b style="color: red" onclick="window.pwned = 1">x</b>'});
        add('iframe', {src: OTHER + '/frame'});
        add('link', {rel: 'stylesheet', href: OTHER + '/sheet'});
        add('form', {action: OTHER + '/form', method: 'get', id: 'leak'});
        document.querySelector('b').click();
        document.getElementById('leak').submit();
        fetch(OTHER + '/fetch').catch(() => 'refused')
    """.replace("OTHER", json.dumps(other))
    browser.value(
        "window.stopped = []; document.addEventListener('securitypolicyviolation', e => window.stopped.push(e.effectiveDirective))"
    )
    browser.value(inject)
    for directive in STOPPED:
        browser.until(f"window.stopped.includes('{directive}')")
    assert (
        browser.value("window.pwned") is None
        and browser.value("getComputedStyle(document.querySelector('b')).color") != "rgb(255, 0, 0)"
    )
    assert pages.get("asked", []) == [], pages
    assert "Content Security Policy" in json.dumps(
        browser.events
    ) or "Content-Security-Policy" in json.dumps(browser.events)


def test_another_site_that_knows_the_address_can_not_decide(served, browser, elsewhere, path):
    """Even with the token and the seal: no form, no frame and no request of another site counts."""
    pages, other = elsewhere
    call = served.call(*edit(path))
    (link,) = served.waiting()
    address = served.address("approve")
    yes = Document(served.request(link).text).form("yes")
    inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in yes.items())
    pages["/form"] = (
        f'<form id=f method=post action="{address}decide">{inputs}</form><script>document.getElementById("f").submit()</script>'
    )
    pages["/frame"] = f'<iframe src="{address}{link}" width=900 height=700></iframe>'
    pages[
        "/fetch"
    ] = f"""<script>fetch({json.dumps(address)} + "decide", {{method: "POST", mode: "no-cors", credentials: "include",
        headers: {{"content-type": "application/x-www-form-urlencoded"}}, body: {json.dumps(urllib.parse.urlencode(yes))}}}).then(
        () => {{ document.title = "sent" }}, () => {{ document.title = "failed" }})</script>"""
    browser.go(other + "/form")
    browser.until("document.body.innerText.includes('Another site may not send this.')")
    browser.go(other + "/frame")
    # The frame is there when the page is; what it shows may follow.
    shown = lambda: [
        one["frame"]["url"]
        for one in browser.do("Page.getFrameTree")["frameTree"].get("childFrames", [])
    ]
    waiting.until(lambda: shown() not in ([], [""], ["about:blank"]))
    assert shown() == ["chrome-error://chromewebdata/"]
    browser.go(other + "/fetch")
    browser.until("document.title === 'sent' || document.title === 'failed'")
    assert not call.done() and path.read_text() == "one\ntwo\n"
    # The control: the same fields from the page itself count.
    assert served.answer(yes).status == 303 and not call.result(120).is_error


def test_a_name_that_leads_to_this_machine_is_refused(served, browser, path):
    call = served.call(*edit(path))
    (link,) = served.waiting()
    address = urllib.parse.urlsplit(served.address("approve"))
    browser.go(f"http://evil.example:{address.port}{address.path}{link}")
    assert browser.value("document.body.innerText").startswith(
        "This is not the host of this server."
    )
    assert not call.done()


def test_a_proposal_appears_by_itself(served, browser, path):
    browser.go(served.address("approve"))
    assert browser.value("document.querySelector('h1').innerText") == "Nothing waits for you"
    call = served.call(*edit(path))
    browser.until(
        "document.querySelector('h1').innerText === '1 waits for you' && document.title.startsWith('1 waits')"
    )
    assert not call.done()


def test_the_texts_are_in_the_order_in_which_they_are_stored(served, browser):
    """A browser would draw Hebrew letters, and characters between them, from right to left."""
    path = served.folder / f"order{next(NUMBERS)}.txt"
    text = "x = 'אב', 12, 'גד'"
    served.call("write_file", {"path": f"workspace/{path.name}", "content": text + "\n"})
    (link,) = served.waiting()
    browser.go(served.address("approve") + link)
    places = browser.value("""(() => {
        const text = document.querySelector('td.ins bdo').firstChild, range = document.createRange();
        return [...text.data].map((_, at) => (range.setStart(text, at), range.setEnd(text, at + 1), range.getBoundingClientRect().left));
    })()""")
    assert len(places) == len(text) and places == sorted(places), places


@pytest.mark.parametrize("columns", [20, 80, 200])
def test_no_page_is_wider_than_its_window(served, browser, columns):
    name = f"a  {'long' * 20}{next(NUMBERS)}.txt"
    content = "x" * 500 + "\u202e\n" + "words " * 100 + "\n"
    (served.folder / name).write_text(content.replace("x", "y"))
    served.call("write_file", {"path": f"workspace/{name}", "content": content})
    (link,) = served.waiting()
    for page in ("", link):
        browser.go(served.address("approve") + page)
        assert browser.wider_than(columns) == 0


@needs_axe
def test_axe_finds_nothing_in_the_pages(served, browser, path):
    calls = [served.call(*edit(path, "2\u202e \t\r\n<b>"))]
    browser.go(served.address("approve"))
    browser.until("document.querySelector('a') !== null")
    assert violations(browser) == []
    (link,) = served.waiting()
    browser.value(f"location.href = {json.dumps(link)}")
    browser.until("document.forms.length === 2 && document.readyState === 'complete'")
    assert violations(browser) == []
    served.decline_all()
    assert [call.result(120).is_error for call in calls] == [True]
    browser.go(served.address("approve"))
    assert violations(browser) == []
