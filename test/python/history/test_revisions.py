"""Every form of a revision against `git rev-parse`, errors included, in SHA-1 and SHA-256."""

import os
import pathlib
import re
import subprocess
import time
import zlib

import duckdb
import pytest
import repositories

HOUR = 3600
START = 1_700_000_000


class World:
    """A repository with an object for each form to name; its references are in files or in tables."""

    def __init__(self, path: pathlib.Path, hash: str, are_tables: bool):
        self.path, self.hash, self.clock, self.are_tables = path, hash, START, are_tables
        path.mkdir(parents=True)
        formats = {
            "GIT_DEFAULT_HASH": hash,
            "GIT_DEFAULT_REF_FORMAT": "reftable" if are_tables else "files",
        }
        made = repositories.environment(**formats)
        repositories.git(path, "init", "--quiet", "--initial-branch=main", ".", env=made)
        if are_tables and not (path / ".git/reftable").exists():
            pytest.skip(f"{repositories.git_version()} makes no tables of references")
        self.commit("first", {"a.txt": "one\n", "sub/b.txt": "two\n", "sub/deep/c.txt": "three\n"})
        self.commit(
            "second: fix (a) [b] a{x\n\nbody of the second\nReviewed-by: X", {"a.txt": "two\n"}
        )
        self.git("tag", "light")
        self.git("tag", "-a", "-m", "annotated", "annotated")
        self.git("tag", "-a", "-m", "nested", "nested", "annotated")
        self.git("tag", "tree-tag", "HEAD^{tree}")
        self.git("tag", "blob-tag", "HEAD:a.txt")
        self.git("tag", "-a", "-m", "tree", "annotated-tree", "HEAD^{tree}")
        self.git("checkout", "--quiet", "-b", "feature", "main~1")
        self.commit("third: on feature..branch", {"f.txt": "f\n"})
        self.git("checkout", "--quiet", "-b", "topic/one")
        self.commit("fourth <word> +plus", {"g.txt": "g\n"})
        self.git("checkout", "--quiet", "main")
        self.commit("fifth", {"a.txt": "five\n"})
        self.git("merge", "--quiet", "--no-ff", "-m", "merge three", "feature", "topic/one")
        self.commit("sixth ünï", {"a.txt": "six\n"})
        self.git("checkout", "--quiet", "light")
        self.git("checkout", "--quiet", "main")
        # The same short name as a branch, a tag and a remote-tracking branch.
        for name, target in [
            ("heads/same", "main~1"),
            ("tags/same", "main~2"),
            ("remotes/origin/same", "main~3"),
        ]:
            self.git("update-ref", f"refs/{name}", target)
        self.git("update-ref", "refs/remotes/origin/main", "main~1")
        self.git("update-ref", "refs/remotes/origin/feature", "feature")
        self.git("update-ref", "refs/remotes/fork/feature", "feature~1")
        self.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        self.git("symbolic-ref", "refs/remotes/gone/HEAD", "refs/remotes/gone/main")
        self.git("symbolic-ref", "refs/heads/alias", "refs/heads/feature")
        self.git("symbolic-ref", "refs/heads/loop1", "refs/heads/loop2")
        self.git("symbolic-ref", "refs/heads/loop2", "refs/heads/loop1")
        for number in range(1, 7):
            self.git(
                "symbolic-ref",
                f"refs/heads/deep{number}",
                f"refs/heads/deep{number - 1}" if number > 1 else "refs/heads/main",
            )
        self.git("update-ref", "refs/special/x", "main~2")
        self.git("update-ref", "refs/heads/v1.0-1-gabcdefg", "main")
        self.git("update-ref", "refs/heads/@x", "main~1")
        self.git("update-ref", "refs/heads/HEAD", "main~2")
        self.git("update-ref", "refs/heads/gr\u00fcn", "main~2")
        self.git("update-ref", "refs/heads/beef", "main~2")
        fetched = f"{self.id('main~2')}\tnot-for-merge\tbranch 'x' of y\n{self.id('main')}\t\n"
        (path / ".git/FETCH_HEAD").write_text(fetched)
        (path / ".git/MERGE_HEAD").write_text(f"{self.id('main~1')}\n")
        for name in ("ORIG_HEAD", "CHERRY_PICK_HEAD"):
            self.git("update-ref", name, "main~1")
        if not are_tables:
            (path / ".git/refs/heads/empty").write_text("")
            (path / ".git/refs/heads/garbage").write_text("garbage\n")
            (path / ".git/refs/heads/missing").write_text(("1" * len(self.id("main"))) + "\n")
            (path / ".git/LOWER_lower").write_text(f"{self.id('main')}\n")
        for key, value in {
            "remote.origin.url": "/nowhere",
            "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
            "remote.fork.url": "/nowhere",
            "remote.fork.fetch": "+refs/heads/*:refs/remotes/fork/*",
            "branch.main.remote": "origin",
            "branch.main.merge": "refs/heads/main",
            "branch.feature.remote": "origin",
            "branch.feature.merge": "refs/heads/feature",
            "branch.feature.pushRemote": "fork",
            "branch.topic/one.remote": ".",
            "branch.topic/one.merge": "refs/heads/main",
            "branch.same.remote": "nosuch",
            "branch.same.merge": "refs/heads/x",
            "branch.beef.remote": "origin",
            "branch.beef.merge": "refs/heads/not-fetched",
        }.items():
            self.git("config", key, value)
        (path / "a.txt").write_text("staged\n")
        self.git("add", "a.txt")
        self.git("pack-refs", "--all", "--no-prune")
        self.git("pack-refs", "--all")
        self.git("update-ref", "refs/heads/loose", "main~1")
        for name in ("empty", "garbage", "missing"):
            if not are_tables and not (path / ".git/refs/heads" / name).exists():
                raise AssertionError(f"{name} was packed")

    def git(self, *arguments: str) -> str:
        date = f"{self.clock} +0100"
        who = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in [("NAME", "A"), ("EMAIL", "a@b"), ("DATE", date)]
        }
        return (
            repositories.git(self.path, *arguments, env=repositories.environment(**who))
            .decode()
            .rstrip("\n")
        )

    def commit(self, message: str, files: dict[str, str]) -> None:
        self.clock += HOUR
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", message)

    def id(self, name: str) -> str:
        return self.git("rev-parse", "--verify", name)


