"""Settings for retries: they are the policy of hosts that have none of their own."""

from __future__ import annotations

from scoopi.configs import groups
from scoopi.configs.configs import Configs
from scoopi.model.limits.retry_policy import RetryPolicy


def test_the_policy_has_what_is_set() -> None:
    keys = ("attempts", "delay", "factor", "maxDelay", "jitter", "perHost")
    given = {f"scoopi.retry.{key}": str(number) for number, key in enumerate(keys, 3)}
    assert groups.RetrySettings.of(Configs.from_composed(given)).policy() == RetryPolicy(3, 4, 5, 6, 7, 8)


def test_the_budget_of_a_run_is_no_part_of_the_policy_of_a_host() -> None:
    given = Configs.from_composed({"scoopi.retry.perRun": "7"})
    settings = groups.RetrySettings.of(given)
    assert settings.per_run == 7
    assert settings.policy() == groups.RetrySettings().policy()
