"""The pictures of the documents are small and show what is said, and the notebook of examples/ draws its own."""

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


def write_history(folder, files) -> None:
    """Writes a repository of 12 commits in 88,000,000 seconds, in four years, with files whose texts follow from the number."""
    stream = []
    for number in range(12):
        seconds = 1_600_000_000 + number * 8_000_000
        stream.append(f"commit refs/heads/main\ncommitter A <a> {seconds} +0000\ndata 1\nx\n")
        for name, text_of in files.items():
            text = text_of(number)
            stream.append(f"M 644 inline {name}\ndata {len(text)}\n{text}\n")
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    subprocess.run(
        ["git", "-C", folder, "fast-import", "--quiet"],
        input="".join(stream).encode(),
        check=True,
    )


@pytest.fixture
def drawn(extension, tmp_path, monkeypatch):
    """Returns a function that runs the notebook in a repository; it returns the pictures and the notebook's names."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("duckdb_redline.connection.extension_path", lambda: extension)
    names: dict = {}

    def run(files):
        write_history(tmp_path, files)
        cells = json.loads(NOTEBOOK.read_text())["cells"]
        assert not any(cell.get("outputs") for cell in cells)
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        figures = [plt.figure(number) for number in plt.get_fignums()]
        for figure in figures:
            figure.canvas.draw()
        return figures, names

    yield run
    names["con"].close()
    plt.close("all")


def lines_of(name):
    return lambda number: "".join(f"{name} {line}\n" for line in range(number + 1))


def test_the_notebook_draws_four_pictures_of_code(drawn, capsys):
    figures, names = drawn({name: lines_of(name) for name in ("a.py", "b.py")})
    churn, hotspots, age, together = (figure.axes[0] for figure in figures)
    added = [bar.get_height() for bar in churn.containers[0]]
    # The first commit has one line in each file, and each other adds one to both.
    assert sum(added) == 24
    assert sorted(map(tuple, hotspots.collections[0].get_offsets())) == [(12, 12), (12, 12)]
    last_year = [layer[-1] for layer in names["stack"]]
    assert sum(last_year) == 24 and len(age.collections) == len(names["written"]) == 4
    assert together.images[0].get_array().count() == 2
    assert "no CSV file" in capsys.readouterr().out


def test_labels_and_legends_of_the_notebook_lie_over_nothing(drawn):
    files = {f"package/module_{number}.py": lines_of(number) for number in range(9)}
    long = {"package/large.py": lambda number: "line\n" * 50 * (number + 1)}
    figures, _ = drawn(files | long)
    for figure in figures:
        for legend in figure.legends:
            assert not legend.get_window_extent().overlaps(figure.axes[0].bbox)
    boxes = [label.get_window_extent() for label in figures[1].axes[0].texts]
    assert 2 <= len(boxes) <= 5
    assert not any(a.overlaps(b) for at, a in enumerate(boxes) for b in boxes[:at])
    assert all(figures[1].bbox.x0 <= box.x0 and box.x1 <= figures[1].bbox.x1 for box in boxes)


def test_the_notebook_draws_the_rows_that_each_version_of_a_file_of_data_has(drawn, capsys):
    def prices(number: int) -> str:
        return "id,price\n" + "".join(
            f"{row},{row * 2}\n" for row in range(number // 2, number + 2)
        )

    figures, _ = drawn({"a.py": lines_of("a"), "prices.csv": prices})
    added, removed = figures[-1].axes[0].containers
    assert [bar.get_height() for bar in added] == [2] + [1] * 11
    assert [bar.get_height() for bar in removed] == [0] + [-(number % 2 == 0) for number in range(1, 12)]  # fmt: skip
    assert "prices.csv had 2 rows first:\n(0, 0)\n(1, 2)\n" in capsys.readouterr().out
