"""fetch_page: loads one page as a run does, robots.txt and login included, and notes each hop."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path

from scoopi.bootstrap.defs_composer import DefsComposer, conf_sites
from scoopi.bootstrap.page_visit import PageVisit, retries_of
from scoopi.bootstrap.worker_wiring import with_ca
from scoopi.configs.configs import Configs
from scoopi.configs.groups import ParserLimits, WebClientSettings
from scoopi.configs.site_defaults import sites_of
from scoopi.errors import FetchError, ScoopiError, UsageError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.fetch.file_client import FileClient, FileFinder
from scoopi.fetch.hop_recorder import HopRecorder
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.private_hosts import PrivateHosts
from scoopi.model.definitions import LocatorGroup
from scoopi.model.locator import Locator, PageRequest
from scoopi.model.report.fetched_page import FetchedPage
from scoopi.model.sites import Site, SiteBlock
from scoopi.model.text.secrets import is_open, variable_of
from scoopi.parse.tree.page import TreeLimits
from scoopi.runs.composed import defs_folder
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.steps.page_loader import LoadRules, PageLoader
from scoopi.steps.session_loader import SessionLoader
from scoopi.steps.worker_sessions import WorkerSessions


def fetch_page(request: RunRequest, url: str) -> FetchedPage:
    """Load one page; neither the archive nor a run is involved.

    Args:
        request: its settings apply, and its definitions: their `sites`, and how a locator of that address
            asks for its page.
    Raises:
        UsageError: it is not a web address.
        FetchError: it is malformed, or a file of authorities is not there.
        ConfigError, DefsError: settings, definitions or sites are wrong.
    """
    address = parse_address(url)
    if address.kind is not AddressKind.HTTP:
        raise UsageError(f"{url} is not a web address", hint="write it as https://host/path")
    configs = ConfigsComposer(request).compose()
    blocks, groups = _composed(request, configs)
    files = FileFinder(Path.cwd(), defs_folder((request.defs or Path.cwd()).absolute()))
    sites = sites_of(configs, with_ca(blocks, files))
    web, limits = WebClientSettings.of(configs), ParserLimits.of(configs)
    recorder, sessions = HopRecorder(), WorkerSessions()
    rules = LoadRules(
        run_date=datetime.now(UTC).replace(microsecond=0),
        limits=TreeLimits(limits.max_depth, limits.max_nodes, web.max_bytes),
        saves=lambda group: False,
        sessions=sessions,
    )
    client = HttpClient(web, PrivateHosts(web.private_hosts), recorder)
    pages = PageLoader(rules, client, FileClient(files, web.max_bytes), None, sites)
    visit = PageVisit(SessionLoader(pages, sites, sessions), sites, sessions, recorder)
    locator = _locator(groups, url)
    curl = curl_command(address.url, sites.for_host(address.host), locator.request)
    try:
        document = visit.load(locator).document
    except ScoopiError as error:
        retries = retries_of(error, sites, address.url) if isinstance(error, FetchError) else ""
        notes = tuple(visit.notes)
        return FetchedPage(tuple(recorder.hops), error=str(error), curl=curl, notes=notes, retries=retries)
    finally:
        pages.close()
    return FetchedPage(
        tuple(recorder.hops),
        document.content_type,
        document.charset or "",
        len(document.body),
        curl=curl,
        notes=tuple(visit.notes),
    )


def curl_command(url: str, site: Site, content: PageRequest | None) -> str:
    """A command of curl that makes the same request; credentials are variables of the shell."""
    parts = ["curl", "--http1.1", "--compressed", "--max-time", f"{site.timeout_ms / 1000:g}"]
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
    return " ".join([*parts, shlex.quote(url)])


def _quoted(head: str, name: str, text: str) -> str:
    """The argument; a value from the environment as the variable, another credential masked."""
    variable = variable_of(text)
    if variable is not None:
        return f'{shlex.quote(head)}"${variable}"' if head else f'"${variable}"'
    return shlex.quote(f"{head}{text if is_open(name, text) else '***'}")


def _composed(request: RunRequest, configs: Configs) -> tuple[tuple[SiteBlock, ...], list[LocatorGroup]]:
    if request.defs is None:
        return conf_sites(configs.site_files), []
    definitions = DefsComposer.of(request, configs).compose(request.defs)
    return definitions.sites, [*definitions.locator_groups.values()]


def _locator(groups: list[LocatorGroup], url: str) -> Locator:
    """The locator of that address, if the definitions have one."""
    for group in groups:
        for one in group.locators:
            if one.url == url:
                return Locator(one.name, group.name, one.url, one.request)
    return Locator("page", "fetch", url)