@pytest.fixture(scope="module", params=["sha1", "sha256", "sha256 tables"])
def world(request, tmp_path_factory) -> World:
    hash, are_tables = "sha256" if "sha256" in request.param else "sha1", "tables" in request.param
    return World(tmp_path_factory.mktemp("revisions") / "repo", hash, are_tables)


def expressions(world: World) -> list[str]:
    main, tree, blob, tag = (
        world.id(name) for name in ("main", "main^{tree}", "main:a.txt", "annotated")
    )
    names = [
        "HEAD", "@", "main", "heads/main", "refs/heads/main", "light", "tags/light", "refs/tags/light", "annotated", "nested", "tree-tag",
        "blob-tag", "annotated-tree", "feature", "topic/one", "one", "same", "heads/same", "tags/same", "origin/same", "remotes/origin/same",
        "origin", "origin/HEAD", "origin/main", "refs/remotes/origin/main", "gone", "gone/HEAD", "refs/remotes/gone/HEAD", "alias", "loop1",
        "loop2", "deep1", "deep2", "deep3", "deep4", "deep5", "deep6", "special/x", "refs/special/x", "x", "@x", "grün", "beef",
        "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "FETCH_HEAD", "REVERT_HEAD", "LOWER_lower", "config", "index", "packed-refs", "objects",
        "refs", "refs/heads", "refs/heads/", "heads/", "loose", "empty", "garbage", "refs/heads/garbage", "nosuch", "HEAD.lock", "a..b", "main.",
        ".main", "ma in", "main ", " main", "main\n", "ma\tin", "-main", "--all", "../HEAD", "/HEAD", "refs/../HEAD", "refs//heads/main",
        "logs/HEAD/x", "HEAD/x", "main/x", "@@", "@/x", "~", "^", "", ":", "::", "{", "}", "@{", "@}", "@{}", "HEAD@{}", "^{}", "^{tree}",
        "main-worktree/HEAD", "main-worktree/refs/heads/main", "worktrees/x/HEAD", "refs/heads/HEAD", "heads/HEAD",
    ]  # fmt: skip
    steps = [
        "HEAD^", "HEAD^0", "HEAD^1", "HEAD^2", "HEAD~1^2", "HEAD~1^3", "HEAD~1^4", "HEAD~", "HEAD~0", "HEAD~1", "HEAD~2", "HEAD~3", "HEAD~99",
        "HEAD^^", "HEAD^^^", "HEAD~~", "HEAD^1~1", "HEAD~1^2~1", "HEAD~1^2^1", "HEAD^99999999999", "HEAD~2147483647", "HEAD~2147483648",
        "HEAD~99999999999999999999", "HEAD^-", "annotated^", "annotated~1", "annotated^0", "nested^0", "nested~1", "tree-tag^0", "tree-tag~1",
        "blob-tag^0", "annotated^{}", "nested^{}", "tree-tag^{}", "blob-tag^{}", "main^{}", "annotated-tree^{}", "annotated^{commit}",
        "annotated^{tag}", "annotated^{object}", "nested^{tag}", "annotated^{tree}", "main^{tree}", "main^{tag}", "main^{blob}", "blob-tag^{blob}",
        "tree-tag^{tree}", "tree-tag^{commit}", "annotated-tree^{tree}", "annotated-tree^{commit}", "main^{nosuch}", "main^{commit}^{tree}",
        "main^{tree}^{tree}", "main^{tree}@{1}", "main^{tree", "main^tree}", "main^{}^{}^{}", "main^{}~1^{}^0", "nested^{}^{tree}", "main^{commit}~1^2",
        "main^{Tree}", "main^{ tree}", "main^{object}", "missing", "missing^{object}", "missing^{commit}", "missing~1", "missing^{}", "alias~1",
        "deep3~1", "same^{tree}", "HEAD^{^{tree}", "main^@", "main^!", "^main", "!main", "main^{/}",
    ]  # fmt: skip
    messages = [
        ":/first", ":/fifth", ":/nosuch", ":/^second", ":/body of", ":/a.*fifth", ":/x$", ":/Reviewed-by: X$", ":/", ":/!", ":/!x",
        ":/!!x", ":/[", ":/(", ":/fi(rst)", ":/fi(r)s?t", ":/[[:digit:]]", ":/[[:upper:]]", ":/\\[b\\]", ":/\\(a\\)",
        ":/a\\{x", ":/a{x", ":/^.{5}$", ":/third: on feature..branch", ":/feature..branch", ":/\\<word\\>", ":/<word>",
        ":/\\+plus", ":/+plus", ":/ünï", ":/*", ":/s*ixth", ":/mer?g+e", ":/th{1,2}ree", ":/first^{tree}", ":/first~1",
        "main^{/first}", "main^{/sixth}", "main^{/nosuch}", "main~1^{/^fi}", "HEAD^{/third}", "HEAD^{/third}^", "HEAD^{/third}~1", "feature^{/fifth}",
        "HEAD^{/!-sixth}", "HEAD^{/!!}", "HEAD^{/!x}", "HEAD^{/a{x}", "HEAD^{/a\\{x}", "HEAD^{/[}", "annotated^{/first}", "tree-tag^{/first}",
        "HEAD^{/^second}^{tree}", "HEAD^{/second}:a.txt", "HEAD^{/}~1", ":/second:a.txt", "HEAD^{/third: on feature..branch}",
    ]  # fmt: skip
    paths = [
        "main:", "main:a.txt", "main:sub", "main:sub/", "main:sub/b.txt", "main:sub/deep/c.txt", "main:sub/deep", "main:sub//b.txt", "main:/a.txt",
        "main:nosuch", "main:a.txt/", "main:a.txt/x", "main:./a.txt", "main:sub/../a.txt", "main:./sub/../a.txt", "main:../a.txt", "main:./", "main:.",
        "main:..", "main:./sub/", "main:./sub//deep", "HEAD:a.txt", "@:a.txt", ":a.txt", ":0:a.txt", ":1:a.txt", ":2:a.txt", ":3:a.txt", ":4:a.txt",
        ":./a.txt", ":0:./a.txt", ":nosuch", ":sub", ":sub/b.txt", ":sub/", "annotated:a.txt", "tree-tag:a.txt", "blob-tag:a.txt", "main^{tree}:sub",
        "main~1:a.txt", "main:sub^{tree}", "main:a.txt^{blob}", "main:sub:b.txt", "HEAD:sub/deep/c.txt/", "nosuch:a.txt", f"{tree[:10]}:a.txt",
        f"{main[:8]}:sub", f"{blob[:10]}:a.txt", "HEAD@{0}:a.txt", "main:f.txt", "topic/one:g.txt", "main:a.txt~1", "{main:a.txt", "main}:a.txt",
    ]  # fmt: skip
    ids = [
        oid[:length]
        for oid in (main, tree, blob, tag)
        for length in (len(main), len(main) - 1, 40, 39, 20, 12, 8)
    ]
    ids += [main.upper(), main[:12].upper(), main[:3], f"x-1-g{main[:10]}", f"x-g{main[:10]}", f"-g{main[:10]}", f"x-1-g{main[:10]}-dirty",
            f"x-1-g{tree[:10]}", f"light-1-g{main[:8]}", f"x-1-g{main[:3]}", f"x-1-g{main[:10]}^{{tree}}", f"x-1-g{main[:10]}~1", f"a b-1-g{main[:10]}",
            f"{main[:10]}^{{tree}}", f"{tree[:10]}^{{commit}}", f"{main}~1", f"{main[:10]}:a.txt", "0" * len(main), "f" * 8, "dead", "deadbeef", "v1.0-1-gabcdefg",
            f"{main[:10]}@{{0}}"]  # fmt: skip
    logs = [
        "HEAD@{0}", "HEAD@{1}", "HEAD@{2}", "HEAD@{3}", "HEAD@{7}", "HEAD@{99}", "@{0}", "@{1}", "@{2}", "@{99}", "main@{0}", "main@{1}", "main@{2}", "main@{3}", "main@{4}",
        "main@{5}", "feature@{0}", "feature@{1}", "feature@{2}", "heads/main@{1}", "refs/heads/main@{1}", "light@{0}", "light@{1}", "nosuch@{0}",
        "same@{0}", "alias@{0}", "alias@{1}", "topic/one@{1}", "origin@{0}", "origin/main@{0}", "origin/main@{1}", "main@{1}~1", "main@{1}^{tree}", "main@{1}:a.txt",
        "@{-1}", "@{-2}", "@{-3}", "@{-4}", "@{-9}", "@{-0}", "@{-x}", "@{-1}~1", "@{-2}^{tree}", "@{-1}@{0}", "@{-2}@{0}", "@{-2}@{1}", "@{-2}@{u}", "@{-3}@{u}", "x@{-1}",
        "@{--1}", "@{- 1}", "main@{-1}", "@{u}", "@{upstream}", "@{U}", "@{UpStream}", "@{push}", "@{PUSH}", "@@{u}", "HEAD@{u}", "main@{u}", "main@{upstream}", "main@{push}",
        "feature@{u}", "feature@{push}", "topic/one@{u}", "topic/one@{push}", "same@{u}", "same@{push}", "beef@{u}", "nosuch@{u}", "light@{u}", "alias@{u}",
        "@{u}~1", "main@{u}^{tree}", "main@{u}:a.txt", "main@{u}@{0}", "main@{u}@{1}", "@{u}@{u}", "@{ux}", "@{u}x", "main@{upstrea}", "refs/heads/main@{u}", "heads/main@{u}",
        "ORIG_HEAD@{0}", "FETCH_HEAD@{0}", "main@{1", "main@1}", "main@{1}x", "main@{01}", "main@{+1}", "main@{1 }", "@{1}@{1}", "main@{0}@{0}",
    ]  # fmt: skip
    return names + steps + messages + paths + ids + logs


