"""RowFiles: what the files of a page are called, and what is said of those that did not come."""

from __future__ import annotations

import errno

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.downloads.file_reception import LocalFaultError
from scoopi.model.downloads import Download, Downloads, FileRef, FileRequest, KeptFile
from scoopi.model.handover import Payload
from scoopi.model.locator import Locator
from scoopi.model.text.file_path import FilePath
from scoopi.steps.downloads.row_files import ClaimPath, FileColumn, RowFiles

ONE, TWO, GONE = "http://h/1.jpg", "http://h/2.jpg", "http://h/gone.jpg"
CAME = {ONE: KeptFile("11", 3, "image/jpeg", "one.jpg"), TWO: KeptFile("22", 4, "image/png", "two")}


def column(to: str, name: str = "image") -> FileColumn:
    return FileColumn(name, 1, Download(to), FilePath(to))


def files_of(of: FileColumn, claim: ClaimPath = lambda *_: True, fault: FetchError | None = None) -> RowFiles:
    failed = fault or FetchError("status 404", at=GONE)
    came = {of.request(url): CAME.get(url, failed) for url in (ONE, TWO, GONE)}
    payload = Payload("job", Locator("oslo", "list", "http://h/list"), 1, "cards", None)
    return RowFiles(Downloads(None, came), payload, claim, "stream")


def test_a_path_is_filled_from_the_file_the_locator_and_the_row() -> None:
    images = column("%{locator.name}/%{locator.group}/%{record.title}-%{name}-%{sha256}.%{ext}")
    files = files_of(images)
    assert files.path(images, ONE, {"record.title": "Rye"}) == "oslo/list/Rye-one-11.jpg"
    assert files.path(images, TWO, {"record.title": "Oat"}) == "oslo/list/Oat-two-22.png"
    assert files.refs() == (
        FileRef("oslo/list/Rye-one-11.jpg", "11", 3, "stream"),
        FileRef("oslo/list/Oat-two-22.png", "22", 4, "stream"),
    )
    assert files.warnings() == ()


def test_a_path_that_another_page_has_claimed_for_another_content_is_refused() -> None:
    asked: list[tuple[str, str, str]] = []

    def refuse(path: str, sha256: str, job: str) -> bool:
        asked.append((path, sha256, job))
        return False

    images = column("%{name}.%{ext}")
    found = files_of(images, refuse).path(images, ONE, {})
    assert isinstance(found, FetchError)
    said = "one.jpg is already the path of another file, or a folder, or is in a folder that is a file"
    assert str(found).startswith(f"{ONE}: {said}; add %{{sha256}}")
    assert asked == [("one.jpg", "11", "job")]


def test_a_path_that_has_the_files_content_is_never_claimed() -> None:
    def claim(path: str, sha256: str, job: str) -> bool:
        raise AssertionError("it can be that of no other file")

    images = column("%{sha256}.%{ext}")
    assert files_of(images, claim).path(images, ONE, {}) == "11.jpg"


def test_of_a_path_that_has_the_files_content_the_folder_is_claimed() -> None:
    asked: list[str] = []

    def refuse(path: str, sha256: str, job: str) -> bool:
        asked.append(path)
        return False

    images = column("files/%{record.title}/%{sha256}.%{ext}")
    refused = files_of(images, refuse).path(images, ONE, {"record.title": "Rye"})
    assert isinstance(refused, FetchError)
    assert refused.hint == "name another folder in its `to`"
    images = column("files/%{sha256}.%{ext}")
    assert files_of(images, refuse).path(images, ONE, {}) == "files/11.jpg"
    assert asked == ["files/Rye/"]


def test_files_that_did_not_come_are_one_warning_a_column_and_cause() -> None:
    images, plans = column("%{sha256}"), column("plans/%{sha256}", "plan")
    files = files_of(images)
    for each in (images, images, plans):
        assert isinstance(files.path(each, GONE, {}), FetchError)
    assert [(each.cause, each.message) for each in files.warnings()] == [
        (
            "image: status 404",
            f"2 files of image could not be downloaded, so their values are missing: {GONE}: status 404",
        ),
        (
            "plan: status 404",
            f"a file of plan could not be downloaded, so its value is missing: {GONE}: status 404",
        ),
    ]
    assert files.refs() == ()


def test_a_fault_of_this_machine_is_raised() -> None:
    images = column("%{name}")
    with pytest.raises(LocalFaultError):
        files_of(images, fault=LocalFaultError("the disk is full")).path(images, GONE, {})

    def full(path: str, sha256: str, job: str) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(LocalFaultError, match="cannot be written: No space left on device"):
        files_of(images, full).path(images, ONE, {})


def test_an_order_has_what_the_field_demands_of_the_file() -> None:
    demanding = FileColumn("image", 1, Download("x", types=("image/",), max_bytes=10), FilePath("x"))
    assert demanding.request(ONE) == FileRequest(ONE, ("image/",), 10)
