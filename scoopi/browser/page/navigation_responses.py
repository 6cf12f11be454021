"""NavigationResponses: the responses of servers to the navigations of a tab."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import msgspec

_PAGE = 200
_BLANK = "about:blank"
_WEB = ("http://", "https://")
_LATE_S = 5.0
"""The longest that the browser may take to report an answer after its page has loaded."""


class NavigationResponse(msgspec.Struct, frozen=True):
    """A server's response to a navigation.

    Attributes:
        url: its address, without fragment.
        headers: headers by name in lower case.
    """

    url: str
    status: int
    headers: Mapping[str, str]

    @property
    def is_file(self) -> bool:
        """Whether a browser saves the response as a file instead of showing it."""
        return self.headers.get("content-disposition", "").strip().lower().startswith("attachment")


class NavigationResponses:
    """The responses of servers to the navigations of a tab, oldest first, without redirects.

    The browser reports them in a thread of its own, and perhaps after it shows the page.
    """

    def __init__(self) -> None:
        self._known: list[NavigationResponse] = []
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Forget all responses, at the start of a visit."""
        with self._changed:
            self._known.clear()

    def note(self, url: str, status: int, headers: Mapping[str, str]) -> None:
        """Add a response; called by the thread of the browser."""
        lower = {name.lower(): value for name, value in headers.items()}
        with self._changed:
            self._known.append(NavigationResponse(url.partition("#")[0], status, lower))
            self._changed.notify_all()

    def newest(self, wait_s: float) -> NavigationResponse | None:
        """Return the newest response, waiting up to `wait_s` seconds for one; None if none comes."""
        with self._changed:
            self._changed.wait_for(lambda: self._known, wait_s)
            return self._known[-1] if self._known else None

    def of(self, url: str, status: int, wait_s: float) -> NavigationResponse | None:
        """Return the newest response with this address and status; None if none comes in `wait_s` seconds.

        Args:
            status: the HTTP status; 0 for any.
        """
        wanted = url.partition("#")[0]

        def found() -> NavigationResponse | None:
            fits = (
                each for each in reversed(self._known) if each.url == wanted and status in (0, each.status)
            )
            return next(fits, None)

        with self._changed:
            return self._changed.wait_for(found, wait_s)

    def of_document(self, found: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
        """Return status and headers of the response that gave a document.

        That is not always the first one, as scripts navigate, too. If the browser has reported none, the
        status is that of the document, or 200, and the only header is its content type.

        Args:
            found: the result of the script `READING` for the document.
        """
        status, url = int(found["status"]), str(found["url"])
        if found["shown"] == _BLANK and (newest := self.newest(0)) is not None:
            return newest.status, dict(newest.headers)  # such as that of a 204, which gives no document
        if url.startswith(_WEB):
            answer = self.of(url, status, _LATE_S)
            if answer is not None:
                return answer.status, dict(answer.headers)
        return status or _PAGE, {"content-type": str(found["kind"])}
