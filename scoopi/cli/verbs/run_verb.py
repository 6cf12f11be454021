"""`scoopi run`: runs definitions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoopi.cli.arguments import Verb
from scoopi.cli.options import add_inputs, add_run_options, member_addresses, name_cluster
from scoopi.cli.terminal import Terminal
from scoopi.cli.terminal_run import run_in_terminal


class Run:
    """Loads the pages of definitions and writes their rows."""

    usage = "scoopi run DEFS [options]"
    sentence = "Runs definitions: loads their pages and writes their rows to a new folder below output."
    example = (
        "scoopi run defs/examples/quickstart\n"
        "scoopi run shop.yml --output rows --workers 2 -D scoopi.loader.fetch.delay=250\n"
        "scoopi run shop.yml --cluster 10.0.0.7:5701,10.0.0.8:5701\n"
        "scoopi run shop.yml --store postgresql://scoopi@db.example/scoopi"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add DEFS and the options of a run."""
        parser.add_argument("defs", metavar="DEFS", type=Path, help="a folder of definitions or one file")
        add_run_options(parser)
        add_inputs(parser)
        parser.add_argument(
            "--group",
            dest="groups",
            metavar="NAME",
            action="append",
            default=[],
            help="load only this locator group, and what its links lead to; may be repeated",
        )
        parser.add_argument(
            "--cluster",
            metavar="HOST:PORT,…",
            type=member_addresses,
            help="run as a node: share the work with all nodes of this Hazelcast cluster",
        )
        parser.add_argument(
            "--store",
            metavar="URL",
            help="run as a node: share the work with all nodes that use this database, "
            "postgresql://USER@HOST/DATABASE",
        )
        parser.add_argument(
            "--run",
            dest="run_name",
            metavar="NAME",
            help="name of the cluster's run to join or to start (default: the unfinished run of these "
            "definitions, else a new one)",
        )
        parser.add_argument(
            "--discard-lost",
            action="store_true",
            help="if the cluster has lost the run's data, move its rows to .scoopi/lost-… and start the "
            "run again",
        )

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Run the definitions; the exit code is that of the report."""
        name_cluster(options)
        return run_in_terminal(
            options,
            terminal,
            options.defs,
            lambda scoopi: scoopi.run(),
            options.run_name,
            options.discard_lost,
        )


VERB: Verb = Run()
