"""Trailers and signatures of commits, logs of references, the references that hold a commit, and the merge bases of several:
each equals what git prints, over random messages and random histories."""

import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess

import pytest
import repositories
from repositories import git, git_text

SEED = 20_261_128
PEOPLE = {"user.name": "T", "user.email": "t@example.com"}


def new(path: pathlib.Path) -> pathlib.Path:
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main")
    for key, value in PEOPLE.items():
        git(path, "config", key, value)
    return path


def imported(repo: pathlib.Path, commits: list[tuple[bytes, list[int], int]]) -> list[str]:
    """Makes commits of a message, parents (by their index) and a time; returns their ids."""
    stream = []
    for mark, (message, parents, time) in enumerate(commits, 1):
        stream.append(b"commit refs/heads/c%d\nmark :%d\n" % (mark - 1, mark))
        stream.append(b"committer C <c@example.com> %d +0000\n" % time)
        stream.append(b"data %d\n%s\n" % (len(message), message))
        stream += [
            b"%s :%d\n" % (b"merge" if index else b"from", parent + 1)
            for index, parent in enumerate(parents)
        ]
        stream.append(b"\n")
    git(repo, "fast-import", "--quiet", "--force", stdin=b"".join(stream))
    names = [f"refs/heads/c{number}" for number in range(len(commits))]
    return git_text(repo, "rev-parse", *names).split()


# -- trailers ---------------------------------------------------------------------------------

LINES = [
    "words of a body",
    "two words: and a colon",
    "Key: value",
    "Signed-off-by: A <a@example.com>",
    "Signed-off-by:  two  blanks ",
    "(cherry picked from commit 1234567)",
    "Co-authored-by : B <b@example.com>",
    "Key\t: tab",
    "Empty:",
    "-dash: 1",
    "key-with-dash-9: v:w",
    ": nothing before",
    " continued line",
    "\tcontinued: with a tab",
    "  ",
    "",
    "",
    "# a comment",
    "#: odd",
    "---",
    "--- a/patch",
    "----",
    "Conflicts:",
    "\ta/path",
    "# ------------------------ >8 ------------------------",
    "K\u00e9y: not ASCII",
    "Carriage: return\r",
    "http://example.com: no key",
]


def random_message(dice: random.Random) -> bytes:
    lines = ["A subject"] if dice.random() < 0.9 else []
    lines += [""] * dice.randrange(3)
    lines += dice.choices(LINES, k=dice.randrange(9))
    return "\n".join(lines).encode() + b"\n" * dice.randrange(3)


def trailers_of_git(repo: pathlib.Path, message: bytes) -> list[tuple[str, str]]:
    printed = git(repo, "interpret-trailers", "--parse", "--no-divider", stdin=message).decode()
    return [tuple(line.split(": ", 1)) for line in printed.split("\n") if line]


def messages(count: int) -> list[bytes]:
    dice = random.Random(SEED)
    return [random_message(dice) for _ in range(count)]


@pytest.mark.parametrize("count", [150, pytest.param(4000, marks=pytest.mark.slow)])
def test_trailers_are_those_of_interpret_trailers(con, tmp_path, count):
    repo = new(tmp_path / "repo")
    all_messages = messages(count)
    ids = imported(
        repo, [(message, [], 1_700_000_000 + n) for n, message in enumerate(all_messages)]
    )
    found = dict(
        con.execute("SELECT commit_id, trailers FROM commits('ALL', ?)", [str(repo)]).fetchall()
    )
    some = 0
    for id, message in zip(ids, all_messages, strict=True):
        wanted = trailers_of_git(repo, message)
        got = [(one["key"], one["value"]) for one in found[id]]
        assert got == wanted, message
        some += bool(wanted)
    assert some > count / 10


def test_a_message_without_trailers_has_an_empty_list(con, tmp_path):
    repo = new(tmp_path / "repo")
    imported(repo, [(b"Subject: not a trailer\n", [], 1_700_000_000)])
    rows = con.execute("SELECT trailers, signature FROM commits('c0', ?)", [str(repo)]).fetchall()
    assert rows == [([], None)]


# -- signatures -------------------------------------------------------------------------------


