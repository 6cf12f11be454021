"""Length-prefixed messages over a pair of pipes that only one parent and one worker hold."""

from __future__ import annotations

import os
import select
import struct
import threading
from collections.abc import Iterator

import msgspec

LENGTH = struct.Struct("<I")
READ_AT_ONCE = 1 << 20


def pack(message: msgspec.Struct) -> bytes:
    """A message as it goes over the pipe."""
    body = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(body)) + body


class MessageBuffer:
    """Bytes as they come in; whole messages as they can be taken out."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._read = memoryview(bytearray(READ_AT_ONCE))  # kept: new, its pages would be made at each read

    def feed(self, data: bytes | memoryview) -> None:
        """Add what was read."""
        self._bytes += data

    def read_from(self, descriptor: int) -> int:
        """Add what a pipe holds, at most READ_AT_ONCE; returns the number of bytes, 0 at the pipe's end.

        Raises:
            BlockingIOError: there is nothing yet, and the descriptor does not wait.
        """
        count = os.readv(descriptor, [self._read])
        self.feed(self._read[:count])
        return count

    def bodies(self) -> Iterator[bytes]:
        """Each whole message's body, removed from the buffer; a torn tail stays."""
        position, end = 0, len(self._bytes)
        try:
            while end - position >= LENGTH.size:
                (length,) = LENGTH.unpack_from(self._bytes, position)
                begin = position + LENGTH.size
                if end - begin < length:
                    break
                position = begin + length
                yield bytes(memoryview(self._bytes)[begin:position])
        finally:
            del self._bytes[:position]


class WorkerPipe:
    """The worker's two ends: reading belongs to one thread, sending to any."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._sending = threading.Lock()
        self._closed = False

    def send(self, *messages: msgspec.Struct) -> None:
        """Write the messages whole and together; waits while the parent holds back.

        Raises:
            BrokenPipeError: the parent is gone, or the pipe was closed here.
        """
        rest = memoryview(b"".join(map(pack, messages)))
        with self._sending:
            if self._closed:
                raise BrokenPipeError
            while rest:
                rest = rest[os.write(self._outgoing, rest) :]

    def bodies(self, idle_s: float | None = None) -> Iterator[bytes]:
        """Each message's body as it comes; ends when the parent has closed its end, and closes this one.

        No other code may close it: its number could be another file's while the reader still reads.

        Args:
            idle_s: after this many seconds without a message an empty body is given.
        """
        buffer = MessageBuffer()
        incoming = select.poll()
        incoming.register(self._incoming, select.POLLIN)
        idle_ms = None if idle_s is None else idle_s * 1000
        try:
            while True:
                if not incoming.poll(idle_ms):
                    yield b""
                elif buffer.read_from(self._incoming):
                    yield from buffer.bodies()
                else:
                    return
        finally:
            os.close(self._incoming)

    def close(self) -> None:
        """Close the end that sends; the other closes when the parent has closed its own."""
        with self._sending:
            self._closed = True
            os.close(self._outgoing)
