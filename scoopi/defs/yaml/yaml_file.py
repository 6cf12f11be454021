"""YamlFile: reads the text of a definition file into nodes with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import yaml

from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.defs.yaml.yaml_builder import TOO_DEEP, RefusedError, YamlBuilder
from scoopi.model.place import Place

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"
"""The message of libyaml since 0.2.6, which reads ahead and refuses 1000 levels before any is built."""
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAB_INDENT = re.compile(r" *\t")
_SECTIONS = ("locatorGroups", "taskGroups", "dataDefs", "steps")
"""The sections of scrape definitions."""


class YamlFile:
    """Reads the text of one definition file into nodes.

    Anchors and merge keys work within one document; duplicate keys and cyclic aliases are findings.

    Args:
        sections: the names of the sections that a file may have, for the hint.
        is_strict: a key that is written twice is an error even if both values are the same, not a warning.
    """

    def __init__(
        self,
        text: str,
        file: str,
        findings: Findings,
        sections: Sequence[str] = _SECTIONS,
        *,
        is_strict: bool = False,
    ) -> None:
        self._text = text
        self._file = file
        self._findings = findings
        self._is_strict = is_strict
        self._hint = f"begin with {', '.join(f'{name}:' for name in sections[:-1])} or {sections[-1]}:"

    def read(self) -> Table | None:
        """Return the file's mapping, without entries if the file is empty; None after an error.

        Errors are added to the findings.
        """
        return self._document(yaml.parse(self._text, Loader=LOADER))

    def read_all(self) -> list[Table] | None:
        """Return the mappings of the file's documents, in order; None after an error in any of them.

        Errors are added to the findings.
        """
        try:
            documents = [*_documents(yaml.parse(self._text, Loader=LOADER))]
        except yaml.YAMLError as error:
            self._not_yaml(error)
            return None
        tables = [self._document(iter(events)) for events in documents]
        return None if None in tables else [table for table in tables if table is not None]

    def _document(self, events: Iterator[yaml.Event]) -> Table | None:
        builder = YamlBuilder(self._file, is_strict=self._is_strict)
        try:
            node = self._built(builder, events)
        except yaml.YAMLError as error:
            self._not_yaml(error)
            return None
        except RefusedError as refused:
            self._add_notes(builder)
            self._findings.error(refused.place, "", refused.what, refused.hint)
            return None
        self._add_notes(builder)
        if node is None or (isinstance(node, Text) and node.is_empty):
            return Table({}, {}, Place(self._file))
        if isinstance(node, Table):
            return node
        kind = "a list" if isinstance(node, Listing) else "a text"
        self._findings.error(node.place, "", f"the file holds {kind}, not definitions", self._hint)
        return None

    def _built(self, builder: YamlBuilder, events: Iterator[yaml.Event]) -> Node | None:
        try:
            return builder.build(events)
        except RefusedError:
            for _ in events:  # a syntax error in the rest takes precedence
                pass
            raise

    def _add_notes(self, builder: YamlBuilder) -> None:
        for note in builder.notes:
            note(self._findings)

    def _not_yaml(self, error: yaml.YAMLError) -> None:
        began = getattr(error, "context_mark", None)
        mark = began if _is_unclosed(error) else getattr(error, "problem_mark", None) or began
        place = Place(self._file, mark.line + 1, mark.column + 1) if mark is not None else self._unprintable()
        what, hint = self._explained(error, place)
        self._findings.error(place, "", what, hint)

    def _unprintable(self) -> Place:
        found = _UNPRINTABLE.search(self._text)
        if found is None:
            return Place(self._file)
        before = self._text[: found.start()]
        return Place(self._file, before.count("\n") + 1, len(before) - before.rfind("\n"))

    def _explained(self, error: yaml.YAMLError, place: Place) -> tuple[str, str]:
        problem = str(getattr(error, "problem", None) or "")
        lines = self._text.splitlines()
        if isinstance(error, yaml.reader.ReaderError):
            return "a control character is not allowed in a text file", "remove it"
        if 0 < place.line <= len(lines) and _TAB_INDENT.match(lines[place.line - 1]):
            return "a tab indents this line", "indent with spaces"
        if _is_unclosed(error):
            return "a quoted text begins here and has no end", "close it with the quote that it begins with"
        if "another document" in problem:
            return "a second document begins here", "put it into a file of its own"
        if "undefined alias" in problem:
            hint = "define the anchor before it; a text that begins with * needs quotes"
            return "this alias names an anchor that is not defined", hint
        if problem == TOO_DEEP or _LIBYAML_TOO_DEEP in problem:
            return TOO_DEEP, "use fewer levels"
        context, began = getattr(error, "context", None), getattr(error, "context_mark", None)
        if context and began is not None and began.line + 1 != place.line:
            context += f" that begins at {began.line + 1}:{began.column + 1}"
        problem = f"{context}: {problem}" if context else problem
        hint = "look at indentation and brackets; a text with special characters needs quotes"
        return f"this is not YAML: {problem}", hint


def _documents(events: Iterable[yaml.Event]) -> Iterator[list[yaml.Event]]:
    """The events of each document."""
    document: list[yaml.Event] = []
    for event in events:
        document.append(event)
        if isinstance(event, yaml.DocumentEndEvent):
            yield document
            document = []


def _is_unclosed(error: yaml.YAMLError) -> bool:
    """Whether the file ends within a quoted text; the error is then at its beginning."""
    where = f"{getattr(error, 'context', '')}: {getattr(error, 'problem', '')}"
    return where == "while scanning a quoted scalar: found unexpected end of stream"
