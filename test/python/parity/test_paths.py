"""`paths` selects what git's pathspecs select, in every function that takes it; and ranges as table names."""

import functools
import os
import random
import shutil
import subprocess

import duckdb
import pytest
import repositories
from answers import answer, assert_refused

SEED = 20_000_102
PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color"]
FUNCTIONS = ["file_changes", "file_patches", "diff_hunks", "diff_lines"]

# A directory of the repository, and pathspecs. git gives the expected answer.
SPECS = [
    ("", ["modified.txt"]),
    ("", ["modified.txt", "added.txt", "nosuch.txt"]),
    ("", ["order"]),
    ("", ["order/"]),
    ("", ["order/a"]),
    ("", ["order/a/"]),
    ("", ["order/b"]),
    ("", ["order/b/"]),
    ("", ["order/b/y/z"]),
    ("", ["orde"]),
    ("", ["order//a/./x"]),
    ("", ["order/../binary.bin"]),
    ("", ["."]),
    ("", ["./"]),
    ("", [":"]),
    ("", [":/"]),
    ("", [":()"]),
    ("", [":(icase)"]),
    ("", ["*.txt"]),
    ("", ["**.txt"]),
    ("", [":(glob)*.txt"]),
    ("", [":(glob)**/*.txt"]),
    ("", [":(glob)**/sub/*"]),
    ("", [":(glob)attributes/**/x.quiet"]),
    ("", [":(glob)attributes/*/x.quiet"]),
    ("", [":(glob)att**/x.quiet"]),
    ("", [":(glob)paths/**"]),
    ("", ["*sub*"]),
    ("", ["order/*"]),
    ("", ["o*r/b"]),
    ("", ["o*r/b/*"]),
    ("", ["paths/?"]),
    ("", ["paths/[a-z]"]),
    ("", [":(literal)paths/[a-z]"]),
    ("", [":(literal)paths/*"]),
    ("", ["paths/\\*"]),
    ("", ["paths/[*]"]),
    ("", ["paths/[[:punct:]]"]),
    ("", ["paths/[!-]"]),
    ("", ["paths/with space.txt", "paths/trailing space ", "paths/ leading"]),
    ("", ["paths/new\nline"]),
    ("", ['paths/quo"te', "paths/back\\slash", "paths/back\\\\slash"]),
    ("", ["paths/über", "paths/:(top)magic"]),
    ("", ["paths/EMPTY", "paths/main..feature", "paths/con"]),
    ("", [":(icase)PATHS/HEAD"]),
    ("", [":(icase)ATTRIBUTES/x.quiet"]),
    ("", [":(icase)attributes/[w-y].QUIET"]),
    ("", [":(icase,glob)ATTRIBUTES/**/*.QUIET"]),
    ("", ["module-to-file", "module-to-folder"]),
    ("", ["module-to-file/"]),
    ("", ["file-to-module/"]),
    ("", ["folder-to-module/"]),
    ("", ["module-to-folder/"]),
    ("", ["module-bumped/"]),
    ("", ["module-bumped/x"]),
    ("", ["module-*/"]),
    ("", ["modified.txt/"]),
    ("", [":!paths", ":!attributes"]),
    ("", [":!paths/", ":^attributes/sub"]),
    ("", [":!*.txt"]),
    ("", [":(exclude)*o*"]),
    ("", [":(exclude,glob)*.txt"]),
    ("", ["attributes", ":!attributes/sub"]),
    ("", [":!attributes/sub", "attributes", "paths"]),
    ("", ["attributes", ":!attributes/sub", "attributes/sub/deeper"]),
    ("", ["attributes/sub", ":!attributes"]),
    ("", [":!."]),
    ("", ["paths", ":!paths/*"]),
    ("", ["paths", ":(exclude,literal)paths/*"]),
    ("", [":!(top)paths"]),
    ("", [":!/paths"]),
    ("", ["::order", ":::paths"]),
    ("", [":/./order", ":(top)/order"]),
    ("", ["nosuch"]),
    ("paths", ["."]),
    ("paths", [":"]),
    ("paths", [":/"]),
    ("paths", [".."]),
    ("paths", ["../order", "*.txt"]),
    ("paths", ["*"]),
    ("paths", [":(glob)*"]),
    ("paths", [":(icase)head"]),
    ("paths", [":(top)order"]),
    ("paths", [":/order", "con"]),
    ("paths", [":!con"]),
    ("paths", [":!", "../order"]),
    ("paths", ["dir with space/../con"]),
    ("attributes/sub", ["*.quiet"]),
    ("attributes/sub", [":(glob)*.quiet"]),
    ("attributes/sub", ["../x.quiet", "deeper/"]),
    ("attributes/sub", ["../../order/a", ":!../../order/a/x"]),
    ("attributes/sub", [":(icase)../X.quiet"]),
    ("attributes/sub", [":(icase)DEEPER"]),
]

