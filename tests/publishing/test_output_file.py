"""OutputFile: nothing appears under the final name before it is complete."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from scoopi.model.records import Column, RecordSchema
from scoopi.outputs.output_spec import HELD, OutputSpec
from scoopi.outputs.target import Target, TargetKind
from scoopi.publishing.output_file import OutputFile

SCHEMA = RecordSchema("town", (Column("name"),))
RECORDS = Target(TargetKind.FILE, "towns.csv", "towns.csv")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def file_of(spec: OutputSpec, folder: Path, work: Path, *bodies: bytes) -> OutputFile:
    file = OutputFile(spec, folder, work)
    for body in bodies:
        file.write(body, body.count(b"\n"))
    file.finish()
    return file


def test_a_file_appears_whole_under_its_final_name(tmp_path: Path, work: Path) -> None:
    spec = OutputSpec("towns", "tables/towns.csv", b"name\n")
    file = file_of(spec, tmp_path, work, b"Oslo\n", b"Rome\nKiel\n")
    assert not (tmp_path / "tables").exists()
    assert file.rows == 3
    file.publish()
    assert (tmp_path / "tables/towns.csv").read_bytes() == b"name\nOslo\nRome\nKiel\n"
    assert [*work.iterdir()] == []


def test_a_file_that_was_there_is_replaced(tmp_path: Path, work: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"old")
    file_of(OutputSpec("a", "a.csv"), tmp_path, work, b"new\n").publish()
    assert (tmp_path / "a.csv").read_bytes() == b"new\n"


def test_the_suffix_compresses(tmp_path: Path, work: Path) -> None:
    file_of(OutputSpec("a", "a.csv.gz", b"h\n"), tmp_path, work, b"x\n").publish()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == b"h\nx\n"


def test_equal_rows_give_equal_compressed_files(tmp_path: Path, work: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        file_of(OutputSpec("a", name), tmp_path, work, b"x\n").publish()
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_a_held_file_and_the_published_one_replace_each_other(tmp_path: Path, work: Path) -> None:
    spec = OutputSpec("towns", "towns.csv", target=RECORDS, schema=SCHEMA)
    final, held = tmp_path / "towns.csv", tmp_path / f"towns.csv{HELD}"
    file_of(spec, tmp_path, work, b"one\n").publish()
    file_of(spec, tmp_path, work, b"two\n").publish(HELD)
    assert (final.exists(), held.read_bytes()) == (False, b"two\n")
    file_of(spec, tmp_path, work, b"three\n").publish()
    assert (final.read_bytes(), held.exists()) == (b"three\n", False)


def test_an_optional_file_without_rows_is_removed(tmp_path: Path, work: Path) -> None:
    spec = OutputSpec("a", "a.csv", b"h\n", optional=True)
    file_of(spec, tmp_path, work, b"x\n").publish()
    assert (tmp_path / "a.csv").exists()
    file_of(spec, tmp_path, work).publish()
    assert not (tmp_path / "a.csv").exists()


def test_a_file_that_is_discarded_leaves_nothing(tmp_path: Path, work: Path) -> None:
    file = OutputFile(OutputSpec("a", "a.csv"), tmp_path, work)
    file.write(b"x\n", 1)
    file.discard()
    file.discard()
    assert [*work.iterdir()] == []
    assert not (tmp_path / "a.csv").exists()


def test_a_file_can_go_to_a_stream_instead(tmp_path: Path, work: Path) -> None:
    stream = io.BytesIO()
    file_of(OutputSpec("a", "a.csv", b"h\n"), tmp_path, work, b"x\n").copy_to(stream)
    assert stream.getvalue() == b"h\nx\n"
    assert not (tmp_path / "a.csv").exists()