def payload(raw: bytes) -> bytes:
    """The signed bytes: the commit without the headers gpgsig*."""
    head, _, message = raw.partition(b"\n\n")
    kept, is_signature = [], False
    for line in head.split(b"\n"):
        is_signature = line.startswith(b"gpgsig") or (is_signature and line.startswith(b" "))
        if not is_signature:
            kept.append(line)
    return b"\n".join(kept) + b"\n\n" + message


def signature(con, repo: pathlib.Path) -> dict | None:
    [(found,)] = con.execute(
        "SELECT signature FROM commits('HEAD', ?) LIMIT 1", [str(repo)]
    ).fetchall()
    return found


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="there is no ssh-keygen")
def test_the_signature_of_an_ssh_key_names_the_key_and_what_it_signed(con, tmp_path):
    repo, key = new(tmp_path / "repo"), tmp_path / "key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, timeout=60
    )
    git(repo, "config", "gpg.format", "ssh")
    git(repo, "config", "user.signingkey", str(key))
    git(repo, "commit", "--quiet", "--allow-empty", "-S", "-m", "signed\n\nKey: value")
    printed = subprocess.run(
        ["ssh-keygen", "-l", "-f", f"{key}.pub"], check=True, capture_output=True, timeout=60
    )
    found = signature(con, repo)
    assert found["kind"] == "ssh"
    assert found["key"] == printed.stdout.decode().split()[1]
    raw = git(repo, "cat-file", "commit", "HEAD")
    assert found["payload_sha256"] == hashlib.sha256(payload(raw)).hexdigest()
    name = "gpgsig-sha256" if repositories.HASH == "sha256" else "gpgsig"
    lines = found["text"].removesuffix("\n").replace("\n", "\n ")
    assert f"\n{name} {lines}\n\nsigned".encode() in raw


@pytest.mark.skipif(not shutil.which("gpg"), reason="there is no gpg")
def test_the_signature_of_an_openpgp_key_names_its_fingerprint(con, tmp_path):
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    # A short path: gpg's agent listens on a socket below it.
    env = os.environ | {"GNUPGHOME": str(home)}

    def gpg(*arguments: str) -> str:
        done = subprocess.run(
            ["gpg", "--batch", "--quiet", *arguments],
            env=env,
            check=False,
            capture_output=True,
            timeout=120,
        )
        if done.returncode:
            pytest.skip(f"gpg makes no key here: {done.stderr.decode()[:200]}")
        return done.stdout.decode()

    gpg("--passphrase", "", "--quick-generate-key", "T <t@example.com>", "ed25519", "sign")
    lines = gpg("--list-keys", "--with-colons").splitlines()
    fingerprint = next(line.split(":")[9] for line in lines if line.startswith("fpr"))
    repo = new(tmp_path / "repo")
    git(repo, "config", "user.signingkey", fingerprint)
    git(repo, "commit", "--quiet", "--allow-empty", "-S", "-m", "signed", env=env)
    found = signature(con, repo)
    subprocess.run(["gpgconf", "--kill", "all"], env=env, check=False, timeout=60)
    assert (found["kind"], found["key"]) == ("openpgp", fingerprint)
    raw = git(repo, "cat-file", "commit", "HEAD")
    assert found["payload_sha256"] == hashlib.sha256(payload(raw)).hexdigest()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-----BEGIN SSH SIGNATURE-----\n!!!\n-----END SSH SIGNATURE-----", "ssh"),
        ("-----BEGIN PGP SIGNATURE-----\n\nwsB=\n=abcd\n-----END PGP SIGNATURE-----", "openpgp"),
        ("-----BEGIN PGP SIGNATURE-----\n\n" + "/////w==\n", "openpgp"),
        ("-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----", "x509"),
        ("words", None),
        ("", None),
    ],
)
def test_a_signature_that_cannot_be_parsed_names_no_key(con, tmp_path, text, kind):
    repo = new(tmp_path / "repo")
    header = "gpgsig-sha256" if repositories.HASH == "sha256" else "gpgsig"
    tree = git(repo, "mktree", stdin=b"").decode().strip()
    folded = text.replace("\n", "\n ")
    who = "T <t@example.com> 1700000000 +0000"
    raw = f"tree {tree}\nauthor {who}\ncommitter {who}\n{header} {folded}\n\nmessage\n".encode()
    id = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw).decode().strip()
    git(repo, "update-ref", "HEAD", id)
    found = signature(con, repo)
    assert (found["kind"], found["key"], found["text"]) == (kind, None, text + "\n")
    assert found["payload_sha256"] == hashlib.sha256(payload(raw)).hexdigest()


