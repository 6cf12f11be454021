"""English names of months, days, halves of the day and eras; and the zones known by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
HALVES = ("AM", "PM")
ERAS = ("BC", "AD")
ZONES: Mapping[str, int] = MappingProxyType(
    {
        "UTC": 0, "GMT": 0, "UT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "EET": 120,
        "EEST": 180, "MSK": 180, "IST": 330, "HKT": 480, "SGT": 480, "JST": 540, "KST": 540, "AEST": 600,
        "AEDT": 660, "NZST": 720, "NZDT": 780, "AST": -240, "ADT": -180, "EST": -300, "EDT": -240,
        "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540,
        "AKDT": -480, "HST": -600,
    }
)  # fmt: skip
"""Abbreviation -> minutes east of Greenwich."""
