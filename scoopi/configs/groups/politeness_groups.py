"""Settings for politeness: what a host may ask for, and how one that fails is treated."""

from __future__ import annotations

from typing import Annotated

from scoopi.configs.setting import HOUR_MS, SHARED, Group, SettingKey


class PolitenessSettings(Group, frozen=True):
    """What a host may ask of Scoopi, and how long one that does not answer is waited for."""

    robots: Annotated[
        bool,
        SettingKey(
            "scoopi.loader.robots",
            SHARED,
            "Whether robots.txt of each host is read and followed.",
        ),
    ] = True
    error_delay_ms: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.errorDelay",
            SHARED,
            "The pause after a host's first error, doubled with each further one up to a minute; 0: none.",
            unit="ms",
            most=HOUR_MS,
        ),
    ] = 250
    host_timeout_s: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.hostTimeout",
            SHARED,
            "How long a host that brings nothing but errors is waited for before its jobs fail.",
            unit="s",
            most=86_400,
        ),
    ] = 300
    longest_sleep_s: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.longestSleep",
            SHARED,
            "The longest pause that a host gets by a Retry-After header or a Crawl-delay.",
            unit="s",
            most=86_400,
        ),
    ] = 3600
