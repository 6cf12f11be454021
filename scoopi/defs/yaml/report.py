"""Report: all errors and warnings of a set of definitions."""

from __future__ import annotations

import msgspec

from scoopi.defs.yaml.findings import Finding, Severity
from scoopi.errors import DefsError
from scoopi.model.place import NOWHERE

_WIDEST = 100
_BEFORE = 60


class Report(msgspec.Struct, frozen=True):
    """All errors and warnings of a set of definitions.

    Attributes:
        findings: by file, line and column; of each severity only the first ones that were found.
        files: the definition files that were found, by path.
        left_out: number of further findings by severity.
    """

    findings: tuple[Finding, ...] = ()
    files: tuple[str, ...] = ()
    left_out: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that prevent a run from starting."""
        return tuple(each for each in self.findings if each.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that do not prevent a run from starting."""
        return tuple(each for each in self.findings if each.severity is Severity.WARNING)

    def raise_if_errors(self) -> None:
        """Raise if there are errors; warnings alone raise nothing.

        Raises:
            DefsError: its text is the text of the report.
        """
        if self.errors:
            raise DefsError(self.text())

    def text(self) -> str:
        """Return the report for a terminal: by file, each finding with its line and a caret; then a total."""
        lines: list[str] = []
        file: str | None = None
        for finding in self.findings:
            if finding.place.file != file:
                file = finding.place.file
                lines += [file] if file else []
            lines += _content(finding)
        return "\n".join([*lines, self._counted()])

    def json(self) -> str:
        """Return the report as JSON: `{files, errors, warnings, findings: [{severity, file, key, …}]}`."""
        content = {
            "files": self.files,
            "errors": self._count(Severity.ERROR),
            "warnings": self._count(Severity.WARNING),
            "findings": [_as_fields(finding) for finding in self.findings],
        }
        return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()

    def lines(self) -> str:
        """Return the findings as JSON Lines, each with file, line, column, key, message, hint, severity."""
        return "\n".join(msgspec.json.encode(_as_row(finding)).decode() for finding in self.findings)

    def _counted(self) -> str:
        files = _number(len(self.files), "file")
        if not self.findings:
            return f"{files}, nothing wrong"
        counts = [_number(count, severity) for severity in Severity if (count := self._count(severity))]
        counted = " and ".join(counts) + (f" in {files}" if self.files else "")
        return f"{counted}; {len(self.findings)} of them are shown" if self.left_out else counted

    def _count(self, severity: Severity) -> int:
        found = sum(each.severity is severity for each in self.findings)
        return found + self.left_out.get(severity, 0)


def _content(finding: Finding) -> list[str]:
    place = finding.place
    at = f"{place.line}:{place.column}" if place.line else "-"
    lines = [f"  {at:<8} {finding.severity:<8} {finding.sentence()}"]
    if finding.line.strip() and place.column:
        shown, caret = _excerpt(finding.line, place.column - 1)
        lines += [f"  {'':<8} | {shown}", f"  {'':<8} | {caret}"]
    return lines


def _excerpt(line: str, column: int) -> tuple[str, str]:
    """The part of a line around a column, and a caret for the line below."""
    start = max(0, column - _BEFORE) if len(line) > _WIDEST else 0
    shown = line[start : start + _WIDEST]
    shown = "".join(letter if letter.isprintable() else " " for letter in shown)
    return shown.rstrip(), " " * (column - start) + "^"


def _as_fields(finding: Finding) -> dict[str, object]:
    also = finding.also
    return {
        "severity": finding.severity,
        "file": finding.place.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "key": finding.key,
        "what": finding.what,
        "hint": finding.hint,
        "didYouMean": finding.did_you_mean,
        "also": None if also == NOWHERE else msgspec.structs.asdict(also),
    }


def _as_row(finding: Finding) -> dict[str, object]:
    place, near = finding.place, finding.did_you_mean
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "key": finding.key,
        "message": finding.what,
        "hint": f"did you mean {near}?" if near else finding.hint,
        "severity": finding.severity,
    }


def _number(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"
