"""The pictures of the documents are small and show what is said, and the notebook of examples/ draws its four."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")
pytest.importorskip("matplotlib", reason="`make test` installs what draws the pictures")

sys.path.insert(0, str(ROOT / "python"))

PICTURES = sorted((ROOT / "docs").rglob("*.svg"))
NOTEBOOK = ROOT / "examples/pictures.ipynb"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_small_whole_and_shown_by_a_document(picture):
    assert picture.stat().st_size < 60_000
    root = ElementTree.parse(picture).getroot()
    assert root.tag.endswith("svg") and not [
        one for one in root.iter() if one.tag.endswith("script") or one.get("onload")
    ]
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"{picture.name})" in page.read_text() for page in documents), picture


def test_the_terminal_of_the_readme_shows_what_the_commands_print_today(extension):
    sys.path.insert(0, str(ROOT / "scripts"))
    from draw_pictures import terminal

    assert (ROOT / "docs/pictures/terminal.svg").read_text() == terminal(extension)


def times_of(contestant):
    """Returns the time of a contestant divided by redline's, by the work."""
    figures, column = {}, None
    for line in (ROOT / "docs/benchmarks.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "work":
            column = cells.index(contestant) if contestant in cells else None
        elif column and len(cells) > column:
            figures.setdefault(cells[0], cells[column])
    return figures


def test_the_six_bars_of_the_readme_are_figures_of_the_benchmarks():
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", (ROOT / "docs/speed.svg").read_text())
    bars = list(zip(texts[1:-1:2], texts[2:-1:2], strict=True))
    git = times_of("git")
    assert len(bars) == 6
    assert [git[title] for title, _ in bars] == [value for _, value in bars]


def test_the_times_that_the_readme_names_are_figures_of_the_benchmarks():
    git, libgit2 = times_of("git"), times_of("libgit2")
    history = "history with line counts, about 5,000 commits"
    named = re.findall(r"(\d\S+)\s+times", (ROOT / "README.md").read_text())
    assert named == [f"{float(git[history]):.1f}", f"{float(libgit2[history]):.1f}"]


@pytest.fixture
def clone(tmp_path):
    """Returns a repository of 88,000,000 seconds, in four years."""
    stream = []
    for number in range(12):
        seconds = 1_600_000_000 + number * 8_000_000
        stream.append(f"commit refs/heads/main\ncommitter A <a> {seconds} +0000\ndata 1\nx\n")
        for name in ("a.py", "b.py"):
            text = "".join(f"{name} {line}\n" for line in range(number + 1))
            stream.append(f"M 644 inline {name}\ndata {len(text)}\n{text}\n")
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    subprocess.run(
        ["git", "-C", tmp_path, "fast-import", "--quiet"],
        input="".join(stream).encode(),
        check=True,
    )
    return tmp_path


def test_the_notebook_draws_four_pictures(extension, clone, monkeypatch):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(clone)
    monkeypatch.setattr("duckdb_redline.connection.extension_path", lambda: extension)
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells)
    names: dict = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    figures = [plt.figure(number) for number in plt.get_fignums()]
    churn, hotspots, age, together = (figure.axes[0] for figure in figures)
    added = [bar.get_height() for bar in churn.containers[0]]
    # The first commit has one line in each file, and each other adds one to both.
    assert sum(added) == 24
    assert sorted(map(tuple, hotspots.collections[0].get_offsets())) == [(12, 12), (12, 12)]
    last_year = [layer[-1] for layer in names["stack"]]
    assert sum(last_year) == 24 and len(age.collections) == len(names["written"]) == 4
    assert together.images[0].get_array().count() == 2
    names["con"].close()
    plt.close("all")
