"""Sandboxes in SQL: files and repositories by name, the answers to an agent, and the contents that it must never see.

The table of paths is in test/rust/sandbox/attacks.rs; these tests check that every function applies the same rules.
"""

import json
import os
import pathlib
import shutil
import threading

import pytest
import repositories
from answers import answer, assert_refused
from repositories import EMPTY, Change
from sandboxes import INSIDE, OUTSIDE, SELDOM_READ, configure, seldom_read

DIFF = "SELECT diff_files(?, ?).diff"
CHANGES = "SELECT * FROM file_changes(?, ?, ?)"
# Each function that opens a repository, with the revisions main~1 and main; {} is the repository.
REPOSITORY_CALLS = [
    "SELECT * FROM file_changes('main~1', 'main', {})",
    "SELECT file_path FROM file_changes('main~1', 'main', {})",
    "SELECT * FROM file_diff('secret.txt', 'main~1', 'main', {})",
    "SELECT * FROM diff_lines('main~1', 'main', {})",
    "SELECT * FROM diff_hunks('main~1', 'main', {})",
    "SELECT * FROM diff_review('main~1', 'main', {})",
    "SELECT * FROM file_patches('main~1', 'main', {})",
    "SELECT file_changes_list('main~1', 'main', {})",
    "SELECT file_diff_list('secret.txt', 'main~1', 'main', {})",
]
SECRET = "SECRET-TEXT"


def written(path: pathlib.Path, content: str) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    """Returns a directory with a workspace, and beside it files that must not be read."""
    for name in (
        "workspace/a.txt",
        "workspace/sub/b.txt",
        "workspace/notes.md",
        "docs/a.txt",
        "docs/notes.md",
        "asked/a.txt",
    ):
        written(tmp_path / name, f"{name}\n")
    for name in ("outside/secret", "workspace-evil/secret", "secret"):
        written(tmp_path / name, SECRET)
    return tmp_path


# -- files -------------------------------------------------------------------------------------


def test_a_file_in_a_sandbox_is_read(connect, folder):
    con = configure(connect(), {"name": "workspace", "root": folder / "workspace"})
    row = con.execute(
        "SELECT unnest(diff_files('workspace/a.txt', 'workspace/sub/b.txt'))"
    ).fetchall()
    diff = "--- workspace/a.txt\n+++ workspace/sub/b.txt\n@@ -1 +1 @@\n-workspace/a.txt\n+workspace/sub/b.txt\n"
    assert row == [(diff, "workspace/a.txt", "workspace/sub/b.txt", 1, 1, False, 5, False)]


@pytest.mark.parametrize("given", ["{}/workspace/a.txt", "{}/workspace//a.txt", "/workspace/a.txt"])
def test_a_path_beneath_a_root_is_taken_as_the_file_that_it_names(connect, folder, given):
    con = configure(
        connect(),
        {"name": "other", "root": folder / "workspace/sub", "mode": "rw"},
        {"name": "workspace", "root": folder / "workspace"},
    )
    call = lambda tool, **arguments: con.execute(
        "SELECT redline_call_text(?, ?)", [tool, json.dumps(arguments)]
    ).fetchone()[0]
    path = given.format(folder)
    assert "workspace/a.txt" in call("read_file", path=path)
    assert call("search", path=path, pattern="a.txt").startswith("'a.txt' in ")
    assert "+workspace/a.txt" in call("Diff", path_a="workspace/sub/b.txt", path_b=path)
    # Of two roots the nearer one has the say.
    assert call("write_file", path=f"{folder}/workspace/sub/new.txt", content="x").startswith(
        'approval_required: "Write 1 line to other/new.txt" '
    )
    assert call("write_file", path=path, content="x").startswith("fs_denied: ")


