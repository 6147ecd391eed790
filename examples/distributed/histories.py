"""The histories of many repositories as Parquet: SQL statements, run wherever Ray has a free processor.

    python histories.py OUT REPOSITORY... [--tip HEAD] [--tables changes,commits,blame] [--processors 1] [--again]

Each repository becomes OUT/repository=<name>/: Parquet files of its changes, its commits and the blame of its files, and
record.json, which says which of these files count and up to which commit. The next run reads what came since then and adds
it; a history that was rewritten is read anew. The record is replaced last and as a whole, so a run that is killed changes
nothing. A repository that fails is reported and does not end the run.
"""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import re
import resource
import sys
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "build/release/redline.duckdb_extension"
RECORD = "record.json"
# Counts up when the statements below change: files of another version are written anew.
VERSION = 1

# What is asked of every repository. New commits are added to the first two; of the third, files that they changed are replaced.
CHANGES = """
    SELECT commit_id, parent_id, author_name, author_email, author_date, committer_date, subject,
           file_path, status, old_path, additions, deletions, is_binary
    FROM commit_changes($range, $repository)
"""
COMMITS = """
    SELECT commit_id, parent_ids, author_name, author_email, author_date, committer_name, committer_email, committer_date,
           subject, body
    FROM commits($range, $repository)
"""
BLAME = "SELECT * FROM tree_blame($tip, $repository)"
BLAME_AGAIN = """
    SELECT * FROM read_parquet($old, hive_partitioning := false) WHERE NOT list_contains($changed, file_path)
    UNION ALL SELECT * FROM tree_blame($tip, $repository, paths := $paths)
    ORDER BY file_path, first_line
"""
TABLES = ("changes", "commits", "blame")
# Names and line counts of old commits depend on these files too.
DEPENDS_ON = [":(top).mailmap", ":(top,glob)**/.gitattributes"]
# What is asked of all of them together, at the end.
CHURN = """
    SELECT repository, count(DISTINCT commit_id) AS commits, count(*) AS changes,
           sum(additions) AS additions, sum(deletions) AS deletions, count(DISTINCT author_email) AS authors
    FROM read_parquet($files, hive_partitioning := true) GROUP BY ALL ORDER BY changes DESC
"""


