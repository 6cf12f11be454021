"""Options: the arguments that several verbs share, and functions that read their values."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.cli.option_values import at_least_one
from scoopi.errors import UsageError

if TYPE_CHECKING:
    from scoopi.model.inputs import Inputs


def add_settings(parser: ArgumentParser) -> None:
    """Add `--conf FILE` and `-D KEY=VALUE`."""
    parser.add_argument("--conf", metavar="FILE", type=Path, help="a YAML file of settings")
    parser.add_argument(
        "-D",
        dest="settings",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="change a setting, for example -D scoopi.loader.fetch.delay=250; may be repeated",
    )


def add_inputs(parser: ArgumentParser, of: str = "value of %%{input.NAME} in the definitions") -> None:
    """Add `-i NAME=VALUE`; `of` is what its help calls the value."""
    parser.add_argument(
        "-i",
        dest="inputs",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help=f"{of}; may be repeated",
    )


def read_inputs(texts: Iterable[str]) -> dict[str, str]:
    """Return name -> value of each `-i NAME=VALUE`.

    Raises:
        UsageError: an input is malformed, or a name is given twice.
    """
    inputs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text!r} is not an input", hint="write -i NAME=VALUE")
        if name in inputs:
            raise UsageError(f"the input {name} is given twice", hint="leave one of them out")
        inputs[name] = value
    return inputs


def inputs_of_file(name: str) -> dict[str, str]:
    """Read inputs from a JSON or YAML file, `-` for standard input; lists and mappings become JSON texts.

    Values in YAML are texts as written: `007` and `2026-01-31` are neither a number nor a date.

    Raises:
        UsageError: the file cannot be read, or is not a mapping.
    """
    import json  # late: most commands do not need it
    import sys

    from scoopi.configs.conf_file import plain_value

    shown = "standard input" if name == "-" else name
    try:
        values = plain_value(sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"{shown}: {why}", hint='write {"NAME": "VALUE"}, or lines as NAME: VALUE'
        ) from error
    if not isinstance(values, dict):
        kind = "nothing" if values is None else f"a {'list' if isinstance(values, list) else 'single value'}"
        what = f"{shown} holds {kind}, not names with values"
        raise UsageError(what, hint='write {"NAME": "VALUE"}, or lines as NAME: VALUE')
    return {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in values.items()
    }


def given_inputs(options: Namespace) -> Inputs:
    """Return the inputs given by `-i`.

    Raises:
        UsageError: as `read_inputs`.
    """
    from scoopi.model.inputs import Inputs  # late: the help does not need it

    return Inputs(read_inputs(options.inputs))


def add_run_options(parser: ArgumentParser) -> None:
    """Add the common options of `run`, `resume` and `retry`."""
    parser.add_argument(
        "--output",
        metavar="DIR",
        default="output",
        help="folder that holds the runs' folders (default: output); - writes the rows to stdout",
    )
    add_settings(parser)
    parser.add_argument(
        "--workers",
        metavar="N",
        type=_workers,
        help="number of worker processes, or auto, one per core (default); 0 runs all in one process",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=at_least_one,
        help="end the run after N pages, and write their rows",
    )
    parser.add_argument(
        "--plain",
        dest="settings",
        action="append_const",
        const="scoopi.parser.plain=true",
        help="evaluate definitions without compiling them: the same rows, but slower; for debugging",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing unless something is wrong")
    add_verbose(parser)
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="format of messages on stderr: text (default), or one JSON object per line",
    )


def add_cluster(parser: ArgumentParser) -> None:
    """Add `--cluster HOST:PORT,…` and `--store URL`, for a verb that queries a cluster."""
    parser.add_argument(
        "--cluster",
        metavar="HOST:PORT,…",
        type=member_addresses,
        help="members of the Hazelcast cluster (default: the setting scoopi.cluster.addresses)",
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        help="the database that keeps the runs: postgresql://USER@HOST/DATABASE "
        "(default: the setting scoopi.cluster.store)",
    )


def add_run_of_cluster(parser: ArgumentParser) -> None:
    """Add RUN, and the options of a verb that controls a run in a cluster."""
    parser.add_argument("run_name", metavar="RUN", help="the run's name, as scoopi status shows it")
    add_cluster(parser)
    add_settings(parser)
    add_verbose(parser)


def member_addresses(text: str) -> str:
    """Return the value of `--cluster`; a blank one is an error, as it would start a run without a cluster.

    Raises:
        ArgumentTypeError: the value is blank.
    """
    if not text.strip():
        raise ArgumentTypeError(f"needs HOST:PORT of a member, for example 10.0.0.7:5701, got {text!r}")
    return text


def cluster_settings(options: Namespace) -> dict[str, str]:
    """Return the settings of the command line, including `--cluster` and `--store`.

    Raises:
        UsageError: as `read_settings`; or the URL is invalid, or both options are given.
    """
    settings = read_settings(options.settings)
    if options.store is not None:
        if options.cluster is not None:
            what = "--store and --cluster both name where runs are kept"
            raise UsageError(what, hint="leave one of them out")
        settings |= _store_settings(options.store)
    if options.cluster is not None:
        settings |= {"scoopi.cluster.addresses": options.cluster, "scoopi.cluster.store": ""}
    return settings


def name_cluster(options: Namespace) -> None:
    """Add `--cluster` and `--store` to `options.settings`; raises as `cluster_settings`."""
    options.settings = [f"{key}={value}" for key, value in cluster_settings(options).items()]


def _store_settings(text: str) -> dict[str, str]:
    """Return the settings for `--store`; the URL as written, since it may contain `${env:…}`.

    Raises:
        UsageError: the URL is invalid, or has a path, which names the state of a scheduler.
    """
    from scoopi.model.text.store_url import DEFAULT_NAME, StoreKind, parse_store_url

    url = parse_store_url(text)
    if url.kind is StoreKind.POSTGRESQL:
        return {"scoopi.cluster.store": text, "scoopi.cluster.addresses": ""}
    if url.name != DEFAULT_NAME:
        hint = "leave it out; -D scoopi.cluster.name=… is the name of the members' cluster"
        raise UsageError(f"--store {url.shown}: /{url.name} names the state of a scheduler", hint=hint)
    return {"scoopi.cluster.addresses": url.hosts, "scoopi.cluster.store": ""}


def add_verbose(parser: ArgumentParser) -> None:
    """Add `--verbose`."""
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="log a line for each page, progress and tracebacks"
    )


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """Return key -> value of each `-D KEY=VALUE`; the last value of a key counts.

    Raises:
        UsageError: the `=` or the key is missing.
    """
    settings: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                f"-D {text} is not KEY=VALUE", hint="write it like -D scoopi.loader.fetch.delay=250"
            )
        settings[key.strip()] = value
    return settings


def _workers(text: str) -> str:
    word = text.strip().lower()
    if word == "auto" or (word.isascii() and word.isdigit() and int(word) <= 256):
        return word
    raise ArgumentTypeError(f"needs a number from 0 to 256 or auto, got {text!r}")
