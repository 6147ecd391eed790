"""A connection keeps repositories open; whatever happens to one on disk, the next query sees it as git does."""

# Promise (answers): A repository that was changed, packed, pruned, reconfigured or replaced is
# read as it is now.

import os
import pathlib
import shutil

import apart
import pytest
from repositories import commit_nothing, git

pytestmark = pytest.mark.own_database


class World:
    """A repository that changes, and a connection that has read it before."""

    def __init__(self, con, path: pathlib.Path):
        self.con, self.path = con, path
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("one")
        self.commit("two")
        self.check()

    def git(self, *arguments: str) -> str:
        return git(self.path, "-c", "user.name=n", "-c", "user.email=e", *arguments).decode()

    def commit(self, text: str) -> None:
        (self.path / "f.txt").write_text(f"{text}\n" * 40)
        (self.path / f"{text}.txt").write_text(f"{text}\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", text)

    def check(self, old: str = "HEAD~1", new: str = "HEAD") -> None:
        patches = self.con.execute(
            "SELECT patch FROM file_patches(?, ?, ?)", [old, new, str(self.path)]
        ).fetchall()
        assert "".join(patch for (patch,) in patches) == self.git(
            "diff", "--no-renames", "--no-color", old, new
        )


@pytest.fixture
def world(con, tmp_path):
    return World(con, tmp_path / "repository")


def test_a_new_commit_or_branch_is_seen(world):
    for number in range(3):
        world.commit(f"more{number}")
        world.check()
        world.git("branch", "--force", "side", "HEAD~1")
        world.check("side", "main")


def test_objects_are_found_after_packing_and_pruning(world):
    for repack in (
        ["gc", "--quiet", "--prune=now"],
        ["repack", "-a", "-d", "-q", "-f"],
        ["repack", "-d", "-q"],
        ["pack-refs", "--all"],
    ):
        world.commit(f"before-{'-'.join(repack)}".replace("=", ""))
        world.check()
        world.git(*repack)
        world.check()
        world.check("HEAD~2", "HEAD")
    # Packs of other names that hold the same, and no pack at all.
    packs = list((world.path / ".git/objects/pack").glob("*.pack"))
    for pack in packs:
        moved = world.path / pack.name
        pack.rename(moved)
        for rest in pack.parent.glob(f"{pack.stem}.*"):
            rest.unlink()
        with open(moved, "rb") as stream:
            git(world.path, "unpack-objects", "-q", stdin=stream.read())
        moved.unlink()
    world.check()


def test_references_that_were_packed_again_are_read_anew(world):
    world.git("tag", "moving", "HEAD~1")
    world.git("pack-refs", "--all")
    world.check("moving", "HEAD")
    for target in ("HEAD", "HEAD~1", "HEAD"):
        world.git("tag", "--force", "moving", target)
        world.git("pack-refs", "--all")
        world.check("moving", "HEAD~1")


def test_a_changed_configuration_holds(world):
    (world.path / "ä.txt").write_text("x\n")
    world.commit("umlaut")
    for name, value in (
        ("core.quotePath", "false"),
        ("core.quotePath", "true"),
        ("core.bigFileThreshold", "10"),
        ("core.bigFileThreshold", "1000"),
    ):
        world.git("config", name, value)
        world.check()


def test_another_repository_in_its_place_is_read_anew(world, con, tmp_path):
    other = World(con, tmp_path / "other")
    other.commit("elsewhere")
    other.git("gc", "--quiet")
    shutil.rmtree(world.path)
    other.path.rename(world.path)
    world.check()
    shutil.rmtree(world.path)
    fresh = World(con, world.path)
    fresh.commit("fresh")
    fresh.check()


def test_borrowed_objects_are_found_only_while_they_are_lent(world, con, tmp_path):
    lender = World(con, tmp_path / "lender")
    lender.commit("lent")
    lender.git("gc", "--quiet")
    tip = lender.git("rev-parse", "HEAD").strip()
    query = "SELECT count(*) FROM file_changes('EMPTY', ?, ?)"
    with pytest.raises(Exception, match="not_found|tool_failed"):
        con.execute(query, [tip, str(world.path)])
    alternates = world.path / ".git/objects/info/alternates"
    alternates.write_text(f"{lender.path}/.git/objects\n")
    assert con.execute(query, [tip, str(world.path)]).fetchone() == (4,)
    lender.commit("later")
    lender.git("gc", "--quiet", "--prune=now")
    tip = lender.git("rev-parse", "HEAD").strip()
    assert con.execute(query, [tip, str(world.path)]).fetchone() == (5,)
    alternates.unlink()
    with pytest.raises(Exception, match="not_found|tool_failed"):
        con.execute(query, [tip, str(world.path)])
    world.check()


def test_refuses_a_repository_that_may_not_be_read_any_more(world, con):
    con.execute("SET enable_external_access = false")
    with pytest.raises(Exception, match="fs_denied"):
        con.execute("SELECT * FROM file_changes('HEAD~1', 'HEAD', ?)", [str(world.path)])


def test_more_repositories_than_stay_open_are_kept_apart(con, tmp_path):
    worlds = [World(con, tmp_path / str(number)) for number in range(12)]
    for world in worlds:
        world.git("gc", "--quiet")
    for size in ("0", "1000", "268435456"):
        con.execute(f"SET redline_cache_bytes = {size}")
        for number, world in enumerate(worlds + worlds[::-1]):
            world.commit(f"c{size}-{number}")
            world.check()


