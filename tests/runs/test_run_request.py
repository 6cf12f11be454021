"""RunRequest: the requests that follow from one, and what `--output` may name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.errors import UsageError
from scoopi.runs.run_request import RunRequest, output_folder


@pytest.mark.parametrize("text", ["output", "/data/out", "a:b/c", "C:", "../out", "s3", ""])
def test_a_folder_is_taken_as_it_is_written(text: str) -> None:
    assert output_folder(text) == Path(text)
    assert output_folder(Path(text)) == Path(text)


@pytest.mark.parametrize("text", ["s3://bucket/rows", "hdfs://host/", "s3:/bucket", Path("gs://bucket/x")])
def test_an_address_is_refused_before_it_becomes_a_folder(text: str | Path) -> None:
    with pytest.raises(UsageError, match=r"--output [a-z0-9]+://… is an address") as raised:
        output_folder(text)
    assert raised.value.hint


def test_a_path_that_is_not_utf_8_is_refused_before_records_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    with pytest.raises(UsageError, match=r"caf\\udce9: the path of the output folder is not UTF-8"):
        output_folder(folder)
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError, match=r"caf\\udce9: the path of the current folder is not UTF-8"):
        output_folder("output")


def test_a_new_run_needs_definitions() -> None:
    with pytest.raises(UsageError, match="no definitions were given"):
        RunRequest().for_definitions(None)
    assert RunRequest(workers="2").for_definitions(Path("d")) == RunRequest(defs=Path("d"), workers="2")


def test_a_request_to_resume_has_no_definitions() -> None:
    asked = RunRequest(defs=Path("d"), output=Path("o")).for_run("r1", "finished")
    assert asked == RunRequest(run="r1", failed="finished", output=Path("o"))


def test_runs_that_were_published_add_up() -> None:
    assert RunRequest().after("r1").after("r2").published == {"r1", "r2"}
    assert not RunRequest().published