# git refuses these, and redline does so too and names the pathspec.
REFUSED = [
    ("", [""]),
    ("", ["order", ""]),
    ("", [":(top"]),
    ("", [":(nosuch)order"]),
    ("", [":(TOP)order"]),
    ("", [":&order"]),
    ("", [":!-order"]),
    ("", [":(literal,glob)order"]),
    ("", [".."]),
    ("", ["order/../../basic/order"]),
    ("", ["/etc/passwd"]),
    ("paths", ["../../x"]),
    ("paths", [":(prefix:1)x"]),
]


def named_by_git(repo, old, new, specs, *options):
    """Returns (path, status, old path) of each row of `git diff --raw`, run in the directory `repo`."""
    return raw_rows(repo, *(options or ["--no-renames"]), old, new, "--", *specs)


def raw_rows(repo, *words):
    output = repositories.git(repo, "diff", "--raw", "-z", *PLAIN, *words)
    fields = iter(output.decode(errors="replace").split("\0")[:-1])
    rows = []
    for meta in fields:
        letter = meta.rsplit(" ", 1)[1][0]
        first = next(fields)
        path, origin = (next(fields), first) if letter in "RC" else (first, None)
        status = repositories.STATUS | {"R": "renamed", "C": "copied"}
        rows.append((path, status[letter], origin))
    return rows


def named(con, repo, old, new, specs, options=""):
    query = f"SELECT file_path, status, old_path FROM file_changes(?, ?, ?, paths := ?{options})"
    return con.execute(query, [old, new, str(repo), specs]).fetchall()


@functools.cache
def empty_tree(repo):
    return repositories.git_text(repo, "hash-object", "-t", "tree", "/dev/null")


@pytest.mark.parametrize(
    "folder, specs", SPECS, ids=[f"{folder}>{' '.join(specs)!r}" for folder, specs in SPECS]
)
def test_pathspecs_name_the_files_that_git_names(con, folder, specs):
    repo = repositories.fixture("basic") / folder
    for old, new in [("before", "after"), ("after", "before")]:
        assert named(con, repo, old, new, specs) == named_by_git(repo, old, new, specs), (old, new)
    assert named(con, repo, "EMPTY", "after", specs) == named_by_git(
        repo, empty_tree(repo), "after", specs
    )


@pytest.mark.parametrize("folder, specs", random.Random(SEED).sample(SPECS, 15))
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_the_paths_of_git(con, function, folder, specs):
    repo = repositories.fixture("basic") / folder
    asked = ["before", "after", str(repo), specs]
    if function == "file_patches":
        rows = con.execute(
            "SELECT patch_bytes FROM file_patches(?, ?, ?, paths := ?)", asked
        ).fetchall()
        printed = repositories.git(
            repo, "diff", "--no-renames", *PLAIN, "before", "after", "--", *specs
        )
        assert b"".join(row[0] for row in rows) == printed
    else:
        ours = con.execute(
            f"SELECT DISTINCT file_path FROM {function}(?, ?, ?, paths := ?)", asked
        ).fetchall()
        all_paths = con.execute(
            f"SELECT DISTINCT file_path FROM {function}(?, ?, ?)", asked[:3]
        ).fetchall()
        theirs = {path for path, *_ in named_by_git(repo, "before", "after", specs)}
        assert set(ours) == {row for row in all_paths if row[0] in theirs}


