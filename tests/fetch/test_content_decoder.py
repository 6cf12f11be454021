"""Content codings piece by piece, whole and broken."""

from __future__ import annotations

import contextlib
import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoopi.fetch.content_decoder import BrokenCodingError, ContentDecoder, TooLargeError
from tests.server.codings import bomb, encode

CODINGS = ("gzip", "deflate", "raw-deflate", "br", "zstd")


def decoded(coding: str, packed: bytes, size: int, limit: int = 10**6) -> bytes:
    decoder = ContentDecoder([coding.removeprefix("raw-")], limit)
    pieces = [decoder.feed(packed[at : at + size]) for at in range(0, len(packed), size)]
    decoder.finish()
    return b"".join(pieces)


@pytest.mark.parametrize("coding", CODINGS)
@given(st.binary(max_size=3000), st.integers(min_value=1, max_value=4000))
@settings(max_examples=30, deadline=None)
def test_pieces_of_any_size_give_the_body(coding: str, body: bytes, size: int) -> None:
    assert decoded(coding, encode(coding, body), size) == body


@pytest.mark.parametrize("coding", CODINGS)
@given(st.data())
@settings(max_examples=30, deadline=None)
def test_a_damaged_body_is_broken_or_decodes_within_the_limit(coding: str, data: st.DataObject) -> None:
    packed = bytearray(encode(coding, b"some text, some text, and more of it" * 20))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(BrokenCodingError, TooLargeError):
        assert len(decoded(coding, bytes(packed), 64, limit=5000)) <= 5000


@pytest.mark.parametrize("coding", CODINGS)
def test_every_cut_body_is_broken(coding: str) -> None:
    packed = encode(coding, b"some text and more of it")
    for end in range(len(packed)):
        with pytest.raises(BrokenCodingError):
            decoded(coding, packed[:end], 1000)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_bomb_is_stopped_without_being_unpacked(coding: str) -> None:
    with pytest.raises(TooLargeError):
        decoded(coding, bomb(coding, 60), 1000, limit=10**6)


def test_a_bomb_in_a_bomb_is_stopped_at_its_first_stage() -> None:
    packed = gzip.compress(bomb("gzip", 60))
    with pytest.raises(TooLargeError):
        ContentDecoder(["gzip", "gzip"], 50_000).feed(packed)


def test_members_and_frames_follow_each_other_and_garbage_behind_gzip_is_passed_over() -> None:
    assert decoded("gzip", encode("gzip", b"a") + encode("gzip", b"b") + b"\0\0\0", 3) == b"ab"
    assert decoded("zstd", encode("zstd", b"a") + encode("zstd", b"b"), 3) == b"ab"
