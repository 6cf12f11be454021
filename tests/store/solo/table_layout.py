"""table_layout: how a store's file has laid out its maps."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def table_layout(path: Path) -> tuple[int, dict[str, tuple[str | None, bool]]]:
    """The version of a file, and for each table the field of its index, and whether it has rowids.

    A file is opened by each Scoopi of its version, so the layout of a version never changes.
    """
    with closing(sqlite3.connect(path)) as file:
        ((version,),) = file.execute("PRAGMA user_version")
        made = file.execute("SELECT type, tbl_name, sql FROM sqlite_master WHERE sql NOTNULL").fetchall()
    tables = {table: sql for kind, table, sql in made if kind == "table"}
    indexes = {table: sql for kind, table, sql in made if kind == "index"}
    fields = {table: sql.partition("(")[2].removesuffix(", key)") for table, sql in indexes.items()}
    return version, {
        table: (fields.get(table), "WITHOUT ROWID" not in sql)
        for table, sql in tables.items()
        if not table.startswith("sqlite_")
    }
