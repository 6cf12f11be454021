"""The messages between a loader in a worker and the pool of browsers, and functions that transfer them."""

from __future__ import annotations

from multiprocessing.connection import Connection

import msgspec

from scoopi.model.decoders import msgpack_decoder
from scoopi.model.scrape.browser_def import BrowserDef


class BrowserReserved(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """Pool to loader: a browser is reserved for this connection until the connection closes."""


class Visit(msgspec.Struct, frozen=True, tag=2, array_like=True):
    """Loader to pool: load this address, perform the group's actions, and wait until the page is complete.

    Attributes:
        headers: headers of the site, including User-Agent.
        timeout_s: timeout of the whole visit, including all actions and waiting.
        cookies: cookies of the site's session, as lines of a cookie file; None if the site has no session.
        how: what to do on the page, and what to wait for.
        asks_first: whether the pool asks for the first request, too, when the browser is about to send it.
    """

    url: str
    headers: dict[str, str]
    timeout_s: float
    how: BrowserDef
    cookies: tuple[str, ...] | None = None
    asks_first: bool = False

    def header(self, wanted: str) -> str:
        """Return the value of a header by its name in lower case; empty if there is none."""
        return next((value for name, value in self.headers.items() if name.lower() == wanted), "")


class Removed(msgspec.Struct, frozen=True, array_like=True):
    """Elements that a page has shown while it was scrolled, and has removed again.

    Attributes:
        place: place of the action `scroll` in the definitions.
        selector: selector of the elements.
        number: how many there were.
    """

    place: str
    selector: str
    number: int


class Rendered(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """Pool to loader: the page was loaded.

    Attributes:
        url: the address after redirects.
        body: the document's elements as HTML, in UTF-8.
        headers: headers of the response to the navigation, by name in lower case.
        cookies: cookies of the session after the page and its actions; None if the site has no session.
        unused: place of an action that has opened a window in which nothing was done; empty if there is none.
        rejected: names of the session's cookies that the browser did not take.
        removed: the elements that the page removed again while it was scrolled; None if there were none.
    """

    url: str
    body: bytes
    status: int
    headers: dict[str, str]
    cookies: tuple[str, ...] | None = None
    unused: str = ""
    rejected: tuple[str, ...] = ()
    removed: Removed | None = None


class VisitFailed(msgspec.Struct, frozen=True, tag=4, array_like=True):
    """Pool to loader: the page was not loaded.

    Attributes:
        what: the fault, with details of the page.
        cause: the fault without details of the page, by which failures are counted.
        reason: see `LoadFault`; empty for a fault that another attempt would have, too.
        kept: the path of the saved page's files without their suffixes; empty if it was not saved.
        rejected: names of the session's cookies that the browser did not take.
    """

    what: str
    cause: str
    reason: str = ""
    hint: str = ""
    kept: str = ""
    rejected: tuple[str, ...] = ()


class PartRequested(msgspec.Struct, frozen=True, tag=5, array_like=True):
    """Pool to loader: the page wants to send a request to this address.

    Attributes:
        is_page: whether the tab, or a window that its page has opened, navigates to the address; otherwise it
            is for a part of the page.
        is_first: whether this is the first request of the visit.
    """

    url: str
    is_page: bool
    is_first: bool = False


class PartGranted(msgspec.Struct, frozen=True, tag=6, array_like=True):
    """Loader to pool: whether the request of the last `PartRequested` may be sent; if so, at once."""

    is_allowed: bool


Reply = BrowserReserved | Rendered | VisitFailed | PartRequested
_REPLIES: msgspec.msgpack.Decoder[Reply] = msgpack_decoder(Reply)
_VISITS = msgpack_decoder(Visit)
_GRANTS = msgpack_decoder(PartGranted)


def send(connection: Connection, message: Visit | PartGranted | Reply) -> None:
    """Send one message.

    Raises:
        OSError: the other side has closed the connection.
    """
    connection.send_bytes(msgspec.msgpack.encode(message))


def receive_reply(connection: Connection) -> Reply:
    """Receive the next message of the pool.

    Raises:
        EOFError: the pool has ended.
        OSError: likewise.
    """
    return _REPLIES.decode(connection.recv_bytes())


def receive_visit(connection: Connection) -> Visit:
    """Receive a visit from the loader.

    Raises:
        EOFError: the loader no longer wants the page.
        OSError: likewise.
    """
    return _VISITS.decode(connection.recv_bytes())


def receive_grant(connection: Connection) -> PartGranted:
    """Receive the loader's answer to a `PartRequested`.

    Raises:
        EOFError: the loader no longer wants the page.
        OSError: likewise.
    """
    return _GRANTS.decode(connection.recv_bytes())
