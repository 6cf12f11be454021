"""HttpClient: asks one host for one page, over a connection that is kept for the next."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pycurl

from scoopi.errors import FetchError
from scoopi.fetch.address import redirect_address, shown
from scoopi.fetch.certificates import trusted_file
from scoopi.fetch.http_faults import fault, status_fault
from scoopi.fetch.http_settings import HttpSettings
from scoopi.fetch.http_share import HttpShare
from scoopi.fetch.reception import Reception
from scoopi.fetch.request import Redirect, Request, Response, Unsent

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
REDIRECTS = frozenset((301, 302, 303, 307, 308))
FIRST_FINAL_STATUS = 200
"""Below it an answer only announces another."""
WITHOUT_PAGE = frozenset((204, 205))
RECEIVE_BYTES = 131_072
KEPT_CONNECTIONS = 32

_CHARSET = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)


class HttpClient:
    """Belongs to one thread. HTTP/1.1, and HTTP/2 where TLS offers it.

    Proxies are taken from the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), as curl
    does. Cookies are forgotten after each request, except along one chain of redirects (Request.cookies).

    Args:
        share: looked-up names and TLS sessions in common with other clients of the process.
    """

    def __init__(self, settings: HttpSettings, share: HttpShare | None = None) -> None:
        self._settings = settings
        self._reception = Reception(settings.max_bytes)
        self._not_after: float | None = None
        self._on_sent: Callable[[], None] | None = None
        self._expired = False
        self._went_out = False
        self._sent_error: Exception | None = None
        self._curl = pycurl.Curl()
        self._set_up(self._curl, share)

    def send(
        self, request: Request, on_sent: Callable[[], None] | None = None
    ) -> Response | Redirect | Unsent:
        """Do one hop; redirects are not followed.

        Args:
            on_sent: called in this thread when a connection stands and the request goes out at once, and
                again when it has gone out; both again when a kept connection proves dead and curl asks anew.

        Returns:
            Response for a status from 200 to 299 (its body may be empty), Redirect, or Unsent when
            `request.not_after` had passed before the request could go out.
        Raises:
            FetchError: any other status, a network error, a limit that was passed; 204 and 205, which have
                no page; a redirect beyond the most allowed.
        Source: language, B 4.4; design, "Politeness".
        """
        if request.not_after is not None and time.monotonic() > request.not_after:
            return Unsent()
        self._prepare(request, on_sent)
        try:
            self._curl.perform()
        except pycurl.error as error:
            if self._sent_error is not None:
                raise self._sent_error from None
            if self._expired:
                return Unsent()
            if self._reception.wanted or self._reception.status < FIRST_FINAL_STATUS:
                raise self._fault(error, request) from None
        finally:
            self._on_sent = None
        return self._answer(request)

    def close(self) -> None:
        """Close the connections."""
        self._curl.close()

    def _set_up(self, curl: pycurl.Curl, share: HttpShare | None) -> None:
        settings = self._settings
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS)
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, settings.connect_timeout_ms)
        curl.setopt(pycurl.TIMEOUT_MS, settings.timeout_ms)
        curl.setopt(pycurl.USERAGENT, settings.user_agent)
        # Given as a plain header, so that curl leaves the body as it comes: it cannot decode zstd.
        curl.setopt(pycurl.HTTPHEADER, [f"Accept: {ACCEPT}", "Accept-Encoding: gzip, br, zstd"])
        curl.setopt(pycurl.COOKIEFILE, "")
        curl.setopt(pycurl.BUFFERSIZE, RECEIVE_BYTES)
        curl.setopt(pycurl.MAXCONNECTS, KEPT_CONNECTIONS)
        curl.setopt(pycurl.HEADERFUNCTION, self._reception.take_header)
        curl.setopt(pycurl.WRITEFUNCTION, self._reception.take_body)
        curl.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        curl.setopt(pycurl.DEBUGFUNCTION, self._while_sending)
        trusted = trusted_file()
        if trusted is not None:
            curl.setopt(pycurl.CAINFO, trusted)
        if share is not None:
            curl.setopt(pycurl.SHARE, share.handle)

    def _prepare(self, request: Request, on_sent: Callable[[], None] | None) -> None:
        self._reception.reset()
        self._not_after = request.not_after
        self._on_sent = on_sent
        self._expired = False
        self._went_out = False
        self._sent_error = None
        self._curl.setopt(pycurl.VERBOSE, on_sent is not None)
        self._curl.setopt(pycurl.URL, request.url)
        self._curl.setopt(pycurl.COOKIELIST, "ALL")
        for cookie in request.cookies:
            self._curl.setopt(pycurl.COOKIELIST, cookie)

    def _before_sending(self, *_: object) -> int:
        # curl's last word before the request: a connection stands. Nothing may be raised from here.
        if self._not_after is not None and time.monotonic() > self._not_after:
            self._expired = True
            return int(pycurl.PREREQFUNC_ABORT)
        if self._on_sent is not None:
            try:
                self._on_sent()
            except Exception as error:
                self._sent_error = error
                return int(pycurl.PREREQFUNC_ABORT)
        self._went_out = True
        return int(pycurl.PREREQFUNC_OK)

    def _while_sending(self, kind: int, _: bytes) -> None:
        # Between curl's last word and the sending this thread may have been made to wait: the later time
        # is the one that the delay of the next request is counted from.
        if kind == pycurl.INFOTYPE_HEADER_OUT and self._on_sent is not None and self._sent_error is None:
            try:
                self._on_sent()
            except Exception as error:
                self._sent_error = error

    def _answer(self, request: Request) -> Response | Redirect:
        reception = self._reception
        if reception.status in REDIRECTS and "location" in reception.headers:
            return self._redirect(request, reception.headers["location"])
        if not reception.wanted or reception.status in WITHOUT_PAGE:
            raise status_fault(reception.status, request.url)
        body = reception.finish()
        if reception.fault:
            raise FetchError(reception.fault, at=shown(request.url))
        content_type = reception.headers.get("content-type", "")
        return Response(reception.status, reception.headers, body, _charset(content_type), request.url)

    def _redirect(self, request: Request, location: str) -> Redirect:
        if request.hops >= self._settings.max_redirects:
            raise FetchError(
                f"more than {self._settings.max_redirects} redirects one after another",
                at=shown(request.url),
                mend="does the site send robots round in a circle?",
            )
        target = redirect_address(location, request.url)
        cookies = tuple(self._curl.getinfo(pycurl.INFO_COOKIELIST))
        return Redirect(target.host, Request(target.url, None, request.hops + 1, cookies))

    def _fault(self, error: pycurl.error, request: Request) -> FetchError:
        if self._reception.fault:
            mend = "raise the size limit" if self._reception.too_large else ""
            return FetchError(self._reception.fault, at=shown(request.url), mend=mend)
        number, message = error.args
        return fault(number, message, request.url, connected=self._went_out, settings=self._settings)


def _charset(content_type: str) -> str | None:
    found = _CHARSET.search(content_type)
    if found is None:
        return None
    return (found[1] or found[2] or found[3] or "").strip() or None
