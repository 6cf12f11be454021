"""Loader: what the step that loads pages promises; it has many under way at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from scoopi.model.handover import Handover
from scoopi.model.payload import Payload

Ended = Callable[[Handover | Exception], None]
"""Is told the handover of a payload, or the error of its page: any that a `Step` may raise."""


class Loader(ABC):
    """Begins when it is told to and goes on when it is given a turn, by one thread at a time."""

    @abstractmethod
    def begin(self, payload: Payload, ended: Ended) -> None:
        """Begin to load a page.

        Args:
            ended: called once, here or in a later `turn`, with the payload and its Page, or a wish for the
                grant of a request.
        """

    @abstractmethod
    def under_way(self) -> int:
        """How many pages are waited for."""

    @abstractmethod
    def turn(self, wait_s: float) -> None:
        """Go on with all that is under way; wait so long at most when nothing can go on."""

    @abstractmethod
    def wake(self) -> None:
        """End the wait of a turn, or of the next one; callable from any thread."""

    def size_of(self, page: object) -> int:
        """How many bytes a loaded page holds, as far as that is worth counting."""
        return 0

    def fault_of(self, page: object) -> str | None:
        """Why a page whose tasks have run gave nothing, if it is not a page to give anything."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Drop what is under way; nothing else is called afterwards."""
