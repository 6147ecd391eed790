"""Calls of functions whose large allocations are refused, one after the other: the process of test_refusals.py.

`refusals.py EXTENSION ROOT SQL FIRST` makes a call of `calls` again and again, with the allocation number FIRST refused, the next
one, and so on until a call asks for fewer. It prints each number before it, so that whoever started it knows which one ended it.
"""

import hashlib
import json
import pathlib
import re
import resource
import subprocess
import sys

import duckdb
import text_calls
from reading_calls import CALLS, OTHER_CALLS, filled

# As many lines as have every table of lines, and every table of hunks, grow beyond what is refused; and as many files.
LINES = [f"line {number} of the text\n" for number in range(17_000)]
CHANGED = [line.replace("of", "of all") if number % 8 == 4 else line for number, line in enumerate(LINES)]  # fmt: skip
SIDE = [line.replace("the", "a") if number % 8 == 0 else line for number, line in enumerate(LINES)]
BLOCK = [f"        moved({number}, of_a_block)\n" for number in range(17_000)]
FILES = 700
SANDBOX = {"name": "ws", "mode": "rw", "git": "commit", "write_approval": False, "edit_approval": False}  # fmt: skip
ASKING = {"name": "asking", "mode": "rw"}


def world(root: pathlib.Path) -> None:
    """Makes a repository of three commits, whose files, lines, moves and merges are many, and a directory whose writes a person approves."""
    git = ["git", "-C", root, "-c", "user.name=t", "-c", "user.email=t@example.com"]
    folder = root / "many"
    folder.mkdir(parents=True)
    (root.parent / "asking").mkdir()
    (root.parent / "asking/a.txt").write_text("".join(LINES))

    def commit(message: str) -> None:
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-F", "-"], input=message.encode(), check=True)

    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for name in ("name", "email"):
        subprocess.run([*git, "config", f"user.{name}", "t@example.com"], check=True)
    (root / "a.txt").write_text("".join(LINES))
    (root / "from.txt").write_text("".join(BLOCK))
    (root / "bad.txt").write_bytes(b"".join(b"\xff %d\n" % number for number in range(20_000)))
    for number in range(FILES):
        (folder / name_of(number)).write_text(f"{number}\n")
    commit("one\n\n" + "a long message\n" * 10_000)
    subprocess.run([*git, "branch", "side"], check=True)
    (root / "a.txt").write_text("".join(CHANGED))
    (root / "from.txt").write_text("nothing\n")
    (root / "to.txt").write_text("first\n" + "".join(BLOCK))
    (root / "bad.txt").write_bytes(b"".join(b"\xfe %d\n" % number for number in range(20_000)))
    for number in range(FILES):
        (folder / name_of(number)).write_text(f"{number}.\n")
    commit("two")
    subprocess.run([*git, "checkout", "-q", "side"], check=True)
    (root / "a.txt").write_text("".join(SIDE))
    commit("three")
    subprocess.run([*git, "checkout", "-q", "main"], check=True)
    subprocess.run([*git, "merge", "-q", "side", "-m", "four"], check=True)


def name_of(number: int) -> str:
    """Returns the name of one of the many files."""
    return f"a file with a long name, of which there are many {number}"


def states(root: pathlib.Path) -> list[tuple[int, int, int]]:
    """Returns what changes with a file that a call changes: it is replaced by another one."""
    found = [*root.glob("*.txt"), *root.joinpath("many").iterdir()]
    found += [root / ".git" / name for name in ("index", "HEAD", "refs/heads/main")]
    return sorted((at.st_ino, at.st_mtime_ns, at.st_size) for at in map(pathlib.Path.stat, found))


