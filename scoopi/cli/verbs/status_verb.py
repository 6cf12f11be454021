"""`scoopi status`: shows the runs of a cluster."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_cluster, add_settings, add_verbose, cluster_settings
from scoopi.cli.terminal import Terminal


class Status:
    """Prints the figures to stdout, as text or JSON."""

    usage = "scoopi status [RUN] --cluster HOST:PORT[,…] [--json] [options]"
    sentence = (
        "Shows the runs of a cluster: their jobs, their nodes, and how the nodes share the hosts.\n"
        "It watches a few heartbeats, to see which nodes are alive and how fast they are."
    )
    example = (
        "scoopi status --cluster 10.0.0.7:5701\n"
        "scoopi status shop-1a2b3c4d-9f3e --cluster 10.0.0.7:5701 --json"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """RUN, the cluster, and the format."""
        parser.add_argument("run_name", metavar="RUN", nargs="?", help="name of a run (default: all runs)")
        add_cluster(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")
        add_settings(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Query the cluster and print the figures."""
        from scoopi.app import cluster_figures
        from scoopi.cli.status_text import StatusText

        settings = cluster_settings(options)
        figures = cluster_figures(options.run_name, settings, conf=options.conf, environ=terminal.environ)
        if options.json:
            import msgspec

            terminal.give(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode())
        else:
            terminal.give(StatusText(terminal).text(figures))
        return DONE


VERB: Verb = Status()
