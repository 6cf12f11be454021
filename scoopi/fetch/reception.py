"""Reception: receives one response as it arrives, header by header and piece by piece, within the limits."""

from __future__ import annotations

import re
import socket
import struct
import sys
from functools import lru_cache

import pycurl

from scoopi.fetch.content_decoder import BrokenCodingError, ContentDecoder, TooLargeError
from scoopi.fetch.page_kind import HINT, essence, is_media
from scoopi.fetch.response_head import ResponseHead

MOST_ERROR_BYTES = 65_536
"""How much of an error's body is read, so that the connection can be reused."""
PAGE_STATUS = 200
OTHER_BYTES = 1 << 20
"""Bytes that may be received beyond the size limit, as a coding may enlarge what it cannot compress."""
STOP, WAIT = 0, int(pycurl.WRITEFUNC_PAUSE)
"""What a curl callback returns to abort the transfer, or to pause it; None continues."""

_CHARSET = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
_KEPT_TYPES = 16
"""Size of the cache by Content-Type: most sites send one or two."""
WATCH_S = 0.25
"""The interval between two checks of all transfers."""
_RECEIVED = struct.Struct("=128xQ")
"""tcpi_bytes_received of Linux's struct tcp_info."""


class _NotAPageError(Exception):
    """The headers announce something that is not a page."""


