"""Settings for politeness: the rate of requests, robots.txt, pauses, and hosts that fail."""

from __future__ import annotations

from typing import Annotated, Self

from scoopi.configs.setting import DAY_MS, HOUR_MS, SHARED, Group, SettingKey


class FetchLimits(Group, frozen=True):
    """The request rate of all nodes together at one host."""

    parallelism: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.parallelism",
            SHARED,
            "The most requests in flight to one host.",
            least=1,
            most=1000,
        ),
    ] = 1
    delay_ms: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.delay",
            SHARED,
            "The least time between the starts of two requests to one host.",
            unit="ms",
            most=DAY_MS,
        ),
    ] = 1000

    def for_host(self, host: str) -> Self:
        """Return itself, as the limits are the same for each host; see `LimitsByHost`."""
        return self


class PolitenessSettings(Group, frozen=True):
    """Whether robots.txt is followed, and how long to wait for hosts that fail or ask for pauses."""

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
            "How long to wait for a host that returns nothing but errors before its jobs fail.",
            unit="s",
            most=86_400,
        ),
    ] = 300
    longest_sleep_s: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.longestSleep",
            SHARED,
            "The longest pause that a host can request by a Retry-After header or a Crawl-delay.",
            unit="s",
            most=86_400,
        ),
    ] = 3600
