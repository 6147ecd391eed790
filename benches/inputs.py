"""What is measured on: a real repository, generated ones, and pairs of texts; each made once, below build/bench."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "build" / "bench"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
]


# What commands are started by, where their memory is measured.
STARTED_BY: list[str] = []


def git_command(repository: pathlib.Path, *arguments: str) -> list[str]:
    return [*STARTED_BY, "git", "-C", str(repository), *arguments]


def git_bytes(repository: pathlib.Path, *arguments: str) -> bytes:
    command = git_command(repository, *arguments)
    return subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT).stdout


def git(repository: pathlib.Path, *arguments: str) -> str:
    return git_bytes(repository, *arguments).decode(errors="replace")


def made(name: str, make) -> pathlib.Path:
    """Returns a repository, which `make` fills where it is missing; one that was interrupted is made again."""
    done = BENCH / name
    if not done.is_dir():
        unfinished = BENCH / f"{name}.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        make(unfinished)
        unfinished.rename(done)
    return done


def cargo() -> pathlib.Path:
    """Returns a bare clone of cargo.bundle."""
    return cloned("cargo")


def cloned(name: str) -> pathlib.Path:
    """Returns a bare clone of a bundle: one pack, as fetched."""
    bundle = bundles() / f"{name}.bundle"
    if not (BENCH / f"{name}.git").is_dir() and not bundle.is_file():
        sys.exit(f"bench: set REDLINE_TEST_REPOS to the folder that holds {name}.bundle")
    clone = ["git", "clone", "--quiet", "--bare", str(bundle)]
    return made(
        f"{name}.git", lambda path: subprocess.run([*clone, str(path)], check=True, env=ENVIRONMENT)
    )


def bundles() -> pathlib.Path:
    """Returns the folder of the bundles."""
    return pathlib.Path(os.environ.get("REDLINE_TEST_REPOS") or ROOT.parent / "shared" / "repos")


def larger() -> list[str]:
    """Returns the names of bundles that are larger than cargo's."""
    sizes = {bundle.stem: bundle.stat().st_size for bundle in sorted(bundles().glob("*.bundle"))}
    return [name for name, size in sizes.items() if size > sizes.get("cargo", size)]


def checkout(name: str) -> pathlib.Path:
    """Returns a clone of that with a work tree."""
    clone = ["git", "clone", "--quiet", str(cloned(name))]
    return made(
        f"{name}-checkout",
        lambda path: subprocess.run([*clone, str(path)], check=True, env=ENVIRONMENT),
    )


def cargo_with_graph() -> pathlib.Path:
    """Returns a clone of that with the commit-graph that git writes."""

    def make(path: pathlib.Path) -> None:
        subprocess.run(
            ["git", "clone", "--quiet", "--bare", str(cargo()), str(path)],
            check=True,
            env=ENVIRONMENT,
        )
        git(path, "commit-graph", "write", "--reachable")

    return made("cargo-graph.git", make)