def refill(root: pathlib.Path) -> None:
    """Makes the files that calls change as they were before them."""
    (root / "w.txt").write_text("".join(LINES))
    (root / "repeated.txt").write_text("the same line\n" * 20_000)
    (root / "crlf.txt").write_text("".join(LINES), newline="\r\n")
    (root / "new.txt").unlink(missing_ok=True)
    for number in range(FILES):
        path = root / "many" / name_of(number)
        if path.read_text() != f"{number}.\n":
            path.write_text(f"{number}.\n")
    for name in ("index", "HEAD", "refs/heads/main"):
        path, kept = root / ".git" / name, root.parent / name.replace("/", "-")
        if not kept.exists():
            kept.write_bytes(path.read_bytes())
        if path.read_bytes() != kept.read_bytes():
            path.write_bytes(kept.read_bytes())
        path.with_name(f"{path.name}.lock").unlink(missing_ok=True)


def calls() -> dict[str, str]:
    """Returns the calls by the name of a function or a tool, and a number where there are several.

    `inline_diff` is not among them: the library that compares words aborts, and its texts are bounded (INLINE_BYTES). Nor is
    `table_changes_sql`, which writes a query around its texts: they are names of tables.
    """
    found = {}

    def add(name: str, *asked: str) -> None:
        for sql in asked:
            names = [name, *(f"{name} {number}" for number in range(2, 100))]
            found[next(free for free in names if free not in found)] = sql

    values = {"old": "'main~1'", "new": "'main'", "file": "'a.txt'", "repo": "getvariable('root')"}
    for name, call in CALLS.items():
        # A search for copies in all files of each commit takes seconds here.
        add(name, filled(call, **values).replace(", copies := 3", ""))
    for call in OTHER_CALLS:
        add(
            re.search(r"(?:redline_call(?:_text)?\('(\w+)'|(\w+)\()", call).expand(r"\1\2"),
            filled(call, **values),
        )
    repo = "getvariable('root')"
    add(
        "moved_lines",
        *(
            f"FROM moved_lines('main~1', 'main', {repo}, mode := '{mode}')"
            for mode in ("blocks", "zebra", "dimmed-zebra")
        ),
    )
    add("diff_review", f"FROM diff_review('main~1', 'main', {repo}, max_bytes := 8000000)")
    add("file_patches", f"FROM file_patches('main^!', NULL, {repo}, merges := 'combined')")
    add("diff_html", f"SELECT diff_html('main~1', 'WORKTREE', {repo}, {{'untracked': true}})")
    add("files_at", f"SELECT files_at('many/*', 'main', {repo})")
    # Functions of their arguments alone, and other ways through some.
    for name, call in text_calls.calls("refused").items():
        if name not in ("inline_diff", "table_changes_sql"):
            add(name, f"SELECT {call} FROM texts")
    for call in (
        "unified_diff(a, b, 20)",
        "unified_diff(bad, b)",
        "diff_texts(a, bad)",
        "diff_rows(a, bad, -1)",
        "apply_patch(b, patch)",
        "merge_texts(a, b, other)",
        "merge_conflicts(a, b, other)",
    ):
        add(call.partition("(")[0], f"SELECT {call} FROM texts")
    # Rows of data.
    numbered = "(SELECT string_agg(i || ',' || i {}, chr(10) ORDER BY i) FROM range(17000) AS r(i))"
    old, new = numbered.format(""), numbered.format("// 8")
    add("data_rows", f"SELECT data_rows('id,price' || chr(10) || {old}, 'a.csv')")
    add(
        "data_changes",
        f"SELECT data_changes('id,price' || chr(10) || {old}, 'id,price' || chr(10) || {new}, 'a.csv')",
    )
    # Files.
    add("read_file", "SELECT read_file('ws/a.txt')", "SELECT read_file('ws/bad.txt')")
    add("diff_files", "SELECT diff_files('ws/a.txt', 'ws/w.txt')")
    add(
        "edit_explain",
        "FROM edit_explain('ws/w.txt', 'line 7 of')",
        "FROM edit_explain('ws/repeated.txt', 'same')",
    )
    add(
        "write_file",
        "SELECT write_file('ws/w.txt', b) FROM texts",
        "SELECT write_file('ws/new.txt', b) FROM texts",
    )
    add(
        "edit_file",
        "SELECT edit_file('ws/w.txt', 'line 7 of the', 'x')",
        "SELECT edit_file('ws/w.txt', 'line 7 off the', 'x')",
        "SELECT edit_file('ws/w.txt', a, b) FROM texts",
        "SELECT edit_file('ws/w.txt', b, a) FROM texts",
        "SELECT edit_file('ws/crlf.txt', a, b) FROM texts",
        "SELECT edit_file('ws/repeated.txt', 'same', 'other', true)",
        "SELECT edit_file('ws/repeated.txt', 'same', 'other')",
        "SELECT edit_file('ws/w.txt', list({'old_string': line, 'new_string': line || '.'})) FROM lines WHERE line LIKE 'line 77%'",
    )
    text = "".join(LINES).encode()
    oid = hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest()
    add("edit_lines", f"SELECT edit_lines('ws/w.txt', 2, 16000, b, '{oid}') FROM texts")
    edits = "list({'path': 'many/' || name, 'old_string': '.', 'new_string': ' changed'})"
    add(
        "edit_files",
        f"SELECT edit_files('ws', {edits}) FROM names",
        "SELECT edit_files('ws', patch) FROM patches",
        "SELECT edit_files('asking', '*** Begin Patch' || chr(10) || '*** Add File: n' || chr(10) || '+' || replace(b, chr(10), chr(10) || '+') || chr(10) || '*** End Patch') FROM texts",
    )
    # Of ten files, as a call with all of them takes seconds.
    add("revert_edit", "SELECT revert_edit(edit_files('ws', few).id) FROM patches")
    written = "write_file('ws/w.txt', b).path"
    add("revert_edits", f"SELECT revert_edits(split_part({written}, '/', 1)) FROM texts")
    add("redline_log", "FROM redline_log()")
    # The patch leads from the changed files back to those of the commit before.
    add(
        "git_commit",
        "SELECT git_commit('ws', repeat('a long message' || chr(10), 4000), patch, {'dry_run': true}) FROM patches",
        "SELECT revert_edit(git_commit('ws', 'five', patch).id) FROM patches",
        "SELECT git_commit('ws', 'five', ['w.txt', 'repeated.txt', 'crlf.txt'])",
    )
    add("git_stage", "SELECT git_stage('ws', patch) FROM patches", "SELECT git_stage('ws', ['*'])")
    add("git_unstage", "SELECT (git_stage('ws', patch), git_unstage('ws', patch)) FROM patches")
    add(
        "git_restore",
        "SELECT git_restore('ws', ['many/*many 7?'], 'main~2')",
        "SELECT git_restore('ws', ['a.txt'], 'main~2', {'dry_run': true})",
    )
    payload = "write_approval('asking/n.txt', b)"
    add("write_approval", f"SELECT {payload} FROM texts")
    add("edit_approval", "SELECT edit_approval('asking/a.txt', a, b) FROM texts")
    add("approval_chunk", f"SELECT approval_chunk({payload}, 1) FROM texts")
    tools = {
        "search": "{'path': 'ws', 'pattern': 'line', 'max_bytes': 5000000}",
        "Diff": "{'path_a': 'ws/a.txt', 'path_b': 'ws/w.txt'}",
        "read_file": "{'path': 'ws/a.txt', 'max_bytes': 400000}",
        "write_file": "{'path': 'ws/w.txt', 'content': b}",
        "edit_file": "{'path': 'ws/w.txt', 'edits': [{'old_string': a, 'new_string': b}]}",
        "apply_patch": "{'patch': (SELECT patch FROM patches)}",
        "GitCommit": "{'repo': 'ws', 'message': 'five', 'what': (SELECT patch FROM patches)}",
        "GitStage": "{'repo': 'ws', 'what': (SELECT patch FROM patches)}",
    }
    for tool, arguments in tools.items():
        add(f"tool {tool}", f"SELECT redline_call('{tool}', {arguments}::JSON) FROM texts")
    return found