def by_git(repo: pathlib.Path, names: list[str], **env: str) -> list[str | None]:
    """Returns what git resolves each name to, `None` where it fails."""
    answers = []
    environment = repositories.environment(**env)
    # One process for all but those that may be a range, a negation, an entry that a log lacks, which ends it, or an id that no
    # object has.
    together = [name for name in names if not re.search(r"\.\.|^\^|@\{|^missing", name)]
    asked = "".join(f"{name}\0" for name in together).encode()
    printed = repositories.git(
        repo, "cat-file", "-Z", "--batch-check=%(objectname)", stdin=asked, env=environment
    )
    found = dict(zip(together, printed.decode().split("\0")[:-1], strict=True))
    for name in names:
        if name in found:
            is_id = re.fullmatch("[0-9a-f]{40}([0-9a-f]{24})?", found[name])
            answers.append(found[name] if is_id else None)
            continue
        done = subprocess.run(
            ["git", "-C", repo, "rev-parse", "--verify", "--quiet", "--end-of-options", name],
            capture_output=True,
            env=environment,
        )
        lines = done.stdout.decode().splitlines()
        answers.append(lines[0] if done.returncode == 0 and len(lines) == 1 else None)
    # git accepts a whole id whether the object exists or not; redline reports a missing object.
    whole = {
        answer for name, answer in zip(names, answers) if answer and name.lower().startswith(answer)
    }
    found = (
        repositories.git(
            repo, "cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in whole).encode()
        )
        .decode()
        .splitlines()
    )
    missing = {line.split()[0] for line in found if line.endswith("missing")}
    return [
        None if answer in missing and name.lower() == answer else answer
        for name, answer in zip(names, answers)
    ]


