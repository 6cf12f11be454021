"""PostgresStore: a store in the tables of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy

from scoopi.model.decoders import json_decoder
from scoopi.store.ports import RUN_MAPS, Change, Outcome, StoreMap
from scoopi.store.postgresql import table_statements as sql
from scoopi.store.postgresql.postgres_client import PostgresClient, ResultRows
from scoopi.store.postgresql.table_statements import TableStatements
from scoopi.store.record_codec import indexed_kind
from scoopi.store.suspension_guard import SuspensionGuard

KeyValues = list[tuple[str, bytes]]


class PostgresStore:
    """A store in the tables of a PostgreSQL database; each batch is one atomic statement.

    A write may have been made although its answer never came: wrap the store in a SettlingStore. Records
    expire by the database's clock; expired ones are not found, and are deleted when a store is opened.

    Args:
        client: may be shared with other stores; it stays open when this store is closed.
        space: the namespace of the records; those of other spaces are invisible.
        maps: the maps of this store. Each is a table that all spaces share; missing ones are created.
    Raises:
        StoreError: the database does not answer, or has tables of another version.
    """

    def __init__(self, client: PostgresClient, space: str = "", maps: Sequence[StoreMap] = RUN_MAPS) -> None:
        self._client = client
        self._space = space
        self._suspension: SuspensionGuard | None = None
        self._statements = {kept: TableStatements(kept) for kept in maps}
        self._indexed = {kept: json_decoder(indexed_kind(kept, "")).decode for kept in maps if kept.index}
        self._prepare()

    def of_space(self, space: str, is_gone: Callable[[], bool] | None = None) -> PostgresStore:
        """Return the store of another namespace, in the same tables over the same client.

        Args:
            space: as for the class.
            is_gone: see `SuspensionGuard`; None for no such check.
        """
        other = copy(self)
        other._space = space
        other._suspension = SuspensionGuard(space, is_gone) if is_gone else None
        return other

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        """See `Store`."""
        return dict(self._read(self._statements[store_map].get, keys=[*keys])) if keys else {}

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """See `Store`; of equal keys in one batch the first counts."""
        if not records:
            return []
        first = dict(reversed(records))
        put = self._write(
            self._statements[store_map].put,
            keys=[*first],
            values=[*first.values()],
            indexed=self._index_values(store_map, first.values()),
        )
        return self._settled(store_map, records, put)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        """See `Store`; changes of one key in one batch are made in their order."""
        if not changes:
            return []
        if len({change.key for change in changes}) < len(changes):
            return [self.cas_all(store_map, [change])[0] for change in changes]
        keys, expected, new = zip(*changes, strict=True)
        changed = self._write(
            self._statements[store_map].cas,
            keys=[*keys],
            values=[*new],
            indexed=self._index_values(store_map, new),
            expected=[*expected],
        )
        return self._settled(store_map, [(change.key, change.new) for change in changes], changed)

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        """See `Store`."""
        if keys:
            self._write(self._statements[store_map].delete, keys=[*keys])

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See `Store`."""
        if not records:
            return []
        keys, expected = zip(*records, strict=True)
        self._write(self._statements[store_map].delete_same, keys=[*keys], expected=[*expected])
        left = self.get_all(store_map, keys)
        return [key not in left for key in keys]

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        """See `Store`; a batch is one statement here, which cannot be undone for what it did not find."""
        return False

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        """See `Store`."""
        self._write(self._statements[store_map].delete_below, key=key)

    def scan(self, store_map: StoreMap, index_value: str | None, limit: int, after: str = "") -> KeyValues:
        """See `Store`."""
        statements, limit = self._statements[store_map], max(0, limit)
        if index_value is None:
            return [*self._read(statements.scan, limit=limit, after=after)]
        return [*self._read(statements.scan_value, limit=limit, after=after, index=index_value)]

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> KeyValues:
        """See `Store`."""
        each = self._statements[store_map].scan_each
        return [*self._read(each, limit=max(0, limit), after=after, values=[*index_values])]

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        """See `Store`."""
        statements = self._statements[store_map]
        statement = statements.count if index_value is None else statements.count_value
        ((number,),) = self._read(statement, index=index_value)
        return int(number)

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """See `Store`; by the database's clock."""
        if keys:
            self._write(self._statements[store_map].expire, keys=[*keys], seconds=float(seconds))

    def destroy(self) -> None:
        """Remove all records of this space, for every process."""
        for statements in self._statements.values():
            self._write(statements.remove)

    def close(self) -> None:
        """Nothing to close: the client may serve other stores."""

    def _prepare(self) -> None:
        tables = [sql.FORMAT_TABLE, *(each.table for each in self._statements.values())]
        if self._read(sql.MISSING, tables=tables):
            with self._client.transaction() as connection:
                connection.execute(sql.LOCK)
                connection.execute(sql.CREATE_FORMAT)
                connection.execute(sql.WRITE_FORMAT, {"format": sql.FORMAT})
                for statement in (one for each in self._statements.values() for one in each.create):
                    connection.execute(statement)
        number, encoding = self._read(sql.READ_FORMAT)[0]
        if number != sql.FORMAT:
            what = f"the tables of the database have format {number}, this Scoopi reads format {sql.FORMAT}"
            raise self._client.error(what, hint="use the Scoopi that created them, or another database")
        if encoding != "UTF8":
            what = f"the database has the encoding {encoding}"
            raise self._client.error(what, hint="create one with ENCODING 'UTF8'")
        for statements in self._statements.values():
            self._write(statements.purge)

    def _read(self, statement: bytes, **values: object) -> ResultRows:
        return self._asked(statement, values, is_repeatable=True)

    def _write(self, statement: bytes, **values: object) -> ResultRows:
        return self._asked(statement, values, is_repeatable=False)

    def _asked(self, statement: bytes, values: dict[str, object], *, is_repeatable: bool) -> ResultRows:
        if self._suspension is not None:
            self._suspension.ensure_kept()
        return self._client.rows(statement, {"space": self._space, **values}, is_repeatable=is_repeatable)

    def _index_values(self, store_map: StoreMap, records: Iterable[bytes]) -> list[str]:
        decode = self._indexed.get(store_map)
        return [decode(record).index_value for record in records] if decode else []

    def _settled(
        self, store_map: StoreMap, wanted: Sequence[tuple[str, bytes]], written: ResultRows
    ) -> list[Outcome]:
        """The outcomes of a batch; for records that were not written, by their current values."""
        won = {key for (key,) in written}
        current = {key: value for key, value in reversed(wanted) if key in won}
        current |= self.get_all(store_map, [key for key, _ in wanted if key not in won])
        return [Outcome(current.get(key) == value, current.get(key)) for key, value in wanted]
