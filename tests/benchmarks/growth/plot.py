"""Draws how Scoopi grows, from the figures that `growth --save` has kept.

`python -m tests.benchmarks.growth.plot [--figures FILE] [--to FILE]`; it needs
`pip install --group benchmarks`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.benchmarks.growth.growth_figures import KEPT, GrowthFigures, Line

PLOT = KEPT.with_suffix(".svg")
COLOURS = ("#1f5c99", "#b3541e")


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram: pages a second, and memory where it was measured, over what was varied."""

    title: str
    ticks: tuple[str, ...]
    pages_s: tuple[float, ...]
    peak_mb: tuple[float, ...]


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth.plot", description=__doc__)
    parser.add_argument("--figures", type=Path, default=KEPT)
    parser.add_argument("--to", type=Path, default=PLOT)
    options = parser.parse_args()
    figures = GrowthFigures.load(options.figures)
    try:
        draw(figures, options.to)
    except ModuleNotFoundError as error:
        print(f"{error}; install it: pip install --group benchmarks", file=sys.stderr)
        return 2
    print(f"drew {options.to}")
    return 0


def panels(figures: GrowthFigures) -> list[Panel]:
    """What is drawn of the figures; nothing of a part that was not measured."""
    wanted = (
        ("workers", "worker processes", lambda line: line.case.workers),
        ("flight", "requests in flight", lambda line: str(line.case.in_flight)),
        ("pages", "pages", lambda line: f"{line.case.pages:,}"),
        ("nodes", "nodes of a cluster", lambda line: str(line.case.nodes or "none")),
    )
    drawn = ((title, figures.part(part), tick) for part, title, tick in wanted)
    return [_panel(title, lines, tick) for title, lines, tick in drawn if lines]


def _panel(title: str, lines: list[Line], tick: Any) -> Panel:
    peaks = tuple(line.peak_mb for line in lines)
    return Panel(
        title, tuple(map(tick, lines)), tuple(line.pages_s for line in lines), peaks if any(peaks) else ()
    )


def draw(figures: GrowthFigures, file: Path) -> None:
    """Write the plot as SVG; the same figures give the same file.

    Raises:
        ModuleNotFoundError: there is no matplotlib.
    """
    matplotlib = import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {"svg.hashsalt": "scoopi", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False}
    )
    pyplot = import_module("matplotlib.pyplot")
    drawn = panels(figures)
    figure, axes = pyplot.subplots(1, len(drawn), figsize=(3.1 * len(drawn), 2.9), squeeze=False)
    for panel, axis in zip(drawn, axes[0], strict=True):
        _draw_panel(panel, axis)
    axes[0][0].set_ylabel("pages/s", color=COLOURS[0])
    load = f"load {figures.before.load:g} before, {figures.after.load:g} after"
    figure.suptitle(f"{figures.workload} on {figures.before.cores} cores ({load})", fontsize=9)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def _draw_panel(panel: Panel, axis: Any) -> None:
    places = range(len(panel.ticks))
    axis.plot(places, panel.pages_s, "o-", color=COLOURS[0])
    axis.set_ylim(0, 1.1 * max(panel.pages_s))
    axis.set_xticks(places, panel.ticks, rotation=0 if len("".join(panel.ticks)) < 16 else 45)
    axis.set_xlabel(panel.title)
    if panel.peak_mb:
        memory = axis.twinx()
        memory.plot(places, panel.peak_mb, "s--", color=COLOURS[1], markersize=4)
        memory.set_ylim(0, 2 * max(panel.peak_mb))
        memory.set_ylabel("peak MB", color=COLOURS[1])


if __name__ == "__main__":
    sys.exit(main())
