"""Repositories inside what a host allows, each with a way out (hostile.py): nothing outside is returned.

Two things hold for every answer, be it rows or an error: it contains no name, text or id from outside, and it is the
same whatever lies outside, be it the secret, something else, or nothing.
"""

import json
import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

import apart
import duckdb
import hostile
import pytest
import repositories
from lockdown import lockdown_script
from reading_calls import CALLS, OTHER_CALLS
from repositories import EMPTY

pytestmark = pytest.mark.slow

ATTACKS = hostile.attacks()
CHANGES = "SELECT * FROM file_changes(?, ?, ?)"
# What reads a directory of a sandbox, and nothing where there is none.
DIRECTORY_CALLS = [
    "SELECT redline_call('list_files', json_object('path', $repo, 'include_ignored', true))",
    "SELECT redline_call('search', json_object('path', $repo, 'pattern', 'e', 'include_ignored', true))",
]


class Question(NamedTuple):
    sql: str
    values: dict


def questions(
    world: hostile.World, attack: hostile.Attack, repo: str, thorough: bool
) -> list[Question]:
    """Returns what is asked of one hostile repository: `thorough` with each function, else with one for each reader."""
    place = f"{repo}/{attack.repo}" if attack.repo else repo
    tip, blob = world.ids[0], world.blob
    asked = []
    # About its own data and about what it should not have.
    for old, new, file in (("main~1", "main", "a.txt"), (EMPTY, tip, hostile.SECRET.file)):
        values = {"old": old, "new": new, "file": file, "repo": place}
        calls = CALLS.values() if thorough else [CALLS["file_changes"], CALLS["file_diff"]]
        asked += [
            Question(sql, {name: values[name] for name in values if f"${name}" in sql})
            for sql in calls
        ]
    asked += [
        Question(sql, {"repo": place})
        for sql in (
            OTHER_CALLS + DIRECTORY_CALLS if thorough else OTHER_CALLS[:1] + OTHER_CALLS[3:4]
        )
    ]
    revisions = [
        hostile.SECRET.branch, f"deep/er/{hostile.SECRET.branch}", *hostile.NEAR_MISSES[:2], "aside", f"{tip}~1", "main@{1}",
        *attack.revisions,
        # Without knowing an id: every id that begins with four digits.
        *(oid[:4] for oid in world.ids[:3]), blob[:4],
    ]  # fmt: skip
    return asked + [
        Question("SELECT * FROM file_changes('EMPTY', $new, $repo)", {"new": new, "repo": place})
        for new in revisions
    ]


def ask(con, question: Question) -> str:
    """Returns the rows or the error as text, without the values given."""
    try:
        shown = repr(con.execute(*question).fetchall())
    except duckdb.Error as error:
        shown = f"Error: {error}"
    for value in sorted(question.values.values(), key=len, reverse=True):
        if value not in ("HEAD", EMPTY, "main", "a.txt"):
            shown = shown.replace(value, "<given>")
        for oid in re.findall("[0-9a-f]{40}", value):
            shown = shown.replace(f"{oid[:2]}/{oid[2:]}", "<given>")
    return shown


def without_names_inside(shown: str, repo: pathlib.Path) -> str:
    """Drops the names of links that an attack has put below `objects`: they lie inside."""
    for path in re.findall(r"objects/([0-9a-f]{2}/[0-9a-f]{38})", shown):
        if (repo / ".git/objects" / path).is_symlink():
            shown = shown.replace(path, "<name inside>")
    return shown


def limited_by_duckdb(connect, extension, world):
    con = connect()
    con.execute(f"SET allowed_directories = ['{world.inside}']")
    con.execute("SET enable_external_access = false")
    return con, str(world.inside)


def limited_by_sandboxes(connect, extension, world):
    con = connect()
    con.execute(
        "SET GLOBAL redline_sandboxes = "
        + literal(json.dumps([{"name": "inside", "root": str(world.inside)}]))
    )
    return con, "inside"


def limited_by_the_lockdown(connect, extension, world):
    con = connect(load=False)
    con.execute(lockdown_script(extension, world.inside))
    return con, "workspace"


HOSTS = {
    "allowed_directories": limited_by_duckdb,
    "sandboxes": limited_by_sandboxes,
    "lockdown": limited_by_the_lockdown,
}


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> hostile.World:
    """Returns the world with the attack at `number` in inside/<number>."""
    world = hostile.World(tmp_path_factory.mktemp("attacks"))
    for number, attack in enumerate(ATTACKS):
        attack.make(world.clone(f"{number:03}"))
    return world


@pytest.fixture
def secret(world) -> hostile.World:
    """Returns the world with the secret outside, also after a test that failed."""
    world.hold("secret")
    return world


