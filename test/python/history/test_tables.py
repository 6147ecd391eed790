"""The repository as tables: commits and refs say what `git log` and `git for-each-ref` say, row for row.

Each option is tried on a repository with one commit of each kind; with REDLINE_TEST_REPOS on all of ripgrep too.
"""

import pathlib
import random
from typing import NamedTuple

import pytest
import repositories
from histories import Clock, moment, write

SEED = 20_261_123
FORMAT = "%H%x00%P%x00%T%x00%aN%x00%aE%x00%ad%x00%cN%x00%cE%x00%ct%x00%s%x00%b%x00%D%x00%N%x01%x01"
COLUMNS = """
    commit_id, parent_ids, tree_id, author_name, author_email, epoch(author_date)::BIGINT, author_offset,
    committer_name, committer_email, epoch(committer_date)::BIGINT, subject, body, refs, coalesce(notes, '')
"""


class Commit(NamedTuple):
    commit_id: str
    parent_ids: list[str]
    tree_id: str
    author_name: str
    author_email: str
    author_date: int
    author_offset: int
    committer_name: str
    committer_email: str
    committer_date: int
    subject: str
    body: str
    refs: list[str]
    notes: str


def decorations(printed: str) -> list[str]:
    """Reads git's %D with full names."""
    names = [part.removeprefix("tag: ") for part in printed.split(", ") if part]
    return [name for part in names for name in part.split(" -> ")]


def git_log(repo, *options: str, mailmap: bool = True) -> list[Commit]:
    who = (
        FORMAT
        if mailmap
        else FORMAT.replace("%aN", "%an")
        .replace("%aE", "%ae")
        .replace("%cN", "%cn")
        .replace("%cE", "%ce")
    )
    printed = repositories.git(
        repo,
        "log",
        "--decorate=full",
        "--encoding=UTF-8",
        "--date=raw",
        f"--format=tformat:{who}",
        *options,
    )
    rows = []
    for entry in printed.split(b"\x01\x01\n")[:-1]:
        fields = [field.decode(errors="replace") for field in entry.split(b"\0")]
        (
            commit,
            parents,
            tree,
            name,
            email,
            authored,
            committer,
            address,
            committed,
            subject,
            body,
            names,
            notes,
        ) = fields
        rows.append(
            Commit(
                commit,
                parents.split(),
                tree,
                name,
                email,
                *moment(authored),
                committer,
                address,
                int(committed),
                subject,
                body,
                decorations(names),
                notes,
            )
        )
    return rows


def commits(con, repo, range="HEAD", **options) -> list[Commit]:
    moments = {"since", "until"}
    arguments = "".join(
        f", {name} := make_timestamptz(${name}::BIGINT)"
        if name in moments
        else f", {name} := ${name}"
        for name in options
    )
    query = f"SELECT {COLUMNS} FROM commits($range, $repo{arguments})"
    return [
        Commit(*row)
        for row in con.execute(query, {"range": range, "repo": str(repo), **options}).fetchall()
    ]


def assert_same(got, wanted):
    difference = repositories.first_differences(got, wanted)
    assert not difference, f"against {repositories.git_version()}\n{difference}"
    assert got


