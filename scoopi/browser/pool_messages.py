"""The messages between a loader in a worker and the pool of browsers, and how they are sent."""

from __future__ import annotations

from multiprocessing.connection import Connection

import msgspec

from scoopi.model.decoders import msgpack_decoder
from scoopi.model.definitions import BrowserDef


class BrowserReserved(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """Pool to loader: a browser is reserved for this connection until it is closed."""


class Visit(msgspec.Struct, frozen=True, tag=2, array_like=True):
    """Loader to pool: load this address, do what its group says, and wait until the page is complete.

    Attributes:
        headers: that the site wants, User-Agent among them.
        timeout_s: for the whole visit, all that is done and waited for included.
        cookies: of the site's session, as lines of a cookie file; None if the site keeps none.
    """

    url: str
    headers: dict[str, str]
    timeout_s: float
    how: BrowserDef
    cookies: tuple[str, ...] | None = None

    def header(self, wanted: str) -> str:
        """The value of a header, its name in lower case; empty if there is none."""
        return next((value for name, value in self.headers.items() if name.lower() == wanted), "")


class Rendered(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """Pool to loader: the page.

    Attributes:
        url: the address that answered in the end.
        body: the document's elements as HTML, in UTF-8.
        headers: of the answer to the navigation, names in lower case.
        cookies: of the session, after the page and all that was done on it; None if the site keeps none.
    """

    url: str
    body: bytes
    status: int
    headers: dict[str, str]
    cookies: tuple[str, ...] | None = None


class VisitFailed(msgspec.Struct, frozen=True, tag=4, array_like=True):
    """Pool to loader: the page did not come.

    Attributes:
        cause: the fault without the particulars of the page.
        reason: as in `LoadFault`; empty for a fault that another attempt would meet again.
        kept: where the page is kept, without the endings of its files; empty if it is not.
    """

    what: str
    cause: str
    reason: str = ""
    hint: str = ""
    kept: str = ""


class PartWanted(msgspec.Struct, frozen=True, tag=5, array_like=True):
    """Pool to loader: the page wants to ask for this address.

    Attributes:
        is_page: the tab goes to another page; else it loads a part of this one.
    """

    url: str
    is_page: bool


class PartGranted(msgspec.Struct, frozen=True, tag=6, array_like=True):
    """Loader to pool: whether the request of the last `PartWanted` may be sent, now."""

    is_allowed: bool


Reply = BrowserReserved | Rendered | VisitFailed | PartWanted
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
    """What the pool sends next.

    Raises:
        EOFError: the pool has ended.
        OSError: likewise.
    """
    return _REPLIES.decode(connection.recv_bytes())


def receive_visit(connection: Connection) -> Visit:
    """What the loader sends next.

    Raises:
        EOFError: the loader no longer wants the page.
        OSError: likewise.
    """
    return _VISITS.decode(connection.recv_bytes())


def receive_grant(connection: Connection) -> PartGranted:
    """The loader's answer to a `PartWanted`.

    Raises:
        EOFError: the loader no longer wants the page.
        OSError: likewise.
    """
    return _GRANTS.decode(connection.recv_bytes())
