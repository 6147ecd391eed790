"""Hostile repositories: a directory that may be read, one beside it that may not, and ways from one to the other.

Each way is a row of `attacks()`: it starts from an ordinary clone inside and changes a few of its files. Outside lie
repositories whose names, texts and ids occur nowhere else, so that whatever comes back of them is noticed.
"""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import NamedTuple

import repositories

DATES = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}


class Words(NamedTuple):
    """What a repository is made of."""

    branch: str
    tag: str
    file: str
    text: str
    message: str
    author: str
    ignored: str
    commits: int


SECRET = Words("zqbranch", "zqtag", "zqfile.txt", "zqtext", "zqmessage", "zqauthor", "probe.one", 3)
# What could as well lie outside: it differs in every name, size and number.
DECOY = Words(
    "other-name",
    "v9",
    "readme.md",
    "nothing to see, a longer text",
    "a change",
    "Some One",
    "probe.two",
    5,
)
OWN = Words("topic", "v1", "a.txt", "own text", "own message", "Own Author", "probe.three", 3)
# Names that are near a canary, for "did you mean"; none is a part of one.
NEAR_MISSES = ["zqbrnach", "zqatg", "zqflie.txt"]


def make_repository(path: pathlib.Path, words: Words, packed: bool) -> pathlib.Path:
    """Makes a repository with every kind of file that git reads, loose or packed."""
    path.mkdir(parents=True)
    env = repositories.environment(**DATES)
    git = lambda *arguments, **more: repositories.git(
        path, "-c", f"user.name={words.author}", "-c", "user.email=a@b", *arguments, env=env, **more
    )
    git("init", "-q", "-b", "main")
    (path / "sub").mkdir()
    for number in range(words.commits):
        (path / words.file).write_text(f"{words.text} {number}\n")
        (path / "sub" / "c.txt").write_text(f"{words.text} below {number}\n" * 3)
        (path / ".gitattributes").write_text("*.bin binary\n")
        (path / ".gitignore").write_text(f"{words.ignored}\nlinked/\n")
        (path / ".mailmap").write_text(f"{words.author} mapped <new@b> <a@b>\n")
        git("add", "-A")
        git("commit", "-q", "-m", f"{words.message} {number}")
    for name in (words.branch, f"deep/er/{words.branch}"):
        git("branch", name, "HEAD~1")
    git("tag", words.tag, "HEAD~1")
    (path / ".git/info/attributes").write_text(
        f"{words.ignored} binary\n*.{words.ignored[-3:]} -diff\n"
    )
    (path / ".git/info/exclude").write_text(f"{words.ignored}\n")
    if packed:
        git("-c", "gc.writeCommitGraph=true", "gc", "-q")
        git("multi-pack-index", "write")
        git("commit-graph", "write", "--reachable", "--split")
    for hook in (path / ".git/hooks").iterdir():
        hook.unlink()
    return path


def object_ids(repo: pathlib.Path) -> list[str]:
    """Returns the ids of all objects, the tip's commit first."""
    tip = repositories.git_text(repo, "rev-parse", "HEAD")
    every = repositories.git_text(
        repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"
    ).splitlines()
    return [tip, *sorted(set(every) - {tip})]


