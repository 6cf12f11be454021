"""The interfaces that plugins implement for steps and appenders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from scoopi.model.data import Axis, Data
from scoopi.model.locator import Locator


class Converter(Protocol):
    """Turns one text into another."""

    def convert(self, value: str) -> str:
        """Convert a value; called once for each distinct value of a page.

        Raises:
            ConvertError: the value cannot be converted; the plugin's `onError` says what happens then.
        """


class Encoder(Protocol):
    """Turns the rows of a page into bytes of an output file."""

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """Encode all rows, each with the format's terminator.

        Args:
            page: position of the page in the chain of links, from 1.

        Raises:
            EncodeError: a row cannot be written in this format.
        """

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """The beginning of an output file; empty if the format (or definition) has no header."""


LIST_PREFIX = "list:"
"""Prefix of the output name of rows that are kept in memory."""


class Appender(Protocol):
    """Says where rows go; the parent process appends them.

    `output` is a file's path relative to the run's folder, or `list:<plugin name>` for rows kept in memory.
    """

    @property
    def output(self) -> str: ...


Script = Callable[[Data], Data]
"""A Python script plugin: takes data, returns changed data."""

PluginKind = Literal["steps", "appenders", "encoders", "converters", "scripts", "loaders"]
"""The kinds of plugins; the entry point group of each is `scoopi.<kind>`."""
