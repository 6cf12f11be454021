"""Settings of glibc's memory allocator for a process that parses pages; other allocators stay as they are."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache

KEPT_BYTES = 32 << 20
"""Freed memory that a process keeps for its next page; the trees of a page of 1 MB take up to 20 MB."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE_BYTES = 4 << 20
"""A block of this size is returned as soon as it is freed."""


@cache
def keep_freed_memory() -> None:
    """Let the allocator keep up to `KEPT_BYTES` of freed memory, set once per process.

    By default it returns the memory of a large page's trees to the kernel, and the next page has a page
    fault for each 4 KB of it.
    """
    _set({_TRIM_THRESHOLD: KEPT_BYTES, _MMAP_THRESHOLD: _LARGE_BYTES})


def bound_arenas() -> None:
    """Let the allocator reserve the address space of two arenas at most: one more than for one thread."""
    _set({_ARENA_MAX: 2})


def _set(options: Mapping[int, int]) -> None:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for option, value in options.items():
            libc.mallopt(option, value)
