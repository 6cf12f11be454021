"""sites_of: combines the `sites` blocks of a run with the settings as their defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from scoopi.configs.groups import FetchLimits, PolitenessSettings, RetrySettings, WebClientSettings
from scoopi.configs.setting import Values
from scoopi.model.limits.retry_policy import KEYS
from scoopi.model.sites import SiteBlock, Sites

SETTING_OF: Mapping[str, str] = MappingProxyType(
    {
        "delay_ms": "scoopi.loader.fetch.delay",
        "parallelism": "scoopi.loader.fetch.parallelism",
        "user_agent": "scoopi.webClient.userAgent",
        "timeout_ms": "scoopi.webClient.timeout",
        "connect_timeout_ms": "scoopi.webClient.connectTimeout",
        "robots": "scoopi.loader.robots",
        **{f"retry.{key}": f"scoopi.retry.{key}" for key in KEYS},
    }
)
"""Field of Site -> the setting that gives its default."""


def sites_of(configs: Values, blocks: Sequence[SiteBlock]) -> Sites:
    """Build the sites of a run, which give the settings of each host: `blocks` over the settings."""
    limits, web = FetchLimits.of(configs), WebClientSettings.of(configs)
    retry = RetrySettings.of(configs).policy().numbers()
    defaults = replace(
        web.site(),
        delay_ms=limits.delay_ms,
        parallelism=limits.parallelism,
        retry=retry,
        robots=PolitenessSettings.of(configs).robots,
    )
    return Sites(defaults, blocks)