class World:
    """`inside`, which a host allows, and `outside`, which holds in turn the secret, a decoy, or nothing."""

    def __init__(self, root: pathlib.Path):
        # Ways are given by absolute paths, and those that a host allows have no links.
        self.root = root.resolve()
        self.inside, self.outside = self.root / "inside", self.root / "outside"
        self.inside.mkdir()
        self.kept = {"secret": SECRET, "decoy": DECOY}
        for name, words in self.kept.items():
            for packed in (False, True):
                make_repository(self.root / name / ("packed" if packed else "loose"), words, packed)
            (self.root / name / "text.txt").write_text(f"{words.text} alone\n{words.ignored}\n")
        self.template = make_repository(self.root / "template", OWN, packed=False)
        self._finish_template()
        self.ids = object_ids(self.root / "secret" / "loose")
        own = set(object_ids(self.template))
        self.ids = [oid for oid in self.ids if oid not in own]
        self.blob = repositories.git_text(
            self.root / "secret" / "loose", "rev-parse", f"HEAD:{SECRET.file}"
        )
        self.holding = None
        self.hold("secret")

    def _finish_template(self) -> None:
        """Adds a submodule and a linked work tree that lie within the repository, their pointers relative."""
        repo = self.template
        module = make_repository(
            self.root / "module", OWN._replace(text="module text"), packed=False
        )
        (repo / ".git/modules").mkdir()
        shutil.move(module / ".git", repo / ".git/modules/module")
        shutil.move(module, repo / "module")
        (repo / "module/.git").write_text("gitdir: ../.git/modules/module\n")
        repositories.git(
            repo,
            "config",
            "--file",
            str(repo / ".git/modules/module/config"),
            "core.worktree",
            "../../../module",
        )
        (repo / ".gitmodules").write_text(
            '[submodule "module"]\n\tpath = module\n\turl = ./module\n'
        )
        env = repositories.environment(**DATES)
        repositories.git(repo, "add", "-A", env=env)
        repositories.git(
            repo,
            "-c",
            "user.name=Own Author",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "-m",
            "own module",
            env=env,
        )
        repositories.git(repo, "worktree", "add", "-q", "-b", "side", "linked", "HEAD~1", env=env)
        (repo / "linked/.git").write_text("gitdir: ../.git/worktrees/linked\n")
        for name in ("probe.one", "probe.two", "untracked.txt"):
            (repo / name).write_text("text\n")
        (repo / "sub/c.txt").write_text("changed in the work tree\n")

    def hold(self, what: str) -> None:
        """Makes `outside` hold something: secret, decoy or nothing."""
        if self.holding in self.kept:
            self.outside.rename(self.root / self.holding)
        self.holding = what
        if what in self.kept:
            (self.root / what).rename(self.outside)

    def clone(self, name: str) -> Site:
        """Returns a fresh copy of the ordinary clone."""
        repo = self.inside / name
        shutil.copytree(self.template, repo, symlinks=True)
        (repo / ".git/worktrees/linked/gitdir").write_text(f"{repo}/linked/.git\n")
        return Site(self, repo)

    def canaries(self) -> list[str]:
        """Returns texts that are outside only; of ids the middle, since their first digits may be given."""
        names = [SECRET.branch, SECRET.tag, SECRET.file, SECRET.text, SECRET.message, SECRET.author]
        return names + [oid[6:20] for oid in self.ids]


class Site:
    """A clone inside, about to be made hostile."""

    def __init__(self, world: World, repo: pathlib.Path):
        self.world, self.repo, self.git = world, repo, repo / ".git"
        self.out = world.outside
        self.loose, self.packed = self.out / "loose/.git", self.out / "packed/.git"

    def target(self, path: pathlib.Path, part: pathlib.Path, how: str) -> str:
        """Returns the text of a link at `part` that leads to `path`."""
        if how == "absolute":
            return str(path)
        if how == "relative":
            return os.path.relpath(path, part.parent)
        if how == "dotted":
            return f"{self.repo}/sub/../../../outside/{path.relative_to(self.out)}"
        # Through a second link inside.
        door = self.world.inside / "door"
        if not door.is_symlink():
            door.symlink_to("../outside")
        return os.path.relpath(door / path.relative_to(self.out), part.parent)

    def clear(self, part: str) -> pathlib.Path:
        path = self.repo / part
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def link(self, part: str, path: pathlib.Path, how: str = "absolute") -> None:
        place = self.clear(part)
        place.symlink_to(self.target(path, place, how))

    def linked_files(
        self, part: str, directory: pathlib.Path, names: list[str], how: str = "absolute"
    ) -> None:
        """Fills the directory `part` with links to files of a directory outside."""
        (self.repo / part).mkdir(parents=True, exist_ok=True)
        for name in names:
            if not os.path.lexists(self.repo / part / name):
                place = self.repo / part / name
                place.symlink_to(self.target(directory / name, place, how))

    def text(self, part: str, content: str | bytes) -> None:
        self.clear(part).write_bytes(content.encode() if isinstance(content, str) else content)

    def config(self, name: str, value: str, file: str = ".git/config") -> None:
        repositories.git(self.world.root, "config", "--file", str(self.repo / file), name, value)


