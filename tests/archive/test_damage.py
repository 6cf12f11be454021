"""Damage: whatever happened to the archive's files, an entry is whole or absent."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoopi.archive.archive import Archive, data_key
from scoopi.model.data import Axis, Data, Item
from scoopi.model.live import Live
from scoopi.model.locator import Document, Locator

DATE = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
LOCATOR = Locator("n", "g", "/u")
DOCUMENT = Document(LOCATOR, "/u", DATE, None, b"a page " * 20)
DATA = Data("d", (Item((Axis("item", "i", 1),), ("value",), (1,)),))
LONG = Live(days=1000)
KEY = data_key(LOCATOR, "t", "d", "0")


class Kept:
    """An archive with one page and its rows, and the bytes of both files."""

    def __init__(self, folder: Path) -> None:
        self.archive = Archive(folder)
        self.archive.save(DOCUMENT)
        self.archive.save_data(DOCUMENT, KEY, DATA)
        files = {file.name[:4]: file for file in folder.rglob("*") if file.is_file()}
        self.page, self.rows = files["docu"], files["data"]
        self.page_bytes, self.rows_bytes = self.page.read_bytes(), self.rows.read_bytes()

    def fixed(self) -> bool:
        """Whether page and rows are whole again once they are saved again."""
        self.archive.save(DOCUMENT)
        self.archive.save_data(DOCUMENT, KEY, DATA)
        return self.archive.load(LOCATOR) == DOCUMENT and self.archive.load_data(DOCUMENT, KEY) == DATA


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("archive") / "data")


def test_a_flipped_bit_anywhere_makes_a_page_absent(kept: Kept) -> None:
    for at in range(len(kept.page_bytes)):
        damaged = bytearray(kept.page_bytes)
        damaged[at] ^= 1 << at % 8
        kept.page.write_bytes(damaged)
        assert kept.archive.load(LOCATOR) is None
    assert kept.fixed()


def test_a_flipped_bit_anywhere_makes_rows_absent(kept: Kept) -> None:
    for at in range(len(kept.rows_bytes)):
        damaged = bytearray(kept.rows_bytes)
        damaged[at] ^= 1 << at % 8
        kept.rows.write_bytes(damaged)
        assert kept.archive.load_data(DOCUMENT, KEY) is None
    assert kept.fixed()


def test_a_file_cut_anywhere_or_grown_is_absent(kept: Kept) -> None:
    for size in range(len(kept.page_bytes)):
        kept.page.write_bytes(kept.page_bytes[:size])
        assert kept.archive.load(LOCATOR) is None
    for size in range(len(kept.rows_bytes)):
        kept.rows.write_bytes(kept.rows_bytes[:size])
        assert kept.archive.load_data(DOCUMENT, KEY) is None
    kept.page.write_bytes(kept.page_bytes + b"\0")
    assert kept.archive.load(LOCATOR) is None
    assert kept.fixed()


def test_a_damaged_head_is_never_fresh(kept: Kept) -> None:
    head_end = int.from_bytes(kept.page_bytes[8:12], "big") + 28
    for at in range(head_end):
        damaged = bytearray(kept.page_bytes)
        damaged[at] ^= 1 << at % 8
        kept.page.write_bytes(damaged)
        assert not kept.archive.fresh(LOCATOR, LONG, DATE)
    kept.page.write_bytes(kept.page_bytes[: head_end - 1])
    assert not kept.archive.fresh(LOCATOR, LONG, DATE)
    assert kept.fixed()
    assert kept.archive.fresh(LOCATOR, LONG, DATE)


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_any_bytes_in_place_of_a_file_are_absent(kept: Kept, junk: bytes) -> None:
    for content in (junk, kept.page_bytes[:8] + junk):
        kept.page.write_bytes(content)
        kept.rows.write_bytes(content)
        assert kept.archive.load(LOCATOR) is None
        assert not kept.archive.fresh(LOCATOR, LONG, DATE)
        assert kept.archive.load_data(DOCUMENT, KEY) is None
        assert not kept.archive.save_data(DOCUMENT, KEY, DATA)


def test_a_file_of_another_locator_in_its_place_is_absent(kept: Kept) -> None:
    other = Locator("n2", "g", "/u")
    kept.archive.save(Document(other, "/u", DATE, None, b"other"))
    files = [file for file in kept.page.parents[2].rglob("document") if file != kept.page]
    kept.page.write_bytes(files[0].read_bytes())
    assert kept.archive.load(LOCATOR) is None
    assert not kept.archive.fresh(LOCATOR, LONG, DATE)
    assert kept.fixed()


def test_a_folder_in_place_of_a_file_is_absent(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "data")
    kept.page.unlink()
    kept.page.mkdir()
    assert kept.archive.load(LOCATOR) is None
    assert not kept.archive.save(DOCUMENT)
    kept.page.rmdir()
    assert kept.fixed()


def test_a_long_address_is_kept_and_found_fresh(tmp_path: Path) -> None:
    long = Locator("n", "g", "http://h/" + "x" * 100_000)
    archive = Archive(tmp_path)
    document = Document(long, long.url, DATE, None, b"page")
    assert archive.save(document)
    assert archive.fresh(long, LONG, DATE)
    assert archive.load(long) == document