def test_a_path_for_writing_leads_to_no_other_file(connect, folder):
    con = configure(connect(), {"name": "w", "root": folder / "workspace", "mode": "rw"})
    call = lambda tool, **arguments: con.execute(
        "SELECT redline_call_text(?, ?)", [tool, json.dumps(arguments)]
    ).fetchone()[0]
    for tool, more in (
        ("write_file", {"content": "x"}),
        ("edit_file", {"old_string": "a", "new_string": "b"}),
    ):
        assert "Did you mean 'w/a.tx'?" in call(tool, path="a.tx", **more)
    assert "Did you mean 'w/a.txt'?" in call("read_file", path="a.tx")
    assert (
        " a.txt 16\n"
        in call("list_files", path=".")
        == call("list_files", path="/")
        == call("list_files")
    )


@pytest.mark.parametrize("given, code", [
    ("workspace/../outside/secret", "fs_denied"),
    ("workspace/../workspace-evil/secret", "fs_denied"),
    ("workspace/sub/../../secret", "fs_denied"),
    ("{}/outside/secret", "fs_denied"),
    ("{}/workspace/../outside/secret", "fs_denied"),
    ("{}/workspace/to-folder/secret", "fs_denied"),
    ("{}/workspace-evil/secret", "fs_denied"),
    ("{}/workspace/.git/config", "fs_denied"),
    ("{}", "fs_denied"),
    ("/", "fs_denied"),
    ("//workspace/a.txt", "fs_denied"),
    ("file://{}/outside/secret", "fs_denied"),
    ("outside/secret", "fs_denied"),
    ("./workspace/a.txt", "fs_denied"),
    ("workspace//{}/outside/secret", "fs_denied"),
    ("workspace/a.txt/", "fs_denied"),
    ("workspace/to-file", "fs_denied"),
    ("workspace/to-folder/secret", "fs_denied"),
    ("workspace/.git/config", "fs_denied"),
    ("workspace/.GIT/config", "fs_denied"),
    ("workspace/git~1/config", "fs_denied"),
    ("workspace/.mcp.json", "fs_denied"),
    ("workspace/new\nline", "fs_denied"),
    ("workspace/\u202esecret", "fs_denied"),
    ("workspace/" + "x" * 5000, "fs_denied"),
    ("workspace/a.txt\0", "invalid_args"),
    ("", "invalid_args"),
    ("workspace/sub", "tool_failed"),
    ("workspace/pipe", "tool_failed"),
    ("workspace/large", "too_large"),
    ("workspace/a.tx", "not_found"),
    ("docs/a.txt", "fs_denied"),
    ("asked/a.txt", "approval_required"),
])  # fmt: skip
def test_a_file_outside_the_rules_is_refused(connect, folder, given, code):
    workspace = folder / "workspace"
    (workspace / "to-file").symlink_to("../outside/secret")
    (workspace / "to-folder").symlink_to("../outside")
    os.mkfifo(workspace / "pipe")
    written(workspace / "large", SECRET * 1000)
    written(workspace / ".git/config", SECRET)
    written(workspace / ".mcp.json", SECRET)
    con = configure(
        connect(),
        {"name": "workspace", "root": workspace, "max_file_bytes": 1000},
        {"name": "docs", "root": folder / "docs", "suffixes": [".md"]},
        {"name": "asked", "root": folder / "asked", "read_approval": True},
    )
    for pair in (
        [given.format(folder), "workspace/a.txt"],
        ["workspace/a.txt", given.format(folder)],
    ):
        got = answer(con, DIFF, *pair)
        assert_refused(got, code)
        assert SECRET not in got.error
    assert answer(con, DIFF, "workspace/a.txt", "docs/notes.md").error is None


