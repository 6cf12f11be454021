"""AttemptLog: keeps the beginning and the end of what an attempt prints, each up to half of a limit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_NAME = "log"


class AttemptLog:
    """Writes what an attempt prints, and keeps its beginning and its end, each up to half of a limit.

    If an attempt runs again after its worker was lost, its log is continued.

    The first half is in the file `log`, later output in files `log.OFFSET`, of which the last two are kept.

    Args:
        folder: the folder of the attempt.
        limit: number of bytes to keep.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._half = max(1, limit // 2)
        parts = log_parts(folder)
        self._begin = parts[-1][0] if parts else 0
        self._file = open(_part(folder, self._begin), "ab", buffering=0)  # noqa: SIM115  closed by `close`

    def write(self, data: bytes) -> None:
        """Append to the log; what a full disk has no room for is left out, and the attempt continues."""
        with contextlib.suppress(OSError):
            while data:
                room = self._half - self._file.tell()
                if room <= 0:
                    self._next_part()
                    continue
                data = data[self._file.write(data[:room]) :]

    def close(self) -> None:
        """Close the current file."""
        self._file.close()

    def _next_part(self) -> None:
        begin = self._begin + self._file.tell()
        part = open(_part(self._folder, begin), "ab", buffering=0)  # noqa: SIM115  closed by `close`
        self._file.close()
        self._file, self._begin = part, begin
        for begin, path in log_parts(self._folder)[1:-2]:
            if begin:
                path.unlink(missing_ok=True)


class LogReader:
    """Reads the log of an attempt, also while it grows.

    Args:
        folder: the folder of the attempt.
        limit: the most bytes to return; a line with the number of omitted bytes stands for the rest.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._half = max(1, limit // 2)
        self._at = 0

    def read(self) -> Iterator[bytes]:
        """Yield what was written since the last call."""
        parts = log_parts(self._folder)
        end = parts[-1][0] + _size(parts[-1][1]) if parts else 0
        first = max(self._half, end - self._half)
        for begin, path in parts:
            start = max(begin, self._at)
            if start >= self._half:
                start = max(start, first)
            if start >= begin + _size(path):
                continue
            if start > self._at:
                yield left_out_line(start - self._at)
            data = _from(path, start - begin)
            if start >= self._at and data:
                self._at = start + len(data)
                yield data


def log_end(folder: Path, most: int) -> tuple[int, bytes]:
    """Return the last bytes of a log, at most `most`, as `(OFFSET, DATA)` with their offset in the log."""
    data, begins_at = b"", None
    for begin, path in reversed(log_parts(folder)):
        part = _from(path, 0)
        if begins_at is not None and begin + len(part) != begins_at:
            break  # what stood between was left out
        data, begins_at = part + data, begin
        if len(data) >= most:
            break
    left_out = max(0, len(data) - most)
    return (begins_at or 0) + left_out, data[left_out:]


def left_out_line(number: int) -> bytes:
    """Return the line that takes the place of this number of bytes."""
    return f"\n… {number:,} bytes left out …\n".encode()


def log_parts(folder: Path) -> list[tuple[int, Path]]:
    """Return the files of a log, each with the offset of its first byte."""
    found = [(0, folder / _NAME)] if (folder / _NAME).exists() else []
    for path in folder.glob(f"{_NAME}.*"):
        if path.suffix[1:].isdigit():
            found.append((int(path.suffix[1:]), path))
    return sorted(found)


def _part(folder: Path, begin: int) -> Path:
    return folder / (f"{_NAME}.{begin}" if begin else _NAME)


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _from(path: Path, start: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(max(0, start))
            return file.read()
    except FileNotFoundError:
        return b""
