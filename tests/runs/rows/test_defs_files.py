"""Local pages that definitions name: those that are missing are reported."""

from __future__ import annotations

from pathlib import Path

from scoopi.fetch.file_client import FileFinder
from scoopi.runs.rows.defs_files import page_check


def test_only_local_pages_that_are_missing_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("a")
    check = page_check(tmp_path, FileFinder(tmp_path, tmp_path))
    assert [check(url) for url in ("a.html", "http://a.example/b.html")] == [None, None]
    fault = check("b.html")
    assert fault is not None
    assert fault.what == "page b.html: there is no such file"