def test_an_error_tells_what_is_allowed(connect, folder):
    con = configure(
        connect(),
        {"name": "workspace", "root": folder / "workspace", "mode": "rw", "max_file_bytes": 1000},
        {"name": "docs", "root": folder / "docs", "suffixes": [".md", ".txt"]},
    )
    con.execute("SET GLOBAL redline_max_read_bytes = 5000")
    error = answer(con, DIFF, "other/a.txt", "docs/notes.md").error
    allowed = "Readable beneath: workspace/ (rw, up to 1000 bytes), docs/ (ro, only *.md *.txt, up to 5000 bytes)."
    assert error.endswith(allowed), error
    assert str(folder) not in error
    assert answer(con, CHANGES, "a", "b", ".").error.endswith(
        "Repositories are readable beneath: workspace/, docs/."
    )


def test_a_link_that_is_swapped_in_while_a_query_reads_is_not_followed(connect, folder):
    workspace = folder / "workspace"
    (workspace / "link").symlink_to("../outside")
    written(workspace / "real/secret", "inside\n")
    con = configure(connect(), {"name": "workspace", "root": workspace})
    done = threading.Event()

    def swap():
        while not done.is_set():
            for old, new in (
                ("real", "spare"),
                ("link", "real"),
                ("real", "link"),
                ("spare", "real"),
            ):
                os.rename(workspace / old, workspace / new)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        read = refused = 0
        # Until both outcomes were seen, of so many that each step of the swap was met.
        while read + refused < 300 or (min(read, refused) <= 20 and read + refused < 50_000):
            got = answer(con, DIFF, "workspace/real/secret", "workspace/a.txt")
            assert SECRET not in str(got)
            read += got.error is None
            refused += got.error is not None
    finally:
        done.set()
        thread.join()
    assert read > 20 and refused > 20, f"{read} read, {refused} refused: nothing was swapped"


# -- repositories ------------------------------------------------------------------------------


# Promise (sandbox): A repository is read only if all its parts are beneath a root, and never
# found above one. With `test_a_repository_above_the_root_is_not_found`.
@pytest.mark.parametrize("place", OUTSIDE)
def test_a_repository_outside_the_sandboxes_is_refused(connect, place):
    con = configure(connect(), {"name": "inside", "root": repositories.fixture("sandbox/inside")})
    given = [f"{repositories.fixtures()}/{place}"]
    if place.startswith("sandbox/inside/"):
        given.append(place.removeprefix("sandbox/"))
    for repo in given:
        for call in REPOSITORY_CALLS:
            got = answer(con, call.format("?"), repo)
            assert SECRET not in str(got)
            if place not in SELDOM_READ:
                assert_refused(got, "fs_denied")
        if place in SELDOM_READ:
            assert_refused(answer(con, CHANGES, *seldom_read(place), repo), "fs_denied")


@pytest.mark.parametrize("place", INSIDE)
def test_a_repository_in_a_sandbox_is_read(connect, place):
    inside = repositories.fixture("sandbox/inside")
    con = configure(
        connect(),
        {"name": "other", "root": "/usr"},
        {"name": "inside", "root": inside, "suffixes": [".md"]},
    )
    (wanted,) = repositories.changes(inside / "plain", [("main~1", "main")])
    # By name, by name with a slash at the end, and by path, which reveals no more than the name.
    for repo in (f"inside/{place}", f"inside/{place}/", str(inside / place)):
        got = answer(con, CHANGES, "main~1", "main", repo)
        assert got.error is None, got.error
        assert not repositories.first_differences([Change(*row) for row in got.rows], wanted)


@pytest.mark.parametrize(
    "given",
    [
        "",
        ".",
        "..",
        "./inside",
        "inside/..",
        "inside/plain/..",
        "inside//plain",
        "plain",
        "Inside/plain",
        "~",
    ],
)
def test_a_repository_is_not_named_by_where_duckdb_runs(connect, monkeypatch, given):
    inside = repositories.fixture("sandbox/inside")
    con = configure(connect(), {"name": "inside", "root": inside})
    for folder in (inside, inside / "plain", inside.parent):
        monkeypatch.chdir(folder)
        assert_refused(answer(con, CHANGES, "main~1", "main", given), "fs_denied", "invalid_args")


