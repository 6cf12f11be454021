"""RequestOptions: sets on a curl handle what its next request is made with."""

from __future__ import annotations

from typing import Any

import pycurl

from scoopi.fetch.request import Request
from scoopi.model.locator import Validators
from scoopi.model.sites import Site

HEADERS = {
    "accept": ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    # As a plain header, so that curl does not decode the body: it cannot decode zstd.
    "accept-encoding": ("Accept-Encoding", "gzip, br, zstd"),
}
"""Headers of each request, by their names in lower case; a site may have other values for them."""


class RequestOptions:
    """Belongs to one handle; options of a host that is asked again are not set again.

    Args:
        defaults: for requests without a site.

    Attributes:
        site: of the current request.
    """

    def __init__(self, handle: pycurl.Curl, defaults: Site) -> None:
        self._handle: Any = handle
        self._defaults = defaults
        self.site = defaults
        self._is_conditional = False
        self._set_site(defaults)

    def set(self, request: Request) -> None:
        """Prepare the handle for the request."""
        site = request.site or self._defaults
        if site is not self.site:
            self._set_site(site)
        if request.known is not None or self._is_conditional:
            self._is_conditional = request.known is not None
            self._handle.setopt(pycurl.HTTPHEADER, header_lines(site) + conditions(request.known))

    def _set_site(self, site: Site) -> None:
        self.site = site
        self._handle.setopt(pycurl.CONNECTTIMEOUT_MS, site.connect_timeout_ms)
        self._handle.setopt(pycurl.TIMEOUT_MS, site.timeout_ms)
        self._handle.setopt(pycurl.USERAGENT, site.user_agent)
        self._handle.setopt(pycurl.HTTPHEADER, header_lines(site))


def conditions(known: Validators | None) -> list[str]:
    """The headers that ask for the page only if it is not the known version.

    >>> conditions(Validators(etag='"v1"'))
    ['If-None-Match: "v1"']
    """
    if known is None:
        return []
    lines = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
    return [f"{name}: {text}" for name, text in lines if text]


def header_lines(site: Site) -> list[str]:
    """The headers of each request to the site, in the form of curl."""
    headers = {**HEADERS, **{name.lower(): (name, text) for name, text in site.headers.items()}}
    return [f"{name}: {text}" if text else f"{name};" for name, text in headers.values()]
