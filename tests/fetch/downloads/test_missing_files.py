"""MissingFiles: an answer that nothing is there is remembered by the process that got it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.downloads.missing_files import MissingFiles
from scoopi.fetch.file_client import FileFinder
from scoopi.model.downloads import FileRequest

ORDER = FileRequest("http://h/a.jpg")


def failure(status: int, *, is_transient: bool = False) -> FetchError:
    fault = LoadFault(f"status {status}", is_transient, status)
    return FetchError(f"status {status}", at="http://h/a.jpg", hint="correct the url", cause="c", fault=fault)


def store(folder: Path, process: str = "p1") -> FileStore:
    return FileStore(folder / "files", FileFinder(folder, folder), process)


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_missing_is_known_to_all_workers_of_a_process(tmp_path: Path, status: int) -> None:
    store(tmp_path).note_failure(ORDER, failure(status))
    found = store(tmp_path).find(ORDER)
    assert isinstance(found, FetchError)
    assert str(found) == str(failure(status))
    assert (found.cause, found.fault) == ("c", failure(status).fault)
    assert store(tmp_path).find(FileRequest("http://h/b.jpg")) is None


def test_another_process_asks_again(tmp_path: Path) -> None:
    store(tmp_path).note_failure(ORDER, failure(404))
    assert store(tmp_path, "p2").find(ORDER) is None


@pytest.mark.parametrize(
    "error", [failure(503, is_transient=True), failure(404, is_transient=True), failure(403), FetchError("x")]
)
def test_other_failures_are_not_remembered(tmp_path: Path, error: FetchError) -> None:
    store(tmp_path).note_failure(ORDER, error)
    assert store(tmp_path).find(ORDER) is None


def test_a_damaged_note_costs_a_request_only(tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"{")
    assert MissingFiles("p1").find(tmp_path / "note") is None
    assert MissingFiles("p1").find(tmp_path / "none") is None