def test_reserved_files_are_shown_in_a_git_diff(connect, tmp_path):
    """A reviewer must see a change of .mcp.json. The allowed suffixes do not limit a git diff either."""
    repo = tmp_path / "workspace"
    repo.mkdir()
    repositories.git(repo, "init", "-q")
    for name in (".mcp.json", ".vscode/tasks.json", ".husky/pre-commit", "main.rs", "notes.md"):
        written(repo / name, "text\n")
    repositories.git(repo, "add", "-A")
    repositories.git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all")
    con = configure(connect(), {"name": "workspace", "root": repo, "suffixes": [".md"]})
    rows = con.execute(
        "SELECT file_path, patch FROM file_patches('EMPTY', 'HEAD', 'workspace')"
    ).fetchall()
    assert [path for path, _ in rows] == [
        ".husky/pre-commit",
        ".mcp.json",
        ".vscode/tasks.json",
        "main.rs",
        "notes.md",
    ]
    assert all("+text\n" in patch for _, patch in rows)
    for name in (".mcp.json", "main.rs"):
        assert_refused(answer(con, DIFF, f"workspace/{name}", "workspace/notes.md"), "fs_denied")


def test_links_in_a_work_tree_do_not_lead_out_of_its_sandbox(connect, folder):
    """A tracked file that became a link is shown as a link, and a directory that became a link has no files. The targets are not read."""
    repo = folder / "workspace"
    repositories.git(repo, "init", "-q")
    repositories.git(repo, "add", "-A")
    repositories.git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all")
    written(folder / "outside/b.txt", SECRET)
    con = configure(connect(), {"name": "workspace", "root": repo})
    words = set()
    for target in ("../outside/secret", "../outside/missing"):
        (repo / "a.txt").unlink()
        (repo / "a.txt").symlink_to(target)
        shutil.rmtree(repo / "sub") if not (repo / "sub").is_symlink() else (repo / "sub").unlink()
        (repo / "sub").symlink_to("../outside")
        rows = con.execute(
            "SELECT file_path, status, patch FROM file_patches('HEAD', 'WORKTREE', 'workspace')"
        ).fetchall()
        assert [row[:2] for row in rows] == [("a.txt", "type_changed"), ("sub/b.txt", "deleted")]
        patches = "".join(patch for _, _, patch in rows)
        assert f"+{target}\n" in patches and SECRET not in patches
        words.add(patches.count("\n"))
    assert len(words) == 1


# Promise (sandbox): A submodule or a file of the work tree that leads outside is refused, or
# shown as the link that it is. With `test_links_in_a_work_tree_do_not_lead_out_of_its_sandbox`.
def test_a_submodule_does_not_lead_out_of_its_sandbox(connect, tmp_path):
    repo = tmp_path / "inside"
    shutil.copytree(repositories.fixture("module-source"), repo)
    shutil.copytree(repositories.fixture("module-source"), tmp_path / "outside/repo")
    head = repositories.git_text(repo, "rev-parse", "HEAD")
    repositories.git(repo, "update-index", "--add", "--cacheinfo", f"160000,{head},module")
    (repo / "module").mkdir()
    con = configure(connect(), {"name": "inside", "root": repo})
    words = set()
    for target in ("repo/.git", "repo", "missing"):
        (repo / "module/.git").write_text(f"gitdir: {tmp_path}/outside/{target}\n")
        words.add(assert_refused(answer(con, CHANGES, "INDEX", "WORKTREE", "inside"), "fs_denied"))
    assert len(words) == 1, words


# Promise (sandbox): A repository is not read in a sandbox that needs an approval for reading, nor
# does one of another sandbox lead into it. With
# `test_a_repository_does_not_lead_into_a_sandbox_that_needs_an_approval`.
def test_a_repository_is_refused_where_reading_needs_an_approval(connect):
    inside = repositories.fixture("sandbox/inside")
    con = configure(connect(), {"name": "inside", "root": inside, "read_approval": True})
    for repo in ("inside/plain", str(inside / "plain")):
        assert_refused(answer(con, CHANGES, "main~1", "main", repo), "fs_denied")


