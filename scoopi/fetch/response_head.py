"""ResponseHead: the status and the headers of a response, parsed when they are first accessed."""

from __future__ import annotations

from functools import lru_cache

SINGLE = frozenset(("location",))
"""Headers that are not lists; of repeated ones the first counts."""
_KEPT_LINES = 256
_LONGEST_KEPT = 200
"""Longer lines are not cached: sites repeat short ones."""


class ResponseHead:
    """The status and the headers of a response, parsed when they are first accessed.

    curl calls `take` for each line, so for speed it is the method of a list; curl limits the number of lines.

    Attributes:
        take: takes a status line, which discards the headers of an earlier 1xx, a header or the empty line.
    """

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self.take = self._lines.append
        self.reset()

    def reset(self) -> None:
        """Discard all lines, and prepare for the next response."""
        self._lines.clear()
        self._status = 0
        self._headers: dict[str, str] = {}
        self._is_complete = False

    @property
    def status(self) -> int:
        """The HTTP status; 0 until a response has started."""
        if self._lines:
            self._read()
        return self._status

    @property
    def headers(self) -> dict[str, str]:
        """The headers, with names in lower case."""
        if self._lines:
            self._read()
        return self._headers

    @property
    def is_complete(self) -> bool:
        """Whether all headers have been received."""
        if self._lines:
            self._read()
        return self._is_complete

    def _read(self) -> None:
        headers = self._headers
        for line in self._lines:
            if line.startswith(b"HTTP/"):
                headers = self._headers = {}
                self._is_complete = False
                self._status = _status_of(line)
                continue
            name, text = _kept_header(line) if len(line) <= _LONGEST_KEPT else _header(line)
            if name is None:
                self._is_complete |= text is not None
            elif name not in headers:
                headers[name] = text or ""
            elif name not in SINGLE:
                headers[name] = f"{headers[name]}, {text}"
        self._lines.clear()


def _status_of(line: bytes) -> int:
    parts = line.split(None, 2)
    is_status = len(parts) > 1 and len(parts[1]) == 3 and parts[1].isdigit()
    return int(parts[1]) if is_status else 0


def _header(line: bytes) -> tuple[str | None, str | None]:
    """Name and value of a header; (None, "") for the empty line, (None, None) for anything else."""
    if not line.strip():
        return None, ""
    name, colon, value = line.partition(b":")
    return (name.strip().lower().decode("latin-1"), _text(value.strip())) if colon else (None, None)


_kept_header = lru_cache(_KEPT_LINES)(_header)


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
