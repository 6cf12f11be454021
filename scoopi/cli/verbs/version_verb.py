"""`scoopi version`: shows the versions of Scoopi and its components."""

from __future__ import annotations

import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.terminal import Terminal
from scoopi.version import __version__


class Version:
    """Prints one line for each component, for bug reports."""

    usage = "scoopi version"
    sentence = "Shows the versions of Scoopi and its components."
    example = "scoopi version"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add no arguments."""

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the versions."""
        lines = list(versions())
        width = max(len(name) for name, _ in lines)
        for name, version in lines:
            terminal.give(f"{name:<{width}}  {version}")
        return DONE


def versions() -> Iterator[tuple[str, str]]:
    """Yield name and version of each component; if it is not usable, its error instead of the version."""
    yield "scoopi", __version__
    yield "python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "system", f"{platform.system()} {platform.release()} {platform.machine()}"
    for name, ask in COMPONENTS.items():
        try:
            yield name, ask()
        except Exception as fault:
            yield name, f"not usable: {type(fault).__name__}: {fault}"


def _libxml2() -> str:
    from scoopi.parse.tree.page import libxml2_version

    return libxml2_version()


def _html_backend() -> str:
    from scoopi.parse.tree.page import html_backend

    return html_backend()


def _curl() -> str:
    import pycurl

    return str(pycurl.version)


def _sqlite() -> str:
    import sqlite3

    return sqlite3.sqlite_version


def _hazelcast() -> str:
    """The version of the client, which only a cluster needs."""
    from importlib.metadata import PackageNotFoundError

    try:
        return installed_version("hazelcast-python-client")
    except PackageNotFoundError:
        return 'not installed; clusters need pip install "scoopi[cluster]"'


def installed_version(package: str) -> str:
    """The version of an installed package.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    from importlib.metadata import version

    return version(package)


COMPONENTS: dict[str, Callable[[], str]] = {
    "lxml": lambda: installed_version("lxml"),
    "libxml2": _libxml2,
    "selectolax": lambda: installed_version("selectolax"),
    "html backend": _html_backend,
    "pycurl": _curl,
    "quickjs": lambda: installed_version("quickjs-ng"),
    "sqlite": _sqlite,
    "msgspec": lambda: installed_version("msgspec"),
    "hazelcast": _hazelcast,
}
"""Component -> the function that finds its version."""

VERB: Verb = Version()
