"""patch_id and the column of commits, compared with `git patch-id --stable`."""

import subprocess

import pytest
import repositories
from rebases import clone_of_ripgrep

HOSTILE = [
    "",
    "\n",
    "words\n",
    "diff --git a/f b/f\n",
    "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n",
    "diff --git a/f b/f\nold mode 100644\nnew mode 100755\ndiff --git a/g b/g\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
    "diff --git a/f b/f\nsimilarity index 100%\nrename from f\nrename to g\n",
    "diff --git a/f b/f\nindex 123..456 100644\nBinary files a/f and b/f differ\ndiff --git a/g b/g\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
    "diff --git a/f b/f\nindex 123..456\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\ndiff --git a/g b/g\n",
    "diff --git a/f b/f\nindex ..\nBinary files a/f and b/f differ\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\n-b\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nrest\n+c\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1,3 @@\n-a\n-a\n+b\nx\n+c\n+d\n+e\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,x +1 @@\n-a\n+b\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,4 1 @@\n-a\n+b\n c\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@@ -1 -1 +1 @@@\n- a\n++b\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ short\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a \t\r\n+b\x0b\x0c\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\0x\n+b\0y\n",
    "From 0123456789012345678901234567890123456789 Mon Sep 17\nSubject: x\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n2.47\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n0123456789012345678901234567890123456789\ndiff --git a/g b/g\n",
]


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory):
    return clone_of_ripgrep(tmp_path_factory)


def first_id(text: bytes) -> str | None:
    """Returns the first id that git prints for a text."""
    done = subprocess.run(
        ["git", "patch-id", "--stable"], input=text, capture_output=True, check=True, cwd="/"
    )
    return done.stdout.split()[0].decode() if done.stdout else None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_has_the_id_that_git_prints_first(con, text):
    sent = text.replace("\0", "")
    assert con.execute("SELECT patch_id(?)", [text]).fetchone()[0] == first_id(text.encode()), sent


def test_the_patches_of_commits_have_the_ids_of_git(con, cases):
    assert_ids(con, cases, "HEAD")


@pytest.mark.slow
def test_all_commits_of_ripgrep_have_the_ids_of_git(con, ripgrep):
    assert assert_ids(con, ripgrep, "HEAD") > 1_000


def test_the_last_commits_of_ripgrep_have_the_ids_of_git(con, ripgrep):
    assert assert_ids(con, ripgrep, "HEAD~150..HEAD") > 100


def assert_ids(con, repo, range_: str) -> int:
    ours = con.execute(
        "SELECT commit_id, patch_id FROM commits(?, ?) WHERE patch_id IS NOT NULL",
        [range_, str(repo)],
    ).fetchall()
    commits = repositories.git(repo, "rev-list", "--no-merges", range_)
    log = repositories.git(
        repo, "diff-tree", "--stdin", "-p", "--full-index", "--no-renames", "--root", stdin=commits
    )
    printed = repositories.git(repo, "patch-id", "--stable", stdin=log).decode().split()
    theirs = dict(zip(printed[1::2], printed[::2]))
    assert dict(ours) == theirs
    return len(theirs)
