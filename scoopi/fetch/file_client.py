"""FileClient: finds and reads local pages, up to the size limit."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from scoopi.errors import FetchError
from scoopi.model.place import source_folder

_FILE_URL = re.compile(r"file:(?://([^/?#]*))?(/[^?#]*)?(.*)", re.IGNORECASE | re.DOTALL)

_SITE = re.compile(r"(www\.[\w-]+|[a-z0-9-]+)(\.[a-z0-9-]+)*\.[a-z]{2,}(:\d+)?/|www\.", re.IGNORECASE)
"""Text that looks like a host and a path."""


class FileFinder:
    """Searches for a file in the current folder, in the definitions' folder and its parents, then as written.

    Args:
        current_folder: the folder in which the run was started; `resume` uses the same.
        defs: the definitions: a folder, or a single file.
    """

    def __init__(self, current_folder: Path, defs: Path) -> None:
        current, folder = current_folder.absolute(), source_folder(defs.absolute())
        self._folders = tuple(dict.fromkeys((current, folder, *folder.parents)))

    def find(self, written: str) -> Path:
        """The path of the file that `written`, a path or a `file:` URL, denotes.

        A path that does not exist as written is tried without its `#fragment`, then percent-decoded, as links
        are.

        Raises:
            FetchError: the file does not exist (the hint lists the folders searched), or it is not a readable
                regular file.
        """
        unusable: list[tuple[Path, str]] = []
        places: list[Path] = []
        for place in self._places(written):
            places.append(place)
            problem = _problem(place)
            if problem == "":
                return place
            if problem:
                unusable.append((place, problem))
        if unusable:
            place, problem = unusable[0]
            raise FetchError(
                f"{place} {problem}",
                at=written,
                hint="name a file that can be read",
                cause=f"the path {problem}",
            )
        folders = list(dict.fromkeys(str(place.parent) for place in places))
        where = f"put it into {folders[0]}" if len(folders) > 1 else "put it there"
        hint = f"looked for in {', '.join(folders)}; {where}" if folders else "name a file"
        if _SITE.match(written):
            hint = f"write https://{written} for a page of the web; a file was {hint}"
        raise FetchError("there is no such file", at=written, hint=hint)

    def _places(self, written: str) -> Iterator[Path]:
        url = _FILE_URL.fullmatch(written)
        if url:
            host, path, _ = url.groups()
            if (host or "").lower() not in ("", "localhost"):
                raise FetchError(
                    f"a file of the host {host} cannot be read",
                    at=written,
                    hint="file:///path",
                    cause="a file of another host cannot be read",
                )
            if not path:
                raise FetchError("the file URL has no absolute path", at=written, hint="file:///path")
            yield Path(unquote(path))
            return
        bare = written.partition("#")[0]
        for name in dict.fromkeys((written, bare, unquote(bare))):
            if name.strip("/"):
                yield from (folder / name.lstrip("/") for folder in self._folders)
                yield Path(name).absolute()


def _problem(place: Path) -> str | None:
    """Why the file cannot be used; empty if it can, None if it does not exist."""
    try:
        mode = place.stat().st_mode
    except ValueError:
        return "holds a NUL character"
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
            return None
        return f"cannot be read: {error.strerror}"
    if stat.S_ISDIR(mode):
        return "is a folder, not a file"
    return "" if stat.S_ISREG(mode) else "is not a regular file"


class FileClient:
    """Reads the file of a path or a `file:` URL. Thread-safe.

    Args:
        finder: resolves the path.
        max_bytes: longest file, in bytes, that may be read.
    """

    def __init__(self, finder: FileFinder, max_bytes: int) -> None:
        self._finder = finder
        self._max_bytes = max_bytes

    def read(self, written: str) -> bytes:
        """The bytes of the file, up to the size it has when it is opened.

        Raises:
            FetchError: the file does not exist, cannot be read, or exceeds the limit.
        """
        place = self._finder.find(written)
        try:
            with place.open("rb", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                if size <= self._max_bytes:
                    return file.read(size)
        except OSError as error:
            fault = f"cannot be read: {error.strerror}"
            raise FetchError(f"{place} {fault}", at=written, cause=f"the path {fault}") from error
        raise FetchError(
            f"the file is larger than {self._max_bytes} bytes",
            at=written,
            hint="raise scoopi.loader.maxBytes",
        )
