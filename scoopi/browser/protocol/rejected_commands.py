"""RejectedCommands: collects the rejections of commands that were sent without waiting for their results."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.browser.pool_messages import VisitFailed
from scoopi.browser.protocol.protocol_link import OnRejected, RejectedError
from scoopi.errors import NO_BROWSER

_HINTS = {
    "Network.setBlockedURLs": "look at `block` of its group",
    "Network.setUserAgentOverride": "look at `userAgent` of its site",
    "emulation.setUserAgentOverride": "look at `userAgent` of its site",
    "Fetch.continueRequest": "look at `headers` of its site",
    "network.continueRequest": "look at `headers` of its site",
}
_HINT = "try another version of the browser, or the other one by scoopi.webDriver.browser"
_GONE = frozenset({"no such frame", "no such request", -32001})
"""Codes of rejections that only say that a part of the page has disappeared."""
_REQUEST_GONE = "Invalid InterceptionId"
"""What Chromium says of a request that the page no longer waits for."""


class RejectedCommands:
    """Collects the rejections of commands that were sent without waiting for their results.

    A page whose hosts are not blocked, or whose requests lack the headers of its site, must not be read as
    if nothing were wrong. The browser reports rejections in a thread of its own.
    """

    def __init__(self) -> None:
        self._errors: list[RejectedError] = []

    def clear(self) -> None:
        """Forget all rejections, at the start of a visit."""
        self._errors.clear()

    def note(self, error: RejectedError) -> None:
        """Note a rejection, unless it only says that a part of the page has disappeared."""
        if not has_gone(error):
            self._errors.append(error)

    def noting(self, also: Callable[[], None]) -> OnRejected:
        """Return a function that notes a rejection, and then calls `also`."""

        def note(error: RejectedError) -> None:
            self.note(error)
            also()

        return note

    def failure(self) -> VisitFailed | None:
        """Return the failure of the visit for the first rejection; None if there was none."""
        return rejection(self._errors[0]) if self._errors else None


def has_gone(error: RejectedError) -> bool:
    """Return whether a rejection only says that a part of the page, or a request, has disappeared."""
    return error.code in _GONE or _REQUEST_GONE in error.reason


def rejection(error: RejectedError) -> VisitFailed:
    """Return the failure of a page for which the browser has rejected a command."""
    cause = f"the browser rejected the command {error.method}"
    return VisitFailed(f"{cause}: {error.reason}", cause, NO_BROWSER, _HINTS.get(error.method, _HINT))
