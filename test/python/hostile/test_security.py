"""Tables of attacks: untrusted repositories, untrusted arguments, and hosts that limit file access."""

import functools
import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess

import apart
import duckdb
import pytest
import repositories
from answers import answer, assert_refused
from repositories import EMPTY, Change
from sandboxes import INSIDE, OUTSIDE, SELDOM_READ, seldom_read

ALL = "SELECT * FROM file_changes(?, ?, ?)"
NAMES = "SELECT file_path, status FROM file_changes(?, ?, ?)"
SIZES = "SELECT file_path, old_size, new_size FROM file_changes(?, ?, ?)"
ONE_FILE = "SELECT * FROM file_diff(?, ?, ?, ?)"
LISTED = "SELECT unnest(file_changes_list(?, ?, ?), recursive := true)"
LISTED_FILE = "SELECT unnest(file_diff_list(?, ?, ?, ?), recursive := true)"


# -- (a) no command of a repository runs -------------------------------------------------------

HOOKS = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit", "post-index-change", "post-merge",
    "post-rewrite", "pre-auto-gc", "pre-commit", "pre-push", "prepare-commit-msg", "query-watchman", "reference-transaction",
]  # fmt: skip
ATTRIBUTES = """\
*.txt filter=evil diff=evil merge=evil ident
*.process filter=evil-process diff=evil-command
*.included diff=evil-included
"""
# Name of the marker -> setting and command. {run} leaves the marker.
COMMANDS = {
    "clean": ("filter.evil.clean", "{run}; cat"),
    "smudge": ("filter.evil.smudge", "{run}; cat"),
    "process": ("filter.evil-process.process", "{run}; false"),
    "textconv": ("diff.evil.textconv", "{run}; cat"),
    "external": ("diff.external", "{run}; true"),
    "command": ("diff.evil-command.command", "{run}; true"),
    "merge": ("merge.evil.driver", "{run}; true"),
    "fsmonitor": ("core.fsmonitor", "{run}; false"),
    "pager": ("core.pager", "{run}; cat"),
    "pager-diff": ("pager.diff", "{run}; cat"),
    "editor": ("core.editor", "{run}; true"),
    "ssh": ("core.sshCommand", "{run}; false"),
    "askpass": ("core.askPass", "{run}; false"),
    "proxy": ("core.gitProxy", "{run}; false"),
    "alternate-refs": ("core.alternateRefsCommand", "{run}; false"),
    "credential": ("credential.helper", "!{run}; false"),
    "alias": ("alias.diff-tree", "!{run}"),
    "gpg": ("gpg.program", "{run}; false"),
    "submodule-update": ("submodule.module.update", "!{run}"),
    "upload-pack": ("remote.origin.uploadpack", "{run}; false"),
    "remote": ("remote.origin.url", "ext::{run}"),
}


def plant(repo: pathlib.Path, git_folder: pathlib.Path, markers: pathlib.Path, name: str) -> None:
    """Sets every command that git knows to one that leaves a marker."""
    git = lambda *arguments: repositories.git(
        repo, "config", "--file", str(git_folder / "config"), *arguments
    )
    for slot, (setting, command) in COMMANDS.items():
        git(setting, command.replace("{run}", f"touch {markers / f'{name}-{slot}'}"))
    git("filter.evil.required", "true")
    git("protocol.ext.allow", "always")
    git("remote.origin.promisor", "true")
    git("core.repositoryformatversion", "1")
    git("extensions.partialClone", "origin")
    included = git_folder / "included"
    included.write_text(
        f'[diff "evil-included"]\n\ttextconv = "touch {markers / f"{name}-included"}; cat"\n'
    )
    git("include.path", str(included))
    git("includeIf.gitdir:/**.path", str(included))
    for folder in (git_folder / "hooks", git_folder / "evil-hooks"):
        folder.mkdir(exist_ok=True)
        for hook in HOOKS:
            (folder / hook).write_text(f"#!/bin/sh\ntouch {markers / f'{name}-hook-{hook}'}\n")
            (folder / hook).chmod(0o755)
    git("core.hooksPath", str(folder))


def commit_twice(repo: pathlib.Path, target: str) -> None:
    for number in (1, 2):
        for file in ("a.txt", "b.process", "c.included", "folder/d.txt"):
            (repo / file).parent.mkdir(exist_ok=True)
            (repo / file).write_text(f"one\n{target} {number}\n")
        repositories.git(repo, "add", "-A")
        repositories.git(
            repo,
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "-m",
            f"commit {number}",
        )


