"""Pages: a map of the store, read in parts of a bounded size."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.store.ports import Store, StoreMap


def pages(
    store: Store, store_map: StoreMap, size: int, index_value: str | None = None, after: str = ""
) -> Iterator[list[tuple[str, bytes]]]:
    """All records with key > `after`, by key, up to `size` at a time; none of the parts is empty.

    The next part is asked for only when the one before has been dealt with, and by its last key: whoever
    reads may change or delete meanwhile what it was given.

    Args:
        index_value: as in `Store.scan`.
    Raises:
        StoreError: the store does not answer; begin again.
    """
    while page := store.scan(store_map, index_value, size, after):
        yield page
        after = page[-1][0]