@pytest.mark.parametrize("folder, specs", REFUSED)
def test_a_pathspec_that_git_refuses_is_refused(con, folder, specs):
    repo = repositories.fixture("basic") / folder
    with pytest.raises(repositories.GitFailed):
        named_by_git(repo, "before", "after", specs)
    with pytest.raises(duckdb.Error) as refused:
        named(con, repo, "before", "after", specs)
    code, words = repositories.code_and_words(refused.value)
    assert code == "invalid_args" and f"'{specs[-1]}'" in words


def test_no_list_and_an_empty_list_name_everything_and_null_is_refused(con):
    repo = repositories.fixture("basic")
    everything = named_by_git(repo, "before", "after", [])
    assert named(con, repo, "before", "after", []) == everything
    assert named(con, repo, "before", "after", None) == everything
    for function in FUNCTIONS:
        for paths in ("[NULL]", "['order', NULL]", "[NULL::INTEGER]", "[1]", "1", "1.5"):
            with pytest.raises(duckdb.Error) as refused:
                con.execute(
                    f"SELECT * FROM {function}('before', 'after', '{repo}', paths := {paths})"
                )
            assert repositories.code_and_words(refused.value)[0] == "invalid_args"
    # A text is a list of one.
    rows = [
        con.execute(
            f"SELECT file_path FROM file_changes('before', 'after', '{repo}', paths := {paths})"
        ).fetchall()
        for paths in ("'order'", "['order']")
    ]
    assert rows[0] == rows[1] != []
    with pytest.raises(duckdb.Error, match="paths"):
        con.execute(
            f"SELECT * FROM file_diff('modified.txt', 'before', 'after', '{repo}', paths := ['order'])"
        )


@pytest.mark.parametrize("variable", ["LITERAL", "GLOB", "NOGLOB", "ICASE"])
def test_variables_of_the_environment_are_ignored(con, monkeypatch, variable):
    repo = repositories.fixture("basic")
    specs = [":(icase)ORDER/*"] if variable == "ICASE" else ["*.txt", "paths/[a-z]"]
    wanted = named_by_git(repo, "before", "after", specs)
    monkeypatch.setenv(f"GIT_{variable}_PATHSPECS", "1")
    assert named(con, repo, "before", "after", specs) == wanted


def test_paths_in_a_bare_repository_or_git_directory_start_at_the_root(con):
    wanted = named_by_git(repositories.fixture("basic"), "before", "after", ["order"])
    for name in ["bare.git", "basic/.git", "basic/.git/refs", "linked-worktree"]:
        assert named(con, repositories.fixture(name), "before", "after", ["order"]) == wanted, name
    linked = repositories.fixture("linked-worktree") / "order"
    assert named(con, linked, "before", "after", ["."]) == wanted


# The directory that `repo` names and the `file`; git reads it in that directory, as `rev:file`.
FILES = [
    ("", "order/a/x"), ("", "./order/a/x"), ("", "./order/../order/./a/x"), ("order", "order/a/x"), ("order", "a/x"), ("order", "./a/x"),
    ("order", "../modified.txt"), ("order", "modified.txt"), ("order/a", "./x"), ("order/a", "../../modified.txt"), ("order/a", "./../a/x"),
    ("order", "./nosuch"), ("order", "../nosuch.txt"), ("attributes/sub", "./deeper/../x.quiet"), ("attributes/sub", "x.quiet"),
]  # fmt: skip
# What git refuses: a path outside of the repository.
OUTSIDE = [
    ("", "../basic/modified.txt"),
    ("order", "../../modified.txt"),
    ("order", "./../../basic/order/a/x"),
]


