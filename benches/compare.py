"""Times two builds of redline on the works of the benches, in turns, and prints how the second does against the first.

    compare.py BASE HEAD [--only WORDS] [--rounds N]     two files of the extension
    compare.py --serve EXTENSION                         answers titles on standard input with seconds

Each build has a process of its own, so that neither warms the other's caches; for each work the one that begins
changes from round to round. A ratio is the first one's seconds divided by the second one's, of one round: above 1, the second
build is the faster one. The spread is that of the middle half of the rounds. The ratio of processor time says the same on a
loaded machine.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROUNDS = 11


class Build:
    """A process that answers works with one build."""

    def __init__(self, extension: pathlib.Path):
        command = [sys.executable, __file__, "--serve", str(extension)]
        environment = os.environ | {"REDLINE_EXTENSION": str(extension)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def taken(self, title: str) -> list[float] | None:
        """Returns the seconds of one answer and those of the processors; none where this build lacks a function that it
        needs."""
        self.process.stdin.write(json.dumps(title) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else sys.exit("bench: a build ended early")


def serve() -> None:
    import contestants
    import duckdb
    import works
    from run import timed

    every, prepared = {work.title: work for work in works.all_works()}, set()
    for line in sys.stdin:
        work = every[json.loads(line)]
        if work.title not in prepared:
            work.prepare()
            prepared.add(work.title)
        try:
            answer = timed(work.answers["redline"])[0]
        except (duckdb.CatalogException, contestants.NoAnswer):
            answer = None
        print(json.dumps(answer), flush=True)


def ratios(builds: list[Build], title: str, rounds: int) -> list[list[float]] | None:
    """Returns the ratios of each round, of seconds and of those of the processors, after one that is not counted."""
    if None in [build.taken(title) for build in builds]:
        return None
    found = []
    for number in range(rounds):
        order = [0, 1] if number % 2 == 0 else [1, 0]
        taken = {index: builds[index].taken(title) for index in order}
        found.append([base / max(head, 1e-6) for base, head in zip(taken[0], taken[1])])
    return [list(each) for each in zip(*found)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extensions", nargs="*", type=pathlib.Path)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return 0
    if len(arguments.extensions) != 2 or arguments.rounds < 4:
        parser.error("give the extension of the base and that of the head, and at least 4 rounds")
    import works

    # This makes the inputs, which the two builds then find.
    every = works.all_works()
    builds = [Build(path.resolve()) for path in arguments.extensions]
    for work in every:
        if arguments.only not in work.title:
            continue
        found = ratios(builds, work.title, arguments.rounds)
        if found is None:
            print(f"{work.title}: one of the builds lacks it", flush=True)
            continue
        (low, middle, high), (least, used, most) = (statistics.quantiles(of, n=4) for of in found)
        print(
            f"{work.title}: {middle:.2f} times as fast, {low:.2f} to {high:.2f};"
            f" processor time {used:.2f}, {least:.2f} to {most:.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
