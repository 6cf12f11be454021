"""Files that definitions name: which pages are missing, and standard input as a file."""

from __future__ import annotations

import select
import sys
import tempfile
from collections.abc import Callable
from os.path import isfile
from pathlib import Path
from typing import IO, Any

from scoopi.defs.scrape.checkers import Fault
from scoopi.errors import FetchError, StoppedError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.fetch.file_client import FileFinder

_POLL_S = 0.2
_AT_ONCE = 1 << 20
_KEPT: list[IO[bytes]] = []
"""The file with standard input, once that was read, which a process can do only once; open until its end."""


def kept_stdin(is_stopped: Callable[[], bool]) -> Path | Fault:
    """All of standard input, in a file without a name, as it is read several times.

    Args:
        is_stopped: polled while no data comes.
    Returns:
        The path of the file; a fault if standard input is a terminal, or closed.
    Raises:
        StoppedError: `is_stopped` returned true.
    """
    if _KEPT:
        return path_of(_KEPT[0])
    if sys.stdin is None or sys.stdin.isatty():
        return Fault("nothing comes by standard input", "pipe the rows in, as in `scoopi DEFS < pages.txt`")
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - open until the process ends
    while data := _read(sys.stdin.buffer, is_stopped):
        kept.write(data)
    kept.flush()
    _KEPT.append(kept)
    return path_of(kept)


def _read(stdin: Any, is_stopped: Callable[[], bool]) -> bytes:
    """What comes next; empty at the end."""
    while not select.select([stdin], [], [], _POLL_S)[0]:
        if is_stopped():
            raise StoppedError
    return bytes(stdin.read1(_AT_ONCE))


def path_of(file: IO[bytes]) -> Path:
    """The path by which an open file without a name can be opened again."""
    return Path(f"/proc/self/fd/{file.fileno()}")


def page_check(current_folder: Path, files: FileFinder) -> Callable[[str], Fault | None]:
    """A function that returns a fault for the address of a local file that is missing, else None.

    It is quick for files that exist, as there may be very many.

    Args:
        current_folder: what relative paths are relative to.
    """
    current = f"{current_folder.absolute()}/"

    def fault(url: str) -> Fault | None:
        if url[:4] == "http" or isfile(current + url):
            return None
        try:
            if parse_address(url).kind is AddressKind.FILE:
                files.find(url)
        except FetchError as error:
            return Fault(f"page {url}: {error.what}", error.hint)
        return None

    return fault
