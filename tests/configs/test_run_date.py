"""A run has one date: the given one, else now; zone-aware, in whole seconds."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.configs.configs import Configs
from scoopi.configs.run_date import compose_run_date

NOW = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)


def test_unset_the_date_is_now_without_fractions() -> None:
    assert compose_run_date(Configs.from_composed({}), NOW) == NOW.replace(microsecond=0)


def test_the_given_text_is_read_by_the_given_pattern() -> None:
    configs = Configs.from_composed(
        {"scoopi.runDateTimeText": "01-07-2020 10:59:59", "scoopi.dateTimePattern": "dd-MM-yyyy HH:mm:ss"}
    )
    date = compose_run_date(configs, NOW)
    assert date.replace(tzinfo=None) == datetime(2020, 7, 1, 10, 59, 59)
    assert date.utcoffset() is not None


def test_the_default_pattern_keeps_the_given_zone() -> None:
    configs = Configs.from_composed({"scoopi.runDateTimeText": "2020-07-01T10:59:59.500+0200"})
    assert compose_run_date(configs, NOW) == datetime(2020, 7, 1, 8, 59, 59, tzinfo=UTC)
