"""OutputSpec: what each node writes, by the target of an output; the names of its rows in frames."""

from __future__ import annotations

import pytest

from scoopi.model.records import Column, RecordSchema
from scoopi.outputs.output_spec import OutputSpec, changes_of, file_of_node, of_node
from scoopi.outputs.target import Target, TargetKind

SCHEMA = RecordSchema("town", (Column("name"),))
RECORDS = Target(TargetKind.FILE, "towns.csv", "towns.csv")


@pytest.mark.parametrize(
    ("file", "of_n1"),
    [("data.csv", "data-n1.csv"), ("t/data.csv.gz", "t/data-n1.csv.gz"), ("a.b/data", "a.b/data-n1")],
)
def test_the_id_of_a_node_stands_before_the_suffixes(file: str, of_n1: str) -> None:
    assert file_of_node(file, "n1") == of_n1


def test_each_node_has_its_own_files_and_shares_tables_and_stdout() -> None:
    specs = [
        OutputSpec("grid", "grid.csv"),
        OutputSpec("towns", "towns.csv", target=RECORDS),
        OutputSpec("lite", "", target=Target(TargetKind.SQLITE, "towns", "towns.db", table="towns")),
        OutputSpec(
            "shared", "", target=Target(TargetKind.POSTGRESQL, "towns", "postgresql://h/d", table="towns")
        ),
        OutputSpec("stdout", "-", target=Target(TargetKind.STDOUT, "-")),
    ]
    grid, towns, lite, shared, stdout = of_node(specs, "n1")
    assert (grid.file, towns.file, lite.file) == ("grid-n1.csv", "towns-n1.csv", "sqlite:towns-n1.db#towns")
    assert towns.target is not None
    assert towns.target.path == "towns-n1.csv"
    assert [shared, stdout] == specs[3:]


def test_what_a_target_is_decides_what_is_done_with_the_rows() -> None:
    kinds = {kind: OutputSpec("a", "a", target=Target(kind, "a", table="t")) for kind in TargetKind}
    assert [kind for kind, spec in kinds.items() if spec.is_file] == [TargetKind.FILE]
    assert [kind for kind, spec in kinds.items() if spec.is_stdout] == [TargetKind.STDOUT]
    assert [kind for kind, spec in kinds.items() if spec.is_shared_table] == [TargetKind.POSTGRESQL]
    assert {kind for kind, spec in kinds.items() if spec.is_database} == {
        TargetKind.POSTGRESQL,
        TargetKind.SQLITE,
    }
    assert OutputSpec("a", "a").is_file


def test_an_output_of_changes_reads_streams_of_its_own_and_has_one_more_column() -> None:
    plain = OutputSpec("towns", "towns.csv", target=RECORDS, schema=SCHEMA, streams=("s1", "s2"))
    changes = OutputSpec("towns", "towns.csv", target=RECORDS, schema=SCHEMA, streams=("s1",), changes=True)
    assert plain.parts == plain.written_parts == ("s1", "s2")
    assert plain.written_schema == SCHEMA
    assert (changes.parts, changes.written_parts) == (("s1",), (changes_of("s1"),))
    assert changes.written_schema is not None
    assert len(changes.written_schema.columns) == 2
    assert OutputSpec("grid", "grid.csv").parts == ("grid",)