def counts(con, path, more: str = "") -> list[tuple]:
    query = f"SELECT file_path, additions, deletions FROM file_changes('HEAD~1', 'HEAD', ?{more}) ORDER BY file_path"
    return con.execute(query, [str(path)]).fetchall()


def numstat(world, *options: str) -> list[tuple]:
    lines = world.git("diff", "--numstat", "--no-renames", *options, "HEAD~1", "HEAD").splitlines()
    number = lambda text: None if text == "-" else int(text)
    return sorted(
        (path, number(added), number(deleted))
        for added, deleted, path in (line.split("\t") for line in lines)
    )


def test_line_counts_follow_options_attributes_and_configuration_however_often_they_are_asked_for(
    world, con
):
    (world.path / "blank.txt").write_text("a\n b\nc\n")
    (world.path / "same.bin").write_bytes(b"x\0y\n")
    world.commit("before")
    (world.path / "blank.txt").write_text("a\nb\nc\n\nd\n")
    (world.path / "same.bin").write_bytes(b"x\0z\n")
    (world.path / "link").symlink_to("f.txt")
    world.commit("after")
    world.git("gc", "--quiet")
    for attributes in ("", "*.txt binary\n", "*.bin diff\n", "f.txt -diff\n*.bin text diff\n", ""):
        (world.path / ".git/info/attributes").write_text(attributes)
        for threshold in ("10", "1000"):
            world.git("config", "core.bigFileThreshold", threshold)
            for _ in range(2):
                assert counts(con, world.path) == numstat(world)
                assert counts(con, world.path, ", ignore_whitespace := 'all'") == numstat(
                    world, "--ignore-all-space"
                )
                assert counts(con, world.path, ", algorithm := 'patience'") == numstat(
                    world, "--patience"
                )


def test_line_counts_are_an_error_once_their_pack_or_object_is_gone(world, con):
    assert counts(con, world.path) == counts(con, world.path)
    blob = world.git("rev-parse", "HEAD:two.txt").strip()
    loose = world.path / ".git/objects" / blob[:2] / blob[2:]
    kept = loose.read_bytes()
    loose.unlink()
    with pytest.raises(Exception, match="tool_failed: object .* is missing"):
        counts(con, world.path)
    loose.write_bytes(kept)
    # Contents in one pack, commits and trees in another.
    names = "\n".join(
        line.split()[2]
        for line in world.git("ls-tree", "-r", "HEAD~1").splitlines()
        + world.git("ls-tree", "-r", "HEAD").splitlines()
    )
    blobs = (
        git(world.path, "pack-objects", "-q", ".git/objects/pack/pack", stdin=names.encode())
        .decode()
        .strip()
    )
    world.git("prune-packed", "-q")
    assert counts(con, world.path) == counts(con, world.path) == numstat(world)
    for file in (world.path / ".git/objects/pack").glob(f"pack-{blobs}.*"):
        file.unlink()
    with pytest.raises(Exception, match="tool_failed: object .* is missing"):
        counts(con, world.path)


def test_many_packs_leave_the_process_its_handles(extension, tmp_path):
    path = tmp_path / "repository"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    for number in range(80):
        stream = f"commit refs/heads/main\ncommitter n <e> {1700000000 + number} +0000\ndata 1\n{number % 10}\nM 644 inline f\ndata 4\n{number:03}\n"
        start = "from refs/heads/main^0\n" if number else ""
        git(
            path,
            "-c",
            "fastimport.unpackLimit=0",
            "fast-import",
            "--quiet",
            stdin=stream.replace("M 644", f"{start}M 644").encode(),
        )
    assert len(list((path / ".git/objects/pack").glob("*.pack"))) == 80
    count = ("SELECT count(*), sum(additions) FROM commit_changes('main', ?)", [str(path)])
    handles = ("SELECT count(*) FROM glob('/proc/self/fd/*')", [])
    with apart.Host(extension, files=120) as host:
        before = host.ask(*handles[:1]).rows
        for _ in range(3):
            answer = host.ask(count[0], str(path))
            assert (answer.rows, answer.error) == ([(80, 80)], None)
        # A quarter of the 120, and the directories that are kept.
        if before and before[0][0]:
            assert host.ask(*handles[:1]).rows[0][0] - before[0][0] < 60


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_packed_references_are_read_once_for_all_rows(extension, tmp_path):
    path = tmp_path / "repository"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    commit_nothing(path, "one")
    head = git(path, "rev-parse", "HEAD").decode().strip()
    git(
        path,
        "update-ref",
        "--stdin",
        stdin="".join(f"create refs/heads/b{number} {head}\n" for number in range(300)).encode(),
    )
    git(path, "pack-refs", "--all")
    packed = path / ".git/packed-refs"
    os.utime(packed, (1700000000, 1700000000))
    log = tmp_path / "calls"
    query = "SELECT count(*) FROM (SELECT ahead_behind(name, 'main', $repo) AS distance FROM refs($repo)) WHERE distance IS NOT NULL"
    (answer,) = apart.run(
        extension,
        [(query.replace("$repo", f"'{path}'"), [])],
        under=[*apart.STRACE, "-o", str(log), "-P", str(packed), "-e", "trace=pread64"],
    )
    # HEAD and the branches; each reading is one call for the bytes and one for the end.
    assert (answer.rows, answer.error) == ([(302,)], None)
    assert log.read_text().count("pread64(") <= 12
