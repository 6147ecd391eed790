"""The footer that makes a library an extension, and the file that `make` leaves."""

import importlib.util
import re
import shutil
import subprocess
import sys

import duckdb
import pytest
from repositories import ROOT

spec = importlib.util.spec_from_file_location("package", ROOT / "scripts" / "package.py")
package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)


def test_footer_has_the_layout_that_duckdb_reads():
    data = package.footer("0.1.0", "linux_amd64")
    assert len(data) == 534
    assert data[:22] == b"\x00\x93\x04\x10duckdb_signature\x80\x04"
    fields = [data[22 + 32 * i : 54 + 32 * i].rstrip(b"\0").decode() for i in range(8)]
    assert fields == ["", "", "", "C_STRUCT", "0.1.0", "v1.5.6", "linux_amd64", "4"]
    assert data[-256:] == bytes(256)


def test_a_field_that_does_not_fit_is_refused():
    with pytest.raises(package.PackageError, match="32 bytes"):
        package.footer("1" * 33, "linux_amd64")


def test_an_unknown_platform_is_refused():
    with pytest.raises(package.PackageError, match="sparc"):
        package.platform_of("sparc-unknown-linux-gnu")


@pytest.mark.parametrize(
    ("triple", "name"),
    [
        ("x86_64-unknown-linux-gnu", "libredline.so"),
        ("aarch64-apple-darwin", "libredline.dylib"),
        ("x86_64-pc-windows-msvc", "redline.dll"),
    ],
)
def test_library_names(triple, name):
    assert package.library_name(triple, "redline") == name


def test_footer_and_entry_point_ask_for_the_same_api():
    entry = (ROOT / "src" / "ffi" / "entry.rs").read_text()
    assert re.search(r'"(v\d+\.\d+\.\d+)"', entry)[1] == package.C_API_VERSION


def test_a_file_is_replaced_in_one_step(tmp_path):
    target = tmp_path / "folder" / "file"
    package.write_atomically(target, b"old")
    before = target.open("rb")
    package.write_atomically(target, b"new")
    assert (before.read(), target.read_bytes()) == (b"old", b"new")
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_duckdb_shows_the_version_of_cargo_toml(con):
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    row = con.execute(
        "SELECT extension_version, loaded FROM duckdb_extensions() WHERE extension_name = 'redline'"
    ).fetchone()
    assert row == (version, True)


def test_a_host_that_allows_signed_extensions_only_refuses_it(extension):
    with duckdb.connect() as con, pytest.raises(duckdb.Error, match="unsigned|signature"):
        con.execute(f"LOAD '{extension}'")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")
def test_the_notices_name_each_linked_crate_with_its_texts(tmp_path):
    subprocess.run(
        [sys.executable, ROOT / "scripts/notices.py", tmp_path / "notices.md"], check=True
    )
    text = (tmp_path / "notices.md").read_text()
    listed = re.findall(r"^- (\S+ \S+): (.+)$", text, re.MULTILINE)
    tree = subprocess.run(
        ["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    linked = {f"{name} {version}" for name, version in re.findall(r"^(\S+) v(\S+)(?: \(proc-macro\))?(?: \(\*\))?$", tree, re.MULTILINE)}  # fmt: skip
    assert len(linked) > 100 and linked <= {name for name, _ in listed}
    # Of each licence there is a text, and the hook puts the file into the wheel.
    with_text = {name for names in re.findall(r"^Of (.+):$", text, re.MULTILINE) for name in names.split(", ")}  # fmt: skip
    assert "Apache License" in text and len(with_text) > 0.8 * len(listed)
    assert "scripts/notices.py" in (ROOT / "scripts/wheel_hook.py").read_text()
