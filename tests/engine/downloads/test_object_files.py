"""Runs whose downloaded files go to an object store: files before rows, each content once."""

from __future__ import annotations

from hashlib import sha256
from uuid import uuid4

import fsspec
import pytest

from tests.engine.downloads.downloading import RECORDS, Downloading
from tests.server.file_pages import content

STORE = type(fsspec.filesystem("memory"))


@pytest.fixture
def bucket() -> str:
    return f"memory://{uuid4().hex}"


def url_of(bucket: str, body: bytes) -> str:
    return f"{bucket}/covers/{sha256(body).hexdigest()}.jpg"


def objects(bucket: str) -> dict[str, bytes]:
    store = fsspec.filesystem("memory")
    return {f"memory:/{path}": store.cat(path) for path in store.find(bucket.removeprefix("memory:/"))}


def test_rows_name_objects_and_equal_content_is_one(downloading: Downloading, bucket: str) -> None:
    to = f"{bucket}/covers/%{{sha256}}.%{{ext}}"
    downloading.run("/ok/a.jpg", "/ok/x/a.jpg", "/ok/b.jpg", "/none.jpg", to=to, code=0)
    one, two = content("a.jpg"), content("b.jpg")
    assert downloading.images() == [url_of(bucket, one), url_of(bucket, one), url_of(bucket, two), None]
    assert objects(bucket) == {url_of(bucket, one): one, url_of(bucket, two): two}
    assert downloading.files() == {}


def test_no_row_appears_before_its_file_and_resume_sends_what_is_missing(
    downloading: Downloading, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionError("the store is away")

    to = f"{bucket}/covers/%{{sha256}}.%{{ext}}"
    with monkeypatch.context() as broken:
        broken.setattr(STORE, "put_file", away)
        said = downloading.run("/ok/a.jpg", to=to, code=5)
    assert "the file cannot be uploaded: ConnectionError: the store is away" in said
    assert bucket in said
    assert not (downloading.folder / "cards.jsonl").exists()
    ended = downloading.workspace.scoopi("resume", "--workers", "0")
    assert ended.code == 0, ended.err
    body = content("a.jpg")
    assert downloading.images() == [url_of(bucket, body)]
    assert objects(bucket) == {url_of(bucket, body): body}
    assert downloading.site.files.times == {"/ok/a.jpg": 1}


def copies(downloading: Downloading) -> list[bytes]:
    found = (downloading.folder / ".scoopi").glob("*/files/kept/*/*")
    return [path.read_bytes() for path in found]


def test_copies_of_uploaded_files_stay_for_a_retry_and_are_removed_when_the_run_is_over(
    downloading: Downloading, bucket: str
) -> None:
    to, fails = f"{bucket}/covers/%{{sha256}}.%{{ext}}", ", onError: fail"
    downloading.run("/ok/a.jpg", "/none.jpg", to=to, field=fails, code=1)
    assert copies(downloading) == [content("a.jpg")]
    downloading.site.links = ["/ok/a.jpg", "/ok/b.jpg"]
    assert downloading.workspace.scoopi("retry", "--workers", "0").code == 0
    assert copies(downloading) == []
    bodies = [content("a.jpg"), content("b.jpg")]
    assert downloading.images() == [url_of(bucket, body) for body in bodies]
    assert objects(bucket) == {url_of(bucket, body): body for body in bodies}


def test_a_setting_keeps_the_copies_of_uploaded_files(downloading: Downloading, bucket: str) -> None:
    downloading.workspace.settings["scoopi.output.keepUploaded"] = True
    downloading.run("/ok/a.jpg", to=f"{bucket}/covers/%{{sha256}}.%{{ext}}")
    assert copies(downloading) == [content("a.jpg")]


@pytest.mark.parametrize(
    ("to", "what", "hint"),
    [
        (
            "memory://b/%{name}",
            "memory://b/%{name} has no %{sha256}",
            "memory://bucket/files/%{sha256}.%{ext}",
        ),
        (
            "s4://b/%{sha256}",
            "object store 's4://b/%{sha256}' has an unknown scheme",
            "use s3, gs, abfs or sftp\n",
        ),
        ("https://b/%{sha256}", "object store 'https://b/%{sha256}' cannot be written over https", "use s3"),
    ],
)
def test_a_wrong_store_is_found_by_the_check(downloading: Downloading, to: str, what: str, hint: str) -> None:
    usual = {"key": "", "field": "", "download": "", "output": "cards.jsonl", "request": ""}
    text = RECORDS.format(url="http://127.0.0.1/list", to=to, **usual)
    (downloading.workspace.folder / "defs.yml").write_text(text)
    checked = downloading.workspace.scoopi("check", "defs.yml")
    assert checked.code == 3
    said = checked.err + checked.out
    assert what in said
    assert hint in said
    assert "12:51" in said