def by_redline(con, repo: pathlib.Path, names: list[str]) -> list[str | Exception]:
    answers = []
    for name in names:
        try:
            answers.append(
                con.execute("SELECT resolve_revision(?, ?)", [name, str(repo)]).fetchone()[0]
            )
        except duckdb.Error as error:
            answers.append(error)
    return answers


def differences(names, wanted, got) -> list[str]:
    found = []
    for name, git, ours in zip(names, wanted, got, strict=True):
        if git is None and isinstance(ours, Exception):
            words = str(ours)
            if not any(
                f" {code}: " in words for code in ("not_found", "invalid_args", "tool_failed")
            ):
                found.append(f"{name!r}: {words}")
        elif git != ours:
            found.append(f"{name!r}: git {git}, redline {ours}")
    return found


def test_each_revision_is_what_git_resolves_it_to(con, world):
    names = list(dict.fromkeys(expressions(world)))
    # git's command line takes these for an option, a range or a negation.
    names = [
        name
        for name in names
        if name not in ("^main", "main^!", "main^@", "HEAD^-", "a..b", "--all")
    ]
    assert len(names) > 300
    wanted = by_git(world.path, names)
    assert sum(answer is not None for answer in wanted) > 200
    assert not (found := differences(names, wanted, by_redline(con, world.path, names))), "\n".join(
        found
    )


