"""Request, Response, NotModified, Redirect, GrantNeeded: one hop's request and its possible outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

import msgspec
from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.fetch.address import parse_address
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.page_kind import media_type
from scoopi.model.locator import Document, Locator, PageRequest, Pairs, Validators
from scoopi.model.sites import Site
from scoopi.model.text.secrets import has_reference, is_open, revealed
from scoopi.model.text.shown import shown

LONGEST_VALIDATOR = 1000
"""Characters; longer ones are not sent back."""


class Request(msgspec.Struct, frozen=True):
    """A request for one page to one host.

    Attributes:
        url: absolute and escaped, see `Address.url`.
        not_after: end of its grant, in seconds of the monotonic clock; None if it has no end.
        hops: redirects followed so far.
        cookies: set by earlier hops of this chain of redirects, as `HttpClient` encodes them.
        lost: how often the request was lost with a connection that ended; such a one is not used again.
        public_only: a public page led here, so a host with a private address is not asked.
        site: what the host is asked with; None: as the settings say.
        known: of a version of the page that need not be sent again; None if there is none.
        content: method, headers and body; None for a plain GET.
        is_robots: of a robots.txt: its body is cut at MOST_ROBOTS_BYTES.
        file: a file is asked for, not a page: where it goes.
        locator: the page that all this is for; None for none of the definitions.
    """

    url: str
    not_after: float | None = None
    hops: int = 0
    cookies: tuple[str, ...] = ()
    lost: int = 0
    public_only: bool = False
    site: Site | None = None
    known: Validators | None = None
    content: PageRequest | None = None
    is_robots: bool = False
    file: PartialFile | None = None
    locator: Locator | None = None

    @property
    def keeps_cookies(self) -> bool:
        """Whether its site has a session, which the cookies of its answer belong to."""
        return self.site is not None and bool(self.site.session)

    @property
    def is_sent_once(self) -> bool:
        """Whether it must not be sent again if it may have arrived."""
        return self.content is not None and self.content.method in ("POST", "PATCH")

    def hop_to(self, url: str, host: str, status: int) -> Request:
        """The request that follows a redirect; arguments and errors as of `redirected`."""
        content = self.redirected(url, host, status)
        return Request(url, hops=self.hops + 1, content=content, is_robots=self.is_robots)

    def redirected(self, url: str, host: str, status: int) -> PageRequest | None:
        """The content of the request that follows a redirect, as browsers make it.

        301, 302 and 303 make a GET of a POST, and 303 of any method; the others repeat the request. To
        another host, or without encryption after it, go no headers or parameters that are secret.

        Args:
            url: the target.
            host: of the target, `host:port`.
            status: of the redirect.
        Raises:
            FetchError: the body holds a secret, and another host asks for it.
        """
        content = self.content
        if content is None:
            return None
        becomes_get = status == 303 or (status in (301, 302) and content.method == "POST")
        if becomes_get:
            content = replace(content, method="GET", form=None, json="")
        if host != parse_address(self.url).host or is_downgrade(self.url, url):
            if has_reference(content.json) or any(has_reference(text) for _, text in content.form or ()):
                what = "redirected to another host with a body that holds a credential"
                raise FetchError(what, at=shown(self.url), hint="name the page's final address as its url")
            kept = tuple(pair for pair in content.headers if is_open(*pair))
            content = replace(content, headers=kept, params=())
        return None if content == PageRequest() else content


def is_downgrade(url: str, target: str) -> bool:
    """Whether a redirect leads from an encrypted page to one that is not."""
    return url.startswith("https:") and not target.startswith("https:")


class Response(msgspec.Struct, frozen=True):
    """A page.

    Attributes:
        status: always 200.
        headers: names in lower case; values of a repeated header are joined by `, `, but only the first
            `location` counts.
        body: with its content codings undone.
        charset: of the Content-Type header, as written there; None if it has none.
        url: the address that responded.
        is_public: whether its host has a public address.
        cookies: after it, if its site has a session, as `Request.cookies`.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    charset: str | None
    url: str
    is_public: bool = False
    cookies: tuple[str, ...] = ()

    def document(self, locator: Locator, run_date: datetime) -> Document:
        """The page as the document of a locator; `run_date` is zone-aware and in whole seconds."""
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
    """The answer that the known version of the page is still the current one; attributes as in `Response`."""

    headers: Mapping[str, str]
    cookies: tuple[str, ...] = ()


class Redirect(msgspec.Struct, frozen=True):
    """The answer that the page is at another address.

    Attributes:
        host: of the target, `host:port`; the next request needs a grant for this host.
        request: the next hop; set its `not_after` from the grant.
        is_downgrade: it is not encrypted, and follows a page that was.
    """

    host: str
    request: Request
    is_downgrade: bool = False


class ReceivedFile(msgspec.Struct, frozen=True):
    """A file that has come to its end; attributes as of `KeptFile` and `Response`.

    Attributes:
        partial: its content, which the receiver of this closes.
    """

    partial: PartialFile
    media_type: str
    name: str
    url: str = ""
    cookies: tuple[str, ...] = ()


class GrantNeeded(msgspec.Struct, frozen=True):
    """The request needs another grant.

    Attributes:
        was_lost: the request was sent on a reused connection that had ended, or over HTTP/2 on one that was
            being ended. Otherwise its grant expired before it was sent, and the site has seen nothing of it.
    """

    was_lost: bool = False


class FurtherGrant(msgspec.Struct, frozen=True):
    """A loader plugin wants to send a request to another host, or another request.

    Attributes:
        host: `host:port` of the request.
        url: what it asks for; empty for something that a page loads, which robots.txt says nothing of.
        call: number of the plugin's call, which the grant is for.
    """

    host: str
    url: str
    call: int


HopResult = Response | NotModified | Redirect | GrantNeeded | ReceivedFile
"""What a request that was answered, or needs a grant, comes to."""
PluginResult = HopResult | FurtherGrant | Exception


def validators_of(headers: Mapping[str, str]) -> Validators | None:
    """The validators among the headers of a response; None without any."""
    etag, modified = headers.get("etag", ""), headers.get("last-modified", "")
    if not (etag or modified):
        return None
    found = Validators(*("" if len(each) > LONGEST_VALIDATOR else each for each in (etag, modified)))
    return found if found.etag or found.last_modified else None


def conditions(known: Validators | None) -> list[str]:
    """The headers that ask for the page only if it is not the known version.

    >>> conditions(Validators(etag='"v1"'))
    ['If-None-Match: "v1"']
    """
    if known is None:
        return []
    lines = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
    return [f"{name}: {text}" for name, text in lines if text]


def body_of(content: PageRequest | None) -> bytes | None:
    """The body of a request; None without one.

    Raises:
        MissingSecretError: the environment lacks a value.
    """
    if content is None:
        return None
    if content.json:
        if not has_reference(content.json):
            return content.json.encode()
        return json.dumps(_revealed(json.loads(content.json)), ensure_ascii=False).encode()
    return None if content.form is None else encoded(content.form).encode()


def encoded(pairs: Pairs) -> str:
    """Names and values as in a form or a query; raises MissingSecretError as `body_of`."""
    return "&".join(f"{quote_plus(name)}={quote_plus(revealed(text))}" for name, text in pairs)


def _revealed(value: Any) -> Any:
    if isinstance(value, str):
        return revealed(value)
    if isinstance(value, dict):
        return {name: _revealed(each) for name, each in value.items()}
    return [*map(_revealed, value)] if isinstance(value, list) else value
