"""Documents of XML that list something, hostile ones too."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from scoopi.errors import ParseError
from scoopi.parse.listings.xml_entries import is_xml, text_of, whole_text, xml_entries
from tests.parse.listings.listed_document import document

BOMB = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"> FILE]>
<r><e><n>x&d;&f;</n></e></r>"""


def texts(body: str | bytes) -> list[str]:
    return [text_of(entry, "n") for entry in xml_entries(document(body), ("r",), ("e",), "list")]


def test_entities_are_not_expanded_and_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("s3cret")
    bomb = BOMB.replace("FILE", f'<!ENTITY f SYSTEM "file://{tmp_path}/secret.txt">')
    tracemalloc.start()
    (text,) = texts(bomb)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert "s3cret" not in text
    assert len(text) < 100


def test_a_document_is_read_element_by_element() -> None:
    body = b"<r>" + b"<e><n>x</n><m>y</m></e>" * 50_000 + b"</r>"
    entries = xml_entries(document(body), ("r",), ("e",), "list")
    assert sum(1 for _ in entries) == 50_000


def test_the_first_name_that_has_a_text_counts() -> None:
    body = "<r><e><a> </a><b>1</b><A>2</A><c>3<d>4</d></c></e></r>"
    found = [
        (text_of(entry, "b"), text_of(entry, "a", "c"), text_of(entry, "x"), whole_text(entry))
        for entry in xml_entries(document(body), ("r",), ("e",), "list")
    ]
    assert found == [("1", "34", "", "1234")]


@pytest.mark.parametrize(("body", "found"), [("\ufeff \n<r/>", True), ("{}", False), ("", False)])
def test_xml_begins_with_an_element(body: str, found: bool) -> None:
    assert is_xml(document(body)) is found


@pytest.mark.parametrize("body", ["<s/>", "<"])
def test_another_document_is_an_error_that_names_what_is_wanted(body: str) -> None:
    with pytest.raises(ParseError, match="the page is not a list: it "):
        texts(body)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("http://a/?b=1&c=2", "http://a/?b=1&c=2"),
        ("http://a/?b=1&amp;c=2&#38;d", "http://a/?b=1&c=2&d"),
        ("http://a/?x&y&&copy=1&", "http://a/?x&y&&copy=1&"),
        ("<![CDATA[http://a/?b=1&c=2&amp;d]]>&e", "http://a/?b=1&c=2&amp;d&e"),
        ("a<!-- & -->b", "ab"),
    ],
)
def test_a_bare_ampersand_is_a_text(written: str, read: str) -> None:
    assert texts(f"<r><e><n>{written}</n></e></r>") == [read]


def test_sections_that_never_end_take_no_more_time_than_others() -> None:
    assert texts(b"<r><e><n>x</n></e>" + b"<![CDATA[&<!--&" * 200_000) == ["x"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_whatever_its_declaration_says(encoding: str) -> None:
    body = '\ufeff<?xml version="1.0" encoding="UTF-16"?><r><e><n>å</n></e></r>'.encode(encoding)
    assert is_xml(document(body))
    assert texts(body) == ["å"]


@pytest.mark.parametrize(
    ("body", "read", "damage"),
    [
        ("<r><e><n>1</n></e><e><n>2</n></e></r>", ["1", "2"], None),
        ("<r><e><n>1&nbsp;</n></e></r>", ["1&nbsp;"], None),
        ("<r><e><x:n>1</x:n></e></r>", [""], None),
        ("<r><e><n>1</n></e><e><n>2", ["1"], "line 1: Premature end"),
        ("<r><e><n>1</n></e><e><n>2</n>", ["1", "2"], "line 1: Premature end"),
        ("<r><e><n>1</n></e>\n<e><n>2</m></e></r>", ["1", "2"], "line 2: Opening and ending tag mismatch"),
    ],
)
def test_damage_with_which_entries_may_be_lost_is_reported(
    body: str, read: list[str], damage: str | None
) -> None:
    damages: list[str] = []
    entries = xml_entries(document(body), ("r",), ("e",), "list", damages.append)
    assert [text_of(entry, "n") for entry in entries] == read
    assert [each[: len(damage or "")] for each in damages] == ([] if damage is None else [damage])
