"""Merger: merges the definitions of several files into one set."""

from __future__ import annotations

from collections.abc import Collection

from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, is_same
from scoopi.model.place import Place


class Merger:
    """Merges the sections of files; a name that two files define must have equal definitions.

    Args:
        source: the folder or file as the user gave it; the place of findings about what is missing.
        sections: the names of sections whose entries are merged by name.
    """

    PRIVATE = "x-"
    """The prefix of sections that only hold anchors."""

    def __init__(self, source: str, findings: Findings, sections: Collection[str]) -> None:
        self._sections = sections
        self._findings = findings
        self._merged = Table({}, {}, Place(source))

    def add(self, file: Table) -> None:
        """Merge the sections of a file into those of the previous files."""
        for section, node in file.entries.items():
            if section.startswith(self.PRIVATE):
                continue
            merged = self._merged.entries.get(section)
            if isinstance(node, Table) and isinstance(merged, Table) and section in self._sections:
                self._join(section, merged, node)
            elif merged is None or section not in self._sections:
                keys = node.keys if isinstance(node, Table) else {}
                copied = (
                    Table(dict(node.entries), dict(keys), node.place) if isinstance(node, Table) else node
                )
                self._merged.entries[section] = copied
                self._merged.keys[section] = file.keys[section]
            else:
                place = file.keys[section] if isinstance(merged, Table) else self._merged.keys[section]
                self._findings.error(place, section, "a section is a mapping of names", "remove it")

    def merged(self) -> Table:
        """Return the sections of all files added so far."""
        return self._merged

    def _join(self, section: str, merged: Table, node: Table) -> None:
        for name, entry in node.entries.items():
            if name not in merged.entries:
                merged.entries[name] = entry
                merged.keys[name] = node.keys[name]
            elif not is_same(merged.entries[name], entry):
                self._findings.error(
                    node.keys[name],
                    f"{section}.{name}",
                    f"{name} is defined in two files, differently",
                    "keep one, or rename one",
                    also=merged.keys[name],
                )
