"""Definitions: a run downloads files if one entry of a grid or one field of records leads to some."""

from __future__ import annotations

import pytest

from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.downloads import Download
from scoopi.model.records import RecordSchema
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.scrape.definitions import Definitions


@pytest.mark.parametrize("in_grid", [None, Download("covers")], ids=["no file", "a file"])
@pytest.mark.parametrize("in_records", [None, Download("covers")], ids=["no file", "a file"])
def test_one_entry_or_field_is_enough(in_grid: Download | None, in_records: Download | None) -> None:
    fact = ItemDef("cover", download=in_grid)
    grid = DataDef("prices", "table", "td", (ItemDef("book"),), (), (ItemDef("price"), fact))
    fields = (FieldDef("title"), FieldDef("cover", download=in_records))
    records = RecordDef("books", RecordSchema("books", ()), fields)
    defs = Definitions({}, {}, {"prices": grid}, record_defs={"books": records})
    assert defs.has_downloads is (in_grid is not None or in_records is not None)
