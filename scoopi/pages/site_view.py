"""site_view: the settings that apply to a host, and where each value is set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict

from scoopi.bootstrap.defs_composer import DefsComposer, conf_sites
from scoopi.configs.configs import DEFAULT, Configs
from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.configs.site_defaults import SETTING_OF, sites_of
from scoopi.defs.sites.site_builder import KEY_OF
from scoopi.fetch.address import web_address
from scoopi.model.sites import Site, SiteBlock, SiteValue, SiteView
from scoopi.model.text.secrets import variable_of
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest


def site_view(request: RunRequest, url: str) -> SiteView:
    """The settings that apply to the host of a URL in a run with the request's definitions and settings.

    Raises:
        UsageError: the URL is not a web address.
        FetchError: the URL is malformed.
        ConfigError, DefsError: settings, definitions or sites are invalid.
    """
    address = web_address(url)
    configs = ConfigsComposer(request).compose()
    blocks = _blocks(request, configs)
    sites = sites_of(configs, blocks)
    origins = {
        **{field: configs.origin(setting) for field, setting in SETTING_OF.items()},
        **sites.origins(address.host),
    }
    values = tuple(_values(sites.for_host(address.host), origins, request.environ))
    applied = tuple((block.pattern, block.place) for block in reversed(sites.blocks_for(address.host)))
    return SiteView(address.url, address.host, applied, values)


def _blocks(request: RunRequest, configs: Configs) -> tuple[SiteBlock, ...]:
    if request.defs is not None:
        return DefsComposer.of(request, configs).compose(request.defs).sites
    return conf_sites(configs.site_files)


def _values(site: Site, origins: Mapping[str, str], environ: Mapping[str, str]) -> Iterator[SiteValue]:
    for field, key in KEY_OF.items():
        at = origins.get(field, DEFAULT)
        for path, value in _leaves("", getattr(site, field)):
            origin = origins.get(f"{field}{path}", at)
            yield SiteValue(f"{key}{path}", f"{_shown(value, environ)}{_unit(field)}", origin)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values of a key by their dotted paths below it; values that are not set are left out."""
    if isinstance(value, msgspec.Struct):
        value = {name: each for name, each in asdict(value).items() if each}
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(f"{path}.{name}", each)
    else:
        yield path, value


def _shown(value: Any, environ: Mapping[str, str]) -> str:
    if isinstance(value, tuple):
        return ", ".join(_shown(each, environ) for each in value) or "(none)"
    variable = variable_of(value) if isinstance(value, str) else None
    if value is None or value == "":
        return "(none)"
    if variable is None:
        return str(value).lower() if isinstance(value, bool) else str(value)
    return f"{value} (set)" if environ.get(variable) else f"{value} (not set)"


def _unit(field: str) -> str:
    setting = SETTINGS_BY_KEY.get(SETTING_OF.get(field, ""))
    return f" {setting.unit}" if setting is not None and setting.unit else ""