@pytest.fixture(scope="module")
def noted(cases) -> pathlib.Path:
    """Returns the repository of the cases with notes, remote branches, a stash and odd names."""
    who = {
        f"GIT_{role}_{part}": "n@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    when = {"GIT_AUTHOR_DATE": "1500000000 +0000", "GIT_COMMITTER_DATE": "1500000000 +0000"}
    write(
        cases,
        "notes add -m first main",
        "notes add -m second main~1",
        "notes --ref other add -m other main",
        **who,
        **when,
    )
    write(
        cases,
        "branch topic middle",
        "update-ref refs/remotes/origin/main side",
        "update-ref refs/remotes/origin/topic third",
    )
    write(
        cases,
        "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main",
        "symbolic-ref refs/heads/alias refs/heads/side",
    )
    write(
        cases,
        "tag side",
        "tag origin/topic middle",
        "tag a-blob main:a/two.txt",
        "tag -m of-a-tag nested v1",
        **who,
        **when,
    )
    write(
        cases,
        "config remote.origin.url .",
        "config remote.origin.fetch +refs/heads/*:refs/remotes/origin/*",
    )
    for branch, remote, merge in [
        ("main", "origin", "main"),
        ("topic", "origin", "topic"),
        ("third", ".", "main"),
        ("fourth", "origin", "gone"),
        ("fifth", "elsewhere", "x"),
    ]:
        write(
            cases,
            f"config branch.{branch}.remote {remote}",
            f"config branch.{branch}.merge refs/heads/{merge}",
        )
    (cases / "a" / "two.txt").write_text("stashed\n")
    write(
        cases,
        "stash --quiet",
        "pack-refs --all",
        "update-ref refs/heads/loose main~2",
        "update-ref refs/changes/1 main~3",
        **who,
        **when,
    )
    return cases


@pytest.mark.parametrize(
    "range, git, options",
    [
        ("main", ["main"], {}),
        ("main", ["main"], {"mailmap": False}),
        ("ALL", ["--all"], {}),
        ("middle..main", ["middle..main"], {}),
        ("side...third", ["side...third"], {}),
        ("main", ["main", "--first-parent"], {"first_parent": True}),
        ("middle..main", ["middle..main", "--first-parent"], {"first_parent": True}),
        ("main", ["main", "--notes=other"], {"notes_ref": "refs/notes/other"}),
        ("main", ["main", "--notes=other"], {"notes_ref": "other"}),
        ("ALL", ["--all", "--", "a"], {"paths": ["a"]}),
        ("main", ["main", "--", "third.txt", "b/*"], {"paths": ["third.txt", "b/*"]}),
        (
            "main",
            ["main", "--first-parent", "--", "a", "c.txt"],
            {"paths": ["a", "c.txt"], "first_parent": True},
        ),
        ("middle..main", ["middle..main", "--", "a", "third.txt"], {"paths": ["a", "third.txt"]}),
        ("side...fifth", ["side...fifth", "--", "*.txt"], {"paths": ["*.txt"]}),
    ],
)
def test_the_commits_of_a_range_are_those_of_git_log(con, noted, range, git, options):
    wanted = git_log(noted, *git, mailmap=options.get("mailmap", True))
    assert_same(commits(con, noted, range, **options), wanted)


def test_since_and_until_are_those_of_git_log(con, noted):
    dates = sorted({commit.committer_date for commit in git_log(noted, "main")})
    for date in dates[:: len(dates) // 4]:
        for name in ("since", "until"):
            for range in ("main", "middle..main"):
                wanted = git_log(noted, range, f"--{name}={date} +0000")
                got = commits(con, noted, range, **{name: date * 1_000_000})
                assert not repositories.first_differences(got, wanted)


@pytest.mark.parametrize("is_side_newer", [False, True])
def test_a_merge_that_took_its_own_side_is_shown_where_that_side_is_excluded(
    con, tmp_path, is_side_newer
):
    write(tmp_path, "init --quiet --initial-branch=main .")
    clock = Clock(tmp_path)
    clock.commit("base", files={"x": "0\n"})
    write(tmp_path, "checkout --quiet -b topic")
    clock.commit("topic", files={"x": "1\n"})
    write(tmp_path, "checkout --quiet main")
    clock.commit("main2", files={"y": "0\n"})
    write(tmp_path, "branch side")
    who = {
        f"GIT_{role}_{part}": "a@b"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    steps = [
        ("checkout --quiet side", "side"),
        ("checkout --quiet main", "merge topic"),
    ]
    for command, message in reversed(steps) if is_side_newer else steps:
        write(tmp_path, command)
        if message == "side":
            clock.commit("side", files={"z": "0\n"})
        else:
            clock.now += 3600
            when = {f"GIT_{role}_DATE": f"{clock.now} +0000" for role in ("AUTHOR", "COMMITTER")}
            merge = ["merge", "--quiet", "-s", "ours", "-m", message, "topic"]
            repositories.git(tmp_path, *merge, env=repositories.environment(**who, **when))
    for options in ({}, {"first_parent": True}):
        flags = ["--first-parent"] if options else []
        wanted = git_log(tmp_path, "side..main", *flags, "--", "x")
        assert commits(con, tmp_path, "side..main", paths=["x"], **options) == wanted
        assert bool(wanted) is not bool(options)


def test_random_histories_are_simplified_as_git_does_it(con, tmp_path):
    """Merges that take one side, both or neither, of three files, walked for each file and range."""
    random.seed(SEED)
    write(tmp_path, "init --quiet --initial-branch=main .")
    clock = Clock(tmp_path)
    made = [clock.commit("root", files={"a": "0\n", "b": "0\n", "c/d": "0\n"})]
    for number in range(60):
        parents = random.sample(made[-6:], min(len(made), random.choice([1, 1, 2, 2, 3])))
        trees = [
            repositories.git_text(tmp_path, "rev-parse", f"{parent}^{{tree}}") for parent in parents
        ]
        repositories.git(tmp_path, "read-tree", random.choice(trees))
        if random.random() < 0.6:
            blob = (
                repositories.git(
                    tmp_path,
                    "hash-object",
                    "-w",
                    "--stdin",
                    stdin=f"{random.randrange(3)}\n".encode(),
                )
                .decode()
                .strip()
            )
            repositories.git(
                tmp_path,
                "update-index",
                "--add",
                "--cacheinfo",
                f"100644,{blob},{random.choice(['a', 'b', 'c/d'])}",
            )
        tree = repositories.git_text(tmp_path, "write-tree")
        clock.now += random.choice([0, 3600, 3600, -7200])
        when = {f"GIT_{role}_DATE": f"{clock.now} +0000" for role in ("AUTHOR", "COMMITTER")}
        who = {
            f"GIT_{role}_{part}": "r@example.com"
            for role in ("AUTHOR", "COMMITTER")
            for part in ("NAME", "EMAIL")
        }
        arguments = [word for parent in parents for word in ("-p", parent)]
        commit = repositories.git(
            tmp_path,
            "commit-tree",
            tree,
            "-m",
            f"c{number}",
            *arguments,
            env=repositories.environment(**who, **when),
        )
        made.append(commit.decode().strip())
    compared = 0
    for tip in made[-5:]:
        for start in [None, *random.sample(made, 5)]:
            span = tip if start is None else f"{start}{random.choice(['..', '...'])}{tip}"
            for paths in (["a"], ["b"], ["c"], ["a", "c/d"], []):
                first = random.random() < 0.3
                wanted = repositories.git_text(
                    tmp_path,
                    "log",
                    "--format=%H %P",
                    *(["--first-parent"] if first else []),
                    span,
                    "--",
                    *paths,
                ).splitlines()
                query = "SELECT concat_ws(' ', commit_id, array_to_string(parent_ids, ' ')) FROM commits(?, ?, paths := ?, first_parent := ?)"
                got = [
                    row.strip()
                    for (row,) in con.execute(query, [span, str(tmp_path), paths, first]).fetchall()
                ]
                assert got == [row.strip() for row in wanted], (span, paths, first)
                compared += len(got)
    assert compared > 500


# -- refs -------------------------------------------------------------------------------------


FIELDS = [
    "%(refname)", "%(refname:short)", "%(objectname)", "%(objecttype)", "%(*objecttype)", "%(symref)", "%(HEAD)", "%(upstream)", "%(upstream:track,nobracket)",
    "%(taggername)", "%(taggeremail:trim)", "%(taggerdate:unix)", "%(committerdate:unix)",
]  # fmt: skip


def git_refs(repo) -> list[tuple]:
    printed = repositories.git(
        repo, "for-each-ref", "--include-root-refs", "--format=" + "%00".join(FIELDS) + "%01"
    ).decode()
    rows = []
    for entry in printed.split("\x01\n")[:-1]:
        name, short, oid, kind, peeled, target, head, upstream, track, tagger, email, date, made = (
            entry.split("\0")
        )
        if "refs/" not in name and name != "HEAD":
            continue
        commit = None
        if "commit" in (kind, peeled) or peeled == "tag":
            commit = repositories.git_text(repo, "rev-parse", f"{oid}^{{commit}}")
            # git has it for references that lead to a commit; a tag leads to one through objects.
            made = made or repositories.git_text(repo, "show", "--no-patch", "--format=%ct", commit)
        counts = dict(part.split() for part in track.split(", ") if " " in part)
        has_counts = upstream and track != "gone"
        if kind == "tag":
            subject = repositories.git_text(
                repo, "for-each-ref", "--format=%(contents:subject)", name
            )
        else:  # of a commit not in its own encoding
            subject = (
                repositories.git_text(repo, "log", "-1", "--encoding=UTF-8", "--format=%s", oid)
                if kind == "commit"
                else None
            )
        rows.append((
            name, short, oid, commit, target or None, head == "*", upstream or None,
            int(counts.get("ahead", 0)) if has_counts else None, int(counts.get("behind", 0)) if has_counts else None,
            tagger or None, email or None, int(date) if date else None, int(made) if made else None, subject,
        ))  # fmt: skip
    return rows


def refs(con, repo) -> list[tuple]:
    return con.execute(
        "SELECT name, short_name, object_id, commit_id, symbolic_target, is_head, upstream, ahead, behind, tagger_name, tagger_email,"
        " epoch(tagged_at)::BIGINT, epoch(committed_at)::BIGINT, subject FROM refs(?)",
        [str(repo)],
    ).fetchall()


def test_the_references_are_those_of_git_for_each_ref(con, noted):
    assert_same(refs(con, noted), git_refs(noted))
    kinds = dict(
        con.execute("SELECT kind, count(*) FROM refs(?) GROUP BY kind", [str(noted)]).fetchall()
    )
    assert set(kinds) == {"head", "branch", "remote", "tag", "note", "stash", "other"}


def test_a_detached_head_and_one_without_a_commit_are_shown(con, noted, tmp_path):
    write(noted, "checkout --quiet --detach main")
    assert_same(refs(con, noted), git_refs(noted))
    write(noted, "checkout --quiet main")
    write(tmp_path, "init --quiet .")
    assert refs(con, tmp_path) == []


def test_a_damaged_reference_is_a_row_without_an_object(con, tmp_path):
    by_hand = repositories.environment(**repositories.SHA1_AND_FILES)
    repositories.git(tmp_path, "init", "--quiet", "--initial-branch=main", ".", env=by_hand)
    Clock(tmp_path).commit("root", files={"a": "a\n"})
    (tmp_path / ".git/refs/heads/broken").write_text("no id\n")
    assert con.execute(
        "SELECT name, object_id IS NULL, subject FROM refs(?) WHERE kind = 'branch'",
        [str(tmp_path)],
    ).fetchall() == [
        ("refs/heads/broken", True, None),
        ("refs/heads/main", False, "root"),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_name_is_as_short_as_git_s_whatever_it_collides_with(con, tmp_path, seed):
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    by_hand = repositories.environment(**repositories.SHA1_AND_FILES)
    repositories.git(main, "init", "--quiet", "--initial-branch=main", ".", env=by_hand)
    tip = Clock(main).commit("root", files={"a": "a\n"})
    write(main, f"worktree add --quiet {linked} -b linked", "update-ref ORIG_HEAD HEAD")
    dice = random.Random(seed)
    words = [
        *("one", "two/three", "HEAD", "ORIG_HEAD", "config", "refs/heads/one", "objects/info"),
        *("worktrees/linked/HEAD", "main-worktree/HEAD", "origin/HEAD", "heads/one", "tags/one"),
    ]  # fmt: skip
    for place in ("heads", "tags", "remotes", "remotes/origin", "other", "bisect"):
        for word in dice.sample(words, 7):
            repositories.git(main, "update-ref", f"refs/{place}/{word}", tip)
        if dice.random() < 0.5:
            write(main, "pack-refs --all")
    for repo in (main, linked):
        printed = repositories.git_text(
            repo, "for-each-ref", "--format=%(refname) %(refname:short)"
        )
        got = con.execute(
            "SELECT name || ' ' || short_name FROM refs(?) WHERE name <> 'HEAD'", [str(repo)]
        ).fetchall()
        assert [row for (row,) in got] == printed.splitlines()


@pytest.mark.parametrize(
    "pair", [("main", "side"), ("third", "fourth"), ("main", "main"), ("orphan", "main")]
)
def test_ahead_and_behind_are_git_s_counts(con, noted, pair):
    wanted = repositories.git_text(
        noted, "rev-list", "--left-right", "--count", "...".join(pair)
    ).split()
    got = con.execute("SELECT ahead_behind(?, ?, ?)", [*pair, str(noted)]).fetchone()[0]
    assert [got["ahead"], got["behind"]] == [int(count) for count in wanted]


# -- large repositories -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory) -> pathlib.Path:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    return repositories.clone_bundle("ripgrep.bundle", tmp_path_factory.mktemp("large") / "ripgrep")


def test_ripgrep_s_commits_and_references_are_git_s(con, ripgrep):
    assert_same(commits(con, ripgrep, "ALL"), git_log(ripgrep, "--all"))
    assert_same(
        commits(con, ripgrep, "HEAD", paths=["crates/core", "src/main.rs"]),
        git_log(ripgrep, "HEAD", "--", "crates/core", "src/main.rs"),
    )
    assert_same(refs(con, ripgrep), git_refs(ripgrep))
