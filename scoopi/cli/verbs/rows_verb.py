"""`scoopi rows`: prints the rows of a run that have been committed so far."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_cluster, add_settings, add_verbose, cluster_settings
from scoopi.cli.terminal import Terminal, poll_until


class Rows:
    """Prints the rows of a run to stdout, even while the run is in progress."""

    usage = "scoopi rows [RUN] [-f] [--output NAME] [options]"
    sentence = (
        "Prints the rows of a run on this machine that have been committed so far, each once, as its output\n"
        "has them; records of Parquet, Excel and databases as lines of JSON. Of a run of a cluster,\n"
        "the rows of all nodes that write to its folder."
    )
    example = (
        "scoopi rows\nscoopi rows latest --output books.csv\nscoopi rows -f | jq .price\n"
        "scoopi rows --cluster 10.0.0.7:5701"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, and the options that select rows."""
        help_text = "the run's folder, or its id in the folder output, or latest (default: the newest run)"
        parser.add_argument("run_name", metavar="RUN", nargs="?", help=help_text)
        parser.add_argument(
            "-f", "--follow", action="store_true", help="wait for more rows until the run ends"
        )
        parser.add_argument(
            "--output", metavar="NAME", help="the output whose rows are printed (default: the only one)"
        )
        add_cluster(parser)
        add_settings(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the rows; with `-f`, until the run is over."""
        from scoopi.run_control import rows_of_run

        settings = cluster_settings(options)
        with rows_of_run(
            options.run_name, options.output, settings, conf=options.conf, environ=terminal.environ
        ) as rows:
            print_new = rows.printer(lambda lines: terminal.give(lines.removesuffix("\n")))
            for _ in poll_until(lambda: not options.follow or rows.is_over()):
                print_new()
        return DONE


VERB: Verb = Rows()
