"""Settings for retries: how often, and after which delays, a page that failed to load is tried again."""

from __future__ import annotations

from typing import Annotated

from scoopi.configs.setting import DAY_MS, SHARED, Group, SettingKey
from scoopi.model.limits.retry_policy import RetryPolicy


class RetrySettings(Group, frozen=True):
    """The default retry policy of hosts, and the retry budget of the run; see `RetryPolicy`."""

    attempts: Annotated[
        int,
        SettingKey(
            "scoopi.retry.attempts",
            SHARED,
            "The most attempts to load a page, including the first one; 1: no retries.",
            least=1,
            most=100,
        ),
    ] = 5
    delay_ms: Annotated[
        int,
        SettingKey(
            "scoopi.retry.delay",
            SHARED,
            "The wait before the second attempt at a page.",
            unit="ms",
            most=DAY_MS,
        ),
    ] = 1000
    factor: Annotated[
        int,
        SettingKey(
            "scoopi.retry.factor",
            SHARED,
            "The factor by which each further wait is longer.",
            least=1,
            most=10,
        ),
    ] = 2
    most_delay_ms: Annotated[
        int,
        SettingKey(
            "scoopi.retry.maxDelay",
            SHARED,
            "The longest wait before an attempt, unless the server asks for a longer one.",
            unit="ms",
            most=DAY_MS,
        ),
    ] = 60_000
    jitter_percent: Annotated[
        int,
        SettingKey(
            "scoopi.retry.jitter",
            SHARED,
            "Up to this part of a wait is added at random, so that retries are spread over time.",
            unit="percent",
            most=100,
        ),
    ] = 50
    per_host: Annotated[
        int,
        SettingKey(
            "scoopi.retry.perHost",
            SHARED,
            "The most retries at one host in a run; when they are used up, failures are final.",
        ),
    ] = 10_000
    per_run: Annotated[
        int,
        SettingKey(
            "scoopi.retry.perRun",
            SHARED,
            "The most retries in a run; when they are used up, failures are final.",
        ),
    ] = 100_000

    def policy(self) -> RetryPolicy:
        """Return the policy of hosts without their own."""
        return RetryPolicy(
            self.attempts,
            self.delay_ms,
            self.factor,
            self.most_delay_ms,
            self.jitter_percent,
            self.per_host,
        )