class Attack(NamedTuple):
    """A way out: how the clone is changed, and where and for what it is then asked."""

    name: str
    make: Callable[[Site], None]
    repo: str = ""
    revisions: tuple[str, ...] = ()


# A part of the clone -> what it is of the same kind outside, below the loose or the packed repository.
LINKED_FILES = {
    ".git": "loose/.git",
    ".git/HEAD": "loose/.git/HEAD",
    ".git/ORIG_HEAD": "loose/.git/refs/heads/zqbranch",
    ".git/FETCH_HEAD": "loose/.git/refs/heads/zqbranch",
    ".git/config": "loose/.git/config",
    ".git/packed-refs": "packed/.git/packed-refs",
    ".git/refs": "loose/.git/refs",
    ".git/refs/heads": "loose/.git/refs/heads",
    ".git/refs/heads/main": "loose/.git/refs/heads/main",
    ".git/refs/heads/aside": "loose/.git/refs/heads/main",
    ".git/refs/heads/deep/er": "loose/.git/refs/heads/deep/er",
    ".git/refs/" + "d/" * 80 + "main": "loose/.git/refs/heads/main",
    ".git/refs/tags": "loose/.git/refs/tags",
    ".git/refs/remotes": "loose/.git/refs/heads",
    ".git/refs/bisect/bad": "loose/.git/refs/heads/main",
    ".git/logs": "loose/.git/logs",
    ".git/logs/HEAD": "loose/.git/logs/HEAD",
    ".git/logs/refs/heads": "loose/.git/logs/refs/heads",
    ".git/logs/refs/heads/main": "loose/.git/logs/refs/heads/main",
    ".git/index": "loose/.git/index",
    ".git/info": "loose/.git/info",
    ".git/info/attributes": "loose/.git/info/attributes",
    ".git/info/exclude": "loose/.git/info/exclude",
    ".git/info/grafts": "text.txt",
    ".git/info/sparse-checkout": "text.txt",
    ".git/shallow": "loose/.git/refs/heads/zqbranch",
    ".git/objects": "loose/.git/objects",
    ".git/objects/info": "packed/.git/objects/info",
    ".git/objects/info/alternates": "text.txt",
    ".git/objects/info/commit-graph": "packed/.git/objects/info/commit-graph",
    ".git/objects/info/commit-graphs": "packed/.git/objects/info/commit-graphs",
    ".git/objects/pack": "packed/.git/objects/pack",
    ".git/objects/pack/multi-pack-index": "packed/.git/objects/pack/multi-pack-index",
    ".git/worktrees": "loose/.git/refs",
    ".git/worktrees/linked": "loose/.git",
    ".git/worktrees/linked/HEAD": "loose/.git/HEAD",
    ".git/worktrees/linked/main": "loose/.git/refs/heads/main",
    ".git/worktrees/linked/refs/bisect/bad": "loose/.git/refs/heads/main",
    ".git/worktrees/linked/index": "loose/.git/index",
    ".git/modules": "loose/.git/refs",
    ".git/modules/module": "loose/.git",
    ".git/modules/module/HEAD": "loose/.git/HEAD",
    ".git/modules/module/refs/heads/main": "loose/.git/refs/heads/main",
    "module": "loose",
    "module/.git": "loose/.git",
    "linked": "loose",
    "linked/.git": "loose/.git",
    ".gitattributes": "loose/.git/info/attributes",
    ".gitignore": "loose/.git/info/exclude",
    ".mailmap": "loose/.mailmap",
    ".gitmodules": "loose/.git/config",
    "sub": "loose/sub",
    "sub/c.txt": "text.txt",
    "sub/.gitattributes": "loose/.git/info/attributes",
    "sub/.gitignore": "loose/.git/info/exclude",
    "untracked.txt": "text.txt",
    "untracked": "loose/sub",
}
# Which of them are tried with every form of a link.
IN_EVERY_FORM = [
    ".git", ".git/HEAD", ".git/packed-refs", ".git/refs", ".git/refs/heads/aside", ".git/logs/HEAD", ".git/info/exclude",
    ".git/objects", ".git/objects/pack", ".git/worktrees/linked/main", "module/.git", ".gitignore",
]  # fmt: skip
WORKTREE_REVISIONS = (
    "worktrees/linked/main",
    "worktrees/linked/HEAD",
    "worktrees/linked/refs/bisect/bad",
    "main-worktree/HEAD",
)


