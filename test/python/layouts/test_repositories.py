"""Every kind of repository answers as git does in the same place, or is refused with an error that names the reason."""

import os
import pathlib
import shutil

import duckdb
import pytest
import repositories
from repositories import EMPTY, Change

ALL = "SELECT * FROM file_changes(?, ?, ?)"


def asked(con, old, new, repo) -> list[Change]:
    return [Change(*row) for row in con.execute(ALL, [old, new, str(repo)]).fetchall()]


def assert_like_git(
    con, repo: pathlib.Path, old: str, new: str, place: pathlib.Path | None = None
) -> None:
    """Compares the rows with git's, run in `place` where that differs from `repo`."""
    (wanted,) = repositories.changes(place or repo, [(old, new)])
    assert wanted or old == new, "the fixture has no change to compare"
    difference = repositories.first_differences(asked(con, old, new, repo), wanted)
    assert not difference, f"{repo}, {old} to {new}: {difference}"


def refused(con, old, new, repo, query=ALL) -> tuple[str, str]:
    """Returns the code and the words of the error that the query must raise."""
    with pytest.raises(duckdb.Error) as caught:
        rows = con.execute(query, [old, new, str(repo)]).fetchall()
        pytest.fail(f"{len(rows)} rows instead of an error")
    assert con.execute("SELECT 42").fetchone() == (42,)
    return repositories.code_and_words(caught.value)


# -- kinds that answer ------------------------------------------------------------------------

