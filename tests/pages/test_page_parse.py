"""PageParse: which group reads a page, and what it reads, without a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import FetchError, UsageError
from scoopi.pages.page_parse import PageParse
from scoopi.runs.run_request import RunRequest

DEFINITIONS = """\
locatorGroups: { books: books.html, plants: [ plants.html ] }
taskGroups:
  books: { all: { dataDef: book }, dear: { dataDef: dear } }
  plants: { all: { dataDef: plant } }
dataDefs:
  book: { each: li, fields: { title: b } }
  dear: { each: "li.dear", fields: { title: b } }
  plant: { each: li, fields: { name: b } }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("defs.yml").write_text(DEFINITIONS)
    Path("books.html").write_text("<li><b>Rye</b><li class=dear><b>Oat</b>")
    Path("plants.html").write_text("<li><b>Fern</b>")
    return tmp_path


def parse(target: str, group: str = "", data_def: str = "") -> PageParse:
    return PageParse(RunRequest(defs=Path("defs.yml"), environ={}), target, group, data_def)


@pytest.mark.usefixtures("folder")
def test_a_page_is_read_by_the_group_whose_locator_it_is() -> None:
    book, dear = parse("books.html").read()
    assert (book.data_def, book.records.rows) == ("book", (("Rye",), ("Oat",)))
    assert (dear.data_def, dear.records.rows) == ("dear", (("Oat",),))
    assert [column.name for column in book.columns] == ["title"]
    (plant,) = parse("plants.html").read()
    assert plant.records.rows == (("Fern",),)


@pytest.mark.usefixtures("folder")
def test_a_group_or_a_data_definition_may_be_named() -> None:
    (plant,) = parse("books.html", group="plants").read()
    assert plant.records.rows == (("Rye",), ("Oat",))
    (dear,) = parse("plants.html", data_def="dear").read()
    assert (dear.data_def, dear.records.rows) == ("dear", ())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("new.html",), "several task groups can read the page; name one with --group: books, plants"),
        (("new.html", "plant"), "there is no task group plant; did you mean plants?"),
        (("new.html", "", "fern"), "there are no records fern; known are book, dear, plant"),
    ],
)
def test_a_page_that_no_group_or_several_can_read_is_an_error(given: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(*given)
    assert str(raised.value).startswith(message)


@pytest.mark.usefixtures("folder")
def test_a_page_that_is_not_there_is_an_error_with_its_path() -> None:
    with pytest.raises(FetchError, match=r"gone\.html"):
        parse("gone.html", group="books").read()
