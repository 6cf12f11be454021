"""PartialFile: what can be resumed, and what cannot."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from scoopi.fetch.downloads import partial_file
from scoopi.fetch.downloads.partial_file import PartialFile, WrongRangeError
from scoopi.model.downloads import FileRequest

REQUEST = FileRequest("http://here.example/a.jpg")
ETAG = {"etag": '"v1"'}


def opened(path: Path, request: FileRequest = REQUEST) -> PartialFile:
    partial = PartialFile.open(request, path)
    assert partial is not None
    return partial


def left_behind(path: Path, headers: Mapping[str, str], body: bytes = b"rye br") -> None:
    """A file that was cut off after `body`."""
    partial = opened(path)
    partial.begin(200, headers)
    partial.write(body)
    partial.close()


def test_what_was_cut_off_is_resumed_where_it_ended(tmp_path: Path) -> None:
    left_behind(tmp_path / "a", ETAG)
    partial = opened(tmp_path / "a")
    assert partial.headers() == ["Range: bytes=6-", 'If-Range: "v1"']
    partial.begin(206, {"content-range": "bytes 6-8/9"})
    partial.write(b"ead")
    assert partial.sync() == sha256(b"rye bread").hexdigest()
    assert (partial.size, partial.is_short) == (9, False)
    partial.close()
    assert (tmp_path / "a").read_bytes() == b"rye bread"


def test_a_new_version_replaces_what_was_there(tmp_path: Path) -> None:
    left_behind(tmp_path / "a", ETAG)
    partial = opened(tmp_path / "a")
    partial.begin(200, {"etag": '"v2"'})
    partial.write(b"oat")
    assert partial.sync() == sha256(b"oat").hexdigest()
    partial.close()
    again = opened(tmp_path / "a")
    assert again.headers() == ["Range: bytes=3-", 'If-Range: "v2"']
    again.close()


@pytest.mark.parametrize(
    "given", ["", "bytes */9", "bytes 5-8/9", "bytes 7-8/9", "lines 6-8/9", f"bytes {'9' * 5000}-8/9"]
)
def test_an_answer_that_begins_elsewhere_is_refused(tmp_path: Path, given: str) -> None:
    left_behind(tmp_path / "a", ETAG)
    partial = opened(tmp_path / "a")
    with pytest.raises(WrongRangeError):
        partial.begin(206, {"content-range": given})
    partial.close()


def test_a_file_that_is_shorter_than_was_announced_is_short(tmp_path: Path) -> None:
    left_behind(tmp_path / "a", ETAG)
    partial = opened(tmp_path / "a")
    partial.begin(206, {"content-range": "bytes 6-8/9"})
    partial.write(b"e")
    assert partial.is_short
    partial.close()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"etag": 'W/"weak"'},
        {**ETAG, "content-encoding": "gzip"},
        {**ETAG, "accept-ranges": "none"},
    ],
)
def test_a_file_whose_version_is_not_known_is_not_resumed(tmp_path: Path, headers: dict[str, str]) -> None:
    left_behind(tmp_path / "a", headers)
    assert [*tmp_path.iterdir()] == []


def test_the_date_of_the_last_change_names_a_version_too(tmp_path: Path) -> None:
    left_behind(tmp_path / "a", {"etag": 'W/"weak"', "last-modified": "Fri, 01 May 2026 12:00:07 GMT"})
    partial = opened(tmp_path / "a")
    assert partial.headers()[1] == "If-Range: Fri, 01 May 2026 12:00:07 GMT"
    partial.close()


def test_after_a_start_of_the_machine_nothing_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(tmp_path / "a", ETAG)
    monkeypatch.setattr(partial_file, "boot_id", lambda: "another")
    partial = opened(tmp_path / "a")
    assert partial.headers() == [], "a power cut may have lost what was not synced"
    partial.close()


def test_notes_that_cannot_be_read_mean_that_nothing_is_resumed(tmp_path: Path) -> None:
    left_behind(tmp_path / "a", ETAG)
    (tmp_path / "a.json").write_bytes(b'{"url": "http')
    partial = opened(tmp_path / "a")
    assert partial.headers() == []
    partial.close()


def test_only_one_request_has_a_partial_file(tmp_path: Path) -> None:
    partial = opened(tmp_path / "a")
    assert PartialFile.open(REQUEST, tmp_path / "a") is None
    partial.close()
    partial.close()
    opened(tmp_path / "a").close()


def test_what_is_discarded_is_asked_for_from_its_beginning(tmp_path: Path) -> None:
    left_behind(tmp_path / "a", ETAG)
    partial = opened(tmp_path / "a")
    partial.discard()
    partial.close()
    assert [*tmp_path.iterdir()] == []