# -- logs of references -----------------------------------------------------------------------

LOG = "SELECT position, old_oid, new_oid, name, email, epoch(recorded_at)::BIGINT, message FROM reflog(?, ?)"


def logged(repo: pathlib.Path, reference: str, *options: str) -> list[list[str]]:
    """The entries as `git log -g` shows them: the name of each, and its fields."""
    fields = "--format=%gd%x00%H%x00%gn%x00%ge%x00%gs"
    printed = git_text(repo, "log", "-g", fields, *options, reference)
    return [line.split("\0") for line in printed.splitlines()]


def test_a_log_has_the_entries_of_git_reflog(con, tmp_path):
    repo = new(tmp_path / "repo")
    for number in range(4):
        git(repo, "commit", "--quiet", "--allow-empty", "-m", f"c{number}")
    git(repo, "checkout", "--quiet", "-b", "topic", "main~2")
    git(repo, "commit", "--quiet", "--allow-empty", "--amend", "-m", "other")
    git(repo, "-c", "user.name=\u00dc N", "merge", "--quiet", "--no-edit", "main")
    git(repo, "checkout", "--quiet", "main")
    git(repo, "reset", "--quiet", "--hard", "HEAD~1")
    git(repo, "branch", "-f", "topic", "main")
    for reference in ("HEAD", "main", "topic", "refs/heads/topic", "@"):
        found = con.execute(LOG, [reference, str(repo)]).fetchall()
        assert found
        short = reference.removeprefix("refs/heads/").replace("@", "HEAD")
        assert [
            [f"{short}@{{{position}}}", new_oid, name, email, message]
            for position, _, new_oid, name, email, _, message in found
        ] == [
            [place.removeprefix("refs/heads/"), *rest] for place, *rest in logged(repo, reference)
        ]
        times = [place for place, *_ in logged(repo, reference, "--date=unix")]
        assert [f"{{{row[5]}}}" for row in found] == [time[time.index("{") :] for time in times]
        # Each entry begins where the one before it ended.
        assert [row[1] for row in found[:-1]] == [row[2] for row in found[1:]]
    created = con.execute(LOG, ["main", str(repo)]).fetchall()[-1]
    assert created[1] is None


def test_the_log_of_the_stash_lists_the_stashes(con, tmp_path):
    repo = new(tmp_path / "repo")
    (repo / "f").write_text("1\n")
    git(repo, "add", "f")
    git(repo, "commit", "--quiet", "-m", "c")
    for name in ("refs/stash", "stash"):
        assert con.execute(LOG, [name, str(repo)]).fetchall() == []
    for number in range(3):
        (repo / "f").write_text(f"changed {number}\n")
        git(repo, "stash", "push", "--quiet", "-m", f"work {number}")
    wanted = git_text(repo, "stash", "list", "--format=%H%x00%gs").splitlines()
    for name in ("refs/stash", "stash"):
        found = con.execute(LOG, [name, str(repo)]).fetchall()
        assert [f"{row[2]}\0{row[6]}" for row in found] == wanted


def test_a_reference_without_a_log_has_no_rows_and_one_that_is_not_there_is_an_error(con, tmp_path):
    repo = new(tmp_path / "repo")
    git(repo, "-c", "core.logAllRefUpdates=false", "commit", "--quiet", "--allow-empty", "-m", "c")
    assert con.execute(LOG, ["main", str(repo)]).fetchall() == []
    with pytest.raises(Exception, match="not_found: no revision 'nosuch'"):
        con.execute(LOG, ["nosuch", str(repo)])


# -- what holds a commit, and merge bases -----------------------------------------------------


def random_history(repo: pathlib.Path, dice: random.Random, count: int) -> list[str]:
    """Commits with up to three parents whose clocks are wrong now and then; each has a branch."""
    commits = []
    for number in range(count):
        parents = dice.sample(
            range(max(0, number - 12), number), k=min(number, dice.choice([1, 1, 1, 2, 2, 3]))
        )
        if number and dice.random() < 0.04:
            parents = []
        skew = dice.choice([0, 0, 0, 0, -5000, 5000])
        commits.append((b"c%d\n" % number, parents, 1_700_000_000 + 60 * number + skew))
    return imported(repo, commits)


