"""Loader: the interface of what loads the pages of a worker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

from scoopi.fetch.hop_results import PluginResult
from scoopi.fetch.request import Request
from scoopi.model.handover import Grant, Handover, Payload
from scoopi.model.site_session import Session, SessionChange

OnPluginResult = Callable[[PluginResult], None]
OnSent = Callable[[str], None]
"""Receives the host of a request that was sent."""

OnHandover = Callable[[Handover | Exception], None]
"""Receives the handover of a payload, or the error of its page: any that `Step.run` may raise."""


class PluginClient(Protocol):
    """Makes the requests for the pages of some task groups, by a loader plugin."""

    def begin(
        self, request: Request, grant: Grant, on_result: OnPluginResult, on_sent: OnSent | None
    ) -> None:
        """Start a call of the plugin; the grant is for the host of the request."""

    def resume(
        self, call: int, request: Request, grant: Grant, on_result: OnPluginResult, on_sent: OnSent | None
    ) -> bool:
        """Let a call that waits for another grant continue; False if the call no longer exists.

        Args:
            request: the request for its page, with the current cookies of the site's session.
        """

    def abandon(self, call: int) -> None:
        """Abandon a call; callable from any thread."""

    def under_way(self) -> int:
        """The number of calls that do not wait for a grant."""

    def turn(self) -> None:
        """Report the events since the last turn."""

    def close(self) -> None:
        """Abandon all calls."""


class Loader(ABC):
    """Starts loads on request and advances them in turns; used by one thread at a time."""

    @abstractmethod
    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        """Start loading a page.

        Args:
            payload: its input is a LoadState.
            on_handover: called once, here or in a later `turn`: with a ToTask whose payload has the Page,
                with a ToGrant if the page needs (another) grant, or with the page's error.
        """

    @abstractmethod
    def under_way(self) -> int:
        """The number of pages being loaded."""

    @abstractmethod
    def turn(self, wait_s: float) -> None:
        """Advance all loads; when none can advance, wait for at most `wait_s` seconds."""

    @abstractmethod
    def wake(self) -> None:
        """End the wait of the current or the next turn; callable from any thread."""

    def learn(self, session: Session) -> None:
        """Take the current session of a site from the parent; callable from any thread."""
        return

    def take_changes(self) -> list[SessionChange]:
        """Return the changes that loads have made to sessions, each once."""
        return []

    def size_of(self, page: object) -> int:
        """The size of a loaded page in bytes; 0 for anything else, such as a file."""
        return 0

    def fault_of(self, page: object) -> str | None:
        """Why a page whose tasks have run gave no values; None if it gave some, or looks usable."""
        return None

    def abandon(self, payload: Payload) -> None:
        """Drop a payload that waits for a grant and will not get one here; callable from any thread."""
        return

    @abstractmethod
    def close(self) -> None:
        """Abandon all loads; no other method is called afterwards."""
