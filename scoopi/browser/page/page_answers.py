"""PageAnswers: what the servers have answered to the navigations of a tab."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import msgspec


class PageAnswer(msgspec.Struct, frozen=True):
    """What a server answered to a navigation.

    Attributes:
        url: without its fragment.
        headers: names in lower case.
    """

    url: str
    status: int
    headers: Mapping[str, str]


class PageAnswers:
    """What the servers have answered to the navigations of a tab, but for redirects, oldest first.

    The browser reports them in a thread of its own, perhaps later than it shows the page.
    """

    def __init__(self) -> None:
        self._known: list[PageAnswer] = []
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Forget all, as a visit begins."""
        with self._changed:
            self._known.clear()

    def note(self, url: str, status: int, headers: Mapping[str, str]) -> None:
        """Add the newest; called by the thread of the browser."""
        lower = {name.lower(): value for name, value in headers.items()}
        with self._changed:
            self._known.append(PageAnswer(url.partition("#")[0], status, lower))
            self._changed.notify_all()

    def newest(self, wait_s: float) -> PageAnswer | None:
        """The newest one; None if none comes in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._known, wait_s)
            return self._known[-1] if self._known else None

    def of(self, url: str, status: int, wait_s: float) -> PageAnswer | None:
        """The newest one that gave the document of this address and status; None if it does not come in time.

        Args:
            status: 0 if it is not known.
        """
        wanted = url.partition("#")[0]

        def found() -> PageAnswer | None:
            fits = (
                each for each in reversed(self._known) if each.url == wanted and status in (0, each.status)
            )
            return next(fits, None)

        with self._changed:
            return self._changed.wait_for(found, wait_s)
