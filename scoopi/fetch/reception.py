"""Reception: takes in one answer as it arrives, header by header and piece by piece, within the limits."""

from __future__ import annotations

import pycurl

from scoopi.fetch.content_decoder import BrokenCodingError, ContentDecoder, TooLargeError

MOST_ERROR_BYTES = 65_536
"""So much of an unwanted body is read for the sake of keeping the connection."""
SINGLE = frozenset(("location",))
"""Headers that are no lists: said twice, the first counts."""
PAGE_STATUS = 200
OTHER_BYTES = 1 << 20
"""So much may come for a page beyond the largest one: what a coding adds to a page that it cannot pack."""
STOP, WAIT = 0, int(pycurl.WRITEFUNC_PAUSE)
"""What a curl callback returns to end the transfer, or to pause it (curl asks for the piece's length)."""


class PageRoom:
    """The bytes that all receptions of a client hold together; one of them may always go on.

    Args:
        most_bytes: when so many are held, only the first reception that asks then is let in until its end.

    Attributes:
        held: by all receptions.
        is_waited_for: some were refused, and have not been let go on since.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._exempt: Reception | None = None
        self.held = 0
        self.is_waited_for = False

    def is_open_to(self, reception: Reception) -> bool:
        """Whether it may take another piece."""
        if self.held < self._most_bytes:
            return True
        if self._exempt is None:
            self._exempt = reception
        self.is_waited_for |= self._exempt is not reception
        return self._exempt is reception

    def leave(self, reception: Reception, held: int) -> None:
        """It held so many bytes, and holds nothing any more."""
        self.held -= held
        if self._exempt is reception:
            self._exempt = None

    def reopens(self) -> bool:
        """Whether receptions were kept waiting that may go on now; True once for all of them."""
        reopens = self.is_waited_for and (self._exempt is None or self.held < self._most_bytes)
        self.is_waited_for &= not reopens
        return reopens


class Reception:
    """The answer so far.

    Attributes:
        status: 0 until an answer has begun.
        headers: names in lower case.
        is_headed: whether they are whole.
        fault: why the transfer was ended from here, empty when it was not.
    """

    def __init__(self, max_bytes: int, room: PageRoom) -> None:
        self._max_bytes = max_bytes
        self._room = room
        self._held = 0
        self.reset()

    def reset(self) -> None:
        """Make ready for the next answer."""
        self._room.leave(self, self._held)
        self._held = 0
        self.status = 0
        self.headers: dict[str, str] = {}
        self.is_headed = False
        self.fault = ""
        self.too_large = False
        self._pieces: list[bytes] = []
        self._length = 0
        self._came = 0
        self._begun = False
        self._decoder: ContentDecoder | None = None

    @property
    def wanted(self) -> bool:
        """Whether the body is a page; any other final status is an error (language, B 4.4)."""
        return self.status == PAGE_STATUS

    def take_header(self, line: bytes) -> None:
        """A status line, a header or the empty line; an answer that follows a 1xx begins anew."""
        if line.startswith(b"HTTP/"):
            self.headers = {}
            self.is_headed = False
            parts = line.split(None, 2)
            self.status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
            return
        if not line.strip():
            self.is_headed = True
            return
        name, colon, value = line.partition(b":")
        if colon:
            key = name.strip().lower().decode("latin-1")
            text = _text(value.strip())
            if key not in self.headers:
                self.headers[key] = text
            elif key not in SINGLE:
                self.headers[key] = f"{self.headers[key]}, {text}"

    def take_body(self, piece: bytes) -> int | None:
        """A piece of the body; None goes on, STOP ends the transfer, WAIT has curl offer the piece again."""
        if not self.wanted:
            self._length += len(piece)
            return STOP if self._length > MOST_ERROR_BYTES else None
        if not self._room.is_open_to(self):
            return WAIT
        self._came += len(piece)
        try:
            if self._came > self._max_bytes + OTHER_BYTES:
                raise TooLargeError
            if not self._begun:
                self._begin()
            if self._decoder is not None:
                piece = self._decoder.feed(piece)
            self._length += len(piece)
            if self._length > self._max_bytes:
                raise TooLargeError
        except TooLargeError:
            self.refuse_size()
            return STOP
        except BrokenCodingError as error:
            self.fault = self._coding_fault(error)
            return STOP
        self._pieces.append(piece)
        self._held += len(piece)
        self._room.held += len(piece)
        return None

    def refuse_size(self) -> None:
        """More has come than a page may have."""
        self.too_large = True
        self.fault = f"the page is larger than {self._max_bytes} bytes"

    def finish(self) -> bytes:
        """The whole body; sets `fault` when it ended too early."""
        if self._decoder is not None:
            try:
                self._decoder.finish()
            except BrokenCodingError as error:
                self.fault = self._coding_fault(error)
        pieces = self._pieces
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _begin(self) -> None:
        self._begun = True
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._max_bytes:
            raise TooLargeError
        told = self.headers.get("content-encoding", "")
        codings = [coding.strip().lower() for coding in told.split(",")] if told else []
        codings = [coding for coding in codings if coding not in ("", "identity")]
        if codings:
            self._decoder = ContentDecoder(codings, self._max_bytes)

    def _coding_fault(self, error: BrokenCodingError) -> str:
        return f"the body cannot be decoded as {self.headers.get('content-encoding')}: {error}"


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