@pytest.mark.parametrize("has_graph", [False, True])
@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_references_that_hold_a_commit_are_those_of_contains(con, tmp_path, seed, has_graph):
    dice = random.Random(SEED + seed)
    repo = new(tmp_path / "repo")
    ids = random_history(repo, dice, 60 if seed < 3 else 400)
    git(repo, "tag", "-a", "-m", "t", "annotated", ids[10])
    git(repo, "tag", "-a", "-m", "t", "nested", "annotated")
    git(repo, "tag", "a-tree", f"{ids[5]}^{{tree}}")
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/c7")
    if has_graph:
        git(repo, "commit-graph", "write", "--reachable")
    for id in dice.sample(ids, k=15):
        found = con.execute("SELECT name FROM refs_containing(?, ?)", [id, str(repo)]).fetchall()
        wanted = git_text(repo, "for-each-ref", "--format=%(refname)", f"--contains={id}").split()
        assert [name for (name,) in found] == wanted, id


@pytest.mark.parametrize("has_graph", [False, True])
@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_merge_bases_of_several_commits_are_those_of_git(con, tmp_path, seed, has_graph):
    dice = random.Random(SEED * 2 + seed)
    repo = new(tmp_path / "repo")
    ids = random_history(repo, dice, 60)
    if has_graph:
        git(repo, "commit-graph", "write", "--reachable")
    several = 0
    for _ in range(40 if seed < 3 else 1000):
        chosen = dice.choices(ids, k=dice.choice([1, 2, 2, 3, 4, 5]))
        for octopus in (False, True):
            [(found,)] = con.execute(
                "SELECT merge_bases(?, ?, ?)", [chosen, str(repo), octopus]
            ).fetchall()
            # git wants two commits at least.
            asked = chosen if len(chosen) > 1 else chosen * 2
            options = ["--octopus"] if octopus else []
            printed = subprocess.run(
                ["git", "merge-base", "--all", *options, *asked],
                cwd=repo,
                env=repositories.environment(),
                capture_output=True,
                check=False,
                timeout=60,
            )
            assert found == printed.stdout.decode().split(), (octopus, chosen)
            several += len(found) > 1
    assert several
    plain = con.execute("SELECT merge_bases(?, ?)", [ids[-3:], str(repo)]).fetchone()
    explicit = con.execute("SELECT merge_bases(?, ?, false)", [ids[-3:], str(repo)]).fetchone()
    assert plain == explicit


def test_wrong_lists_of_commits_are_refused(con, tmp_path):
    repo = new(tmp_path / "repo")
    imported(repo, [(b"c\n", [], 1_700_000_000)])
    for revs, words in [
        ("[]", "invalid_args: revs has 0 revisions"),
        ("['c0', NULL]", "invalid_args: the argument 'revs' of merge_bases is NULL"),
        ("['c0', 'nosuch']", "not_found: no revision 'nosuch'"),
    ]:
        with pytest.raises(Exception, match=words):
            con.execute(f"SELECT merge_bases({revs}, ?)", [str(repo)])
    assert con.execute("SELECT merge_bases(NULL::VARCHAR[], ?)", [str(repo)]).fetchone() == (None,)


def test_the_tool_names_the_references_and_the_first_release_that_hold_a_commit(con, tmp_path):
    repo = new(tmp_path / "repo")
    ids = imported(
        repo, [(b"c%d\n" % n, [n - 1] if n else [], 1_700_000_000 + n) for n in range(5)]
    )
    git(repo, "tag", "v0.1", ids[0])
    git(repo, "tag", "-a", "-m", "t", "v1.1", ids[2])
    git(repo, "tag", "v1.10", ids[3])
    asked = json.dumps({"repo": str(repo), "contains": "c1", "glob": "tags"})
    [(text,)] = con.execute("SELECT redline_call_text('GitRefs', ?)", [asked]).fetchall()
    head, *lines = text.splitlines()
    assert head.endswith("2 references with c1; the first tag by its commit's date is v1.1")
    assert [line.split()[0] for line in lines] == ["v1.1", "v1.10"]
