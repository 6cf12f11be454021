"""The declaration of the scheduler's language: no key promises what nothing does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scoopi.defs.schedule.process_keys import PROCESS
from scoopi.defs.schedule.schedule_language import ANY, Block, BlockKey
from scoopi.defs.schedule.settings_keys import SETTINGS

SCOOPI = Path(__file__).parents[3] / "scoopi"
ELSEWHERE = {
    "executes.scrape": "a kind of an executable",
    "executes.external": "a kind of an executable",
    "executes.accept": "read in scoopi/scrape_attempt.py",
    "executes.nodes": "read in scoopi/scrape_attempt.py",
    "description": "shown with the whole process",
}
"""Keys that are read under another name, or in another room."""


def keys(block: Block, path: str = "") -> Iterator[tuple[str, BlockKey]]:
    """All keys that hold values, with their paths; none below one without effect."""
    for key in block.keys:
        name = f"{path}{key.name}"
        if isinstance(key.kind, Block) and key.idle != ANY:
            yield from keys(key.kind, f"{name}.")
        else:
            yield name, key


def test_every_key_is_read_outside_of_the_language_or_is_declared_to_have_no_effect() -> None:
    rooms = ("scheduler", "serve", "store/schedule", "cli/schedule_verbs", "periods", "model/schedule")
    files = [file for room in rooms for file in (SCOOPI / room).rglob("*.py")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    declared = [*keys(PROCESS), *keys(SETTINGS)]

    unread = {name for name, key in declared if not re.search(rf"\.{key.name}\b", text) and key.idle != ANY}

    assert unread == {*ELSEWHERE}
