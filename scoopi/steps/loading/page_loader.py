"""PageLoader: the step that loads the page of a locator from the archive, a file or the network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from scoopi.fetch.address import FILE_HOST, Address, parse_address
from scoopi.fetch.file_client import FileClient
from scoopi.fetch.hop_results import (
    FurtherGrant,
    NotModified,
    PluginResult,
    ReceivedFile,
    Redirect,
    Response,
    validators_of,
)
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.page_kind import refuse_foreign, unpacked
from scoopi.fetch.request import Request
from scoopi.fetch.robots_text import answer_of_body, product_token
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToTask
from scoopi.model.locator import Document, Locator, Validators
from scoopi.model.sites import Sites
from scoopi.parse.tree.page import Page
from scoopi.steps.loading.load_rules import LoadRules
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader, OnHandover, OnPluginResult, OnSent, PluginClient
from scoopi.steps.loading.page_faults import unusable

if TYPE_CHECKING:
    from scoopi.archive.archive import Archive


NO_PLUGINS: Mapping[str, PluginClient] = MappingProxyType({})


class PageLoader(Loader):
    """Loads the page of a locator from the archive, a file or the network.

    Sends at most one request each time `begin` is called; a redirect needs a grant of its own.

    Args:
        client: makes the requests.
        plugins: task group -> the client of its loader plugin, which makes its requests instead.
    """

    def __init__(
        self,
        rules: LoadRules,
        client: HttpClient,
        files: FileClient,
        archive: Archive | None,
        sites: Sites | None = None,
        plugins: Mapping[str, PluginClient] = NO_PLUGINS,
    ) -> None:
        self._rules = rules
        self._client = client
        self._files = files
        self._archive = archive
        self._sites = sites
        self._plugins = plugins

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        """See `Loader`; a page that cannot be loaded is a FetchError."""
        try:
            handover: Handover | Exception | None = self._begun(payload, on_handover)
        except Exception as error:
            handover = error
        if handover is not None:
            on_handover(handover)

    def under_way(self) -> int:
        """See `Loader`."""
        return self._client.under_way() + sum(plugin.under_way() for plugin in self._plugins.values())

    def turn(self, wait_s: float) -> None:
        """See `Loader`."""
        self._client.turn(wait_s)
        for plugin in self._plugins.values():
            plugin.turn()

    def wake(self) -> None:
        """See `Loader`."""
        self._client.wake()

    def size_of(self, page: object) -> int:
        """See `Loader`."""
        return len(page.document.body) if isinstance(page, Page) else 0

    def fault_of(self, page: object) -> str | None:
        """See `Loader`."""
        is_empty = isinstance(page, Page) and page.is_read and not page.has_values
        if not isinstance(page, Page) or not is_empty:
            return None
        return unusable(page, page.document.locator.group in self._rules.in_browsers)

    def abandon(self, payload: Payload) -> None:
        """See `Loader`."""
        call = payload.expect(LoadState).call
        if call and payload.locator.group in self._plugins:
            self._plugins[payload.locator.group].abandon(call)

    def close(self) -> None:
        """See `Loader`."""
        for plugin in self._plugins.values():
            plugin.close()
        self._client.close()

    def _begun(self, payload: Payload, on_handover: OnHandover) -> Handover | None:
        """Return the handover if no request can or need be made now; None if a request has begun."""
        load = payload.expect(LoadState)
        kept = self._kept_file(payload, load) or self._archived(payload, load)
        if kept is not None:
            return kept
        address = parse_address(load.url or payload.locator.url)
        if address.host == FILE_HOST:
            return self._read_file(payload)
        plugin = self._plugin_of(payload.locator, load)
        if plugin is not None and self._rules.choice is not None:
            load = msgspec.structs.replace(load, in_browser=True)
            payload = payload.advance(load)
        if plugin is not None and self._is_resumed(plugin, payload, address, on_handover):
            return None
        grant = load.grant
        if grant is None or grant.host != address.host:
            return ToGrant(address.host, payload.advance(load.without_grant()))
        request = self._request(payload, address, grant)
        end, report = self._callbacks(payload, on_handover, request)
        if plugin is not None:
            plugin.begin(request, grant, end, report)
        else:
            self._client.begin(request, end, None if report is None else partial(report, grant.host))
        return None

    def _kept_file(self, payload: Payload, load: LoadState) -> Handover | None:
        """The file that a row names, if it has been loaded before."""
        files = self._rules.files
        return None if files is None or load.file is None else files.known(payload, load.file)

    def _archived(self, payload: Payload, load: LoadState) -> Handover | None:
        """The page from the archive, if it is still there."""
        saved = self._archive.load(payload.locator) if load.archived and self._archive is not None else None
        return None if saved is None else self._page(payload, saved)

    def _read_file(self, payload: Payload) -> Handover:
        """The page from a file of this machine."""
        locator = payload.locator
        body = self._files.read(locator.url)
        document = Document(locator, locator.url, self._rules.run_date, None, body)
        return self._loaded(payload, self._page_of(document))

    def _plugin_of(self, locator: Locator, load: LoadState) -> PluginClient | None:
        """The loader plugin that makes the next request; None if plain HTTP does, as for files of rows."""
        plugin, choice = self._plugins.get(locator.group), self._rules.choice
        if plugin is None or load.file is not None:
            return None
        return plugin if choice is None or choice.is_browser(locator, load) else None

    def _is_resumed(
        self, plugin: PluginClient, payload: Payload, address: Address, on_handover: OnHandover
    ) -> bool:
        """Whether a call of the plugin has waited for the grant of this load, and continues."""
        load = payload.expect(LoadState)
        if not load.call or load.grant is None:
            return False
        request = self._request(payload, address, load.grant)
        end, report = self._callbacks(payload, on_handover, request)
        return plugin.resume(load.call, request, load.grant, end, report)

    def _request(self, payload: Payload, address: Address, grant: Grant) -> Request:
        load = payload.expect(LoadState)
        content = load.content if load.url else payload.locator.request
        site = None if self._sites is None else self._sites.for_host(address.host)
        sessions, files = self._rules.sessions, self._rules.files
        return Request(
            address.url,
            not_after=grant.not_after,
            hops=load.hops,
            cookies=load.cookies if sessions is None else sessions.cookies_for(site, load.cookies),
            lost=load.lost,
            public_only=load.public_only,
            site=site.without_credentials() if load.is_downgraded and site is not None else site,
            known=None if content is not None else self._known(payload.locator, load, address.url),
            content=content,
            is_robots=load.is_robots,
            file=None if load.file is None or files is None else files.open(load.file),
            locator=payload.locator,
        )

    def _callbacks(
        self, payload: Payload, on_handover: OnHandover, request: Request
    ) -> tuple[OnPluginResult, OnSent | None]:
        end, report = partial(self._end, payload, on_handover, request), self._rules.on_sent
        return end, None if report is None else partial(report, payload.job)

    def _known(self, locator: Locator, load: LoadState, url: str) -> Validators | None:
        """The validators of the archived page, by which its server sees a change; None to load it whole."""
        if self._archive is None or load.whole or not self._rules.saves(locator.group):
            return None
        return self._archive.known(locator, url)

    def _end(self, payload: Payload, on_handover: OnHandover, request: Request, result: PluginResult) -> None:
        try:
            if self._rules.sessions is not None:
                self._rules.sessions.note_result(payload.job, request, result)
            handover: Handover | Exception = self._handover(payload, result)
        except Exception as error:
            handover = error
        on_handover(handover)

    def _handover(self, payload: Payload, result: PluginResult) -> Handover:
        if isinstance(result, Response) and payload.expect(LoadState).is_robots:
            return ToTask(payload.advance(answer_of_body(result.body, self._robots_token(result.url))))
        if isinstance(result, Response):
            return self._received(payload, result.document(payload.locator, self._rules.run_date))
        if isinstance(result, Redirect):
            hop = result.request
            further = LoadState(
                url=hop.url,
                hops=hop.hops,
                cookies=hop.cookies,
                public_only=hop.public_only,
                content=hop.content,
                is_downgraded=result.is_downgrade or payload.expect(LoadState).is_downgraded,
                is_robots=hop.is_robots,
                file=payload.expect(LoadState).file,
            )
            return ToGrant(result.host, payload.advance(further))
        if isinstance(result, ReceivedFile):
            assert self._rules.files is not None
            return ToTask(payload.advance(self._rules.files.kept(result)))
        if isinstance(result, NotModified):
            return self._renewed(payload, result)
        load = payload.expect(LoadState)
        if isinstance(result, Exception):
            if load.file is not None and self._rules.files is not None:
                self._rules.files.failed(load.file, result)
            raise result
        if isinstance(result, FurtherGrant):
            further = msgspec.structs.replace(load.without_grant(), call=result.call)
            return ToGrant(result.host, payload.advance(further), result.url, not result.url)
        assert load.grant is not None
        return ToGrant(load.grant.host, payload.advance(load.without_grant(result.was_lost)))

    def _renewed(self, payload: Payload, result: NotModified) -> Handover:
        assert self._archive is not None
        validators = validators_of(result.headers)
        saved = self._archive.renewed(payload.locator, self._rules.run_date, validators)
        if saved is not None:
            return self._page(payload, saved)
        load = payload.expect(LoadState)
        assert load.grant is not None
        again = msgspec.structs.replace(load.without_grant(), whole=True)
        return ToGrant(load.grant.host, payload.advance(again))

    def _robots_token(self, url: str) -> str:
        """The product token of this agent at the host that has answered."""
        if self._sites is None:
            return self._rules.robots_token
        return product_token(self._sites.for_url(url).user_agent)

    def _received(self, payload: Payload, document: Document) -> Handover:
        """The page from the network, or a request to load it again in a browser."""
        load, choice = payload.expect(LoadState), self._rules.choice
        page = self._page_of(document)
        if choice is not None and choice.wants_browser(payload.locator, load, page):
            again = LoadState(public_only=load.public_only, in_browser=True)
            return ToGrant(parse_address(payload.locator.url).host, payload.advance(again))
        return self._loaded(payload, page)

    def _loaded(self, payload: Payload, page: Page) -> Handover:
        document = unpacked(page.document, self._rules.limits.max_bytes)
        if document is not page.document:
            page = self._page_of(document)
        refuse_foreign(document)
        if self._archive is not None and self._rules.saves(payload.locator.group):
            self._archive.save(document)
        return ToTask(payload.advance(page))

    def _page(self, payload: Payload, document: Document) -> Handover:
        return ToTask(payload.advance(self._page_of(document)))

    def _page_of(self, document: Document) -> Page:
        return Page(document, self._rules.limits, self._rules.part_of(document.locator.group))
