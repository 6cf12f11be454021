"""Determines the name, media type and extension of a file from its headers and its URL."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import unquote, urlsplit

from scoopi.fetch.page_kind import essence

ANY_TYPES = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/x-download"))
"""Types that servers send for unknown content."""
LONGEST_NAME, LONGEST_EXTENSION = 200, 8
"""In characters."""
NO_EXTENSION = "bin"
_NAME = re.compile(r";\s*filename\s*=\s*(?:\"([^\"]*)\"|([^\s;]+))", re.IGNORECASE)
_EXTENDED_NAME = re.compile(r";\s*filename\*\s*=\s*UTF-8'[^']*'([^\s;]+)", re.IGNORECASE)
_EXTENSION = re.compile(r"\.([A-Za-z0-9]+)\Z")
_USUAL = {"image/jpeg": "jpg", "text/plain": "txt", "text/html": "html", "audio/mpeg": "mp3"}
"""Types for which the first extension in Python's table is not the usual one."""


def file_name(headers: Mapping[str, str], url: str) -> str:
    """The name of a file: from its Content-Disposition, else the last segment of its URL; may be empty.

    Cut to LONGEST_NAME characters.

    >>> file_name({"content-disposition": 'attachment; filename="Rye 1.pdf"'}, "http://h/get?id=1")
    'Rye 1.pdf'
    >>> file_name({}, "http://h/files/r%C3%BCbe.jpg?size=2")
    'rübe.jpg'

    Args:
        headers: names in lower case.
    """
    given = headers.get("content-disposition", "")
    if (extended := _EXTENDED_NAME.search(given)) is not None:
        name = unquote(extended[1])
    elif (plain := _NAME.search(given)) is not None:
        name = plain[1] if plain[1] is not None else plain[2]
    else:
        name = unquote(urlsplit(url).path)
    return name.replace("\\", "/").rpartition("/")[2][:LONGEST_NAME]


def file_type(content_type: str, name: str) -> str:
    """The media type of a file: as declared by the server, else by the extension of its name; may be empty.

    >>> file_type("Image/PNG; q=1", "a.pdf"), file_type("application/octet-stream", "a.PDF")
    ('image/png', 'application/pdf')
    """
    given = essence(content_type)
    if given not in ANY_TYPES:
        return given
    guessed, _ = _known_types().guess_type(f"x.{_extension_of(name)}")
    return guessed or given


def file_extension(media_type: str, name: str) -> str:
    """The extension of a file, without a dot: by its type, else from its name.

    >>> file_extension("image/jpeg", "a.php"), file_extension("", "a.tar.GZ"), file_extension("", "a")
    ('jpg', 'gz', 'bin')
    """
    if media_type in _USUAL:
        return _USUAL[media_type]
    if media_type not in ANY_TYPES:
        known = _known_types().guess_extension(media_type)
        if known:
            return known.removeprefix(".")
    return _extension_of(name) or NO_EXTENSION


def _extension_of(name: str) -> str:
    found = _EXTENSION.search(name)
    return found[1].lower() if found is not None and len(found[1]) <= LONGEST_EXTENSION else ""


@cache
def _known_types() -> mimetypes.MimeTypes:
    """Python's own table, not the machine's, so that all nodes of a cluster give a file the same name."""
    known = mimetypes.MimeTypes()
    known.add_type("image/webp", ".webp")
    known.add_type("image/avif", ".avif")
    return known