@pytest.mark.parametrize(
    "pattern",
    [
        "^s",
        "fi(rst|fth)",
        "fi(f|r)s?t",
        "(a)",
        "^(first|third)",
        "s|f",
        "(|x)",
        "i[rx]",
        "^[[:alpha:]]+ three",
    ],
)
def test_of_several_messages_the_newest_commit_s_is_taken(con, world, pattern):
    """gitrevisions(7) says so. git 2.47 takes the oldest; earlier and later versions take the newest."""
    tips = ["HEAD", "feature", "topic/one"]
    wanted = world.git("log", "-1", "--format=%H", "--extended-regexp", f"--grep={pattern}", *tips)
    assert by_redline(con, world.path, [f":/{pattern}"]) == [wanted]


# -- ranges -----------------------------------------------------------------------------------

RANGES = [
    "main", "feature", "main..feature", "feature..main", "..feature", "feature..", "main...feature", "...feature", "feature...", "...", "main..main",
    "main...main", "HEAD^!", "HEAD~1^!", "HEAD~1^@", "HEAD^@", "feature^-", "HEAD~1^-", "HEAD~1^-1", "HEAD~1^-2", "HEAD~1^-3", "feature^!", "light..main",
    "annotated..main", "nested..HEAD", ":/second..HEAD", "HEAD^{/second}..HEAD", ":/third: on feature..branch", "HEAD^{/third: on feature..branch}",
    "main~3..@", "@{1}..@", "@{u}..", "..@{u}", "main@{u}...feature", "@{-1}..", "same..main", "nosuch..main",
    "main..nosuch", "nosuch...main", "main....feature", "HEAD~1^-0", "HEAD~1^-4", "HEAD~1^-x", "tree-tag^!", "annotated^!", "nested^@", "annotated^-",
    "tree-tag", "blob-tag", "main~1..main~1", "main^..main", "main~2^2..main",
]  # fmt: skip


