"""read_request_figures: the log files of a run's nodes, found by the run's name or as the newest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.errors import RunError, UsageError
from scoopi.politeness.request_log import RequestLog
from scoopi.runs.request_figures_reader import read_request_figures

HOST = "a.example:80"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """An output folder with two runs, of which `old` has two nodes."""
    for run, nodes in (("old", ("n1", "n2")), ("new", ("n1",))):
        for node in nodes:
            folder = tmp_path / run / ".scoopi" / node
            folder.mkdir(parents=True)
            log = RequestLog(folder / f"requests-{node}.log")
            log.sent(HOST, 1.0)
            log.close()
    os.utime(tmp_path / "old", (1, 1))
    return tmp_path


def test_all_nodes_of_a_named_run_are_added_up(output: Path) -> None:
    for name in ("old", str(output / "old")):
        figures = read_request_figures([name], output)
        assert (figures.processes, figures.nodes, figures.hosts[0].requests) == (2, ("n1", "n2"), 2)


def test_folders_of_several_nodes_are_added_up_each_once(output: Path) -> None:
    (output / "new").rename(output / "elsewhere")
    figures = read_request_figures(["old", str(output / "elsewhere"), str(output / "old")], output)
    assert (figures.run, figures.processes, figures.nodes) == (str(output / "old"), 3, ("n1", "n2"))
    assert figures.hosts[0].requests == 3


def test_the_newest_run_is_taken_when_none_is_named(output: Path) -> None:
    assert read_request_figures([], output).run == str(output / "new")


def test_a_run_that_does_not_exist_is_named_in_the_error(output: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run never"):
        read_request_figures(["never"], output)
    with pytest.raises(UsageError, match="there is no run in"):
        read_request_figures([], tmp_path / "empty")


def test_a_damaged_log_is_an_error_with_its_place(output: Path) -> None:
    (output / "new" / ".scoopi" / "n1" / "requests-n1.log").write_text("S soon 7\n")
    with pytest.raises(RunError, match="the log of requests cannot be read"):
        read_request_figures(["new"], output)
