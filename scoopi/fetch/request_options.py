"""RequestOptions: sets the options of a curl handle for its next request."""

from __future__ import annotations

import base64
import os
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote_plus

import pycurl

from scoopi.errors import FetchError
from scoopi.fetch.connections.proxy_pool import ProxyPool
from scoopi.fetch.request import Request, body_of, conditions, encoded
from scoopi.model.locator import PageRequest
from scoopi.model.sites import DIRECT, Site
from scoopi.model.text.secrets import MissingSecretError, revealed
from scoopi.model.text.shown import shown

HEADERS = {
    "accept": ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    # As a plain header, so that curl does not decode the body: it cannot decode zstd.
    "accept-encoding": ("Accept-Encoding", "gzip, br, zstd"),
}
"""Default headers, by lower-case name; a site may override them."""
USUAL_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
E_PROXY = 97
"""CURLE_PROXY, for which pycurl has no name."""
PROXY_FAULTS = frozenset(
    (pycurl.E_COULDNT_RESOLVE_PROXY, pycurl.E_COULDNT_CONNECT, pycurl.E_OPERATION_TIMEDOUT, E_PROXY)
)
PROXY_WANTS_LOGIN = 407
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"


class RequestOptions:
    """Sets the options of a curl handle for its next request.

    Belongs to one handle. Options that the previous request has already set are not set again.

    Args:
        defaults: settings for requests without a site.
        trusted: path of the CA bundle for sites without their own; None if there is none.
        pool: chooses the proxy.

    Attributes:
        site: settings of the current request.
        proxy: proxy of the current request, as written; empty if its site has none.
        is_http2: whether the current request may share a connection with others.
    """

    def __init__(
        self, handle: pycurl.Curl, defaults: Site, trusted: str | None = None, pool: ProxyPool | None = None
    ) -> None:
        self._handle: Any = handle
        self._defaults = defaults
        self._trusted = trusted
        self._pool = pool or ProxyPool()
        self._content: PageRequest | None = None
        self.site = defaults
        self._is_conditional = False
        self.proxy = ""
        self.is_http2 = False
        self._set_site(defaults)
        self._set_version(False)
        handle.setopt(pycurl.HTTPHEADER, header_lines(defaults))

    def set(self, request: Request) -> None:
        """Prepare the handle for the request.

        Raises:
            FetchError: an environment variable that it needs is not set.
        """
        site, content = request.site or self._defaults, request.content
        is_other = site is not self.site or content is not self._content
        if is_other or request.known is not None or self._is_conditional:
            try:
                lines, body = header_lines(site, content), body_of(content)
                self._set_site(site)
            except MissingSecretError as error:
                raise _missing(error, request.url) from None
            self._set_version(site.http2 and not request.is_sent_once)
            self._is_conditional = request.known is not None
            self._handle.setopt(pycurl.HTTPHEADER, lines + conditions(request.known))
            self._set_body(content, body)
            self._content = content
        if site.proxy:
            self._set_proxy(site, request.url)
        is_alone = request.is_sent_once or (request.lost > 0 and not self.is_http2)
        self._handle.setopt(pycurl.FRESH_CONNECT, is_alone)
        url = request.url if content is None else self._url(request.url, content)
        self._handle.setopt(pycurl.URL, url)

    @property
    def is_proxied(self) -> bool:
        """Whether the current request goes through a proxy of its site."""
        return self.proxy not in ("", DIRECT)

    def is_proxy_fault(self, number: int, was_sent: bool, status: int = 0) -> bool:
        """Whether the proxy failed, so that the host has not seen the request.

        A proxy that has forwarded the request is noted as working.

        Args:
            number: curl's error number.
            was_sent: whether the request was sent.
            status: status of the response; 0 without one.
        """
        if not self.is_proxied:
            return False
        if status == PROXY_WANTS_LOGIN and not self._handle.getinfo(pycurl.HTTP_CONNECTCODE):
            return True
        if number == pycurl.E_OK or was_sent:
            if was_sent:
                self._pool.worked(self.proxy)
            return False
        answered = self._handle.getinfo(pycurl.HTTP_CONNECTCODE)
        return answered == PROXY_WANTS_LOGIN if answered else number in PROXY_FAULTS

    def proxy_failed(self) -> bool:
        """Let the current proxy rest.

        Returns:
            Whether another proxy of the site can be tried.
        """
        self._pool.failed(self.proxy)
        return self._pool.has_healthy(self.site.proxy)

    def without_secrets(self, location: str) -> str:
        """The target of a redirect without the request's secret parameters, which a site may repeat.

        Raises:
            FetchError: a secret occurs elsewhere in the target.
        """
        secrets = (
            [] if self._content is None else [(name, revealed(text)) for name, text in self._content.params]
        )
        for name, value in secrets:
            for written in {
                f"{quote_plus(name)}={quote_plus(value)}",
                f"{name}={quote(value)}",
                f"{name}={value}",
            }:
                for pair, rest in ((f"?{written}&", "?"), (f"&{written}", ""), (f"?{written}", "")):
                    location = location.replace(pair, rest)
            if value in unquote_plus(location):
                raise FetchError("redirected to an address that contains a credential")
        return location

    def _url(self, url: str, content: PageRequest) -> str:
        if not content.params:
            return url
        try:
            query = encoded(content.params)
        except MissingSecretError as error:
            raise _missing(error, url) from None
        page = url.partition("#")[0]
        return f"{page}{'&' if '?' in page else '?'}{query}"

    def _set_site(self, site: Site) -> None:
        handle = self._handle
        cookies = "; ".join(f"{name}={_value(text)}" for name, text in site.cookies.items())
        handle.setopt(pycurl.CONNECTTIMEOUT_MS, site.connect_timeout_ms)
        handle.setopt(pycurl.TIMEOUT_MS, site.timeout_ms)
        handle.setopt(pycurl.USERAGENT, site.user_agent)
        if cookies:
            handle.setopt(pycurl.COOKIE, cookies)
        elif self.site.cookies:
            handle.unsetopt(pycurl.COOKIE)
        if self.site.proxy and not site.proxy:
            handle.unsetopt(pycurl.PROXY)
            handle.setopt(pycurl.NOPROXY, "")
            self.proxy = ""
        trusted = site.ca or self._trusted
        if trusted is not None:
            handle.setopt(pycurl.CAINFO, trusted)
        elif self.site.ca:
            handle.unsetopt(pycurl.CAINFO)
        self.site = site

    def _set_version(self, is_http2: bool) -> None:
        # Not for requests that must be sent only once: curl repeats those lost on a shared connection.
        version = pycurl.CURL_HTTP_VERSION_2TLS if is_http2 else pycurl.CURL_HTTP_VERSION_1_1
        self._handle.setopt(pycurl.HTTP_VERSION, version)
        self._handle.setopt(pycurl.PIPEWAIT, is_http2)
        self.is_http2 = is_http2

    def _set_proxy(self, site: Site, url: str) -> None:
        self.proxy = self._pool.choose(site.proxy)
        try:
            proxy = _value(self.proxy)
        except MissingSecretError as error:
            raise _missing(error, url) from None
        self._handle.setopt(pycurl.NOPROXY, "")
        self._handle.setopt(pycurl.PROXY, "" if proxy == DIRECT else proxy)

    def _set_body(self, content: PageRequest | None, body: bytes | None) -> None:
        handle = self._handle
        handle.unsetopt(pycurl.CUSTOMREQUEST)
        if content is None or (content.method == "GET" and body is None):
            handle.setopt(pycurl.HTTPGET, 1)
            return
        handle.setopt(pycurl.POST, 1)
        handle.setopt(pycurl.POSTFIELDS, body or b"")
        if content.method != "POST":
            handle.setopt(pycurl.CUSTOMREQUEST, content.method)


