"""The statements of the store in PostgreSQL."""

from __future__ import annotations

from scoopi.store.ports import ENDED, JOBS
from scoopi.store.postgresql.table_statements import TableStatements


def test_all_parts_are_filled_in() -> None:
    for store_map in (JOBS, ENDED):
        statements = TableStatements(store_map)
        texts = [each for each in vars(statements).values() if isinstance(each, bytes)]
        assert len(texts) >= 12
        assert [text for text in [*texts, *statements.create] if b"$" in text] == []


def test_an_indexed_map_has_a_column_for_its_field() -> None:
    jobs, ended = TableStatements(JOBS), TableStatements(ENDED)
    assert (jobs.table, ended.table) == ("scoopi_jobs", "scoopi_ended")
    assert b"state_key = w.state_key" in jobs.cas
    assert b"state_key" not in ended.cas
    assert (len(jobs.create), len(ended.create)) == (3, 2)


def test_batches_lock_rows_in_one_order() -> None:
    for statement in (TableStatements(JOBS).cas, TableStatements(JOBS).delete, TableStatements(JOBS).expire):
        assert b"ORDER BY t.key FOR UPDATE" in statement
