"""Files that must not be read unseen are not opened: a call is recorded, and its answer is the same, whatever is at the path."""

import csv
import json
import os
import re
import shutil
import subprocess

import apart
import pytest
from answers import answer, assert_refused
from approving import KEY, approvable, approve, listed, value
from repositories import ROOT
from sandboxes import configure

# The files at a path of five characters, and the questions about each.
PLACES = ["hit_f", "missf", "grown", "nonef", "dirxx", "linkf", "fifof", "git/f"]
OLD = "token=a"
CALLS = [
    f"edit_file('w/PLACE', '{OLD}', 'y')",
    f"edit_file('w/PLACE', '{OLD}', 'y', true, '{'0' * 40}')",
    f"edit_file('w/PLACE', [{{'old_string': '{OLD}', 'new_string': 'y'}}])",
    "write_file('w/PLACE', 'y')",
    "read_file('w/PLACE')",
    f"edit_approval('w/PLACE', '{OLD}', 'y')",
    "write_approval('w/PLACE', 'y')",
    "read_approval('w/PLACE')",
    "diff_files('w/PLACE', 'w/PLACE')",
    "approval_chunk('{\"path\": \"w/PLACE\"}', 1)",
] + [
    f"{function}('{tool}', '{json.dumps({'path': 'w/PLACE'} | arguments)}'{session})"
    for function in ("needs_approval", "redline_call", "redline_call_text")
    for session in ("", ", 'somebody'")
    for tool, arguments in [
        ("read_file", {}), ("read_file", {"first_line": 2}), ("write_file", {"content": "y"}),
        ("edit_file", {"old_string": OLD, "new_string": "y"}), ("edit_file", {"old_string": "", "new_string": "y"}),
        ("edit_file", {"edits": [{"old_string": OLD, "new_string": "y"}]}),
    ]
] + [
    f"redline_call('Diff', '{json.dumps({'path_a': 'w/PLACE', 'path_b': 'w/PLACE'})}'{session})" for session in ("", ", 'somebody'")
]  # fmt: skip
SELECTS = [f"SELECT {call}" for call in CALLS] + ["FROM edit_explain('w/PLACE', 'token=abx')"]
SANDBOX = {"name": "w", "mode": "rw", "read_approval": True}


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    for folder in ("dirxx", "git/objects", "git/refs"):
        (root / folder).mkdir(parents=True)
    (root / "hit_f").write_text("token=abc\n")
    (root / "missf").write_text("other\n")
    (root / "grown").write_text("token=abd\n" * 400_000)
    (root / "git/HEAD").write_text("ref: refs/heads/main\n")
    (root / "git/config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    (root / "git/f").write_text("token=abc\n")
    (root / "linkf").symlink_to("hit_f")
    os.mkfifo(root / "fifof")
    return root


@pytest.fixture
def new(connect, root):
    """Returns a function that gives the host's and the agent's connection to a new database."""

    def connections(*settings):
        host = approvable(configure(connect(), SANDBOX | {"root": str(root)}))
        host.execute(
            "SET GLOBAL redline_tool_grants = ['Diff', 'read_file', 'write_file', 'edit_file']"
        )
        for setting in settings:
            host.execute(setting)
        return host, host.cursor()

    return connections


def told(con, statement, place):
    """Returns an answer without the name of the place, and without ids, which are of the place and of the database."""
    rows, error, _ = answer(con, statement.replace("PLACE", place))
    return re.sub("[0-9a-f]{64}", "ID", f"{rows} {error}".replace(place, "PLACE"))


# Promise (approval): If reading needs approval, nothing is opened or planned before the approval:
# answers, ids, the rest of the quotas and the time of a call depend on the call alone; an
# approval that no longer fits is void and tells no more. With
# `test_the_rest_of_the_quotas_is_the_same_whatever_is_there`,
# `test_no_system_call_names_what_must_not_be_read`,
# `test_a_yes_to_a_file_that_has_changed_is_void_and_tells_no_more`,
# `test_no_answer_to_an_agent_depends_on_files_that_it_may_not_read`,
# `test_an_edit_tells_nothing_of_what_may_not_be_read`.
def test_every_answer_is_the_same_whatever_is_there(new):
    pairs = {place: new() for place in PLACES}
    for statement in SELECTS:
        answers = {told(agent, statement, place) for place, (_, agent) in pairs.items()}
        assert len(answers) == 1, (statement, answers)
        assert "token" not in answers.pop().replace(OLD, ""), statement
    # Nor is what is listed, or what a payload that waits has in chunks.
    for query in (
        "FROM approvals_given()",
        "SELECT approval_chunk(payload, 1) FROM (SELECT read_approval('w/PLACE') AS payload)",
    ):
        assert len({told(agent, query, place) for place, (_, agent) in pairs.items()}) == 1, query


def written_at(first: str, *others: str) -> list:
    """Returns ways to write a path with places for it, of which the first is in each list.

    By the first way they are all places, in two parts; by each other way a few, and all of them at night.
    """
    parts = [PLACES[:4], [PLACES[0], *PLACES[4:]]]
    few = ["hit_f", "nonef", "dirxx"]
    chosen = [(first, places, ()) for places in parts]
    for other in others:
        chosen += [(other, few, ()), (other, PLACES, pytest.mark.slow)]
    return [
        pytest.param(form, places, id=f"{form} {len(places)}", marks=marks)
        for form, places, marks in chosen
    ]


def argument(kind: str | None, text: str) -> str:
    """Returns a value of a type, with a text in the place of every text."""
    kind = kind or "VARCHAR"
    if kind.endswith("[]"):
        return f"[{argument(kind[:-2], text)}]"
    if kind in ("VARCHAR", "JSON"):
        return f"'{text}'"
    return {"BOOLEAN": "true", "BLOB": "''::BLOB"}.get(
        kind,
        "1" if "INT" in kind or kind == "DOUBLE" else "NULL" if kind == "ANY" else f"NULL::{kind}",
    )


# Promise (approval): Every function, with such a path in the place of each of its texts, by each
# way to write the path, answers the same whatever is there: a file, another, a large one, none, a
# directory, a link, a pipe, a git directory.
@pytest.mark.parametrize(
    "form, places",
    written_at(
        "w/PLACE",
        "ROOT/PLACE",
        "/w/PLACE",
        '{"path": "w/PLACE"}',
        '{"repo": "w/PLACE", "rev": "WORKTREE"}',
        '{"path_a": "w/PLACE", "path_b": "ROOT/PLACE"}',
    ),
)
def test_no_function_reveals_a_path_that_is_any_of_its_arguments(new, root, form, places):
    """Every function that there is, with the path in the place of every text, by each way to write it."""
    shutil.copytree(root / "git", root / "gitxx")
    places = [*places, "gitxx"]
    pairs = {place: new("SET GLOBAL redline_tool_grants = ['*']")[1] for place in places}
    named = csv.DictReader((ROOT / "docs/function_descriptions.csv").read_text().splitlines())
    functions = (
        pairs[places[0]]
        .execute(
            "SELECT DISTINCT function_name, function_type, parameter_types, parameters FROM duckdb_functions() WHERE function_name IN ? AND function_type IN ('scalar', 'table') ORDER BY ALL",
            [[row["function"] for row in named]],
        )
        .fetchall()
    )
    assert len(functions) > 80
    for name, kind, types, parameters in functions:
        # Named parameters of table functions are listed with their names.
        positional = [
            given
            for given, parameter in zip(types, parameters)
            if re.fullmatch(r"col\d+", parameter)
        ]
        call = f"{name}({', '.join(argument(given, form.replace('ROOT', str(root))) for given in positional)})"
        statement = f"SELECT {call}" if kind == "scalar" else f"FROM {call}"
        # A path is shown relative to its sandbox, and as it was given.
        answers = {
            re.sub(
                rf"{re.escape(str(root))}/PLACE|/?w/PLACE", "PATH", told(agent, statement, place)
            )
            for place, agent in pairs.items()
        }
        assert len(answers) == 1 and "Binder Error" not in str(answers), (statement, answers)


@pytest.mark.parametrize("looked", [False, True])
@pytest.mark.parametrize("limit", ["proposals = 5", "waiting_bytes = 400", "waiting_bytes = 4000"])
def test_the_rest_of_the_quotas_is_the_same_whatever_is_there(new, limit, looked):
    """An older proposal that is dropped, or a place that is left, would tell what was planned."""
    left = {}
    for place in PLACES:
        host, agent = new(f"SET GLOBAL redline_max_{limit}")
        told(agent, "SELECT write_approval('w/before', 'y')", place)
        for number in range(3):
            told(agent, f"SELECT edit_file('w/PLACE', '{OLD}', '{number}')", place)
        if looked:
            listed(
                host
            )  # The person looks, and what is planned then counts nowhere that the agent sees.
        after = [
            told(agent, f"SELECT write_file('w/after{number}', '{'y' * 50}')", place)
            for number in range(5)
        ]
        left[place] = (
            after,
            told(
                agent,
                'SELECT needs_approval(\'write_file\', \'{"path": "w/other", "content": "y"}\')',
                place,
            ),
        )
    assert all(answers == left["hit_f"] for answers in left.values()), left


def test_no_system_call_names_what_must_not_be_read(extension, root, tmp_path):
    """What is not opened costs no time that grows with it."""
    strace = shutil.which("strace")
    if (
        strace is None
        or subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode != 0
    ):
        pytest.skip("strace is not installed or may not trace here")
    log = tmp_path / "calls"
    settings = [f"SET GLOBAL redline_sandboxes = '{json.dumps([SANDBOX | {'root': str(root)}])}'"]
    asked = [(statement.replace("PLACE", place), []) for place in PLACES for statement in SELECTS]
    under = [*apart.STRACE, "-s", "4096", "-e", "trace=%file", "-o", str(log)]
    apart.run(extension, asked, settings=settings, seconds=300, under=under)
    calls = log.read_text(errors="replace").splitlines()
    assert any(str(root) in call for call in calls), "strace saw nothing"
    named = [
        call
        for call in calls
        if any(f'"{place}"' in call or f"/{place}" in call for place in [*PLACES, "git"])
    ]
    assert not named, named[:20]


def test_the_holder_of_the_key_sees_what_would_be_done_and_decides(new, root):
    host, agent = new()
    for place in PLACES:
        for content in (OLD, "token=abd"):
            assert_refused(
                answer(agent, f"SELECT edit_file('w/{place}', '{content}', 'y', true)"),
                "approval_required",
            )
    shown = [
        (json.loads(payload)["path"], json.loads(payload)["type"]) for _, payload in listed(host)
    ]
    # What cannot be done is not to be decided on.
    assert shown == [("w/hit_f", "edit"), ("w/grown", "edit_large"), ("w/grown", "edit_large")]
    payload = listed(host)[0][1]
    approve(host, payload)
    assert (
        value(agent, f"SELECT edit_file('w/hit_f', '{OLD}', 'y', true)")["replacements_made"] == 1
    )
    assert (root / "hit_f").read_text() == "ybc\n"


def test_a_yes_to_a_file_that_has_changed_is_void_and_tells_no_more(new, root):
    host, agent = new()
    edit = f"SELECT edit_file('w/hit_f', '{OLD}', 'y')"
    for content in ("token=abc\ntoken=b\n", "nothing of it\n", None):
        (root / "hit_f").write_text("token=abc\n")
        assert_refused(answer(agent, edit), "approval_required")
        approve(host, listed(host)[0][1])
        (root / "hit_f").write_text(content) if content else (root / "hit_f").unlink()
        words = assert_refused(answer(agent, edit), "stale")
        assert words.startswith('the file has changed since "Edit w/hit_f" was approved'), words
        assert listed(host) == []


def test_a_call_that_a_wide_yes_covers_says_what_is_wrong_with_it(new):
    host, agent = new()
    assert_refused(answer(agent, f"SELECT edit_file('w/hit_f', '{OLD}', 'y')"), "approval_required")
    approve(host, listed(host)[0][1], "path")
    assert_refused(answer(agent, "SELECT edit_file('w/hit_f', 'absent', 'y')"), "not_found")
    assert value(agent, f"SELECT edit_file('w/hit_f', '{OLD}', 'y')")["replacements_made"] == 1


# Promise (approval): A call is made for its session alone, whatever connection it comes by.
def test_a_yes_for_one_session_is_none_for_another_on_its_connection(new):
    """A call is made for its session, whatever it reads with."""
    host, _ = new()
    host.execute("SELECT read_approval('w/hit_f')")
    approve(host, next(payload for _, payload in listed(host)), "session")
    diff = json.dumps({"path_a": "w/hit_f", "path_b": "w/missf"})
    own, other = (
        value(host, "SELECT redline_call_text('Diff', ?, ?)", diff, session)
        for session in (None, "other")
    )
    assert "token=abc" in own and "token" not in other and "approval_required" in other
    # And the other way round: what a session may read it may compare, on whatever connection.
    named = [
        value(
            host,
            "SELECT needs_approval('read_file', ?, 'other', ?)",
            json.dumps({"path": "w/hit_f"}),
            KEY,
        )
    ]
    approve(host, named[0], "session")
    assert "token=abc" in value(host.cursor(), "SELECT redline_call_text('Diff', ?, 'other')", diff)


def test_sessions_that_a_connection_names_do_not_multiply_what_may_wait(new):
    host, agent = new("SET GLOBAL redline_max_proposals = 2")
    call = "SELECT redline_call_text('write_file', '{\"path\": \"w/new\", \"content\": \"' || i || '\"}', 's' || i) AS told FROM range(1000) t(i)"
    refused = agent.execute(
        f"SELECT count(*) FROM ({call}) WHERE starts_with(told, 'too_large: ')"
    ).fetchone()[0]
    assert refused == 800 and len(listed(host)) == 200
    # Another connection proposes what it could before.
    assert_refused(answer(host.cursor(), "SELECT write_file('w/new', 'x')"), "approval_required")


def arguments_of(schema: dict, name: str, text: str) -> dict:
    """Returns a call's arguments with a text in the place of one of them, and what else must be there."""
    given = {
        other: "w" if other in ("path", "repo") else "x" for other in schema.get("required", [])
    }
    kind = schema["properties"][name].get("type")
    return given | {name: [text] if kind == "array" else text}


# Promise (approval): Every tool, with such a path in the place of each of its arguments, also as
# a pattern, answers the same whatever is there, and so do its reasons for finding nothing.
@pytest.mark.parametrize(
    "form, places", written_at("w/PLACE", "ROOT/PLACE", "PLACE", "*PLACE", ":(glob)**/PLACE")
)
def test_no_tool_reveals_a_path_that_is_any_of_its_arguments(new, root, form, places):
    """Also where nothing is found, and a tool says why: what it names then is nothing that must not be read."""
    pairs = {place: new("SET GLOBAL redline_tool_grants = ['*']")[1] for place in places}
    tools = (
        next(iter(pairs.values()))
        .execute("SELECT name, input_schema FROM redline_tools()")
        .fetchall()
    )
    tried = 0
    for tool, schema in [(tool, json.loads(schema)) for tool, schema in tools]:
        for name, described in schema["properties"].items():
            if described.get("type") in ("integer", "boolean"):
                continue
            tried += 1
            answers = {}
            for place, agent in pairs.items():
                call = json.dumps(arguments_of(schema, name, form.replace("ROOT", str(root))))
                statement = "SELECT redline_call_text('{}', '{}')".format(
                    tool, call.replace("'", "''")
                )
                answers[place] = re.sub(
                    rf"{re.escape(str(root))}/PLACE|/?w/PLACE",
                    "PATH",
                    told(agent, statement, place),
                )
            assert len(set(answers.values())) == 1, (tool, name, answers)
    assert tried > 60
