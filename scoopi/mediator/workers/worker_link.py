"""WorkerLink: the parent's ends of one worker, a process of its own or a thread of the parent."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

import msgspec

from scoopi.worker.crash_marker import Note
from scoopi.worker.messages import ToParent
from scoopi.worker.pipe import MessageBuffer, pack

DECODER = msgspec.msgpack.Decoder(ToParent)
PIPE_BYTES = 1 << 20


class WorkerLink:
    """Sends never block: what the worker does not take yet waits here. Belongs to one thread."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        self._unsent = bytearray()
        self._buffer = MessageBuffer()
        for descriptor in (incoming, outgoing):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def send(self, message: msgspec.Struct) -> None:
        """Give the worker a message, now or when it takes it."""
        self._unsent += pack(message)
        self.push()

    def push(self) -> None:
        """Write what waits, as far as the worker takes it."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self.outgoing, self._unsent)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()

    def has_unsent(self) -> bool:
        """Whether `push` has something left to write."""
        return bool(self._unsent)

    def receive(self) -> tuple[list[ToParent], bool]:
        """What the worker has sent since the last call.

        Returns:
            The whole messages, and False when the worker's end is closed: it has ended or died.
        """
        try:
            count = self._buffer.read_from(self.incoming)
        except BlockingIOError:
            return [], True
        return list(map(DECODER.decode, self._buffer.bodies())), bool(count)

    def receive_rest(self) -> Iterator[ToParent]:
        """All whole messages that a dead worker left in its pipe; a torn one is dropped."""
        alive = True
        while alive:
            messages, alive = self.receive()
            yield from messages
            if not messages and alive:
                return

    @property
    def pid(self) -> int | None:
        """The worker's process id; None when it is a thread."""
        return None

    def note(self) -> Note:
        """The task that the worker is on now."""
        return Note()

    def is_paused(self) -> bool:
        """Whether the worker is stopped from outside (SIGSTOP, a debugger), and so is not hanging."""
        return False

    def has_ended(self) -> bool:
        """Whether the worker is gone, even if a process that it has forked holds its pipe open."""
        return False

    def kill(self) -> None:
        """End the worker at once."""

    def reap(self) -> tuple[str, Note]:
        """Collect an ended worker and close its ends.

        Returns:
            How it ended in words, and the task that it was on.
        """
        os.close(self.incoming)
        os.close(self.outgoing)
        return "", Note()