def links() -> Iterator[Attack]:
    for part, target in LINKED_FILES.items():
        for how in (
            ("absolute", "relative", "dotted", "door") if part in IN_EVERY_FORM else ("absolute",)
        ):
            repo = (
                "linked"
                if part.startswith("linked")
                else "module"
                if part.startswith("module") and "git" in part
                else ""
            )
            revisions = (
                ("HEAD@{1}", "main@{1}", "HEAD@{9}")
                if "logs" in part
                else WORKTREE_REVISIONS
                if "worktrees" in part
                else ()
            )
            short = part if len(part) < 60 else "a reference 80 directories deep"
            yield Attack(
                f"{short} is a link, {how}", lambda at, part=part, target=target, how=how: at.link(part, at.out / target, how), repo, revisions
            )  # fmt: skip


def every_fan_out(at: Site, how: str) -> None:
    """Each two-digit directory that the outside store needs is a link, or holds links."""
    for oid in at.world.ids:
        name, file = oid[:2], oid[2:]
        part = at.git / "objects" / name
        if how == "directory" and not os.path.lexists(part):
            part.symlink_to(at.loose / "objects" / name)
        elif how == "file":
            at.linked_files(f".git/objects/{name}", at.loose / "objects" / name, [file])
        elif how == "behind a link inside":
            if part.is_dir() and not part.is_symlink():
                (at.git / "shelf").mkdir(exist_ok=True)
                part.rename(at.git / "shelf" / name)
            # Not in the work tree, where a status rightly lists the names of the links.
            at.linked_files(f".git/shelf/{name}", at.loose / "objects" / name, [file])
            if not part.is_symlink():
                part.symlink_to(f"../shelf/{name}")


def pack_names(at: Site) -> list[str]:
    # The outside may be absent at the moment; its names are known to the attacker.
    kept = at.out if at.out.exists() else at.world.root / "secret"
    return sorted(path.name for path in (kept / "packed/.git/objects/pack").iterdir())


def pack_behind_a_link(at: Site) -> None:
    at.linked_files(".git/shelf", at.packed / "objects/pack", pack_names(at))
    shutil.rmtree(at.git / "objects/pack")
    (at.git / "objects/pack").symlink_to("../shelf")


def real_packs(at: Site, *suffixes: str) -> None:
    """Copies the outside packs except for the files of some kinds, which are links."""
    for name in pack_names(at):
        if name.endswith(suffixes):
            at.linked_files(".git/objects/pack", at.packed / "objects/pack", [name])
        else:
            shutil.copy(at.packed / "objects/pack" / name, at.git / "objects/pack" / name)


def refs_behind_a_link(at: Site) -> None:
    at.linked_files(".git/shelf", at.loose / "refs/heads", ["main", SECRET.branch])
    shutil.rmtree(at.git / "refs/heads")
    (at.git / "refs/heads").symlink_to("../shelf")


def linked_objects() -> Iterator[Attack]:
    for how in ("directory", "file", "behind a link inside"):
        yield Attack(f"fan-out of objects, {how}", lambda at, how=how: every_fan_out(at, how))
    yield Attack(
        "files of packs are links",
        lambda at: at.linked_files(".git/objects/pack", at.packed / "objects/pack", pack_names(at)),
    )
    yield Attack("objects/pack is a link inside to links outside", pack_behind_a_link)
    yield Attack("an idx is a link", lambda at: real_packs(at, ".idx"))
    yield Attack("a pack is a link", lambda at: real_packs(at, ".pack"))
    yield Attack("refs/heads is a link inside to links outside", refs_behind_a_link)
    yield Attack(
        "the store of an alternate inside is links",
        lambda at: (
            at.linked_files("store/pack", at.packed / "objects/pack", pack_names(at)),
            at.text(".git/objects/info/alternates", "../../store\n"),
        ),
    )
    yield Attack(
        "the alternate inside is a link",
        lambda at: (
            at.link("store", at.packed / "objects"),
            at.text(".git/objects/info/alternates", "../../store\n"),
        ),
    )