def update(task: dict) -> dict:
    """Brings the files of one repository up to date, wholly or not at all, and returns what came of it."""
    result = {
        "repository": task["name"],
        "state": "failed",
        "rows": 0,
        "seconds": 0.0,
        "peak_mib": 0,
        "error": "",
    }
    folder = pathlib.Path(task["out"]) / f"repository={task['name']}"
    started = time.monotonic()
    try:
        with (
            claimed(folder),
            duckdb.connect(
                config={"allow_unsigned_extensions": True, "threads": task["processors"]}
            ) as con,
        ):
            con.execute(f"LOAD '{task['extension']}'")
            work = Update(con, task, folder)
            try:
                result |= work.run()
            finally:
                work.sweep()
    except (duckdb.Error, OSError, ValueError) as error:
        result["error"] = str(error).splitlines()[0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return result | {
        "seconds": time.monotonic() - started,
        "peak_mib": peak // (1 << 20 if sys.platform == "darwin" else 1 << 10),
    }


class Update:
    """The update of one repository, in a directory that no other run writes to meanwhile."""

    def __init__(self, con: duckdb.DuckDBPyConnection, task: dict, folder: pathlib.Path):
        self.con, self.task, self.folder, self.repository = con, task, folder, task["repository"]
        self.record = read_record(folder)
        self.rows = 0

    def run(self) -> dict:
        # The work is done on ids: a branch may move while it goes on.
        self.tip = self.one(
            "SELECT resolve_revision($tip, $repository)", tip=f"{self.task['tip']}^{{commit}}"
        )
        reason = self.reason_to_start_over() if self.record else None
        self.old = self.record["tip"] if self.record and not reason else None
        if self.old == self.tip:
            if self.record["repository"] != self.repository:
                self.keep(self.record | {"repository": self.repository})
            return {"state": "up to date"}
        kept = self.record["files"] if self.old else {table: [] for table in self.task["tables"]}
        self.number = self.record["runs"] + 1 if self.record else 1
        self.range = f"{self.old}..{self.tip}" if self.old else self.tip
        files = {}
        for table, statement in (("changes", CHANGES), ("commits", COMMITS)):
            if table in self.task["tables"]:
                files[table] = [*kept[table], self.write(table, statement, range=self.range)]
        if "blame" in self.task["tables"]:
            files["blame"] = self.blame(kept["blame"])
        self.keep(
            {
                "version": VERSION,
                "repository": self.repository,
                "tip": self.tip,
                "runs": self.number,
                "files": files,
            }
        )
        return {
            "state": f"done again: {reason}" if reason else "continued" if self.old else "written",
            "rows": self.rows,
        }

    def reason_to_start_over(self) -> str | None:
        """Returns why what is there cannot be continued, if that is so."""
        old = self.record["tip"]
        if self.task["again"]:
            return "as asked"
        if self.record["version"] != VERSION or set(self.record["files"]) != set(
            self.task["tables"]
        ):
            return "other tables"
        try:
            base = self.one("SELECT merge_base($old, $tip, $repository)", old=old, tip=self.tip)
        except duckdb.Error as error:
            # The old commit is gone, as a collected one is.
            if "not_found:" not in str(error):
                raise
            base = None
        if base != old:
            return f"its history was rewritten, {old[:12]} is not in it"
        if self.one(
            "SELECT count(*) FROM file_changes($old, $tip, $repository, paths := $paths)",
            old=old,
            tip=self.tip,
            paths=DEPENDS_ON,
        ):
            return "a .mailmap or .gitattributes changed"
        return None

    def blame(self, kept: list[str]) -> list[str]:
        """Returns the file of the blame. A file that no commit has changed since keeps its rows.

        That holds where the old tip is one of the first parents: along them such a file is the same, and blame follows
        the first parent that has the same file.
        """
        first_parents = "SELECT count(*) FROM commits($range, $repository, first_parent := true) WHERE parent_ids[1] = $old"
        if not kept or not self.one(first_parents, range=self.range, old=self.old):
            return [self.write("blame", BLAME, tip=self.tip)]
        changed = self.one(
            "SELECT list(DISTINCT file_path) FROM commit_changes($range, $repository, merges := 'first_parent')",
            range=self.range,
        )
        if not changed:
            return kept
        paths = [f":(top,literal){path}" for path in changed]
        return [
            self.write(
                "blame",
                BLAME_AGAIN,
                old=str(self.folder / kept[0]),
                changed=changed,
                tip=self.tip,
                paths=paths,
            )
        ]

    def write(self, table: str, statement: str, **named) -> str:
        """Writes the rows of a statement to a new file and returns its name."""
        name = f"{table}-{self.number:06}.parquet"
        copy = lambda path: (
            f"COPY ({statement}) TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)"
        )
        replace(self.folder / name, lambda path: self.count(self.one(copy(path), **named)))
        return name

    def keep(self, record: dict) -> None:
        """Replaces the record: from here on, its files are those that count."""
        replace(
            self.folder / RECORD, lambda path: path.write_text(json.dumps(record, indent=1) + "\n")
        )
        self.record = record

    def count(self, rows: int) -> None:
        self.rows += rows

    def one(self, query: str, **named):
        return self.con.execute(query, {"repository": self.repository} | named).fetchone()[0]

    def sweep(self) -> None:
        """Removes the files that do not count: those of a run that was killed, and those that others have replaced."""
        counted = (
            {name for names in self.record["files"].values() for name in names}
            if self.record
            else set()
        )
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".unfinished") or name.endswith(".parquet") and name not in counted:
                os.unlink(self.folder / name)


def read_record(folder: pathlib.Path) -> dict | None:
    path = folder / RECORD
    return json.loads(path.read_text()) if path.exists() else None


def replace(path: pathlib.Path, write) -> None:
    """Writes a file that is there as a whole, on disk, or not at all."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    write(unfinished)
    sync(unfinished)
    os.replace(unfinished, path)
    sync(path.parent)


def sync(path: pathlib.Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextlib.contextmanager
def claimed(folder: pathlib.Path):
    """Holds the directory for this process; the system lets go of it however the process ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError("another run writes to this repository's files") from None
        yield


def files(out: pathlib.Path, table: str) -> list[str]:
    """Returns the files of a table that count, of all repositories."""
    folders = sorted(path.parent for path in out.glob(f"repository=*/{RECORD}"))
    return [
        str(folder / name)
        for folder in folders
        for name in read_record(folder)["files"].get(table, [])
    ]


