"""OwnRecord: a record of the run that only this process writes."""

from __future__ import annotations

from scoopi.store.ports import RUN, Change, Store


class OwnRecord:
    """A record of the run that only this process writes.

    Args:
        store: settles its writes, as `SettlingStore` does.
        key: key of the record.
    """

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key
        self._written: bytes | None = None

    def write(self, record: bytes) -> None:
        """Create or replace the record; does nothing if the store already has exactly these bytes.

        Raises:
            StoreError: the outcome is not known; the next call reads the record again.
        """
        standing = self._written or self._store.get_all(RUN, [self._key]).get(self._key)
        self._written = None  # in case that the outcome of the write will not be known
        if standing is None:
            self._store.put_if_absent_all(RUN, [(self._key, record)])
        elif standing != record:
            self._store.cas_all(RUN, [Change(self._key, standing, record)])
        self._written = record
