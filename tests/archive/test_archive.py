"""Archive: pages and rows come back as they were, for as long as they live, and never damaged."""

from __future__ import annotations

import logging
import os
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from msgspec import structs

from scoopi.archive.archive import STALE_SECONDS, Archive, data_key
from scoopi.archive.entry_file import TEMPORARY
from scoopi.model.data import Axis, Data, Item
from scoopi.model.live import Live
from scoopi.model.locator import Document, Link, Locator, Validators
from scoopi.model.records import Records, Rejection

DATE = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
LOCATOR = Locator("cheese", "shop", "http://shop.example/käse?p=1")
BODY = "<p>Brie".encode("utf-16") * 10
DOCUMENT = Document(LOCATOR, "http://shop.example/final", DATE, "utf-16", BODY)
AXES = (Axis("item", "name", 1), Axis("dim", "price", 2, r"\d+"), Axis("fact", "fact", 3))
DATA = Data(
    "prices",
    (
        Item(AXES, ("Brie", None, "1,50"), (1, 1, 1)),
        Item(AXES, ("", "Käse", "\n"), (2, 1, 1)),
        Item(AXES[:1], ("x",), (3,)),
    ),
)
KEY = data_key(LOCATOR, "task", "prices", "0123")


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "data")


def stored(tmp_path: Path) -> list[Path]:
    return sorted(file for file in (tmp_path / "data").rglob("*") if file.is_file())


def test_a_document_comes_back_as_it_was(archive: Archive) -> None:
    assert archive.load(LOCATOR) is None
    assert archive.save(DOCUMENT)
    assert archive.load(LOCATOR) == DOCUMENT


@pytest.mark.parametrize(
    "zone", [UTC, ZoneInfo("Asia/Kolkata"), ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=5.5), "IST")]
)
def test_a_document_keeps_its_old_date_with_its_zone(archive: Archive, zone: timezone | ZoneInfo) -> None:
    date = datetime(2026, 7, 1, 12, 30, 5, tzinfo=zone)
    archive.save(msgspec.structs.replace(DOCUMENT, from_date=date))
    loaded = archive.load(LOCATOR)
    assert loaded is not None
    assert loaded.from_date.strftime("%Y-%m-%d %H:%M:%S %Z %z") == date.strftime("%Y-%m-%d %H:%M:%S %Z %z")


def test_a_document_is_fresh_while_it_lives(archive: Archive) -> None:
    assert not archive.fresh(LOCATOR, Live(days=1), DATE)
    archive.save(DOCUMENT)
    assert archive.fresh(LOCATOR, Live(days=1), DATE + timedelta(days=1, seconds=-1))
    assert not archive.fresh(LOCATOR, Live(days=1), DATE + timedelta(days=1))
    assert not archive.fresh(LOCATOR, Live(days=0), DATE)


@pytest.mark.parametrize(
    "other",
    [
        Locator("cheese2", "shop", LOCATOR.url),
        Locator("cheese", "shop2", LOCATOR.url),
        Locator("cheese", "shop", LOCATOR.url + "2"),
        Locator("chees", "eshop", LOCATOR.url),
    ],
)
def test_locators_that_differ_have_pages_of_their_own(archive: Archive, other: Locator) -> None:
    archive.save(DOCUMENT)
    assert archive.load(other) is None
    assert not archive.fresh(other, Live(days=9), DATE)


def at_fragment(fragment: str, url: str = DOCUMENT.url, asked: str = LOCATOR.url) -> Document:
    """The page as loaded for an address with that fragment, which redirects pass on."""
    locator = structs.replace(LOCATOR, url=asked + fragment)
    return structs.replace(DOCUMENT, locator=locator, url=url + fragment)


@pytest.mark.parametrize(("saved", "asked"), [("", "#top"), ("#top", ""), ("#top", "#end"), ("#", "#a#b")])
def test_a_page_is_saved_once_whatever_the_fragment_of_its_address(
    archive: Archive, tmp_path: Path, saved: str, asked: str
) -> None:
    first, other = at_fragment(saved), at_fragment(asked)
    validated = structs.replace(first, validators=VALIDATORS)
    archive.save(validated)
    assert archive.fresh(other.locator, Live(days=1), DATE)
    assert archive.load(other.locator) == structs.replace(other, validators=VALIDATORS)
    assert archive.load(first.locator) == validated
    assert archive.known(other.locator, other.url) == VALIDATORS
    assert len(stored(tmp_path)) == 1


