"""FileClient: reads local pages up to the size limit."""

from __future__ import annotations

import os

from scoopi.errors import FetchError
from scoopi.fetch.file_finder import FileFinder


class FileClient:
    """Reads the file of a path or a `file:` URL; may be shared by threads.

    Args:
        finder: resolves the path.
        max_bytes: size limit of a file.
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
