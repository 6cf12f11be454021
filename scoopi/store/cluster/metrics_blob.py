"""MetricsBlob: a member's figures of itself, as it sends them to Hazelcast's Management Center."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

VERSION = 1
MOST_BYTES = 4 << 20
"""Of a blob, unpacked: some 300 figures take 20 KB."""
_HEAD = struct.Struct(">hi")
_INT = struct.Struct(">i")
_WORD = struct.Struct(">iBB")
_LONG, _DOUBLE = struct.Struct(">q"), struct.Struct(">d")
_WORDS, _UNIT, _TARGETS, _TAGS = 4, 4, 5, 6
"""Bits of what is as it was for the figure before: four words, of which the first two name the figure."""


def read_metrics(blob: bytes) -> dict[tuple[str, str], float]:
    """Figures by prefix and name, as ("memory", "freeHeap"); of those that share a name the last one.

    Raises:
        ValueError: it is not such a blob.
    """
    try:
        version, length = _HEAD.unpack_from(blob)
        if version != VERSION:
            raise ValueError(f"metrics of version {version}")
        words = _words(_inflated(blob[_HEAD.size : _HEAD.size + length]))
        at = _HEAD.size + length
        (count,) = _INT.unpack_from(blob, at)
        return dict(_figures(_inflated(blob[at + _INT.size :]), count, words))
    except (struct.error, zlib.error, IndexError, UnicodeDecodeError) as fault:
        raise ValueError(f"not a member's metrics: {fault}") from fault


def _inflated(packed: bytes) -> bytes:
    return zlib.decompressobj().decompress(packed, MOST_BYTES)


def _words(data: bytes) -> dict[int, str]:
    """Sorted words, each without the beginning that it shares with the one before."""
    words: dict[int, str] = {}
    (count,), at, last = _INT.unpack_from(data), _INT.size, ""
    for _ in range(count):
        number, shared, more = _WORD.unpack_from(data, at)
        at += _WORD.size
        last = words[number] = last[:shared] + data[at : at + 2 * more].decode("utf-16-be")
        at += 2 * more
    return words


def _figures(data: bytes, count: int, words: dict[int, str]) -> Iterator[tuple[tuple[str, str], float]]:
    at, now = 0, [""] * _WORDS
    for _ in range(count):
        same = data[at]
        at += 1
        for place in range(_WORDS):
            if not same >> place & 1:
                now[place] = words.get(_INT.unpack_from(data, at)[0], "")
                at += _INT.size
        at += (not same >> _UNIT & 1) + (not same >> _TARGETS & 1)
        if not same >> _TAGS & 1:
            at += 1 + data[at] * 2 * _INT.size
        value = _DOUBLE if data[at] else _LONG
        yield (now[0], now[1]), float(value.unpack_from(data, at + 1)[0])
        at += 1 + value.size
