"""Verb: one word of the command line, what it takes and what it does."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Protocol

from scoopi.cli.terminal import Terminal


class Verb(Protocol):
    """What each verb's module offers under the name `VERB`."""

    usage: str
    """The command without `usage: scoopi`."""
    sentence: str
    """What it does."""
    example: str
    """One or more commands to copy, one a line."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare options and arguments."""

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Do it.

        Returns:
            The exit code.
        Raises:
            ScoopiError: it could not be done; `exit_codes` knows the code.
        """
