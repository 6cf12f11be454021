"""TaskInbox: calls that other threads post to the task runner's loop, and what wakes that loop."""

from __future__ import annotations

import math
import os
import select
import threading
from collections import deque
from collections.abc import Callable


class TaskInbox:
    """`post` and `wake` may be called from any thread; everything else belongs to the loop's thread.

    Attributes:
        descriptor: becomes readable at a wake-up; for the loop's selector.
    """

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._is_closed = False
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.poll()  # select.select does not accept descriptors above 1023
        self._poll.register(self.descriptor, select.POLLIN)

    def __len__(self) -> int:
        return len(self._calls)

    def post(self, call: Callable[[], None]) -> None:
        """Have the call made in the loop's thread, soon; nothing happens when the loop has ended."""
        with self._lock:
            if not self._is_closed:  # else the descriptor may belong to another file by now
                self._calls.append(call)
                os.eventfd_write(self.descriptor, 1)

    def wake(self) -> None:
        """Have the loop turn now: there is room for results again."""
        self.post(lambda: None)

    def run_posted(self) -> None:
        """Make the posted calls, in order."""
        while self._calls:
            self._calls.popleft()()

    def wait(self, longest_s: float) -> None:
        """Wait for a wake-up, at most this long."""
        self._poll.poll(math.ceil(longest_s * 1000))

    def clear_wakeup(self) -> None:
        """Make the descriptor unreadable until the next wake-up."""
        try:
            os.eventfd_read(self.descriptor)
        except BlockingIOError:
            return

    def close(self) -> None:
        """Accept no more calls."""
        with self._lock:
            self._is_closed = True
            os.close(self.descriptor)
