"""Locator, Link and Document: a page to read, a link to a page, and a page as loaded."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

Pairs = tuple[tuple[str, str], ...]
"""Names and values in their order; a value may be `${env:NAME}`, which is read when it is sent."""


class PageRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a page is requested, if not by a plain GET.

    Attributes:
        method: GET, POST, PUT or PATCH.
        params: query parameters in addition to those of the address; only secrets, which no address may show.
        headers: the headers of this request.
        form: the fields of the form to send; None for no form.
        json: the JSON document to send, as text; empty for none.
        idempotent: whether sending it twice has the same effect as sending it once.
    """

    method: str = "GET"
    params: Pairs = ()
    headers: Pairs = ()
    form: Pairs | None = None
    json: str = ""
    idempotent: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether the request may be sent again although the server may have received it."""
        return self.idempotent or self.method in ("GET", "PUT")

    @property
    def key(self) -> str:
        """A text that is equal for equal requests; it is a part of the page's identity."""
        return msgspec.json.encode(self).decode()


class Locator(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page to read: `name` and `group` (columns 1 and 2 of its rows), and its address as written.

    Attributes:
        request: how it is requested; None for a plain GET.
    """

    name: str
    group: str
    url: str
    request: PageRequest | None = None

    @property
    def identity(self) -> tuple[str, ...]:
        """What identifies the page: its group, its address, and its request unless it is a plain GET."""
        return (self.group, self.url) if self.request is None else (self.group, self.url, self.request.key)


class ListEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which page of a list is the last to be read, although it links to another.

    Attributes:
        no_new: the list ends with a page whose items were all on earlier pages, or that has none.
        older_than: the list ends with a page whose items are all older than this day, ISO 8601; empty for no
            such condition.
        by: the field with the day of an item; empty for the only field that is a day.
    """

    no_new: bool = False
    older_than: str = ""
    by: str = ""


class LinkBounds(msgspec.Struct, frozen=True):
    """How far the links of one field are followed.

    Attributes:
        depth: the most links of crawls from a locator to a page; None if it is not a link of a crawl, or if
            the crawl has no bound.
        pages: the most pages of a pagination, its first one included; None if it is not a link of one.
        end: the page of a list from which they are not followed; None if the list ends where its links do.
    """

    depth: int | None = None
    pages: int | None = None
    end: ListEnd | None = None


class Link(msgspec.Struct, frozen=True):
    """A link that becomes a child job; `url` is absolute, or an address as written.

    Attributes:
        once: whether it is followed once per locator, however many pages link to it.
        once_per_run: whether it is followed once per run and set of `parent` values, whichever locator leads
            to it.
        parent: the values of the record that links to it, by column: those that the group's definitions use.
        bounds: how far it and the links behind it are followed; None for no bound.
    """

    group: str
    url: str
    once: bool = False
    once_per_run: bool = False
    parent: dict[str, Any] = {}
    bounds: LinkBounds | None = None


class Validators(msgspec.Struct, frozen=True):
    """The ETag and Last-Modified headers of a page, as sent; empty if not sent."""

    etag: str = ""
    last_modified: str = ""

    def or_else(self, former: Validators) -> Validators:
        """Return these validators, with a missing one taken from `former`."""
        return Validators(self.etag or former.etag, self.last_modified or former.last_modified)


class Document(msgspec.Struct, frozen=True):
    """The bytes of a page, and the metadata that the server sent.

    Attributes:
        locator: the page that was requested; its url is the address as written.
        url: the final address, after redirects; of a local file, its address as written.
        from_date: the date-time (zone-aware, whole seconds) of the run that fetched it.
        charset: the charset of the Content-Type header, or None.
        body: the decoded body, without Content-Encoding.
        is_public: whether a public host sent it, so that its links may not lead to private hosts.
        content_type: the media type of the Content-Type header, in lower case without parameters; empty if
            there is none.
        validators: the validators that the server sent; None if it sent none.
    """

    locator: Locator
    url: str
    from_date: datetime
    charset: str | None
    body: bytes
    is_public: bool = False
    content_type: str = ""
    validators: Validators | None = None
