"""Sizes, counts and positions that the files of a repository state: whatever they say, little is read and little is held.

Every field of every format in turn states more than there is, under a right checksum: an answer is rows or an error, for which not much
more is read than of the repository as git wrote it.
"""

import functools
import hashlib
import pathlib
import re
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import apart
import pytest
from repositories import code_and_words, git

SECONDS = 30  # for one statement, in a build without optimizations on a slow machine
# What a question reads, beside what it reads of the repository as git wrote it: so many times the bytes of all files, and the pages that
# a process reads of itself. And the memory that it may touch.
READ_TIMES, READ_BYTES, HELD_BYTES = 2, 1 << 20, 192 << 20

QUESTIONS = [
    ("SELECT file_path, additions FROM file_changes('main~1', 'main', ?)",),
    ("SELECT count(*) FROM commit_changes('ALL', ?)",),
    ("SELECT count(*) FROM commits('main', ?, paths := ['dir0/file3'])",),
    ("SELECT merge_base('main', 'side', ?)",),
    ("SELECT resolve_revision('main^{/change 5}', ?)",),
    ("SELECT count(*) FROM refs(?)",),
    ("SELECT count(*) FROM reflog('HEAD', ?)",),
    ("SELECT sum(size) FROM tree_files('main', ?)",),
    ("SELECT file_path FROM file_changes('HEAD', 'INDEX', ?)",),
    ("SELECT count(*) FROM file_status(?)",),
    ("SELECT length(file_content('large.bin', 'main', ?))",),
    ("SELECT length(file_content('pointer', 'WORKTREE', ?, true))",),
]


class Field(NamedTuple):
    """A number in a file: in bytes, the first the highest; in seven bits a byte; or in digits."""

    name: str
    at: int
    width: int
    form: str = "bytes"

    def planted(self, data: bytes) -> Iterator[bytes]:
        """Returns the file with each large number in this place that it has room for."""
        old = data[self.at : self.at + self.width]
        if self.form == "bytes":
            most = (1 << 8 * self.width) - 1
            numbers = {most, most >> 1, (most >> 1) + 1, min(most, 100 * len(data))}
            texts = {number.to_bytes(self.width, "big") for number in numbers}
        elif self.form == "digits":
            texts = {b"9" * self.width}
        else:  # the bits that say whether another byte follows stay
            texts = {bytes(byte | 0x7F for byte in old)}
        for text in sorted(texts - {old}):
            yield data[: self.at] + text + data[self.at + self.width :]