def asked_of(con, world: hostile.World, prefix: str, thorough: bool) -> list[dict[str, str]]:
    """Returns, for every attack, the answer to each question."""
    answers = []
    for number, attack in enumerate(ATTACKS):
        asked = questions(world, attack, f"{prefix}/{number:03}", thorough)
        repo = world.inside / f"{number:03}"
        answers.append(
            {str(question): without_names_inside(ask(con, question), repo) for question in asked}
        )
    assert con.execute("SELECT 42").fetchone() == (42,)
    return answers


KEPT: dict[str, list[dict[str, str]]] = {}


# Promise (outside): No function or tool reveals a text, name or id of a file outside, by rows,
# errors, suggestions or counts. The test tries 259 ways out under the three ways to limit a host:
# links in place of each file and directory of a repository (absolute, relative, with `..`,
# through a second link, below a linked directory); pointers (`.git`, `commondir`, alternates,
# submodules, linked worktrees, bare repositories) that contain CR, spaces, tabs, NUL, quotes or
# `..`; two names that differ in such an ending; nested stores; configuration; revisions that are
# paths; prefixes of ids.
@pytest.mark.parametrize("host", HOSTS)
def test_nothing_outside_comes_back(connect, extension, secret, host):
    """By rows, errors, suggestions or counts, from any function."""
    world = secret
    canaries = re.compile("|".join(map(re.escape, world.canaries())))
    con, prefix = HOSTS[host](connect, extension, world)
    wrong = []
    KEPT[host] = asked_of(con, world, prefix, thorough=host == "sandboxes")
    for attack, answers in zip(ATTACKS, KEPT[host], strict=True):
        leaks = [
            (question, leak[0])
            for question, shown in answers.items()
            if (leak := canaries.search(shown))
        ]
        if leaks:
            wrong.append(f"{attack.name}: {leaks[0][1]} from {leaks[0][0]}")
    assert not wrong, f"{len(wrong)} of {len(ATTACKS)} ways lead out:\n" + "\n".join(wrong)


# Promise (outside): No answer depends on what is outside: it is the same for a secret, for
# something else, and for nothing.
def test_an_answer_does_not_depend_on_the_outside(connect, extension, secret):
    """The same rows and words for a secret, for something else, and for nothing: so nothing can be guessed either."""
    world = secret
    found = []
    for holding in ("secret", "decoy", "nothing"):
        world.hold(holding)
        con, prefix = limited_by_sandboxes(connect, extension, world)
        # The test above has these answers already.
        known = KEPT.get("sandboxes") if holding == "secret" else None
        found.append(known or asked_of(con, world, prefix, thorough=False))
        con.close()
    wrong = []
    for attack, *answers in zip(ATTACKS, *found, strict=True):
        for question in answers[1]:
            shown = [each[question] for each in answers]
            if len(set(shown)) > 1:
                wrong.append(
                    f"{attack.name}: {question}\n"
                    + "\n".join(f"    {text[:300]}" for text in shown)
                )
                break
    assert not wrong, f"{len(wrong)} of {len(ATTACKS)} ways tell what lies outside:\n" + "\n".join(
        wrong
    )


# Promise (outside): Control: an ordinary clone is read as without limits, and without limits the
# same ways lead out as in git. With `test_without_limits_the_ways_lead_out_as_in_git`.
@pytest.mark.parametrize("host", HOSTS)
def test_an_ordinary_clone_is_read_as_without_limits(connect, con, extension, secret, host):
    """The control: the clone that the attacks start from is refused nothing."""
    world = secret
    if not (world.inside / "ordinary").exists():
        world.clone("ordinary")
    limited, prefix = HOSTS[host](connect, extension, world)
    for repo in ("", "linked", "module", "sub", ".git"):
        attack = hostile.Attack("none", None, repo)
        here, there = (
            questions(world, attack, f"{place}/ordinary", True) for place in (prefix, world.inside)
        )
        for question, free in zip(here, there, strict=True):
            shown = ask(limited, question)
            if question.sql in DIRECTORY_CALLS:
                words = (
                    "no sandbox is configured" if host == "allowed_directories" else "is reserved"
                )
                is_refused = host == "allowed_directories" or repo == ".git"
                assert ("fs_denied" in shown and words in shown) == is_refused, (question, shown)
                continue
            assert "fs_denied" not in shown and "permission_denied" not in shown, (question, shown)
            # An answer of a tool holds cursors, and a page the key of the repository as it was named.
            if not re.search("redline_call|diff_html", question.sql):
                assert shown == ask(con, free), question


