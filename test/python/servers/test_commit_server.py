"""redline-mcp --commit: what it offers, how a person is asked about a commit, and a session from an edit to its commit."""

import json
import os
import re

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import in_memory
import mcp_types as types
from mcp import Client
from person import Person
from repositories import ROOT, git, git_text
from sandboxes import snapshot
from served import Served
from tool_calls import MODES

from duckdb_redline.server import command

MESSAGE = "Set x and y\n\nThe sum was wrong: see the issue."
CALL = {"message": MESSAGE, "what": ["app.py"]}
# What a person must see of that commit.
SEEN = [
    "Commit to the branch agents/one", "A. U. Thor <a@example.com>", "Set x and y", "The sum was wrong: see the issue.", "app.py",
    "x = 1", "x = 2", "y = 3", "y = 4",
]  # fmt: skip


@pytest.fixture
def repo(tmp_path):
    """A repository on a branch of agents, in which a person has changed two lines far apart."""
    made = tmp_path / "workspace"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    git(made, "config", "user.name", "A. U. Thor")
    git(made, "config", "user.email", "a@example.com")
    text = "x = 1\n" + "pass\n" * 30 + "y = 3\n"
    (made / "app.py").write_text(text)
    git(made, "add", ".")
    git(made, "commit", "-q", "-m", "first")
    git(made, "checkout", "-q", "-b", "agents/one")
    (made / "app.py").write_text(text.replace("x = 1", "x = 2").replace("y = 3", "y = 4"))
    return made


def ask(extension, repo, conversation, callback, *options, mode="auto"):
    async def main():
        server = in_memory.server(extension, str(repo), *options)
        with anyio.fail_after(180):
            async with Client(server, mode=mode, elicitation_callback=callback) as client:
                return await conversation(client)

    return anyio.run(main)


def answering(shown, yes=True, before=lambda: None):
    """Returns a person who reads all pages of a form, does something, and answers."""

    async def callback(context, params):
        shown.append(params.message)
        if "next" in params.requested_schema["properties"]:
            return types.ElicitResult(action="accept", content={"next": True})
        before()
        return types.ElicitResult(action="accept", content={"approve": yes})

    return callback


def text(result) -> str:
    return result.content[0].text


def head(repo) -> str:
    return git_text(repo, "rev-parse", "HEAD")


def check(repo, was, shown, yes, result):
    """Checks that all of a commit was shown, and that it was made where the answer was yes."""
    missing = [word for word in SEEN if word not in shown]
    assert not missing, (missing, shown)
    assert bool(result.is_error) != yes, text(result)
    if not yes:
        assert text(result).startswith("declined: ") and head(repo) == was
        assert git_text(repo, "status", "--porcelain") == " M app.py"
        return
    assert git_text(repo, "rev-parse", "HEAD~1") == was and head(repo) in text(result)
    assert git_text(repo, "log", "-1", "--format=%B") == MESSAGE
    assert git_text(repo, "status", "--porcelain") == ""


# -- the ways of asking ------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("yes", [True, False])
def test_the_forms_of_a_client_show_all_of_a_commit(extension, repo, mode, yes):
    was, shown = head(repo), []

    async def conversation(client):
        return await client.call_tool("GitCommit", CALL)

    result = ask(extension, repo, conversation, answering(shown, yes), "--commit", mode=mode)
    check(repo, was, "".join(shown), yes, result)


