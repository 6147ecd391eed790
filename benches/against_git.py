"""Times redline's queries beside git's own commands, in turns, in one run. README.md states the method.

Run by `make bench`; REDLINE_TEST_REPOS names the folder with cargo.bundle (default: ../shared/repos).
"""

import os
import pathlib
import statistics
import subprocess
import sys
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "build" / "release" / "redline.duckdb_extension"
CLONE = ROOT / "build" / "bench" / "cargo.git"
ROUNDS = 9

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(CLONE), *arguments], check=True, capture_output=True, text=True, errors="replace", env=ENVIRONMENT
    )
    return done.stdout


def clone() -> None:
    """Clones the bundle once: one pack, no work tree, as fetched."""
    folder = pathlib.Path(os.environ.get("REDLINE_TEST_REPOS") or ROOT.parent / "shared" / "repos")
    bundle = folder / "cargo.bundle"
    if CLONE.is_dir():
        return
    if not bundle.is_file():
        sys.exit("bench: set REDLINE_TEST_REPOS to the folder that holds cargo.bundle")
    CLONE.parent.mkdir(parents=True, exist_ok=True)
    unfinished = CLONE.with_suffix(".new")
    subprocess.run(["rm", "-rf", str(unfinished)], check=True)
    subprocess.run(["git", "clone", "--quiet", "--bare", str(bundle), str(unfinished)], check=True, env=ENVIRONMENT)
    unfinished.rename(CLONE)


def ranges() -> list[tuple[str, str, str]]:
    """Returns what is compared: the widest range, and one in which most files were changed rather than added."""
    first = git("rev-list", "--first-parent", "HEAD").split()[-1]
    tags = git("for-each-ref", "--sort=creatordate", "--format=%(refname:short)", "refs/tags").split()
    middle = tags[len(tags) // 2]
    return [("the first commit .. HEAD", first, "HEAD"), (f"{middle} .. HEAD", middle, "HEAD")]


def timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(name: str, query, command) -> None:
    """Runs both in turns and prints the medians; the first round, which warms the caches, is not counted."""
    ours, theirs = [], []
    for _ in range(ROUNDS + 1):
        ours.append(timed(query))
        theirs.append(timed(command))
    redline, reference = statistics.median(ours[1:]), statistics.median(theirs[1:])
    print(
        f"  {name:12} redline {redline * 1000:8.1f} ms  (best {min(ours[1:]) * 1000:.1f})"
        f"   git {reference * 1000:8.1f} ms  (best {min(theirs[1:]) * 1000:.1f})   {reference / redline:5.2f} times as fast",
        flush=True,
    )


def main() -> None:
    clone()
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{EXTENSION}'")
    threads = con.execute("SELECT current_setting('threads')").fetchone()[0]
    print(f"DuckDB {duckdb.__version__} with {threads} threads, {git('--version').strip()}, median of {ROUNDS}")
    for title, old, new in ranges():
        flat = ["--no-renames", "--no-ext-diff", "--no-textconv", old, new]
        names = f"SELECT file_path, status FROM file_changes('{old}', '{new}', '{CLONE}')"
        counts = f"SELECT file_path, additions, deletions FROM file_changes('{old}', '{new}', '{CLONE}')"

        # The answers must be the same before their speed is worth a look.
        rows = con.execute(counts).fetchall()
        numstat = [line.split("\t", 2) for line in git("diff", "--numstat", "-z", *flat).split("\0") if line]
        expected = [(path, None if a == "-" else int(a), None if d == "-" else int(d)) for a, d, path in numstat]
        if rows != expected:
            sys.exit(f"bench: redline and git disagree about {title}")

        print(f"{title}: {len(rows)} files, +{sum(r[1] or 0 for r in rows)} -{sum(r[2] or 0 for r in rows)} lines")
        compare("names", lambda: con.execute(names).fetchall(), lambda: git("diff", "--raw", *flat))
        compare("line counts", lambda: con.execute(counts).fetchall(), lambda: git("diff", "--numstat", *flat))


if __name__ == "__main__":
    main()
