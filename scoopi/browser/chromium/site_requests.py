"""SiteRequests: pauses requests of a page in Chromium until they may be sent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from scoopi.browser.page.request_rules import RequestRules, has_media_ending
from scoopi.browser.pool_messages import Visit
from scoopi.browser.protocol.protocol_link import Command, ProtocolLink
from scoopi.browser.protocol.rejected_commands import RejectedCommands
from scoopi.browser.started import Ask

_PAGES = {"urlPattern": "*", "resourceType": "Document"}
_MEDIA = frozenset({"Font", "Image", "Media"})
_ICON = "Other"
"""The kind of the request for a page's icon, and for the scripts of workers."""


class SiteRequests:
    """Pauses requests of a page in Chromium until they may be sent, and adds the site's headers to some.

    Pausing a request takes time, so it is done only for pages and for requests that get headers; with
    `paced`, for all. Media are refused here whatever their address is, and frames of blocked hosts, which
    `Network.setBlockedURLs` does not hold back.

    Args:
        link: the connection to the browser over its own protocol.
        rejected: notes what the browser rejects.
        images: whether to load images, fonts and media.
    """

    def __init__(self, link: ProtocolLink, rejected: RejectedCommands, images: bool = True) -> None:
        self._link = link
        self._rejected = rejected
        self._images = images
        self._rules = RequestRules()
        self._tab = ""
        self._patterns: list[dict[str, str]] = []
        self._watched: dict[str, list[dict[str, str]]] = {}
        self._windows: dict[str, str] = {}
        self._empty: set[str] = set()

    def begin(self, visit: Visit, tab: str, ask: Ask) -> None:
        """Apply the rules of this visit to the requests from now on.

        Args:
            tab: id of the visit's tab, and of its main frame.
            ask: asks for the grants of requests that need one.
        """
        self._rules.begin(visit, ask)
        self._tab = tab
        self._patterns = [{"urlPattern": "*"}] if visit.how.paced else [_PAGES, *self._media(), *self._own()]

    def watch(self, session: str) -> list[Command]:
        """Return the commands that pause the requests of a session, if they have changed since its last call.

        Args:
            session: DevTools session of a page, of one of its frames, or of a window.
        """
        if self._watched.get(session) == self._patterns:
            return []
        self._watched[session] = self._patterns
        return [("Fetch.enable", {"patterns": self._patterns})]

    def add_window(self, session: str, window: str, *, is_empty: bool) -> None:
        """Treat the page of a session as a window that another page has opened.

        Args:
            session: DevTools session of the window.
            window: its id, and that of its main frame.
            is_empty: whether the window stays empty: none of its requests are sent.
        """
        self._windows[session] = window
        if is_empty:
            self._empty.add(session)

    def forget(self, *sessions: str) -> None:
        """Forget the sessions of pages, frames and windows that are closed."""
        for session in sessions:
            self._watched.pop(session, None)
            self._windows.pop(session, None)
            self._empty.discard(session)

    def take(self, session: str, event: Mapping[str, Any]) -> None:
        """Continue a paused request once it may be sent, or fail it if it must not be.

        Args:
            session: DevTools session that sends the request.
            event: parameters of the event `Fetch.requestPaused`.
        """
        on_ruling = partial(self._end, session, event)
        if session in self._empty:
            on_ruling(None)
            return
        frame = event["frameId"] if event["resourceType"] == "Document" else ""
        is_page, is_window = frame == self._tab, bool(frame) and frame == self._windows.get(session)
        url, is_subresource = str(event["request"]["url"]), not is_page and not is_window
        if is_subresource and (self._rules.is_blocked(url) or (not self._images and _is_media(event))):
            on_ruling(None)
        else:
            self._rules.rule(url, is_page, on_ruling, is_window)

    def _end(self, session: str, event: Mapping[str, Any], extra: Mapping[str, str] | None) -> None:
        wanted: dict[str, Any] = {"requestId": event["requestId"]}
        fail = partial(self._fail, session, event["requestId"])
        if extra is None:
            fail()
            return
        if extra:
            own = event["request"]["headers"].items()
            headers = {name: value for name, value in own if name.lower() not in extra}
            wanted["headers"] = [
                {"name": name, "value": value} for name, value in {**headers, **extra}.items()
            ]
        on_rejected = self._rejected.noting(fail)  # else the page would wait for it until its time is over
        self._link.post("Fetch.continueRequest", wanted, session, on_rejected)

    def _fail(self, session: str, request: str) -> None:
        refusal = {"requestId": request, "errorReason": "BlockedByClient"}
        self._link.post("Fetch.failRequest", refusal, session, self._rejected.note)

    def _media(self) -> list[dict[str, str]]:
        """The patterns of requests for media, if they are refused."""
        kinds = () if self._images else (*sorted(_MEDIA), _ICON)
        return [{"urlPattern": "*", "resourceType": kind} for kind in kinds]

    def _own(self) -> list[dict[str, str]]:
        """The patterns of requests to the site, if they get headers."""
        site = self._rules.site
        scheme, host = "https" if site.scheme == "https" else "*", site.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        patterns = [{"urlPattern": f"{scheme}://{shown}{port}/*"} for port in ("", ":*")]
        return patterns if self._rules.headers else []


def _is_media(event: Mapping[str, Any]) -> bool:
    """Whether a paused request is for an image, a font, a sound or a film."""
    kind, asked = event["resourceType"], event["request"]
    accepted = next((value for name, value in asked["headers"].items() if name.lower() == "accept"), "")
    is_icon = kind == _ICON and str(accepted).startswith("image/")
    return kind in _MEDIA or is_icon or has_media_ending(str(asked["url"]))