@pytest.mark.parametrize("yes", [True, False])
def test_the_terminal_shows_all_of_a_commit(extension, repo, yes):
    was, person, results = head(repo), Person(rows=150), []

    async def conversation(client):
        async def call():
            results.append(await client.call_tool("GitCommit", CALL))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            found = await person.sees(r"\[(\w+)/n\] ")
            assert head(repo) == was
            person.types(f"{found[1]}\n" if yes else "n\n")
        return results[0]

    result = person.drive(extension, repo, conversation, "--commit")
    check(repo, was, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", person.said), yes, result)


def test_the_page_shows_all_of_a_commit_and_offers_a_yes_for_it_alone(extension, repo, tmp_path):
    was = head(repo)
    (tmp_path / "server").mkdir()
    served = Served(repo, extension, tmp_path / "server", "--commit", "--approve", "web")
    try:
        # The no of one client is none of the other's.
        for client, yes in enumerate([False, True]):
            call = served.call("GitCommit", CALL, client)
            (link,) = served.waiting()
            page = served.shown(link)
            assert head(repo) == was and "Make this commit?" in page.text
            assert "Repository" in page.text and "workspace" in page.text
            scopes = [given for tag, given in page.elements if given.get("name") == "scope"]
            assert [scope["value"] for scope in scopes] == ["once"]
            assert "this commit, once" in page.text and "every such call" not in page.text
            if not yes:
                staging = served.call("GitStage", {"what": ["app.py"]}, client)
                (other,) = set(served.waiting(2)) - {link}
                stage = served.shown(other)
                assert "Stage this?" in stage.text and "this stage, once" in stage.text
                assert served.answer(stage.form("no")).status == 303
                assert text(staging.result(120)).startswith("declined: ")
            assert served.answer(page.form("yes" if yes else "no")).status == 303
            check(repo, was, page.text, yes, call.result(120))
    finally:
        served.close()


# -- what is offered ---------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--write",), ("--commit",), ("--write", "--commit")])
def test_the_tools_of_commits_are_offered_where_the_host_says_so(extension, repo, options):
    async def conversation(client):
        names = {tool.name for tool in (await client.list_tools()).tools}
        calls = [("GitCommit", CALL), ("write_file", {"path": "workspace/new", "content": ""})]
        said = [text(await client.call_tool(*call)) for call in calls]
        return names, said, text(await client.call_tool("redline_capabilities", {}))

    was = head(repo)
    found = ask(extension, repo, conversation, answering([]), *options)
    names, (committed, written), capabilities = found
    commits, writes = "--commit" in options, "--write" in options
    assert ({"GitCommit", "GitStage"} <= names) == commits == ("commits on any" in capabilities)
    assert ("GitStage, GitCommit" in capabilities) == commits == (head(repo) != was)
    assert ({"write_file", "edit_file"} <= names) == writes == (repo / "new").exists()
    refused = ("permission_denied: ", "fs_denied: ")
    assert committed.startswith("Committed ") if commits else committed.startswith(refused)
    assert written.startswith("Created ") if writes else written.startswith(refused)


def test_branches_hooks_and_trailers_are_those_of_the_command(extension, repo):
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)

    async def conversation(client):
        return text(await client.call_tool("GitCommit", CALL)), text(
            await client.call_tool("redline_capabilities", {})
        )

    branches = ("--commit", "--commit-branches", "agents/*", "--commit-branches", "topic")
    refused, capabilities = ask(extension, repo, conversation, answering([]), *branches)
    assert refused.startswith("permission_denied: ") and "hook pre-commit" in refused
    assert "commits on agents/*, topic" in capabilities
    more = ("--commit-hooks", "skip", "--commit-trailer", "Assisted-by: an agent")
    shown = []
    made, _ = ask(extension, repo, conversation, answering(shown), *branches, *more)
    assert "not run: hook pre-commit" in made and "Not run: hook pre-commit" in "".join(shown)
    assert git_text(repo, "log", "-1", "--format=%B") == f"{MESSAGE}\n\nAssisted-by: an agent"
    assert not (repo / "ran").exists()
    git(repo, "checkout", "-q", "main")
    (repo / "app.py").write_text("x = 9\n")
    refused, _ = ask(extension, repo, conversation, answering([]), *branches, *more)
    assert "the branch 'main' may not be committed to" in refused


@pytest.mark.parametrize(
    "options, words",
    [
        (["--commit-branches", "agents/*"], "belong to --commit"),
        (["--commit-hooks", "skip"], "belong to --commit"),
        (["--commit-trailer", "A: b"], "belong to --commit"),
        (["--commit", "--http", "0", "--token-file", "x"], "--http and --commit need --approve"),
    ],
)
def test_options_that_do_not_fit_are_refused(repo, capsys, options, words):
    with pytest.raises(SystemExit) as ended:
        command.main([str(repo), *options])
    assert ended.value.code == 2 and words in capsys.readouterr().err