def test_rows_belong_to_the_fragment_since_they_may_show_the_address(archive: Archive) -> None:
    first, other = at_fragment("#a"), at_fragment("#b")
    archive.save(first)
    keys = [data_key(page.locator, "task", "prices", "0123") for page in (first, other)]
    assert archive.save_data(first, keys[0], DATA)
    assert archive.load_data(other, keys[1]) is None
    assert archive.save_data(other, keys[1], Data("prices", ()))
    assert archive.load_data(first, keys[0]) == DATA, "a page's rows are kept for each of its fragments"


def test_a_fragment_that_a_redirect_names_stays_whatever_is_asked_for(archive: Archive) -> None:
    redirected = structs.replace(DOCUMENT, url=f"{DOCUMENT.url}#chapter")
    archive.save(redirected)
    asked = structs.replace(LOCATOR, url=f"{LOCATOR.url}#mine")
    assert archive.load(asked) == structs.replace(redirected, locator=asked)


def test_files_whose_names_contain_a_number_sign_are_pages_of_their_own(archive: Archive) -> None:
    for name in ("notes#1.html", "notes#2.html"):
        locator = Locator("notes", "shop", name)
        archive.save(structs.replace(DOCUMENT, locator=locator, url=name, body=name.encode()))
    loaded = archive.load(Locator("notes", "shop", "notes#1.html"))
    assert loaded is not None
    assert (loaded.url, loaded.body) == ("notes#1.html", b"notes#1.html")


def test_rows_come_back_as_they_were(archive: Archive) -> None:
    archive.save(DOCUMENT)
    assert archive.load_data(DOCUMENT, KEY) is None
    assert archive.save_data(DOCUMENT, KEY, DATA)
    loaded = archive.load_data(DOCUMENT, KEY)
    assert loaded == DATA
    assert loaded.items[0].axes is loaded.items[1].axes
    assert archive.save_data(DOCUMENT, KEY, Data("prices", ()))
    assert archive.load_data(DOCUMENT, KEY) == Data("prices", ())


def test_records_come_back_with_their_links_and_rejections(archive: Archive) -> None:
    records = Records(
        "card",
        (("Rye", "4.20", True, None, ["a", "b"], {"x": 1.5}), ("", None, 2, None, [], None)),
        (Rejection("no title", "title", "http://shop.example/final", "defs.yml:3:5", {"price": "1"}),),
        (Link("detail", "http://shop.example/a", once_per_run=True, parent={"title": "Rye"}),),
        {"rows": 2.0},
    )
    archive.save(DOCUMENT)
    assert archive.load_records(DOCUMENT, KEY) is None
    assert archive.save_records(DOCUMENT, KEY, records)
    assert archive.load_records(DOCUMENT, KEY) == records
    assert archive.load_records(msgspec.structs.replace(DOCUMENT, body=b"other"), KEY) is None
    assert not archive.save_records(DOCUMENT, KEY, Records("card", ((2**70,),))), "no output can hold it"


def test_rows_of_a_loaded_document_are_those_of_the_saved_one(archive: Archive) -> None:
    archive.save(DOCUMENT)
    archive.save_data(DOCUMENT, KEY, DATA)
    loaded = archive.load(LOCATOR)
    assert loaded is not None
    assert archive.load_data(loaded, KEY) == DATA


def test_what_can_give_other_rows_has_another_key(archive: Archive) -> None:
    archive.save(DOCUMENT)
    archive.save_data(DOCUMENT, KEY, DATA)
    for key in (
        data_key(LOCATOR, "task2", "prices", "0123"),
        data_key(LOCATOR, "task", "prices2", "0123"),
        data_key(LOCATOR, "task", "prices", "0124"),
        data_key(LOCATOR, "taskp", "rices", "0123"),
        data_key(Locator("other", "shop", LOCATOR.url), "task", "prices", "0123"),
        data_key(Locator("cheese", "other", LOCATOR.url), "task", "prices", "0123"),
    ):
        assert archive.load_data(DOCUMENT, key) is None


@pytest.mark.parametrize(
    "newer",
    [
        msgspec.structs.replace(DOCUMENT, body=b"other"),
        msgspec.structs.replace(DOCUMENT, from_date=DATE + timedelta(days=1)),
        msgspec.structs.replace(DOCUMENT, url="http://shop.example/elsewhere"),
        msgspec.structs.replace(DOCUMENT, charset=None),
    ],
)
def test_a_newer_page_ends_the_rows_of_the_older(archive: Archive, tmp_path: Path, newer: Document) -> None:
    archive.save(DOCUMENT)
    archive.save_data(DOCUMENT, KEY, DATA)
    archive.save(newer)
    assert archive.load_data(newer, KEY) is None
    assert [file.name for file in stored(tmp_path)] == ["document"]
    assert archive.load(LOCATOR) == newer


