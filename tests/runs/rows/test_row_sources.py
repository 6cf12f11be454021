"""Rows that definitions name: found, kept while they are in use, or reported."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

import pytest

from scoopi.defs.locators.row_file import RowFile
from scoopi.defs.locators.row_source import RowSource
from scoopi.defs.scrape.checkers import Fault
from scoopi.fetch.file_client import FileFinder
from scoopi.runs.rows.row_sources import RowSources
from scoopi.runs.rows.run_outputs import RunOutputs


@pytest.fixture
def sources(tmp_path: Path) -> RowSources:
    defs = tmp_path / "defs"
    defs.mkdir()
    return RowSources(FileFinder(tmp_path, defs), RunOutputs(tmp_path / "output"))


def test_a_file_is_found_beside_the_definitions_or_the_fault_says_where_it_was_looked_for(
    sources: RowSources, tmp_path: Path
) -> None:
    defs = tmp_path / "defs"
    (defs / "shops.csv").write_text("url\n")
    found = sources.find(RowSource(file="shops.csv"))
    assert isinstance(found, RowFile)
    assert found.name == str(defs / "shops.csv")
    missing = sources.find(RowSource(file="shop.csv"))
    assert isinstance(missing, Fault)
    assert missing.what == "shop.csv: there is no such file"
    assert str(defs) in missing.hint


def test_a_query_is_asked_once_so_the_check_and_the_run_see_the_same_rows(
    sources: RowSources, tmp_path: Path
) -> None:
    source = RowSource(database="sqlite:shops.db", query="select id, town from shops")
    with sqlite3.connect(tmp_path / "shops.db") as database:
        database.execute("CREATE TABLE shops (id, town)")
        database.execute("INSERT INTO shops VALUES (1, 'a\tb\n\"c'), (2, NULL)")
        database.commit()
        found = sources.find(source)
        database.execute("DELETE FROM shops")
    database.close()
    assert isinstance(found, RowFile)
    assert found is sources.find(source)
    assert (found.columns(), [*found.rows()]) == (("id", "town"), [("1", 'a\tb\n"c'), ("2", "")])
    assert [*found.rows()] == [*found.rows()]


def test_a_disk_without_room_for_the_rows_is_a_fault(
    sources: RowSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **named: object) -> IO[bytes]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    sqlite3.connect(tmp_path / "shops.db").close()
    fault = sources.find(RowSource(database="sqlite:shops.db", query="select 1 as id"))
    assert isinstance(fault, Fault)
    assert fault.what == "its rows cannot be read or kept: No space left on device"
    assert "TMPDIR" in fault.hint


def test_what_is_wrong_with_a_run_is_a_fault(sources: RowSources) -> None:
    fault = sources.find(RowSource(run="shops.yml", output="shops.csv"))
    assert isinstance(fault, Fault)
    assert fault.what.startswith("there is no run shops.yml in ")


def test_standard_input_is_kept_as_it_is_read_more_than_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<h1>{name}</h1>")
    (tmp_path / "defs.yml").write_text(
        "locatorGroups: { page: { from: stdin } }\n"
        "taskGroups: { page: { heads: { dataDef: head, output: heads.csv } } }\n"
        "dataDefs: { head: { fields: { name: h1 } } }\n"
    )
    command = [sys.executable, "-m", "scoopi", "defs.yml", "--quiet", "--workers", "0"]
    subprocess.run(command, cwd=tmp_path, input=b"a.html\n# none\nb.html\n", check=True, timeout=60)
    (rows,) = (tmp_path / "output" / "latest").glob("*.csv")
    assert sorted(rows.read_text().split()) == ["a", "b", "name"]