def test_a_trailer_that_is_none_is_an_error_of_the_start(extension, repo, capsys):
    given = [str(repo), "--extension", str(extension), "--commit", "--commit-trailer", "none"]
    assert command.main(given) == 1
    assert "git_trailer is 'none', not a trailer" in capsys.readouterr().err


# -- attacks -----------------------------------------------------------------------------------


def add_hook(repo):
    (repo / ".git/hooks").mkdir(exist_ok=True)
    hook = repo / ".git/hooks/commit-msg"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)


def change_index(repo):
    (repo / "other").write_text("staged\n")
    git(repo, "add", "other")


def change_config(repo):
    git(repo, "config", "user.email", "b@example.com")


def change_link(repo):
    os.rename(repo / ".git/HEAD", repo.parent / "HEAD")
    (repo / ".git/HEAD").symlink_to(repo.parent / "HEAD")


BETWEEN = {
    "a hook appears": add_hook,
    "the index changes": change_index,
    "the file changes": lambda repo: (repo / "app.py").write_text("x = 3\n"),
    "the branch moves": lambda repo: git(repo, "commit", "-q", "--allow-empty", "-m", "other"),
    "another branch is checked out": lambda repo: git(repo, "checkout", "-q", "-b", "agents/two"),
    "HEAD is detached": lambda repo: git(repo, "checkout", "-q", "--detach"),
    "HEAD becomes a link": change_link,
    "the author changes": change_config,
    "a merge begins": lambda repo: (repo / ".git/MERGE_HEAD").write_text(f"{head(repo)}\n"),
}


# Promise (commits): What changes between the view and the yes (a hook, the index, a file, HEAD, the author, a merge) ends
# the commit unmade, by any client, and what is made is what the forms have shown.
# With `test_the_commit_is_what_the_forms_have_shown`.
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("change", BETWEEN)
def test_what_changes_between_the_view_and_the_yes_ends_the_commit(extension, repo, mode, change):
    after, shown = [], []

    async def callback(context, params):
        shown.append(params.message)
        if not after:
            BETWEEN[change](repo)
            after.append(references(repo))
            return types.ElicitResult(action="accept", content={"approve": True})
        # Today's protocol asks again, about the commit as it would be now.
        return types.ElicitResult(action="accept", content={"approve": False})

    async def conversation(client):
        return await client.call_tool("GitCommit", CALL)

    result = ask(extension, repo, conversation, callback, "--commit", mode=mode)
    codes = ["stale", "permission_denied", "fs_denied", "invalid_args"]
    if mode == "auto" and len(shown) == 2:
        codes = ["declined"]
    elif mode == "legacy":
        codes.append("approval_required")
    assert result.is_error and text(result).split(":")[0] in codes, text(result)
    assert len(shown) <= 2
    assert after == [references(repo)] and not (repo / "ran").exists()


def references(repo):
    """Returns all references, HEAD and their logs, as files."""
    found = snapshot(repo / ".git")
    return {name: found[name] for name in found if re.match("HEAD|refs|logs|packed-refs", name)}


