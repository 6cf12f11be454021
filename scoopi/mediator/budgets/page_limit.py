"""PageLimit: how many pages a run may still load, for runs with `--limit`."""

from __future__ import annotations

import threading


class PageLimit:
    """Counts the jobs that are taken, each of which loads a page; any thread may call it.

    Args:
        pages: the most pages that may be loaded; None: any number.
    """

    def __init__(self, pages: int | None = None) -> None:
        self.pages = pages
        self._lock = threading.Lock()
        self._taken = 0

    def cut(self, wanted: int) -> int:
        """How many of the `wanted` jobs may still be taken."""
        if self.pages is None:
            return wanted
        with self._lock:
            return max(0, min(wanted, self.pages - self._taken))

    def add(self, taken: int) -> None:
        """Count `taken` further jobs; a negative number uncounts jobs that were handed back unrun."""
        with self._lock:
            self._taken += taken

    def __str__(self) -> str:
        return "1 page" if self.pages == 1 else f"{self.pages} pages"

    @property
    def is_reached(self) -> bool:
        """Whether no further job may be taken."""
        if self.pages is None:
            return False
        with self._lock:
            return self._taken >= self.pages


NO_LIMIT = PageLimit()
