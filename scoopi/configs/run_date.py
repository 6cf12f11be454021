"""compose_run_date: the date-time of a run, as given or now."""

from __future__ import annotations

from datetime import datetime

from scoopi.configs.configs import Configs
from scoopi.errors import ConfigError, ScoopiError

_TEXT = "scoopi.runDateTimeText"
_PATTERN = "scoopi.dateTimePattern"


def compose_run_date(configs: Configs, now: datetime) -> datetime:
    """The run's date-time, zone-aware, in whole seconds; `now` counts unless the settings fix it.

    Raises:
        ConfigError: the given text does not fit the pattern.
    """
    moment = _given_date(configs) or now
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return moment.replace(microsecond=0)


def check_run_date(configs: Configs) -> None:
    """Raise ConfigError when the given date does not fit its pattern."""
    _given_date(configs)


def _given_date(configs: Configs) -> datetime | None:
    text = configs.text(_TEXT)
    if not text:
        return None
    from scoopi.java.dates.date_pattern import DatePattern

    pattern = configs.text(_PATTERN)
    try:
        return DatePattern(pattern).parse(text)
    except (ScoopiError, ValueError):
        entry = configs.entry(_TEXT)
        raise ConfigError(
            f"{_TEXT} {entry.shown!r} does not fit {_PATTERN} {pattern!r}",
            at=entry.origin,
            hint="write the date in that pattern, or change the pattern",
        ) from None