# Texts of an agent that imitate what a person is shown, and must not appear as a line of it.
HOSTILE = {
    "a message that imitates the diff": (MESSAGE + "\ndiff --git a/safe b/safe\n+safe", "diff --git a/safe"),
    "a message that imitates the head": (MESSAGE + "\n\nCommit to the branch safe\nAuthor: Somebody", "Author: Somebody"),
    "a message that hides its rest": (MESSAGE + "\n\x1b[8m\u202ehidden", "\u202e"),
    "a message with other line ends": (MESSAGE + "\r\u2028Author: Somebody\x85Parent: none", "\u2028"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_the_commit_is_what_the_forms_have_shown(extension, repo, case):
    message, forged = HOSTILE[case]
    shown = []

    async def conversation(client):
        return await client.call_tool("GitCommit", CALL | {"message": message})

    result = ask(extension, repo, conversation, answering(shown), "--commit")
    assert not result.is_error, text(result)
    lines = "".join(shown).split("\n")
    assert not [line for line in lines if line.lstrip("│ ").startswith(forged) and line[:4].strip()]
    assert not any(c in "".join(shown) for c in "\x1b\u202e\u2028\x85\r")
    # Each line that git shows of the change was shown, and no other.
    signs = re.compile(r"^ *\d* *([+-]) ?(x|y) = (\d)", re.MULTILINE)
    made = git_text(repo, "show", "--format=", "HEAD")
    assert sorted(re.findall(r"^([+-])(x|y) = (\d)", made, re.MULTILINE)) == sorted(
        signs.findall("".join(shown))
    )
    git(repo, "fsck", "--strict")


@pytest.mark.parametrize(
    "what",
    ["../x", "/etc/passwd", ":(top)../x", ".git/config", "x\0y", "a" * 40_000, "-A", "--all"],
)
def test_a_path_that_leads_elsewhere_is_refused_unasked(extension, repo, what):
    shown, was = [], head(repo)

    async def conversation(client):
        return [
            text(await client.call_tool("GitCommit", {"message": "m", "what": [what]})),
            text(await client.call_tool("GitStage", {"what": [what]})),
        ]

    for said in ask(extension, repo, conversation, answering(shown), "--commit"):
        assert re.match("(invalid_args|not_found|fs_denied|too_large): ", said), said
        assert len(said) < 2_000
    assert shown == [] and head(repo) == was and git_text(repo, "diff", "--cached") == ""


def test_a_git_directory_outside_is_refused_unasked(extension, repo):
    os.rename(repo / ".git", repo.parent / "outside")
    (repo / ".git").write_text(f"gitdir: {repo.parent / 'outside'}\n")
    shown, was = [], snapshot(repo.parent / "outside")

    async def conversation(client):
        return text(await client.call_tool("GitCommit", CALL))

    assert ask(extension, repo, conversation, answering(shown), "--commit").startswith("fs_denied")
    assert shown == [] and snapshot(repo.parent / "outside") == was


# -- the session of docs/mcp.md ----------------------------------------------------------------


def session() -> list[tuple[str, dict, list[str], list[str]]]:
    """Returns the calls of the document, each with lines that the person sees and lines of its answer."""
    block = re.search(
        r"<!-- session -->\n```\n(.*?)```", (ROOT / "docs/mcp.md").read_text(), re.DOTALL
    )
    calls = []
    for line in block[1].splitlines():
        if line.startswith("> "):
            tool, _, arguments = line[2:].partition(" ")
            calls.append((tool, json.loads(arguments), [], []))
        else:
            calls[-1][2 if line.startswith("    ") else 3].append(line.strip())
    return calls


def test_the_session_of_the_document_is_true(extension, repo):
    (repo / "app.py").write_text((repo / "app.py").read_text().replace("x = 2", "x = 1"))
    calls, forms = session(), []
    assert len(calls) >= 6

    async def conversation(client):
        ids = []
        for tool, arguments, seen, said in calls:
            given = json.loads(json.dumps(arguments).replace("<id>", ids[0] if ids else ""))
            forms.clear()
            result = await client.call_tool(tool, given)
            assert not result.is_error, text(result)
            assert [line for line in seen if line not in "".join(forms)] == [], forms
            assert [line for line in said if line not in text(result)] == [], text(result)
            ids = re.findall(r"^@@ .* \[(\w{40})\]$", text(result), re.MULTILINE) or ids

    options = ("--write", "--commit", "--commit-branches", "agents/*")
    trailer = ("--commit-trailer", "Assisted-by: an agent")
    ask(extension, repo, conversation, answering(forms), *options, *trailer)
    log = git_text(repo, "log", "--format=%s", "agents/one").splitlines()
    assert log == ["Set y to 4", "Set x to 2", "first"]
    assert git_text(repo, "status", "--porcelain") == ""
