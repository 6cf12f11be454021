"""Files whose rows are pages: what is read of them, and what can be wrong with them."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.defs.locators.row_file import (
    LONGEST_CELL,
    ROWS_AT_ONCE,
    RowFile,
    RowFileError,
    in_portions,
    is_row_file,
    is_stdin,
    until_fault,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Rows = tuple[tuple[str, ...], list[tuple[str, ...]]]
TWO = (("a", "b"), [("1", "x"), ("2", "y")])


def read(folder: Path, name: str, content: str | bytes) -> Rows:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    file = RowFile(path)
    return file.columns(), list(file.rows())


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("p.csv", "a,b\n1,x\n2,y\n", TWO),
        ("p.CSV", "\ufeffa;b\r\n1;x\r\n\r\n2;y", TWO),
        ("p.csv", "a|b\n 1 | x \n|\n2|y\n", TWO),
        ("p.tsv", "a\tb\n1\tx\n2\ty\n", TWO),
        ("p.csv", 'a,b\n"1,\n2","say ""x"""\n', (("a", "b"), [("1,\n2", 'say "x"')])),
        ("p.jsonl", '{"a": 1, "b": "x"}\n\n{"b": "y", "a": "2"}', TWO),
        ("p.ndjson", '{"a": true, "b": null}\n{"a": 1.5}\n', (("a", "b"), [("true", ""), ("1.5", "")])),
        ("p.txt", "# shops\nhttp://a/\n\n  http://b/  \n", (("url",), [("http://a/",), ("http://b/",)])),
        ("p.txt", "", (("url",), [])),
        ("p.csv", "a,b\n", (("a", "b"), [])),
    ],
)
def test_the_cells_of_each_row_are_read(tmp_path: Path, name: str, content: str, found: Rows) -> None:
    assert read(tmp_path, name, content) == found


def test_a_cell_may_hold_the_text_of_a_whole_page(tmp_path: Path) -> None:
    page = "x" * 1_000_000
    assert read(tmp_path, "p.csv", f"a,b\n1,{page}\n") == (("a", "b"), [("1", page)])


@pytest.mark.parametrize(
    ("name", "content", "line", "what"),
    [
        ("p.csv", "", 0, "the file has no header"),
        ("p.csv", "a,a\n", 1, "two columns are named a"),
        ("p.csv", "a,,b\n", 1, "column 2 has no name"),
        ("p.csv", "a,b\n1,x\n2\n", 3, "the row has 1 cell, but the header has 2"),
        ("p.csv", 'a,b\n"1\n2",x\n1,2,3\n', 4, "the row has 3 cells, but the header has 2"),
        ("p.csv", 'a,b\n1,"x"y\n', 2, "this is not CSV"),
        ("p.csv", 'a,b\n1,"x\n', 2, "this is not CSV"),
        (
            "p.csv",
            f"a,b\n1,2\n3,{'x' * (LONGEST_CELL + 1)}\n",
            3,
            "a cell has more than 16,777,216 characters",
        ),
        ("p.csv", b"a,b\n1,x\n2,\xe5\n", 3, "this is not UTF-8"),
        ("p.csv", "a,b\n1,x\n".encode("utf-16"), 0, "the file is UTF-16"),
        ("p.jsonl", "", 0, "the file has no rows"),
        ("p.jsonl", '{"a": 1}\n{"a": 1\n', 2, "this is not JSON"),
        ("p.jsonl", '{"a": 1}\n[1]\n', 2, "this is not an object"),
        ("p.jsonl", '{"a": 1}\n{"a": {}}\n', 2, "a is not a single value"),
        ("p.jsonl", '{"a": 1, " a": 2}\n', 1, "two columns are named a"),
        ("p.jsonl", '{"a": 1}\n{"a": ' + "[" * 100_000, 2, "this is not JSON: it is nested too deeply"),
        ("p.jsonl", '{"a": 1}\n{"a": "x\\ud800"}\n', 2, "a has half of a surrogate pair, '\\ud800'"),
        ("p.txt", b"http://a/\nhttp://\xff/\n", 2, "this is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, line: int, what: str
) -> None:
    with pytest.raises(RowFileError) as error:
        read(tmp_path, name, content)
    assert (error.value.line, error.value.what[: len(what)]) == (line, what)
    assert error.value.hint


def test_numbers_of_json_lines_may_have_any_number_of_digits(tmp_path: Path) -> None:
    digits = "1" * 5000
    assert read(tmp_path, "p.jsonl", f'{{"a": {digits}, "b": -7}}') == (("a", "b"), [(digits, "-7")])


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("p.csv", 'a,b\n"1\n2",x\n\n2,y\n', [2, 5]),
        ("p.jsonl", '\n{"a": 1}\n\n{"a": 2}\n', [2, 4]),
        ("p.txt", "# shops\nhttp://a/\n\nhttp://b/\n", [2, 4]),
    ],
)
def test_each_row_has_the_number_of_its_first_line(
    tmp_path: Path, name: str, content: str, lines: list[int]
) -> None:
    (tmp_path / name).write_text(content)
    assert [line for line, _ in RowFile(tmp_path / name).numbered_rows()] == lines


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RowFileError, match="cannot be read: No such file"):
        RowFile(tmp_path / "p.csv").columns()


def test_the_suffix_says_whether_a_file_has_rows() -> None:
    assert [name for name in ("a.csv", "b/c.JSONL", "sitemap", "d.xml", "") if is_row_file(name)] == [
        "a.csv",
        "b/c.JSONL",
    ]


def test_standard_input_is_read_by_the_suffix_that_its_name_has(tmp_path: Path) -> None:
    names = ("stdin", "stdin.csv", "stdin.jsonl", "stdin.xml", "my-stdin.csv", "stdin2")
    assert [name for name in names if is_stdin(name)] == ["stdin", "stdin.csv", "stdin.jsonl"]
    path = tmp_path / "kept"
    path.write_text("a\n1,2\n")
    assert list(RowFile(path, "stdin").rows()) == [("a",), ("1,2",)]
    with pytest.raises(RowFileError) as error:
        list(RowFile(path, "stdin.csv").rows())
    assert error.value.at == "stdin.csv:2"


def test_rows_come_in_portions_and_up_to_the_fault(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a,b\n" + "1,2\n" * (ROWS_AT_ONCE + 1) + "1\n")
    rows = list(until_fault(RowFile(path).rows()))
    assert [len(portion) for portion in in_portions(rows)] == [ROWS_AT_ONCE, 1]


cells = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=8)


@given(rows=st.lists(st.tuples(cells, cells), max_size=5))
def test_what_programs_write_is_read_as_it_was(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    with (folder / "p.csv").open("w", newline="") as out:
        csv.writer(out).writerows([("a", "b"), *rows])
    lines = [json.dumps({"a": a, "b": b}) for a, b in [("a", "b"), *rows]]
    (folder / "p.jsonl").write_text("\n".join(lines))
    assert list(RowFile(folder / "p.csv").rows()) == rows
    assert list(RowFile(folder / "p.jsonl").rows())[1:] == rows


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compressed_file_is_read_and_a_damaged_one_is_reported(tmp_path: Path, suffix: str) -> None:
    content = b"a,b\n1,x\n2,y\n"
    packed = gzip.compress(content) if suffix == ".gz" else zstd.compress(content)
    assert read(tmp_path, f"p.csv{suffix}", packed) == TWO
    for damaged in (b"a,b\n", packed[:-6]):
        with pytest.raises(RowFileError) as error:
            read(tmp_path, f"p.csv{suffix}", damaged)
        assert error.value.what.startswith("cannot be read: ")
