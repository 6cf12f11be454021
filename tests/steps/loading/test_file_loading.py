"""FileLoading: what becomes of a file that a loader was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.downloads.file_reception import LocalFaultError
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileFinder
from scoopi.fetch.hop_results import ReceivedFile
from scoopi.model.downloads import FileRequest, KeptFile
from scoopi.model.handover import Payload
from scoopi.model.locator import Locator
from scoopi.steps.loading.file_loading import FileLoading

ORDER = FileRequest("http://h/1.jpg")
PAYLOAD = Payload("job", Locator("oslo", "list", ORDER.url), 1, "", None)
MISSING = FetchError("gone", fault=LoadFault("status 404", False, 404))


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "files", FileFinder(tmp_path, tmp_path))


def received(loading: FileLoading, body: bytes = b"picture") -> ReceivedFile:
    """A file, as the network has brought it."""
    partial = loading.open(ORDER)
    partial.begin(200, {})
    partial.write(body)
    return ReceivedFile(partial, "image/jpeg", "1.jpg")


def test_a_file_that_came_for_one_page_is_known_to_the_next(store: FileStore) -> None:
    loading = FileLoading(store, lambda _: False)
    assert loading.known(PAYLOAD, ORDER) is None
    kept = loading.kept(received(loading))
    found = loading.known(PAYLOAD, ORDER)
    assert found is not None
    assert found.payload.expect(KeptFile).sha256 == kept.sha256


def test_a_missing_file_is_asked_for_once(store: FileStore) -> None:
    loading = FileLoading(store, lambda _: False)
    loading.failed(ORDER, LookupError("a fault that says nothing of the file"))
    assert loading.known(PAYLOAD, ORDER) is None
    loading.failed(ORDER, MISSING)
    with pytest.raises(FetchError, match="gone"):
        loading.known(PAYLOAD, ORDER)


def test_a_login_page_in_place_of_a_file_is_not_kept(store: FileStore) -> None:
    loading = FileLoading(store, lambda _: True)
    with pytest.raises(FetchError, match="asks for a login") as raised:
        loading.kept(received(loading))
    assert raised.value.fault.status == 401
    assert loading.known(PAYLOAD, ORDER) is None


def test_a_folder_that_cannot_be_written_is_a_fault_of_this_machine(tmp_path: Path, store: FileStore) -> None:
    (tmp_path / "plain").write_text("")
    broken = FileStore(tmp_path / "plain" / "files", FileFinder(tmp_path, tmp_path))
    with pytest.raises(LocalFaultError, match="the file cannot be written"):
        FileLoading(broken, lambda _: False).open(ORDER)