@pytest.mark.parametrize("folder, file", FILES)
def test_a_file_is_named_from_the_root_or_with_a_dot_from_the_directory_as_by_git(
    con, folder, file
):
    repo = repositories.fixture("basic") / folder
    for rev in ("before", "after"):
        found = subprocess.run(["git", "-C", repo, "show", f"{rev}:{file}"], capture_output=True)
        wanted = found.stdout if found.returncode == 0 else None
        assert con.execute("SELECT file_bytes(?, ?, ?)", [file, rev, str(repo)]).fetchone() == (
            wanted,
        )
        blamed = answer(
            con,
            "SELECT string_agg(content || chr(10), '' ORDER BY line) FROM file_blame(?, ?, ?)",
            file,
            rev,
            repo,
        )
        if wanted is None:
            assert_refused(blamed, "not_found")
        else:
            assert blamed.rows == [(wanted.decode() or None,)]
    # git counts a path of `git diff -- <path>` from the directory, and the path of a row from the root.
    rooted = (
        file if not file.startswith((".", "..")) else os.path.normpath(os.path.join(folder, file))
    )
    patch = repositories.git(
        repo, "diff", *PLAIN, "before", "after", "--", f":(top,literal){rooted}"
    )
    got = answer(
        con,
        "SELECT count(*) FILTER (line_type = 'ADDED') FROM file_diff(?, 'before', 'after', ?)",
        file,
        repo,
    )
    added = sum(
        line.startswith(b"+") and not line.startswith(b"+++ ") for line in patch.splitlines()
    )
    if wanted is None and repositories.git(repo, "ls-tree", "--full-tree", "before", rooted) == b"":
        assert_refused(got, "not_found")
    else:
        assert got.rows == [(added,)]
    history = answer(con, "SELECT count(*) FROM file_history(?, 'after', ?)", file, repo)
    assert (history.error is None) == (wanted is not None)


@pytest.mark.parametrize("folder, file", OUTSIDE)
def test_a_file_outside_of_the_work_tree_is_refused_as_by_git(con, folder, file):
    repo = repositories.fixture("basic") / folder
    assert (
        subprocess.run(["git", "-C", repo, "show", f"after:{file}"], capture_output=True).returncode
        != 0
    )
    for query in (
        "SELECT file_content(?, 'after', ?)",
        "FROM file_diff(?, 'before', 'after', ?)",
        "FROM file_blame(?, 'after', ?)",
        "FROM file_history(?, 'after', ?)",
    ):
        assert "outside of the work tree" in assert_refused(
            answer(con, query, file, repo), "invalid_args"
        )


def test_a_path_of_a_row_names_its_file_whichever_directory_is_named(con):
    for folder in ("", "order", "attributes/sub"):
        repo = str(repositories.fixture("basic") / folder)
        rows = con.execute(
            "SELECT file_path, len(file_diff_list(file_path, 'before', 'after', ?)) > 0 FROM file_changes('before', 'after', ?, paths := ':/order') WHERE additions > 0",
            [repo, repo],
        ).fetchall()
        assert len(rows) > 3 and all(found for _, found in rows), folder


def test_a_bare_repository_has_no_directory_that_a_file_is_relative_to(con):
    repo = repositories.fixture("bare.git")
    assert "work tree" in assert_refused(
        answer(con, "SELECT file_content('./modified.txt', 'after', ?)", repo), "invalid_args"
    )
    assert con.execute(
        "SELECT file_content('modified.txt', 'after', ?) IS NOT NULL", [str(repo)]
    ).fetchone() == (True,)


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """The fixture with one state in HEAD, another in the index and a third on disk."""
    repo = tmp_path_factory.mktemp("staged") / "basic"
    shutil.copytree(repositories.fixture("basic"), repo, symlinks=True)
    repositories.git(repo, "update-ref", "--no-deref", "HEAD", "after")
    repositories.git(repo, "read-tree", "--reset", "before")
    return repo


UNCOMMITTED = {
    ("HEAD", "INDEX"): ["--cached", "HEAD"],
    ("INDEX", "WORKTREE"): [],
    ("HEAD", "WORKTREE"): ["HEAD"],
}


