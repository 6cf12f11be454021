"""`scoopi serve`: runs the scheduler and the work of its attempts."""

from __future__ import annotations

import os
import signal
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, SOME_FAILED, code_of_signal
from scoopi.cli.option_values import at_least_one, group_names, worker_name
from scoopi.cli.options import add_verbose
from scoopi.cli.schedule_verbs.operations import (
    add_state,
    cluster_of,
    opened,
    store_url,
    user_of,
)
from scoopi.cli.signals import Signals
from scoopi.cli.terminal import Terminal
from scoopi.configs.groups import MetricsSettings
from scoopi.errors import ClusterError, RecordError, StoppedError, StoreError

if TYPE_CHECKING:
    from scoopi.serve.serve_options import ServeOptions
    from scoopi.serve.server import Server
    from scoopi.serve.state import State

ValueType = TypeVar("ValueType")
STORE_WAIT_S = 300.0
"""How long a starting `serve` waits for a shared store, which may be starting at the same time."""


class Serve:
    """Runs the scheduler until a signal."""

    usage = "scoopi serve [JOBS] [options]"
    sentence = (
        "Deploys JOBS if given, runs passes of the scheduler, and runs the attempts that they place here,\n"
        "each in a process of its own. The first Ctrl-C or SIGTERM shuts down gracefully, the second at once."
    )
    example = (
        "scoopi serve jobs\nscoopi serve --state /var/lib/scoopi --slots 4\nscoopi serve jobs --until-idle"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add JOBS and the options of the process."""
        parser.add_argument(
            "jobs",
            metavar="JOBS",
            type=Path,
            nargs="?",
            help="project to deploy first (default: the current one)",
        )
        _add_worker(parser)
        parser.add_argument("--no-schedule", action="store_true", help="run no passes, only attempts")
        parser.add_argument("--no-work", action="store_true", help="run no attempts, only passes")
        parser.add_argument(
            "--until-idle",
            action="store_true",
            help="exit when nothing is running, due, or waiting for a retry",
        )
        parser.add_argument(
            "--http",
            metavar="[HOST:]PORT",
            type=_address,
            help="serve /healthz, /readyz, /metrics and /api there, read-only (host: 127.0.0.1;\n"
            "0.0.0.0 is all addresses; port 0 takes a free one and logs it)",
        )
        parser.add_argument(
            "--http-name",
            metavar="NAME",
            action="append",
            default=[],
            help="a host name besides localhost that requests on a loopback address may use; may be repeated",
        )
        _add_output(parser)
        add_state(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Run the scheduler.

        Returns:
            0; 1 if a job is left that no live worker may run, or the last pass could not plan something; 130,
            143 or 129 after a signal.
        Raises:
            DefsError: the project has errors (exit 3); the current project is kept.
            UsageError: a live worker has the same name, or the state folder is on a network file system.
            RunError: cannot listen on the address of `--http` (exit 5).
            StoreError, ClusterError: the store was unavailable for STORE_WAIT_S, or its file cannot be
                opened.
        """
        from scoopi.serve.state_disk import ensure_local

        _options_of(options)  # refuses what does not go together before anything is opened
        ensure_local(options.state)
        with Signals(terminal, doing="stopping") as signals, ExitStack() as stack:
            wait = partial(_awaited, options, signals, terminal)
            try:
                state = wait(lambda: stack.enter_context(opened(options, must_exist=options.jobs is None)))
                signals.serve(state.limit_waits)
                if options.jobs is not None:
                    wait(lambda: _deploy(state, options, terminal))
                _warn_of_missing_protection(options, terminal)
                _serve(state, options, signals, terminal, wait)
            except StoppedError:
                return code_of_signal(signals.number or signal.SIGTERM)
            left = "" if options.no_work else state.passes.stranded()
            left = f"{left}; scoopi job why shows what to start" if left else state.passes.unplanned()
        return _code(signals.number, left, terminal)


def _deploy(state: State, options: Namespace, terminal: Terminal) -> None:
    """Deploy JOBS, unless another node has replaced it by a newer project since this one deployed it."""
    from scoopi.app import check_scrape
    from scoopi.periods.slot import instant_text

    if (at := state.replaced_since(options.jobs)) is not None:
        what = f"{options.jobs} is unchanged since this node deployed it, and another one replaced it at"
        hint = f"scoopi deploy {options.jobs} makes this one current again"
        terminal.say(
            f"warning: {what} {instant_text(at.replace(microsecond=0))}: the newer project stays; {hint}"
        )
        return
    check = partial(check_scrape, project=options.jobs)
    now, by = datetime.now(UTC), user_of(os.environ)
    state.deploy(options.jobs, check, now, by=by, warn=terminal.say)


def _serve(
    state: State,
    options: Namespace,
    signals: Signals,
    terminal: Terminal,
    wait: Callable[[Callable[[], Server]], Server],
) -> None:
    """Run passes and attempts until a signal or, with `--until-idle`, until nothing is left.

    If another worker took the default name while this process was frozen, it continues under a new one.

    Args:
        wait: see `_awaited`.
    """
    from scoopi.errors import FencedError
    from scoopi.metrics.metrics_server import MetricsServer, http_url
    from scoopi.serve.serve_health import ServeHealth
    from scoopi.serve.server import Server
    from scoopi.serve.web.serve_endpoints import ServeEndpoints
    from scoopi.serve.work.attempt_environment import AttemptEnvironment
    from scoopi.serve.work.run_specs import run_settings

    serves = _options_of(options)
    folder = options.state.resolve()
    environ, output = dict(terminal.environ), Path.cwd()
    runs = run_settings(store_url(options), environ, output)
    environment = AttemptEnvironment(folder / "work", folder, output, {"scrape": SCRAPE}, environ, runs)
    notify = _silent if options.quiet else terminal.say
    health, cores = ServeHealth(), os.cpu_count() or 1
    begin = partial(Server, state, serves, environment, cores, notify, health)
    with MetricsServer(_metrics_of(options), ServeEndpoints(state, health)) as http:
        answers_at = "" if http.address is None else f", and {http_url(*http.address)}"
        while True:
            try:
                with wait(begin) as server:
                    signals.serve(server.cancel, server.shutdown_text)
                    where = {"worker": server.name, "state": state.name}
                    notify(f"worker {server.name} serves {state.name}{answers_at}", event="serving", **where)
                    return server.run()
            except FencedError as error:
                if options.name is not None:
                    raise
                terminal.say(f"{error.what}; serving under another name")


def _options_of(options: Namespace) -> ServeOptions:
    from scoopi.serve.serve_options import ServeOptions

    return ServeOptions(
        options.name,
        options.slots,
        not options.no_schedule,
        not options.no_work,
        options.until_idle,
        options.groups,
    )


def _awaited(
    options: Namespace, signals: Signals, terminal: Terminal, attempt: Callable[[], ValueType]
) -> ValueType:
    """Return the result of a step of the start, which is repeated until the store responds.

    A database or cluster that starts together with this process may take a minute, or fail once more in
    between; exiting before that would look like a crash to a supervisor.

    Raises:
        StoppedError: a signal has come.
    """
    ends = time.monotonic() + STORE_WAIT_S
    while True:
        try:
            return attempt()
        except (StoreError, ClusterError) as error:
            left = ends - time.monotonic()
            if store_url(options) is None or isinstance(error, RecordError) or left <= 0:
                raise
            terminal.say(f"waiting for the store, for up to {left:.0f} s: {error}")
        if signals.wait(min(_STORE_RETRY_S, left)):
            raise StoppedError


def _warn_of_missing_protection(options: Namespace, terminal: Terminal) -> None:
    from scoopi.serve.store_guard import missing_protection

    url = store_url(options)
    lack = "" if url is None else missing_protection(url, cluster_of(url), terminal.environ)
    if lack:
        terminal.say(f"warning: {lack}")


_LAST_PORT = 65_535
_STORE_RETRY_S = 5.0
SCRAPE = "scoopi.scrape_attempt:run"


def _code(number: int | None, left: str, terminal: Terminal) -> int:
    """The exit code; prints a message if something is left."""
    if number is not None:
        return code_of_signal(number)
    if left:
        terminal.say(left)
    return SOME_FAILED if left else DONE


def _silent(line: str, /, **fields: object) -> None:
    """Show nothing, for `--quiet`."""


def _metrics_of(options: Namespace) -> MetricsSettings:
    if options.http is None:
        return MetricsSettings()
    host, port = options.http
    return MetricsSettings(enable=True, host=host, port=port, names=",".join(options.http_name))


def _address(text: str) -> tuple[str, int]:
    """Parse the host and port of `--http`.

    Raises:
        ArgumentTypeError: the text is not `PORT` or `HOST:PORT`.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (port.isascii() and port.isdigit() and int(port[:6]) <= _LAST_PORT) or (colon and not host):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"needs [HOST:]PORT, got {text!r}; for example 9010 or 0.0.0.0:9010")
    return host or MetricsSettings().host, int(port)


def _add_worker(parser: ArgumentParser) -> None:
    """Add the options of the worker of this process."""
    parser.add_argument(
        "--slots", metavar="N", type=at_least_one, help="attempts at a time (default: one per core)"
    )
    parser.add_argument(
        "--groups",
        metavar="A,B",
        type=group_names,
        default=(),
        help="groups of its worker, separated by commas (default: the group named default)",
    )
    parser.add_argument(
        "--name", metavar="W", type=worker_name, help="name of its worker (default: the host name)"
    )


def _add_output(parser: ArgumentParser) -> None:
    """Add the options of what is logged, and how."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print only warnings and errors")
    add_verbose(parser)
    parser.add_argument(
        "--json",
        dest="log_format",
        action="store_const",
        const="json",
        default="text",
        help="log one JSON object per line (on standard error, as the lines without it)",
    )


VERB: Verb = Serve()