def rebased() -> pathlib.Path:
    """Returns a clone of cargo with its newest commits as a series, and the series rebased twice: over a change of another file,
    and over one of 40 files that the series changes, too."""
    person = {f"GIT_{who}_{what}": "bench" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip

    def make(path: pathlib.Path) -> None:
        def run(*arguments: str) -> str:
            done = subprocess.run(
                ["git", "-C", str(path), *arguments],
                check=True,
                capture_output=True,
                env=ENVIRONMENT | person,
            )
            return done.stdout.decode()

        git(cargo(), "clone", "--quiet", ".", str(path))
        base = run("rev-list", "--first-parent", "HEAD").split()[100]
        run("tag", "series")
        run("tag", "base", base)
        changed = run("diff", "--name-only", "--diff-filter=M", "base", "series").split()
        for name, paths in (("elsewhere", ["LICENSE-MIT"]), ("near", changed[:40])):
            run("checkout", "--quiet", "-b", name, "base")
            for each in paths:
                file = path / each
                file.write_bytes(b"upstream\n" + file.read_bytes())
            run("commit", "--quiet", "--all", "--message", "upstream")
            run("checkout", "--quiet", "-b", f"series-{name}", "series")
            run("rebase", "--quiet", "-X", "theirs", "--onto", name, "base", f"series-{name}")
        run("repack", "-a", "-d", "-q")

    return made("cargo-rebased", make)


def first_commit(repository: pathlib.Path) -> str:
    return git(repository, "rev-list", "--first-parent", "HEAD").split()[-1]


def revisions() -> list[str]:
    """Returns the first commit of cargo, the tag in the middle and the 5,000th commit from HEAD; git is asked once."""
    known = BENCH / "revisions.json"
    if not known.is_file():
        first = first_commit(cargo())
        tags = git(
            cargo(), "for-each-ref", "--sort=creatordate", "--format=%(refname:short)", "refs/tags"
        ).split()
        recent = git(cargo(), "rev-list", "--no-merges", "-n", "5000", "HEAD").split()[-1]
        known.write_text(json.dumps([first, tags[len(tags) // 2], recent]))
    return json.loads(known.read_text())


def imported(path: pathlib.Path, stream) -> None:
    """Makes a bare repository of a stream for git fast-import, repacked as a server would have it."""
    subprocess.run(
        ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(path)],
        check=True,
        env=ENVIRONMENT,
    )
    importer = subprocess.Popen(
        ["git", "-C", str(path), "fast-import", "--quiet"], stdin=subprocess.PIPE, env=ENVIRONMENT
    )
    for chunk in stream:
        importer.stdin.write(chunk.encode())
    importer.stdin.close()
    if importer.wait() != 0:
        sys.exit("bench: git fast-import failed")
    git(path, "repack", "-a", "-d", "-q")


def commit(number: int) -> str:
    return f"commit refs/heads/main\ncommitter Bench <bench@example.org> {1_600_000_000 + number} +0000\ndata 2\nc\n"


def inline(path: str, text: str) -> str:
    return f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"


def wide(files: int) -> pathlib.Path:
    """Returns a repository of two commits: a tree of `files` files, of which the second changes ten."""

    def stream():
        yield "blob\nmark :1\ndata 5\nsame\n\n" + commit(0)
        for folder in range(files // 1000):
            yield "".join(
                f"M 100644 :1 d{folder // 100}/{folder}/f{number}\n" for number in range(1000)
            )
        yield commit(1) + "".join(inline(f"d0/{n}/f{n}", f"changed {n}\n") for n in range(10))

    return made(f"wide-{files}.git", lambda path: imported(path, stream()))


def long(commits: int) -> pathlib.Path:
    """Returns a repository of one line of commits, each of which changes three of 2,000 files of 40 lines."""

    def stream():
        chosen = random.Random(commits)
        texts = [[chosen.choice(WORDS) for _ in range(40)] for _ in range(2000)]
        for number in range(commits):
            changes = []
            for index in chosen.sample(range(2000), 3):
                texts[index][chosen.randrange(40)] = f"{chosen.choice(WORDS)} {number}"
                changes.append(inline(f"d{index % 50}/f{index}", "\n".join(texts[index]) + "\n"))
            yield commit(number) + "".join(changes)

    return made(f"long-{commits}.git", lambda path: imported(path, stream()))


def flat(commits: int) -> pathlib.Path:
    """Returns a packed repository of 600 files in its root and 1,800 in 30 directories; each commit changes one to three
    of them, and every thirtieth also file-0007 of the root."""
    files = [f"file-{number:04}.txt" for number in range(600)]
    files += [
        f"dir-{directory:02}/file-{number:03}.txt"
        for directory in range(30)
        for number in range(60)
    ]

    def stream():
        chosen = random.Random(commits)
        for number in range(commits):
            changed = chosen.sample(files, chosen.choice([1, 1, 2, 3])) if number else files
            if number % 30 == 0:
                changed = [*changed, files[7]]
            yield commit(number) + "".join(
                inline(file, f"{number} {chosen.choice(WORDS)}\n")
                for file in dict.fromkeys(changed)
            )

    def make(path: pathlib.Path) -> None:
        imported(path, stream())
        git(path, "repack", "-a", "-d", "-f", "-q", "--depth=50", "--window=10")

    return made(f"flat-{commits}.git", make)


def referenced(references: int) -> pathlib.Path:
    """Returns a repository of 2,000 commits and so many packed references: branches, and a third annotated tags."""

    def stream():
        for number in range(2000):
            yield commit(number).replace("\n", f"\nmark :{number + 1}\n", 1)
        for number in range(references - 1):
            to = number % 2000 + 1
            if number % 3:
                yield f"reset refs/heads/topic/{number}\nfrom :{to}\n\n"
            else:
                yield f"tag v{number}\nfrom :{to}\ntagger Bench <bench@example.org> {1_600_000_000 + number} +0000\ndata 2\nt\n"

    def make(path: pathlib.Path) -> None:
        imported(path, stream())
        git(path, "pack-refs", "--all")

    return made(f"references-{references}.git", make)


def commit_all(path: pathlib.Path) -> None:
    """Commits every file of a work tree."""
    who = "-c", "user.name=Bench", "-c", "user.email=bench@example.org"
    git(path, "add", "--all")
    git(path, *who, "commit", "--quiet", "--message", "c")


def scattered(files: int) -> pathlib.Path:
    """Returns a work tree of 500 tracked files and so many that are not."""

    def make(path):
        chosen = random.Random(files)
        subprocess.run(
            ["git", "init", "--quiet", "--initial-branch=main", str(path)],
            check=True,
            env=ENVIRONMENT,
        )
        (path / ".gitignore").write_text("*.o\n/build/\n")

        def put(name: str):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(
                "".join(f"{chosen.choice(WORDS)}\n" for _ in range(chosen.randrange(50, 500)))
            )

        for number in range(500):
            put(f"src/d{number % 25}/f{number}")
        commit_all(path)
        for number in range(files):
            put(f"made/d{number % 85}/f{number}")

    return made(f"scattered-{files}", make)


def unchanged(files: int) -> pathlib.Path:
    """Returns a work tree of so many tracked files, none of them changed."""

    def make(path):
        subprocess.run(
            ["git", "init", "--quiet", "--initial-branch=main", str(path)],
            check=True,
            env=ENVIRONMENT,
        )
        for number in range(files):
            file = path / f"d{number // 1000}" / f"e{number // 50 % 20}" / f"f{number}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{number}\n")
        commit_all(path)

    found = made(f"unchanged-{files}", make)
    # The index then knows the times of files that were moved into place.
    git(found, "status", "--porcelain")
    return found


def ripgrep() -> pathlib.Path:
    """Returns a bare clone of ripgrep.bundle."""
    return cloned("ripgrep")


def pairs(count: int) -> list[tuple[str, str]]:
    """Returns pairs of texts of 200 lines of cargo's sources, of which the second has 10 other lines."""
    chosen = random.Random(count)
    names = [
        name
        for name in git(cargo(), "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        if name.endswith(".rs")
    ]
    lines = [
        line + "\n"
        for name in chosen.sample(names, 200)
        for line in git(cargo(), "show", f"HEAD:{name}").splitlines()
    ]
    found = []
    for _ in range(count):
        first = chosen.randrange(len(lines) - 200)
        old = lines[first : first + 200]
        new = list(old)
        for at in chosen.sample(range(200), 10):
            new[at] = chosen.choice(lines)
        found.append(("".join(old), "".join(new)))
    return found
