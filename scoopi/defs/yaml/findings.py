"""Findings: collects the errors and warnings of definitions, each once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from scoopi.model.place import NOWHERE, Place
from scoopi.model.text.secrets import MASK
from scoopi.model.text.shown import nearest

_INDEX = re.compile(r"\[\d+\]")


class Severity(StrEnum):
    """How serious a finding is: an error prevents a run from starting, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Finding(msgspec.Struct, frozen=True):
    """One error or warning: what is wrong, where, and a hint.

    Attributes:
        key: the path of names to the place, as `dataDefs.bs.dims[0].index`; may be empty.
        hint: what the reader can do about it; may be empty.
        did_you_mean: the known name closest to an unknown one; may be empty.
        also: the second of two places that contradict each other.
        line: the text of the line at `place`; empty if unknown.
    """

    severity: Severity
    place: Place
    key: str
    what: str
    hint: str = ""
    did_you_mean: str = ""
    also: Place = NOWHERE
    line: str = ""

    def sentence(self) -> str:
        """Return `key: what (see also); did you mean …?` on one line, or with the hint at its end."""
        sentence = f"{self.key}: {self.what}" if self.key else self.what
        if self.also != NOWHERE:
            sentence = f"{sentence} (see {self.also})"
        if self.did_you_mean:
            return f"{sentence}; did you mean {self.did_you_mean}?"
        return f"{sentence}; {self.hint}" if self.hint else sentence


MOST_KEPT = 100
"""Findings kept per severity; further ones are only counted."""


class Findings:
    """Collects the errors and warnings of one reading of definitions, each once.

    Args:
        strict: warnings count as errors.

    Attributes:
        is_broken: whether there was an error; a warning that counts as an error does not set it.
    """

    def __init__(self, strict: bool = False) -> None:
        self._strict = strict
        self._found: dict[tuple[Place, str], Finding] = {}
        self._left_out: dict[Severity, set[int]] = {severity: set() for severity in Severity}
        self._kept = dict.fromkeys(Severity, 0)
        self._texts: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}
        self._hidden: set[str] = set()
        self._aliases: dict[str, str] = {}
        self._muted: frozenset[Place] = frozenset()
        self.is_broken = False

    def add_source(self, file: str, text: str) -> None:
        """Add the text of a file, from which findings quote lines."""
        self._texts[file] = text

    def alias(self, key: str, written: str) -> None:
        """Let findings name a key that the user has written in place of one made by expanding a short form.

        This also holds for all keys below it.

        Args:
            key: the key that was made; `[]` in it, and in `written`, stands for any index.
            written: the key in the file.
        """
        self._aliases[_INDEX.sub("[]", key)] = written

    def mute(self, places: Iterable[Place]) -> None:
        """Ignore further findings at these places, whose errors have been reported already."""
        self._muted |= {*places}

    def hide(self, text: str) -> None:
        """Mask a credential in all lines that findings quote."""
        self._hidden.add(text)

    def error(
        self, place: Place, key: str, what: str, hint: str = "", also: Place = NOWHERE, near: str = ""
    ) -> None:
        """Add an error, which prevents a run from starting; `near` is the closest known name."""
        self.is_broken = True
        self._add(Severity.ERROR, place, key, what, hint, also, near)

    def warning(
        self, place: Place, key: str, what: str, hint: str = "", also: Place = NOWHERE, near: str = ""
    ) -> None:
        """Add a warning, which does not prevent a run; it counts as an error if findings are strict."""
        severity = Severity.ERROR if self._strict else Severity.WARNING
        self._add(severity, place, key, what, hint, also, near)

    def unknown(self, place: Place, key: str, what: str, name: str, known: Iterable[str]) -> None:
        """Add an error for an unknown name, with the closest known name and the list of known names."""
        names = list(known)
        hint = f"known are {', '.join(sorted(names))}" if names else ""
        self.error(place, key, what, hint, near="" if self.is_full else nearest(name, names))

    @property
    def is_full(self) -> bool:
        """Whether further errors are only counted, so that callers need not compute hints."""
        return self._kept[Severity.ERROR] >= MOST_KEPT

    @property
    def left_out(self) -> dict[str, int]:
        """Number of findings that were only counted, by severity."""
        return {severity: len(hashes) for severity, hashes in self._left_out.items() if hashes}

    @property
    def has_errors(self) -> bool:
        """Whether any finding prevents a run from starting."""
        return any(finding.severity is Severity.ERROR for finding in self._found.values())

    def sorted(self) -> tuple[Finding, ...]:
        """Return the findings in order of file, line and column."""
        found = map(self._without_hidden, self._found.values()) if self._hidden else self._found.values()
        return tuple(sorted(found, key=lambda each: (each.place.file, each.place.line, each.place.column)))

    def _add(
        self, severity: Severity, place: Place, key: str, what: str, hint: str, also: Place, near: str
    ) -> None:
        if place in self._muted:
            return
        key = self._as_written(key)
        same = (place, what) if place.line else (place, f"{key} {what}")
        if same in self._found:
            return
        if self._kept[severity] >= MOST_KEPT:
            self._left_out[severity].add(hash(same))
        else:
            self._kept[severity] += 1
            self._found[same] = Finding(severity, place, key, what, hint, near, also, self._line(place))

    def _as_written(self, key: str) -> str:
        general = _INDEX.sub("[]", key)
        above = [
            each
            for each in self._aliases
            if general.startswith(each) and general[len(each) :][:1] in ("", ".", "[")
        ]
        if not above:
            return key
        longest = max(above, key=len)
        written, numbers = self._aliases[longest], _INDEX.findall(key)[: longest.count("[]")]
        for number in numbers:
            written = written.replace("[]", number, 1)
        return written + key[len(longest) + len("".join(numbers)) - len("[]") * len(numbers) :]

    def _without_hidden(self, finding: Finding) -> Finding:
        line = finding.line
        for text in sorted(self._hidden, key=len, reverse=True):
            line = line.replace(text, MASK)
        return msgspec.structs.replace(finding, line=line)

    def _line(self, place: Place) -> str:
        lines = self._lines.get(place.file)
        if lines is None:
            lines = self._lines[place.file] = self._texts.get(place.file, "").splitlines()
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""
