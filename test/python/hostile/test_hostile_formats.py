"""Files of a repository that would end the process, hang it, or eat its memory: right rows or an error, and soon.

Each case is a repository that is made hostile, and what is asked of it, in a process of its own with little memory. What
may take long, such as an enormous tree, must end soon after its deadline.
"""

import hashlib
import os
import pathlib
import shutil
import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

import apart
import hostile
import pytest
import repositories
from loose_objects import commit, loose, tree
from repositories import EMPTY

pytestmark = pytest.mark.slow

MEMORY = 3 << 30  # of address space; an idle process uses part of it
SECONDS = 20  # for one statement, in a build without optimizations on a slow machine
DEADLINE = 1
# What a question reads of a repository's files, at most: so many times their bytes, whatever sizes they state, and some more for
# what is read of small ones (pages, and what is read ahead).
READ_TIMES, READ_BYTES = 12, 16 << 20
NAMES = "SELECT file_path FROM file_changes(?, ?, ?)"
COUNTS = "SELECT file_path, additions, deletions FROM file_changes(?, ?, ?)"
WORK_TREE = "SELECT file_path FROM file_patches('HEAD', 'WORKTREE', ?, untracked := true)"
INDEX = "SELECT file_path FROM file_changes('HEAD', 'INDEX', ?)"
EVERY_COMMIT = "SELECT subject FROM commit_changes('ALL', ?)"
TOOL = "SELECT redline_call('GitDiff', json_object('from_rev', ?, 'to_rev', ?, 'path', ?))"


class Case(NamedTuple):
    """What is done to a repository, and what is asked; `slow` may take long, and so has a deadline."""

    make: Callable[[pathlib.Path], None]
    questions: list[tuple]
    slow: bool = False


# -- writing files that git would not ----------------------------------------------------------


def entry(path: bytes, flags: int = 0, strip: bytes | None = None) -> bytes:
    """Returns one entry of an index, of version 4 where `strip` says how much of the previous path is dropped."""
    size = min(len(path), 0xFFF)
    head = (
        struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0)
        + b"\xab" * 20
        + struct.pack(">H", size | flags)
    )
    if strip is not None:
        return head + strip + path + b"\0"
    whole = head + path
    return whole + b"\0" * (8 - len(whole) % 8)


def write_index(
    path: pathlib.Path, version: int, entries: list[bytes], *extensions: tuple[bytes, bytes]
) -> None:
    body = b"DIRC" + struct.pack(">II", version, len(entries)) + b"".join(entries)
    end = len(body)
    headers = b""
    for name, data in extensions:
        if name == b"EOIE":
            data = struct.pack(">I", end) + hashlib.sha1(headers).digest()
        header = name + struct.pack(">I", len(data))
        headers += header
        body += header + data
    path.write_bytes(body + hashlib.sha1(body).digest())


EMPTY_EWAH = struct.pack(">IIQI", 0, 1, 0, 0)


