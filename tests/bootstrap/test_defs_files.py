"""Files that definitions name: found beside them, or reported with where they were looked for."""

from __future__ import annotations

import subprocess
import sys
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


def test_standard_input_is_kept_as_it_is_read_more_than_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<h1>{name}</h1>")
    (tmp_path / "defs.yml").write_text(
        "locatorGroups: { page: { from: stdin } }\n"
        "taskGroups: { page: { heads: { dataDef: head, output: heads.csv } } }\n"
        "dataDefs: { head: { fields: { name: h1 } } }\n"
    )
    command = [sys.executable, "-m", "scoopi", "defs.yml", "--quiet", "--workers", "0"]
    subprocess.run(command, cwd=tmp_path, input=b"a.html\n# none\nb.html\n", check=True, timeout=60)
    (rows,) = (tmp_path / "output" / "latest").glob("*.csv")
    assert sorted(rows.read_text().split()) == ["a", "b", "name"]