def lines(path: str, relative: str) -> dict[str, str]:
    """Returns the forms in which a file may contain a path: git takes some, and other readers could take more."""
    return {
        "absolute": f"{path}\n",
        "relative": f"{relative}\n",
        "no line ending": path,
        "CR": f"{path}\r\n",
        "relative, CR": f"{relative}\r\n",
        "blank at the end": f"{path} \n",
        "relative, blanks at the end": f"{relative}  \n",
        "tab at the end": f"{path}\t\n",
        "blank in front": f" {path}\n",
        "vertical tab at the end": f"{path}\v\n",
        "form feed at the end": f"{path}\f\n",
        "NUL at the end": f"{path}\0\n",
        "NUL and more": f"{path}\0/nothing\n",
        "slash at the end": f"{path}/\n",
        "dot at the end": f"{path}/.\n",
        "two slashes in front": f"/{path}\n",
        "dots in the middle": f"{path}/../{path.rpartition('/')[2]}\n",
        "quoted": f'"{path}"\n',
        "quoted with escapes": '"' + path.replace("/", "\\057") + '"\n',
        "below a link": f"{path.partition('/outside/')[0]}/inside/door/{path.partition('/outside/')[2]}\n",
        "empty line first": f"\n{path}\n",
        "two lines": f"{path}\n{path}\n",
        "CR in front": f"\r{path}\n",
        "BOM": f"\ufeff{path}\n",
        "file URL": f"file://{path}\n",
        "capitals": f"{path.upper()}\n",
        "home": f"~/../..{path}\n",
    }


# A file whose text names a directory: the text before the path, the directory that it names outside and inside, what a relative
# path starts from, and the repository that is asked.
POINTERS = {
    ".git/objects/info/alternates": ("", "packed/.git/objects", ".git/objects", ".git/objects", ""),
    ".git": ("gitdir: ", "loose/.git", ".git", "", ""),
    ".git/commondir": ("", "loose/.git", ".git", ".git", ""),
    ".git/worktrees/linked/commondir": (
        "",
        "loose/.git",
        ".git",
        ".git/worktrees/linked",
        "linked",
    ),
    "linked/.git": ("gitdir: ", "loose/.git", ".git/worktrees/linked", "linked", "linked"),
    "module/.git": ("gitdir: ", "loose/.git", ".git/modules/module", "module", "module"),
}
# Forms that are tried with every pointer; the others with alternates alone.
COMMON_FORMS = [
    "absolute",
    "relative",
    "CR",
    "blank at the end",
    "NUL at the end",
    "slash at the end",
    "below a link",
    "blank in front",
]


def pointers() -> Iterator[Attack]:
    """Pointers in each form of a line."""

    def written(part: str, form: str) -> Callable[[Site], None]:
        prefix, target, _, base, _ = POINTERS[part]

        def make(at: Site) -> None:
            at.target(at.out, at.repo / "x", "door")
            path = at.out / target
            at.text(part, prefix + lines(str(path), os.path.relpath(path, at.repo / base))[form])

        return make

    for part, (_, target, _, _, repo) in POINTERS.items():
        for form in lines("/outside/x", "x") if "alternates" in part else COMMON_FORMS:
            yield Attack(f"{part} names {target}: {form}", written(part, form), repo)
    # A submodule is read with its superproject too.
    for form in ("absolute", "CR", "blank at the end"):
        yield Attack(
            f"the submodule's .git names outside, asked above: {form}", written("module/.git", form)
        )


def two_readings() -> Iterator[Attack]:
    """Pointers to a name with an odd end: with and without it there are a directory inside and a link outside."""

    def made(part: str, end: str, outside_with_end: bool) -> Callable[[Site], None]:
        prefix, target, own, base, _ = POINTERS[part]

        def make(at: Site) -> None:
            shelf = at.repo / "shelf"
            shelf.mkdir()
            real, link = (
                (shelf / "x", shelf / f"x{end}")
                if outside_with_end
                else (shelf / f"x{end}", shelf / "x")
            )
            shutil.copytree(at.repo / own, real, symlinks=True)
            link.symlink_to(at.out / target)
            at.text(part, f"{prefix}{os.path.relpath(shelf, at.repo / base)}/x{end}\n")

        return make

    for part, (_, _, _, _, repo) in POINTERS.items():
        for name, end in {"CR": "\r", "a blank": " ", "a tab": "\t", "a form feed": "\f"}.items():
            for outside_with_end in (True, False):
                with_it = "with" if outside_with_end else "without"
                yield Attack(
                    f"{part}: {name} at the end, outside {with_it} it",
                    made(part, end, outside_with_end),
                    repo,
                )


