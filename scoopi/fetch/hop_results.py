"""Response, NotModified, Redirect, ReceivedFile, GrantNeeded: the possible results of a request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.page_kind import media_type
from scoopi.fetch.request import Request
from scoopi.model.locator import Document, Locator, Validators

LONGEST_VALIDATOR = 1000
"""In characters; longer validators are not sent back."""


class Response(msgspec.Struct, frozen=True):
    """The response with a page.

    Attributes:
        status: always 200.
        headers: names in lower case; repeated headers are joined by `, `, except `location`, of which only
            the first is kept.
        body: the decoded body.
        charset: charset in the Content-Type header, as written there; None if it has none.
        url: the address that responded.
        is_public: whether its host has a public address.
        cookies: cookies after the response, as in `Request.cookies`, if its site has a session.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    charset: str | None
    url: str
    is_public: bool = False
    cookies: tuple[str, ...] = ()

    def document(self, locator: Locator, run_date: datetime) -> Document:
        """The page as a document of the locator; `run_date` is zone-aware, in whole seconds."""
        return Document(
            locator,
            self.url,
            run_date,
            self.charset,
            self.body,
            self.is_public,
            media_type(self.headers.get("content-type", "")),
            validators_of(self.headers),
        )


class NotModified(msgspec.Struct, frozen=True):
    """The response that the known version of the page is still current; attributes as in `Response`."""

    headers: Mapping[str, str]
    cookies: tuple[str, ...] = ()


class Redirect(msgspec.Struct, frozen=True):
    """The response that the page is at another address.

    Attributes:
        host: the target's `host:port`; the next request needs a grant for this host.
        request: the next hop; set its `not_after` from the grant.
        is_downgrade: whether it leads from https to http.
    """

    host: str
    request: Request
    is_downgrade: bool = False


class ReceivedFile(msgspec.Struct, frozen=True):
    """A file that was received completely.

    Attributes:
        partial: its content; the receiver of this result must close it.
        media_type, name: as in `KeptFile`.
        url, cookies: as in `Response`.
    """

    partial: PartialFile
    media_type: str
    name: str
    url: str = ""
    cookies: tuple[str, ...] = ()


class GrantNeeded(msgspec.Struct, frozen=True):
    """The request needs another grant.

    Attributes:
        was_lost: the request was sent on a reused connection that had ended, or on an HTTP/2 connection that
            was closing. Otherwise its grant expired before it was sent, and the site has not seen it.
    """

    was_lost: bool = False


class FurtherGrant(msgspec.Struct, frozen=True):
    """A loader plugin needs a grant for a further request.

    Attributes:
        host: `host:port` of the request.
        url: URL of the request; empty for a subresource of a page, to which robots.txt does not apply.
        call: number of the plugin's call that the grant is for.
    """

    host: str
    url: str
    call: int


HopResult = Response | NotModified | Redirect | GrantNeeded | ReceivedFile
"""The results of a request without an error."""
PluginResult = HopResult | FurtherGrant | Exception
"""What a call of a loader plugin gives: its result, an error, or that it needs a further grant."""


def validators_of(headers: Mapping[str, str]) -> Validators | None:
    """The validators among the headers of a response; None without any."""
    etag, modified = headers.get("etag", ""), headers.get("last-modified", "")
    if not (etag or modified):
        return None
    found = Validators(*("" if len(each) > LONGEST_VALIDATOR else each for each in (etag, modified)))
    return found if found.etag or found.last_modified else None
