"""Settings for the budget of a run."""

from __future__ import annotations

from scoopi.configs import groups
from scoopi.configs.configs import Configs
from scoopi.model.limits.budget import Budget


def test_the_budget_has_what_is_set() -> None:
    given = {
        f"scoopi.budget.{key}": str(number)
        for number, key in enumerate(("pages", "time", "bytes", "depth"), 3)
    }
    assert groups.BudgetSettings.of(Configs.from_composed(given)).budget() == Budget(3, 4, 5, 6)


def test_without_settings_nothing_is_limited() -> None:
    assert groups.BudgetSettings().budget() == Budget(0, 0, 0, 0)
