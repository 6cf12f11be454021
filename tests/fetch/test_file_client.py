"""FileFinder: where files are looked for, and what is refused; FileClient: they are read up to the limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.file_client import FileClient, FileFinder


@pytest.fixture
def current(tmp_path: Path) -> Path:
    folder = tmp_path / "current"
    folder.mkdir()
    return folder


@pytest.fixture
def defs(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "defs" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def finder(current: Path, defs: Path) -> FileFinder:
    return FileFinder(current, defs)


def test_the_nearest_folder_wins(finder: FileFinder, current: Path, defs: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "project", defs.parent, defs, current):
        (folder / "a.html").write_text(folder.name)
        assert finder.find("a.html") == folder / "a.html"
        assert finder.find("/a.html") == folder / "a.html"


def test_a_missing_file_is_to_be_put_into_the_folder_that_is_searched_first(
    finder: FileFinder, current: Path, defs: Path
) -> None:
    with pytest.raises(FetchError) as raised:
        finder.find("pages/a.html")
    assert raised.value.hint.startswith(f"looked for in {current / 'pages'}, {defs / 'pages'}, ")
    assert raised.value.hint.endswith(f"; put it into {current / 'pages'}")
    with pytest.raises(FetchError, match=r"looked for in /nowhere; put it there$"):
        finder.find("file:///nowhere/a.html")


def test_a_path_stands_for_itself_when_no_folder_has_it(finder: FileFinder, tmp_path: Path) -> None:
    page = tmp_path / "elsewhere.html"
    page.write_text("x")
    assert finder.find(str(page)) == page


def test_a_file_url_is_absolute_and_percent_decoded(finder: FileFinder, tmp_path: Path) -> None:
    page = tmp_path / "a b.html"
    page.write_text("x")
    quoted = str(page).replace(" ", "%20")
    for url in (f"file://{quoted}", f"FILE://localhost{quoted}#part", f"file:{quoted}"):
        assert finder.find(url) == page


def test_a_link_between_files_is_found_without_fragment_and_decoded(
    finder: FileFinder, current: Path
) -> None:
    (current / "a b.html").write_text("x")
    assert finder.find("/a%20b.html#part") == current / "a b.html"
    (current / "a%20b.html").write_text("y")
    assert finder.find("/a%20b.html") == current / "a%20b.html"


def test_a_missing_file_names_where_it_was_looked_for(
    finder: FileFinder, current: Path, defs: Path, tmp_path: Path
) -> None:
    with pytest.raises(FetchError, match="no such file") as caught:
        finder.find("/pages/none.html")
    assert caught.value.at == "/pages/none.html"
    for folder in (current, defs, defs.parent, tmp_path, Path("/")):
        assert str(folder / "pages") in caught.value.hint


@pytest.mark.parametrize(
    ("written", "is_site"),
    [
        ("www.bakery.example/bread.html", True),
        ("www.bakery.example", True),
        ("bakery.example/", True),
        ("shop.bakery.example:8080/a?b=c", True),
        ("pages/bread.html", False),
        ("bread.html", False),
        ("./pages.old/bread.html", False),
        ("../a.b/c", False),
        ("/bakery.example/bread.html", False),
    ],
)
def test_an_address_without_its_scheme_is_taken_for_a_file_and_the_hint_names_it(
    finder: FileFinder, current: Path, written: str, is_site: bool
) -> None:
    with pytest.raises(FetchError, match="no such file") as caught:
        finder.find(written)
    assert (f"write https://{written} for a page of the web" in caught.value.hint) is is_site
    assert str(current) in caught.value.hint


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("sub", "is a folder"),
        ("queue", "is not a regular file"),
        ("/", "no such file"),
        ("a\0b", "NUL"),
        ("x" * 5000, "no such file"),
        ("file://otherhost/a", "host otherhost"),
        ("file:a.html", "no absolute path"),
        ("file:///none-of-that-name", "no such file"),
    ],
)
def test_what_is_not_a_file_is_refused(finder: FileFinder, current: Path, written: str, message: str) -> None:
    (current / "sub").mkdir()
    os.mkfifo(current / "queue")
    with pytest.raises(FetchError, match=message):
        finder.find(written)


def test_files_that_fail_for_one_reason_have_one_cause_and_each_its_path(
    finder: FileFinder, current: Path
) -> None:
    faults = []
    for name in ("one", "two"):
        (current / name).mkdir()
        with pytest.raises(FetchError) as caught:
            finder.find(name)
        faults.append(caught.value)
    assert {fault.cause for fault in faults} == {"the path is a folder, not a file"}
    places = [current / "one", current / "two"]
    assert [fault.what for fault in faults] == [f"{place} is a folder, not a file" for place in places]


def test_a_folder_does_not_hide_a_file_that_lies_further_on(
    finder: FileFinder, current: Path, defs: Path
) -> None:
    (current / "a").mkdir()
    (defs / "a").write_text("x")
    assert finder.find("a") == defs / "a"


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