def nested_stores() -> Iterator[Attack]:
    """Alternates of alternates, and where their relative paths start."""

    def nested(line: Callable[[Site], str]) -> Callable[[Site], None]:
        def make(at: Site) -> None:
            (at.repo / "store/info").mkdir(parents=True)
            at.text(".git/objects/info/alternates", "../../store\n")
            at.text("store/info/alternates", line(at))

        return make

    yield Attack("a nested store names outside", nested(lambda at: f"{at.packed}/objects\n"))
    # Relative to the nested store this is inside, relative to the top one outside, and the other way round.
    yield Attack(
        "a nested store, relative to itself",
        nested(lambda at: "../../../outside/packed/.git/objects\n"),
    )
    yield Attack(
        "a nested store, relative to the top one",
        nested(lambda at: "../../../../outside/packed/.git/objects\n"),
    )

    def shadowed(at: Site) -> None:
        nested(lambda at: "../../../../outside/packed/.git/objects\n")(at)
        shelf = at.repo / "store"
        deep = at.repo / "x/y/z/store"
        deep.parent.mkdir(parents=True)
        shelf.rename(deep)
        at.text(".git/objects/info/alternates", "../../x/y/z/store\n")
        (at.repo / "outside/packed/.git/objects").mkdir(parents=True)

    yield Attack("a nested store that lies inside by one reading and outside by another", shadowed)
    yield Attack("a nested store with CR", nested(lambda at: f"{at.packed}/objects\r\n"))
    yield Attack(
        "http-alternates",
        lambda at: at.text(".git/objects/info/http-alternates", f"{at.packed}/objects\n"),
    )


def configurations() -> Iterator[Attack]:
    def config(**settings: Callable[[Site], str]) -> Callable[[Site], None]:
        return lambda at: (
            [at.config(name.replace("__", "."), value(at)) for name, value in settings.items()]
            and None
        )

    yield Attack("core.worktree", config(core__worktree=lambda at: str(at.out / "loose")))
    yield Attack(
        "core.worktree, relative", config(core__worktree=lambda at: "../../../outside/loose")
    )
    yield Attack(
        "core.excludesFile", config(core__excludesFile=lambda at: str(at.out / "text.txt"))
    )
    yield Attack(
        "core.attributesFile",
        config(core__attributesFile=lambda at: str(at.loose / "info/attributes")),
    )
    yield Attack("mailmap.file", config(mailmap__file=lambda at: str(at.out / "loose/.mailmap")))
    yield Attack("mailmap.blob", config(mailmap__blob=lambda at: at.world.blob))
    yield Attack("include.path", config(include__path=lambda at: str(at.loose / "config")))
    yield Attack("attr.tree", config(attr__tree=lambda at: at.world.ids[0]))
    yield Attack("core.commitGraph", config(core__commitGraph=lambda at: "true"))
    yield Attack(
        "includeIf", lambda at: at.config("includeIf.gitdir:/**.path", str(at.loose / "config"))
    )
    yield Attack(
        "core.worktree of a submodule",
        lambda at: at.config("core.worktree", str(at.out / "loose"), ".git/modules/module/config"),
    )
    yield Attack(
        "core.worktree of a submodule, asked there",
        lambda at: at.config("core.worktree", str(at.out / "loose"), ".git/modules/module/config"),
        "module",
    )

    def worktree_config(at: Site) -> None:
        at.config("core.repositoryformatversion", "1")
        at.config("extensions.worktreeConfig", "true")
        at.link(".git/config.worktree", at.loose / "config")

    yield Attack("config.worktree is a link", worktree_config)
    yield Attack(
        ".gitmodules names a path outside",
        lambda at: at.text(
            ".gitmodules", '[submodule "m"]\n\tpath = ../outside/loose\n\turl = ./m\n'
        ),
    )
    yield Attack(
        ".git/worktrees/linked/gitdir names outside",
        lambda at: at.text(".git/worktrees/linked/gitdir", f"{at.out}/loose/.git\n"),
    )


