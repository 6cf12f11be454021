"""zone_names: the time zone that a wrong name of one may mean."""

from __future__ import annotations

from zoneinfo import available_timezones

from scoopi.model.text.shown import nearest

_ZONES = {
    "Europe/Berlin": "CEST MEZ MESZ",
    "Europe/Athens": "EEST",
    "Europe/London": "BST",
    "Europe/Lisbon": "WEST",
    "Europe/Moscow": "MSK",
    "America/New_York": "EDT ET",
    "America/Chicago": "CST CDT CT",
    "America/Denver": "MDT MT",
    "America/Los_Angeles": "PST PDT PT",
    "Asia/Kolkata": "IST",
    "Asia/Tokyo": "JST",
    "Australia/Sydney": "AEST AEDT",
}
"""Zones of the IANA, with the abbreviations used there that the IANA does not have."""
_CLOSE = 0.75


def nearest_zone(text: str) -> str:
    """Return the time zone that a text may mean: by an abbreviation, a similar name, or a city; else empty.

    Zones without a place, such as `EST`, are not suggested: their clocks do not change in summer.

    >>> nearest_zone("CEST"), nearest_zone("Europe/Berln"), nearest_zone("New York"), nearest_zone("x")
    ('Europe/Berlin', 'Europe/Berlin', 'America/New_York', '')
    """
    for zone, abbreviations in _ZONES.items():
        if text.upper() in abbreviations.split():
            return zone
    zones = {each for each in available_timezones() if "/" in each and not each.startswith("Etc/")}
    if "/" in text:
        return nearest(text, zones, _CLOSE)
    cities = {each.rpartition("/")[2]: each for each in sorted(zones)}
    return cities.get(nearest(text.replace(" ", "_"), cities, _CLOSE), "")
