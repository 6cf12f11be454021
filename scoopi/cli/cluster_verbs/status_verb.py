"""`scoopi status`: shows the runs of a cluster, as text or JSON."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_cluster, add_settings, add_verbose, cluster_settings
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.text import counted, labelled, number

if TYPE_CHECKING:
    from scoopi.model.report.run_figures import (
        ClusterFigures,
        HostFigures,
        JobFigures,
        NodeFigures,
        RunFigures,
    )

_MOST_HOSTS = 20
_COLOURS = {"RUNNING": "green", "WAITING": "yellow", "ENDING": "yellow"}
_COLOURS |= dict.fromkeys(("ABANDONED", "LOST", "DAMAGED"), "red")


class StatusText:
    """Formats the figures as aligned tables, with colours if the terminal has them."""

    def __init__(self, terminal: Terminal) -> None:
        self._paint = terminal.paint

    def text(self, figures: ClusterFigures) -> str:
        """The figures as lines of text: the cluster, then its runs."""
        members = ", ".join(figures.members)
        lines = [f"cluster {figures.cluster}: {counted(len(figures.members), 'member')} ({members})"]
        if figures.is_database:
            lines = [f"database {printable(figures.cluster)}"]
        elif len(figures.members) <= figures.most_members // 2:
            split = f"the cluster seems split: {len(figures.members)} of {figures.most_members} members"
            lines.append(self._paint(f"{split}; its nodes wait for the others", "yellow"))
        if not figures.runs:
            lines.append("no runs")
        for run in figures.runs:
            lines += ["", *self._run(run)]
        return "\n".join(lines)

    def _run(self, run: RunFigures) -> Iterator[str]:
        styles = ("bold", _COLOURS[run.phase]) if run.phase in _COLOURS else ("bold",)
        seeding = "" if run.seeded or run.phase != "RUNNING" else ", seeding its jobs"
        yield f"{self._paint('run', 'bold')} {printable(run.run)}  {self._paint(run.phase, *styles)}{seeding}"
        if run.phase in ("RUNNING", "ENDING", "OVER"):
            yield from labelled(self._paint, "jobs", [_jobs(run.jobs)])
        if run.nodes:
            yield from labelled(self._paint, "nodes", _table(_node_rows(run.nodes), right=(2, 3, 4, 5)))
        if run.hosts:
            yield from labelled(self._paint, "hosts", _table(_host_rows(run.hosts), right=(2, 3)))
            if len(run.hosts) > _MOST_HOSTS:
                more = f"and {number(len(run.hosts) - _MOST_HOSTS)} more (--json)"
                yield from labelled(self._paint, "", [more])
        for hint in filter(None, (_end(run), _hint(run))):
            yield from labelled(self._paint, "", [self._paint(hint, "yellow")])


def _hint(run: RunFigures) -> str:
    """What to do if the run cannot continue by itself; empty if it can."""
    name = printable(run.run)
    if run.fault:
        return printable(run.fault)
    if run.awaiting:
        nodes = ", ".join(map(printable, run.awaiting))
        node = printable(run.awaiting[0]) if len(run.awaiting) == 1 else "ID"
        again = f"start again with --run {name} -D scoopi.cluster.node={node}"
        return f"rows of {nodes} are not published yet: {again} on the same machine"
    if run.phase == "RUNNING" and all(node.state != "alive" for node in run.nodes):
        return f"no node is working on it: start nodes again with --run {name}"
    return ""


def _end(run: RunFigures) -> str:
    """When the cluster removes an unfinished run without live nodes; empty for any other run."""
    if run.phase == "OVER" or any(node.state == "alive" for node in run.nodes):
        return ""
    now = f"`scoopi forget {printable(run.run)}` removes it now"
    if not run.kept_s:
        return f"its retention period is over: the next start of any node removes it; {now}"
    return f"it is removed {_period(run.kept_s)} after its last heartbeat; {now}"


def _period(seconds: int) -> str:
    for unit, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds % unit == 0:
            return counted(seconds // unit, name)
    return counted(seconds, "second")


def _jobs(jobs: JobFigures) -> str:
    due = "" if jobs.retry_in_s is None else f" (next in {jobs.retry_in_s:.0f} s)"
    figures = (
        (jobs.ready, "ready"),
        *(((jobs.waiting, f"waiting for retry{due}"),) if jobs.waiting else ()),
        (jobs.taken, "taken"),
        (jobs.done, "done"),
        (jobs.failed, "failed"),
        *(((jobs.skipped, "skipped"),) if jobs.skipped else ()),
    )
    return ", ".join(f"{number(count)} {name}" for count, name in figures)


def _node_rows(nodes: Sequence[NodeFigures]) -> Iterator[tuple[str, ...]]:
    yield "node", "state", "taken", "ended", "pages", "pages/s"
    for node in nodes:
        speed = f"{node.pages_per_s:.1f}" if node.state == "alive" else "-"
        figures = (number(each) for each in (node.taken, node.ended, node.pages))
        yield printable(node.node), node.state, *figures, speed


def _host_rows(hosts: Sequence[HostFigures]) -> Iterator[tuple[str, ...]]:
    yield "host", "node", "delay", "parallelism"
    for host in hosts[:_MOST_HOSTS]:
        name = printable(host.host)
        for share in host.shares:
            yield name, printable(share.node), f"{number(share.gap_ms)} ms", number(share.permits)
        for node in host.waiting:
            yield name, printable(node), "waits", ""


def _table(rows: Iterator[tuple[str, ...]], right: tuple[int, ...]) -> list[str]:
    """The rows as lines of aligned columns.

    Args:
        right: indexes of the right-aligned columns.
    """
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


class Status:
    """Prints the figures to stdout, as text or JSON."""

    usage = "scoopi status [RUN] (--cluster HOST:PORT[,…] | --store URL) [--json] [options]"
    sentence = (
        "Shows the runs of a cluster: their jobs, their nodes, and how the nodes share the hosts.\n"
        "It watches a few heartbeats, to see which nodes are alive and how fast they are."
    )
    example = (
        "scoopi status --cluster 10.0.0.7:5701\n"
        "scoopi status shop-1a2b3c4d-9f3e --cluster 10.0.0.7:5701 --json"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, the cluster and `--json`."""
        parser.add_argument("run_name", metavar="RUN", nargs="?", help="name of a run (default: all runs)")
        add_cluster(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")
        add_settings(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Query the cluster and print the figures."""
        from scoopi.run_control import cluster_figures

        settings = cluster_settings(options)
        figures = cluster_figures(options.run_name, settings, conf=options.conf, environ=terminal.environ)
        if options.json:
            import msgspec

            terminal.give(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode())
        else:
            terminal.give(StatusText(terminal).text(figures))
        return DONE


VERB: Verb = Status()
