"""Operations of verbs, as in `job list`, and the options that the scheduler's verbs share."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from scoopi.cli.arguments import Parser
from scoopi.cli.option_values import at_least_one, capacity, group_names, worker_name
from scoopi.cli.schedule_verbs.state_option import StateOption, state_folder
from scoopi.errors import PeriodError, UsageError
from scoopi.model.schedule.run_node import FIRST_NODE
from scoopi.model.schedule.schedule_records import AttemptStatus
from scoopi.serve.rows import ENDS

if TYPE_CHECKING:
    from scoopi.configs.groups import ClusterSettings
    from scoopi.model.text.store_url import StoreUrl
    from scoopi.serve.services.job_service import JobService
    from scoopi.serve.services.process_service import ProcessService
    from scoopi.serve.state import State

_ARGUMENTS: dict[str, dict[str, Any]] = {
    "process": {
        "metavar": "PROCESS",
        "help": "its name; the namespace may be left out if the name is unique",
    },
    "job": {"metavar": "JOB", "help": "PROCESS/SLOT, as job list prints it"},
    "attempt": {"metavar": "ATTEMPT", "help": "PROCESS/SLOT/NUMBER, as attempt list prints it"},
    "name": {"metavar": "NAME", "help": "of the worker, as worker list prints it"},
    "every": {"metavar": "EVERY", "help": "a duration such as 90s or 2h, or default"},
    "--reason": {"metavar": "TEXT", "default": "", "help": "shown by process show and job why"},
    "-n": {
        "dest": "count",
        "metavar": "N",
        "type": at_least_one,
        "default": 5,
        "help": "number of slots (default: 5)",
    },
    "--process": {"metavar": "PROCESS", "help": "only those of this process"},
    "--in": {"dest": "state_of", "metavar": "STATE", "help": "the same as --state STATE"},
    "--from": {"dest": "first", "metavar": "SLOT", "help": "the first slot, or a day such as 2026-11-01"},
    "--to": {"dest": "last", "metavar": "SLOT", "help": "the last slot or day (inclusive)"},
    "--overlap": {
        "choices": ("wait", "skip", "allow", "buffer_one", "cancel_running"),
        "default": "",
        "help": "overrides that of the process (default: allow if the process allows it, else wait)",
    },
    "--order": {"choices": ("old", "new"), "default": "old", "help": "which slots run first (default: old)"},
    "--max-parallel": {
        "metavar": "N",
        "type": int,
        "default": 0,
        "help": "the most jobs at a time (default: no limit)",
    },
    "--since": {"metavar": "TIME", "help": "only those changed since: RFC 3339, or a duration such as 2h"},
    "list --status": {"dest": "state_of", "metavar": "STATUS", "help": "only with this status"},
    "--dry-run": {"action": "store_true", "help": "print what would change, and change nothing"},
    "--list": {"dest": "shows_list", "action": "store_true", "help": "show the backfills of the process"},
    "--cancel": {"metavar": "BACKFILL", "help": "skip the jobs of a backfill that are not over"},
    "--job": {
        "metavar": "JOB",
        "help": "all attempts of this job (default: only the live ones, of all jobs)",
    },
    "--mode": {
        "choices": ("drain", "step", "kill"),
        "default": "",
        "help": "drain lets it end by itself, step sends SIGTERM and kills it later, kill does so after 5 s "
        "(default: the project's cancel.default_mode)",
    },
    "--groups": {
        "metavar": "A,B",
        "type": group_names,
        "help": "groups, separated by commas (default: those that it has; of a new worker, default)",
    },
    "--capacity": {
        "metavar": "N",
        "type": capacity,
        "help": "attempts at a time (default: as before; of a new worker, 1)",
    },
    "put name": {"metavar": "NAME", "type": worker_name, "help": "of a new worker, or of one in worker list"},
    "--worker": {"metavar": "NAME", "required": True, "help": "the worker's name"},
    "--limit": {"metavar": "N", "type": at_least_one, "default": 1, "help": "the most attempts (default: 1)"},
    "--fence": {"metavar": "N", "type": int, "help": "the fence printed by claim (default: the current one)"},
    "--node": {
        "metavar": "N",
        "type": int,
        "default": FIRST_NODE,
        "help": "node of a run of several nodes (default: 1)",
    },
    "-f": {"dest": "follow", "action": "store_true", "help": "follow it until the attempt ends"},
    "--status": {"required": True, "choices": ENDS, "help": "how it ended"},
    "--output": {
        "dest": "inputs",
        "metavar": "NAME=VALUE",
        "action": "append",
        "default": [],
        "help": "an output; may be repeated",
    },
    "--outputs": {"metavar": "FILE", "help": "JSON or YAML with outputs by name, - for standard input"},
    "--result": {"metavar": "TEXT", "help": "a result of the attempt, as text"},
    "--explanation": {"metavar": "TEXT", "default": "", "help": "why it ended so"},
}


def add_operations(
    parser: ArgumentParser,
    operations: Mapping[str, tuple[str, Sequence[str]]],
    states: Sequence[str] = (),
) -> None:
    """Add the operations of a verb, with the common options.

    Args:
        operations: name -> (help, its arguments).
        states: states that `list --state` accepts in addition to a folder.
    """
    added = parser.add_subparsers(
        dest="operation", metavar="OPERATION", required=True, parser_class=Parser, prog=parser.prog
    )
    for name, (sentence, arguments) in operations.items():
        operation = added.add_parser(name, help=sentence, description=sentence, allow_abbrev=False)
        operation.set_defaults(parser=operation)  # its name is in messages about unknown arguments
        for argument in arguments:
            own = _ARGUMENTS.get(f"{name} {argument}") or _ARGUMENTS.get(argument, {})
            operation.add_argument(argument, **own)
        add_common(operation, states if name == "list" else ())


def add_common(parser: ArgumentParser, states: Sequence[str] = ()) -> None:
    """Add `--state`, `--store`, `--json` and `--now`; for `states` see `add_operations`."""
    add_state(parser, states)
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.add_argument("--now", metavar="TIME", help="RFC 3339; overrides the current time")


def add_state(parser: ArgumentParser, states: Sequence[str] = ()) -> None:
    """Add `--state` and `--store`; for `states` see `add_operations`."""
    folder = "folder of the scheduler's state (default: $SCOOPI_STATE, else scheduler)"
    default = state_folder(os.environ, Path.cwd())
    if states:
        parser.add_argument(
            "--state",
            metavar="STATE|DIR",
            action=StateOption,
            states=states,
            default=default,
            help=f"only in this state: {', '.join(states)}; any other value is the\n{folder}",
        )
    else:
        parser.add_argument("--state", metavar="DIR", type=Path, default=default, help=folder)
    parser.add_argument(
        "--store",
        metavar="URL",
        help="where several machines keep the records: postgresql://USER@HOST/DATABASE, or\n"
        "hazelcast://HOST:PORT,… (default: $SCOOPI_STORE, else a file in the state folder)",
    )


def now_of(options: Namespace) -> datetime:
    """Return the time given by `--now`, else the current time.

    Raises:
        UsageError: `--now` is not an instant.
    """
    return instant_of("--now", options.now) if options.now else datetime.now(UTC)


def instant_of(option: str, text: str) -> datetime:
    """Parse the value of an option that is an instant.

    Raises:
        UsageError: it is not an instant; the message names the option.
    """
    from scoopi.periods.slot import parse_instant

    try:
        return parse_instant(text)
    except PeriodError as error:
        raise UsageError(f"{option}: {error.what}", hint=error.hint) from error


def since_of(options: Namespace) -> datetime | None:
    """Return the time of `--since`; None without it.

    Raises:
        UsageError: the value is neither an instant nor a duration.
    """
    from scoopi.periods.duration import parse_duration
    from scoopi.periods.slot import parse_instant

    if options.since is None:
        return None
    try:
        return now_of(options) - parse_duration(options.since)
    except PeriodError:
        pass
    try:
        return parse_instant(options.since)
    except PeriodError as error:
        raise UsageError(f"--since: {error.what}", hint=f"{error.hint}, or 2h") from error


def user_of(environ: Mapping[str, str]) -> str:
    """Return the user to record with a change: `SCOOPI_USER`, else the user of the operating system."""
    if environ.get("SCOOPI_USER"):
        return environ["SCOOPI_USER"]
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


@contextmanager
def opened(options: Namespace, *, must_exist: bool = True) -> Iterator[State]:
    """Open the scheduler's state that the options name; a PeriodError inside becomes a UsageError.

    Raises:
        UsageError: the state does not exist yet.
        StoreError, ClusterError: the store cannot be opened.
    """
    from scoopi.serve.state import State
    from scoopi.store.schedule.store_opening import DATABASE

    url = store_url(options)
    if must_exist and url is None and not (options.state / DATABASE).exists():
        what = f"there is no state of a scheduler in {options.state}"
        hint = "scoopi deploy JOBS creates it; --state DIR names another folder"
        if str(options.state) in get_args(AttemptStatus):
            hint = f"{options.state} is a status of attempts: scoopi attempt list --status {options.state}"
        raise UsageError(what, hint=hint)
    try:
        with State(options.state, url, cluster_of(url)) as state:
            if must_exist and url is not None and not state.current()[0]:
                what = f"nothing is deployed in {url.shown}"
                raise UsageError(what, hint=f"scoopi deploy JOBS --store {url.shown} creates it")
            yield state
    except PeriodError as error:
        raise UsageError(error.what, hint=error.hint) from error


def store_url(options: Namespace) -> StoreUrl | None:
    """Return the store that `--store` or the environment names; None for a file in the state folder.

    Raises:
        UsageError: the URL is invalid.
    """
    text = options.store if options.store is not None else os.environ.get("SCOOPI_STORE")
    if text is None:
        return None
    from scoopi.model.text.store_url import parse_store_url

    return parse_store_url(text)


def cluster_of(url: StoreUrl | None) -> ClusterSettings | None:
    """Read the `scoopi.cluster.…` settings for a Hazelcast store; None for any other store."""
    if url is None or url.kind != "hazelcast":
        return None
    from scoopi.configs.configs_reader import ConfigsReader
    from scoopi.configs.groups import ClusterSettings

    given = {"scoopi.cluster.addresses": url.hosts}
    return ClusterSettings.of(ConfigsReader().read(given, None, os.environ, Path.cwd()), Path.cwd())


@contextmanager
def services(options: Namespace) -> Iterator[tuple[ProcessService, JobService]]:
    """Open the state, with the services for processes and for jobs."""
    from scoopi.serve.services.job_service import JobService
    from scoopi.serve.services.process_service import ProcessService

    now, user = now_of(options), user_of(os.environ)
    with opened(options) as state:
        processes = ProcessService(state, now, user)
        yield processes, JobService(state, now, lambda name: processes.process(name).name, user)
