"""What DuckDB's community registry takes: the description, the targets that its CI calls, and where it looks for the file."""

import importlib.util
import os
import re
import subprocess

import pytest
from repositories import ROOT

DESCRIPTION = (ROOT / "docs/registry/description.yml").read_text()
spec = importlib.util.spec_from_file_location("registry", ROOT / "scripts" / "registry.py")
registry = importlib.util.module_from_spec(spec)
spec.loader.exec_module(registry)


def field(name: str) -> str:
    return re.search(rf"^ +{name}: \"?(.*?)\"?$", DESCRIPTION, re.MULTILINE)[1]


def block(name: str) -> str:
    return (
        re.search(rf"^  {name}: \|\n((?:    .*\n|\n)+)", DESCRIPTION, re.MULTILINE)[1]
        .replace("    ", "", 1)
        .replace("\n    ", "\n")
    )


def test_the_queries_of_the_description_run(con, tmp_path, monkeypatch):
    git = lambda *words: subprocess.run(
        ["git", "-C", tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.com", *words],
        check=True,
        capture_output=True,
    )
    git("init", "-q")
    for number in range(2):
        git("commit", "-q", "--allow-empty", "-m", f"Change {number}")
    monkeypatch.chdir(tmp_path)
    statements = [line for line in block("hello_world").split(";\n") if line.strip()]
    assert len(statements) == 2
    for statement in statements:
        con.execute(statement)
    queries = re.findall(r"`((?:FROM|SELECT) [^`]*)`", block("extended_description"))
    assert len(queries) == 2 and all(con.execute(query).fetchall() for query in queries)


def test_only_platforms_that_are_built_for_are_left(connect):
    assert set(field("excluded_platforms").split(";")) == {
        "windows_amd64", "windows_amd64_mingw", "windows_arm64", "wasm_mvp", "wasm_eh", "wasm_threads",
    }  # fmt: skip
    assert (field("language"), field("build"), field("requires_toolchains")) == (
        "Rust",
        "cargo",
        "rust;python3",
    )


def test_what_is_submitted_names_the_commit_and_the_version_of_cargo_toml():
    text = registry.filled(DESCRIPTION, "owner/redline", "0123abc")
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    assert (
        f"\n  version: {version}\n" in text
        and "\n  github: owner/redline\n  ref: 0123abc\n" in text
    )
    assert not re.search(r"\b(VERSION|REPOSITORY|REF)\b", text)


def test_what_is_submitted_has_the_notices_of_linked_crates(monkeypatch, tmp_path):
    """As the wheel has: `test_the_notices_name_each_linked_crate_with_its_texts`."""
    monkeypatch.setattr(registry, "TARGET", tmp_path)
    monkeypatch.setattr("sys.argv", ["registry.py", "--repository", "owner/redline"])
    registry.main()
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == [
        registry.NOTICES,
        "function_descriptions.csv",
    ]
    text = (tmp_path / "docs" / registry.NOTICES).read_text()
    assert "\n- gix " in text and f"docs/{registry.NOTICES}" in block("extended_description")


@pytest.mark.parametrize(
    "target",
    [
        "set_duckdb_version",
        "configure_ci",
        "configure",
        "debug",
        "release",
        "test_debug",
        "test_release",
    ],
)
@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"LINUX_CI_IN_DOCKER": "1", "DUCKDB_PLATFORM": "linux_amd64"},
        {"OSX_BUILD_ARCH": "x86_64"},
    ],
    ids=["plain", "docker", "macos"],
)
def test_the_targets_of_its_ci_are_there(target, environment):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "-n", target], cwd=ROOT, capture_output=True, text=True, env=plain | environment
    )
    assert done.returncode == 0, done.stderr
    if target == "release":
        assert ("--target x86_64-apple-darwin" in done.stdout) == ("OSX_BUILD_ARCH" in environment)
        assert ("--platform linux_amd64" in done.stdout) == ("DUCKDB_PLATFORM" in environment)


def test_the_extension_is_where_its_ci_takes_it(extension):
    if extension.parent.parent != ROOT / "build":
        pytest.skip("the extension under test is no build of this checkout")
    listed = extension.parent / "extension" / "redline" / extension.name
    assert listed.read_bytes() == extension.read_bytes()
