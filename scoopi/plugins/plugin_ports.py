"""The interfaces that plugins implement for steps and appenders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from scoopi.model.data import Axis, Data
from scoopi.model.locator import Locator


class Converter(Protocol):
    """Turns one text into another."""

    def convert(self, value: str) -> str:
        """The converted value; asked once for each value of a page, however many rows have it.

        Raises:
            ConvertError: the value cannot be read; the plugin's `onError` decides what follows.
        """


class Encoder(Protocol):
    """Turns the rows of a page into bytes of an output file."""

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """All rows, each ended as the format wants; `page` is the position in the chain of links.

        Raises:
            EncodeError: a row cannot be written in this format.
        """

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """What an output file begins with; empty when the format (or definition) has no header."""


LIST_PREFIX = "list:"
"""Before the name of rows that are kept in memory."""


class Appender(Protocol):
    """Describes where rows go; the appending is done by the parent.

    `output` is a file's path relative to the run's folder, or `list:<plugin name>` for rows kept in memory.
    """

    @property
    def output(self) -> str: ...


Script = Callable[[Data], Data]
"""A Python script plugin: data -> changed data."""

PluginKind = Literal["steps", "appenders", "encoders", "converters", "scripts", "loaders"]
"""The kinds of plugins; each has an entry point group `scoopi.<kind>`."""
