#!/usr/bin/env python3
"""Runs the tests (cargo's, then SQL and Python in all DuckDB hosts side by side) and says at the end what passed. The
first host runs everything; the others run the contract, which is what a host may change (pytest's mark of that name), or
with --whole everything too. With --slow it runs those of the hosts that take minutes, and in the first one the tests of
parity, slow or not, with repositories that are made as git 3 makes them.

All of them run, also behind one that fails: one run shows everything that is wrong. What the tools
print is shown as it comes.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Outcome:
    """What one group of tests came to."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    broken: bool = False  # the group did not come to its end

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


def cargo_test(name: str, *arguments: str) -> Outcome:
    """Runs cargo's tests; the counts are those of its `test result:` lines."""
    command = [os.environ.get("CARGO") or "cargo", "test", *arguments]
    heading(" ".join(["cargo", *command[1:]]))
    outcome = Outcome(name)
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace"
    )
    for line in process.stdout:
        print(line, end="", flush=True)
        counts = re.match(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", line)
        if counts:
            outcome.passed += int(counts[1])
            outcome.failed += int(counts[2])
            outcome.skipped += int(counts[3])
    outcome.broken = process.wait() != 0
    return outcome


# What is compared with git, and so runs on twins with SHA-256 ids and tables of references too.
OF_PARITY = ["parity", "history", "rebase"]


def marks(slow: bool, is_contract: bool, is_twin: bool) -> str:
    """Returns the expression of marks by which pytest chooses tests."""
    if is_twin:
        return "slow or not slow"
    return f"{'contract and ' if is_contract else ''}{'' if slow else 'not '}slow"


def host_tests(
    version: str,
    python: str,
    extension: Path,
    slow: bool,
    output,
    is_contract: bool = False,
    is_whole: bool = False,
    is_twin: bool = False,
) -> list[Outcome]:
    """Runs test/python with one host, which prints to `output`; the SQL files are counted apart."""
    kind = "-twin" if is_twin else "-slow" if slow else ""
    report = ROOT / "build" / f"pytest{kind}-{version}.xml"
    report.unlink(missing_ok=True)
    environment = os.environ | {
        "REDLINE_EXTENSION": str(extension),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **({"REDLINE_TEST_TWIN": "1"} if is_twin else {}),
    }
    command = [
        python,
        "-m",
        "pytest",
        f"--junitxml={report}",
        "--durations=15",
        "-m",
        marks(slow, is_contract, is_twin),
        *([] if is_whole else ["--one-thread"]),
        *([f"test/python/{folder}" for folder in OF_PARITY] if is_twin else []),
    ]
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    _, ended, used = os.wait4(process.pid, 0)
    status = process.returncode = os.waitstatus_to_exitcode(ended)
    took, worked = time.monotonic() - started, used.ru_utime + used.ru_stime
    sql = Outcome(f"SQL files, DuckDB {version}")
    what = "SHA-256 twins" if is_twin else "contract" if is_contract else "Python"
    other = Outcome(f"{what}, DuckDB {version}")
    checks = 0
    if report.is_file():
        for case in ElementTree.parse(report).iter("testcase"):
            outcome = sql if case.get("classname", "").endswith("test_sql") else other
            if case.find("failure") is not None or case.find("error") is not None:
                outcome.failed += 1
            elif case.find("skipped") is not None:
                outcome.skipped += 1
            else:
                outcome.passed += 1
            checks += sum(
                int(p.get("value")) for p in case.iter("property") if p.get("name") == "checks"
            )
    sql.note = f" ({checks} statements checked)"
    other.note = f" ({took:.0f} s, {worked:.0f} of work)"
    # 0: all passed, 1: some failed; anything else means that pytest itself came to no end.
    other.broken = status not in (0, 1) or (status == 1 and not sql.failed and not other.failed)
    return [other] if slow else [sql, other]


def all_hosts(hosts: list[str], extension: Path, slow: bool, is_whole: bool) -> list[Outcome]:
    """Runs the tests of all hosts side by side: one prints as it goes, the others when they have ended."""
    pairs = [tuple(host.split("=", 1)) for host in hosts]
    outcomes = []
    with ThreadPoolExecutor() as pool, tempfile.TemporaryDirectory() as logs:
        running = []

        def start(version, python, what, **kind):
            log = open(Path(logs) / str(len(running)), "w+") if running else None  # noqa: SIM115
            tests = pool.submit(
                host_tests, version, python, extension, slow, log, is_whole=is_whole, **kind
            )
            running.append((version, what, log, tests))

        for number, (version, python) in enumerate(pairs):
            is_contract = number > 0 and not is_whole
            what = "slow tests" if slow else "test/sql and test/python"
            what += " of the contract" if is_contract else ""
            start(version, python, what, is_contract=is_contract)
        if slow:
            start(*pairs[0], "tests of parity on SHA-256 twins", is_twin=True)
        for version, what, log, outcome in running:
            heading(f"DuckDB {version}: {what}")
            outcomes += outcome.result()
            if log is not None:
                log.seek(0)
                print(log.read(), end="", flush=True)
                log.close()
    return outcomes


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
    # What the Makefile says until it says --whole.
    parser.add_argument("--share", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "hosts",
        nargs="+",
        metavar="version=python",
        help="a DuckDB version and a Python that has it",
    )
    arguments = parser.parse_args()

    start = time.monotonic()
    outcomes = (
        []
        if arguments.slow
        else [cargo_test("Rust"), cargo_test("Rust, models of the pipeline", *LOOM)]
    )
    is_whole = arguments.whole or bool(os.environ.get("WHOLE"))
    outcomes += all_hosts(arguments.hosts, arguments.extension.resolve(), arguments.slow, is_whole)

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