def test_without_limits_the_ways_lead_out_as_in_git(con, secret):
    """The control: what is refused above is there to be read, by git and by redline on a host without limits."""
    world = secret
    led = set()
    wrong = []
    for number, attack in enumerate(ATTACKS):
        repo = world.inside / f"{number:03}" / attack.repo
        for old, new in (("main~1", "main"), (EMPTY, world.ids[0]), (EMPTY, hostile.SECRET.branch)):
            try:
                (wanted,) = repositories.changes(repo, [(old, new)])
            except (repositories.GitFailed, AssertionError, ValueError, OSError):
                continue
            try:
                got = con.execute(CHANGES, [old, new, str(repo)]).fetchall()
            except duckdb.Error as error:
                if "NUL" in attack.name:
                    continue  # git's path ends there; redline refuses the file
                wrong.append(f"{attack.name}, {old}..{new}: {str(error)[:300]}")
                continue
            if difference := repositories.first_differences(
                [repositories.Change(*row) for row in got], wanted
            ):
                wrong.append(f"{attack.name}, {old}..{new}: {difference}")
            elif new != "main":
                led.add(attack.name)
    assert not wrong, f"{len(wrong)} differ from git:\n" + "\n".join(wrong)
    assert len(led) > 60, f"only {len(led)} ways lead out in git: {sorted(led)}"


# What the process opens for itself, whatever is asked of redline.
OF_THE_PROCESS = re.compile(
    r"/(proc|sys|dev|usr|lib|lib64|etc/(ld\.so|localtime|nsswitch|passwd|locale))"
)
OPENED = re.compile(
    r'\b(?:open|openat|openat2|creat|execve|execveat)\((?:AT_FDCWD[^,]*, |\d+<(?P<at>[^>]*)>, )?"(?P<path>(?:[^"\\\\]|\\\\.)*)".* = (?:(?P<fd>\d+)<(?P<real>[^>]*)>|(?P<failed>-?\d+|\?))'
)


def traced(
    extension, world: hostile.World, log: pathlib.Path, settings: list[str], prefix: str
) -> list[re.Match]:
    """Returns every call that opened something or started a program while the attacks were asked."""
    statements = [("SELECT 42", [])]
    for number, attack in enumerate(ATTACKS):
        place = f"{prefix}/{number:03}/{attack.repo}".rstrip("/")
        statements += [
            ("SELECT file_path FROM file_patches('main~1', 'main', ?)", [place]),
            ("SELECT count(*) FROM file_patches('EMPTY', ?, ?)", [world.ids[0], place]),
            ("SELECT count(*) FROM commit_changes('ALL', ?)", [place]),
            (
                "SELECT count(*) FROM file_patches('HEAD', 'WORKTREE', ?, untracked := true)",
                [place],
            ),
            (
                "SELECT redline_call_text('GitDiff', json_object('from_rev', ?, 'path', ?))",
                [hostile.NEAR_MISSES[0], place],
            ),
            *(
                ("SELECT count(*) FROM file_changes('EMPTY', ?, ?)", [revision, place])
                for revision in (world.ids[1][:4], *attack.revisions)
            ),
        ]
    strace = shutil.which("strace")
    if (
        strace is None
        or subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode != 0
    ):
        pytest.skip(
            "strace is not installed or may not trace here; the canaries are checked without it"
        )
    calls = "trace=open,openat,openat2,creat,execve,execveat"
    apart.run(
        extension, statements, settings=settings, seconds=300,
        under=[*apart.STRACE, "-y", "-s", "4096", "-e", calls, "-o", str(log)],
    )  # fmt: skip
    return [
        found
        for line in log.read_text(errors="replace").splitlines()
        if (found := OPENED.search(line))
    ]


# Promise (outside): No file outside is opened: `strace` sees each open call, its path and where
# its handle leads.
def test_no_file_outside_is_opened_and_no_program_started(extension, secret, tmp_path):
    """strace sees each opening: by the path that was asked for, and by where the handle that came back leads."""
    world = secret
    sandbox = literal(json.dumps([{"name": "inside", "root": str(world.inside)}]))
    calls = traced(
        extension,
        world,
        tmp_path / "calls",
        [f"SET GLOBAL redline_sandboxes = {sandbox}"],
        "inside",
    )
    inside = f"{world.inside}/"
    opened = [call for call in calls if (call["real"] or "").startswith(inside)]
    assert len(opened) > 10 * len(ATTACKS), "strace saw next to nothing"
    wrong = set()
    for call in calls:
        # Where a relative path starts counts too; a failed call is an attempt.
        path = (
            call["path"]
            if call["path"].startswith("/") or not call["at"]
            else f"{call['at']}/{call['path']}"
        )
        for name in (path, call["real"] or path):
            if name.startswith(f"{world.root}/") and not f"{name}/".startswith(inside):
                wrong.add(call[0])
            elif (
                not name.startswith(f"{world.root}/")
                and "exec" not in call[0]
                and not OF_THE_PROCESS.match(name)
            ):
                wrong.add(call[0]) if calls.index(call) > calls.index(opened[0]) else None
    started = [call for call in calls if "exec" in call[0]]
    assert len(started) == 1 and "apart.py" in started[0].string, started
    assert not wrong, f"{len(wrong)} openings outside:\n" + "\n".join(sorted(wrong)[:50])
