#!/usr/bin/env python3
"""Runs the tests (cargo's, then SQL and Python in all DuckDB hosts side by side) and says at the end what passed. The
first host runs everything; the others run the contract, which is what a host may change (pytest's mark of that name), or
with --whole everything too. With --slow it runs those of the hosts that take minutes, and in the first one the tests of
parity, slow or not, with repositories that are made as git 3 makes them.

All of them run, also after a failure: one run shows everything that is wrong. There are two processes more at a time than
processors, cargo or a pytest for a folder, as each waits a third of its time for disks, pipes or the last of several
threads; what one prints is shown when it has ended.
"""

import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Outcome:
    """The result of one group of tests."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    broken: bool = False  # the group did not finish

    @property
    def good(self) -> bool:
        return not self.broken and self.failed == 0 and self.passed > 0

    def __str__(self) -> str:
        counts = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        verdict = "ok" if self.good else "FAILED"
        if not self.good and not self.failed:
            counts += " (did not finish)" if self.broken else " (nothing ran)"
        return f"  {verdict:7} {self.name:27} {counts}{self.note}"


def heading(text: str) -> None:
    print(f"\n==> {text}", flush=True)


# The pipeline with loom's locks, a package of its own: only its models, as its other tests are the crate's.
LOOM = [
    "--manifest-path",
    "test/loom/Cargo.toml",
    "--target-dir",
    "target/loom",
    "--locked",
    "models::",
]


# The random cases of each kind and the commits, where no merge waits for them.
MORE_CASES = {
    "REDLINE_COMMITS": "1000",
    "REDLINE_PAGES": "200",
    "REDLINE_PAIRS": "300",
    "REDLINE_PATCH_CASES": "1000",
    "REDLINE_TRIPLES": "300",
}


def cargo_test(name: str, cases: dict[str, str], *arguments: str) -> tuple[Outcome, str]:
    """Runs cargo's tests, and keeps what it prints; the counts are those of its `test result:` lines."""
    command = [os.environ.get("CARGO") or "cargo", "test", "--no-fail-fast", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | cases,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    found = re.findall(
        r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", done.stdout, re.MULTILINE
    )
    counts = (sum(map(int, each)) for each in zip(*found))
    printed = " ".join(["cargo", *command[1:]]) + "\n" + done.stdout
    return Outcome(name, *counts, broken=done.returncode != 0), printed


def rust(is_whole: bool) -> list[tuple[Outcome, str]]:
    """Runs all of cargo's tests."""
    cases = MORE_CASES if is_whole else {}
    return [
        cargo_test("Rust", cases, "--workspace"),
        cargo_test("Rust, models of the pipeline", cases, *LOOM),
    ]


# What is compared with git, and so runs on twins with SHA-256 ids and tables of references too.
OF_PARITY = ["parity", "history", "rebase"]
# Folders of test/python that take long, the longest first: a processor that has done one takes the next.
LONG = ["servers", "parity", "hostile", "files", "surface", "history", "packages", "layouts", "tools", "documents"]  # fmt: skip


@dataclass
class Job:
    """What one process of pytest runs with one host: some folders, or all."""

    version: str
    python: str
    folders: list[str]
    marks: str
    what: str = "Python"
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.what}-{self.version}-{'-'.join(self.folders) or 'all'}".replace(" ", "-")


@dataclass
class Result:
    """What a process of pytest came to."""

    job: Job
    status: int
    seconds: float
    worked: float  # of processor time, with that of its own processes
    report: Path
    printed: str


def run(job: Job, extension: Path, options: list[str]) -> Result:
    """Runs pytest, and keeps what it prints; until then it is in `build`."""
    report = ROOT / "build" / f"pytest-{job.name}.xml"
    report.unlink(missing_ok=True)
    environment = os.environ | {
        "REDLINE_EXTENSION": str(extension),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **job.environment,
    }
    command = [
        job.python,
        "-m",
        "pytest",
        f"--junitxml={report}",
        "-o",
        f"cache_dir=build/pytest_cache/{job.name}",
        "--durations=5",
        "-m",
        job.marks,
        *options,
        *(f"test/python/{folder}" for folder in job.folders),
    ]
    started = time.monotonic()
    with open(report.with_suffix(".log"), "w+") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        _, ended, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        log.seek(0)
        printed = log.read()
    took = time.monotonic() - started
    return Result(job, process.returncode, took, used.ru_utime + used.ru_stime, report, printed)


