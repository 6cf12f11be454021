"""`scoopi version`: shows the versions of Scoopi and of what it runs on."""

from __future__ import annotations

import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from scoopi.cli.exit_codes import DONE
from scoopi.cli.terminal import Terminal
from scoopi.cli.verbs.verb import Verb
from scoopi.version import __version__


class Version:
    """One line a component, on stdout; a report of a fault is complete with them."""

    usage = "scoopi version"
    sentence = "Shows the versions of Scoopi and of what it runs on."
    example = "scoopi version"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """It takes none."""

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print them."""
        lines = list(versions())
        width = max(len(name) for name, _ in lines)
        for name, version in lines:
            terminal.give(f"{name:<{width}}  {version}")
        return DONE


def versions() -> Iterator[tuple[str, str]]:
    """Component and version; one that cannot be loaded says so in its place."""
    yield "scoopi", __version__
    yield "python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "system", f"{platform.system()} {platform.release()} {platform.machine()}"
    for name, ask in _ASK.items():
        try:
            yield name, ask()
        except Exception as fault:
            yield name, f"not usable: {type(fault).__name__}: {fault}"


def _lxml() -> str:
    return _installed("lxml")


def _libxml2() -> str:
    from scoopi.parse.tree.html import libxml2_version

    return libxml2_version()


def _html_backend() -> str:
    from scoopi.parse.tree.html import html_backend

    return html_backend()


def _curl() -> str:
    import pycurl

    return str(pycurl.version)


def _sqlite() -> str:
    import sqlite3

    return sqlite3.sqlite_version


def _hazelcast() -> str:
    """The client; a run on one machine needs none."""
    from importlib.metadata import PackageNotFoundError

    try:
        return _installed("hazelcast-python-client")
    except PackageNotFoundError:
        return 'not installed; a cluster wants pip install "scoopi[cluster]"'


def _installed(package: str) -> str:
    from importlib.metadata import version

    return version(package)


_ASK: dict[str, Callable[[], str]] = {
    "lxml": _lxml,
    "libxml2": _libxml2,
    "selectolax": lambda: _installed("selectolax"),
    "html backend": _html_backend,
    "pycurl": _curl,
    "quickjs": lambda: _installed("quickjs-ng"),
    "sqlite": _sqlite,
    "msgspec": lambda: _installed("msgspec"),
    "hazelcast": _hazelcast,
}

VERB: Verb = Version()
