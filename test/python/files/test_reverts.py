"""Taking back recorded operations on files: what we wrote goes, what others wrote stays, and a person is asked."""

# Promise (journal): Taking back never touches what others wrote since, changes all files or none,
# writes no content that is not what was recorded, and asks a person as other changes do.

import json

import pytest
from answers import answer, assert_refused
from approving import approvable, approve, value, waits
from sandboxes import configure

TEXT = "".join(f"line {number}\n" for number in range(1, 10))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def opened(connect, root, **changed):
    sandbox = {"name": "ws", "root": root, "mode": "rw"}
    con = configure(
        connect(), sandbox | {"write_approval": False, "edit_approval": False} | changed
    )
    con.execute(f"SET GLOBAL redline_journal = '{root.parent / 'journal'}'")
    return con


@pytest.fixture
def agent(connect, root):
    return opened(connect, root)


def last(con):
    return value(con, "SELECT arg_max(id, recorded_at) FROM redline_log() WHERE outcome = 'done'")


def revert(con, name=None):
    return answer(con, "SELECT r.outcome FROM (SELECT revert_edit(?) AS r)", name or last(con))


# The file before and after our edit, what others make of it, and what is left once ours is taken back.
MERGED = {
    "nothing": (TEXT.replace("5", "five"), TEXT.replace("5", "five"), TEXT),
    "another line": (
        TEXT.replace("5", "five"),
        TEXT.replace("5", "five").replace("9", "nine"),
        TEXT.replace("9", "nine"),
    ),
    "lines before": (
        TEXT.replace("5", "five"),
        "new\n" * 3 + TEXT.replace("5", "five"),
        "new\n" * 3 + TEXT,
    ),
    "the same line back": (TEXT.replace("5", "five"), TEXT, TEXT),
    "CRLF elsewhere": (
        TEXT.replace("5", "five"),
        TEXT.replace("5", "five").replace("9\n", "9\r\n"),
        TEXT.replace("9\n", "9\r\n"),
    ),
}
STALE = {
    "the same line": (TEXT.replace("5", "five"), TEXT.replace("5", "FIVE"), "line 5 is now"),
    "a line beside": (
        TEXT.replace("5", "five"),
        TEXT.replace("5", "five").replace("6", "six"),
        "is now",
    ),
    "no file": (TEXT.replace("5", "five"), None, "was removed"),
}


@pytest.mark.parametrize("name", MERGED)
def test_changes_by_others_stay(agent, root, name):
    ours, theirs, left = MERGED[name]
    (root / "f").write_bytes(TEXT.encode())
    assert answer(agent, "SELECT write_file('ws/f', ?)", ours).error is None
    (root / "f").write_bytes(theirs.encode())
    assert revert(agent).error is None
    assert (root / "f").read_bytes() == left.encode()


@pytest.mark.parametrize("name", STALE)
def test_changes_by_others_are_reported_and_nothing_is_written(agent, root, name):
    ours, theirs, words = STALE[name]
    (root / "f").write_text(TEXT)
    assert answer(agent, "SELECT write_file('ws/f', ?)", ours).error is None
    if theirs is None:
        (root / "f").unlink()
    else:
        (root / "f").write_text(theirs)
    told = assert_refused(revert(agent), "stale")
    assert "'ws/f'" in told and words in told
    assert (root / "f").read_text() == theirs if theirs is not None else not (root / "f").exists()


def test_a_created_file_goes_only_while_it_is_ours(agent, root):
    assert answer(agent, "SELECT write_file('ws/a/f', 'ours')").error is None
    (root / "a/f").write_text("theirs")
    assert "was changed" in assert_refused(revert(agent), "stale")
    (root / "a/f").write_text("ours")
    assert revert(agent).rows == [("applied",)]
    assert not (root / "a/f").exists()
    # And comes back when that is taken back.
    assert revert(agent).rows == [("applied",)]
    assert (root / "a/f").read_text() == "ours"


def test_another_process_takes_back_what_one_did(connect, root):
    one, other = opened(connect, root), opened(connect, root)
    (root / "f").write_text(TEXT)
    for old, new in (("line 1", "one"), ("line 9", "nine")):
        assert answer(one, "SELECT edit_file('ws/f', ?, ?)", old, new).error is None
    # Not its own session's.
    assert value(other, "SELECT revert_edits('ws').outcome") == "already_applied"
    client = value(other, "SELECT any_value(client) FROM redline_log()")
    assert value(other, "SELECT revert_edits('ws', {'session': ?}).outcome", client) == "applied"
    assert (root / "f").read_text() == TEXT
    rows = other.execute("SELECT tool, reason, outcome FROM redline_log()").fetchall()
    assert rows[-1] == ("undo", f"takes back what {client} did", "done")


def test_several_files_are_taken_back_or_none(agent, root):
    for name in "abc":
        assert answer(agent, "SELECT write_file(?, 'ours')", f"ws/{name}").error is None
    (root / "b").write_text("theirs")
    assert_refused(answer(agent, "SELECT revert_edits('ws')"), "stale")
    assert sorted(path.name for path in root.iterdir()) == ["a", "b", "c"]
    (root / "b").write_text("ours")
    assert len(value(agent, "SELECT revert_edits('ws').files")) == 3
    assert list(root.iterdir()) == []