def test_each_range_has_the_commits_of_git_log(con, world):
    query = "SELECT DISTINCT commit_id FROM commit_changes(?, ?, merges := 'all_parents')"
    failed = []
    for range in RANGES:
        try:
            wanted = repositories.git(
                world.path,
                "log",
                "-m",
                "--format=%x00%H",
                "--raw",
                "--no-renames",
                "--end-of-options",
                range,
                "--",
            ).decode()
            wanted = {
                commit.split()[0] for commit in wanted.split("\0")[1:] if "\n" in commit.strip()
            }
        except repositories.GitFailed:
            wanted = None
        try:
            got = {commit for (commit,) in con.execute(query, [range, str(world.path)]).fetchall()}
        except duckdb.Error as error:
            got = None
            if not any(
                f" {code}: " in str(error) for code in ("not_found", "invalid_args", "tool_failed")
            ):
                failed.append(f"{range}: {error}")
        # git lists no commits for a tree or a blob; redline reports that these are not commits.
        if got != (wanted or None) and not (got == set() == wanted):
            failed.append(f"{range}: git {wanted and len(wanted)}, redline {got and len(got)}")
    assert not failed, "\n".join(failed)


# -- abbreviated ids --------------------------------------------------------------------------


@pytest.mark.parametrize("hash", ["sha1", "sha256"])
def test_an_abbreviation_is_ambiguous_where_it_is_for_git(con, tmp_path, hash):
    repositories.git(tmp_path, "init", "--quiet", "--bare", f"--object-format={hash}", "repo")
    repo = tmp_path / "repo"
    stream = []
    for number in range(1, 2501):
        stream.append(
            f"commit refs/heads/main\nmark :{number}\ncommitter A <a@b> {START + number} +0000\ndata 0\n"
        )
        stream.append(f"M 644 inline f\ndata <<END\n{number}\nEND\n\n")
    repositories.git(
        repo,
        "-c",
        "fastimport.unpackLimit=1",
        "fast-import",
        "--quiet",
        stdin="".join(stream).encode(),
    )
    loose = [f"{number} loose" for number in range(120)]
    blobs = "".join(f"blob\ndata {len(text)}\n{text}\n" for text in loose)
    few = ["-c", "fastimport.unpackLimit=1000"]
    repositories.git(repo, *few, "fast-import", "--quiet", stdin=blobs.encode())
    listed = (
        repositories.git(repo, "cat-file", "--batch-check", "--batch-all-objects")
        .decode()
        .split("\n")[:-1]
    )
    prefixes: dict[str, list[str]] = {}
    for line in listed:
        oid, kind, _ = line.split()
        prefixes.setdefault(oid[:4], []).append(kind)
    shared = [prefix for prefix, kinds in prefixes.items() if len(kinds) > 1]
    assert len(shared) > 200
    mixed = [prefix for prefix in shared if len(set(prefixes[prefix])) > 1][:30]
    forms = [
        "{}",
        "{}^{{commit}}",
        "{}^{{tree}}",
        "{}^0",
        "{}~1",
        "{}:f",
        "x-1-g{}",
        "{}^{{}}",
        "{}^{{blob}}",
    ]
    names = [form.format(prefix) for prefix in mixed + shared[:5] for form in forms]
    assert not (found := differences(names, by_git(repo, names), by_redline(con, repo, names))), (
        "\n".join(found)
    )
    error = by_redline(con, repo, [shared[0]])[0]
    assert "invalid_args: the abbreviated id" in str(error) and "it may be " in str(error)


# -- hostile repositories and revisions -------------------------------------------------------

GIGABYTES = 8 << 30
OWN = "1234567890" * 4


