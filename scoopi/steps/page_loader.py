"""PageLoader: a locator becomes a page: from the archive, from a file, or from the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from scoopi.fetch.address import FILE_HOST, parse_address
from scoopi.fetch.file_client import FileClient
from scoopi.fetch.http_client import Answer, HttpClient
from scoopi.fetch.loaded import from_file, from_response
from scoopi.fetch.request import Redirect, Request, Response
from scoopi.model.document import Document
from scoopi.model.grant import Grant
from scoopi.model.handover import Handover, ToGrant, ToTask
from scoopi.model.payload import Payload
from scoopi.parse.tree.html import TreeLimits
from scoopi.parse.tree.page import Page
from scoopi.steps.load_order import LoadOrder
from scoopi.steps.loader import Ended, Loader
from scoopi.steps.unusable_page import unusable

if TYPE_CHECKING:
    from scoopi.archive.archive import Archive


@dataclass(frozen=True, slots=True)
class LoadRules:
    """What all loaders of a run have in common.

    Attributes:
        run_date: the run's date-time; a loaded page bears it as its `from_date`.
        limits: of the trees that are made of pages.
        saves: whether pages of a group are saved in the archive, by the group's name.
        on_sent: called with (job, host) when a request goes out; None when nobody needs to know.
    """

    run_date: datetime
    limits: TreeLimits
    saves: Callable[[str], bool]
    on_sent: Callable[[str, str], None] | None = None


class PageLoader(Loader):
    """Sends one request for each that is begun; a redirect asks for a grant of its own.

    Source: language, B 4.4; design, "Politeness".
    """

    def __init__(
        self, rules: LoadRules, client: HttpClient, files: FileClient, archive: Archive | None
    ) -> None:
        self._rules = rules
        self._client = client
        self._files = files
        self._archive = archive

    def begin(self, payload: Payload, ended: Ended) -> None:
        """As `Loader` says; a page that cannot be had is a FetchError."""
        try:
            handover = self._begun(payload, ended)
        except Exception as error:
            ended(error)
        else:
            if handover is not None:
                ended(handover)

    def under_way(self) -> int:
        """As `Loader` says."""
        return self._client.under_way()

    def turn(self, wait_s: float) -> None:
        """As `Loader` says."""
        self._client.turn(wait_s)

    def wake(self) -> None:
        """As `Loader` says."""
        self._client.wake()

    def size_of(self, page: object) -> int:
        """As `Loader` says."""
        return len(page.document.body) if isinstance(page, Page) else 0

    def fault_of(self, page: object) -> str | None:
        """As `Loader` says."""
        is_empty = isinstance(page, Page) and page.is_read and not page.has_values
        return unusable(page) if isinstance(page, Page) and is_empty else None

    def close(self) -> None:
        """As `Loader` says."""
        self._client.close()

    def _begun(self, payload: Payload, ended: Ended) -> Handover | None:
        """What a page without a request comes to; None when one was begun."""
        order = payload.expect(LoadOrder)
        if order.archived and self._archive is not None:
            saved = self._archive.load(payload.locator)
            if saved is not None:
                return self._page(payload, saved)
        address = parse_address(order.url or payload.locator.url)
        if address.host == FILE_HOST:
            body = self._files.read(payload.locator.url)
            return self._loaded(payload, from_file(payload.locator, self._rules.run_date, body))
        grant = order.grant
        if grant is None or grant.host != address.host:
            return ToGrant(address.host, payload.advance(order.without_grant()))
        request = Request(
            address.url, grant.not_after, order.hops, order.cookies, order.fresh, order.public_only
        )
        self._client.begin(request, partial(self._end, payload, ended), self._report_of(payload.job, grant))
        return None

    def _report_of(self, job: str, grant: Grant) -> Callable[[], None] | None:
        report = self._rules.on_sent
        return None if report is None else partial(report, job, grant.host)

    def _end(self, payload: Payload, ended: Ended, answer: Answer | Exception) -> None:
        try:
            handover = self._handover(payload, answer)
        except Exception as error:
            ended(error)
        else:
            ended(handover)

    def _handover(self, payload: Payload, answer: Answer | Exception) -> Handover:
        if isinstance(answer, Response):
            return self._loaded(payload, from_response(payload.locator, self._rules.run_date, answer))
        if isinstance(answer, Redirect):
            hop = answer.request
            further = LoadOrder(url=hop.url, hops=hop.hops, cookies=hop.cookies, public_only=hop.public_only)
            return ToGrant(answer.host, payload.advance(further))
        if isinstance(answer, Exception):
            raise answer
        order = payload.expect(LoadOrder)
        assert order.grant is not None
        return ToGrant(order.grant.host, payload.advance(order.without_grant(answer.in_vain)))

    def _loaded(self, payload: Payload, document: Document) -> Handover:
        if self._archive is not None and self._rules.saves(payload.locator.group):
            self._archive.save(document)
        return self._page(payload, document)

    def _page(self, payload: Payload, document: Document) -> Handover:
        return ToTask(payload.advance(Page(document, self._rules.limits)))
