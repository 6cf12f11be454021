"""ensure_libraries: a missing library is an error with the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from scoopi.errors import DefsError
from scoopi.outputs import extras
from scoopi.outputs.target import parse_target


@pytest.mark.parametrize(
    ("output", "missing", "command"),
    [
        ("a.parquet", "pyarrow", "pip install 'scoopi[parquet]'"),
        ("a.xlsx", "openpyxl", "pip install 'scoopi[xlsx]'"),
        ("sqlite:a.db#a", "sqlalchemy", "pip install 'scoopi[sql]'"),
        ("postgresql:///a#a", "psycopg", "pip install 'scoopi[sql]'"),
        ("s3://bucket/a.csv", "s3fs", "pip install 'scoopi[s3]'"),
        ("gs://bucket/a.csv", "gcsfs", "pip install 'gcsfs'"),
    ],
)
def test_a_missing_library_is_an_error_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, output: str, missing: str, command: str
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == missing else find_spec("json"))

    with pytest.raises(DefsError) as raised:
        extras.ensure_libraries(parse_target(output))

    assert missing in raised.value.what
    assert raised.value.hint == command


def test_files_of_text_need_no_library() -> None:
    for output in ("a.csv.gz", "a.tsv", "a.jsonl.zst", "a.json", "-"):
        extras.ensure_libraries(parse_target(output))


@pytest.mark.parametrize("output", ["s4://bucket/a.csv", "gopher://host/a.csv", "https://host/a.csv"])
def test_a_scheme_that_cannot_be_written_is_an_error(output: str) -> None:
    with pytest.raises(DefsError):
        extras.ensure_libraries(parse_target(output))
