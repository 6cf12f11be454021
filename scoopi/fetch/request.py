"""Request: a request for one page or file to one host, and its parts as they are sent."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote_plus

import msgspec
from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.fetch.address import parse_address
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.model.locator import Locator, PageRequest, Pairs, Validators
from scoopi.model.sites import Site
from scoopi.model.text.secrets import has_reference, is_open, revealed
from scoopi.model.text.shown import shown


class Request(msgspec.Struct, frozen=True):
    """A request for one page to one host.

    Attributes:
        url: absolute and escaped, see `Address.url`.
        not_after: end of its grant, in seconds of the monotonic clock; None for no limit.
        hops: number of redirects followed so far.
        cookies: cookies set by earlier hops of this chain of redirects, as `HttpClient` encodes them.
        lost: how often the request was lost with a connection; it is then sent on a new connection.
        public_only: a public page led here, so the host must not have a private address.
        site: the site's settings; None for the default settings.
        known: validators of the known version of the page, which need not be sent again; None without one.
        content: method, headers and body; None for a plain GET.
        is_robots: whether this is for robots.txt, whose body is cut at MOST_ROBOTS_BYTES.
        file: where to write the file that is requested; None for a page.
        locator: the locator that the request is for; None if it is for none.
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
        """Whether the cookies of the response belong to a session of the site."""
        return self.site is not None and bool(self.site.session)

    @property
    def is_sent_once(self) -> bool:
        """Whether the request must not be repeated if it may have arrived."""
        return self.content is not None and self.content.method in ("POST", "PATCH")

    def hop_to(self, url: str, host: str, status: int) -> Request:
        """The request that follows a redirect; arguments and errors as for `redirected`."""
        content = self.redirected(url, host, status)
        return Request(url, hops=self.hops + 1, content=content, is_robots=self.is_robots)

    def redirected(self, url: str, host: str, status: int) -> PageRequest | None:
        """The content of the request that follows a redirect, by the rules of browsers; None for a plain GET.

        301 and 302 turn a POST into a GET, 303 any method; other statuses repeat the request. Secret headers
        and parameters are not sent to another host, or unencrypted after an encrypted request.

        Args:
            url: the target.
            host: the target's `host:port`.
            status: status of the redirect.
        Raises:
            FetchError: the body contains a secret that would be sent to another host or unencrypted.
        """
        content = self.content
        if content is None:
            return None
        becomes_get = status == 303 or (status in (301, 302) and content.method == "POST")
        if becomes_get:
            content = replace(content, method="GET", form=None, json="")
        if host != parse_address(self.url).host or is_downgrade(self.url, url):
            if has_reference(content.json) or any(has_reference(text) for _, text in content.form or ()):
                what = "redirected to another host with a body that contains a credential"
                raise FetchError(what, at=shown(self.url), hint="name the page's final address as its url")
            kept = tuple(pair for pair in content.headers if is_open(*pair))
            content = replace(content, headers=kept, params=())
        return None if content == PageRequest() else content


def is_downgrade(url: str, target: str) -> bool:
    """Whether a redirect leads from https to http."""
    return url.startswith("https:") and not target.startswith("https:")


def conditions(known: Validators | None) -> list[str]:
    """The headers that request the page only if it differs from the known version.

    >>> conditions(Validators(etag='"v1"'))
    ['If-None-Match: "v1"']
    """
    if known is None:
        return []
    lines = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
    return [f"{name}: {text}" for name, text in lines if text]


def body_of(content: PageRequest | None) -> bytes | None:
    """The body of a request as it is sent: form or JSON, with its secrets; None without one.

    Raises:
        MissingSecretError: an environment variable is not set.
    """
    if content is None:
        return None
    if content.json:
        if not has_reference(content.json):
            return content.json.encode()
        return json.dumps(_revealed(json.loads(content.json)), ensure_ascii=False).encode()
    return None if content.form is None else encoded(content.form).encode()


def encoded(pairs: Pairs) -> str:
    """Pairs encoded as in a form or a query string; errors as for `body_of`."""
    return "&".join(f"{quote_plus(name)}={quote_plus(revealed(text))}" for name, text in pairs)


def _revealed(value: Any) -> Any:
    if isinstance(value, str):
        return revealed(value)
    if isinstance(value, dict):
        return {name: _revealed(each) for name, each in value.items()}
    return [*map(_revealed, value)] if isinstance(value, list) else value
