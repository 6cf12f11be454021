"""Halves: two parts of a network, as namespaces of the kernel, that can lose sight of each other."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NETNS = Path("/var/run/netns")
CLONE_NEWNET = 0x40000000
MIDDLE = "m"


class Halves:
    """Needs root and `ip`; a `with` removes what it has made.

    Each half has its own loopback, and an address that the other half reaches through a bridge between them.
    """

    def __init__(self) -> None:
        self._names = {part: f"sc{os.getpid()}{part}" for part in ("0", "1", MIDDLE)}

    def __enter__(self) -> Halves:
        for name in self._names.values():
            _ip("netns", "add", name)
        self._in(MIDDLE, "link", "add", "bridge", "type", "bridge")
        self._in(MIDDLE, "link", "set", "bridge", "up")
        for half in range(2):
            self._join(half)
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names.values():
            subprocess.run(["ip", "netns", "del", name], check=False)

    def address(self, half: int) -> str:
        """Where the other half reaches this one."""
        return f"10.231.0.{half + 1}"

    def cut(self) -> None:
        """From now on nothing passes, and nobody hears that: packets are dropped."""
        self._in(MIDDLE, "link", "set", "port1", "down")

    def heal(self) -> None:
        """All passes again."""
        self._in(MIDDLE, "link", "set", "port1", "up")

    @contextmanager
    def inside(self, half: int) -> Iterator[None]:
        """Threads and processes that this thread starts meanwhile are in that half."""
        with Path("/proc/thread-self/ns/net").open() as before:
            _enter(NETNS / self._names[str(half)])
            try:
                yield
            finally:
                _set(before.fileno())

    def _join(self, half: int) -> None:
        port, name = f"port{half}", self._names[str(half)]
        self._in(MIDDLE, "link", "add", port, "type", "veth", "peer", "name", "out", "netns", name)
        self._in(MIDDLE, "link", "set", port, "master", "bridge", "up")
        _ip("-n", name, "addr", "add", f"{self.address(half)}/24", "dev", "out")
        for device in ("out", "lo"):
            _ip("-n", name, "link", "set", device, "up")

    def _in(self, part: str, *words: str) -> None:
        _ip("-n", self._names[part], *words)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _enter(namespace: Path) -> None:
    with namespace.open() as file:
        _set(file.fileno())


def _set(handle: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