class Evil:
    """A repository, its submodule and a nested repository, all full of commands, and a clean copy of the same commits."""

    FILES = ["a.txt", "b.process", "c.included", "folder/d.txt"]

    def __init__(self, folder: pathlib.Path):
        self.markers = folder / "markers"
        self.markers.mkdir()
        top, source = folder / "top", folder / "source"
        for repo in (source, top):
            repo.mkdir()
            repositories.git(repo, "init", "-q")
            (repo / ".gitattributes").write_text(ATTRIBUTES)
            commit_twice(repo, repo.name)
        repositories.git(
            top,
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            str(source),
            "module",
        )
        commit_twice(top, "again")
        shutil.copytree(source, top / "nested")
        # Only a fetch could bring this blob, and the promisor remote is a command.
        (top / "lost.txt").write_text("lost\n")
        repositories.git(top, "add", "lost.txt")
        repositories.git(
            top, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "lost"
        )
        repositories.git(top, "tag", "lost")
        lost = repositories.git_text(top, "rev-parse", "HEAD:lost.txt")
        repositories.git(top, "reset", "-q", "--hard", "HEAD~1")
        (top / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
        self.lost = lost

        self.clean = folder / "clean"
        shutil.copytree(top, self.clean, symlinks=True)
        plant(top, top / ".git", self.markers, "top")
        plant(top / "module", top / ".git" / "modules" / "module", self.markers, "module")
        plant(top / "nested", top / "nested" / ".git", self.markers, "nested")
        (top / "a.txt").write_text("not committed\n")
        (top / "module" / "a.txt").write_text("not committed\n")
        self.top = top
        self.places = [
            "",
            "folder",
            ".git",
            "module",
            "module/folder",
            ".git/modules/module",
            "nested",
            "nested/.git",
        ]
        pairs = [("HEAD~1", "HEAD"), ("HEAD", "HEAD~1"), (EMPTY, "HEAD")]
        self.wanted = {
            (place, *pair): rows
            for place in self.places
            for pair, rows in zip(
                pairs, repositories.changes(self.clean / place, pairs), strict=True
            )
        }

    def statements(self) -> list[tuple[str, list]]:
        """Returns calls of every function, at every place; each file there with one pair of revisions, in turns."""
        statements = [("SELECT unified_diff('a', 'b')", [])]
        pairs = (["HEAD~1", "HEAD"], ["HEAD", "HEAD~1"], [EMPTY, "HEAD"])
        for turn, place in enumerate(self.places):
            repo = str(self.top / place)
            for pair in pairs:
                statements += [(ALL, [*pair, repo]), (LISTED, [*pair, repo])]
            for number, file in enumerate(self.FILES):
                pair = pairs[(turn + number) % 3]
                statements += [
                    (ONE_FILE, [file, *pair, repo]),
                    (LISTED_FILE, [file, *pair, repo]),
                ]
            for bad in (["nosuch", "HEAD"], ["HEAD", "main@{9}"]):
                statements.append((ALL, [*bad, repo]))
        return statements + self.fetching()

    def fetching(self) -> list[tuple[str, list]]:
        return [
            (ALL, ["HEAD", "lost", str(self.top)]),
            (ONE_FILE, ["lost.txt", "HEAD", "lost", str(self.top)]),
        ]

    def left(self) -> list[str]:
        """Returns the markers that were left, and removes them."""
        names = sorted(path.name for path in self.markers.iterdir())
        for path in self.markers.iterdir():
            path.unlink()
        return names


@pytest.fixture(scope="module")
def evil(tmp_path_factory) -> Evil:
    return Evil(tmp_path_factory.mktemp("evil"))


def state(folder: pathlib.Path) -> dict[str, tuple]:
    """Returns modes, sizes and times of all files in a directory."""
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


# Promise (programs): Control: git itself runs these commands in that repository.
def test_the_planted_commands_run_in_git(evil, tmp_path):
    """The control: if git ran none of them, the tests below would prove nothing."""
    copy = tmp_path / "top"
    shutil.copytree(evil.top, copy, symlinks=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    no_process = [
        "-c",
        "filter.evil-process.process=",
    ]  # it would end git before the other commands run
    lazy = {
        name: value
        for name, value in repositories.environment().items()
        if name != "GIT_NO_LAZY_FETCH"
    }
    for arguments in (
        ["status"], [*no_process, "diff", "HEAD~1", "HEAD"], ["diff", "--no-ext-diff", "HEAD~1", "HEAD"], [*no_process, "add", "a.txt"],
        [*no_process, *identity, "commit", "--allow-empty", "-q", "-m", "x"], ["cat-file", "blob", evil.lost],
        [*no_process, "-C", "module", "add", "a.txt"],
    ):  # fmt: skip
        subprocess.run(["git", "-C", copy, *arguments], capture_output=True, env=lazy)
    ran = set(evil.left())
    wanted = [
        "clean",
        "process",
        "textconv",
        "external",
        "fsmonitor",
        "command",
        "included",
        "remote",
        "hook-pre-commit",
        "smudge",
    ]
    assert {f"top-{slot}" for slot in wanted} <= ran, f"git ran only {sorted(ran)}"
    assert any(name.startswith("module-") for name in ran), "git ran nothing of the submodule"


def settings_of_the_user(evil: Evil, folder: pathlib.Path) -> dict[str, str]:
    """The user trusts all repositories and has set such commands too."""
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[safe]\n\tdirectory = *\n[diff "evil"]\n\ttextconv = touch {evil.markers}/user-textconv; cat\n'
        f"[diff]\n\texternal = touch {evil.markers}/user-external\n[core]\n\tfsmonitor = touch {evil.markers}/user-fsmonitor\n"
        f"\tattributesFile = {home}/attributes\n"
    )
    (home / "attributes").write_text("* -diff\n")
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_CONFIG_SYSTEM": str(home / ".gitconfig"),
    }