def test_only_the_operations_of_a_path_or_a_time_are_taken_back(agent, root):
    for name in "ab":
        assert answer(agent, "SELECT write_file(?, 'ours')", f"ws/{name}").error is None
    assert answer(agent, "SELECT write_file('ws/c', 'ours')").error is None
    call = (
        "SELECT revert_edits('ws', {'since': (SELECT max(recorded_at) FROM redline_log())}).outcome"
    )
    assert value(agent, call) == "applied"
    assert sorted(path.name for path in root.iterdir()) == ["a", "b"]
    assert value(agent, "SELECT revert_edits('ws', {'path': 'ws/a'}).outcome") == "applied"
    assert sorted(path.name for path in root.iterdir()) == ["b"]


def test_the_bit_of_a_program_stays(agent, root):
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    assert answer(agent, "SELECT write_file('ws/run.sh', 'other')").error is None
    assert revert(agent).error is None
    assert (root / "run.sh").read_text() == "#!/bin/sh\n"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755


def test_a_person_is_asked_and_a_changed_file_voids_the_yes(connect, root):
    con = approvable(opened(connect, root))
    (root / "f").write_text(TEXT)
    assert answer(con, "SELECT edit_file('ws/f', 'line 5', 'five')").error is None
    con = approvable(configure(con, {"name": "ws", "root": root, "mode": "rw"}))
    name = last(con)
    assert_refused(revert(con, name), "approval_required")
    asked = f"SELECT needs_approval('undo', '{json.dumps({'id': name})}')"
    payload = value(con, asked)
    shown = json.loads(payload)
    assert shown["path"] == "ws" and shown["description"] == "Undo: ws (1 file)"
    assert shown["type"] == "patch" and shown["undoes"] == [name]
    assert "-line five" not in shown["unified_diff"] and "-five" in shown["unified_diff"]
    approve(con, waits(con, payload))
    (root / "f").write_text((root / "f").read_text() + "theirs\n")
    assert_refused(revert(con, name), "stale")
    approve(con, waits(con, value(con, asked)))
    assert revert(con, name).rows == [("applied",)]
    assert (root / "f").read_text() == TEXT + "theirs\n"
    row = con.execute(
        "SELECT tool, scope, given_by IS NOT NULL, reason FROM redline_log() WHERE outcome = 'done' AND tool = 'undo'"
    ).fetchall()
    assert row == [("undo", "once", True, f"takes back {name}")]


def test_a_created_file_is_removed_with_a_yes(connect, root):
    con = approvable(opened(connect, root))
    assert answer(con, "SELECT write_file('ws/f', 'ours')").error is None
    approvable(configure(con, {"name": "ws", "root": root, "mode": "rw"}))
    name = last(con)
    payload = value(con, f"SELECT needs_approval('undo', '{json.dumps({'id': name})}')")
    assert "deleted file mode 100644\n" in json.loads(payload)["unified_diff"]
    approve(con, waits(con, payload))
    assert revert(con, name).rows == [("applied",)]
    assert not (root / "f").exists()


def test_the_tool_takes_back_the_last_operation_of_its_session(agent, root):
    write = (
        'SELECT redline_call_text(\'write_file\', \'{"path": "ws/%s", "content": "y"}\', \'%s\')'
    )
    for name, session in (("a", "one"), ("b", "two")):
        agent.execute(write % (name, session)).fetchall()
    text = value(agent, "SELECT redline_call_text('undo', '{}', 'one')")
    assert "Reverted changes to ws/a" in text and "delete ws/a" in text
    assert [path.name for path in root.iterdir()] == ["b"]
    found = value(agent, "SELECT redline_call('undo', '{\"format\": \"json\"}', 'one')")
    values = json.loads(found)["structuredContent"]
    assert values["outcome"] == "applied" and values["files"][0]["kind"] == "create"
    assert "not_found" in value(agent, "SELECT redline_call_text('undo', '{}', 'three')")


def test_the_tool_takes_back_all_of_its_session_in_a_sandbox(agent, root):
    def call(tool, session, **arguments):
        call = "SELECT redline_call_text(?, ?, ?)"
        return value(agent, call, tool, json.dumps(arguments), session)

    for name, session in (("a", "one"), ("b", "one"), ("c", "two")):
        call("write_file", session, path=f"ws/{name}", content="y")
    assert "invalid_args" in call("undo", "one", id="x", sandbox="ws")
    assert "fs_denied: 'wz' is not a sandbox" in call("undo", "one", sandbox="wz")
    assert "Reverted changes to 2 files" in call("undo", "one", sandbox="ws")
    assert [path.name for path in root.iterdir()] == ["c"]
    assert "Nothing to revert" in call("undo", "three", sandbox="ws")


def test_files_that_the_session_may_not_read_or_write_are_not_reverted(agent, root):
    assert answer(agent, "SELECT write_file('ws/f', 'ours')").error is None
    name = last(agent)
    for changed, code in (
        ({"mode": "ro"}, "fs_denied"),
        ({"mode": "rw", "read_approval": True}, "approval_required"),
        ({"mode": "rw", "reserved": ["f"]}, "fs_denied"),
        ({"mode": "rw", "name": "other"}, "fs_denied"),
    ):
        configure(agent, {"name": "ws", "root": root, "write_approval": False} | changed)
        assert_refused(revert(agent, name), code)
        assert (root / "f").read_text() == "ours"


def test_a_damaged_content_is_never_written(agent, root):
    (root / "f").write_text("old")
    assert answer(agent, "SELECT write_file('ws/f', 'new')").error is None
    for path in (root.parent / "journal/contents").iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert_refused(revert(agent), "tool_failed")
    assert (root / "f").read_text() == "new"
