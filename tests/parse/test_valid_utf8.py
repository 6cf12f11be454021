"""The bridge and Python's strict decoder call the same bytes valid UTF-8."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoopi.parse.tree.charset import is_decodable
from tests.parse.tree.built_bridge import built_bridge

EDGES = (
    *(0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF),
    *(0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF),
)
"""The bytes at which the rules of UTF-8 change."""

texts = st.text(st.characters(codec="utf-8"), max_size=80).map(str.encode)
pieces = st.one_of(texts, texts, st.text("a", max_size=70).map(str.encode), st.binary(max_size=3))


@pytest.mark.parametrize("before", [b"", b"a" * 7, b"a" * 33])
def test_all_sequences_of_bytes_at_which_the_rules_change_are_judged_alike(before: bytes) -> None:
    is_utf8, valid = built_bridge().is_utf8, 0
    for length in range(5):
        for sequence in itertools.product(EDGES, repeat=length):
            page = before + bytes(sequence)
            assert is_utf8(page) == is_decodable(page), page
            valid += is_utf8(page)
    assert valid > 1000


@settings(max_examples=300)
@given(st.lists(pieces, max_size=6).map(b"".join), st.integers(0, 300))
def test_texts_with_some_wrong_bytes_and_torn_ends_are_judged_alike(page: bytes, end: int) -> None:
    for each in (page, page[:end], page[end:]):
        assert built_bridge().is_utf8(each) == is_decodable(each)


def test_only_bytes_are_judged() -> None:
    with pytest.raises(TypeError):
        built_bridge().is_utf8("text")  # type: ignore[arg-type]
