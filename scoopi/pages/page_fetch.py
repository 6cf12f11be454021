"""fetch_page: loads one page as a run does, with robots.txt and login, and records each hop."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scoopi.bootstrap.defs_composer import DefsComposer, conf_sites
from scoopi.bootstrap.group_loaders import BROWSER, group_loaders, plugins_command
from scoopi.bootstrap.worker_wiring import with_ca
from scoopi.browser.pool_process import browsers_for
from scoopi.configs.configs import Configs
from scoopi.configs.groups import BrowserSettings, ParserLimits, ScriptLimits, WebClientSettings
from scoopi.configs.site_defaults import sites_of
from scoopi.errors import FetchError, ScoopiError, UsageError
from scoopi.fetch.address import parse_address, web_address
from scoopi.fetch.connections.private_hosts import PrivateHosts
from scoopi.fetch.file_client import FileClient, FileFinder
from scoopi.fetch.hop_recorder import HopRecorder
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from scoopi.model.locator import Locator, PageRequest
from scoopi.model.report.fetched_page import FetchedPage
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskGroup
from scoopi.model.sites import Site
from scoopi.model.text.secrets import is_open, variable_of
from scoopi.model.text.shown import did_you_mean, without_credentials
from scoopi.pages.loader_hops import LoaderHops
from scoopi.pages.page_visit import PageVisit, retries_of
from scoopi.parse.tree.page import TreeLimits
from scoopi.plugins.builtins import finder_of
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.steps.loading.load_rules import LoadRules
from scoopi.steps.loading.loader import Loader
from scoopi.steps.loading.page_loader import PageLoader
from scoopi.steps.loading.session_loader import SessionLoader
from scoopi.steps.loading.worker_sessions import WorkerSessions
from scoopi.steps.readers.block_finds import browser_choice, with_optional_waits
from scoopi.worker.plugin_loads import LoadLimits, PluginLoads

if TYPE_CHECKING:
    from scoopi.plugins.loader_port import LoaderPlugin


def fetch_page(request: RunRequest, url: str, group: str = "") -> FetchedPage:
    """Load one page; neither the archive nor a run is involved.

    Args:
        request: its settings apply, and of its definitions the `sites`, the request of a locator with that
            URL, and the loader of its group.
        group: the task group whose loader loads the page; empty for that of the locator.
    Returns:
        How the page was loaded, hop by hop; if it could not be loaded, `error` says why.
    Raises:
        UsageError: the URL is not a web address, or the group is not known.
        FetchError: the URL is malformed, or a CA file is missing.
        ConfigError, DefsError: settings, definitions or sites are invalid.
    """
    web_address(url)
    configs = ConfigsComposer(request).compose()
    definitions = _composed(request, configs)
    locator = _locator(definitions, url, group)
    groups = [each for each in definitions.task_groups.values() if each.name == locator.group]
    scripts = plugins_command(Path.cwd(), request.defs or Path.cwd(), ScriptLimits.of(configs))
    with browsers_for(groups, BrowserSettings.of(configs), Path.cwd(), scripts) as browsers:
        return _PageFetcher(request, configs, definitions).fetch(locator, groups, browsers)


class _PageFetcher:
    """Loads one page with the settings, and the sites of definitions."""

    def __init__(self, request: RunRequest, configs: Configs, definitions: Definitions) -> None:
        self._configs = configs
        self._web = WebClientSettings.of(configs)
        self._source = (request.defs or Path.cwd()).absolute()
        self._files = FileFinder(Path.cwd(), self._source)
        self._sites = sites_of(configs, with_ca(definitions.sites, self._files))
        self._definitions = definitions
        self._groups = definitions.task_groups
        self._loaded_by = ""
        self._recorder = HopRecorder()

    def fetch(self, locator: Locator, groups: list[TaskGroup], browsers: str) -> FetchedPage:
        """Load the page of a locator, and report how it was loaded.

        Args:
            groups: the group of the locator; empty if it has none.
            browsers: see `group_loaders`.
        """
        finder = finder_of(self._source, Path.cwd())
        names = {group.name for group in groups}
        wanted = [group for group in with_optional_waits(self._definitions) if group.name in names]
        loaders = group_loaders(wanted, finder, browsers)
        self._loaded_by = loaders[locator.group][0] if locator.group in loaders else ""
        address = parse_address(locator.url)
        curl = curl_command(address.url, self._sites.for_host(address.host), locator.request)
        sessions = WorkerSessions()
        with closing(self._loader(loaders, sessions)) as loader:
            visit = PageVisit(loader, self._sites, sessions, self._recorder)
            if not groups and (others := self._with_loaders()):
                visit.notes.append(f"loader: Scoopi's own; --group {others} asks as that group does")
            try:
                document = visit.load(locator).document
            except ScoopiError as error:
                retries = retries_of(error, self._sites, address.url) if isinstance(error, FetchError) else ""
                page = FetchedPage((), error=str(error), retries=retries)
            else:
                page = FetchedPage((), document.content_type, document.charset or "", len(document.body))
        hops, notes = tuple(self._recorder.hops), tuple(visit.notes)
        return replace(page, hops=hops, curl=curl, notes=notes, loader=self._loaded_by)

    def _loader(self, loaders: Mapping[str, tuple[str, LoaderPlugin]], sessions: WorkerSessions) -> Loader:
        limits, web = ParserLimits.of(self._configs), self._web
        rules = LoadRules(
            run_date=datetime.now(UTC).replace(microsecond=0),
            limits=TreeLimits(limits.max_depth, limits.max_nodes, web.max_bytes),
            saves=lambda group: False,
            sessions=sessions,
            choice=browser_choice(
                self._definitions, self._groups.values(), limits.regex_timeout_ms, self._note_load
            ),
        )
        private_hosts = PrivateHosts(web.private_hosts)
        client = HttpClient(web, private_hosts, self._recorder)
        shared, note = LoadLimits(web, self._sites, private_hosts), LoaderHops(self._recorder).note
        plugins = {
            group: PluginLoads(plugin, name, shared, client.wake, note)
            for group, (name, plugin) in loaders.items()
        }
        files = FileClient(self._files, web.max_bytes)
        pages = PageLoader(rules, client, files, None, self._sites, plugins)
        return SessionLoader(pages, self._sites, sessions)

    def _note_load(self, group: str, loader: str) -> None:
        self._loaded_by = loader if loader == BROWSER else ""

    def _with_loaders(self) -> str:
        """The names of the groups whose pages are loaded by a plugin or a browser."""
        return " or ".join(name for name, group in self._groups.items() if group.sees_fragments)


def curl_command(url: str, site: Site, content: PageRequest | None) -> str:
    """A curl command that makes the same request as Scoopi; credentials are shell variables, or masked."""
    is_2 = site.http2 and not Request(url, content=content).is_sent_once
    parts = [
        "curl",
        "--http2" if is_2 else "--http1.1",
        "--compressed",
        "--max-time",
        f"{site.timeout_ms / 1000:g}",
    ]
    parts += ["--connect-timeout", f"{site.connect_timeout_ms / 1000:g}", "-A", shlex.quote(site.user_agent)]
    content = content or PageRequest()
    if content.method != "GET":
        parts += ["-X", content.method]
    for name, text in (*site.headers.items(), *content.headers):
        parts += ["-H", _quoted(f"{name}: ", name, text)]
    if site.cookies:
        pairs = (_quoted(f"{name}=", name, text) for name, text in site.cookies.items())
        parts += ["-b", "'; '".join(pairs)]
    if site.auth is not None and site.auth.bearer:
        parts += ["--oauth2-bearer", _quoted("", "bearer", site.auth.bearer)]
    elif site.auth is not None:
        parts += ["-u", _quoted(f"{site.auth.user}:", "password", site.auth.password)]
    if site.proxy:
        parts += ["-x", _quoted("", "proxy", site.proxy[0])]
    if site.ca:
        parts += ["--cacert", shlex.quote(site.ca)]
    for name, text in content.form or ():
        parts += ["--data-urlencode", _quoted(f"{name}=", name, text)]
    if content.json:
        parts += ["--json", shlex.quote(content.json)]
    return " ".join([*parts, shlex.quote(without_credentials(url))])


def _quoted(head: str, name: str, text: str) -> str:
    """An argument for the shell: a value from the environment as a variable, other credentials masked."""
    variable = variable_of(text)
    if variable is not None:
        return f'{shlex.quote(head)}"${variable}"' if head else f'"${variable}"'
    return shlex.quote(f"{head}{text if is_open(name, text) else '***'}")


def _composed(request: RunRequest, configs: Configs) -> Definitions:
    if request.defs is None:
        return Definitions({}, {}, {}, sites=conf_sites(configs.site_files))
    return DefsComposer.of(request, configs).compose(request.defs)


def _locator(definitions: Definitions, url: str, group: str) -> Locator:
    """The locator with that URL, if the definitions have one; else a new one, of the given group.

    Raises:
        UsageError: there is no such group.
    """
    if group and group not in definitions.task_groups:
        hint = did_you_mean(group, definitions.task_groups)
        raise UsageError(f"there is no task group {group}", hint=hint)
    for each in definitions.locator_groups.values():
        for one in each.single_pages():
            if one.url == url and group in ("", each.name):
                return Locator(one.name, each.name, one.url, one.request)
    return Locator("page", group, url)