# The parts of a repository that lead elsewhere, and to which part of the other repository.
LEADING = {"git-file": ".git", "git-link": ".git", "commondir": ".git", "objects/info/alternates": ".git/objects", "objects": ".git/objects", "refs": ".git/refs", "HEAD": ".git/HEAD", "packed-refs": ".git/packed-refs"}  # fmt: skip


@pytest.mark.parametrize("part", LEADING)
@pytest.mark.parametrize("asked", [".", "asked"], ids=["around it", "beside it"])
def test_a_repository_does_not_lead_into_a_sandbox_that_needs_an_approval(
    connect, tmp_path, part, asked
):
    """Nor does one of a sandbox that needs none, whether the other sandbox is next to it or around it."""
    other = tmp_path / "asked" / "repo"
    shutil.copytree(repositories.fixture("module-source"), other)
    repositories.git(other, "pack-refs", "--all")
    repo = pointing(tmp_path, part, other / LEADING[part])
    con = configure(
        connect(),
        {"name": "inside", "root": tmp_path / "inside"},
        {"name": "asked", "root": tmp_path / asked, "read_approval": True},
    )
    for call in (CHANGES, "SELECT file_changes_list(?, ?, ?)"):
        assert_refused(answer(con, call, EMPTY, "HEAD", repo), "fs_denied")


def pointing(folder: pathlib.Path, name: str, target: pathlib.Path) -> str:
    """Makes a repository in the sandbox with one part that leads to `target`; returns its name."""
    repo = folder / "inside" / "repo"
    shutil.rmtree(repo, ignore_errors=True)
    (folder / "inside").mkdir(exist_ok=True)
    if name == "absolute":
        return str(target)
    if name == "above":
        return "inside"
    repo.mkdir()
    if name == "git-file":
        (repo / ".git").write_text(f"gitdir: {target}\n")
        return "inside/repo"
    if name == "git-link":
        (repo / ".git").symlink_to(target)
        return "inside/repo"
    repositories.git(repo, "init", "-q", "-b", "main")
    part = repo / ".git" / name
    if name == "commondir":
        part.write_text(f"{target}\n")
    elif name == "objects/info/alternates":
        part.parent.mkdir(exist_ok=True)
        part.write_text(f"{target}\n")
    else:
        if part.is_dir():
            shutil.rmtree(part)
        elif part.exists():
            part.unlink()
        part.symlink_to(target)
    return "inside/repo"


@pytest.mark.parametrize("part", ["absolute", "git-file", "git-link", "commondir", "objects/info/alternates", "objects", "refs", "HEAD", "packed-refs", "config", "refs/heads/main"])  # fmt: skip
def test_a_refusal_does_not_reveal_the_outside_of_the_sandboxes(connect, tmp_path, part):
    """A repository with a part that leads outside is refused in the same words, whatever the target is."""
    repositories.git(tmp_path, "init", "-q", "outside/repo")
    written(tmp_path / "outside/file", "gitdir: elsewhere\n")
    (tmp_path / "outside/folder").mkdir()
    con = configure(
        connect(),
        {"name": "inside", "root": (tmp_path / "inside", (tmp_path / "inside").mkdir())[0]},
    )
    words = set()
    for target in (
        "repo",
        "repo/.git",
        "repo/.git/objects",
        "file",
        "file/x",
        "folder",
        "missing",
        "missing/deep",
    ):
        path = tmp_path / "outside" / target
        repo = pointing(tmp_path, part, path)
        for call in (CHANGES, "SELECT file_changes_list(?, ?, ?)"):
            words.add(
                assert_refused(answer(con, call, EMPTY, "HEAD", repo), "fs_denied").replace(
                    str(path), "<path>"
                )
            )
    assert len(words) == 1, words