class Child:
    """A database with a sandbox of the world, one where a person approves, a journal in memory, and a table of texts."""

    def __init__(self, extension: str, root: pathlib.Path) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.extension, self.root = extension, root
        self.open()

    def open(self) -> None:
        """Opens another database, whose journal is empty, on files as they were before any call."""
        extension, root = self.extension, self.root
        refill(root)
        self.con = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": 2})
        self.con.execute(f"LOAD '{extension}'")
        boxes = [SANDBOX | {"root": str(root)}, ASKING | {"root": str(root.parent / "asking")}]
        self.con.execute("SET GLOBAL redline_sandboxes = '" + json.dumps(boxes) + "'")
        self.con.execute("SET VARIABLE root = ?", [str(root)])
        other = "".join(LINES).replace("line 1", "LINE 1")
        self.con.execute(
            "CREATE TABLE texts AS SELECT ? AS a, ? AS b, ? AS side, ? AS other, decode(?) AS bad",
            [
                "".join(LINES),
                "".join(CHANGED),
                "".join(SIDE),
                other,
                "\ufffd x\n".encode() * 20_000,
            ],
        )
        self.con.execute(
            "CREATE TABLE lines AS SELECT unnest(string_split(a, chr(10))) AS line FROM texts"
        )
        names = [(path.name,) for path in (root / "many").iterdir()]
        self.con.execute("CREATE TABLE names (name VARCHAR)")
        self.con.executemany("INSERT INTO names VALUES (?)", names)
        self.con.execute(
            "CREATE TABLE patches AS SELECT string_agg(p.patch, '' ORDER BY p.file_path) AS patch, string_agg(p.patch, '' ORDER BY p.file_path) FILTER (WHERE p.file_path LIKE '% 7_') AS few FROM file_patches('main~1', 'main~2', ?) AS p WHERE p.file_path LIKE 'many/%'",
            [str(root)],
        )
        self.con.execute("ALTER TABLE texts ADD COLUMN patch VARCHAR")
        self.con.execute("UPDATE texts SET patch = unified_diff(a, b)")
        self.con.execute(
            "CREATE OR REPLACE TABLE texts AS SELECT * REPLACE ('diff --git a/file b/file' || chr(10) || '--- a/file' || chr(10) || '+++ b/file' || "
            "substr(patch, instr(patch, chr(10) || '@@')) AS patch) FROM texts"
        )

    def ask(self, sql: str) -> tuple[str, str]:
        """Returns `rows`, or the code of the error and its text."""
        try:
            self.con.execute(sql).fetchall()
        except MemoryError:
            return "memory", ""
        except duckdb.Error as error:
            text = str(error).removeprefix("Invalid Input Error: ")
            return text.split(":")[0][:60], text
        return "rows", ""

    def refuse(self, sql: str, first: int) -> None:
        # What reads the journal asks for more memory with each entry.
        reads_journal = "revert_edit" in sql
        before = states(self.root)
        usual, _ = self.ask(sql)
        print("usual", usual, flush=True)
        said = set()
        while True:
            if reads_journal:
                self.con.close()
                self.open()
            if reads_journal or states(self.root) != before:
                refill(self.root)
                before = states(self.root)
            print(first, flush=True)
            self.con.execute(f"SELECT redline_debug_refuse({first}, 1)").fetchall()
            got, text = self.ask(sql)
            refused = self.con.execute("SELECT redline_debug_refuse(0, 0)").fetchone()[0]
            said.add(got)
            assert got in (usual, "too_large", "memory"), f"{usual} before, {got}: {text[:400]}"
            if refused == "0":
                break
            first += 1
        print("said", *sorted(said), flush=True)


def can_refuse(extension) -> bool:
    """Tells whether a build has the allocator that refuses: those with debug assertions have."""
    with duckdb.connect(config={"allow_unsigned_extensions": True}) as con:
        con.execute(f"LOAD '{extension}'")
        names = con.execute("SELECT function_name FROM duckdb_functions()").fetchall()
    return ("redline_debug_refuse",) in names


if __name__ == "__main__":
    extension, root, sql, first = sys.argv[1:]
    Child(extension, pathlib.Path(root)).refuse(sql, int(first))
    print("ended well")
