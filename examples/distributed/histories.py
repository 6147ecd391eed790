"""The history of many repositories as Parquet: one SQL statement, run wherever Ray has a free processor.

    python histories.py OUT REPOSITORY... [--range HEAD] [--processors 1] [--again]

Each repository becomes OUT/repository=<name>/history.parquet, which DuckDB, Ray, Spark and others read as one
table partitioned by `repository`. What is there already is not done again, so a run that was stopped is started
once more; a repository that fails is reported and does not end the run. A bar shows how many are done.
"""

import argparse
import collections
import os
import pathlib
import resource
import sys
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "build/release/redline.duckdb_extension"

# What is asked of every repository: one row for each changed file of each commit.
HISTORY = """
    SELECT commit_id, parent_id, author_name, author_email, author_date, committer_date, subject,
           file_path, status, old_path, additions, deletions, is_binary
    FROM commit_changes($range, $repository)
"""
# What is asked of all of them together, at the end.
CHURN = """
    SELECT repository, count(DISTINCT commit_id) AS commits, count(*) AS changes,
           sum(additions) AS additions, sum(deletions) AS deletions, count(DISTINCT author_email) AS authors
    FROM read_parquet($files, hive_partitioning := true) GROUP BY ALL ORDER BY changes DESC
"""


def history(task: dict) -> dict:
    """Writes the history of one repository, whole or not at all, and returns what came of it."""
    done = pathlib.Path(task["out"]) / f"repository={task['name']}" / "history.parquet"
    result = {"repository": task["name"], "state": "there already", "changes": 0, "seconds": 0.0, "peak_mib": 0, "error": ""}
    if done.exists() and not task["again"]:
        return result
    # Renamed when it is whole; one process's unfinished file is not another's.
    unfinished = done.with_name(f"{os.uname().nodename}-{os.getpid()}.unfinished")
    started = time.monotonic()
    try:
        done.parent.mkdir(parents=True, exist_ok=True)
        with duckdb.connect(config={"allow_unsigned_extensions": True, "threads": task["processors"]}) as con:
            con.execute(f"LOAD '{task['extension']}'")
            named = {"range": task["range"], "repository": task["repository"]}
            path = str(unfinished).replace("'", "''")
            (result["changes"],) = con.execute(f"COPY ({HISTORY}) TO '{path}' (FORMAT parquet)", named).fetchone()
        unfinished.replace(done)
        result["state"] = "written"
    except (duckdb.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        result |= {"state": "failed", "error": str(error).splitlines()[0]}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return result | {"seconds": time.monotonic() - started, "peak_mib": peak // (1 << 20 if sys.platform == "darwin" else 1 << 10)}


def tasks(arguments: argparse.Namespace) -> list[dict]:
    """Returns a task for each repository, under names that differ."""
    paths = [path.resolve() for path in arguments.repositories]
    names = collections.Counter(path.name.removesuffix(".git") for path in paths)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise SystemExit(f"Repositories of one name would be one partition: {', '.join(twice)}")
    common = {"out": str(arguments.out.resolve()), "range": arguments.range, "again": arguments.again}
    common |= {"processors": arguments.processors, "extension": str(arguments.extension.resolve())}
    return [common | {"repository": str(path), "name": path.name.removesuffix(".git")} for path in paths]


def run(todo: list[dict], processors: int) -> list[dict]:
    """Runs the tasks on the cluster that RAY_ADDRESS names, or on this machine."""
    import ray

    ray.init(log_to_driver=False, logging_level="warning")
    # A repository is a task of its own: the largest decides when all are done.
    data = ray.data.from_items(todo, override_num_blocks=len(todo))
    return data.map(history, num_cpus=processors).take_all()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the directory of the Parquet files")
    parser.add_argument("repositories", type=pathlib.Path, nargs="+", help="work trees or bare repositories")
    parser.add_argument("--range", default="HEAD", help="the commits, such as v1..HEAD or ALL")
    parser.add_argument("--processors", type=int, default=1, help="processors for one repository")
    parser.add_argument("--again", action="store_true", help="write also what is there already")
    parser.add_argument("--extension", type=pathlib.Path, default=EXTENSION)
    arguments = parser.parse_args()
    results = sorted(run(tasks(arguments), arguments.processors), key=lambda result: result["repository"])
    for result in results:
        figures = f"{result['changes']:>9,} changes in {result['seconds']:7.2f} s, {result['peak_mib']:>5,} MiB at most"
        print(f"{result['repository']:<24} {result['state']:<14} {result['error'] or figures}")
    files = f"{arguments.out}/repository=*/history.parquet"
    if any(result["state"] != "failed" for result in results):
        duckdb.sql(CHURN, params={"files": files}).show()
    return int(any(result["state"] == "failed" for result in results))


if __name__ == "__main__":
    sys.exit(main())
