"""What finished runs have written, read again."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scoopi.defs.locators.row_source import RowSource
from scoopi.errors import DefsError
from scoopi.model.records import Column, ColumnType
from scoopi.outputs.formats.record_writer import record_writer
from scoopi.outputs.target import parse_target
from scoopi.plugins.encoders.grid_format import GridFormat
from scoopi.runs.rows.run_outputs import RunOutputs
from scoopi.runs.run_file import RunFile, RunView

MakeRun = Callable[..., Path]
SHOPS = "shops.yml"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeRun:
    """Makes the folder of a run that ended at an hour of a day."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / SHOPS).write_text("locatorGroups: {}\n")

    def run(
        name: str, hour: int, files: Mapping[str, str | bytes], status: str = "done", **keys: Any
    ) -> Path:
        folder = tmp_path / "output" / name
        (folder / ".scoopi" / "n1").mkdir(parents=True)
        (folder / ".scoopi" / "n2").mkdir()
        for file, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            (folder / file).write_bytes(gzip.compress(data) if file.endswith(".gz") else data)
        at = datetime(2026, 1, 1, hour, tzinfo=UTC)
        known = {"definitions": str(tmp_path / SHOPS), **keys}
        view = RunView(name, "1", status, at, at, **known)
        RunFile(folder, folder / ".scoopi").write(view)
        return folder

    return run


def rows(run: str, output: str = "shops.csv") -> list[list[str]]:
    return [[*row] for row in RunOutputs(Path("output")).rows(RowSource(run=run, output=output))]


def test_the_newest_finished_run_of_definitions_counts_whatever_its_name(make: MakeRun) -> None:
    make("b", 1, {"shops.csv": "id\nb\n"})
    make("a", 2, {"shops.csv": "id\na\n"})
    make("c", 3, {"shops.csv": "id\nc\n"}, status="stopped")
    make("d", 4, {"shops.csv": "id\nd\n"}, definitions="/other.yml")
    assert rows(SHOPS) == [["id"], ["a"]]


def test_a_run_is_named_by_its_folder_its_id_or_as_the_latest(make: MakeRun) -> None:
    folder = make("b", 1, {"shops.csv": "id\nb\n"})
    (folder.parent / "latest").symlink_to("b")
    assert [rows(name) for name in ("b", "latest", str(folder))] == [[["id"], ["b"]]] * 3
    assert rows(SHOPS) == [["id"], ["b"]]


def test_the_files_of_all_nodes_are_one_output(make: MakeRun) -> None:
    make("b", 1, {"shops-n1.csv": "id\na\n", "shops-n2.csv": "id\nb\n", "shops-n3.csv": "id\nc\n"})
    assert rows("b") == [["id"], ["a"], ["b"]]


def test_lines_of_json_and_compressed_files_are_read(make: MakeRun) -> None:
    make("b", 1, {"shops.jsonl.gz": '{"id": 1, "town": null}\n{"id": 2, "town": "x"}\n'})
    assert rows("b", "shops.jsonl.gz") == [["id", "town"], ["1", ""], ["2", "x"]]


@pytest.mark.parametrize(
    "output", ["shops.json", "shops.parquet", "shops.xlsx", "shops.parquet.gz", "shops.xlsx.gz"]
)
def test_files_of_all_formats_of_records_are_read(make: MakeRun, output: str) -> None:
    stream = io.BytesIO()
    writer = record_writer(
        parse_target(output).format, stream, (Column("id"), Column("n", ColumnType.INTEGER))
    )
    writer.write([["a", 1], ["b", None]])
    writer.close()
    make("b", 1, {output: stream.getvalue()})
    assert rows("b", output) == [["id", "n"], ["a", "1"], ["b", ""]]


def test_a_node_without_records_names_no_columns_in_json(make: MakeRun) -> None:
    make("b", 1, {"shops-n1.jsonl": "", "shops-n2.jsonl": '{"id":1}\n'})
    assert rows("b", "shops.jsonl") == [["id"], ["1"]]


def test_a_list_is_its_json_as_in_csv(make: MakeRun) -> None:
    make("b", 1, {"shops.jsonl": '{"id":1.10,"tags":["a","b"]}\n'})
    assert rows("b", "shops.jsonl") == [["id", "tags"], ["1.10", '["a","b"]']]


def test_rows_of_a_grid_have_the_names_of_its_columns(make: MakeRun) -> None:
    grid = GridFormat(("name", "group", "size"), "|", "none")
    make("b", 1, {"data.txt.gz": "oslo|bikes|7\n"}, grids={"data.txt.gz": grid})
    assert rows("b", "data.txt.gz") == [["name", "group", "size"], ["oslo", "bikes", "7"]]


@pytest.mark.parametrize(
    ("run", "output", "what"),
    [
        ("x", "shops.csv", "there is no run x in output; name its folder"),
        ("none.yml", "shops.csv", "there is no run none.yml"),
        ("half", "shops.csv", "is not finished: it is stopped; wait for it, or continue it"),
        ("done", "shop.csv", "has no output shop.csv; did you mean shops.csv?"),
        ("done", "held.csv", "is held back, as its records are not as expected"),
        ("done", "notes.doc", "output 'notes.doc' has no known format"),
        ("done", "empty.jsonl", "empty.jsonl has no records, and so does not name its columns; let the run"),
        ("done", "broken.parquet", "is not as the run has written it: "),
        (
            "done",
            "mixed.json",
            "mixed.json: the file is not as the run has written it: line 2 has other keys",
        ),
        ("done", "s3://bucket/shops.csv", "it was uploaded"),
        ("done", "sqlite:a.db#b", "for a table"),
        ("done", "mixed.txt", "has rows of tasks with different columns"),
        ("done", "bad.txt", "is not as the run has written it: row 1 has 1 values, not 2"),
        ("late", "shops.csv", "rows of n2 are not published yet"),
        ("other.yml", "shops.csv", "no run of other.yml in output is finished; run it with `scoopi other"),
    ],
)
def test_what_cannot_be_read_is_reported(make: MakeRun, run: str, output: str, what: str) -> None:
    (Path.cwd() / "other.yml").write_text("")
    grids = {"mixed.txt": GridFormat(), "bad.txt": GridFormat(("a", "b"), "|", "none")}
    files = {
        "shops.csv": "id\n1\n",
        "held.csv.held": "",
        "notes.doc": "",
        "empty.jsonl": "",
        "broken.parquet": "id",
        "mixed.json": '{"a":1}\n{"b":1}',
        "mixed.txt": "",
        "bad.txt": "1",
    }
    make("done", 1, files, grids=grids)
    make("half", 1, {"shops.csv": ""}, status="stopped")
    make("late", 1, {"shops.csv": "id\n"}, awaiting=("n2",))
    with pytest.raises(DefsError) as error:
        rows(run, output)
    assert what in str(error.value)


@pytest.mark.parametrize(("run", "output"), [("r" * 300, "shops.csv"), ("b", "o" * 300), ("r" * 5000, "x")])
def test_a_name_that_is_too_long_is_an_error_that_says_so(make: MakeRun, run: str, output: str) -> None:
    make("b", 1, {"shops.csv": "id\nb\n"})
    with pytest.raises(DefsError) as raised:
        rows(run, output)
    named = f"{output[:100]} of the run {run[:100]}"
    assert raised.value.what == f"{named} cannot be looked up: File name too long"
    assert raised.value.hint == "name its folder, its id, `latest`, or its definitions"
