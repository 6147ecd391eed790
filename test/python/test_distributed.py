"""examples/distributed: what one task does to its repository, whatever engine runs it."""

import argparse
import importlib.util
import pathlib

import pytest
import repositories

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("histories", ROOT / "examples" / "distributed" / "histories.py")
histories = importlib.util.module_from_spec(spec)
spec.loader.exec_module(histories)


@pytest.fixture
def tasks(extension, tmp_path):
    """Returns a function that gives the tasks of repositories."""

    def of(*paths, **options):
        options = {"range": "HEAD", "processors": 1, "again": False} | options
        return histories.tasks(argparse.Namespace(out=tmp_path / "out", repositories=list(paths), extension=extension, **options))

    return of


def files(folder: pathlib.Path) -> dict:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_each_repository_is_in_its_own_partition(con, tasks, tmp_path):
    paths = [repositories.fixture("readme"), repositories.fixture("basic")]
    results = [histories.history(task) for task in tasks(*paths)]
    assert [result["state"] for result in results] == ["written", "written"]
    query = "SELECT repository, count(*), count(DISTINCT commit_id) FROM read_parquet(?, hive_partitioning := true) GROUP BY ALL"
    found = {name: counts for name, *counts in con.execute(query, [f"{tmp_path}/out/*/*.parquet"]).fetchall()}
    for path, result in zip(paths, results):
        expected = con.execute("SELECT count(*), count(DISTINCT commit_id) FROM commit_changes('HEAD', ?)", [str(path)]).fetchone()
        assert tuple(found[path.name]) == expected and result["changes"] == expected[0] > 0


def test_a_second_run_writes_again_only_when_told(tasks, tmp_path):
    (task,) = tasks(repositories.fixture("readme"))
    histories.history(task)
    before = files(tmp_path / "out")
    assert list(before) == ["repository=readme/history.parquet"]
    assert histories.history(task)["state"] == "there already" and files(tmp_path / "out") == before
    assert histories.history(task | {"again": True})["state"] == "written" and files(tmp_path / "out") != before


def test_one_broken_repository_fails_alone_and_leaves_no_file(tasks, tmp_path):
    broken = tmp_path / "broken.git"
    broken.mkdir()
    results = [histories.history(task) for task in tasks(broken, repositories.fixture("readme"))]
    assert [(result["repository"], result["state"]) for result in results] == [("broken", "failed"), ("readme", "written")]
    assert "not_found: " in results[0]["error"]
    assert list(files(tmp_path / "out")) == ["repository=readme/history.parquet"]


def test_refuses_two_repositories_of_one_name(tasks):
    with pytest.raises(SystemExit, match="one partition: readme"):
        tasks(pathlib.Path("a/readme"), pathlib.Path("b/readme.git"))
