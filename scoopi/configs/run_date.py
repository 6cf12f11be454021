"""compose_run_date: determines the date-time of a run."""

from __future__ import annotations

from datetime import datetime

from scoopi.configs.configs import Configs
from scoopi.errors import ConfigError, ScoopiError

_TEXT = "scoopi.runDateTimeText"
_PATTERN = "scoopi.dateTimePattern"


def compose_run_date(configs: Configs, now: datetime) -> datetime:
    """Return the run's date-time, zone-aware, in whole seconds: as set in the settings, else `now`.

    Raises:
        ConfigError: the given text does not match the pattern.
    """
    moment = _given_date(configs) or now
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return moment.replace(microsecond=0)


def check_run_date(configs: Configs) -> None:
    """Raise ConfigError if the given date does not match its pattern."""
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