def plain_headers(site: Site, request: Request) -> dict[str, str]:
    """The headers of a request that a loader plugin sends, without Accept-Encoding, which the plugin chooses.

    Raises:
        FetchError: an environment variable that it needs is not set.
    """
    try:
        lines = [*header_lines(site, request.content), *conditions(request.known)]
        cookies = "; ".join(f"{name}={_value(text)}" for name, text in site.cookies.items())
    except MissingSecretError as error:
        raise _missing(error, request.url) from None
    pairs = [line.partition(": ") for line in lines if not line.startswith("Expect")]
    headers = {name.removesuffix(";"): text for name, _, text in pairs}
    headers = {name: text for name, text in headers.items() if name.lower() != "accept-encoding"}
    return {"User-Agent": site.user_agent, **headers, **({"Cookie": cookies} if cookies else {})}


def header_lines(site: Site, content: PageRequest | None = None) -> list[str]:
    """The headers of a request to the site, in curl's format.

    Raises:
        MissingSecretError: an environment variable is not set or empty, or contains a line break.
    """
    given = [*site.headers.items()]
    if site.auth is not None:
        given.insert(0, ("Authorization", _authorization(site)))
    headers = {**HEADERS, **{name.lower(): (name, text) for name, text in given}}
    if content is not None:
        if content.form is not None or content.json:
            headers["content-type"] = "Content-Type", _JSON if content.json else _FORM
            headers["expect"] = "Expect", ""  # curl would wait for a 100 response
        headers.update({name.lower(): (name, text) for name, text in content.headers})
    lines = ((name, _value(text)) for name, text in headers.values())
    return [
        f"{name}: {text}" if text else f"{name}:" if name == "Expect" else f"{name};" for name, text in lines
    ]


def _authorization(site: Site) -> str:
    assert site.auth is not None
    if site.auth.bearer:
        return f"Bearer {_value(site.auth.bearer)}"
    login = f"{_value(site.auth.user)}:{_value(site.auth.password)}"
    return "Basic " + base64.b64encode(login.encode()).decode()


def _value(text: str) -> str:
    """The value of a header, cookie or proxy, without a line break at its end, as values from files have."""
    value = revealed(text).rstrip("\r\n")
    if any(sign in value for sign in "\r\n\0"):
        raise MissingSecretError(text)
    return value


def _missing(error: MissingSecretError, url: str) -> FetchError:
    what = f"the request needs the environment variable {error.variable}, which is not set"
    if error.variable.startswith("$"):
        what = f"{error.variable} contains a line break, which a header cannot contain"
    return FetchError(what, at=shown(url), hint="set it in the environment of Scoopi and run again")


def trusted_certificates(environment: Mapping[str, str] = os.environ) -> str | None:
    """The CA bundle: SSL_CERT_FILE, else CURL_CA_BUNDLE, else Python's default, else a usual path.

    Returns:
        Its path; None if the machine has none. Then every https page fails with an error that names the
        cause.
    """
    for variable in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
        if environment.get(variable):
            return environment[variable]
    for name in (ssl.get_default_verify_paths().cafile, *USUAL_CERTIFICATES):
        if name and Path(name).is_file():
            return name
    return None