def settings_in_the_environment(evil: Evil, _) -> dict[str, str]:
    settings = {
        "safe.directory": "*",
        "diff.evil.textconv": f"touch {evil.markers}/environment-textconv; cat",
        "filter.evil.clean": f"touch {evil.markers}/environment-clean; cat",
        "core.fsmonitor": f"touch {evil.markers}/environment-fsmonitor",
        "core.bigFileThreshold": "1",
        "gitoxide.core.useNsec": "true",
    }
    found = {
        "GIT_CONFIG_COUNT": str(len(settings)),
        "GIT_CONFIG_PARAMETERS": "'core.bigfilethreshold=1'",
    }
    for number, (name, value) in enumerate(settings.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def commands_in_the_environment(evil: Evil, _) -> dict[str, str]:
    names = [
        "GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS",
        "SSH_ASKPASS", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR", "GIT_TRACE2_EVENT", "GIT_TRACE", "GIT_TRACE_SETUP",
    ]  # fmt: skip
    return {
        name: f"{evil.markers}/environment-{name}"
        if "TRACE" in name
        else f"touch {evil.markers}/environment-{name}"
        for name in names
    }


def another_repository_in_the_environment(evil: Evil, _) -> dict[str, str]:
    other = repositories.fixture("basic")
    return {
        "GIT_DIR": f"{other}/.git", "GIT_WORK_TREE": "/etc", "GIT_COMMON_DIR": f"{other}/.git", "GIT_INDEX_FILE": f"{other}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{other}/.git/objects", "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{other}/.git/objects",
        "GIT_NAMESPACE": "other", "GIT_CEILING_DIRECTORIES": str(evil.top), "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0",
        "GIT_ATTR_SOURCE": "HEAD", "GIT_SHALLOW_FILE": f"{other}/.git/HEAD", "GIT_GRAFT_FILE": f"{other}/.git/HEAD",
        "GIT_DEFAULT_HASH": "sha256", "GIT_DEFAULT_REF_FORMAT": "reftable", "GIT_REPLACE_REF_BASE": "refs/heads/",
        "GIT_LITERAL_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "1", "GIT_DIFF_OPTS": "-u0", "GIT_CEILING": "/",
    }  # fmt: skip


ENVIRONMENTS = {
    "nothing": lambda *_: {},
    "settings of the user": settings_of_the_user,
    "settings in the environment": settings_in_the_environment,
    "commands in the environment": commands_in_the_environment,
    "another repository in the environment": another_repository_in_the_environment,
}


def assert_answers_of_the_clean_copy(evil: Evil, answers: list[apart.Answer]) -> None:
    """Checks every answer against git's in a copy without the commands."""
    for (query, parameters), got in zip(evil.statements(), answers, strict=True):
        if query == ALL and got.error is None:
            place = os.path.relpath(parameters[2], evil.top)
            key = ("" if place == "." else place, parameters[0], parameters[1])
            assert not repositories.first_differences(
                [Change(*row) for row in got.rows], evil.wanted[key]
            ), parameters
        elif got.error is not None:
            assert "nosuch" in parameters or "main@{9}" in parameters or "lost" in parameters, (
                query,
                parameters,
                got.error,
            )
            repositories.code_and_words(got.error)
        else:
            assert got.rows, f"no rows for {parameters}"
    for got in answers[-len(evil.fetching()) :]:
        assert evil.lost in got.error, "the missing object is not named"


# Promise (programs): None of 21 kinds of commands and 14 hooks runs, in the repository, a
# submodule or a nested repository, from any function, which would leave a file. With
# `test_no_program_of_a_filter_is_run`.
# Promise (programs): Nothing runs with `safe.directory = *` either, nor with such commands in the
# user's configuration, in `GIT_CONFIG_COUNT`, in `GIT_EXTERNAL_DIFF` and the like, one run each.
# Promise (programs): Nothing is fetched for a missing object; the error names it. With
# `test_a_partial_clone_lists_its_files_and_fetches_nothing`.
# Promise (programs): Nothing is written into a repository, including the index and its
# timestamps.
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_command_of_a_repository_runs(evil, extension, tmp_path, environment):
    """Nothing is written into the repository either, and the environment changes no answer."""
    before = state(evil.top)
    answers = apart.run(
        extension, evil.statements(), seconds=240, folder=tmp_path,
        environment=dict(os.environ) | ENVIRONMENTS[environment](evil, tmp_path),
    )  # fmt: skip
    assert evil.left() == [], "commands of the repository ran"
    assert state(evil.top) == before, "the repository was written to"
    assert_answers_of_the_clean_copy(evil, answers)


# Promise (programs): No program is started: `strace` sees the host's own `execve` and no other.
# With `test_no_file_outside_is_opened_and_no_program_started`.
@pytest.mark.slow
def test_no_program_is_started(evil, extension, tmp_path):
    """strace sees every execve. There is one, of the host itself."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed; the markers above are checked without it")
    if subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True).returncode != 0:
        pytest.skip("strace may not trace here")
    log = tmp_path / "calls"
    environment = dict(os.environ)
    for name, make in ENVIRONMENTS.items():
        (tmp_path / name).mkdir()
        if name != "another repository in the environment":
            environment |= make(evil, tmp_path / name)
    apart.run(
        extension, evil.statements(), seconds=300, environment=environment, folder=tmp_path,
        under=[*apart.STRACE, "-s", "4096", "-e", "trace=execve,execveat", "-o", str(log)],
    )  # fmt: skip
    started = [line for line in log.read_text().splitlines() if "exec" in line]
    assert len(started) == 1 and "apart.py" in started[0], "\n".join(started)
    assert evil.left() == []


# -- (b) what a repository may lead to ---------------------------------------------------------

# A part of a repository -> a revision for which that part may be read.
PARTS = {
    ".git": "main",
    ".git/HEAD": "HEAD",
    ".git/config": "main",
    ".git/config.worktree": "main",
    ".git/commondir": "main",
    ".git/packed-refs": "nosuch",
    ".git/refs": "main",
    ".git/refs/heads": "main",
    ".git/refs/heads/main": "main",
    ".git/refs/heads/other": "nosuch",
    ".git/logs/refs/heads/main": "main@{1}",
    ".git/shallow": "main~1",
    ".git/info": "main",
    ".git/info/attributes": "main",
    ".git/info/grafts": "main~1",
    ".git/index": "main",
    ".git/objects": "main",
    ".git/objects/info": "main",
    ".git/objects/info/alternates": "main",
    ".git/objects/info/commit-graph": "main~1",
    ".git/objects/pack": "main",
    ".git/objects/pack/multi-pack-index": "main",
    ".git/objects/pack/pack-ffffffffffffffffffffffffffffffffffffffff.idx": "main",
    "(the commit)": "main",
    "(the tree)": "main",
    "(the blob)": "main",
    "(the pack)": "main",
    "(the pack's index)": "main",
    ".gitattributes": "main",
    "sub": "main",
    "sub/.gitattributes": "main",
}
SPECIAL = {
    "a FIFO": lambda path: os.mkfifo(path),
    "endless": lambda path: os.symlink("/dev/zero", path),
    "a socket": lambda path: _socket(path),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: os.symlink(path.name, path),
    "a link to a secret": lambda path: os.symlink(
        repositories.fixture("sandbox/outside/secret.txt"), path
    ),
    "a terminal": lambda path: os.symlink("/dev/ptmx", path),
}


def _socket(path: pathlib.Path) -> None:
    folder = os.getcwd()
    try:
        os.chdir(path.parent)  # the path of a socket must be short
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(folder)


@functools.cache
def objects(source: str) -> dict[str, str]:
    """Returns the paths of the loose objects that may be replaced in a fixture."""
    names = {
        "(the commit)": "main",
        "(the tree)": "main^{tree}",
        "(the blob)": "main:a.txt",
    }
    oids = repositories.git_text(repositories.fixture(source), "rev-parse", *names.values()).split()
    return {
        name: f".git/objects/{oid[:2]}/{oid[2:]}" for name, oid in zip(names, oids, strict=True)
    }


def with_part(folder: pathlib.Path, number: int, part: str, make) -> tuple[str, pathlib.Path]:
    """Returns the name of a small repository, and a copy of it with one part replaced."""
    repo = folder / f"{number}"
    source = "files-only" if "pack)" in part or "index)" in part else "corrupt-source"
    shutil.copytree(repositories.fixture(source), repo, symlinks=True)
    part = objects(source).get(part, part)
    for key, suffix in (("(the pack)", "pack"), ("(the pack's index)", "idx")):
        if part == key:
            (found,) = (repo / ".git/objects/pack").glob(f"*.{suffix}")
            part = str(found.relative_to(repo))
    path = repo / part
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if part == ".git/config.worktree":
        with open(repo / ".git/config", "a") as config:
            config.write(
                "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n"
            )
    make(path)
    return source, repo


def questions(repo: pathlib.Path, revision: str) -> list[tuple[str, list]]:
    """Returns queries that together read every part of a repository."""
    return [
        (ALL, ["main~1", "main", str(repo)]),
        (ALL, [revision, "main", str(repo)]),
        (ONE_FILE, ["sub/c.txt", "main~1", "main", str(repo)]),
    ]


# Promise (survival): A FIFO, socket, endless device, directory or link in place of any part of a
# repository neither blocks nor exhausts the memory. With `test_a_fifo_as_the_path_is_refused`,
# `test_a_fifo_where_a_file_was_is_a_deleted_file`.
@pytest.mark.parametrize("special", SPECIAL)
def test_special_files_in_a_repository_neither_block_nor_change_rows(extension, tmp_path, special):
    """Each part of a repository in turn becomes a FIFO, an endless device and so on. The answer is that of the intact repository, or an error."""
    whole = {
        source: repositories.changes(repositories.fixture(source), [("main~1", "main")])[0]
        for source in ("corrupt-source", "files-only")
    }
    wrong = []
    cases = [
        (part, *with_part(tmp_path, number, part, SPECIAL[special]))
        for number, part in enumerate(PARTS)
    ]
    statements = [
        statement for part, _, repo in cases for statement in questions(repo, PARTS[part])
    ]
    try:
        answers = apart.run(extension, statements, seconds=60)
    except AssertionError:
        # One of them hangs or ends the process, so each is asked on its own to name it.
        answers = []
        for part, _, repo in cases:
            try:
                answers += apart.run(extension, questions(repo, PARTS[part]), seconds=10)
            except AssertionError as ended:
                wrong.append(f"{part}: {ended}")
                answers += [apart.Answer([], None)] * len(questions(repo, PARTS[part]))
    for part, source, repo in cases:
        for query, parameters in questions(repo, PARTS[part]):
            got = answers.pop(0)
            try:
                if got.error is not None:
                    repositories.code_and_words(got.error)
                elif query == ALL and parameters[0] == "main~1" and got.rows:
                    assert not repositories.first_differences(
                        [Change(*row) for row in got.rows], whole[source]
                    )
            except AssertionError as found:
                wrong.append(f"{part}: {found}")
    assert not wrong, f"{len(wrong)} with {special}:\n" + "\n".join(wrong)


def test_a_fifo_as_the_path_is_refused(extension, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / ".git")
    statements = [
        (ALL, ["HEAD~1", "HEAD", str(tmp_path / path)])
        for path in ("fifo", "fifo/x", "folder", "folder/.git")
    ]
    for got in apart.run(extension, statements, seconds=20):
        assert_refused(got)


LEAKS = {
    "HEAD is a link to a text": "sandbox/inside/head-link",
    "a branch is a link to a text": "sandbox/inside/ref-link",
    "packed-refs is a link to a text": "sandbox/inside/packed-refs-link",
    "config is a link to a text": "sandbox/inside/config-link",
    "the index is a link to a text": "sandbox/inside/index-link",
    "HEAD names a path outside": "corrupt-head-traversal",
    "a branch holds a text": "corrupt-ref-garbage",
    "packed-refs holds a text": "corrupt-packed-refs",
    "config holds a text": "corrupt-config",
    "an object holds a text": "corrupt-garbage-commit",
    "shallow holds a text": "corrupt-shallow",
    "the .git file holds a text": "gitfile-garbage",
}


# Promise (outside): Errors are redline's own words: none shows the text of a file that HEAD, a
# branch, `packed-refs`, `config` or an object was pointed at.
@pytest.mark.parametrize("attack", LEAKS)
def test_no_error_shows_the_text_of_a_file(con, attack):
    repo = repositories.fixture(LEAKS[attack])
    for old, new in [
        ("HEAD~1", "HEAD"),
        ("main~1", "main"),
        ("nosuch", "HEAD"),
        (EMPTY, "main"),
        ("@{1}", "main@{0}"),
        ("HEAD^{/x}", "main"),
    ]:
        for query in (ALL, LISTED):
            got = answer(con, query, old, new, repo)
            if got.error is not None:
                repositories.code_and_words(got.error)
            assert "SECRET" not in str(got) and "a secret" not in str(got)


# Promise (outside): `core.worktree` is followed only within what may be read, `include.path` not
# at all; a `.gitattributes` that is a link is not read. With
# `test_attributes_come_from_where_git_takes_them`.
def test_a_work_tree_elsewhere_counts_where_it_may_be_read(con, connect, tmp_path):
    """core.worktree makes a directory a source of .gitattributes, and must not lead outside."""
    repo = tmp_path / "repo"
    shutil.copytree(repositories.fixture("module-source"), repo)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".gitattributes").write_text("* -diff\n")
    repositories.git(repo, "config", "core.worktree", str(elsewhere))
    query = "SELECT is_binary FROM file_changes(?, ?, ?)"
    assert answer(con, query, "main~1", "main", repo).rows == [(True,)] * 3
    limited = connect()
    limited.execute(f"SET allowed_directories = ['{repo}']")
    limited.execute("SET enable_external_access = false")
    with pytest.raises(duckdb.Error, match="fs_denied:"):
        limited.execute(query, ["main~1", "main", str(repo)])


# -- a host that limits file access ------------------------------------------------------------


def limited(connect, *allowed: pathlib.Path):
    con = connect()
    if allowed:
        con.execute(
            "SET allowed_directories = [" + ", ".join(f"'{folder}'" for folder in allowed) + "]"
        )
    con.execute("SET enable_external_access = false")
    return con


@pytest.mark.parametrize("place", OUTSIDE)
def test_a_repository_outside_the_allowed_directories_is_refused(connect, place):
    con = limited(connect, repositories.fixture("sandbox/inside"))
    repo = f"{repositories.fixtures()}/{place}"
    for query, parameters in [(ALL, ["main~1", "main", repo]), (LISTED, [EMPTY, "HEAD", repo]), (ONE_FILE, ["secret.txt", "main~1", "main", repo]), (LISTED_FILE, ["a.txt", "main~1", "main", repo])]:  # fmt: skip
        got = answer(con, query, *parameters)
        assert "SECRET" not in str(got)
        if place not in SELDOM_READ:
            assert_refused(got, "fs_denied")
    if place in SELDOM_READ:
        for query in (ALL, LISTED):
            assert_refused(answer(con, query, *seldom_read(place), repo), "fs_denied")


def test_an_index_that_is_a_link_to_outside_is_refused(connect):
    con = limited(connect, repositories.fixture("sandbox/inside"))
    repo = repositories.fixture("sandbox/inside/index-link")
    assert answer(con, LISTED, "main~1", "main", repo).error is None
    got = answer(con, "SELECT * FROM file_changes(?, ?, ?)", "main", "INDEX", repo)
    assert_refused(got, "fs_denied")
    assert "SECRET" not in got.error


@pytest.mark.parametrize("place", INSIDE)
def test_a_repository_in_an_allowed_directory_is_read(connect, place):
    inside = repositories.fixture("sandbox/inside")
    for con in (limited(connect, inside), limited(connect, pathlib.Path("/nonexistent"), inside)):
        got = answer(con, ALL, "main~1", "main", inside / place)
        assert got.error is None, got.error
        (wanted,) = repositories.changes(inside / "plain", [("main~1", "main")])
        assert not repositories.first_differences([Change(*row) for row in got.rows], wanted)
        assert con.cursor().execute(LISTED, ["main~1", "main", str(inside / place)]).fetchall()


def test_without_the_limit_the_same_repositories_are_read(con):
    """The control: those that git can read are refused above for where they lead, and for no other reason."""
    readable = [
        "gitfile-absolute",
        "gitfile-relative",
        "git-link",
        "linked",
        "alternates-absolute",
        "alternates-relative",
        "alternates-hop",
    ]
    for name in [*readable, "objects-link", "pack-link", "repository-link"]:
        repo = repositories.fixture(f"sandbox/inside/{name}")
        (wanted,) = repositories.changes(repo, [(EMPTY, "HEAD")])
        got = answer(con, ALL, EMPTY, "HEAD", repo)
        assert got.error is None, f"{name}: {got.error}"
        assert not repositories.first_differences([Change(*row) for row in got.rows], wanted)


def test_without_allowed_directories_every_repository_is_refused(connect):
    con = limited(connect)
    for place in ("basic", "sandbox/inside/plain", "nosuch"):
        assert_refused(
            answer(con, ALL, "main~1", "main", repositories.fixtures() / place), "fs_denied"
        )
    assert_refused(answer(con, ALL, "HEAD~1", "HEAD", "."), "fs_denied")
    assert con.execute("SELECT unified_diff('a', 'b')").fetchone()[0]


# Promise (outside): A path outside is refused with the same message whether it exists or not.
# With `test_a_refusal_does_not_reveal_the_outside_of_the_sandboxes`.
def test_a_refusal_does_not_tell_whether_a_path_outside_exists(connect):
    """A path outside is refused in the same words whether it exists or not, so that refusals cannot be used to list directories."""
    con = limited(connect, repositories.fixture("sandbox/inside"))
    outside = repositories.fixture("sandbox/outside")
    words = set()
    for name in ("secret", "nosuch", "secret.txt", "secret.txt/x"):
        got = answer(con, ALL, "main~1", "main", outside / name)
        words.add(assert_refused(got, "fs_denied").replace(str(outside / name), "<path>"))
    assert len(words) == 1, words


# Promise (outside): The limit of one database neither applies to another in the same process nor
# lifts its limit; a prepared statement obeys the limit at the time it runs; a repository that may
# no longer be read is refused. With `test_a_prepared_statement_does_not_keep_earlier_access`,
# `test_refuses_a_repository_that_may_not_be_read_any_more`.
def test_no_database_lifts_the_limit_of_another(connect):
    """Statics are shared by all databases of a process; the limit must not be."""
    repo = repositories.fixture("basic")
    free, bound = connect(), limited(connect)
    for _ in range(2):
        assert answer(free, NAMES, "before", "after", repo).error is None
        assert_refused(answer(bound, NAMES, "before", "after", repo), "fs_denied")


def test_a_prepared_statement_does_not_keep_earlier_access(connect):
    con = connect()
    con.execute(
        f"PREPARE asked AS SELECT count(*) FROM file_changes('before', 'after', '{repositories.fixture('basic')}')"
    )
    assert con.execute("EXECUTE asked").fetchone()[0] > 0
    con.execute("SET enable_external_access = false")
    assert_refused(answer(con, "EXECUTE asked"), "fs_denied")


# -- (c) broken repositories -------------------------------------------------------------------

QUERIES = {
    "all": (ALL, ["main~1", "main"], lambda c: tuple(c)),
    "names": (NAMES, ["main~1", "main"], lambda c: (c.file_path, c.status)),
    "sizes": (SIZES, ["main~1", "main"], lambda c: (c.file_path, c.old_size, c.new_size)),
    "counts": (
        "SELECT additions, deletions FROM file_changes(?, ?, ?)",
        ["main~1", "main"],
        lambda c: (c.additions, c.deletions),
    ),
    "HEAD": (ALL, ["HEAD~1", "HEAD"], lambda c: tuple(c)),
}


def corrupt_repositories() -> list[str]:
    kinds = ["missing", "empty", "flip", "cut", "lie", "garbage", "swapped"]
    objects = ["blob", "tree", "root-tree", "commit"]
    return [f"corrupt-{kind}-{object}" for kind in kinds for object in objects] + [
        "corrupt-missing-parent", "corrupt-pack-cut", "corrupt-pack-flip", "corrupt-pack-empty", "corrupt-pack-index-cut",
        "corrupt-pack-index-flip", "corrupt-pack-index-empty", "corrupt-pack-missing", "corrupt-multi-pack-index-cut",
        "corrupt-head-garbage", "corrupt-head-empty", "corrupt-head-traversal", "corrupt-head-loop", "corrupt-head-folder",
        "corrupt-ref-garbage", "corrupt-ref-empty", "corrupt-packed-refs", "corrupt-config", "corrupt-index", "corrupt-alternates",
        "corrupt-alternates-loop", "corrupt-no-objects", "corrupt-no-refs", "corrupt-no-head", "corrupt-shallow",
        "gitfile-nowhere", "gitfile-garbage", "gitfile-empty", "gitfile-self",
    ]  # fmt: skip


# The answer needs the damaged object, so any rows would be invented.
MUST_FAIL = {
    f"corrupt-{kind}-{object}"
    for kind in ("missing", "empty", "flip", "cut", "lie", "garbage")
    for object in ("blob", "tree", "root-tree", "commit")
} | {
    "corrupt-missing-parent",
    "corrupt-pack-cut",
    "corrupt-pack-empty",
    "corrupt-pack-missing",
    "corrupt-config",
    "corrupt-no-objects",
}


@functools.cache
def rows_of_git(
    repo: pathlib.Path, pair: tuple[str, str], undamaged: pathlib.Path | None = None
) -> list[Change]:
    """Returns git's rows, or those of an undamaged repository where git fails."""
    try:
        (rows,) = repositories.changes(repo, [pair])
    except (repositories.GitFailed, AssertionError, ValueError):
        if undamaged is None:
            raise
        return rows_of_git(undamaged, pair)
    return rows


@pytest.mark.parametrize("name", corrupt_repositories())
def test_a_broken_repository_gives_right_rows_or_an_error(con, name):
    """Right rows are those of git in the same place, or, where git fails, those of the undamaged repository."""
    repo = repositories.fixtures() / name
    assert os.path.lexists(repo)
    source = repositories.fixture(
        "multi-pack"
        if "multi-pack" in name
        else "files-only"
        if "-pack-" in name
        else "corrupt-source"
    )
    for kind, (query, pair, shown) in QUERIES.items():
        if "multi-pack" in name:
            pair = ["before", "later"]
        wanted = rows_of_git(repo, tuple(pair), source)
        got = answer(con, query, *pair, repo)
        if got.error is None:
            assert not (kind == "all" and name in MUST_FAIL), f"{len(got.rows)} rows from {name}"
            difference = repositories.first_differences(got.rows, [shown(row) for row in wanted])
            assert not difference, f"{name}, {kind}: {difference}"
        else:
            repositories.code_and_words(got.error)
    file, pair = (
        ("later.txt", ["before", "later"])
        if "multi-pack" in name
        else ("a.txt", ["main~1", "main"])
    )
    for query, parameters in [
        (ONE_FILE, [file, *pair]),
        (LISTED_FILE, [file, *pair]),
        (LISTED, pair),
    ]:
        got = answer(con, query, *parameters, repo)
        if got.error is not None:
            repositories.code_and_words(got.error)
        else:
            assert got.rows, f"{name}: no error and no row from {query}"


ODD_TREES = [
    "mode-100664", "mode-100664-same-blob", "mode-100666", "mode-100775", "mode-040755", "mode-leading-zero", "mode-0", "mode-fifo",
    "unsorted", "duplicate", "duplicate-folder", "name-dot-git", "name-dot-git-folder", "name-dot-git-case", "name-dot-dot",
    "name-dot-dot-folder", "name-dot", "name-slash", "name-absolute", "name-traversal", "name-empty", "folder-is-blob", "file-is-tree",
    "file-is-missing", "folder-is-missing", "file-is-null", "empty-folder", "cut-in-id", "cut-in-name", "cut-in-mode", "no-mode",
    "mode-not-octal",
]  # fmt: skip
LIKE_GIT = {
    name
    for name in ODD_TREES
    if name.startswith("mode-100") or name in ("mode-040755", "mode-leading-zero", "empty-folder")
}
FORGED = {
    name
    for name in ODD_TREES
    if re.match("name-(slash|absolute|traversal|empty|dot$|dot-dot)", name)
}


# Promise (answers): A tree with truncated entries, or with names that could be paths elsewhere
# (`a/b`, `/etc/passwd`, `..`), is an error.
@pytest.mark.parametrize("name", ODD_TREES)
def test_a_tree_that_git_would_not_write_forges_no_rows(con, name):
    """Each tree gives git's rows or an error; a name that looks like a path elsewhere always gives an error."""
    repo = repositories.fixture("odd-trees")
    for pair in [("plain", name), (name, "plain"), ("changed", name), (EMPTY, name), (name, EMPTY)]:
        got = answer(con, ALL, *pair, repo)
        try:
            (wanted,) = repositories.changes(repo, [pair])
        except (repositories.GitFailed, AssertionError, ValueError) as error:
            assert_refused(got), error
            continue
        if name in FORGED:
            assert_refused(got, "tool_failed")  # even where the name is on one side only
        elif got.error is not None:
            assert name not in LIKE_GIT, got.error
            repositories.code_and_words(got.error)
        else:
            assert not repositories.first_differences([Change(*row) for row in got.rows], wanted), (
                pair
            )


# Promise (survival): Directories nested deeper than git's own limit (2048) are an error, and
# never a stack overflow.
@pytest.mark.parametrize("depth", [2000, 2047, 2048, 2049, 2100, 20000])
def test_deep_directories_do_not_end_the_process(extension, depth):
    """Down to the depth that git reads (core.maxTreeDepth) there is an answer, deeper an error, and never a stack overflow."""
    repo = repositories.fixture("deep")
    pair = (f"deep-{depth}-old", f"deep-{depth}-new")
    try:
        (wanted,) = repositories.changes(repo, [pair])
    except repositories.GitFailed:
        wanted = None
    *answers, same = apart.run(
        extension,
        [
            (ALL, [*pair, str(repo)]),
            (NAMES, [EMPTY, pair[1], str(repo)]),
            (ALL, [pair[0], pair[0], str(repo)]),
        ],
    )
    for got in answers:
        if wanted is None:
            assert_refused(got, "tool_failed", "too_large")
        else:
            assert got.error is None, got.error
            assert len(got.rows) == 1 and got.rows[0][0] == wanted[0].file_path
    # A directory that is the same on both sides is not opened, however deep it is.
    assert same.rows == []


# -- (c) arguments -----------------------------------------------------------------------------

STRINGS = [
    "", " ", "\t", "-", "--", "--output=y", "-Oy", "--help", "--no-index", "-p", "a\nb", "a\rb", "a\tb", "a'b", 'a"b', "a;b", "$(touch x)", "`touch x`", "| touch x",
    "; touch x", "&& touch x", "%s%n%x", "{}", "\\", "\\x00", "é", "日本", "\u202egnp.exe", "\ufeff", "../../../etc/passwd", "/etc/passwd",
    "/etc", "/nonexistent", "~", "~root", "file:///etc", "http://127.0.0.1:1/x.git", "ssh://127.0.0.1/x", "ext::sh -c touch%20x", "git@127.0.0.1:x",
    "C:\\Windows", "\\\\server\\share", "/dev/zero", "/dev/null", "/dev/stdin", "/proc/self/mem", "/proc/self/fd/0", "x" * 5_000, "x" * 5_000_000, "a/" * 5_000, "💥",
    "HEAD:/", ":(exclude)*", "*", "**", "[", "^", "@{", "@{-1}", "HEAD^{", "HEAD^{/", "HEAD@{999999999999999999999}", "NUL", "con",
]  # fmt: skip
CALLS = {
    "file_changes.from": (ALL, lambda bad, repo: [bad, "after", repo]),
    "file_changes.to": (ALL, lambda bad, repo: ["before", bad, repo]),
    "file_changes.repo": (ALL, lambda bad, _: ["before", "after", bad]),
    "file_diff.file": (ONE_FILE, lambda bad, repo: [bad, "before", "after", repo]),
    "file_diff.from": (ONE_FILE, lambda bad, repo: ["modified.txt", bad, "after", repo]),
    "file_diff.to": (ONE_FILE, lambda bad, repo: ["modified.txt", "before", bad, repo]),
    "file_diff.repo": (ONE_FILE, lambda bad, _: ["modified.txt", "before", "after", bad]),
    "file_changes_list.from": (LISTED, lambda bad, repo: [bad, "after", repo]),
    "file_changes_list.to": (LISTED, lambda bad, repo: ["before", bad, repo]),
    "file_changes_list.repo": (LISTED, lambda bad, _: ["before", "after", bad]),
    "file_diff_list.file": (LISTED_FILE, lambda bad, repo: [bad, "before", "after", repo]),
    "file_diff_list.from": (LISTED_FILE, lambda bad, repo: ["modified.txt", bad, "after", repo]),
    "file_diff_list.to": (LISTED_FILE, lambda bad, repo: ["modified.txt", "before", bad, repo]),
    "file_diff_list.repo": (LISTED_FILE, lambda bad, _: ["modified.txt", "before", "after", bad]),
}


# Promise (arguments): A revision, path or repository that starts with `-`, or contains shell
# metacharacters, line endings, a URL or five million characters, is only a name that does not
# exist. With `test_bad_revisions_are_refused_by_name`.
# Promise (arguments): An error names what was given, truncated, with control and direction
# characters escaped. With `test_bad_revisions_are_refused_by_name`.
@pytest.mark.parametrize("call", CALLS)
def test_bad_arguments_are_refused_by_name(con, call, tmp_path, monkeypatch):
    """Each gives an error with a code that names the argument, and nothing is written."""
    monkeypatch.chdir(tmp_path)  # no repository, so that no relative path names one
    repo = str(repositories.fixture("basic"))
    query, parameters = CALLS[call]
    for bad in STRINGS:
        got = answer(con, query, *parameters(bad, repo))
        words = assert_refused(got, "invalid_args", "not_found", "fs_denied", "tool_failed")
        assert len(words) < 3_000, "the message repeats a value of any length"
        shown = re.match(r"[\w/.@:=+~-]*", bad)[0][:40]
        assert shown in words, f"{bad[:60]!r} is not named: {words}"
        assert "\n" not in words.split("\nLINE ")[0].strip(), (
            f"a value broke the message into lines: {words}"
        )
    assert list(tmp_path.iterdir()) == []


# Promise (arguments): NULL for an argument of a table function is `invalid_args:`; a list
# function returns NULL.
@pytest.mark.parametrize("call", CALLS)
def test_null_is_not_a_value(con, call):
    """A table function refuses NULL; a scalar function returns NULL, and an old side that is NULL is EMPTY."""
    if call.endswith(".to") and "_list" not in call:
        pytest.skip("without a second revision the first is compared with the work tree")
    query, parameters = CALLS[call]
    repo = str(repositories.fixture("basic"))
    got = answer(con, query, *parameters(None, repo))
    if call.endswith("_list.from"):
        assert got.rows and got.rows == answer(con, query, *parameters("EMPTY", repo)).rows
    elif "_list" in call:
        assert got.error is None and got.rows == []
    else:
        assert "NULL" in assert_refused(got, "invalid_args")


# Promise (arguments): A NUL does not truncate an argument of the list functions.
@pytest.mark.parametrize("call", [call for call in CALLS if "_list" in call])
def test_a_nul_does_not_cut_an_argument_short(con, call):
    """`HEAD` followed by a NUL is not HEAD. (The C API itself cuts the arguments of table functions: docs/limitations.md.)"""
    query, parameters = CALLS[call]
    repo = str(repositories.fixture("basic"))
    good = {"file": "modified.txt", "from": "before", "to": "after", "repo": repo}[
        call.partition(".")[2]
    ]
    for bad in (f"{good}\0", f"{good}\0x", "\0", f"\0{good}"):
        assert_refused(answer(con, query, *parameters(bad, repo)), "invalid_args", "not_found")


def test_a_bad_context_is_refused(con):
    repo = str(repositories.fixture("basic"))
    for context in (-2, -2147483648, -9223372036854775808):
        for query in (
            f"SELECT * FROM file_diff('modified.txt', 'before', 'after', ?, context := {context})",
            f"SELECT file_diff_list('modified.txt', 'before', 'after', ?, {{'context': {context}}})",
        ):
            got = answer(con, query, repo)
            # DuckDB itself refuses what no INTEGER can hold.
            if got.error is None or "out of range" not in got.error:
                assert str(context) in assert_refused(got, "invalid_args")
    whole = answer(
        con, "SELECT * FROM file_diff('modified.txt', 'before', 'after', ?, context := -1)", repo
    ).rows
    for context in (1_000_000, 2147483647):
        assert (
            answer(
                con,
                f"SELECT * FROM file_diff('modified.txt', 'before', 'after', ?, context := {context})",
                repo,
            ).rows
            == whole
        )


def test_a_directory_is_not_diffed_as_a_file(con):
    repo = repositories.fixture("basic")
    for path in (
        "same/tree",
        "order/a/y",
        "paths",
        "",
        ".",
        "/",
        "./modified.txt/",
        "modified.txt/",
        "order//a",
        "order/../modified.txt",
        str(repo / "modified.txt"),
    ):
        assert_refused(
            answer(con, ONE_FILE, path, "before", "after", repo), "not_found", "invalid_args"
        )


def test_a_missing_file_gets_a_suggestion(con):
    repo = repositories.fixture("basic")
    for wrong, near in {
        "modifed.txt": "modified.txt",
        "Modified.txt": "modified.txt",
        "attributes/sub/plain.tx": "attributes/sub/plain.txt",
    }.items():
        words = assert_refused(answer(con, ONE_FILE, wrong, "before", "after", repo), "not_found")
        assert wrong in words and near in words


def test_a_path_without_a_repository_is_not_found(con, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for place in ("nosuch", "nosuch/deeper", "file", "file/x", "folder"):
        assert place.partition("/")[0] in assert_refused(
            answer(con, ALL, "HEAD~1", "HEAD", tmp_path / place), "not_found"
        )


def test_a_directory_without_permission_is_refused(con, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read every folder")
    repo = tmp_path / "repo"
    shutil.copytree(repositories.fixture("module-source"), repo)
    for part in (".git", ".git/objects", ".git/refs", ".git/HEAD", ".git/config", ""):
        path = repo / part
        mode = stat.S_IMODE(path.stat().st_mode)
        path.chmod(0)
        try:
            assert_refused(answer(con, ALL, "main~1", "main", repo))
        finally:
            path.chmod(mode)
    assert answer(con, ALL, "main~1", "main", repo).error is None