def test_rows_read_from_a_page_that_was_replaced_meanwhile_are_not_kept(archive: Archive) -> None:
    newer = msgspec.structs.replace(DOCUMENT, body=b"newer")
    archive.save(DOCUMENT)
    archive.save(newer)
    assert not archive.save_data(DOCUMENT, KEY, DATA)
    assert archive.load_data(DOCUMENT, KEY) is None
    assert archive.load_data(newer, KEY) is None


def test_rows_whose_page_is_not_saved_are_never_used_again(archive: Archive, tmp_path: Path) -> None:
    assert not archive.save_data(DOCUMENT, KEY, DATA)
    tomorrow = msgspec.structs.replace(DOCUMENT, from_date=DATE + timedelta(days=1))
    assert archive.load_data(tomorrow, KEY) is None
    assert archive.load_data(DOCUMENT, KEY) is None
    assert not (tmp_path / "data").exists()


def test_what_a_dead_process_left_is_deleted_after_an_hour_and_a_live_one_is_left_alone(
    archive: Archive, tmp_path: Path
) -> None:
    archive.save(DOCUMENT)
    folder = stored(tmp_path)[0].parent
    for name in ("dead", "live"):
        (folder / f"{TEMPORARY}{name}").write_bytes(b"half")
    long_ago = time.time() - STALE_SECONDS - 60
    os.utime(folder / f"{TEMPORARY}dead", (long_ago, long_ago))
    archive.save(DOCUMENT)
    assert [file.name for file in stored(tmp_path)] == [f"{TEMPORARY}live", "document"]


def test_pages_are_kept_compressed(archive: Archive, tmp_path: Path) -> None:
    archive.save(msgspec.structs.replace(DOCUMENT, body=BODY * 1000))
    (file,) = stored(tmp_path)
    assert file.stat().st_size < len(BODY) * 1000 / 50


def test_an_archive_that_cannot_be_written_warns_once_and_saves_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    archive = Archive(tmp_path / "data")
    with caplog.at_level(logging.WARNING):
        assert not archive.save(DOCUMENT)
        assert not archive.save(DOCUMENT)
    assert len(caplog.records) == 1
    assert "cannot be saved" in caplog.text
    assert archive.load(LOCATOR) is None


def test_text_that_has_no_utf8_form_is_not_saved_and_raises_nothing(archive: Archive) -> None:
    odd = Locator("\udcff", "shop", "/page-\udcff.html")
    assert not archive.save(msgspec.structs.replace(DOCUMENT, locator=odd))
    assert archive.load(odd) is None
    archive.save(DOCUMENT)
    assert not archive.save_data(DOCUMENT, KEY, Data("prices", (Item(AXES[:1], ("\ud800",), (1,)),)))


VALIDATORS = Validators('"v1"', "Sun, 06 Nov 1994 08:49:37 GMT")
KNOWN = structs.replace(DOCUMENT, validators=VALIDATORS)


def test_validators_are_known_of_a_page_that_came_from_the_asked_address(archive: Archive) -> None:
    assert archive.known(LOCATOR, KNOWN.url) is None
    archive.save(KNOWN)
    assert archive.known(LOCATOR, KNOWN.url) == VALIDATORS
    assert archive.known(LOCATOR, LOCATOR.url) is None, "the validators are those of the redirect's target"
    assert archive.load(LOCATOR) == KNOWN


def test_a_renewed_page_is_that_of_the_new_date_and_its_rows_are_read_again(archive: Archive) -> None:
    archive.save(KNOWN)
    archive.save_data(KNOWN, KEY, DATA)
    later = DATE + timedelta(days=9)
    renewed = archive.renewed(LOCATOR, later, Validators('"v2"'))
    validators = Validators('"v2"', VALIDATORS.last_modified)
    assert renewed == structs.replace(KNOWN, from_date=later, validators=validators)
    assert archive.load(LOCATOR) == renewed
    assert archive.load_data(renewed, KEY) is None


def test_a_damaged_page_cannot_be_renewed(archive: Archive, tmp_path: Path) -> None:
    archive.save(KNOWN)
    (file,) = stored(tmp_path)
    file.write_bytes(file.read_bytes()[:-5])
    assert archive.known(LOCATOR, KNOWN.url) == VALIDATORS
    assert archive.renewed(LOCATOR, DATE, None) is None
