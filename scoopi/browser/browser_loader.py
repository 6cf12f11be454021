"""BrowserLoader: loads the pages of a task group in the browsers of its node."""

from __future__ import annotations

import logging
import time
from multiprocessing.connection import Client, Connection

import msgspec

from scoopi.browser.filled_actions import FilledActions
from scoopi.browser.pool_messages import (
    BrowserReserved,
    PartGranted,
    PartRequested,
    Rendered,
    Reply,
    Visit,
    VisitFailed,
    receive_reply,
    send,
)
from scoopi.errors import NO_BROWSER, FetchError, LoadFault
from scoopi.model.scrape.browser_def import BrowserDef
from scoopi.model.text.secrets import MissingSecretError
from scoopi.model.text.shown import shown
from scoopi.plugins.loader_port import Answer, HeldGrant, Web

log = logging.getLogger(__name__)
_START_S = 20.0
"""The longest that the pool may take to listen."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class BrowserLoader:
    """Loads the pages of a task group in the browsers of its node.

    See `LoaderPlugin`. A call waits for a free browser, then for a grant. The grant is not used before the
    browser sends the request, as making a tab takes a while.

    Args:
        socket: path of the socket of the node's pool.
        how: how the group's pages are loaded.
    """

    def __init__(self, socket: str, how: BrowserDef) -> None:
        self._socket = socket
        self._actions = FilledActions(how)
        self._has_warned = self._is_warned_of_start = self._is_warned_of_removed = False
        self._rejected: set[str] = set()

    def load(self, url: str, web: Web) -> Answer:
        """Load a page in a browser of the pool; see `LoaderPlugin`.

        Raises:
            FetchError: the page was not loaded, or did not reach the state that the definitions require.
        """
        try:
            with self._connected() as connection:
                reply = receive_reply(connection)
                if not isinstance(reply, BrowserReserved):
                    self._warn_of_start(reply)
                    return _answer(reply, url)
                self._is_warned_of_start = False
                with web.hold(url) as held:
                    terms = held.terms
                    if terms.method != "GET":
                        hint = "leave out `method`, `form` and `json` of its locators, or `loader: browser`"
                        raise FetchError("a browser can load pages by GET only", at=shown(url), hint=hint)
                    how = self._filled(terms.locator_name, terms.locator_url, url)
                    visit = Visit(terms.url, dict(terms.headers), terms.timeout_s, how, terms.cookies, True)
                    send(connection, visit)
                    reply = _result(connection, web, held)
        except (EOFError, OSError) as error:
            cause = "the pool of browsers has ended"
            fault = LoadFault(NO_BROWSER, is_transient=True)
            raise FetchError(cause, at=shown(url), cause=cause, fault=fault) from error
        self._warn(reply, url)
        return _answer(reply, url)

    def _filled(self, name: str, locator_url: str, url: str) -> BrowserDef:
        try:
            return self._actions.of(name, locator_url)
        except MissingSecretError as error:
            what = f"an action types the environment variable {error.variable}, which is not set"
            raise FetchError(
                what, at=shown(url), hint="set it in the environment of Scoopi and run again"
            ) from error

    def _warn(self, reply: Rendered | VisitFailed, url: str) -> None:
        """Log once for the group what does not fail a page, such as a window that is not read."""
        for name in reply.rejected:
            if name not in self._rejected:
                self._rejected.add(name)
                log.warning(
                    "the browser does not take the cookie %s of the session, so %s is loaded without it; "
                    "the pages that are loaded by plain HTTP have it",
                    shown(name),
                    shown(url),
                )
        if isinstance(reply, Rendered) and reply.unused and not self._has_warned:
            self._has_warned = True
            log.warning(
                "the action at %s has opened a window, which stays empty, as no action continues in it; "
                "to read its page, put `window: new` right after it",
                reply.unused,
            )

        if isinstance(reply, Rendered) and reply.removed and not self._is_warned_of_removed:
            self._is_warned_of_removed = True
            place, selector, number = msgspec.structs.astuple(reply.removed)
            log.warning(
                "while %s was scrolled (%s), it removed %d elements of `%s` that it had shown, so they are "
                "not read: the list keeps only a part of its records in the page; load the address that "
                "they come from (`json`), or pages of the list",
                shown(url),
                place,
                number,
                selector,
            )

    def _warn_of_start(self, reply: Reply) -> None:
        """Log once, until a browser starts, that none can be started."""
        if isinstance(reply, VisitFailed) and not self._is_warned_of_start:
            self._is_warned_of_start = True
            log.warning("%s; %s", reply.what, reply.hint)

    def _connected(self) -> Connection:
        ends = time.monotonic() + _START_S
        while True:
            try:
                return Client(self._socket, "AF_UNIX")
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > ends:
                    raise
                time.sleep(0.05)


def _result(connection: Connection, web: Web, held: HeldGrant) -> Rendered | VisitFailed:
    """What a visit gives; meanwhile its first request uses its grant, and further ones get theirs."""
    while not isinstance(reply := receive_reply(connection), Rendered | VisitFailed):
        if isinstance(reply, PartRequested) and reply.is_first and held.use():
            send(connection, PartGranted(True))
        elif isinstance(reply, PartRequested):
            try:
                with web.grant(reply.url) if reply.is_page else web.grant_part(reply.url):
                    send(connection, PartGranted(True))
            except FetchError:  # a private host
                send(connection, PartGranted(False))
    return reply


def _answer(reply: Reply, url: str) -> Answer:
    assert isinstance(reply, Rendered | VisitFailed)
    if isinstance(reply, VisitFailed):
        fault = LoadFault(reply.reason, is_transient=bool(reply.reason))
        kept = f" (the page is kept in {reply.kept}.html, .png and .log)" if reply.kept else ""
        raise FetchError(reply.what + kept, at=shown(url), hint=reply.hint, cause=reply.cause, fault=fault)
    headers = dict(reply.headers)
    kind = headers.get("content-type", "text/html").partition(";")[0].strip().lower()
    if kind in _HTML:
        headers["content-type"] = "text/html; charset=utf-8"  # the encoding of the body now
    return Answer(reply.url, reply.body, reply.status, headers, reply.cookies)
