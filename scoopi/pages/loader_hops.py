"""LoaderHops: records the requests of a loader plugin or a browser, as far as Scoopi sees them."""

from __future__ import annotations

import time

from scoopi.errors import FetchError
from scoopi.fetch.hop_recorder import HopRecorder, masked_pairs
from scoopi.fetch.request import Request
from scoopi.model.report.fetched_page import BY_LOADER, Hop
from scoopi.model.text.shown import shown
from scoopi.worker.plugin_call import CallAnswered, Event, RequestSent


class LoaderHops:
    """Records the requests of a loader plugin or a browser for one page, as far as Scoopi sees them.

    These are the URLs that it gets grants for, and the answer that it returns. Its headers, and subresources
    that a browser loads, are not visible.

    Args:
        recorder: gets the hops.
    """

    def __init__(self, recorder: HopRecorder) -> None:
        self._recorder = recorder
        self._sent: RequestSent | None = None
        self._sent_at = 0.0

    def note(self, request: Request, event: Event) -> None:
        """Record an event of a plugin's call: a request that it sends, its answer, or its failure.

        Args:
            request: the request for the page that the call loads.
        """
        if isinstance(event, CallAnswered):
            self._end(request, event)
        elif isinstance(event, Exception):
            self._fail(request, event)
        else:
            self._end(request, None)
        if isinstance(event, RequestSent):
            self._sent, self._sent_at = event, time.monotonic()

    def _end(self, request: Request, came: CallAnswered | None) -> None:
        if came is None:  # the plugin continues; what it received is not visible
            self._add(request, BY_LOADER)
            return
        answer = came.answer
        headers = masked_pairs(answer.headers.items())
        self._add(request, self._recorder.purpose, answer.status, headers, len(answer.body))

    def _fail(self, request: Request, error: Exception) -> None:
        status = error.fault.status if isinstance(error, FetchError) else 0
        self._add(request, self._recorder.purpose, status)

    def _add(
        self,
        request: Request,
        purpose: str,
        status: int = 0,
        headers: tuple[tuple[str, str], ...] = (),
        size_bytes: int = 0,
    ) -> None:
        if self._sent is None:
            return
        is_own = self._sent.url == request.url and request.content is not None
        method = request.content.method if is_own and request.content else "GET"
        ms = {"total": round(1000 * (time.monotonic() - self._sent_at), 1)}
        self._recorder.hops.append(
            Hop(method, shown(self._sent.url), (), status, headers, "", ms, size_bytes, purpose)
        )
        self._sent = None
