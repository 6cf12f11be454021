"""DocumentMeta, DataMeta, SavedData: what the files of the archive contain."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from hashlib import blake2b
from zoneinfo import ZoneInfo

import msgspec

from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Document, Locator, Validators
from scoopi.model.text.shown import with_login_of, without_login


class DocumentMeta(msgspec.Struct, frozen=True):
    """The head of a saved page's file; see `Document`. Its addresses are stored without logins.

    Attributes:
        from_date: in ISO format, with the offset of its zone.
        zone: the IANA name of its zone; empty for a zone of fixed offset.
        zone_name: the abbreviation of its zone, used when the date is printed.
        identity: see `document_identity`.
    """

    locator: Locator
    url: str
    from_date: str
    zone: str
    zone_name: str
    charset: str | None
    identity: bytes
    is_public: bool = False
    content_type: str = ""
    validators: Validators | None = None

    @classmethod
    def of(cls, document: Document) -> DocumentMeta:
        """The head for a document: all of it except its body."""
        date = document.from_date
        zone = date.tzinfo.key if isinstance(date.tzinfo, ZoneInfo) else ""
        return cls(
            archived_locator(document.locator),
            without_login(document.url),
            date.isoformat(),
            zone or "",
            date.tzname() or "",
            document.charset,
            document_identity(document),
            document.is_public,
            document.content_type,
            document.validators,
        )

    def date(self) -> datetime:
        """The document's `from_date`.

        Raises:
            ValueError: it is not a zone-aware date, or this machine does not know its zone.
        """
        date = datetime.fromisoformat(self.from_date)
        offset = date.utcoffset()
        if offset is None:
            raise ValueError(f"{self.from_date} has no zone")
        zone = _zone(self.zone) if self.zone else timezone(offset, self.zone_name)
        return date.astimezone(zone)

    def document(self, locator: Locator, body: bytes) -> Document:
        """The saved document with this body, as the page of the locator.

        Raises:
            ValueError: see `date`.
        """
        return Document(
            locator,
            with_login_of(self.url, locator.url),
            self.date(),
            self.charset,
            body,
            self.is_public,
            self.content_type,
            self.validators,
        )


def archived_locator(locator: Locator) -> Locator:
    """The locator as the archive stores it, without a login in its address."""
    return Locator(locator.name, locator.group, without_login(locator.url), locator.request)


class DataMeta(msgspec.Struct, frozen=True):
    """The head of a file of saved rows.

    Attributes:
        key: see `data_key`.
        identity: `document_identity` of the page from which the rows were read.
    """

    key: str
    identity: bytes


class SavedData(msgspec.Struct, frozen=True, array_like=True):
    """The body of a file of saved rows; rows of one shape share their column heads.

    Attributes:
        data_def: name of the data definition.
        shapes: the distinct column heads.
        rows: for each item, the index of its shape, its values and its indexes, as in `Item`.
    """

    data_def: str
    shapes: tuple[tuple[Axis, ...], ...]
    rows: tuple[tuple[int, tuple[str | None, ...], tuple[int, ...]], ...]

    @classmethod
    def of(cls, data: Data) -> SavedData:
        """The body for `data`."""
        shapes: dict[tuple[Axis, ...], int] = {}
        rows = tuple(
            (shapes.setdefault(item.axes, len(shapes)), item.values, item.indexes) for item in data.items
        )
        return cls(data.data_def, tuple(shapes), rows)

    def data(self) -> Data:
        """The saved data.

        Raises:
            IndexError: a row refers to a shape that does not exist.
        """
        return Data(
            self.data_def,
            tuple(Item(self.shapes[shape], values, indexes) for shape, values, indexes in self.rows),
        )


def document_identity(document: Document) -> bytes:
    """A digest of everything in a document that its rows can depend on; 16 bytes."""
    digest = blake2b(document.body, digest_size=16)
    properties = (document.url, document.from_date.isoformat(), document.charset or "", len(document.body))
    digest.update(repr(properties).encode())
    return digest.digest()


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, OSError) as error:
        raise ValueError(f"the time zone {name} is unknown") from error
