"""GridFiles: rows of a grid get the paths of their files."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.errors import FetchError
from scoopi.model.data import Axis, Data, Item, LinkData
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.downloads import Download, Downloads, FileRequest, KeptFile
from scoopi.model.handover import Payload, ToFiles, ToTask
from scoopi.model.locator import Document, Locator
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.downloads.grid_files import GridFiles, JoinedAddresses

AXES = (Axis("item", "photo", 1), Axis("dim", "name", 1), Axis("fact", "file", 1))
DOWNLOAD = Download("files/%{item.name}-%{sha256}.%{ext}")
DEFINITION = DataDef(
    "card",
    "ul",
    "a",
    (ItemDef("photo", download=DOWNLOAD),),
    (ItemDef("name"),),
    (ItemDef("file", download=DOWNLOAD),),
)
ONE, TWO = "http://h/1.jpg", "http://h/2.jpg"
KEPT = KeptFile("11", 3, "image/jpeg", "1.jpg")
LOCATOR = Locator("oslo", "list", "http://h/list")


def data(*rows: tuple[str | None, ...]) -> Data:
    return Data("card", tuple(Item(AXES, row, (1, 1, 1)) for row in rows))


def test_values_become_paths_and_what_did_not_come_is_missing() -> None:
    step = GridFiles(DEFINITION, lambda *_: True, "not found", {"-"})
    payload = Payload("job", LOCATOR, 1, "cards", data((ONE, "a/b", ONE), (TWO, "c", TWO), ("-", "d", None)))
    asked = step.run(payload)
    assert isinstance(asked, ToFiles)
    assert asked.requests == (FileRequest(ONE), FileRequest(TWO))
    gone = FetchError("status 404", at=TWO)
    files: dict[FileRequest, KeptFile | FetchError] = {FileRequest(ONE): KEPT, FileRequest(TWO): gone}
    made = step.run(payload.advance(Downloads(payload.input, files)))
    assert isinstance(made, ToTask)
    path = "files/a_b-11.jpg"
    assert [item.values for item in made.payload.expect(Data).items] == [
        (path, "a/b", path),
        (None, "c", "not found"),
        ("-", "d", None),
    ]
    assert [(ref.path, ref.stream) for ref in made.files] == [(path, "")]
    assert [warning.cause for warning in made.warnings] == ["photo: status 404", "file: status 404"]


def test_rows_without_addresses_are_handed_on() -> None:
    step = GridFiles(DEFINITION, lambda *_: True, nothing={"-"})
    payload = Payload("job", LOCATOR, 1, "cards", data(("-", "a", None)))
    assert step.run(payload) == ToTask(payload)


def test_addresses_are_joined_to_that_of_their_page() -> None:
    body = b"<base href='/pictures/'><p>"
    document = Document(LOCATOR, "http://h/shop/list", datetime.now(UTC), None, body)
    page = Page(document, TreeLimits(100, 1000, 1_000_000))
    joined = JoinedAddresses(["photo", "file"], {"-", ""})
    found = joined(data(("1.jpg", "1.jpg", "//other/x"), ("-", "", None)), page)
    assert [item.values for item in found.items] == [
        ("http://h/pictures/1.jpg", "1.jpg", "http://other/x"),
        ("-", "", None),
    ]
    links = LinkData("card", found.items, "u", None)
    assert isinstance(joined(links, page), LinkData)