def few(places: list[int]) -> list[int]:
    """Returns the first, the middle and the last."""
    return sorted({places[0], places[len(places) // 2], places[-1]}) if places else []


# -- the formats ---------------------------------------------------------------------------------


def pack_fields(path: pathlib.Path) -> list[Field]:
    data, idx = path.read_bytes(), path.with_suffix(".idx").read_bytes()
    count = int.from_bytes(idx[8 + 255 * 4 : 8 + 256 * 4], "big")
    start = 8 + 1024 + count * 24
    offsets = sorted(struct.unpack(f">{count}I", idx[start : start + 4 * count]))
    fields = [Field("objects", 8, 4)]
    kinds: dict[int, int] = {}
    for at in offsets:
        kinds.setdefault(data[at] >> 4 & 7, at)
    for kind, at in kinds.items():
        size = 1
        while data[at + size - 1] & 0x80:
            size += 1
        # The kind is in the first byte, so the size begins with its low bits.
        fields.append(Field(f"size of an object of kind {kind}", at + min(1, size - 1), max(1, size - 1), "bits"))  # fmt: skip
        if kind == 6:
            fields.append(Field("distance to a base", at + size, 1, "bits"))
    return fields


def idx_fields(path: pathlib.Path) -> list[Field]:
    data = path.read_bytes()
    count = int.from_bytes(data[8 + 255 * 4 : 8 + 256 * 4], "big")
    fans = [Field(f"fan {byte}", 8 + 4 * byte, 4) for byte in (0, 127, 255)]
    start = 8 + 1024 + 24 * count
    places = few(list(range(start, start + 4 * count, 4)))
    return fans + [Field(f"offset {at}", at, 4) for at in places]


def chunks(data: bytes, head: int, count: int) -> dict[bytes, int]:
    entries = range(head, head + 12 * count, 12)
    return {data[at : at + 4]: int.from_bytes(data[at + 4 : at + 12], "big") for at in entries}


def chunk_fields(data: bytes, head: int, count: int, inner: dict[bytes, list[int]]) -> list[Field]:
    fields = [
        Field(f"position of chunk {number}", head + 12 * number + 4, 8)
        for number in range(count + 1)
    ]
    for name, start in chunks(data, head, count).items():
        fields += [Field(f"{name.decode()} {at}", start + at, 4) for at in inner.get(name, [])]
    return fields


def multi_index_fields(path: pathlib.Path) -> list[Field]:
    data = path.read_bytes()
    head = [Field("chunks", 6, 1), Field("bases", 7, 1), Field("packs", 8, 4)]
    inner = {b"OIDF": [0, 508, 1020], b"OOFF": [0, 4, 8, 12], b"RIDX": [0], b"BTMP": [0, 4]}
    return head + chunk_fields(data, 12, data[6], inner)


def graph_fields(path: pathlib.Path) -> list[Field]:
    data = path.read_bytes()
    inner = {
        b"OIDF": [0, 508, 1020],
        b"CDAT": [20, 24, 28, 32],
        b"GDA2": [0],
        b"BIDX": [0, 4],
        b"BDAT": [0, 4, 8],
        b"EDGE": [0, 4],
    }
    head = [Field("chunks", 6, 1), Field("bases", 7, 1)]
    return head + chunk_fields(data, 8, data[6], inner)


def index_fields(path: pathlib.Path) -> list[Field]:
    """The count, the lengths of names, and of each extension its size and all numbers that it may state."""
    data = path.read_bytes()
    version, count = struct.unpack(">II", data[4:12])
    fields, at = [Field("entries", 8, 4)], 12
    for number in range(count):
        flags = int.from_bytes(data[at + 60 : at + 62], "big")
        name = at + (64 if flags & 0x4000 else 62)
        if number in (0, count - 1):
            fields += [Field("size of a file", at + 36, 4), Field("length of a name", at + 60, 2)]
        if version == 4:
            if number in (1, count - 1):
                fields.append(Field("what a name has of the one before", name, 1, "bits"))
            at = data.index(b"\0", name + 1) + 1
        else:
            end = name + (flags & 0xFFF)
            at += (end - at) // 8 * 8 + 8
    while at < len(data) - 20:
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        fields.append(Field(f"size of {kind.decode()}", at + 4, 4))
        inside = data[at + 8 : at + 8 + size]
        if kind == b"TREE":
            for found in re.finditer(rb"\0(\d+) (\d+)\n", inside[:200]):
                fields += [
                    Field(f"{kind.decode()} {start}", at + 8 + start, end - start, "digits")
                    for start, end in (found.span(1), found.span(2))
                ]
        else:
            starts = [*range(0, min(size - 3, 48), 4)]
            fields += [Field(f"{kind.decode()} {start}", at + 8 + start, 4) for start in starts]
        at += 8 + size
    return fields


def table_fields(path: pathlib.Path) -> list[Field]:
    data = path.read_bytes()
    foot = len(data) - 68
    fields = [Field("size of blocks", 5, 3), Field("length of the first block", 25, 3)]
    fields += [Field("a key", 28 + at, 1, "bits") for at in range(3)]
    fields.append(Field("restarts", 24 + int.from_bytes(data[25:28], "big") - 24 - 2, 2))
    return fields + [Field(f"position {at}", foot + 24 + at, 8) for at in range(0, 40, 8)]


def loose_fields(path: pathlib.Path) -> list[Field]:
    data = zlib.decompress(path.read_bytes())
    start = data.index(b" ") + 1
    return [Field("size", start, data.index(b"\0") - start, "digits")]


def pointer_fields(path: pathlib.Path) -> list[Field]:
    digits = re.search(rb"size (\d+)", path.read_bytes()).span(1)
    return [Field("size", digits[0], digits[1] - digits[0], "digits")]


def by_sum(data: bytes) -> bytes:
    return data[:-20] + hashlib.sha1(data[:-20]).digest()


def by_table(data: bytes) -> bytes:
    """Has the head and the foot of a table agree, and the foot its sum."""
    foot = data[:24] + data[-68:][24:64]
    return data[:-68] + foot + struct.pack(">I", zlib.crc32(foot))


class Format(NamedTuple):
    """Where a format lies in which repository, its fields, and what makes a file of it whole."""

    layout: str
    part: str
    fields: Callable[[pathlib.Path], list[Field]]
    sealed: Callable[[bytes], bytes] = by_sum


FORMATS = {
    "a pack": Format("packed", ".git/objects/pack/*.pack", pack_fields),
    "the index of a pack": Format("packed", ".git/objects/pack/*.idx", idx_fields),
    "an index of several packs": Format("several", ".git/objects/pack/multi-pack-index", multi_index_fields),
    "a commit-graph": Format("packed", ".git/objects/info/commit-graph", graph_fields),
    "a chain of commit-graphs": Format("several", ".git/objects/info/commit-graphs/*.graph", graph_fields),
    "an index of version 2": Format("packed", ".git/index", index_fields),
    "an index of version 3": Format("several", ".git/index", index_fields),
    "an index of version 4": Format("compressed", ".git/index", index_fields),
    "a split index": Format("split", ".git/index", index_fields),
    "a shared index": Format("split", ".git/sharedindex.*", index_fields),
    "a table of references": Format("tables", ".git/reftable/*.ref", table_fields, by_table),
    "a loose object": Format("compressed", ".git/objects/??/*", loose_fields, zlib.compress),
    "a pointer of Git LFS": Format("packed", "pointer", pointer_fields, bytes),
}  # fmt: skip


# -- the repositories ------------------------------------------------------------------------------


def made(repo: pathlib.Path, layout: str) -> pathlib.Path:
    """Makes a repository whose files are of all formats."""
    repo.mkdir(parents=True)
    references = "reftable" if layout == "tables" else "files"
    git(repo, "init", "-q", "-b", "main", f"--ref-format={references}")
    for name in ("name", "email"):
        git(repo, "config", f"user.{name}", "a@example.com")
    version = {"compressed": "4", "several": "3"}.get(layout, "2")
    for name, value in {
        "index.version": version,
        "index.threads": "2",
        "core.splitIndex": str(layout == "split").lower(),
        "core.untrackedCache": "true",
        "core.commitGraph": "true",
    }.items():
        git(repo, "config", name, value)
    for number in range(8):
        for name in range(4):
            folder = repo / f"dir{name}"
            folder.mkdir(exist_ok=True)
            text = "".join(f"{line} {number if line % 7 == name else 0}\n" for line in range(200))
            (folder / f"file{number % 4}").write_text(text)
        (repo / "large.bin").write_bytes(bytes(range(256)) * 50 + bytes([number]))
        git(repo, "add", ".")
        git(repo, "commit", "-q", "-m", f"change {number}")
        if number == 3:
            git(repo, "branch", "side")
            if layout == "several":
                git(repo, "repack", "-qd")
                git(repo, "commit-graph", "write", "--reachable", "--split=no-merge")
    git(repo, "checkout", "-q", "side")
    (repo / "side").write_text("side\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "side")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "side", "-m", "merge")
    if layout == "packed":
        git(repo, "gc", "-q")
        git(repo, "commit-graph", "write", "--reachable", "--changed-paths")
    if layout == "several":
        git(repo, "repack", "-qd")
        git(repo, "multi-pack-index", "write")
        git(repo, "commit-graph", "write", "--reachable", "--split=no-merge", "--changed-paths")
    content = bytes(range(256)) * 4000
    oid = hashlib.sha256(content).hexdigest()
    stored = repo / ".git/lfs/objects" / oid[:2] / oid[2:4] / oid
    stored.parent.mkdir(parents=True)
    stored.write_bytes(content)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
    (repo / "pointer").write_text(pointer)
    (repo / "new").write_text("new\n")
    git(repo, "add", "-N", "new")
    git(repo, "status")
    return repo


@pytest.fixture(scope="module")
def repositories(tmp_path_factory):
    root = tmp_path_factory.mktemp("stated")
    return functools.cache(lambda layout: made(root / layout, layout))


def peak_bytes(host: apart.Host) -> int:
    status = pathlib.Path(f"/proc/{host.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) << 10


def stored_bytes(repo: pathlib.Path) -> int:
    return sum(path.lstat().st_size for path in repo.rglob("*") if path.is_file())


def read_by_questions(host: apart.Host, repo: pathlib.Path, is_whole: bool) -> list[int]:
    """Returns the bytes that each question reads; an error has a code, and the whole repository none."""
    found = []
    for (sql,) in QUESTIONS:
        before = host.read_bytes()
        got = host.ask(sql, repo, seconds=SECONDS)
        found.append(host.read_bytes() - before)
        if got.error is not None:
            assert not is_whole, got.error
            code_and_words(got.error)
    return found


def wrong_answers(extension, whole: pathlib.Path, place: pathlib.Path, name: str, is_sample: bool) -> list[str]:  # fmt: skip
    """Plants large numbers in the fields of a format, of a sample in one; returns what took too much, or ended the process."""
    form, wrong = FORMATS[name], []
    repo = place / "repo"
    shutil.copytree(whole, repo, symlinks=True)
    # Beside the wide index of a layout there is no older one.
    path = max(repo.glob(form.part), key=lambda path: path.stat().st_size)
    fields = form.fields(path)
    assert fields
    kept = path.read_bytes()
    data = zlib.decompress(kept) if form.sealed is zlib.compress else kept
    path.chmod(0o644)
    assert form.sealed(data) == kept or form.sealed is zlib.compress, "the sum is another one"
    host = apart.Host(extension)
    allowed = READ_TIMES * stored_bytes(repo) + READ_BYTES
    usual = read_by_questions(host, repo, True)
    held = peak_bytes(host)
    for field in fields[: 1 if is_sample else None]:
        for planted in field.planted(data):
            path.write_bytes(form.sealed(planted))
            try:
                read = read_by_questions(host, repo, False)
                for (sql,), now, before in zip(QUESTIONS, read, usual, strict=True):
                    assert now <= before + allowed, f"{now} bytes read, {before} of a whole one: {sql}"  # fmt: skip
                assert peak_bytes(host) <= held + HELD_BYTES, f"{peak_bytes(host)} bytes held"
            except (AssertionError, apart.Ended) as error:
                wrong.append(f"{field}: {str(error)[:600]}")
                host.close()
                host = apart.Host(extension)
    path.write_bytes(kept)
    read_by_questions(host, repo, True)
    host.close()
    return wrong


def test_one_large_size_is_not_believed(extension, repositories, tmp_path):
    name = "an index of version 2"
    assert not wrong_answers(extension, repositories("packed"), tmp_path, name, True)


# Promise (survival): Whatever size, count or position a file of a repository states, an answer is rows or an error, for which little
# more is read and held than of the repository as git wrote it: packs, their indexes, indexes of several packs, commit-graphs and
# chains of them, indexes of versions 2 to 4 with their extensions, split and shared ones, tables of references, loose objects and
# pointers of Git LFS, each field of each with the largest numbers, under a right checksum. With `test_one_large_size_is_not_believed`.
@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_no_stated_size_is_believed(extension, repositories, tmp_path, name):
    layout = FORMATS[name].layout
    wrong = wrong_answers(extension, repositories(layout), tmp_path, name, False)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)
