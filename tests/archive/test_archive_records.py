"""Archive records: documents and rows as they are stored."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from msgspec import structs

from scoopi.archive.archive_records import DocumentMeta, SavedData, document_identity
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Document, Locator

LOCATOR = Locator("n", "g", "http://me:secret@h/a")
DOCUMENT = Document(LOCATOR, LOCATOR.url, datetime(2026, 1, 2, tzinfo=ZoneInfo("Europe/Berlin")), None, b"x")
META = DocumentMeta.of(DOCUMENT)
NAME, PRICE = Axis("item", "name", 1), Axis("fact", "price", 2)


def test_a_login_is_not_stored_and_comes_back_from_the_locator() -> None:
    assert "secret" not in str(META)
    assert META.document(LOCATOR, b"x") == DOCUMENT


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        (structs.replace(META, from_date="2026-01-02T00:00:00"), "has no zone"),
        (structs.replace(META, from_date="yesterday"), "Invalid isoformat"),
        (structs.replace(META, zone="Mars/Olympus"), "time zone Mars/Olympus is unknown"),
    ],
)
def test_a_date_that_cannot_be_read_is_an_error(meta: DocumentMeta, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        meta.date()


def test_the_identity_depends_on_address_date_charset_and_body_only() -> None:
    identity = document_identity(DOCUMENT)
    for other in (
        structs.replace(DOCUMENT, url="http://h/b"),
        structs.replace(DOCUMENT, from_date=datetime(2026, 1, 2, tzinfo=UTC)),
        structs.replace(DOCUMENT, charset="x"),
        structs.replace(DOCUMENT, body=b"y"),
    ):
        assert document_identity(other) != identity
    assert document_identity(structs.replace(DOCUMENT, content_type="text/html")) == identity


def test_rows_of_one_shape_share_its_column_heads() -> None:
    rows = (
        Item((NAME, PRICE), ("a", None), (1, 1)),
        Item((NAME, PRICE), ("b", "2"), (2, 1)),
        Item((NAME,), ("c",), (3,)),
    )
    saved = SavedData.of(Data("d", rows))
    assert saved.shapes == ((NAME, PRICE), (NAME,))
    assert saved.data() == Data("d", rows)


def test_a_row_without_its_shape_is_an_error() -> None:
    with pytest.raises(IndexError):
        SavedData("d", (), ((0, ("a",), (1,)),)).data()