class BufferLimit:
    """Limits the total bytes held by all receptions of a client; one of them may always continue.

    Args:
        most_bytes: once this many are held, only one reception may continue: the first to ask for more.

    Attributes:
        held: bytes held by all receptions.
        is_waited_for: whether some receptions are paused until `reopens` is true.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._exempt: Reception | None = None
        self.held = 0
        self.is_waited_for = False

    def may_receive(self, reception: Reception) -> bool:
        """Whether the reception may receive another piece; if not, it counts as paused from now on."""
        if self.held < self._most_bytes:
            return True
        if self._exempt is None:
            self._exempt = reception
        self.is_waited_for |= self._exempt is not reception
        return self._exempt is reception

    def release(self, reception: Reception, held: int) -> None:
        """Release the `held` bytes of a reception, which then holds none."""
        self.held -= held
        if self._exempt is reception:
            self._exempt = None

    def reopens(self) -> bool:
        """Whether paused receptions may continue; if so, none counts as paused from now on."""
        reopens = self.is_waited_for and (self._exempt is None or self.held < self._most_bytes)
        self.is_waited_for &= not reopens
        return reopens


class Reception:
    """Receives one response as it arrives, header by header and piece by piece, within the limits.

    Args:
        max_bytes: limit of the decoded body.
        buffer_limit: limits the bytes in memory; shared by all receptions of a client.

    Attributes:
        take_header: receives a line of the response's head, as `ResponseHead.take`.
        fault: why the reception aborted the transfer; empty if it did not.
        hint: what the user can do about the fault.
        is_cut: whether the body was cut at the limit given to `reset`.
    """

    def __init__(self, max_bytes: int, buffer_limit: BufferLimit) -> None:
        self._max_bytes = max_bytes
        self._buffer_limit = buffer_limit
        self._held = 0
        self._head = ResponseHead()
        self.take_header = self._head.take
        self.reset()

    def reset(self, cut_bytes: int = 0) -> None:
        """Discard everything received and prepare for the next response.

        Args:
            cut_bytes: receive only this many bytes of the body; 0 for all.
        """
        self._cut_bytes = cut_bytes
        self.is_cut = False
        self._buffer_limit.release(self, self._held)
        self._held = 0
        self._head.reset()
        self.fault = ""
        self.hint = ""
        self._pieces: list[bytes] = []
        self._length = 0
        self._received_bytes = 0
        self._begun = False
        self._decoder: ContentDecoder | None = None

    @property
    def status(self) -> int:
        """The HTTP status; 0 until a response has started."""
        return self._head.status

    @property
    def headers(self) -> dict[str, str]:
        """The headers, with names in lower case."""
        return self._head.headers

    @property
    def is_headed(self) -> bool:
        """Whether all headers have been received."""
        return self._head.is_complete

    @property
    def is_wanted(self) -> bool:
        """Whether the body is the page, that is, the status is 200; of any other body little is received."""
        return self.status == PAGE_STATUS

    @property
    def announced(self) -> int:
        """The length of the body that the Content-Length header gives, in bytes; 0 if there is none."""
        length = self.headers.get("content-length", "").lstrip("0")
        if not length.isdecimal():
            return 0
        return int(length) if len(length) < len(str(sys.maxsize)) else sys.maxsize

    @property
    def charset(self) -> str | None:
        """The charset of the Content-Type header, as written there; None if it has none."""
        return charset_of(self.headers.get("content-type", ""))

    def take_body(self, piece: bytes) -> int | None:
        """Receive a piece of the body.

        Returns:
            None to continue; STOP to abort the transfer; WAIT to pause it: curl offers the piece again.
        """
        if not self.is_wanted:
            self._length += len(piece)
            return STOP if self._length > MOST_ERROR_BYTES else None
        if not self._buffer_limit.may_receive(self):
            return WAIT
        self._received_bytes += len(piece)
        try:
            if self._received_bytes > self._max_bytes + OTHER_BYTES:
                raise TooLargeError
            if not self._begun:
                self._begin()
            if self._decoder is not None:
                piece = self._decoder.feed(piece)
            self._length += len(piece)
            if self._length > self._max_bytes:
                raise TooLargeError
            if self._cut_bytes and self._length > self._cut_bytes:
                self._pieces.append(piece[: self._cut_bytes - self._length])
                self.is_cut = True
                return STOP
        except TooLargeError:
            self.refuse_size()
            return STOP
        except _NotAPageError as error:
            self.fault, self.hint = str(error), HINT
            return STOP
        except BrokenCodingError as error:
            self.fault = self._coding_fault(error)
            return STOP
        self._pieces.append(piece)
        self._held += len(piece)
        self._buffer_limit.held += len(piece)
        return None

    def refuse_size(self) -> None:
        """Mark the page as larger than the limit."""
        self.hint = "raise scoopi.loader.maxBytes"
        self.fault = f"the page is larger than {self._max_bytes} bytes"

    def finish(self) -> bytes:
        """The whole decoded body; sets `fault` if it ended too early."""
        if self._decoder is not None and not self.is_cut:
            try:
                self._decoder.finish()
            except BrokenCodingError as error:
                self.fault = self._coding_fault(error)
        pieces = self._pieces
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _begin(self) -> None:
        self._begun = True
        if self.announced > self._max_bytes and not self._cut_bytes:
            raise TooLargeError
        content_type = self.headers.get("content-type", "")
        if is_media(content_type):  # reject a video without receiving it
            raise _NotAPageError(f"the page is {essence(content_type)}")
        header = self.headers.get("content-encoding", "")
        self._decoder = ContentDecoder.of_header(header, self._max_bytes)

    def _coding_fault(self, error: BrokenCodingError) -> str:
        return f"the body cannot be decoded as {self.headers.get('content-encoding')}: {error}"


@lru_cache(_KEPT_TYPES)
def charset_of(content_type: str) -> str | None:
    """The charset of a Content-Type, as written there; None if it has none.

    >>> charset_of('text/html; charset="koi8-r"')
    'koi8-r'
    """
    found = _CHARSET.search(content_type)
    return (found[1] or found[2] or found[3] or "").strip() or None if found else None


class WireWatch:
    """Finds transfers that receive too many bytes, as counted by the kernel. Not thread-safe."""

    def __init__(self) -> None:
        self._first: dict[pycurl.Curl, tuple[int, int]] = {}

    def is_flooded(self, handle: pycurl.Curl, most_bytes: int) -> bool:
        """Whether the transfer has received more than `most_bytes` since its connection was first checked."""
        descriptor = handle.getinfo(pycurl.ACTIVESOCKET)
        if descriptor < 0:
            return False
        received = _received(descriptor)
        first_descriptor, first = self._first.setdefault(handle, (descriptor, received))
        if first_descriptor != descriptor:
            self._first[handle] = descriptor, received
            return False
        return received - first > most_bytes

    def forget(self, handle: pycurl.Curl) -> None:
        """Forget a transfer that has ended."""
        self._first.pop(handle, None)


def _received(descriptor: int) -> int:
    # With the family and type given, Python does not query the descriptor, which remains curl's.
    view = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
    try:
        facts = view.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.size)
    finally:
        view.detach()
    return int(_RECEIVED.unpack(facts)[0]) if len(facts) == _RECEIVED.size else 0
