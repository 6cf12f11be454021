"""SourceText: the characters of a definition file."""

from __future__ import annotations

import codecs
from pathlib import Path

from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place

LARGEST_BYTES = 16_000_000
_WIDE_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class SourceText:
    """Reads a file of bounded size as UTF-8 (or UTF-16, if it begins with its mark)."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self._path = path
        self._findings = findings

    def read(self) -> str | None:
        """The text; None after a fault, which is among the findings then."""
        try:
            return self._decoded(self._content())
        except _UnreadableError as fault:
            place = Place(str(self._path), fault.line, fault.column)
            self._findings.error(place, "", fault.what, fault.hint)
            return None

    def _content(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                content = file.read(LARGEST_BYTES + 1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise _UnreadableError(f"it cannot be read: {reason}", "change its permissions") from error
        if len(content) > LARGEST_BYTES:
            limit = f"{LARGEST_BYTES // 1_000_000} MB"
            raise _UnreadableError(f"the file is larger than {limit}", "split it into several files")
        return content

    def _decoded(self, content: bytes) -> str:
        coding = _WIDE_MARKS.get(content[:2], "utf-8-sig")
        if coding == "utf-8-sig" and b"\0" in content:
            raise _UnreadableError("it is a binary file", "move it out of the folder of definitions")
        try:
            return content.decode(coding)
        except UnicodeDecodeError as error:
            before = content[: error.start].decode(coding, "replace")
            bad = f"0x{content[error.start]:02X}"
            name = coding.removesuffix("-sig").upper()
            raise _UnreadableError(
                f"byte {bad} is not valid {name}",
                "save the file as UTF-8",
                before.count("\n") + 1,
                len(before) - before.rfind("\n"),
            ) from error


class _UnreadableError(Exception):
    def __init__(self, what: str, hint: str, line: int = 0, column: int = 0) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.line = line
        self.column = column
