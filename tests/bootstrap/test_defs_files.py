"""Files that definitions name: found beside them, or reported with where they were looked for."""

from __future__ import annotations

from pathlib import Path

from scoopi.bootstrap.defs_files import found_by, page_check
from scoopi.defs.scrape.checkers import Fault
from scoopi.fetch.file_client import FileFinder


def test_a_file_is_found_beside_the_definitions_or_the_fault_says_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    defs = tmp_path / "defs"
    defs.mkdir()
    (defs / "shops.csv").write_text("url\n")
    find = found_by(FileFinder(tmp_path, defs))
    assert find("shops.csv") == defs / "shops.csv"
    missing = find("shop.csv")
    assert isinstance(missing, Fault)
    assert missing.what == "shop.csv: there is no such file"
    assert str(defs) in missing.hint


def test_only_local_pages_that_are_missing_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("a")
    check = page_check(tmp_path, FileFinder(tmp_path, tmp_path))
    assert [check(url) for url in ("a.html", "http://a.example/b.html")] == [None, None]
    fault = check("b.html")
    assert fault is not None
    assert fault.what == "page b.html: there is no such file"
