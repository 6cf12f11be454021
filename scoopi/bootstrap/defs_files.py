"""Files that definitions name: where they are, and which are missing."""

from __future__ import annotations

from collections.abc import Callable
from os.path import isfile
from pathlib import Path

from scoopi.defs.scrape.checkers import Fault
from scoopi.errors import FetchError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.fetch.file_client import FileFinder


def found_by(files: FileFinder) -> Callable[[str], Path | Fault]:
    """Where the file of a path as written is, or why it cannot be read."""

    def find(written: str) -> Path | Fault:
        try:
            return files.find(written)
        except FetchError as error:
            return Fault(f"{error.at}: {error.what}", error.hint)

    return find


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
