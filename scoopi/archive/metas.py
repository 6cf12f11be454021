"""DocumentMeta, DataMeta: what the head of an archive's file tells."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from hashlib import blake2b
from zoneinfo import ZoneInfo

import msgspec

from scoopi.model.document import Document
from scoopi.model.locator import Locator
from scoopi.model.text.shown import with_login_of, without_login


class DocumentMeta(msgspec.Struct, frozen=True):
    """Of a saved page; its addresses are without their logins, which are no business of the archive.

    Attributes:
        from_date: in ISO form, with the offset of its zone.
        zone: the IANA name of its zone, empty for a zone of fixed offset.
        zone_name: the short name of its zone, as dates are printed with it.
        identity: as document_identity.
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

    @classmethod
    def of(cls, document: Document) -> DocumentMeta:
        """All of the document except its body."""
        date = document.from_date
        zone = date.tzinfo.key if isinstance(date.tzinfo, ZoneInfo) else ""
        return cls(
            kept_locator(document.locator),
            without_login(document.url),
            date.isoformat(),
            zone or "",
            date.tzname() or "",
            document.charset,
            document_identity(document),
            document.is_public,
            document.content_type,
        )

    def date(self) -> datetime:
        """The document's from_date.

        Raises:
            ValueError: it is not a zone-aware date, or its zone is unknown here.
        """
        date = datetime.fromisoformat(self.from_date)
        offset = date.utcoffset()
        if offset is None:
            raise ValueError(f"{self.from_date} has no zone")
        zone = _zone(self.zone) if self.zone else timezone(offset, self.zone_name)
        return date.astimezone(zone)

    def document(self, locator: Locator, body: bytes) -> Document:
        """The document of that locator again; raises as `date`."""
        return Document(
            locator,
            with_login_of(self.url, locator.url),
            self.date(),
            self.charset,
            body,
            self.is_public,
            self.content_type,
        )


def kept_locator(locator: Locator) -> Locator:
    """The locator as the archive names it."""
    return Locator(locator.name, locator.group, without_login(locator.url))


class DataMeta(msgspec.Struct, frozen=True):
    """Of saved rows: their key, and the identity of the page that they were read from."""

    key: str
    identity: bytes


def document_identity(document: Document) -> bytes:
    """A digest of all that rows can depend on: where the page came from, when, and what it holds."""
    digest = blake2b(document.body, digest_size=16)
    said = (document.url, document.from_date.isoformat(), document.charset or "", len(document.body))
    digest.update(repr(said).encode())
    return digest.digest()


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, OSError) as error:
        raise ValueError(f"no time zone {name}") from error
