"""FileStore: a file is there whole or not at all, whatever crashes between two steps."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.downloads.file_store import FileStore, UnwantedFileError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.downloads import FileRequest, KeptFile, kept_path
from tests.fetch.downloads.crashing_keep import CONTENT, HEADERS, KILLED, URL, download

ORDER = FileRequest(URL)


def keep(store: FileStore, url: str, body: bytes, media_type: str = "image/jpeg") -> KeptFile:
    partial = store.open(FileRequest(url))
    partial.begin(200, HEADERS)
    partial.write(body)
    kept = store.keep(partial, media_type, url.rpartition("/")[2])
    partial.close()
    return kept


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_kept_file_is_found_by_its_address(store: FileStore, tmp_path: Path) -> None:
    assert store.find(ORDER) is None
    kept = keep(store, URL, CONTENT)
    assert kept.was_sent
    assert store.find(ORDER) == KeptFile(sha256(CONTENT).hexdigest(), len(CONTENT), "image/jpeg", "a.jpg")
    assert kept_path(tmp_path / "files", kept.sha256).read_bytes() == CONTENT


def test_equal_content_is_one_file(store: FileStore, tmp_path: Path) -> None:
    assert keep(store, URL, CONTENT).sha256 == keep(store, f"{URL}?again", CONTENT).sha256
    assert len(files_in(tmp_path / "files" / "kept")) == 1
    assert files_in(tmp_path / "files" / "parts") == []


def test_what_an_order_does_not_want_is_not_found_for_it(store: FileStore) -> None:
    keep(store, URL, CONTENT)
    for request in (FileRequest(URL, ("application/pdf",)), FileRequest(URL, (), 10)):
        assert isinstance(store.find(request), UnwantedFileError)
    assert isinstance(store.find(FileRequest(URL, ("image/*",), len(CONTENT))), KeptFile)


def test_a_file_that_is_gone_or_damaged_is_asked_for_again(store: FileStore, tmp_path: Path) -> None:
    path = kept_path(tmp_path / "files", keep(store, URL, CONTENT).sha256)
    path.write_bytes(CONTENT[:-1])
    assert store.find(ORDER) is None
    path.unlink()
    assert store.find(ORDER) is None


def test_two_requests_for_one_address_do_not_disturb_each_other(store: FileStore, tmp_path: Path) -> None:
    first, second = store.open(ORDER), store.open(ORDER)
    for partial, body in ((first, b"first"), (second, b"second one")):
        partial.begin(200, HEADERS)
        partial.write(body)
    kept = [store.keep(partial, "", "") for partial in (second, first)]
    first.close()
    second.close()
    assert [kept_path(tmp_path / "files", each.sha256).read_bytes() for each in kept] == [
        b"second one",
        b"first",
    ]
    assert files_in(tmp_path / "files" / "parts") == []


def test_a_path_stands_for_one_content_unless_its_own_job_means_another(store: FileStore) -> None:
    assert store.claim("files/a.pdf", "11", "job1")
    assert store.claim("files/a.pdf", "11", "job2"), "the same content"
    assert not store.claim("files/a.pdf", "22", "job2")
    assert store.claim("files/a.pdf", "22", "job1"), "its page has changed since the attempt that crashed"
    assert not store.claim("files/a.pdf", "11", "job2")


def test_a_path_is_that_of_a_file_or_of_a_folder(store: FileStore) -> None:
    assert store.claim("files/a", "11", "job1")
    assert not store.claim("files/a/b", "22", "job1"), "not even by the job that claimed it"
    assert not store.claim("files/a/", "22", "job2")
    assert store.claim("files/b/c/", "11", "job1")
    assert store.claim("files/b/c/", "22", "job2")
    assert store.claim("files/b/d", "33", "job2")
    assert not store.claim("files/b", "11", "job1")
    assert not store.claim("files/b/c", "11", "job1")


def test_a_crash_between_any_two_steps_leaves_a_file_that_is_whole_or_resumed(tmp_path: Path) -> None:
    crashes = 0
    for step in count():
        folder = tmp_path / str(step) / "files"
        command = [sys.executable, "-m", "tests.fetch.downloads.crashing_keep", str(folder), str(step)]
        code = subprocess.run(command, check=False).returncode
        assert code in (0, KILLED)
        crashes += code == KILLED
        store, found = FileStore(folder, FileFinder(folder, folder)), None
        for _ in range(2):  # as it was left, and after the next attempt
            found = store.find(ORDER)
            if found is not None:
                assert isinstance(found, KeptFile)
                assert kept_path(folder, found.sha256).read_bytes() == CONTENT
            else:
                download(folder)
        assert store.find(ORDER) == KeptFile(sha256(CONTENT).hexdigest(), len(CONTENT), "image/jpeg", "a.jpg")
        assert files_in(folder / "kept") == [f"{found_name()}"]
        if code == 0:
            break
    assert crashes > 15, "the steps were reached"


def found_name() -> str:
    digest = sha256(CONTENT).hexdigest()
    return f"{digest[:2]}/{digest}"


def test_a_file_of_this_machine_is_copied_and_found_again(store: FileStore, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(CONTENT)
    request = FileRequest("a.jpg", ("image/*",))
    kept = store.copied(request)
    assert kept == KeptFile(sha256(CONTENT).hexdigest(), len(CONTENT), "image/jpeg", "a.jpg")
    assert store.find(request) == kept
    assert kept_path(tmp_path / "files", kept.sha256).read_bytes() == CONTENT
    assert files_in(tmp_path / "files" / "parts") == []


def test_an_empty_file_of_this_machine_is_copied(store: FileStore, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    assert store.copied(FileRequest("a.jpg")).size == 0


@pytest.mark.parametrize(
    ("wanted", "what"),
    [
        (FileRequest("none.jpg"), "there is no such file"),
        (FileRequest("."), "there is no such file|is a folder"),
        (FileRequest("a.jpg", ("application/pdf",)), "the file is image/jpeg, not application/pdf"),
        (FileRequest("a.jpg", (), 10), "the file is larger than 10 bytes"),
    ],
)
def test_a_file_of_this_machine_that_is_not_wanted_or_not_there_leaves_nothing(
    store: FileStore, tmp_path: Path, wanted: FileRequest, what: str
) -> None:
    (tmp_path / "a.jpg").write_bytes(CONTENT)
    with pytest.raises(FetchError, match=what):
        store.copied(wanted)
    assert files_in(tmp_path / "files") == []