# The merge gate compares one pair of sides for each pathspec, in turns.
@pytest.mark.parametrize(
    "folder, specs, sides",
    [
        pytest.param(
            folder,
            specs,
            sides,
            id=f"{folder}>{' '.join(specs)!r} {'-'.join(sides)}",
            marks=() if (number + turn) % 3 == 0 else pytest.mark.slow,
        )
        for number, (folder, specs) in enumerate(SPECS)
        for turn, sides in enumerate(UNCOMMITTED)
    ],
)
def test_pathspecs_name_the_uncommitted_files_that_git_names(con, staged, folder, specs, sides):
    repo = staged / folder
    theirs = raw_rows(repo, "--no-renames", *UNCOMMITTED[sides], "--", *specs)
    assert named(con, repo, *sides, specs) == theirs


@pytest.mark.parametrize("folder, specs", random.Random(SEED).sample(SPECS, 30))
def test_pathspecs_name_the_untracked_files_that_git_names(con, staged, folder, specs):
    others = repositories.git(
        staged / folder, "ls-files", "--others", "--full-name", "-z", "--", *specs
    )
    wanted = [(path, "added", None) for path in others.decode(errors="replace").split("\0")[:-1]]
    rows = named(con, staged / folder, "INDEX", "WORKTREE", specs, ", untracked := true")
    assert [row for row in rows if row[1] == "added"] == wanted


def test_a_directory_that_was_not_asked_for_is_not_opened(con):
    """The tree of `sub` is missing, so only pathspecs that need it may fail. git opens excluded directories; redline does not."""
    repo, whole = (
        repositories.fixture("corrupt-missing-tree"),
        repositories.fixture("corrupt-source"),
    )
    for specs in (
        ["a.txt"],
        [":!sub"],
        ["a*", ":!sub/"],
        [":(icase)A.TXT"],
        ["su", "b.dat"],
        [":(glob)s/**", "a.txt"],
    ):
        wanted = named_by_git(whole, "main~1", "main", specs)
        assert named(con, repo, "main~1", "main", specs) == wanted
    for specs in (["sub"], ["*.txt"], [":(icase)SUB/c.txt"], [":!a.txt"]):
        with pytest.raises(duckdb.Error, match="tool_failed"):
            named(con, repo, "main~1", "main", specs)


# -- random pathspecs -------------------------------------------------------------------------

PIECES = ["a", "b", "A", "[x]", "*", "a*", "?", "é", "a-b", "[", "\\", "x"]
WILD = [
    "*",
    "**",
    "?",
    "[x]",
    "[a-b]",
    "[!a]",
    "[^x]",
    "[[:alpha:]]",
    "[A-Z]",
    "\\a",
    "\\",
    "\\*",
    "*a",
    "[",
    "[[:x",
    "[]x]",
    "**/",
]
MAGIC = [
    "",
    "",
    "",
    "",
    ":",
    ":!",
    ":^",
    ":/",
    ":(icase)",
    ":(glob)",
    ":(literal)",
    ":(glob,icase)",
    ":(exclude,icase)",
    ":(exclude,glob)",
]


