"""Times redline beside git and its peers, in turns, in one run, and writes docs/benchmarks.md. README.md states the
method.

    run.py [--only WORDS]     works whose title holds WORDS; the report is not written then
    run.py --work TITLE       one work, in this process: its seconds, as JSON; with --apart those of who has its own run
    run.py --peak TITLE NAME  one answer, in this process: its largest memory; without TITLE and NAME that of no answer
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

import contestants
import inputs
import report
import works
from inputs import ROOT
from work import OWN_THREAD, Work

LEAST_ROUNDS, MOST_ROUNDS = 9, 25
# Rounds of who takes minutes for one.
LEAST_APART = 3
# Seconds for one work after which no further round begins, unless it has had too few.
ENOUGH = 10


class Result(NamedTuple):
    """What was measured of a work: seconds of each contestant and of the processors, and mebibytes at most."""

    work: Work
    rounds: int
    seconds: dict[str, float]
    processor: dict[str, float]
    peaks: dict[str, int]


def timed(answer) -> tuple[contestants.Taken, object]:
    taken, found = contestants.measured(answer)
    # Where something is to be there first, the answer tells what it took itself.
    is_told = isinstance(found, tuple) and isinstance(found[0], contestants.Taken)
    return found if is_told else (taken, found)


def check(work: Work, asked: list[str]) -> None:
    """Ends the run where an answer is another than redline's: a figure for it would say nothing."""
    found = {
        name: timed(work.answers[name])[1]
        for name in {"redline", *asked}
        if name == "redline" or name in work.reads
    }
    found = {
        name: work.reads.get(name, lambda answer: answer)(answer) for name, answer in found.items()
    }
    for name, answer in found.items():
        if answer != found["redline"]:
            sys.exit(f"bench: redline and {name} disagree about {work.title}")


def times(work: Work, is_apart: bool) -> dict[str, list[contestants.Taken]]:
    """Returns what each round took; what one work leaves in memory must not slow the next, so each has a process."""
    work.prepare()
    found = {name: [] for name in work.answers if (name in work.apart) == is_apart}
    check(work, list(found))
    least, start = LEAST_APART if is_apart else LEAST_ROUNDS, time.monotonic()
    for round in range(MOST_ROUNDS):
        if round >= least and time.monotonic() - start > ENOUGH:
            break
        for name, taken in found.items():
            taken.append(timed(work.answers[name])[0])
    return found


def in_a_process(*arguments: str) -> str:
    done = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else sys.exit(done.returncode)


def measure(work: Work) -> Result:
    found = json.loads(in_a_process("--work", work.title))
    if set(work.apart) & set(work.answers):
        found |= json.loads(in_a_process("--work", work.title, "--apart"))
    seconds, processor = (
        {name: statistics.median(taken[at] for taken in rounds) for name, rounds in found.items()}
        for at in (0, 1)
    )
    alike = (
        "plain engine",
        "plain similar",
        "plain imara",
        "1 thread",
        "4 threads",
        OWN_THREAD,
    )
    peaks = {
        name: int(in_a_process("--peak", work.title, name))
        for name in work.answers
        if name not in alike
    }
    return Result(work, len(found["redline"]), seconds, processor, peaks)


def largest() -> int:
    """Returns the mebibytes that this process had at most. Not the figure of getrusage, which counts what the process was
    started by."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def peak(work: Work, name: str) -> int:
    """Returns the mebibytes of git's own process, or of this one: a library, DuckDB and Python."""
    work.prepare()
    told = inputs.BENCH / "peak"
    inputs.STARTED_BY[:] = [sys.executable, "-SE", str(ROOT / "benches" / "peak.py"), str(told)]
    work.answers[name]()
    if name == "git":
        return int(told.read_text()) // 1024
    return largest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--work")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--peak", nargs="*")
    arguments = parser.parse_args()
    every = {work.title: work for work in works.all_works()}
    if arguments.work:
        print(json.dumps(times(every[arguments.work], arguments.apart)))
        return 0
    if arguments.peak is not None:
        print(peak(every[arguments.peak[0]], arguments.peak[1]) if arguments.peak else largest())
        return 0
    results = []
    for title, work in every.items():
        if arguments.only in title:
            results.append(measure(work))
            print(report.line(results[-1]), flush=True)
    if not arguments.only:
        report.write(results, int(in_a_process("--peak")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
