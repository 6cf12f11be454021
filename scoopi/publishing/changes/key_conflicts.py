"""KeyConflicts: decides which of several records with one key and different values counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from scoopi.model.failure import Failure
from scoopi.model.records import RecordSchema
from scoopi.model.report.causes import Cause

CAUSE = "records with one key have different values"
_SHOWN = 60
"""Characters of a key's value in the warning."""


class Example(NamedTuple):
    """A key with different values, for the warning: its digest, and the key as text."""

    key: bytes
    shown: str


class KeyConflicts:
    """Decides which of several records with one key and different values counts.

    The record of the last run counts if it is among them, otherwise the one with the smallest digest, since
    the order in which pages are read must not decide what has changed. The choice is certain only after all
    records have been compared; if there are new conflicts by then, all are compared again. Keeps the keys
    with conflicts in memory.
    """

    def __init__(self) -> None:
        self._chosen: dict[tuple[str, bytes], bytes] = {}
        self._examples: dict[str, Example] = {}
        self._columns: dict[str, set[str]] = {}
        self._are_new = False

    def is_out(self, stream: str, key: bytes, digest: bytes) -> bool:
        """Whether another record with the key counts, so that the one with this digest does not."""
        return self._chosen.get((stream, key), digest) != digest

    def add(self, stream: str, key: bytes, digests: Sequence[bytes], base: bytes | None) -> None:
        """Choose between records with one key.

        Args:
            digests: the digests of their values.
            base: the digest of the last run's record with the key; None if it had none.
        """
        chosen = self._chosen.get((stream, key))
        among = {*digests} if chosen is None else {*digests, chosen}
        self._chosen[stream, key] = base if base in among and base is not None else min(among)
        self._are_new = True

    def describe(
        self, schema: RecordSchema, stream: str, key: bytes, rows: tuple[Sequence[Any], Sequence[Any]]
    ) -> None:
        """Keep for the warning what is different in two rows with one key.

        Args:
            rows: their values, in the order of all columns of the schema.
        """
        names = [column.name for column in schema.all_columns]
        values = {column.name for column in schema.columns}
        differing = {name for name, one, other in zip(names, *rows, strict=True) if one != other}
        self._columns.setdefault(stream, set()).update(differing & values)
        shown = {name: value for name, value in zip(names, rows[0], strict=True) if name in schema.key}
        text = ", ".join(f"{name} {_text(value)}" for name, value in shown.items())
        known = self._examples.get(stream)
        if known is None or key < known.key:
            self._examples[stream] = Example(key, text)

    def take_new(self) -> bool:
        """Return whether there are conflicts since the last call, so that all is to be compared again."""
        are_new, self._are_new = self._are_new, False
        return are_new

    def causes(self) -> tuple[Cause, ...]:
        """A warning for each stream with conflicts, which counts the keys."""
        return tuple(self._cause(stream, example) for stream, example in sorted(self._examples.items()))

    def _cause(self, stream: str, example: Example) -> Cause:
        task = stream.partition(":")[2]
        columns = ", ".join(sorted(self._columns[stream]))
        number = sum(of == stream for of, _ in self._chosen)
        message = (
            f"{example.shown}: different values of {columns}; one record of each key counts: that of the "
            f"last run if it is among them; add to the `key` what distinguishes the records"
        )
        return Cause(f"{task}: {CAUSE}", number, Failure(f"{task}: {CAUSE}", message))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text
