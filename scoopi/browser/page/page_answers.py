"""PageAnswers: the responses of servers to the navigations of a tab."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import msgspec


class PageAnswer(msgspec.Struct, frozen=True):
    """A server's response to a navigation.

    Attributes:
        url: its address, without fragment.
        headers: headers by name in lower case.
    """

    url: str
    status: int
    headers: Mapping[str, str]


class PageAnswers:
    """The responses of servers to the navigations of a tab, oldest first, without redirects.

    The browser reports them in a thread of its own, and perhaps after it shows the page.
    """

    def __init__(self) -> None:
        self._known: list[PageAnswer] = []
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Forget all, at the start of a visit."""
        with self._changed:
            self._known.clear()

    def note(self, url: str, status: int, headers: Mapping[str, str]) -> None:
        """Add a response; called by the thread of the browser."""
        lower = {name.lower(): value for name, value in headers.items()}
        with self._changed:
            self._known.append(PageAnswer(url.partition("#")[0], status, lower))
            self._changed.notify_all()

    def newest(self, wait_s: float) -> PageAnswer | None:
        """Return the newest response, waiting up to `wait_s` seconds for one; None if none comes."""
        with self._changed:
            self._changed.wait_for(lambda: self._known, wait_s)
            return self._known[-1] if self._known else None

    def of(self, url: str, status: int, wait_s: float) -> PageAnswer | None:
        """Return the newest response with this address and status, waiting up to `wait_s` seconds; or None.

        Args:
            status: the HTTP status; 0 for any.
        """
        wanted = url.partition("#")[0]

        def found() -> PageAnswer | None:
            fits = (
                each for each in reversed(self._known) if each.url == wanted and status in (0, each.status)
            )
            return next(fits, None)

        with self._changed:
            return self._changed.wait_for(found, wait_s)