def outcomes_of(version: str, what: str, results: list[Result], has_sql: bool) -> list[Outcome]:
    """Returns what the processes of one host came to together; the SQL files are counted apart."""
    sql, other = Outcome(f"SQL files, DuckDB {version}"), Outcome(f"{what}, DuckDB {version}")
    checks = 0
    for result in results:
        failed = 0
        for case in (
            ElementTree.parse(result.report).iter("testcase") if result.report.is_file() else ()
        ):
            outcome = sql if case.get("classname", "").endswith("test_sql") else other
            if case.find("failure") is not None or case.find("error") is not None:
                outcome.failed += 1
                failed += 1
            elif case.find("skipped") is not None:
                outcome.skipped += 1
            else:
                outcome.passed += 1
            checks += sum(
                int(p.get("value")) for p in case.iter("property") if p.get("name") == "checks"
            )
        # 0: all passed, 1: some failed, 5: the marks choose none of a folder; else pytest itself came to no end.
        other.broken |= result.status not in (0, 1, 5) or (result.status == 1 and not failed)
    sql.note = f" ({checks} statements checked)"
    took, worked = (sum(given) for given in zip(*((r.seconds, r.worked) for r in results)))
    other.note = f" ({took:.0f} s in all, {worked:.0f} of processor time)"
    return [sql, other] if has_sql else [other]


def folders() -> list[str]:
    """Returns the folders of tests, those that take longest first."""
    found = {path.parent.name for path in (ROOT / "test/python").glob("*/test_*.py")}
    return sorted(found, key=lambda name: (LONG.index(name) if name in LONG else len(LONG), name))


def jobs_of(hosts: list[str], slow: bool, is_whole: bool) -> list[Job]:
    """Returns what is run, what takes longest first."""
    pairs = [tuple(host.split("=", 1)) for host in hosts]
    kind = "slow" if slow else "not slow"
    jobs = []
    for number, (version, python) in enumerate(pairs):
        if number > 0 and not is_whole:
            jobs.insert(1, Job(version, python, [], f"contract and {kind}", "contract"))
        else:
            jobs += [Job(version, python, [folder], kind) for folder in folders()]
    if slow:
        twin = {"REDLINE_TEST_TWIN": "1"}
        jobs[1:1] = [
            Job(*pairs[0], [folder], "slow or not slow", "SHA-256 twins", twin)
            for folder in OF_PARITY
        ]
    return jobs


def all_tests(jobs: list[Job], extension: Path, slow: bool, is_whole: bool) -> list[Outcome]:
    """Runs cargo's tests and those of all hosts, several processes at a time; each prints when it has ended."""
    options = [] if is_whole else ["--one-thread"]
    results: dict[tuple[str, str], list[Result]] = {}
    with ThreadPoolExecutor((os.cpu_count() or 1) + 2) as pool:
        of_cargo = [] if slow else [pool.submit(rust, is_whole)]
        of_hosts = [pool.submit(run, job, extension, options) for job in jobs]
        for ended in as_completed(of_cargo + of_hosts):
            if ended in of_cargo:
                for _, printed in ended.result():
                    heading(printed)
                continue
            result = ended.result()
            job = result.job
            heading(f"DuckDB {job.version}, {job.what}: {' '.join(job.folders) or 'test/python'}")
            print(result.printed, end="", flush=True)
            results.setdefault((job.version, job.what), []).append(result)
    return [outcome for ended in of_cargo for outcome, _ in ended.result()] + [
        outcome
        for version, what in dict.fromkeys((job.version, job.what) for job in jobs)
        for outcome in outcomes_of(version, what, results[version, what], not slow)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extension", type=Path, required=True)
    parser.add_argument(
        "--slow", action="store_true", help="run the tests that take minutes instead"
    )
    parser.add_argument(
        "--whole",
        action="store_true",
        help="run everything in all hosts, not only in the first one",
    )
    parser.add_argument("--only", metavar="version", help="of these hosts, run one")
    parser.add_argument(
        "hosts",
        nargs="+",
        metavar="version=python",
        help="a DuckDB version and a Python that has it",
    )
    arguments = parser.parse_args()

    start = time.monotonic()
    jobs = [
        job
        for job in jobs_of(arguments.hosts, arguments.slow, arguments.whole)
        if arguments.only in (None, job.version)
    ]
    outcomes = all_tests(jobs, arguments.extension.resolve(), arguments.slow, arguments.whole)

    good = all(outcome.good for outcome in outcomes)
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skipped = sum(outcome.skipped for outcome in outcomes)
    heading(f"summary, after {time.monotonic() - start:.0f} s")
    for outcome in outcomes:
        print(outcome)
    verdict = "All tests passed" if good else "TESTS FAILED"
    print(f"{verdict}: {passed} passed, {failed} failed, {skipped} skipped.", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
