"""PageLoader: a locator becomes a page: from the archive, from a file, or from the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from scoopi.fetch.address import FILE_HOST, parse_address
from scoopi.fetch.file_client import FileClient
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.loaded import from_file, from_response
from scoopi.fetch.request import Redirect, Request, Unsent
from scoopi.model.document import Document
from scoopi.model.handover import Handover, ToGrant, ToTask
from scoopi.model.payload import Payload
from scoopi.parse.html import TreeLimits
from scoopi.parse.page import Page
from scoopi.steps.load_order import LoadOrder
from scoopi.steps.step import Step

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


class PageLoader(Step):
    """Sends one request a run; a redirect asks for a grant of its own. Belongs to one thread.

    Source: language, B 4.4; design, "Politeness".
    """

    def __init__(
        self, rules: LoadRules, client: HttpClient, files: FileClient, archive: Archive | None
    ) -> None:
        self._rules = rules
        self._client = client
        self._files = files
        self._archive = archive

    def run(self, payload: Payload) -> Handover:
        """The payload with its Page, or a wish for the grant of a request.

        Raises:
            FetchError: the page cannot be had.
        """
        order = payload.expect(LoadOrder)
        if order.archived and self._archive is not None:
            saved = self._archive.load(payload.locator)
            if saved is not None:
                return self._page(payload, saved)
        address = parse_address(order.url or payload.locator.url)
        if address.host == FILE_HOST:
            body = self._files.read(payload.locator.url)
            return self._loaded(payload, from_file(payload.locator, self._rules.run_date, body))
        return self._request(payload, order, address.host, address.url)

    def _request(self, payload: Payload, order: LoadOrder, host: str, url: str) -> Handover:
        grant = order.grant
        if grant is None or grant.host != host:
            return ToGrant(host, payload.advance(order.without_grant()))
        report = self._rules.on_sent
        answer = self._client.send(
            Request(url, grant.not_after, order.hops, order.cookies),
            None if report is None else lambda: report(payload.job, host),
        )
        if isinstance(answer, Unsent):
            return ToGrant(host, payload.advance(order.without_grant()))
        if isinstance(answer, Redirect):
            hop = answer.request
            further = LoadOrder(url=hop.url, hops=hop.hops, cookies=hop.cookies)
            return ToGrant(answer.host, payload.advance(further))
        return self._loaded(payload, from_response(payload.locator, self._rules.run_date, answer))

    def _loaded(self, payload: Payload, document: Document) -> Handover:
        if self._archive is not None and self._rules.saves(payload.locator.group):
            self._archive.save(document)
        return self._page(payload, document)

    def _page(self, payload: Payload, document: Document) -> Handover:
        return ToTask(payload.advance(Page(document, self._rules.limits)))
