"""SourceFiles and SourceText: find the definition files of a folder, and read the text of one."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place
from scoopi.model.text.shown import as_utf8, nearest

_SUFFIXES = (".yml", ".yaml")
_ASIDE = frozenset({"plugins", "conf", "output"})
LARGEST_BYTES = 16_000_000
_WIDE_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class SourceFiles:
    """Finds the definition files of a folder, or the one file that was named.

    These are all `*.yml` and `*.yaml` in the folder and below, except in hidden folders, plugins, conf and
    output.

    Attributes:
        folders: the folders that were searched.
        is_whole: False after any error, as when a folder could not be read.
    """

    def __init__(self, source: Path, findings: Findings) -> None:
        self._source = source
        self._findings = findings
        self._files: list[Path] = []
        self._seen: set[tuple[int, int]] = set()
        self.folders: list[Path] = []
        self.is_whole = True

    def find(self) -> list[Path]:
        """Return the files that were found, sorted by path; what cannot be read is added to the findings."""
        try:
            status = self._source.stat()
        except FileNotFoundError:
            self._fault(self._source, "there is no such file or folder", *self._hint())
            return []
        except (OSError, ValueError) as error:
            self._unreadable(self._source, error)
            return []
        if not stat.S_ISDIR(status.st_mode):
            return self._with_utf8_paths([self._source])  # may be a pipe
        self._walk(self._source, status)
        if not self._files and self.is_whole:
            self._fault(self._source, "the folder holds no definition files", "put a .yml file there")
        return self._with_utf8_paths(sorted(self._files))

    def _with_utf8_paths(self, files: list[Path]) -> list[Path]:
        """The files without those whose path cannot be part of a record or a report, which are faults."""
        others = [path for path in files if as_utf8(str(path)) != str(path)]
        for path in others:
            self._fault(path, "its path is not UTF-8", "rename the file, or the folder in which it is")
        return [path for path in files if path not in others] if others else files

    def _walk(self, folder: Path, status: os.stat_result) -> None:
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return
        self._seen.add(identity)
        self.folders.append(folder)
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError as error:
            self._unreadable(folder, error)
            return
        for name in names:
            self._visit(folder / name)

    def _visit(self, path: Path) -> None:
        is_wanted = path.name.endswith(_SUFFIXES)
        try:
            status = path.stat()
        except FileNotFoundError:
            if is_wanted and path.is_symlink():  # otherwise it has just been removed
                what = f"it is a link to {os.readlink(path)}, and there is no such file"
                self._fault(path, what, "put the file there, or remove the link")
            return
        except OSError as error:
            if is_wanted:
                self._unreadable(path, error)
            return
        if stat.S_ISDIR(status.st_mode):
            if not path.name.startswith(".") and path.name not in _ASIDE:
                self._walk(path, status)
        elif is_wanted and stat.S_ISREG(status.st_mode):
            self._files.append(path)

    def _hint(self) -> tuple[str, str]:
        try:
            beside = os.listdir(self._source.parent)
        except OSError:
            beside = []
        near = nearest(self._source.name, beside)
        return "name a folder of .yml files, or one file", str(self._source.parent / near) if near else ""

    def _unreadable(self, path: Path, error: OSError | ValueError) -> None:
        reason = getattr(error, "strerror", None) or str(error)
        is_right = isinstance(error, PermissionError)
        hint = "change its permissions" if is_right else "fix it, or remove it"
        self._fault(path, f"it cannot be read: {reason}", hint)

    def _fault(self, path: Path, what: str, hint: str, near: str = "") -> None:
        self.is_whole = False
        self._findings.error(Place(as_utf8(str(path))), "", as_utf8(what), hint, near=as_utf8(near))


class SourceText:
    """Reads a file of at most 16 MB as UTF-8, or as UTF-16 if it begins with its byte order mark."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self._path = path
        self._findings = findings

    def read(self) -> str | None:
        """Return the text; None after an error, which is added to the findings."""
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
            read = error.object  # without a byte order mark of UTF-8
            before = read[: error.start].decode(coding, "replace")
            bad = f"0x{read[error.start]:02X}"
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
