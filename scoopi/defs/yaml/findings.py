"""Findings: collects what the checks find, each thing once."""

from __future__ import annotations

from collections.abc import Iterable

from scoopi.defs.yaml.finding import Finding, Severity
from scoopi.model.place import NOWHERE, Place
from scoopi.model.text.nearest import nearest

MOST_KEPT = 100
"""Findings of a severity; of further ones only the number is kept."""


class Findings:
    """Belongs to one reading of definitions; `is_broken` after an error, strict or not.

    Args:
        strict: warnings count as errors.
    """

    def __init__(self, strict: bool = False) -> None:
        self._strict = strict
        self._found: dict[tuple[Place, str], Finding] = {}
        self._left_out: dict[Severity, set[int]] = {severity: set() for severity in Severity}
        self._kept = dict.fromkeys(Severity, 0)
        self._texts: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}
        self.is_broken = False

    def add_source(self, file: str, text: str) -> None:
        """Remember the text of a file, for the excerpts of its findings."""
        self._texts[file] = text

    def error(
        self, place: Place, key: str, what: str, hint: str = "", also: Place = NOWHERE, near: str = ""
    ) -> None:
        """Note what keeps a run from starting; `near` is a known name that resembles the wrong one."""
        self.is_broken = True
        self._add(Severity.ERROR, place, key, what, hint, also, near)

    def warning(
        self, place: Place, key: str, what: str, hint: str = "", also: Place = NOWHERE, near: str = ""
    ) -> None:
        """Note what is odd, but changes no row."""
        severity = Severity.ERROR if self._strict else Severity.WARNING
        self._add(severity, place, key, what, hint, also, near)

    def unknown(self, place: Place, key: str, what: str, name: str, known: Iterable[str]) -> None:
        """Note a name that nothing bears, with the known name it resembles, or all known ones."""
        names = list(known)
        hint = f"known are {', '.join(sorted(names))}" if names else ""
        self.error(place, key, what, hint, near="" if self.is_full else nearest(name, names))

    @property
    def is_full(self) -> bool:
        """Whether further errors are only counted, so that their hints need not be looked for."""
        return self._kept[Severity.ERROR] >= MOST_KEPT

    @property
    def left_out(self) -> dict[str, int]:
        """How many findings of each severity are not kept."""
        return {severity: len(hashes) for severity, hashes in self._left_out.items() if hashes}

    @property
    def has_errors(self) -> bool:
        """Whether anything found keeps a run from starting."""
        return any(finding.severity is Severity.ERROR for finding in self._found.values())

    def sorted(self) -> tuple[Finding, ...]:
        """By file, line and column."""
        return tuple(
            sorted(
                self._found.values(), key=lambda each: (each.place.file, each.place.line, each.place.column)
            )
        )

    def _add(
        self, severity: Severity, place: Place, key: str, what: str, hint: str, also: Place, near: str
    ) -> None:
        same = (place, what) if place.line else (place, f"{key} {what}")
        if same in self._found:
            return
        if self._kept[severity] >= MOST_KEPT:
            self._left_out[severity].add(hash(same))
        else:
            self._kept[severity] += 1
            self._found[same] = Finding(severity, place, key, what, hint, near, also, self._line(place))

    def _line(self, place: Place) -> str:
        lines = self._lines.get(place.file)
        if lines is None:
            lines = self._lines[place.file] = self._texts.get(place.file, "").splitlines()
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""