def reference_texts() -> Iterator[Attack]:
    targets = [
        "../../../outside/loose/.git/HEAD",
        "refs/../../../../outside/loose/.git/refs/heads/main",
        "refs/heads/../../../../../outside/loose/.git/HEAD",
    ]
    for number, target in enumerate(targets):
        yield Attack(
            f"HEAD is symbolic to a path outside, {number}",
            lambda at, target=target: at.text(".git/HEAD", f"ref: {target}\n"),
        )
        yield Attack(
            f"a branch is symbolic to a path outside, {number}",
            lambda at, target=target: at.text(".git/refs/heads/aside", f"ref: {target}\n"),
        )
    yield Attack(
        "HEAD is symbolic to an absolute path",
        lambda at: at.text(".git/HEAD", f"ref: {at.loose}/HEAD\n"),
    )
    yield Attack(
        "HEAD is symbolic to another work tree's",
        lambda at: (
            at.text(".git/HEAD", "ref: worktrees/linked/main\n"),
            at.link(".git/worktrees/linked/main", at.loose / "HEAD"),
        ),
    )
    yield Attack(
        "packed-refs names a path outside",
        lambda at: at.text(
            ".git/packed-refs",
            f"# pack-refs with: peeled fully-peeled sorted \n{at.world.ids[0]} refs/heads/../../../../outside\n",
        ),
    )
    yield Attack("a revision that is a path", lambda at: None, "", ("../../outside/loose/.git/HEAD", "refs/../../../outside/loose/.git/HEAD", "worktrees/../../../outside/loose/.git/HEAD", "worktrees/linked/../../../../../outside/loose/.git/HEAD"))  # fmt: skip
    # A worktree whose name leads on: pseudo-references of worktrees/<x>/ are read below it.
    yield Attack(
        "a work tree's directory is a link",
        lambda at: at.link(".git/worktrees/zq", at.loose),
        "",
        ("worktrees/zq/HEAD", "worktrees/zq/refs/heads/main", "worktrees/zq/ORIG_HEAD"),
    )


def split_indexes() -> Iterator[Attack]:
    def split(at: Site) -> None:
        repositories.git(at.repo, "-c", "core.splitIndex=true", "update-index", "--split-index")
        for path in at.git.glob("sharedindex.*"):
            path.unlink()
            path.symlink_to(at.loose / "index")

    yield Attack("the shared index is a link", split)


def bare_repositories() -> Iterator[Attack]:
    def bare(change: Callable[[Site], None]) -> Callable[[Site], None]:
        def make(at: Site) -> None:
            shutil.move(at.git, at.repo / "bare.git")
            repositories.git(
                at.world.root,
                "config",
                "--file",
                str(at.repo / "bare.git/config"),
                "core.bare",
                "true",
            )
            change(at)

        return make

    yield Attack(
        "alternates of a bare repository",
        bare(
            lambda at: at.text(
                "bare.git/objects/info/alternates", f"{at.packed}/objects\r\n{at.packed}/objects\n"
            )
        ),
        "bare.git",
    )
    yield Attack(
        "alternates with CR of a bare repository",
        bare(lambda at: at.text("bare.git/objects/info/alternates", f"{at.packed}/objects\r\n")),
        "bare.git",
    )
    yield Attack(
        "commondir of a bare repository",
        bare(lambda at: at.text("bare.git/commondir", f"{at.loose} \n")),
        "bare.git",
    )
    yield Attack(
        "refs of a bare repository",
        bare(lambda at: at.link("bare.git/refs/heads", at.loose / "refs/heads")),
        "bare.git",
    )
    yield Attack(
        "a bare repository is a link", lambda at: at.link("bare.git", at.packed), "bare.git"
    )


def attacks() -> list[Attack]:
    """Returns every way out."""
    groups = [
        links,
        linked_objects,
        pointers,
        two_readings,
        nested_stores,
        configurations,
        reference_texts,
        split_indexes,
        bare_repositories,
    ]
    return [attack for group in groups for attack in group()]
