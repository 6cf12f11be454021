"""FileExchange: sends one request for a file and receives the file to disk."""

from __future__ import annotations

from collections.abc import Callable

import pycurl

from scoopi.errors import FetchError
from scoopi.fetch.downloads.file_kind import file_name
from scoopi.fetch.downloads.file_reception import FileReception
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.hop_results import GrantNeeded, HopResult, ReceivedFile
from scoopi.fetch.http_exchange import REDIRECTS, HttpExchange
from scoopi.fetch.http_faults import status_fault, truncated_fault
from scoopi.fetch.reception import OTHER_BYTES, BufferLimit, Reception
from scoopi.fetch.request import Request
from scoopi.fetch.request_options import header_lines

LEAST_BYTES_A_SECOND = 100
"""A download that is slower than this for as long as the request timeout is aborted and tried again later."""
NOT_SATISFIABLE = 416
_FOR_FILES = {"accept": "Accept: */*", "accept-encoding": "Accept-Encoding: identity"}
"""Replace the headers for pages, unless the site sets its own. An encoded file could not be resumed."""


class FileExchange(HttpExchange):
    """Sends one request for a file and receives the file to disk.

    Used only once, as the options of its handle do not suit a page. The download may take any time, as long
    as data keeps arriving.
    """

    _partial: PartialFile | None = None

    def begin(self, request: Request, on_sent: Callable[[], None] | None) -> bool:
        """Prepare the handle for the request of a file, which the exchange owns until it is closed.

        See `HttpExchange.begin`.
        """
        assert isinstance(self._reception, FileReception)
        partial = self._partial = self._reception.partial = request.file
        assert partial is not None
        self._reception.url = request.url
        if not super().begin(request, on_sent):
            return False
        site = self.options.site
        own = {name.lower() for name in site.headers}
        given = {line.partition(":")[0].lower(): line for line in header_lines(site)}
        given |= {name: line for name, line in _FOR_FILES.items() if name not in own}
        self.handle.setopt(pycurl.HTTPHEADER, [*given.values(), *partial.headers()])
        self.handle.setopt(pycurl.TIMEOUT_MS, 0)
        self.handle.setopt(pycurl.LOW_SPEED_LIMIT, LEAST_BYTES_A_SECOND)
        self.handle.setopt(pycurl.LOW_SPEED_TIME, max(1, round(site.timeout_ms / 1000)))
        return True

    def end(self, number: int = pycurl.E_OK, words: str = "") -> HopResult:
        """The result of the hop that curl has ended; see `HttpExchange.end`.

        If the response does not continue the partial file, that is discarded, and the result is GrantNeeded:
        the whole file is requested.
        """
        reception, partial = self._reception, self._partial
        assert isinstance(reception, FileReception)
        assert partial is not None
        is_beyond = reception.status == NOT_SATISFIABLE and partial.offset > 0
        if is_beyond or reception.is_elsewhere:
            partial.discard()
            reception.reset()
            return GrantNeeded()
        if reception.refusal is not None:
            partial.discard()
        return super().end(number, words)

    @property
    def most_wire_bytes(self) -> int:
        """Limit of the bytes on the wire, including headers and content codings."""
        assert self._partial is not None
        return 2 * self._partial.request.max_bytes + OTHER_BYTES

    def close(self) -> None:
        """Free the handle and unlock the partial file, which another request may then resume."""
        super().close()
        if self._partial is not None:
            self._partial.close()

    def _new_reception(self, buffer_limit: BufferLimit) -> Reception:
        return FileReception(buffer_limit)

    def _answer(self, request: Request) -> HopResult:
        reception, partial = self._reception, self._partial
        assert isinstance(reception, FileReception)
        assert partial is not None
        is_redirect = reception.status in REDIRECTS and "location" in reception.headers
        if is_redirect or not reception.is_headed:
            return super()._answer(request)
        if not reception.is_wanted:
            raise status_fault(reception.status, request.url, reception.headers, self.options.site)
        reception.finish_file()
        if reception.fault or reception.refusal is not None:
            raise self._fault(pycurl.E_WRITE_ERROR, "")
        if partial.is_short:
            raise truncated_fault("the file was cut off", request.url)
        self._partial = reception.partial = None  # closed by the receiver of the result
        name = file_name(reception.headers, request.url)
        cookies = self._cookies() if request.keeps_cookies else ()
        return ReceivedFile(partial, reception.media_type, name, request.url, cookies)

    def _fault(self, number: int, words: str) -> FetchError:
        reception = self._reception
        assert isinstance(reception, FileReception)
        if reception.refusal is not None:
            return reception.refusal
        error = super()._fault(number, words)
        if number == pycurl.E_OPERATION_TIMEDOUT and self._was_sent:
            seconds = self.options.site.timeout_ms / 1000
            error.what = f"fewer than {LEAST_BYTES_A_SECOND} bytes a second of the file came in {seconds:g} s"
            error.cause = error.what
        error.what = error.what.replace("the page", "the file")
        error.cause = error.cause.replace("the page", "the file")
        return error