@pytest.fixture(scope="module")
def odd_names(tmp_path_factory):
    """A repository of files and directories whose names contain wildcards, and letters that differ in case."""
    folder = tmp_path_factory.mktemp("names") / "repo"
    chosen = random.Random(SEED)
    paths = {"/".join(chosen.choices(PIECES, k=depth)) for depth in (1, 2, 3) for _ in range(150)}
    # A path cannot be both a file and a directory.
    paths = [
        path for path in sorted(paths) if not any(other.startswith(path + "/") for other in paths)
    ]
    quoted = lambda path: '"' + path.replace("\\", "\\\\") + '"'
    kind = lambda path: (
        (160000, "1" * (64 if repositories.IS_TWIN else 40))
        if hash_of(path) % 5 == 0
        else (100644, "inline")
    )
    stream = "commit refs/heads/main\ncommitter c <c@example.com> 1700000000 +0000\ndata 0\n"
    for path in paths:
        mode, what = kind(path)
        stream += f"M {mode} {what} {quoted(path)}\n" + ("data 1\nx\n" if what == "inline" else "")
    repositories.git(folder.parent, "init", "-q", str(folder))
    repositories.git(folder, "fast-import", "--quiet", stdin=stream.encode())
    repositories.git(folder, "read-tree", "main")
    for name in ("a", "[x]", "a*", "A/b"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return folder


def hash_of(text):
    return sum(text.encode())


def random_spec(chosen):
    parts = [
        chosen.choice(PIECES + WILD)
        + (chosen.choice(PIECES + WILD) if chosen.random() < 0.3 else "")
        for _ in range(chosen.randint(1, 3))
    ]
    return chosen.choice(MAGIC) + "/".join(parts) + chosen.choice(["", "", "/", "/*", "/**"])


@pytest.mark.slow
def test_random_pathspecs_name_the_files_that_git_names(con, odd_names):
    chosen = random.Random(SEED)
    empty = empty_tree(odd_names)
    named_any = listed_otherwise = 0
    for _ in range(600):
        repo = odd_names / chosen.choice(["", "", "a", "[x]", "a*", "A/b"])
        specs = [random_spec(chosen) for _ in range(chosen.choice([1, 1, 2, 3]))]
        wanted = named_by_git(repo, empty, "main", specs)
        assert named(con, repo, "EMPTY", "main", specs) == wanted, (repo.name, specs)
        # git searches the index in another way than a tree, and some of its answers differ.
        listed = raw_rows(repo, "--no-renames", "--cached", empty, "--", *specs)
        assert named(con, repo, "EMPTY", "INDEX", specs) == listed, (repo.name, specs)
        named_any += bool(wanted)
        listed_otherwise += wanted != listed
    assert named_any > 200 and listed_otherwise > 0


# -- ripgrep ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory):
    bundles = repositories.bundle_folder()
    if bundles is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    return repositories.clone_bundle("ripgrep.bundle", tmp_path_factory.mktemp("paths") / "ripgrep")


def spec_of(chosen, path):
    """Returns a pathspec made of a path: the path or a parent directory, perhaps with wildcards, magic or another case."""
    parts = path.split("/")
    made = "/".join(parts[: chosen.randint(1, len(parts))])
    if chosen.random() < 0.3:
        made = made[: chosen.randint(1, len(made))] + chosen.choice(
            ["*", "?", "**", "[a-z]*", "/**"]
        )
    elif chosen.random() < 0.2:
        made = "*." + parts[-1].rsplit(".", 1)[-1]
    magic = chosen.choice(
        ["", "", "", "", ":!", ":(glob)", ":(icase)", ":(exclude,glob)", ":(literal)"]
    )
    return magic + (made.upper() if "icase" in magic else made) + chosen.choice(["", "", "", "/"])


@pytest.mark.parametrize("renames", [False, True])
def test_commits_limited_by_pathspecs_have_the_rows_of_git(con, ripgrep, renames):
    """git applies the pathspecs first and then finds renames, so half of a rename is an added or deleted file."""
    chosen = random.Random(SEED)
    pairs = repositories.history(ripgrep)
    far = [tuple(sorted(chosen.sample(range(len(pairs)), 2))) for _ in range(50)]
    pairs = chosen.sample(pairs, 50) + [(pairs[old][1], pairs[new][1]) for old, new in far]
    paths = repositories.git_text(
        ripgrep, "log", "--format=", "--name-only", "-n", "800"
    ).splitlines()
    git_options, options = (["-M"], ", renames := true") if renames else ([], "")
    rows = renamed = 0
    for old, new in pairs:
        specs = [spec_of(chosen, path) for path in chosen.sample(paths, chosen.randint(1, 4))]
        git_old = empty_tree(ripgrep) if old == "EMPTY" else old
        wanted = named_by_git(ripgrep, git_old, new, specs, *git_options)
        assert named(con, ripgrep, old, new, specs, options) == wanted, (old, new, specs)
        rows += len(wanted)
        renamed += sum(origin is not None for _, _, origin in wanted)
    assert rows > 500 and (renamed > 20) == renames


# -- a range as a table -----------------------------------------------------------------------


def rows_of(con, name):
    return con.execute(f"""SELECT file_path, status FROM '{name.replace("'", "''")}'""").fetchall()


@pytest.fixture
def in_readme(monkeypatch):
    repo = repositories.fixture("readme")
    monkeypatch.chdir(repo)
    return repo


@pytest.mark.parametrize(
    "name", ["v1..v2", "v1...v2", "HEAD~1..HEAD", "v1..", "v1...", "@~1..@", "v1^{tree}..v2^{tree}"]
)
def test_a_range_can_be_queried_as_a_table(con, in_readme, name):
    wanted = [(path, status) for path, status, _ in named_by_git(in_readme, "v1", "v2", [])]
    assert rows_of(con, name) == wanted
    assert con.execute(f'SELECT file_path, status FROM "{name}"').fetchall() == wanted
    described = con.execute(f"DESCRIBE SELECT * FROM '{name}'").fetchall()
    assert (
        described == con.execute("DESCRIBE SELECT * FROM file_changes('v1', 'v2', '.')").fetchall()
    )


@pytest.mark.parametrize("name", ["..v1", "v2..v1", "...v1"])
def test_an_end_that_is_left_out_is_head(con, in_readme, name):
    wanted = (
        repositories.git(in_readme, "diff", "--name-only", "--no-renames", *PLAIN, name)
        .decode()
        .splitlines()
    )
    assert [path for path, _ in rows_of(con, name)] == wanted


def test_a_range_joins_and_makes_views(con, in_readme):
    joined = "SELECT count(*) FROM 'v1..v2' AS forth JOIN 'v2..v1' AS back USING (file_path)"
    assert con.execute(joined).fetchone() == (3,)
    con.execute("CREATE VIEW changed AS FROM 'v1..v2'")
    assert con.execute("SELECT count(*) FROM changed").fetchone() == (3,)


def test_a_range_is_found_from_a_folder_in_the_repository(con, monkeypatch):
    monkeypatch.chdir(repositories.fixture("basic") / "paths")
    wanted = named_by_git(repositories.fixture("basic"), "before", "after", [])
    assert rows_of(con, "before..after") == [(path, status) for path, status, _ in wanted]


NO_RANGES = [
    "nosuch",
    "..",
    "...",
    "../foo.txt",
    "../v1..v2",
    "./v1..v2",
    "s3://b/..x",
    "s3://v1..v2",
    "v1 ..v2",
    "v*..v2",
    "v1..v2..v1",
    "v1:..v2:",
    "v1..v2/",
    "-v1..v2",
]


@pytest.mark.parametrize("name", NO_RANGES)
def test_other_names_are_not_ranges(con, in_readme, name):
    with pytest.raises(duckdb.Error) as unknown:
        rows_of(con, name)
    assert not any(
        code in str(unknown.value)
        for code in ("not_found", "invalid_args", "tool_failed", "fs_denied")
    )


def test_a_range_hides_no_table_or_file(con, in_readme, tmp_path, monkeypatch):
    con.execute('CREATE TABLE "v1..v2" AS SELECT 42 AS answer')
    assert con.execute("FROM 'v1..v2'").fetchall() == [(42,)]
    con.execute('DROP TABLE "v1..v2"')
    assert len(rows_of(con, "v1..v2")) == 3
    shutil.copytree(in_readme, tmp_path / "repo")
    monkeypatch.chdir(tmp_path / "repo")
    (tmp_path / "repo" / "v1..v2").write_text("a file of that name")
    with pytest.raises(duckdb.Error, match="v1..v2"):
        rows_of(con, "v1..v2")


def test_an_unknown_range_says_so(con, in_readme):
    with pytest.raises(duckdb.Error) as unknown:
        rows_of(con, "v1..nosuch")
    assert repositories.code_and_words(unknown.value)[0] == "not_found"


# Promise (outside): A range as a table name reads only where the function may.
def test_a_range_is_refused_where_access_is_forbidden(connect, in_readme, tmp_path):
    con = connect()
    con.execute("SET enable_external_access = false")
    with pytest.raises(duckdb.Error) as refused:
        rows_of(con, "v1..v2")
    assert repositories.code_and_words(refused.value)[0] == "fs_denied"


def test_a_range_is_read_in_an_allowed_directory(connect, in_readme):
    con = connect()
    con.execute(f"SET allowed_directories = ['{in_readme}']")
    con.execute("SET enable_external_access = false")
    assert len(rows_of(con, "v1..v2")) == 3