def names(arguments: list[str], out: pathlib.Path) -> dict[str, str]:
    """Returns the path of each repository by its name: the one given, the one it had, or the end of its path."""
    given, paths = {}, []
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if equals and not os.path.exists(argument):
            if not re.fullmatch(r"\w[\w.-]*", name):
                raise SystemExit(
                    f"{name!r} is no name of a repository: it may have letters, digits, '.', '_' and '-'"
                )
            if name in given:
                raise SystemExit(f"Two repositories are named {name}")
            given[name] = str(pathlib.Path(path).resolve())
        else:
            paths.append(str(pathlib.Path(argument).resolve()))
    twice = {
        path for path in [*given.values(), *paths] if [*given.values(), *paths].count(path) > 1
    }
    if twice:
        raise SystemExit(f"Given twice: {', '.join(sorted(twice))}")
    recorded = {
        folder.name.partition("=")[2]: read_record(folder)["repository"]
        for folder in (path.parent for path in out.glob(f"repository=*/{RECORD}"))
    }
    found = given | {
        name: path for name, path in recorded.items() if path in paths and name not in given
    }
    left = [path for path in paths if path not in found.values()]
    for length in range(1, 1 + max((len(pathlib.Path(path).parts) for path in left), default=0)):
        ends = {path: end_of(path, length) for path in left}
        free = [
            path
            for path, name in ends.items()
            if list(ends.values()).count(name) == 1 and name not in found and name not in recorded
        ]
        found |= {ends[path]: path for path in free}
        left = [path for path in left if path not in free]
    if left:
        raise SystemExit(f"Give a name, as name=path, to {', '.join(left)}")
    return found


def end_of(path: str, length: int) -> str:
    """Returns the last components of a path as a name."""
    parts = [part.removesuffix(".git") for part in pathlib.Path(path).parts[1:]]
    return (
        re.sub(r"[^\w.-]", "-", "-".join([part for part in parts if part][-length:])).lstrip(".-")
        or "repository"
    )


def tasks(arguments: argparse.Namespace) -> list[dict]:
    """Returns a task for each repository, under names that differ."""
    out = arguments.out.resolve()
    common = {
        "out": str(out),
        "tip": arguments.tip,
        "tables": arguments.tables,
        "again": arguments.again,
    }
    common |= {"processors": arguments.processors, "extension": str(arguments.extension.resolve())}
    return [
        common | {"repository": path, "name": name}
        for name, path in names(arguments.repositories, out).items()
    ]


def run(todo: list[dict], processors: int) -> list[dict]:
    """Runs the tasks on the cluster that RAY_ADDRESS names, or on this machine."""
    import ray

    ray.init(log_to_driver=False, logging_level="warning")
    # A repository is a task of its own: the largest decides when all are done.
    data = ray.data.from_items(todo, override_num_blocks=len(todo))
    return data.map(update, num_cpus=processors).take_all()


def tables(text: str) -> list[str]:
    chosen = text.split(",")
    if not set(chosen) <= set(TABLES):
        raise argparse.ArgumentTypeError(f"the tables are {','.join(TABLES)}")
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the directory of the Parquet files")
    parser.add_argument(
        "repositories", nargs="+", help="work trees or bare repositories, as path or name=path"
    )
    parser.add_argument(
        "--tip", default="HEAD", help="the revision whose history is read, the same in every run"
    )
    parser.add_argument(
        "--tables",
        type=tables,
        default=list(TABLES),
        help="of changes,commits,blame; all by default",
    )
    parser.add_argument("--processors", type=int, default=1, help="processors for one repository")
    parser.add_argument("--again", action="store_true", help="read everything anew")
    parser.add_argument("--extension", type=pathlib.Path, default=EXTENSION)
    arguments = parser.parse_args()
    results = sorted(
        run(tasks(arguments), arguments.processors), key=lambda result: result["repository"]
    )
    for result in results:
        figures = f"{result['rows']:>9,} rows in {result['seconds']:7.2f} s, {result['peak_mib']:>5,} MiB at most"
        print(f"{result['repository']:<24} {result['error'] or figures}  {result['state']}")
    changes = files(arguments.out, "changes")
    if changes:
        duckdb.sql(CHURN, params={"files": changes}).show()
    return int(any(result["state"] == "failed" for result in results))


if __name__ == "__main__":
    sys.exit(main())
