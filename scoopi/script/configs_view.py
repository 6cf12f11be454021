"""ConfigsView: what a script may know of the settings and of the run's date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from scoopi.script.zoned import zoned_facts


@dataclass(frozen=True, slots=True)
class ConfigsView:
    """Behind the host object `configs`.

    Attributes:
        settings: the settings that may change rows, secrets aside, as text, by their dotted keys.
        run_date_time: of the run, zone-aware, whole seconds.
        format_date: writes a zone-aware date-time by `scoopi.dateTimePattern`.
        cluster: whether the run is one of a cluster.
    """

    settings: Mapping[str, str]
    run_date_time: datetime
    format_date: Callable[[datetime], str]
    cluster: bool = False

    @property
    def run_date(self) -> datetime:
        """The run's day, at midnight."""
        return self.run_date_time.replace(hour=0, minute=0, second=0, microsecond=0)

    def facts(self) -> dict[str, object]:
        """What `page.js` builds `configs` from, ready for JSON."""
        return {
            "settings": dict(self.settings),
            "runDateTime": zoned_facts(self.run_date_time),
            "runDate": zoned_facts(self.run_date),
            "runDateTimeText": self.format_date(self.run_date_time),
            "runDateText": self.format_date(self.run_date),
            "cluster": self.cluster,
        }
