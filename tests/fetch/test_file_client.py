"""FileClient: files are read up to the size limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.file_client import FileClient, FileFinder


@pytest.fixture
def finder(tmp_path: Path) -> FileFinder:
    return FileFinder(tmp_path, tmp_path)


def test_a_file_is_read_up_to_the_limit(finder: FileFinder, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"x" * 1000)
    assert FileClient(finder, 1000).read("a.html") == b"x" * 1000
    with pytest.raises(FetchError, match="larger than 999 bytes") as caught:
        FileClient(finder, 999).read("a.html")
    assert (caught.value.at, caught.value.hint) == ("a.html", "raise scoopi.loader.maxBytes")
    (tmp_path / "empty.html").write_bytes(b"")
    assert FileClient(finder, 10).read("empty.html") == b""


def test_a_file_that_cannot_be_opened_is_an_error_with_the_reason(
    finder: FileFinder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.html").write_bytes(b"x")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(FetchError, match=r"a\.html cannot be read: Permission denied") as caught:
        FileClient(finder, 1000).read("a.html")
    assert caught.value.cause == "the path cannot be read: Permission denied"
