"""Arguments: which verb a command line means, and the reading of its options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import NoReturn, cast

from scoopi.cli.terminal import Terminal
from scoopi.cli.verb import Verb
from scoopi.errors import UsageError

VERBS: Mapping[str, str] = MappingProxyType(
    {
        "run": "run definitions: load their pages, write their rows",
        "resume": "go on with a run that was stopped",
        "check": "tell everything that is wrong with definitions",
        "config": "show every setting, and who set it",
        "status": "tell how the runs of a cluster go",
        "cancel": "stop a run on all nodes of a cluster",
        "member": "start a Hazelcast member, for development and tests",
        "version": "show the versions of Scoopi and of what it runs on",
    }
)
"""Verb → what it does; its module has the same name."""

_NEAR = 0.7


class Parser(argparse.ArgumentParser):
    """A parser whose faults are UsageErrors that say where help is."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"see {self.prog} --help")


def top_help() -> str:
    """What `scoopi --help` prints."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:<{width}}  {sentence}" for verb, sentence in VERBS.items())
    return f"""usage: scoopi DEFS [options]
       scoopi VERB [arguments]

Definitions in, rows out, each exactly once. DEFS is a folder of YAML definitions, or one file;
`scoopi DEFS` is short for `scoopi run DEFS`.

verbs:
{verbs}

example:
  scoopi defs/examples/quickstart

`scoopi VERB --help` tells what a verb takes."""


def verb_of(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The verb that a command line means, and what is left of the line.

    Raises:
        UsageError: the first word is no verb, is nothing that exists, and looks like a verb.
    """
    first = arguments[0]
    if first in VERBS:
        return first, arguments[1:]
    if not first.startswith("-") and not os.path.lexists(first):
        _refuse_misspelt(first)
    return "run", arguments


def read_options(name: str, arguments: Sequence[str]) -> tuple[Verb, argparse.Namespace]:
    """The verb's object and its options.

    Raises:
        UsageError: the arguments are not what the verb takes.
        SystemExit: help was asked for and printed.
    """
    verb = cast(Verb, import_module(f"scoopi.cli.{name}").VERB)
    parser = Parser(
        prog=f"scoopi {name}",
        usage=verb.usage,
        description=verb.sentence,
        epilog="example:\n" + "\n".join(f"  {line}" for line in verb.example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_arguments(parser)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse_unknown(parser, unknown)
    return verb, options


def run_verb(verb: Verb, options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the verb with the log on the terminal."""
    from scoopi.cli.log import log_to

    with log_to(terminal, getattr(options, "verbose", False)):
        return verb.run(options, terminal)


def _refuse_misspelt(word: str) -> None:
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), VERBS, n=1, cutoff=_NEAR)
    if near:
        what = f"{word!r} is no verb, and there is no such file or folder"
        raise UsageError(what, hint=f"did you mean scoopi {near[0]}?")


def _refuse_unknown(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    from difflib import get_close_matches

    word = unknown[0].partition("=")[0]
    known = [option for action in parser._actions for option in action.option_strings]
    near = get_close_matches(word, known, n=1, cutoff=_NEAR) if word.startswith("-") else []
    kind = "option" if word.startswith("-") else "argument"
    hint = f"did you mean {near[0]}?" if near else f"see {parser.prog} --help"
    raise UsageError(f"{parser.prog} takes no {kind} {word}", hint=hint)