KINDS = {
    "a work tree": ("basic", "before", "after"),
    "a folder in a work tree": ("basic/merged", "before", "after"),
    "a folder deep in a work tree": ("basic/attributes/sub/deeper", "before", "after"),
    "a bare repository": ("bare.git", "before", "after"),
    "a linked work tree": ("linked-worktree", "HEAD", "main"),
    "a folder in a linked work tree": ("linked-worktree/order", "HEAD", "main"),
    "a repository with a submodule": ("super", EMPTY, "HEAD"),
    "a submodule's own repository": ("super/module", "HEAD~1", "HEAD"),
    "a folder in a submodule": ("super/module/sub", "HEAD~1", "HEAD"),
    "a submodule's git folder": ("super/.git/modules/module", "HEAD~1", "HEAD"),
    "a .git file beside the work tree": ("separate", "HEAD~1", "HEAD"),
    "a git folder with another name": ("separate.git", "HEAD~1", "HEAD"),
    "a .git folder": ("module-source/.git", "HEAD~1", "HEAD"),
    "alternates": ("alternates", "before", "after"),
    "relative alternates": ("alternates-relative", "before", "after"),
    "alternates of alternates": ("alternates-of-alternates", "before", "after"),
    "a shallow clone": ("shallow", "HEAD~1", "HEAD"),
    "the boundary of a shallow clone": ("shallow-tip", EMPTY, "HEAD"),
    "SHA-256 ids": ("sha256", "HEAD~1", "HEAD"),
    "packed objects and refs": ("packed", "before", "after"),
    "a multi-pack index": ("multi-pack", "before", "later"),
    "a multi-pack index and loose objects": ("multi-pack-mixed", "before", "later"),
    "a commit graph": ("commit-graph", "HEAD~1", "HEAD"),
    "settings per work tree": ("worktree-config", "HEAD~1", "HEAD"),
    "a bare repository with linked work trees": ("hub.git", "main~1", "main"),
    "a work tree of a bare repository": ("hub-worktree", "HEAD~1", "HEAD"),
    "HEAD on a branch that is not born": ("unborn", "main~1", "main"),
    "a detached HEAD": ("detached", "HEAD", "main"),
    "a sparse checkout": ("sparse", "HEAD~1", "HEAD"),
    "a sparse index": ("sparse-index", "HEAD~1", "HEAD"),
    "a split index": ("split-index", "HEAD~1", "HEAD"),
    "an index of version 4": ("index-4", "HEAD~1", "HEAD"),
    "an index with marked files": ("marked-index", "HEAD~1", "HEAD"),
    "a bare repository in a work tree": ("embedded/inner.git", "HEAD~1", "HEAD"),
    "a relative path to a linked work tree": ("relative-worktree", "HEAD~1", "HEAD"),
    "an incremental multi-pack index": ("multi-pack-incremental", "before", "later"),
    "references in tables": ("reftable", "HEAD~1", "HEAD"),
    "no index": ("no-index", "HEAD~1", "HEAD"),
    "only packed refs and one pack": ("files-only", "HEAD~1", "HEAD"),
    "format 1 with extensions that change nothing here": ("format-1-known", "HEAD~1", "HEAD"),
    "format 0 with an extension that git ignores there": (
        "format-0-unknown-extension",
        "HEAD~1",
        "HEAD",
    ),
    "a config that names another work tree": ("sandbox/inside/worktree-etc", "HEAD~1", "HEAD"),
    "a broken index": ("corrupt-index", "HEAD~1", "HEAD"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_repository_answers_as_git_does(con, kind):
    name, old, new = KINDS[kind]
    assert_like_git(con, repositories.fixture(name), old, new)


REFUSED = {
    "format-99": "99",
    "format-unknown-extension": "fancything",
    "format-unknown-refs": "fancy",
    "format-unknown-hash": "sha512",
    "format-0-with-hash": "objectformat",
    "format-word": "not a number",
}


# Promise (answers): A repository with an unknown format, extension or kind of references is
# refused, not guessed.
@pytest.mark.parametrize("name", REFUSED)
def test_an_unknown_format_is_refused(con, name):
    """Git refuses each of these; the error must say what is not understood."""
    repo = repositories.fixture(name)
    with pytest.raises(repositories.GitFailed):
        repositories.git(repo, "rev-parse", "--verify", "main^{tree}")
    for old, new in [("main~1", "main"), (EMPTY, "main")]:
        code, words = refused(con, old, new, repo)
        assert code == "tool_failed"
        assert REFUSED[name] in words.lower(), words


def test_a_git_file_without_its_prefix_is_not_followed(con, tmp_path):
    """`.git` must contain `gitdir: <path>`; git refuses a path alone."""
    (tmp_path / ".git").write_text(f"{repositories.fixture('module-source')}/.git\n")
    with pytest.raises(repositories.GitFailed):
        repositories.git(tmp_path, "rev-parse", "main")
    refused(con, "main~1", "main", tmp_path)


def test_sha1_objects_are_not_read_as_sha256(con):
    refused(con, "main~1", "main", repositories.fixture("format-wrong-hash"))


# -- where a repository is --------------------------------------------------------------------

PLACES = {
    "a slash at the end": lambda repo: f"{repo}/",
    "a dot at the end": lambda repo: f"{repo}/.",
    "through the parent folder": lambda repo: f"{repo}/../{repo.name}",
    "doubled slashes": lambda repo: str(repo).replace("/", "//"),
    "relative to the current folder": lambda repo: os.path.relpath(repo),
}


@pytest.mark.parametrize("place", PLACES)
def test_other_ways_to_write_the_path_find_the_repository(con, place):
    repo = repositories.fixture("basic")
    (wanted,) = repositories.changes(repo, [("before", "after")])
    assert not repositories.first_differences(
        asked(con, "before", "after", PLACES[place](repo)), wanted
    )


def test_a_link_to_a_repository_finds_it(con, tmp_path):
    (tmp_path / "link").symlink_to(repositories.fixture("basic"))
    assert_like_git(con, tmp_path / "link", "before", "after", place=repositories.fixture("basic"))


def test_the_current_directory_finds_its_repository(con, monkeypatch):
    repo = repositories.fixture("basic")
    (wanted,) = repositories.changes(repo, [("before", "after")])
    for folder in (repo, repo / "order"):
        monkeypatch.chdir(folder)
        assert not repositories.first_differences(asked(con, "before", "after", "."), wanted), (
            folder
        )


def test_a_directory_without_a_repository_is_not_found(con, tmp_path):
    (tmp_path / "folder").mkdir()
    code, words = refused(con, "HEAD~1", "HEAD", tmp_path / "folder")
    assert code == "not_found" and "folder" in words


# -- attributes -------------------------------------------------------------------------------

ATTRIBUTES = [
    "attributes-uncommitted", "attributes-index-only", "attributes-link", "attributes-info-only",
    "attributes-sub-index-only", "attributes-bare.git", "drivers",
]  # fmt: skip


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_come_from_where_git_takes_them(con, name):
    assert_like_git(con, repositories.fixture(name), "main~1", "main")


# -- revisions --------------------------------------------------------------------------------

REVISIONS = [
    "HEAD", "@", "HEAD~1", "HEAD^", "HEAD^1", "HEAD~2^2", "HEAD~1^3", "HEAD~3", "HEAD^^", "@~1",
    "main", "heads/main", "refs/heads/main", "main@{0}", "main@{1}", "main@{2}", "@{1}",
    "before", "tags/before", "refs/tags/before", "annotated", "nested-tag", "annotated^{}", "annotated^{commit}",
    "annotated^{tree}", "nested-tag^0", "nested-tag~1", "tree-tag", "refs/remotes/origin/main", "origin/main",
    "main^{tree}", "main:", "main:order", "main:attributes/sub", ":/before", "main^{/before}",
    "refs/heads/EMPTY", "heads/EMPTY", "refs/heads/INDEX", "refs/heads/WORKTREE", "refs/heads/HEAD", "refs/heads/--output=x",
    "refs/heads/-x", "refs/heads/@x", "@x", "qu'ote", "grün", "v1.0-3-gabcdef0", "deadbeef", "left", "other-root",
]  # fmt: skip


@pytest.mark.parametrize("revision", REVISIONS)
def test_revisions_name_the_trees_that_git_names(con, revision):
    repo = repositories.fixture("basic")
    pairs = [(EMPTY, revision), (revision, EMPTY), (revision, "after")]
    for pair, wanted in zip(pairs, repositories.changes(repo, pairs), strict=True):
        assert not repositories.first_differences(asked(con, *pair, repo), wanted), pair


def test_full_and_short_ids_name_the_trees_that_git_names(con):
    repo = repositories.fixture("basic")
    for name in ("main", "before^{tree}", "annotated"):
        oid = repositories.git_text(repo, "rev-parse", name)
        for length in (40, 20, 10):
            assert_like_git(con, repo, EMPTY, oid[:length])


def test_empty_is_not_read_as_the_branch_of_that_name(con):
    """EMPTY, in upper or lower case, is the empty tree even in a repository with a branch EMPTY."""
    repo = repositories.fixture("basic")
    (wanted,) = repositories.changes(repo, [(EMPTY, "before")])
    for word in ("EMPTY", "empty", "Empty"):
        assert not repositories.first_differences(asked(con, word, "before", repo), wanted)
    assert asked(con, "EMPTY", "EMPTY", repo) == []


BAD_REVISIONS = [
    "nosuch", "nosuch~1", "HEAD~999", "HEAD^9", "main@{99}", "@{-1}", "before^{blob}", "blob-tag", "main:modified.txt",
    "main:nosuch", "0000000000000000000000000000000000000000", "1234567890123456789012345678901234567890", "abcd", "HEAD^{nosuch}",
    ":/no commit says this", "main~", "^main", "main^!", "main^@", "~1", "^", "~", ":", ":modified.txt", "HEAD~1~~~~~~~~~~~~~~",
    "main ", " main", "refs/heads/", "heads/", "refs/../HEAD", "../HEAD", ".git/HEAD", "/etc/passwd", "main@{yesterday",
    "--output=y", "--all", "-p", "--no-index", "main\nHEAD", "main\tHEAD", "HEAD~99999999999999999999", "HEAD^{/[}",
]  # fmt: skip


@pytest.mark.parametrize("revision", BAD_REVISIONS)
def test_bad_revisions_are_refused_by_name(con, revision):
    """Each gives an error with a code that names it; where git resolves one to a tree, the rows of that tree are accepted too."""
    repo = repositories.fixture("basic")
    for pair in [(revision, "main"), ("main", revision)]:
        try:
            (wanted,) = repositories.changes(repo, [pair])
        except (repositories.GitFailed, ValueError):
            wanted = None
        if wanted is not None:
            try:
                got = asked(con, *pair, repo)
            except duckdb.Error as error:
                repositories.code_and_words(error)
            else:
                assert not repositories.first_differences(got, wanted)
            continue
        code, words = refused(con, *pair, repo)
        assert code in ("not_found", "invalid_args", "tool_failed"), code
        assert revision.strip().encode("unicode_escape").decode() in words, (
            f"the value is not named: {words}"
        )
    assert not (repositories.ROOT / "y").exists() and not (repositories.ROOT / "x").exists()


def test_the_parent_of_a_shallow_boundary_is_not_found(con):
    code, _ = refused(con, "HEAD~1", "HEAD", repositories.fixture("shallow-tip"))
    assert code == "not_found"


def test_an_unborn_head_is_not_found(con):
    for name in ("unborn", "nothing-yet"):
        code, words = refused(con, EMPTY, "HEAD", repositories.fixture(name))
        assert code == "not_found" and "HEAD" in words
    assert asked(con, EMPTY, EMPTY, repositories.fixture("nothing-yet")) == []


def heads() -> list[bytes]:
    """Returns what may stand in HEAD after damage: each byte with another bit, cut there, and with something put in."""
    head = b"ref: refs/heads/main\n"
    return [
        changed
        for at in range(len(head))
        for changed in (
            head[:at] + bytes([head[at] ^ 1 << at % 8]) + head[at + 1 :],
            head[:at],
            head[:at] + [b"\0", b"/", b"\xff", b".."][at % 4] + head[at:],
        )
    ]


def test_a_damaged_head_gives_git_s_rows_or_an_error(con, tmp_path):
    """A HEAD that names no reference makes no repository; one that names an unborn branch is the empty tree beside the index."""
    repositories.git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    (tmp_path / "a").write_text("x\n")
    repositories.git(tmp_path, "add", "a")
    query = "SELECT file_path FROM file_changes(?, ?, ?)"
    answered = 0
    for head in heads():
        (tmp_path / ".git/HEAD").write_bytes(head)
        try:
            rows = con.execute(query, ["HEAD", "INDEX", str(tmp_path)]).fetchall()
        except duckdb.Error as error:
            repositories.code_and_words(error)
            continue
        answered += 1
        assert rows == [("a",)]
        staged = repositories.git(tmp_path, "diff", "--cached", "--name-only")
        assert staged == b"a\n", f"git finds no repository: {head}"
    assert 10 < answered < len(heads())


# -- different from git on purpose ------------------------------------------------------------


# Promise (answers): `git replace` cannot show other content than the ids name.
def test_replacements_are_ignored(con):
    """`git replace` can show a reviewer something other than what will be built."""
    repo = repositories.fixture("replaced")
    honest, pair = (
        repositories.environment(),
        ["diff-tree", "-r", "--raw", "main~1^{tree}", "main^{tree}"],
    )
    fooled = {name: value for name, value in honest.items() if name != "GIT_NO_REPLACE_OBJECTS"}
    assert repositories.git(repo, *pair, env=fooled) != repositories.git(repo, *pair), (
        "the fixture replaces nothing"
    )
    assert_like_git(con, repo, "main~1", "main")


def test_grafts_are_ignored(con):
    """info/grafts is deprecated in git. The parent is the one that the commit names."""
    repo = repositories.fixture("grafted")
    with pytest.raises(repositories.GitFailed):
        repositories.git(repo, "rev-parse", "--verify", "main~1")
    assert asked(con, "main~1", "main", repo) == asked(con, "old", "main", repo)


def test_a_repository_of_another_user_is_read(con, tmp_path):
    """git demands safe.directory, since it might run the other user's commands; redline runs none."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    repo = tmp_path / "repo"
    shutil.copytree(repositories.fixture("module-source"), repo)
    for path in [repo, *repo.rglob("*")]:
        os.chown(path, 65534, 65534, follow_symlinks=False)
    strict = {
        name: value
        for name, value in repositories.environment().items()
        if not name.startswith("GIT_CONFIG_")
    }
    with pytest.raises(repositories.GitFailed, match="dubious ownership"):
        repositories.git(
            repo,
            "rev-parse",
            "main",
            env=strict | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
        )
    assert_like_git(con, repo, "main~1", "main")


# -- missing objects --------------------------------------------------------------------------


def test_a_partial_clone_lists_its_files_and_fetches_nothing(con):
    repo = repositories.fixture("partial-clone")
    before = sorted(path for path in (repo / ".git" / "objects").rglob("*"))
    (raw,) = repositories.raw_changes(repo, [("main~1", "main")])
    names = con.execute(
        "SELECT file_path, status FROM file_changes('main~1', 'main', ?)", [str(repo)]
    ).fetchall()
    assert names == [(record.path.decode(), repositories.STATUS[record.status]) for record in raw]
    for columns in ("additions", "is_binary", "old_size"):
        code, words = refused(
            con, "main~1", "main", repo, f"SELECT {columns} FROM file_changes(?, ?, ?)"
        )
        assert code in ("not_found", "tool_failed")
        sides = (raw[0].old_oid[:7], raw[0].new_oid[:7])
        assert any(side in words for side in sides) or raw[0].path.decode() in words, (
            f"the missing object is not named: {words}"
        )
    refused(con, "main~1", "main", repo, "SELECT * FROM file_diff('a.txt', ?, ?, ?)")
    assert sorted(path for path in (repo / ".git" / "objects").rglob("*")) == before, (
        "objects were fetched"
    )
