"""Fetching: what a worker asks the network for, gone on with by the thread that runs its steps."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial

import msgspec

from scoopi.model.handover import Handover
from scoopi.steps.loader import Loader
from scoopi.worker.load import PageLoad

LEFT_ALONE_S = 0.1
"""After so long without a turn the thread that reads takes one, and so long it lasts at most."""

DUE_S = 0.001
"""So long pages may be run one after another without a turn between them."""

Ended = Callable[[PageLoad, Handover | Exception, float], Sequence[msgspec.Struct]]
"""Takes what came of a load and its seconds, and answers with what the parent is to be told of it."""


class Fetching:
    """No thread of its own: a page passes from the network to its steps without a change of thread.

    The steps' thread takes a turn between two pages, and waits here when it has none. While a page
    takes long, the reader's thread takes turns instead, so that no other page is late for it.

    Args:
        loader: goes on with all pages at a time.
        ended: called in the thread that takes the turn.
        tell: sends messages to the parent.
    """

    def __init__(self, loader: Loader, ended: Ended, tell: Callable[..., None]) -> None:
        self._loader = loader
        self._ended = ended
        self._tell = tell
        self._to_begin: deque[PageLoad] = deque()
        self._told: list[msgspec.Struct] = []
        self._turning = threading.Lock()
        self._waking = threading.Lock()
        self._is_waiting = False
        self._turned_at = time.monotonic()
        self._is_closed = False

    def add(self, load: PageLoad) -> None:
        """Have it begun with the next turn; callable from any thread."""
        self._to_begin.append(load)
        self.wake()

    def wake(self) -> None:
        """There is something to do: end the wait of the steps' thread; callable from any thread.

        Nothing happens when all is closed: the loader's descriptor may be somebody else's by then.
        """
        if self._is_waiting:
            with self._waking:
                if not self._is_closed:
                    self._loader.wake()

    def take_back(self) -> list[PageLoad]:
        """Remove and return what has not begun; callable from any thread."""
        back: list[PageLoad] = []
        while self._to_begin:
            try:
                back.append(self._to_begin.popleft())
            except IndexError:  # the other thread was quicker
                break
        return back

    def is_due(self) -> bool:
        """Whether the last turn is some time ago."""
        return time.monotonic() - self._turned_at > DUE_S

    def turn(self, wait_s: float, unless: Collection[object]) -> None:
        """Begin and go on with all there is; for the steps' thread.

        Args:
            wait_s: the longest wait when nothing can go on; it ends with `wake`.
            unless: while it holds anything there is no wait.
        """
        if not self._turning.acquire(blocking=False):
            self._loader.wake()
            self._turning.acquire()
        try:
            self._turn(wait_s, unless)
        finally:
            self._turning.release()

    def mind(self) -> None:
        """Take a turn if the steps' thread has long taken none; for the reader's thread."""
        is_left_alone = time.monotonic() - self._turned_at > LEFT_ALONE_S
        if is_left_alone and self._turning.acquire(blocking=False):
            try:
                if not self._is_closed and (self._to_begin or self._loader.under_way()):
                    self._turn(LEFT_ALONE_S, ())
            finally:
                self._turning.release()

    def tell_soon(self, message: msgspec.Struct) -> None:
        """Tell the parent with the end of the turn; for what the loader calls while it has one."""
        self._told.append(message)

    def close(self) -> None:
        """Drop what is under way."""
        with self._turning, self._waking:
            self._is_closed = True
            self._loader.close()

    def _turn(self, wait_s: float, unless: Collection[object]) -> None:
        for load in self.take_back():
            self._loader.begin(load.payload, partial(self._end, load, time.perf_counter()))
        self._is_waiting = True  # said before the last look: what comes after it wakes
        try:
            self._loader.turn(0.0 if unless or self._to_begin or self._told else wait_s)
        finally:
            self._is_waiting = False
        if self._told:
            told, self._told = self._told, []
            self._tell(*told)
        self._turned_at = time.monotonic()

    def _end(self, load: PageLoad, began: float, outcome: Handover | Exception) -> None:
        self._told += self._ended(load, outcome, time.perf_counter() - began)
