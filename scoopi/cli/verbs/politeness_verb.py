"""`scoopi politeness`: shows the requests that each host of a run has received, as text or JSON."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.text import counted, number

if TYPE_CHECKING:
    from scoopi.model.report.request_figures import HostRequestFigures, RunRequestFigures

HEAD = ("host", "requests", "per s", "shortest gap", "errors", "sleeps", "rests", "robots.txt")


class Politeness:
    """Shows how polite a run was to its hosts, from the request log in each node's folder."""

    usage = "scoopi politeness [RUN ...] [--json] [--output DIR]"
    sentence = (
        "Shows the requests that each host of a run has received: their number and rate, the shortest gap\n"
        "between two, errors, and pauses; also while the run is in progress. Each node of a cluster logs\n"
        "its own requests: give the run's folders of all nodes to see them together."
    )
    example = (
        "scoopi politeness\nscoopi politeness output/20260131-101500-3f2a --json\n"
        "scoopi politeness ann/output/fair bob/output/fair"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, `--json` and `--output`."""
        help_text = "the run's folder, or its id in the output folder (default: the newest run)"
        parser.add_argument("run_names", metavar="RUN", nargs="*", help=help_text)
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--output",
            metavar="DIR",
            default="output",
            help="folder that holds the runs' folders (default: output)",
        )

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the figures."""
        from scoopi.run_control import politeness  # late: the help does not need it

        figures = politeness(options.run_names, Path(options.output))
        if options.json:
            import msgspec

            terminal.give(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode())
        else:
            terminal.give("\n".join(_lines(figures)))
        return DONE


def _lines(figures: RunRequestFigures) -> Iterator[str]:
    of = f"{counted(figures.processes, 'process', 'processes')} of {counted(len(figures.nodes), 'node')}"
    names = f" ({printable(', '.join(figures.nodes))})" if figures.nodes else ""
    yield f"{printable(figures.run)}: {counted(len(figures.hosts), 'host')}, {of}{names}"
    if not figures.hosts:
        yield "no request was sent"
        return
    rows = [HEAD, *map(_row, figures.hosts)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(
            cell.rjust(width) if 0 < place < 4 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()


def _row(host: HostRequestFigures) -> tuple[str, ...]:
    errors = ", ".join(f"{count}x {printable(reason)}" for reason, count in host.errors.items())
    slept = f"{host.sleeps} ({host.slept_s:g} s)" if host.sleeps else "0"
    return (
        printable(host.host),
        number(host.requests),
        "-" if host.per_s is None else f"{host.per_s:.2f}",
        "-" if host.shortest_gap_ms is None else f"{host.shortest_gap_ms:,.1f} ms",
        errors or "0",
        slept,
        str(host.rests),
        printable(host.robots) or "-",
    )


VERB: Verb = Politeness()
