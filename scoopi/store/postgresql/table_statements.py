"""The SQL of the store in PostgreSQL: its tables, and one statement for a batch of any length.

Parameters are named, and a batch is passed as one array per column. Rows are locked in the order of their
keys, so that batches do not deadlock.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from types import MappingProxyType

from scoopi.store.ports import StoreMap

FORMAT = 1
FORMAT_TABLE = "scoopi_format"
MISSING = b"SELECT name FROM unnest(%(tables)s::text[]) AS name WHERE to_regclass(name) IS NULL"
LOCK = b"SELECT pg_advisory_xact_lock(7205759403792794)"
"""Held while tables are created: of two processes that create a table at the same time, one would fail."""
CREATE_FORMAT = b"CREATE TABLE IF NOT EXISTS scoopi_format (format INT NOT NULL)"
WRITE_FORMAT = b"INSERT INTO scoopi_format SELECT %(format)s WHERE NOT EXISTS (SELECT FROM scoopi_format)"
READ_FORMAT = b"SELECT format, current_setting('server_encoding') FROM scoopi_format"

_CREATE = """
CREATE TABLE IF NOT EXISTS $table (
    space TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value BYTEA NOT NULL,
    $declared
    expires TIMESTAMPTZ,
    PRIMARY KEY (space, key)
)"""
_CREATE_EXPIRY = "CREATE INDEX IF NOT EXISTS ${table}_expires ON $table (expires) WHERE expires IS NOT NULL"
_CREATE_INDEX = "CREATE INDEX IF NOT EXISTS ${table}_by_$index ON $table (space, $index, key)"
_PARTS = {
    "live": "t.space = %(space)s AND (t.expires IS NULL OR t.expires > now())",
    "batch": "WITH wanted AS (SELECT * FROM unnest($arrays) AS w(key, $columns))",
    "locked": """locked AS (
    SELECT t.key FROM $table AS t WHERE $live AND t.key = ANY(%(keys)s::text[]) ORDER BY t.key FOR UPDATE
)""",
    "page": "AND t.key > %(after)s ORDER BY t.key LIMIT %(limit)s",
}
"""Parts that statements share."""
_GET = "SELECT t.key, t.value FROM $table AS t WHERE $live AND t.key = ANY(%(keys)s::text[])"
_PUT = """$batch
INSERT INTO $table AS t (space, key, $columns)
SELECT %(space)s, key, $columns FROM wanted ORDER BY key COLLATE "C"
ON CONFLICT (space, key) DO UPDATE SET $excluded, expires = NULL WHERE t.expires <= now()
RETURNING t.key"""
_CAS = """$batch, $locked
UPDATE $table AS t SET $changed FROM wanted AS w, locked AS l
WHERE t.space = %(space)s AND t.key = l.key AND w.key = l.key AND t.value = w.expected
RETURNING t.key"""
_DELETE = """WITH $locked
DELETE FROM $table AS t USING locked AS l WHERE t.space = %(space)s AND t.key = l.key"""
_DELETE_SAME = """$batch, $locked
DELETE FROM $table AS t USING wanted AS w, locked AS l
WHERE t.space = %(space)s AND t.key = l.key AND w.key = l.key AND t.value = w.expected"""
_DELETE_BELOW = "DELETE FROM $table AS t WHERE t.space = %(space)s AND t.key < %(key)s"
_EXPIRE = """WITH $locked
UPDATE $table AS t SET expires = now() + make_interval(secs => %(seconds)s) FROM locked AS l
WHERE t.space = %(space)s AND t.key = l.key"""
_PURGE = "DELETE FROM $table WHERE expires <= now()"
_REMOVE = "DELETE FROM $table WHERE space = %(space)s"
_SCAN = "SELECT t.key, t.value FROM $table AS t WHERE $live $page"
_SCAN_VALUE = "SELECT t.key, t.value FROM $table AS t WHERE $live AND t.$index = %(index)s $page"
_SCAN_EACH = """SELECT found.key, found.value FROM unnest(%(values)s::text[]) AS w(value)
CROSS JOIN LATERAL (
    SELECT t.key, t.value FROM $table AS t WHERE $live AND t.$index = w.value $page
) AS found"""
_COUNT = "SELECT count(*) FROM $table AS t WHERE $live"
_COUNT_VALUE = "SELECT count(*) FROM $table AS t WHERE $live AND t.$index = %(index)s"


_Columns = Mapping[str, str]
_NO_COLUMNS: _Columns = MappingProxyType({})


class TableStatements:
    """The SQL statements for the table of one map, which has the records of all spaces.

    Each attribute is named after what its statement does; `create` is a list of statements, and `table` the
    table's name.
    """

    def __init__(self, store_map: StoreMap) -> None:
        self.table = f"scoopi_{store_map}"
        self._index = index = store_map.index
        new = {"value": "%(values)s::bytea[]"} | ({index: "%(indexed)s::text[]"} if index else {})
        expected = {"expected": "%(expected)s::bytea[]"}
        self.create = [self._sql(_CREATE), self._sql(_CREATE_EXPIRY)]
        self.create += [self._sql(_CREATE_INDEX)] if index else []
        self.get, self.delete, self.delete_below = map(self._sql, (_GET, _DELETE, _DELETE_BELOW))
        self.put = self._sql(_PUT, new)
        self.cas = self._sql(_CAS, new, expected)
        self.delete_same = self._sql(_DELETE_SAME, _NO_COLUMNS, expected)
        self.expire, self.purge, self.remove = map(self._sql, (_EXPIRE, _PURGE, _REMOVE))
        self.scan, self.count = self._sql(_SCAN), self._sql(_COUNT)
        self.scan_value, self.scan_each = self._sql(_SCAN_VALUE), self._sql(_SCAN_EACH)
        self.count_value = self._sql(_COUNT_VALUE)

    def _sql(self, template: str, new: _Columns = _NO_COLUMNS, expected: _Columns = _NO_COLUMNS) -> bytes:
        """Fill in a statement.

        Args:
            new: the columns that a batch writes; for each, the parameter with its values.
            expected: likewise, the columns that a batch only compares.
        """
        whole = Template(Template(template).safe_substitute(_PARTS)).safe_substitute(_PARTS)
        batch = {**new, **expected}
        return (
            Template(whole)
            .substitute(
                table=self.table,
                index=self._index or "key",
                declared=f'{self._index} TEXT COLLATE "C" NOT NULL,' if self._index else "",
                columns=", ".join(batch),
                arrays=", ".join(["%(keys)s::text[]", *batch.values()]),
                excluded=", ".join(f"{each} = excluded.{each}" for each in new),
                changed=", ".join(f"{each} = w.{each}" for each in new),
            )
            .encode()
        )
