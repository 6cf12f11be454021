"""Reception: takes in one answer as it arrives, header by header and piece by piece, within the limits."""

from __future__ import annotations

from scoopi.fetch.content_decoder import BrokenCodingError, ContentDecoder, TooLargeError

MOST_ERROR_BYTES = 65_536
"""So much of an unwanted body is read for the sake of keeping the connection."""
SINGLE = frozenset(("location",))
"""Headers that are no lists: said twice, the first counts."""
PAGE_STATUS = 200
STOP = 0
"""What a curl callback returns to end the transfer (curl asks for the length of the piece)."""


class Reception:
    """The answer so far.

    Attributes:
        status: 0 until an answer has begun.
        headers: names in lower case.
        fault: why the transfer was ended from here, empty when it was not.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self.reset()

    def reset(self) -> None:
        """Make ready for the next answer."""
        self.status = 0
        self.headers: dict[str, str] = {}
        self.fault = ""
        self.too_large = False
        self._pieces: list[bytes] = []
        self._length = 0
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
            parts = line.split(None, 2)
            self.status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
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
        """A piece of the body; None goes on, STOP ends the transfer."""
        if not self.wanted:
            self._length += len(piece)
            return STOP if self._length > MOST_ERROR_BYTES else None
        try:
            if not self._begun:
                self._begin()
            if self._decoder is not None:
                piece = self._decoder.feed(piece)
            self._length += len(piece)
            if self._length > self._max_bytes:
                raise TooLargeError
        except TooLargeError:
            self.too_large = True
            self.fault = f"the page is larger than {self._max_bytes} bytes"
            return STOP
        except BrokenCodingError as error:
            self.fault = self._coding_fault(error)
            return STOP
        self._pieces.append(piece)
        return None

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
