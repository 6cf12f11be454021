"""ListAppender: keeps rows as values, for programs that embed Scoopi."""

from __future__ import annotations

from dataclasses import dataclass

from scoopi.plugins.ports import LIST_PREFIX


@dataclass(frozen=True)
class ListAppender:
    """Rows of this plugin are found in the run's report, under its name.

    Source: language, A19.
    """

    name: str

    @property
    def output(self) -> str:
        """The stream of these rows among the outputs of a page."""
        return f"{LIST_PREFIX}{self.name}"
