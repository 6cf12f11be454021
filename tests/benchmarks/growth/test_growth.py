"""Figures of growth are medians of cases in turn, are kept part by part, and are drawn as kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.benchmarks.growth.__main__ import ONCE_FROM, measure
from tests.benchmarks.growth.growth_figures import KEPT, Case, GrowthFigures, Line, Machine
from tests.benchmarks.growth.plot import PLOT, panels
from tests.benchmarks.measured_run import Figures
from tests.benchmarks.workloads import Workload

HERE = Machine(cores=2, load=0.1, python="3.11")


def figures(*lines: Line) -> GrowthFigures:
    return GrowthFigures("tables", HERE, HERE, lines)


def test_cases_are_run_in_turn_and_large_ones_once() -> None:
    small, large = Case("pages", pages=1000), Case("pages", pages=ONCE_FROM)
    ran: list[Case] = []

    def run(case: Case) -> Figures:
        ran.append(case)
        return Figures(seconds=float(len(ran)), peak_mb=10.0 * len(ran), cpu_s=1.0)

    lines = measure([small, large], 3, run)
    assert ran == [small, large, small, small]
    assert lines == [
        Line(small, 333.3, 1000.0, 30.0),
        Line(large, ONCE_FROM / 2, round(1e6 / ONCE_FROM, 1), 20.0),
    ]


def test_a_part_measured_again_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "growth.json"
    old, other = Line(Case("flight", in_flight=1), 1.0, 1.0, 1.0), Line(Case("workers"), 2.0, 2.0, 2.0)
    new = Line(Case("flight", in_flight=1), 3.0, 3.0, 3.0)
    figures(old, other).save(file)
    figures(new).save(file)
    assert GrowthFigures.load(file).lines == (new, other)


def test_a_part_is_a_panel_and_memory_is_drawn_where_it_was_measured() -> None:
    drawn = panels(
        figures(
            Line(Case("pages", pages=2000), 900.0, 800.0, 90.0),
            Line(Case("nodes"), 900.0, 0.0, 0.0),
            Line(Case("nodes", nodes=1), 500.0, 0.0, 0.0),
            Line(Case("pages", pages=200_000), 950.0, 700.0, 95.0),
        )
    )
    assert [(panel.title.split()[0], panel.ticks, panel.pages_s, panel.peak_mb) for panel in drawn] == [
        ("pages", ("2,000", "200,000"), (900.0, 950.0), (90.0, 95.0)),
        ("nodes", ("none", "1"), (900.0, 500.0), ()),
    ]


def test_a_workload_is_repeated_with_addresses_and_rows_of_its_own() -> None:
    workload = Workload("tables", "", 6, ("/a.html", "/b.html"), 20)
    assert workload.repeated(3) == replace(workload, pages=3, starts=("/a.html",), rows=10)
    more = workload.repeated(15)
    assert (more.pages, more.rows) == (15, 50)
    assert more.starts == ("/a.html", "/b.html", "/a.html?1", "/b.html?1", "/a.html?2")


def test_the_kept_figures_are_of_every_part_and_drawn_beside_them() -> None:
    kept = GrowthFigures.load(KEPT)
    assert {line.case.part for line in kept.lines} == {"workers", "pages", "flight", "nodes"}
    reported = PLOT.read_text(encoding="utf-8")
    assert f"load {kept.before.load:g} before" in reported
