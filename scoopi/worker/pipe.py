"""Length-prefixed messages over a pair of pipes between the parent and one worker."""

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
    """Encode a message for the pipe."""
    body = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(body)) + body


class MessageBuffer:
    """Splits the received bytes into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._read = memoryview(bytearray(READ_AT_ONCE))  # reused: a new one would be zeroed at each read

    def feed(self, data: bytes | memoryview) -> None:
        """Add received bytes."""
        self._bytes += data

    def read_from(self, descriptor: int) -> int:
        """Read up to READ_AT_ONCE bytes from a pipe.

        Returns:
            The number of bytes; 0 at the end of the pipe.
        Raises:
            BlockingIOError: the descriptor is non-blocking, and nothing has been received.
        """
        count = os.readv(descriptor, [self._read])
        self.feed(self._read[:count])
        return count

    def bodies(self) -> Iterator[bytes]:
        """Remove and yield the body of each complete message; an incomplete one stays."""
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
    """The worker's ends of the pipes; one thread reads, any thread may send."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._sending = threading.Lock()
        self._closed = False

    def send(self, *messages: msgspec.Struct) -> None:
        """Write messages without others in between; blocks while the pipe is full.

        Raises:
            BrokenPipeError: the parent has ended, or `close` was called.
        """
        rest = memoryview(b"".join(map(pack, messages)))
        with self._sending:
            if self._closed:
                raise BrokenPipeError
            while rest:
                rest = rest[os.write(self._outgoing, rest) :]

    def bodies(self, idle_s: float | None = None) -> Iterator[bytes]:
        """Yield the body of each message; closes this end once the parent has closed its own.

        No other code may close it: the number could be reused for another file while this still reads.

        Args:
            idle_s: seconds without a message after which an empty body is yielded.
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
        """Close the sending end; the other one is closed once the parent has closed its own."""
        with self._sending:
            self._closed = True
            os.close(self._outgoing)