def sparse(path: pathlib.Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as file:
        file.truncate(size)


# -- the cases ---------------------------------------------------------------------------------

OWN = [(NAMES, "main~1", "main"), (WORK_TREE,), (INDEX,), (EVERY_COMMIT,)]


def self_naming_split_index(repo):
    # A checksum of zeros is none, as git writes it with index.skipHash: so the name and the checksum agree.
    link = bytes(20) + EMPTY_EWAH * 2
    for name in ("index", f"sharedindex.{'00' * 20}"):
        write_index(repo / ".git" / name, 2, [], (b"link", link))
        data = (repo / ".git" / name).read_bytes()
        (repo / ".git" / name).write_bytes(data[:-20] + bytes(20))


def split_indexes_in_a_circle(repo):
    for own, other in (("", "aa"), ("aa", "bb"), ("bb", "aa")):
        name = f"sharedindex.{own * 20}" if own else "index"
        write_index(
            repo / ".git" / name,
            2,
            [entry(b"a.txt")],
            (b"link", bytes.fromhex(other * 20) + EMPTY_EWAH * 2),
        )


def deep_tree_extension(repo):
    write_index(
        repo / ".git/index", 2, [entry(b"a.txt")], (b"TREE", b"\0-1 1\n" + b"a\0-1 1\n" * 400_000)
    )


def deep_untracked_extension(repo):
    head = (
        b"\0" + bytes(36) * 2 + bytes(4) + bytes(20) * 2 + b".gitignore\0" + b"\x01" + b"\0\x01\0"
    )
    write_index(repo / ".git/index", 2, [entry(b"a.txt")], (b"UNTR", head + b"\0\x01a\0" * 400_000))


def prefix_bomb(repo):
    first = b"a" * 1_000_000
    write_index(
        repo / ".git/index",
        4,
        [entry(first, strip=b"\0"), *(entry(b"b", strip=b"\0") for _ in range(30_000))],
    )


def prefix_bomb_of_directories(repo):
    write_index(
        repo / ".git/index",
        4,
        [entry(b"a/a/a", strip=b"\0"), *(entry(b"/a/a/a", strip=b"\0") for _ in range(40_000))],
    )


def repeated_blocks(repo):
    entries = [entry(b"%08d" % number) for number in range(10_000)]
    table = struct.pack(">I", 1) + struct.pack(">II", 12, len(entries)) * 4_000
    write_index(repo / ".git/index", 2, entries, (b"IEOT", table), (b"EOIE", b""))


def many_entries_claimed(repo):
    (repo / ".git/index").write_bytes(b"DIRC" + struct.pack(">II", 2, 0xFFFFFFFF) + bytes(2000))


def huge_extension_claimed(repo):
    body = b"DIRC" + struct.pack(">II", 2, 0) + b"TREE" + struct.pack(">I", 0xFFFFFFF0) + b"x"
    (repo / ".git/index").write_bytes(body + hashlib.sha1(body).digest())


def own_submodule(repo):
    """Each `module` has the index of the repository, and so a `module` of its own, as deep as paths go."""
    place = repo
    while len(str(place)) < 3_900:
        place /= "module"
        place.mkdir(exist_ok=True)
        (place / ".git").write_text(f"gitdir: {repo}/.git\n")


def submodules_in_a_circle(repo):
    (repo / ".git/modules/module/index").unlink()
    shutil.copy(repo / ".git/index", repo / ".git/modules/module/index")
    (repo / "module/module").mkdir()
    (repo / "module/module/.git").write_text("gitdir: ../../.git/modules/module\n")


def own_tag(repo):
    oid = "ab" * 20
    loose(repo, "tag", f"object {oid}\ntype tag\ntag x\ntagger a <b> 1 +0000\n\nx\n".encode(), oid)
    (repo / ".git/refs/tags/own").write_text(oid + "\n")


def tags_in_a_circle(repo):
    for oid, other in (("ab" * 20, "cd" * 20), ("cd" * 20, "ab" * 20)):
        loose(
            repo,
            "tag",
            f"object {other}\ntype tag\ntag x\ntagger a <b> 1 +0000\n\nx\n".encode(),
            oid,
        )
    (repo / ".git/refs/tags/own").write_text("ab" * 20 + "\n")


def long_chain_of_tags(repo):
    oid, kind = repositories.git_text(repo, "rev-parse", "main"), "commit"
    for number in range(3_000):
        oid, kind = (
            loose(
                repo,
                "tag",
                f"object {oid}\ntype {kind}\ntag {number}\ntagger a <b> 1 +0000\n\nx\n".encode(),
            ),
            "tag",
        )
    (repo / ".git/refs/tags/own").write_text(oid + "\n")


def own_parent(repo):
    root = repositories.git_text(repo, "rev-parse", "main^{tree}")
    commit(repo, "own", root, "ab" * 20, oid="ab" * 20)


def parents_in_a_circle(repo):
    root = repositories.git_text(repo, "rev-parse", "main^{tree}")
    commit(repo, "own", root, "cd" * 20, oid="ab" * 20)
    commit(repo, "other", root, "ab" * 20, oid="cd" * 20)


def own_tree(repo):
    oid = "ab" * 20
    tree(repo, ("40000", "d", oid), oid=oid)
    commit(repo, "own", oid)


def tree_bomb(repo):
    blob = loose(repo, "blob", b"x\n")
    below = tree(repo, *(("100644", f"f{n}", blob) for n in range(10)))
    for _ in range(10):
        below = tree(repo, *(("40000", f"d{n}", below) for n in range(10)))
    commit(repo, "own", below)


def blobs_of_newlines(repo):
    size = 200 << 20
    old, new = (
        tree(repo, ("100644", "f", loose(repo, "blob", b"\n" * size + end)))
        for end in (b"", b"x\n")
    )
    commit(repo, "own", new, commit(repo, "before", old))


def many_parents(repo):
    root = repositories.git_text(repo, "rev-parse", "main^{tree}")
    parent = repositories.git_text(repo, "rev-parse", "main")
    commit(repo, "own", root, *[parent] * 200_000)


def fan_out_of_alternates(repo):
    below = repo / ".git/objects"
    for level in range(4):
        (below / "info").mkdir(parents=True, exist_ok=True)
        store = f"{'../..' if level == 0 else '..'}/s{level}"
        (below / "info/alternates").write_text(
            "".join(f"{store}{'/.' * (n % 3)}{'/' * (n // 3)}\n" for n in range(300))
        )
        below = repo / f"s{level}"
    below.mkdir()


def alternates_in_a_circle(repo):
    for own, other in (("../..", "one"), ("..", "two"), ("..", "one")):
        place = (
            repo / ".git/objects" if own == "../.." else repo / ("one" if other == "two" else "two")
        )
        (place / "info").mkdir(parents=True, exist_ok=True)
        (place / "info/alternates").write_text(f"{own}/{other}\n")


def long_list_of_alternates(repo):
    (repo / ".git/objects/info/alternates").write_text(
        "".join(f"../../none{n}\n" for n in range(300_000))
    )


STARS = "**/a/" * 26 + "b"
DEEP = "a/" * 60


def stars_in(part: str, suffix: str = "") -> Callable[[pathlib.Path], None]:
    def make(repo):
        deep = repo / DEEP
        deep.mkdir(parents=True)
        for number in range(20):
            (deep / f"c{number}").write_text("x\n")
        committed(repo, "a" if "attributes" in part else "a.txt")
        # Only now, as git itself would hang on it.
        (repo / part).write_text(f"{STARS}{suffix}\n" * 5)

    return make


def stars_that_never_match(part: str, suffix: str) -> Callable[[pathlib.Path], None]:
    def make(repo):
        (repo / ("a" * 200)).write_text("x\n")
        committed(repo, "a" * 200 if "attributes" in part else "a.txt")
        (repo / part).write_text(f"{'*a' * 60}b{suffix}\n" * 20)

    return make


def committed(repo: pathlib.Path, path: str) -> None:
    repositories.git(repo, "add", path)
    repositories.git(
        repo,
        "-c",
        "user.name=a",
        "-c",
        "user.email=b",
        "commit",
        "--allow-empty",
        "-qm",
        "more",
        "--",
        path,
    )


def text_in(part: str, line: bytes, count: int) -> Callable[[pathlib.Path], None]:
    def make(repo):
        (repo / part).parent.mkdir(parents=True, exist_ok=True)
        with open(repo / part, "ab") as file:
            for _ in range(count // 1000):
                file.write(line * 1000)

    return make


def many_references(repo):
    oid = repositories.git_text(repo, "rev-parse", "main")
    with open(repo / ".git/packed-refs", "w") as file:
        file.writelines(f"{oid} refs/heads/x{number:07}\n" for number in range(500_000))


def drivers(repo):
    with open(repo / ".git/config", "a") as config:
        config.writelines(f'[diff "x{n}"]\n\tbinary = true\n' for n in range(400_000))


def long_symbolic_chain(repo):
    for number in range(2_000):
        (repo / f".git/refs/heads/l{number}").write_text(f"ref: refs/heads/l{number + 1}\n")
    (repo / ".git/refs/heads/own").write_text("ref: refs/heads/l0\n")


def symbolic_circle(repo):
    (repo / ".git/refs/heads/own").write_text("ref: refs/heads/other\n")
    (repo / ".git/refs/heads/other").write_text("ref: refs/heads/own\n")


def pack_bytes(*objects: bytes) -> bytes:
    body = b"PACK" + struct.pack(">II", 2, len(objects)) + b"".join(objects)
    return body + hashlib.sha1(body).digest()


def object_header(kind: int, size: int) -> bytes:
    first, size = kind << 4 | size & 15, size >> 4
    out = []
    while size:
        out.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    return bytes([*out, first])


def varint(number: int) -> bytes:
    out = []
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def idx_bytes(ids: list[tuple[str, int]], pack: bytes) -> bytes:
    ids = sorted(ids)
    fan = b"".join(
        struct.pack(">I", sum(int(oid[:2], 16) <= byte for oid, _ in ids)) for byte in range(256)
    )
    body = (
        b"\xfftOc"
        + struct.pack(">I", 2)
        + fan
        + b"".join(bytes.fromhex(oid) for oid, _ in ids)
        + bytes(4 * len(ids))
    )
    body += b"".join(struct.pack(">I", offset) for _, offset in ids) + pack[-20:]
    return body + hashlib.sha1(body).digest()


def odd_pack(*objects: bytes) -> Callable[[pathlib.Path], None]:
    """A pack whose n-th object claims the id nn…; the last is the tree of the branch `own`."""

    def make(repo):
        pack = pack_bytes(*objects)
        ids, at = [], 12
        for number, data in enumerate(objects):
            ids.append((f"{number + 1:02x}" * 20, at))
            at += len(data)
        directory = repo / ".git/objects/pack"
        directory.mkdir(exist_ok=True)
        (directory / f"pack-{'ab' * 20}.pack").write_bytes(pack)
        (directory / f"pack-{'ab' * 20}.idx").write_bytes(idx_bytes(ids, pack))
        commit(repo, "own", tree(repo, ("100644", "f", f"{len(objects):02x}" * 20)))

    return make


def delta(size_from: int, size_to: int, commands: bytes) -> bytes:
    return varint(size_from) + varint(size_to) + commands


def on_base(base: int, data: bytes) -> bytes:
    return object_header(7, len(data)) + bytes.fromhex(f"{base:02x}" * 20) + zlib.compress(data)


def own_base(repo):
    odd_pack(on_base(1, delta(2, 2, b"\x02ab")))(repo)


def offset_of_nothing(repo):
    odd_pack(object_header(6, 5) + b"\0" + zlib.compress(delta(2, 2, b"\x02ab")))(repo)


def bases_in_a_circle(repo):
    odd_pack(on_base(2, delta(2, 2, b"\x02ab")), on_base(1, delta(2, 2, b"\x02ab")))(repo)


def delta_that_claims_much(repo):
    odd_pack(object_header(3, 2) + zlib.compress(b"ab"), on_base(1, delta(2, 1 << 42, b"\x02ab")))(
        repo
    )


def deltas_that_multiply(repo):
    # Each copies its base sixteen times: 16 to the 12th bytes at the end.
    objects, size = [object_header(3, 16) + zlib.compress(b"x" * 16)], 16
    for number in range(1, 13):
        step = min(size, 0xFFFFFF)
        copy = b"\xf0" + struct.pack("<I", step)[:3]
        objects.append(on_base(number, delta(size, step * 16, copy * 16)))
        size = step * 16
    odd_pack(*objects)(repo)


def object_that_claims_much(repo):
    raw = b"blob 1099511627776\0x"
    oid = "ef" * 20
    (repo / ".git/objects/ef").mkdir(exist_ok=True)
    (repo / ".git/objects/ef" / oid[2:]).write_bytes(zlib.compress(raw))
    odd = object_header(3, 1 << 40) + zlib.compress(b"x")
    odd_pack(odd)(repo)
    commit(repo, "other", tree(repo, ("100644", "f", oid)))


def long_chain_of_graphs(repo):
    directory = repo / ".git/objects/info/commit-graphs"
    directory.mkdir(parents=True)
    (directory / "commit-graph-chain").write_text(f"{'ab' * 20}\n" * 200_000)


def fifo_behind_a_link(repo):
    (repo / "shelf/heads").mkdir(parents=True)
    for name in ("main", "heads/main", "heads/topic", "heads/x"):
        if not (repo / "shelf" / name).exists():
            os.mkfifo(repo / "shelf" / name)
    shutil.rmtree(repo / ".git/refs")
    (repo / ".git/refs").symlink_to("../shelf")


def message_of_lines(repo):
    """Writes a commit and a tag whose first paragraph is ten million lines, and whose body is as many."""
    lines = b"a\n" * 10_000_000 + b"\n" + b"b\n" * 10_000_000
    head = f"tree {EMPTY}\nauthor a <b> 1700000000 +0000\ncommitter a <b> 1700000000 +0000\n\n".encode()
    oid = loose(repo, "commit", head + lines)
    (repo / ".git/refs/heads/own").write_text(oid + "\n")
    tag = loose(
        repo,
        "tag",
        f"object {oid}\ntype commit\ntag own\ntagger a <b> 1700000000 +0000\n\n".encode() + lines,
    )
    (repo / ".git/refs/tags/own").write_text(tag + "\n")


def packed_references(repo):
    tip = repositories.git_text(repo, "rev-parse", "main")
    (repo / ".git/packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled sorted \n"
        + "".join(f"{tip} refs/heads/p{number:06}\n" for number in range(50_000))
    )


def many_refspecs(repo):
    tip = repositories.git_text(repo, "rev-parse", "main")
    refspecs = "".join(f"fetch=+refs/h/{number}:refs/r/{number}\n" for number in range(100_000))
    branches = [f"b{number}" for number in range(64)]
    for name in branches:
        (repo / ".git/refs/heads" / name).write_text(tip + "\n")
    with (repo / ".git/config").open("a") as config:
        config.write(
            f'[remote "o"]\nurl=x\n{refspecs}'
            + "".join(f'[branch "{name}"]\nremote=o\nmerge=refs/heads/x\n' for name in branches)
        )


def in_tables(blocks: Callable[[], bytes], logs: int = 0) -> Callable[[pathlib.Path], None]:
    """A repository whose references are in one table of these blocks, which states blocks of 16 MiB; the logs are at a position."""

    def make(repo):
        tip = repositories.git_text(repo, "rev-parse", "main")
        with (repo / ".git/config").open("a") as config:
            config.write(
                "[core]\nrepositoryformatversion = 1\n[extensions]\nrefstorage = reftable\n"
            )
        head = b"REFT\x01\xff\xff\xff" + struct.pack(">QQ", 1, 1)
        # The first block counts the head as its own: it names the branch `a`, so that there is one.
        first = block(b"r", record(b"refs/heads/a", 1) + b"\1" + bytes.fromhex(tip), len(head))
        at = len(head) + len(first)
        foot = head + struct.pack(">QQQQQ", 0, 0, 0, at if logs else 0, 0)
        (repo / ".git/reftable").mkdir()
        table = "0x000000000001-0x000000000001-00000000.ref"
        checked = foot + struct.pack(">I", zlib.crc32(foot))
        (repo / ".git/reftable" / table).write_bytes(head + first + blocks() + checked)
        (repo / ".git/reftable/tables.list").write_text(table + "\n")

    return make


def record(key: bytes, kind: int) -> bytes:
    """The start of a record: a key that shares nothing with the one before, and what kind of value follows."""
    return b"\0" + offset_varint(len(key) << 3 | kind) + key


def offset_varint(number: int) -> bytes:
    out = [number & 0x7F]
    while number := number >> 7:
        number -= 1
        out.append(0x80 | number & 0x7F)
    return bytes(reversed(out))


def block(kind: bytes, records: bytes, before: int = 0) -> bytes:
    length = before + 4 + len(records) + 5
    restarts = (before + 4).to_bytes(3, "big") + b"\0\1"
    return kind + length.to_bytes(3, "big") + records + restarts


def small_blocks() -> bytes:
    # Each deletes one name, of which none is asked for.
    return block(b"r", record(b"z", 0) + b"\0") * 1_000_000


def logs_that_inflate() -> bytes:
    # Each states 16 MiB, and is one line of a log and NULs.
    content = record(b"z" * 20, 0) + bytes((1 << 24) - 100)
    packed = zlib.compress(content, 9)
    return (b"g" + (len(content) + 4).to_bytes(3, "big") + packed) * 100


def entries_that_inflate(size: int, count: int) -> Callable[[pathlib.Path], None]:
    """A pack of many files, each `size` NULs, in one tree."""

    def make(repo):
        contents = [b"%020d" % number + bytes(size) for number in range(count)]
        objects = [object_header(3, len(content)) + zlib.compress(content) for content in contents]
        pack = pack_bytes(*objects)
        ids, at = [], 12
        for data, content in zip(objects, contents, strict=True):
            ids.append((hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(), at))
            at += len(data)
        directory = repo / ".git/objects/pack"
        directory.mkdir(exist_ok=True)
        (directory / f"pack-{'cd' * 20}.pack").write_bytes(pack)
        (directory / f"pack-{'cd' * 20}.idx").write_bytes(idx_bytes(ids, pack))
        files = [("100644", f"f{number:04}", oid) for number, (oid, _) in enumerate(ids)]
        commit(repo, "own", tree(repo, *files))

    return make


BINARY_DRIVER = b'[diff "x"]\n'
ABOUT_OWN = [
    (NAMES, "main", "own"),
    (TOOL, "main", "own"),
    ("SELECT file_path FROM file_changes('EMPTY', 'own^{tree}', ?)",),
]
LINES = [
    (COUNTS, "before", "own"),
    ("SELECT sum(length(patch)) FROM file_patches(?, ?, ?)", "before", "own"),
    (TOOL, "before", "own"),
]
LONG_MESSAGE = [
    (f"SELECT sum(length({column})) FROM {table}",)
    for table, column in (
        ("commits('own', ?)", "subject"),
        ("commits('own', ?)", "body"),
        ("refs(?)", "subject"),
    )
]
BACKSLASHES = "\\\\" * 1_000
HISTORY = [
    ("SELECT count(*) FROM commit_changes('own', ?)",),
    (NAMES, "own~50", "own"),
    ("SELECT count(*) FROM file_changes('main...own', NULL, ?)",),
    (EVERY_COMMIT,),
]

CASES = {
    "a split index that names itself": Case(self_naming_split_index, OWN),
    "split indexes in a circle": Case(split_indexes_in_a_circle, OWN),
    "an index with trees nested 400,000 deep": Case(deep_tree_extension, OWN),
    "an index with untracked directories nested 400,000 deep": Case(deep_untracked_extension, OWN),
    "an index of version 4 whose paths add up": Case(prefix_bomb, OWN),
    "an index of version 4 whose directories add up": Case(prefix_bomb_of_directories, OWN),
    "an index that lists a block 4,000 times": Case(repeated_blocks, OWN),
    "an index that claims four milliard entries": Case(many_entries_claimed, OWN),
    "an index that claims a large extension": Case(huge_extension_claimed, OWN),
    "a submodule that is its own": Case(own_submodule, OWN),
    "submodules in a circle": Case(submodules_in_a_circle, OWN),
    "a tag of itself": Case(own_tag, ABOUT_OWN),
    "tags in a circle": Case(tags_in_a_circle, ABOUT_OWN),
    "a tag of a tag, 3,000 times": Case(long_chain_of_tags, ABOUT_OWN),
    "a commit that is its own parent": Case(own_parent, HISTORY),
    "commits that are each other's parents": Case(parents_in_a_circle, HISTORY),
    "a commit of 200,000 parents": Case(many_parents, HISTORY),
    "a tree that is in itself": Case(own_tree, ABOUT_OWN),
    "a tree of ten milliard files": Case(tree_bomb, ABOUT_OWN, slow=True),
    "blobs of 200 MiB of newlines": Case(blobs_of_newlines, LINES, slow=True),
    "alternates that fan out": Case(fan_out_of_alternates, OWN),
    "alternates in a circle": Case(alternates_in_a_circle, OWN),
    "alternates of 300,000 lines": Case(long_list_of_alternates, OWN),
    "stars in .gitignore": Case(stars_in(".gitignore"), OWN),
    "stars in .gitignore, for directories": Case(stars_in(".gitignore", "/"), OWN),
    "stars in info/exclude": Case(stars_in(".git/info/exclude"), OWN),
    "stars in .gitattributes": Case(stars_in(".gitattributes", " -diff"), OWN),
    "stars in info/attributes": Case(stars_in(".git/info/attributes", " -diff"), OWN),
    "stars that never match in .gitattributes": Case(stars_that_never_match(".gitattributes", " -diff"), OWN),
    "stars that never match in .gitignore": Case(stars_that_never_match(".gitignore", ""), OWN),
    "a .gitattributes of 60 MiB": Case(text_in(".gitattributes", b"a b\n", 15_000_000), OWN, slow=True),
    "an info/attributes of 60 MiB": Case(text_in(".git/info/attributes", b"a* diff=x\n", 6_000_000), OWN, slow=True),
    "a .gitignore of 60 MiB": Case(text_in(".gitignore", b"a*b\n", 15_000_000), OWN, slow=True),
    "a .mailmap of 60 MiB": Case(text_in(".mailmap", b"a <b> <c>\n", 6_000_000), OWN, slow=True),
    "a packed-refs of 11 MB": Case(text_in(".git/packed-refs", b"ab" * 20 + b" refs/heads/x\n", 200_000), OWN),
    "a reference whose name has 30 MB": Case(text_in(".git/packed-refs", b"ab" * 20 + b" refs/heads/" + b"x" * 30_000_000 + b"\n", 1), [*OWN, (NAMES, "nosuch", "main")]),
    "half a million references": Case(many_references, [*OWN, (NAMES, "nosuch", "main"), (NAMES, ":/nosuch", "main")], slow=True),
    "a reflog of 10 MB": Case(text_in(".git/logs/HEAD", b"ab" * 20 + b" " + b"ab" * 20 + b" a <b> 1 +0000\tx\n", 100_000), [*OWN, (NAMES, "HEAD@{1}", "HEAD"), (NAMES, "HEAD@{90000}", "HEAD")]),
    "a shallow of 12 MB": Case(text_in(".git/shallow", b"ab" * 20 + b"\n", 300_000), OWN, slow=True),
    "a configuration of one driver, 10 MB": Case(text_in(".git/config", BINARY_DRIVER, 1_000_000), OWN, slow=True),
    "a configuration of many drivers, 10 MB": Case(drivers, OWN, slow=True),
    "a chain of 2,000 symbolic references": Case(long_symbolic_chain, ABOUT_OWN),
    "symbolic references in a circle": Case(symbolic_circle, ABOUT_OWN),
    "a delta on itself": Case(own_base, ABOUT_OWN + [(COUNTS, "main", "own")]),
    "a delta on what lies zero bytes before it": Case(offset_of_nothing, [(COUNTS, "main", "own")]),
    "deltas in a circle": Case(bases_in_a_circle, [(COUNTS, "main", "own")]),
    "a delta that claims four tebibytes": Case(delta_that_claims_much, [(COUNTS, "main", "own")]),
    "deltas that multiply": Case(deltas_that_multiply, [(COUNTS, "main", "own")], slow=True),
    "objects that claim a tebibyte": Case(object_that_claims_much, [(COUNTS, "main", "own"), (COUNTS, "main", "other")]),
    "a list of 200,000 commit-graphs": Case(long_chain_of_graphs, OWN),
    "a message of twenty million lines": Case(message_of_lines, LONG_MESSAGE, slow=True),
    "50,000 packed references": Case(packed_references, [("SELECT count(short_name) FROM refs(?)",)]),
    "a remote of 100,000 refspecs": Case(many_refspecs, [("SELECT count(upstream) FROM refs(?)",)], slow=True),
    "a pattern that repeats what it repeats": Case(lambda repo: None, [("SELECT resolve_revision(?, ?)", f":/({BACKSLASHES}){'*' * 2_000}")]),
    "a table of a million small blocks that states blocks of 16 MiB": Case(in_tables(small_blocks), [("SELECT resolve_revision('nosuch', ?)",), ("SELECT count(*) FROM refs(?)",)]),
    "a table of logs that inflate to 16 MiB": Case(in_tables(logs_that_inflate, 1), [("SELECT resolve_revision('nosuch@{1}', ?)",), ("SELECT resolve_revision('a@{3}', ?)",)], slow=True),
    "a pack of 300 files that inflate to 4 MiB": Case(entries_that_inflate(4 << 20, 300), [(COUNTS, EMPTY, "own"), ("SELECT sum(size) FROM tree_files('own', ?)",)], slow=True),
    "a pack of 3,000 files that inflate to 200 kB": Case(entries_that_inflate(200_000, 3_000), [(COUNTS, EMPTY, "own"), ("SELECT sum(size) FROM tree_files('own', ?)",)], slow=True),
    "FIFOs behind a link at refs": Case(fifo_behind_a_link, [*OWN, (NAMES, "topic", "x")]),
}  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> pathlib.Path:
    return hostile.World(tmp_path_factory.mktemp("formats")).clone("template").repo


def copied(template: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    shutil.copytree(template, target, symlinks=True)
    return target


def stored_bytes(repo: pathlib.Path) -> int:
    """Returns the bytes of all files of a repository, however large they say that they are."""
    return sum(path.lstat().st_size for path in repo.rglob("*") if path.is_file())


def assert_answered(
    host: apart.Host, repo: pathlib.Path, questions: list[tuple], slow: bool
) -> None:
    """Asks everything: an answer, or an error with a code, in time."""
    assert host.ask(f"SET GLOBAL redline_max_seconds = {DEADLINE if slow else 0}").error is None
    for sql, *parameters in questions:
        # A busy machine is slower by as much.
        busy = max(1, os.getloadavg()[0] / os.cpu_count())
        before = host.read_bytes()
        got = host.ask(sql, *parameters, repo, seconds=SECONDS * busy)
        read = host.read_bytes() - before
        assert read <= READ_TIMES * stored_bytes(repo) + READ_BYTES, f"{read} bytes read for {sql}"
        if slow:
            assert got.seconds < DEADLINE + 2 + busy, (
                f"{got.seconds:.1f} s for {sql}: {str(got.error)[:200]}"
            )
        # Of a streamed result DuckDB may say only that it ended, not why.
        is_streamed = slow and str(got.error).startswith("INTERRUPT Error")
        if got.error is not None and not is_streamed:
            repositories.code_and_words(got.error)


# Promise (survival): No file of a repository ends the process, hangs it, or takes more than a
# bounded amount of memory. Tried are indexes (split ones that name themselves, extensions nested
# 400,000 deep, paths that add up, false counts), submodules, tags, parents, trees, symbolic
# references, deltas and alternates that form cycles or fan out, 60 MiB of patterns or references,
# patterns of many stars, configurations of 10 MB, objects that claim a tebibyte, blobs of 200 MiB
# of newlines, messages of twenty million lines, 50,000 packed references, 100,000 refspecs,
# patterns that repeat themselves 2,000 times, one run each. What a question reads is at most a few
# times the bytes of the files, whatever sizes they state: also of tables whose blocks state 16 MiB,
# and of packs whose entries inflate a thousandfold.
@pytest.mark.parametrize("name", CASES)
def test_a_hostile_file_is_answered_in_time(extension, template, tmp_path, name):
    """With rows or an error, and by reading the files a few times at most; the process, in the same memory, then reads another repository."""
    case = CASES[name]
    repo = copied(template, tmp_path / "repo")
    case.make(repo)
    with apart.Host(extension, memory_bytes=MEMORY) as host:
        assert_answered(host, repo, case.questions, case.slow)
        assert host.ask(NAMES, "main~1", "main", template).rows, (
            "another repository is not read any more"
        )


# Every file that git reads as a whole.
FILES = [
    ".git/HEAD", ".git/config", ".git/commondir", ".git/packed-refs", ".git/refs/heads/main", ".git/refs/heads/other", ".git/ORIG_HEAD",
    ".git/logs/HEAD", ".git/logs/refs/heads/main", ".git/index", ".git/shallow", ".git/info/attributes", ".git/info/exclude", ".git/info/grafts",
    ".git/objects/info/alternates", ".git/objects/info/commit-graph", ".git/objects/info/commit-graphs/commit-graph-chain",
    f".git/objects/info/commit-graphs/graph-{'ab' * 20}.graph", ".git/objects/pack/multi-pack-index", f".git/objects/pack/pack-{'ab' * 20}.idx",
    ".git/worktrees/linked/HEAD", ".git/worktrees/linked/gitdir", ".git/worktrees/linked/commondir", "linked/.git", "module/.git",
    ".git/modules/module/HEAD", ".git/modules/module/config", ".gitattributes", ".gitignore", ".mailmap", ".gitmodules", "sub/.gitattributes",
    "sub/.gitignore", "untracked.txt", "sub/c.txt", "a.txt",
]  # fmt: skip


def other_special(path: pathlib.Path) -> None:
    os.mkfifo(path)


SPECIAL = {
    "a sparse file of 8 GiB": lambda path: sparse(path, 8 << 30),
    "its text and 8 GiB more": None,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a FIFO": other_special,
}
ABOUT_FILES = [
    *OWN,
    (NAMES, "HEAD@{1}", "HEAD"),
    (NAMES, "other", "HEAD"),
    (NAMES, "nosuch", "HEAD"),
    (TOOL, "HEAD", "WORKTREE"),
]


# Promise (survival): Each file that git reads may be 8 GiB, endless or a FIFO.
@pytest.mark.parametrize("special", SPECIAL)
def test_a_file_without_end_is_not_read_to_its_end(extension, template, tmp_path, special):
    """Each file in turn is enormous, endless or never ends: the others still give rows or an error, within the memory."""
    wrong = []
    host = apart.Host(extension, memory_bytes=MEMORY)
    repo = copied(template, tmp_path / "repo")
    for part in FILES:
        path = repo / part
        kept = path.read_bytes() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        if SPECIAL[special] is None:
            sparse(path, 8 << 30)
        else:
            path.unlink(missing_ok=True)
            SPECIAL[special](path)
        try:
            for place in ("", "linked"):
                if place in ("", part.split("/")[0]) or "worktrees" in part:
                    # A file of the work tree is hashed, as by git, however large it is.
                    is_hashed = "8 GiB" in special and ".git/" not in part
                    asked = [(WORK_TREE,), ABOUT_FILES[-1]] if is_hashed else ABOUT_FILES
                    assert_answered(host, repo / place if place else repo, asked, slow=is_hashed)
        except AssertionError as error:
            wrong.append(f"{part}: {str(error)[:400]}")
            if host.process.poll() is not None:
                host = apart.Host(extension, memory_bytes=MEMORY)
        path.unlink()
        if kept is not None:
            path.write_bytes(kept)
    host.close()
    assert not wrong, f"{len(wrong)} with {special}:\n" + "\n".join(wrong)
