"""GridSettings: what the grid reader takes from the configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GridSettings:
    """How missing facts are written, and how many rows a page may have.

    Attributes:
        not_found: written for a fact that is not found, or reads `null` (`scoopi.fact.notFound.replaceWith`).
        blank: written for a blank fact (`scoopi.fact.blank.replaceWith`).
        replace_blank: whether blank facts are replaced at all (`scoopi.fact.blank.replace`).
        max_rows: more rows than this fail the task (`scoopi.parser.maxRows`).
    """

    not_found: str = "not found"
    blank: str = "-"
    replace_blank: bool = True
    max_rows: int = 1_000_000
