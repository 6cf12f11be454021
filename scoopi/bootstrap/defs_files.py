"""Files that definitions name: where they are, and which are missing."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from os.path import isfile
from pathlib import Path
from typing import BinaryIO

from scoopi.defs.locators.row_file import is_stdin
from scoopi.defs.scrape.checkers import Fault
from scoopi.errors import FetchError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.fetch.file_client import FileFinder

_KEPT: list[BinaryIO] = []


def found_by(files: FileFinder) -> Callable[[str], Path | Fault]:
    """Where the file of a path is, or that of standard input; or why it cannot be read."""

    def find(written: str) -> Path | Fault:
        if is_stdin(written):
            return _kept_stdin()
        try:
            return files.find(written)
        except FetchError as error:
            return Fault(f"{error.at}: {error.what}", error.hint)

    return find


@cache
def _kept_stdin() -> Path | Fault:
    """All of standard input, in a file without a name, as it is read several times."""
    if sys.stdin is None or sys.stdin.isatty():
        return Fault("nothing comes by standard input", "pipe the rows in, as in `scoopi DEFS < pages.txt`")
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - open until the process ends
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.flush()
    _KEPT.append(kept)
    return Path(f"/proc/self/fd/{kept.fileno()}")


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