def test_a_repository_above_the_root_is_not_found(connect, tmp_path):
    (tmp_path / "inside").mkdir()
    con = configure(connect(), {"name": "inside", "root": tmp_path / "inside"})
    without = assert_refused(answer(con, CHANGES, EMPTY, "HEAD", "inside"), "not_found")
    repositories.git(tmp_path, "init", "-q")
    assert assert_refused(answer(con, CHANGES, EMPTY, "HEAD", "inside"), "not_found") == without


# -- the setting -------------------------------------------------------------------------------

READERS = [
    DIFF.replace("?, ?", "'workspace/a.txt', 'workspace/a.txt'"),
    *(call.format("'workspace'") for call in REPOSITORY_CALLS),
]


@pytest.mark.parametrize("text, code", [
    ("NULL", "fs_denied"),
    ("'[]'", "fs_denied"),
    ("'{}'", "invalid_args"),
    ("'['", "invalid_args"),
    ("'workspace'", "invalid_args"),
    ("""'[{"name":"workspace","root":"/usr","mode":"r"}]'""", "invalid_args"),
    ("""'[{"name":"workspace","root":"/usr","moed":"ro"}]'""", "invalid_args"),
    ("""'[{"name":"workspace","root":"/no/such/folder"}]'""", "invalid_args"),
    ("""'[{"name":"workspace","root":"usr"}]'""", "invalid_args"),
    ("""'[{"name":"workspace","root":"/usr"},{"name":"workspace","root":"/etc"}]'""", "invalid_args"),
])  # fmt: skip
def test_an_empty_or_invalid_setting_allows_nothing(connect, text, code):
    con = connect()
    con.execute(f"SET GLOBAL redline_sandboxes = {text}")
    for call in READERS:
        words = assert_refused(answer(con, call), code)
        assert "redline_sandboxes" in words


def test_new_connections_and_old_statements_see_the_current_policy(connect, folder):
    con, other = connect(), connect()
    con.execute(
        f"PREPARE asked AS SELECT diff_files('{folder}/secret', '{folder}/secret').identical"
    )
    assert con.execute("EXECUTE asked").fetchone() == (True,)
    configure(con, {"name": "workspace", "root": folder / "workspace"})
    assert_refused(answer(con, "EXECUTE asked"), "fs_denied")
    for one in (con.cursor(), con.cursor()):
        assert answer(one, DIFF, "workspace/a.txt", "workspace/a.txt").error is None
        assert_refused(answer(one, DIFF, f"{folder}/secret", f"{folder}/secret"), "fs_denied")
    # Another database of the process has no policy.
    assert answer(other, DIFF, f"{folder}/secret", f"{folder}/secret").error is None
    con.execute("RESET GLOBAL redline_sandboxes")
    assert con.execute("EXECUTE asked").fetchone() == (True,)


# Promise (sandbox): DuckDB's own limit applies as well, and the policy of one database applies to
# no other. With `test_new_connections_and_old_statements_see_the_current_policy`.
def test_a_sandbox_does_not_lift_the_host_s_own_limit(connect, folder):
    """Both limits hold: a root outside allowed_directories is not read."""
    con = connect()
    configure(
        con,
        {"name": "workspace", "root": folder / "workspace"},
        {"name": "outside", "root": folder / "outside"},
    )
    con.execute(f"SET allowed_directories = ['{folder / 'workspace'}']")
    con.execute("SET enable_external_access = false")
    assert answer(con, DIFF, "workspace/a.txt", "workspace/a.txt").error is None
    words = assert_refused(answer(con, DIFF, "outside/secret", "workspace/a.txt"), "fs_denied")
    assert "allowed_directories" in words and "outside/ (" not in words
    for repo in ("outside", str(folder / "outside")):
        assert_refused(answer(con, CHANGES, "a", "b", repo), "fs_denied")
