"""Uploads to object stores: each file once, whole, whatever the store refuses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import fsspec
import pytest

from scoopi.errors import AppenderError
from scoopi.publishing.objects.object_upload import UPLOADS_AT_ONCE, upload, upload_missing

STORE = type(fsspec.filesystem("memory"))


class Bucket:
    """A bucket of fsspec's store in memory, which counts what is sent, and can refuse it.

    Attributes:
        accepts: how many files it takes before it refuses one; None for all.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.url = f"memory://{uuid4().hex}"
        self.sent: list[str] = []
        self.accepts: int | None = None
        put = STORE.put_file

        def counted(store: Any, file: str, path: str, **options: Any) -> None:
            if self.accepts is not None and len(self.sent) >= self.accepts:
                raise ConnectionError("the store is away")
            self.sent.append(path)
            put(store, file, path, **options)

        monkeypatch.setattr(STORE, "put_file", counted)

    def content(self) -> dict[str, bytes]:
        """What is there, by URL."""
        store = fsspec.filesystem("memory")
        folder = self.url.removeprefix("memory:/")
        return {f"memory:/{path}": store.cat(path) for path in store.find(folder)}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Bucket:
    return Bucket(monkeypatch)


@pytest.fixture
def files(tmp_path: Path, bucket: Bucket) -> dict[str, Path]:
    """More files than are sent at a time."""
    made = {}
    for number in range(2 * UPLOADS_AT_ONCE + 1):
        path = tmp_path / str(number)
        path.write_bytes(bytes([number]) * number)
        made[f"{bucket.url}/files/{number}.bin"] = path
    return made


def in_time() -> None:
    """There is time for all uploads."""


def test_each_file_is_sent_once_and_not_again(bucket: Bucket, files: dict[str, Path]) -> None:
    upload_missing(files, in_time)
    assert bucket.content() == {url: path.read_bytes() for url, path in files.items()}
    assert len(bucket.sent) == len(files)
    upload_missing(files, in_time)
    assert len(bucket.sent) == len(files)


@pytest.mark.parametrize("accepts", [0, 1, UPLOADS_AT_ONCE, 2 * UPLOADS_AT_ONCE])
def test_after_a_refusal_only_what_is_missing_is_sent(
    bucket: Bucket, files: dict[str, Path], accepts: int
) -> None:
    bucket.accepts = accepts
    with pytest.raises(AppenderError, match="the store is away") as caught:
        upload_missing(files, in_time)
    assert str(caught.value.at).startswith(bucket.url)
    bucket.accepts = None
    upload_missing(files, in_time)
    assert bucket.content() == {url: path.read_bytes() for url, path in files.items()}


def test_an_object_of_another_size_is_replaced(bucket: Bucket, files: dict[str, Path]) -> None:
    url, path = [*files.items()][-1]
    with fsspec.open(url, "wb") as part:
        part.write(b"a part")
    upload_missing(files, in_time)
    assert bucket.content()[url] == path.read_bytes()


def test_who_may_not_look_sends_the_file(
    bucket: Bucket, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError("403")

    monkeypatch.setattr(STORE, "info", refused)
    upload_missing(files, in_time)
    assert len(bucket.sent) == len(files)


def test_uploads_end_when_there_is_no_time(bucket: Bucket, files: dict[str, Path]) -> None:
    def late() -> None:
        raise AppenderError("no time was left to publish")

    with pytest.raises(AppenderError, match="no time"):
        upload_missing(files, late)


def test_no_files_need_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    upload_missing({}, in_time)


def test_a_single_file_replaces_what_was_there(bucket: Bucket, tmp_path: Path) -> None:
    file = tmp_path / "a"
    for body in (b"one", b"two"):
        file.write_bytes(body)
        upload(file, f"{bucket.url}/a/b.csv")
    assert bucket.content() == {f"{bucket.url}/a/b.csv": b"two"}
    bucket.accepts = 0
    with pytest.raises(AppenderError, match="cannot be uploaded"):
        upload(file, f"{bucket.url}/a/b.csv")


def test_folders_are_made_where_a_store_has_them(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one")
    upload_missing({f"file://{tmp_path}/store/b/a.bin": file}, in_time)
    assert (tmp_path / "store/b/a.bin").read_bytes() == b"one"


def test_no_bucket_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped name would become a bucket."""
    calls: list[str] = []
    monkeypatch.setattr(STORE, "makedirs", lambda *_, **__: calls.append("makedirs"))
    monkeypatch.setattr(STORE, "put_file", lambda *_, **__: calls.append("put_file"))
    upload_missing({f"memory://{uuid4().hex}/b/a.bin": Path(__file__)}, in_time)
    assert calls == ["put_file"]
