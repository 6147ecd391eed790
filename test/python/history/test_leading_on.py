"""Errors of a revision, a path or a date lead to the right call; git's words are accepted as dates."""

import datetime
import pathlib
import subprocess

import duckdb
import pytest


def git(folder: pathlib.Path, *words: str, date: int = 1_700_000_000) -> str:
    person = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "GIT_AUTHOR_DATE": f"{date} +0000",
        "GIT_COMMITTER_DATE": f"{date} +0000",
        "TZ": "UTC",
    }
    done = subprocess.run(
        ["git", "-C", folder, *person, *words],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def one(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with one commit on main, in which a file and a submodule are."""
    tmp_path = tmp_path_factory.mktemp("one")
    inner, folder = tmp_path / "inner", tmp_path / "one"
    for made in (inner, folder):
        git(tmp_path, "init", "-q", "-b", "main", str(made))
        (made / "a.txt").write_text("one\n")
        (made / "b.txt").write_text("one\n")
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "Start")
    git(folder, "submodule", "--quiet", "add", str(inner), "sub")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Start")
    return folder


BEYOND = "'HEAD' exists, but has no such ancestor; before a first commit there is EMPTY"
MISTAKES = [
    ("file_changes('HEAD~1', 'HEAD', $repo)", BEYOND),
    ("file_changes('HEAD^', 'HEAD', $repo)", BEYOND),
    ("commits('HEAD~3..HEAD', $repo)", "'HEAD' exists, but has no such ancestor"),
    ("commits('master', $repo)", "no revision 'master' .* Did you mean 'main'?"),
    ("commits('trunk', $repo)", "Did you mean 'main'?"),
    ("commits('HAED', $repo)", "Did you mean 'HEAD'?"),
    ("commits('quite another', $repo)", "Name a branch, a tag or a commit"),
    ("file_diff('HEAD', 'HEAD', 'a.txt', $repo)", "'a.txt' is a path of HEAD, and a revision is wanted here"),
    ("file_blame('sub', 'HEAD', $repo)", "'sub' is a submodule, at commit [0-9a-f]{40}: .* given as repo"),
    ("file_blame('sub/a.txt', 'HEAD', $repo)", "'sub' is a submodule"),
    ("file_blame('a.text', 'HEAD', $repo)", "Did you mean 'a.txt'"),
    ("tree_files('HEAD..HEAD', $repo)", "one revision is wanted here. Give one of its ends."),
    ("tree_blame('HEAD..HEAD', $repo)", "one revision is wanted here. Give one of its ends."),
    ("file_changes('HEAD..HEAD', 'HEAD', $repo)", "Give its two ends as two arguments"),
    ("commits('HEAD', $repo, since := 'whenever')", "since is 'whenever'. Give a date"),
]  # fmt: skip


@pytest.mark.parametrize("call, words", MISTAKES)
def test_a_mistake_leads_to_the_right_call(con, one, call, words):
    with pytest.raises(duckdb.Error, match=words):
        con.execute(f"FROM {call.replace('$repo', chr(39) + str(one) + chr(39))}").fetchall()


@pytest.mark.parametrize("name", ["HEAD", "HEAD~1", "main", "@"])
def test_a_branch_without_a_commit_is_named_in_the_error(con, tmp_path, name):
    git(tmp_path, "init", "-q", "-b", "main")
    with pytest.raises(duckdb.Error, match="branch 'main' has no commit yet; EMPTY, INDEX"):
        con.execute("FROM commits(?, ?)", [name, str(tmp_path)]).fetchall()
    assert con.execute("FROM file_changes('EMPTY', 'INDEX', ?)", [str(tmp_path)]).fetchall() == []


def test_a_shallow_history_is_said_to_be_shallow(con, one, tmp_path):
    longer = tmp_path / "longer"
    git(tmp_path, "clone", "-q", str(one), str(longer))
    (longer / "a.txt").write_text("two\n")
    git(longer, "commit", "-qam", "Next")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{longer}", "short")
    with pytest.raises(duckdb.Error, match="the history is shallow: 'git fetch --unshallow'"):
        con.execute("FROM commits('HEAD~1', ?)", [str(tmp_path / "short")]).fetchall()


@pytest.fixture(scope="module")
def dated(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with a commit in each of the last days, weeks and months."""
    tmp_path = tmp_path_factory.mktemp("dated")
    git(tmp_path, "init", "-q", "-b", "main")
    now = int(datetime.datetime.now().timestamp())
    for days in (800, 400, 200, 100, 50, 25, 13, 8, 5, 3, 1.5):
        date = now - int(days * 86_400)
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", f"{days}", date=date)
    return tmp_path


WORDS = ["2.weeks.ago", "3 months ago", "yesterday", "last month", "one week ago", "1.year.ago", "2 days ago"]  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("option", ["since", "until"])
def test_words_for_dates_are_those_of_git(con, dated, option, words):
    wanted = git(dated, "log", "--format=%H", f"--{option}={words}").split()
    rows = con.execute(
        f"SELECT commit_id FROM commits('HEAD', ?, {option} := ?)", [str(dated), words]
    )
    assert [row[0] for row in rows.fetchall()] == wanted
    listed = (
        f"SELECT c.commit_id FROM (SELECT unnest(commits_list('HEAD', ?, {{'{option}': ?}})) AS c)"
    )
    assert [row[0] for row in con.execute(listed, [str(dated), words]).fetchall()] == wanted


def test_times_are_what_they_were(con, dated):
    count = lambda since, *more: con.execute(
        f"SELECT count(*) FROM commits('HEAD', '{dated}', since := {since})", more
    ).fetchone()[0]
    assert count("now() - INTERVAL 2 WEEKS") == 5
    assert count("current_date - 60") == count("(current_date - 60)::VARCHAR") == 7
    assert count("NULL") == count("'1970-01-01'") == count("'-infinity'::TIMESTAMPTZ") == 11
    assert count("?", datetime.datetime.now() - datetime.timedelta(days=30)) == 6
    assert count("'infinity'") == 0
