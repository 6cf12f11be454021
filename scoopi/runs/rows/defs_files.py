"""Files that definitions name: which pages are missing, and standard input as a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from os.path import isfile
from pathlib import Path
from typing import IO

from scoopi.defs.scrape.checkers import Fault
from scoopi.errors import FetchError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.fetch.file_client import FileFinder

_KEPT: list[IO[bytes]] = []
"""Open until the process ends."""


@cache
def kept_stdin() -> Path | Fault:
    """All of standard input, in a file without a name, as it is read several times."""
    if sys.stdin is None or sys.stdin.isatty():
        return Fault("nothing comes by standard input", "pipe the rows in, as in `scoopi DEFS < pages.txt`")
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - open until the process ends
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.flush()
    _KEPT.append(kept)
    return path_of(kept)


def path_of(file: IO[bytes]) -> Path:
    """Where an open file without a name can be opened again."""
    return Path(f"/proc/self/fd/{file.fileno()}")


def page_check(current_folder: Path, files: FileFinder) -> Callable[[str], Fault | None]:
    """Reports local files that are missing; quick for those that exist, as there may be very many."""
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
