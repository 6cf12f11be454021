"""FlakySite: a folder of pages behind a server that fails some of the requests."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.server.answer import HTML, Answer

Fails = Callable[[int, int, str], bool]
"""The number of the request, its number at that path (both from 1), and the path -> whether it fails."""


class FlakySite:
    """The `pages` of a Server.

    Args:
        fails: which requests are answered with the status instead of their page.
        headers: of such an answer.
    """

    def __init__(
        self, folder: Path, fails: Fails, status: int = 503, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.fails = fails
        self._folder = folder
        self._failed = Answer(b"not now", status, HTML, headers)
        self._lock = threading.Lock()
        self._number = 0
        self._of_path: Counter[str] = Counter()
        self.failed = 0

    def __call__(self, path: str) -> bytes | Answer | None:
        with self._lock:
            self._number += 1
            self._of_path[path] += 1
            if self.fails(self._number, self._of_path[path], path):
                self.failed += 1
                return self._failed
        file = self._folder / path.lstrip("/")
        return file.read_bytes() if file.is_file() else None


def each(number: int) -> Fails:
    """Every so-manieth request fails, whatever it asks for."""
    return lambda request, _of_path, _path: request % number == 0


def first(number: int, part: str = "") -> Fails:
    """The first requests for each page fail; only of pages with that part in their path."""
    return lambda _request, of_path, path: of_path <= number and part in path