def sparse(path: pathlib.Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as file:
        file.truncate(GIGABYTES)


def own_tag(git: pathlib.Path) -> None:
    body = f"object {OWN}\ntype tag\ntag x\ntagger A <a@b> 1 +0000\n\nx\n".encode()
    (git / "objects" / OWN[:2]).mkdir(exist_ok=True)
    (git / "objects" / OWN[:2] / OWN[2:]).write_bytes(zlib.compress(b"tag %d\0" % len(body) + body))
    (git / "refs/tags/own").write_text(f"{OWN}\n")


HOSTILE = {
    "a reference of gigabytes": (lambda git: sparse(git / "refs/heads/x"), "x", "too_large"),
    "a HEAD of gigabytes": (lambda git: sparse(git / "HEAD"), "HEAD", "tool_failed"),
    "packed references of gigabytes": (lambda git: sparse(git / "packed-refs"), "x", "too_large"),
    "a log of gigabytes": (lambda git: sparse(git / "logs/HEAD"), "HEAD@{1}", "too_large"),
    "a reference without end": (lambda git: (git / "refs/heads/x").symlink_to("/dev/zero"), "x", "tool_failed"),
    "a reference that waits": (lambda git: os.mkfifo(git / "refs/heads/x"), "x", "tool_failed"),
    "a tag of itself": (own_tag, "own^{}", "tool_failed"),
    "references in circles of directories": (lambda git: [(git / "refs/heads" / name).symlink_to(".") for name in "ab"], "nosuch", "tool_failed"),
    "a log that names itself": (lambda git: (git / "logs/HEAD").write_text(f"{OWN} {OWN} A <a@b> 1 +0000\tcheckout: moving from @{{-1}} to x\n"), "@{-1}@{u}", "not_found"),
    "a thousand steps": (lambda git: None, "main" + "^" * 1000, "not_found"),
    "a revision without end": (lambda git: None, "x" * 5000, "invalid_args"),
    "nested groups": (lambda git: None, ":/" + "(" * 1000 + ")" * 1000, "not_found"),
    "repeated repetitions": (lambda git: None, ":/" + "(a*)*" * 20 + "b{1,1000}{1,1000}", "not_found"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_endless_references_are_an_error_at_once(con, tmp_path, kind):
    by_hand = repositories.environment(**repositories.SHA1_AND_FILES)
    repositories.git(tmp_path, "init", "--quiet", "--initial-branch=main", ".", env=by_hand)
    stream = f"commit refs/heads/main\ncommitter A <a@b> {START} +0000\ndata 1\nx\nM 644 inline f\ndata 2\nx\n\n"
    repositories.git(tmp_path, "fast-import", "--quiet", stdin=stream.encode())
    (tmp_path / ".git/logs").mkdir(exist_ok=True)
    make, revision, code = HOSTILE[kind]
    make(tmp_path / ".git")
    start = time.process_time()
    with pytest.raises(duckdb.Error, match=f" {code}: "):
        con.execute("SELECT resolve_revision(?, ?)", [revision, str(tmp_path)]).fetchall()
    assert time.process_time() - start < 20


def test_a_relative_path_starts_where_repo_points(con, world):
    for folder in ("", "sub", "sub/deep"):
        for revision in (
            "HEAD:./",
            "HEAD:./c.txt",
            "HEAD:./b.txt",
            "HEAD:../a.txt",
            "HEAD:../../a.txt",
            "HEAD:../sub/b.txt",
            ":./b.txt",
            ":../a.txt",
            "HEAD:./deep",
        ):
            place = world.path / folder
            (wanted,), (got,) = by_git(place, [revision]), by_redline(con, place, [revision])
            assert not differences([revision], [wanted], [got]), folder


@pytest.mark.parametrize("revision, words", [
    ("nosuch@{u}", "there is no branch 'nosuch'"),
    ("light@{u}", "there is no branch 'light'"),
    ("same@{u}", "the upstream 'refs/heads/x' of the branch 'same' is not stored as a remote-tracking branch"),
    ("loose@{u}", "no upstream is configured for the branch 'loose'"),
    ("main@{99}", "the log of 'refs/heads/main' has only "),
    ("garbage", "its reference 'refs/heads/garbage' holds no id"),
])  # fmt: skip
def test_a_message_says_why_there_is_no_such_revision(con, world, revision, words):
    if revision == "garbage" and world.are_tables:
        pytest.skip("a table of references holds ids")
    (error,) = by_redline(con, world.path, [revision])
    assert words in str(error)
