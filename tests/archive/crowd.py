"""One of several processes on one archive: `crowd.py FOLDER SEED ROUNDS`; exit code 1 after a mixed entry."""

from __future__ import annotations

import random
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scoopi.archive.archive import Archive, data_key
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Document, Locator

START = datetime(2026, 1, 1, tzinfo=UTC)
AXES = (Axis("item", "i", 1),)


def page(locator: Locator, number: int) -> Document:
    """The page number `number` of a locator: everything in it follows from the number."""
    body = f"{locator.name}-{number} ".encode() * 2000
    return Document(locator, f"http://h/{number}", START + timedelta(seconds=number), None, body)


def rows(document: Document) -> Data:
    """The rows of a page: its address."""
    return Data("d", (Item(AXES, (document.url,), (1,)),))


def is_mixed(archive: Archive, locator: Locator, key: str) -> bool:
    """Whether the archive returns anything but one whole page with its own rows."""
    loaded = archive.load(locator)
    if loaded is None:
        return False
    number = int((loaded.from_date - START).total_seconds())
    data = archive.load_data(loaded, key)
    return loaded != page(locator, number) or (data is not None and data != rows(loaded))


def main(folder: Path, seed: int, rounds: int) -> int:
    """Save, load and remove at random; rounds < 0 for ever."""
    chance = random.Random(seed)
    archive = Archive(folder)
    kept = 0
    print("begun", flush=True)
    while rounds:
        rounds -= 1
        locator = Locator(f"n{chance.randrange(3)}", "g", "/u")
        key = data_key(locator, "t", "d", "0")
        document = page(locator, chance.randrange(10**6))
        kept += archive.save(document) and archive.save_data(document, key, rows(document))
        if is_mixed(archive, locator, key):
            return 1
        if chance.random() < 0.1:
            shutil.rmtree(folder, ignore_errors=True)  # as a user who frees disk space
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
