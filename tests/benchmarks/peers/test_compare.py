"""The comparison counts what was run, and says when rows differ."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.measured_run import Figures, run_scoopi, served
from tests.benchmarks.peers import peers
from tests.benchmarks.peers.peers import Peer, colly_program, go_command, rows_of
from tests.benchmarks.tally import Tally, comparison
from tests.benchmarks.workloads import Workload, books, cards, labels, tables

WORKLOAD = Workload("tables", "", 300, tuple(f"/c{at}.html" for at in range(100)), 28_100)


def tally(name: str, *seconds: float, is_same: bool = True) -> Tally:
    """Runs of 300 pages."""
    made = Tally(name)
    for each in seconds:
        made.add(Figures(each, peak_mb=each, cpu_s=2 * each), 300, is_same=is_same)
    return made


def test_rates_and_processor_time_are_medians_and_memory_is_the_most() -> None:
    made = tally("scoopi", 1.0, 3.0, 2.0)
    assert (made.rate, round(made.cpu_us), made.peak_mb) == (150.0, 13_333, 3.0)


def test_a_line_shows_each_program_with_its_ratio_and_bar() -> None:
    scoopi = tally("scoopi", 1.0)
    scoopi.add(Figures(1.0, 1.0, 2.0, {"parser": 0.03}), 300, is_same=True)
    lines = comparison(WORKLOAD, scoopi, [tally("colly", 0.5), tally("other", 2.0)]).splitlines()
    assert lines == [
        "tables, 300 pages, 28100 rows",
        "  scoopi 300 pages/s, 6667 us CPU/page, peak 1 MB",
        "  colly 600 pages/s, 3333 us CPU/page, peak 0 MB; scoopi is 0.50 times as fast (bar 0.5)",
        "  other 150 pages/s, 13333 us CPU/page, peak 2 MB; scoopi is 2.00 times as fast",
        "  scoopi's us/page in steps: parser 100",
    ]


def test_one_run_with_other_rows_is_reported() -> None:
    made = tally("colly", 1.0, is_same=False)
    made.add(Figures(1.0, 1.0, 1.0), 300, is_same=True)
    assert not made.is_same
    assert "rows DIFFER" in made.text()


def test_rows_of_peers_leave_out_the_cell_of_a_dim_that_there_is_not() -> None:
    assert rows_of(["a|company|fact 1||7", "a|table|line|2020|7"]) == Counter(
        {"a|company|fact 1|7": 1, "a|table|line|2020|7": 1}
    )


def test_a_slow_peer_gets_the_first_part_of_a_workload() -> None:
    assert Peer("slow", (), 60).part(WORKLOAD).pages == 60
    assert Peer("fast", ()).part(WORKLOAD) is WORKLOAD


def test_a_peer_is_given_the_workload_and_its_rows_are_read(tmp_path: Path) -> None:
    program = tmp_path / "peer.py"
    program.write_text(
        "import sys, pathlib\n"
        "name, url, starts, output = sys.argv[1:]\n"
        "paths = pathlib.Path(starts).read_text().split()\n"
        "pathlib.Path(output).write_text(''.join(f'{name}|{url}{path}||v\\n' for path in paths))\n"
    )
    peer = Peer("peer", (sys.executable, str(program)), 6)
    figures, rows = peer.run(peer.part(WORKLOAD), tmp_path / "run", "http://x")
    assert rows == Counter({"tables|http://x/c0.html|v": 1, "tables|http://x/c1.html|v": 1})
    assert figures.seconds > 0
    assert not (tmp_path / "run").exists()


def test_without_go_colly_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(peers, "USUAL_GO", tmp_path / "go")
    assert go_command() is None


def test_colly_is_built_once_for_each_state_of_its_sources(tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho built >> "$2"\n')
    go.chmod(0o755)
    program = colly_program(str(go), tmp_path / "cache")
    assert program.read_text() == "built\n"
    assert colly_program(str(go), tmp_path / "cache").read_text() == "built\n"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [program.name]


@pytest.mark.parametrize("made", [tables, books, cards, labels])
def test_scoopi_gives_as_many_rows_as_a_workload_promises(
    made: Callable[[Path, int], Workload], tmp_path: Path
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    workload = made(pages, 2)
    with served(pages) as url:
        _, data = run_scoopi(workload, tmp_path / "run", url, workers="0")
    assert len(data.read_text().splitlines()) == workload.name_lines + workload.rows
