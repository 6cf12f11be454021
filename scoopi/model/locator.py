"""Locator, Link, Document: a page that a run reads, one that a page links to, and a page as loaded."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

Pairs = tuple[tuple[str, str], ...]
"""Names and texts in their order; a text may be `${env:NAME}`, whose value is read when it is sent."""


class PageRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a page is asked for, where that is not a plain GET.

    Attributes:
        method: GET, POST, PUT or PATCH.
        params: of the query, beside those of the address; only secret ones, which no address may show.
        headers: of this request.
        form: fields of a form that is sent; None without one.
        json: a JSON document that is sent, as text; empty without one.
        idempotent: sending it twice has the same effect as sending it once.
    """

    method: str = "GET"
    params: Pairs = ()
    headers: Pairs = ()
    form: Pairs | None = None
    json: str = ""
    idempotent: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again although the server may have received it."""
        return self.idempotent or self.method in ("GET", "PUT")

    @property
    def key(self) -> str:
        """Equal for equal requests: a part of the identity of a page."""
        return msgspec.json.encode(self).decode()


class Locator(msgspec.Struct, frozen=True, omit_defaults=True):
    """Names a page: column 1 (name) and column 2 (group) of its rows, and its address as written.

    Attributes:
        request: how it is asked for; None for a plain GET.
    """

    name: str
    group: str
    url: str
    request: PageRequest | None = None

    @property
    def identity(self) -> tuple[str, ...]:
        """Group and address, and the request unless it is a plain GET; a page is one of them."""
        return (self.group, self.url) if self.request is None else (self.group, self.url, self.request.key)


class ListEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which page of a list is the last one that is read, although it links to another.

    Attributes:
        no_new: one whose items were all on earlier pages, or that has none.
        older_than: one whose items are all older than this day, ISO 8601; empty for none.
        by: the field of their day; empty for the only one that is a day.
    """

    no_new: bool = False
    older_than: str = ""
    by: str = ""


class LinkBounds(msgspec.Struct, frozen=True):
    """How far links of one field lead.

    Attributes:
        depth: the most links of crawls from a locator to a page; None: it is not a link of a crawl, or
            the crawl has no bound.
        pages: the most pages of a pagination, its first one included; None: it is not a link of one.
        end: from which page of a list they are not followed; None: the list ends where its links do.
    """

    depth: int | None = None
    pages: int | None = None
    end: ListEnd | None = None


class Link(msgspec.Struct, frozen=True):
    """Requests a child job; `url` is absolute, or an address as written.

    Attributes:
        once: follow it once per defined locator, however many pages link to it.
        once_per_run: follow it once per run and set of `parent` values, whichever locator leads to it.
        parent: values of the record that links to it, by column: those that the group's definitions use.
        bounds: how far it and those behind it lead; None: as far as there are links.
    """

    group: str
    url: str
    once: bool = False
    once_per_run: bool = False
    parent: dict[str, Any] = {}
    bounds: LinkBounds | None = None


class Validators(msgspec.Struct, frozen=True):
    """The headers ETag and Last-Modified of a page, as sent; an empty one was not sent."""

    etag: str = ""
    last_modified: str = ""

    def or_else(self, former: Validators) -> Validators:
        """These, and where one is missing, the former one."""
        return Validators(self.etag or former.etag, self.last_modified or former.last_modified)


class Document(msgspec.Struct, frozen=True):
    """The bytes of a page, and the metadata that its server sent.

    Attributes:
        locator: what was asked for; its url is the address as written.
        url: the final address, after redirects; for a file its address as written.
        from_date: the date-time (zone-aware, whole seconds) of the run that fetched it.
        charset: the charset of the Content-Type header, else None.
        body: the page, content-encoding undone.
        content_type: of the Content-Type header, in lower case and without parameters; empty if none.
        is_public: a public host sent it, so its links may not lead to private ones.
        validators: what a server recognizes its version by; None if it sent none.
    """

    locator: Locator
    url: str
    from_date: datetime
    charset: str | None
    body: bytes
    is_public: bool = False
    content_type: str = ""
    validators: Validators | None = None
