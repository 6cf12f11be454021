"""Records of a page: one for each element, with named, typed fields."""

from __future__ import annotations

import pytest

from scoopi.errors import ConvertError
from scoopi.model.scrape.task_def import TaskGroup
from tests.parse.record_page import records_of, rows_of, value_of

CARDS = """
<ul><li class=card data-id=1><h3><a href="/b/1?x#y" title="The Attic">The…</a></h3><b>£51.77</b></li>
<li class=ad>Buy!</li>
<li class=card data-id=2><h3><a href="b2.html">Tipping</a></h3><b>sold out</b><i>new</i><i>used</i></li></ul>
<h1>Books</h1>
"""


def test_each_gives_one_record_for_each_element_in_document_order() -> None:
    assert rows_of(CARDS, {"id": "@data-id", "name": "h3 > a"}, each="li.card") == [
        ("1", "The…"),
        ("2", "Tipping"),
    ]


def test_without_each_a_page_is_one_record() -> None:
    assert rows_of(CARDS, {"h": "h1", "first": "li.card @data-id"}) == [("Books", "1")]


def test_an_advert_between_two_cards_is_rejected_and_ends_nothing() -> None:
    found = records_of(CARDS, {"name": {"select": "h3 > a", "required": True}}, each="li")
    assert [row for (row,) in found.rows] == ["The…", "Tipping"]
    (rejection,) = found.rejections
    assert rejection.reason == "the required field name is missing"
    assert ":1:" in rejection.at


def test_selectors_search_inside_the_element_and_page_true_in_the_whole_page() -> None:
    fields = {"own": "//h1", "any": {"select": "h1", "page": True}, "up": "../../h1"}
    assert rows_of(CARDS, fields, each="li.ad") == [(None, "Books", "Books")]


def test_css_and_xpath_can_be_mixed_and_both_take_an_attribute_behind_at() -> None:
    fields = {"a": "a @title", "b": ".//a @title", "c": "./h3/a/@href", "d": "(.//a)[1]"}
    assert rows_of(CARDS, fields, each=".card")[0] == ("The Attic", "The Attic", "/b/1?x#y", "The…")


def test_the_first_of_several_selectors_that_matches_counts() -> None:
    assert rows_of(CARDS, {"t": ["a @title", "a"]}, each=".card") == [("The Attic",), ("Tipping",)]


def test_a_list_keeps_all_matches_and_other_fields_the_first() -> None:
    fields = {"all": {"select": "i", "list": True}, "first": "i"}
    assert rows_of(CARDS, fields, each=".card") == [(None, None), (["new", "used"], "new")]


def test_a_price_fills_a_second_column_with_its_currency() -> None:
    found = records_of(CARDS, {"p": {"select": "b", "type": "price"}}, each=".card")
    assert found.rows == (("51.77", "£"), (None, None))


def test_a_value_that_cannot_be_converted_is_missing_and_counted_with_an_example() -> None:
    found = records_of(CARDS, {"p": {"select": "b", "type": "price"}}, each=".card")
    names = {" ".join(filter(None, name.split("\x1f"))) for name in found.finds}
    assert {
        "unreadable d field p",
        "example d field p 'sold out' is not a price",
        "rows d",
        "pages d",
    } == names


@pytest.mark.parametrize(
    ("on_error", "rows"),
    [
        ("missing", [("51.77", "£"), (None, None)]),
        ("keep", [("51.77", "£"), ("sold out", None)]),
        ("reject", [("51.77", "£")]),
    ],
)
def test_on_error_decides_what_becomes_of_a_value_that_cannot_be_converted(
    on_error: str, rows: list[object]
) -> None:
    found = records_of(CARDS, {"p": {"select": "b", "type": "price", "onError": on_error}}, each=".card")
    assert list(found.rows) == rows
    assert [each.reason for each in found.rejections] == ["p cannot be read: 'sold out' is not a price"] * (
        on_error == "reject"
    )


def test_on_error_fail_fails_the_task() -> None:
    with pytest.raises(ConvertError, match="field p: 'sold out' is not a price"):
        records_of(CARDS, {"p": {"select": "b", "type": "price", "onError": "fail"}}, each=".card")


def test_a_value_is_processed_by_regex_replace_map_type_and_default() -> None:
    page = "<p class='star-rating Three'>Stars: 1_0</p>"
    assert (
        value_of(page, {"select": "p @class", "regex": "star-rating (\\w+)", "map": {"One": 1, "Three": 3}})
        == 3
    )
    assert (
        value_of(page, {"select": "p", "regex": "[\\d_]+", "replace": [["_", ""]], "type": "integer"}) == 10
    )
    assert value_of(page, {"select": "p", "regex": "no", "type": "integer", "default": 7}) == 7
    assert value_of(page, {"select": "b", "list": True, "default": "none"}) == ["none"]
    assert value_of("<p>a-b</p>", {"select": "p", "replace": [["(\\w)-(\\w)", "$2/$1"]]}) == "b/a"


def test_patterns_match_letters_of_all_languages() -> None:
    assert value_of("<p>Größe: 5</p>", {"select": "p", "regex": "^(\\w+)"}) == "Größe"


def test_a_text_is_what_a_reader_sees_or_the_own_one_or_as_it_stands() -> None:
    page = "<div> one <b>two</b><p>three</p>four<br>five<script>x()</script> </div>"
    assert value_of(page, "div") == "one two three four five"
    assert value_of(page, {"select": "div", "text": "own"}) == "one four five"
    assert value_of(page, {"select": "div", "text": "raw"}) == " one twothreefourfivex() "


def test_html_is_the_markup_in_or_with_the_element() -> None:
    page = '<div title="a>b"><p>x <b>y</b> &lt;</p><br></div>'
    assert value_of(page, {"select": "div", "html": "inner"}) == "<p>x <b>y</b> &lt;</p><br>"
    assert value_of(page, {"select": "p", "html": "outer"}) == "<p>x <b>y</b> &lt;</p>"
    assert value_of(page, {"select": "br", "html": "inner"}) is None


def test_a_constant_takes_placeholders_and_is_missing_when_one_has_no_value() -> None:
    fields = {
        "a": {"value": "%{locator.name} %{record.index}"},
        "b": {"value": "%{parent.x}"},
        "c": {"value": "%%{x}"},
    }
    assert rows_of(CARDS, fields, each=".card") == [("oslo 1", None, "%{x}"), ("oslo 2", None, "%{x}")]
    assert rows_of(CARDS, {"b": {"value": "<%{parent.x}>"}}, parent={"x": 5}) == [("<5>",)]


def test_a_field_can_be_one_of_the_record_that_led_to_the_page() -> None:
    assert value_of(CARDS, {"parent": "title"}, parent={"title": "T"}) == "T"
    assert value_of(CARDS, {"parent": "tags", "list": True}, parent={"tags": ["a", "b"]}) == ["a", "b"]


def test_urls_are_absolute_and_scripts_are_no_addresses() -> None:
    fields = {"u": {"select": "a @href", "type": "url"}}
    assert rows_of(CARDS, fields, each=".card")[1] == ("https://shop.example/list/b2.html",)
    assert rows_of("<a href='JavaScript:void(0)'>x</a>", fields) == [(None,)]


def test_meta_columns_stand_before_the_fields() -> None:
    assert rows_of(CARDS, {"h": "h1"}, meta=["locator", "group", "page", "fetchedAt"]) == [
        ("oslo", "list", "https://shop.example/list/a.html", "2026-03-02T08:00:00+00:00", "Books")
    ]


def test_a_field_is_followed_with_those_fields_that_the_group_uses() -> None:
    fields = {"name": "a", "link": {"select": "a @href", "type": "url", "follow": "detail"}}
    found = records_of(
        CARDS,
        fields,
        each=".card",
        groups={"detail": TaskGroup("detail", (), parents=("name",), uses_locator=False)},
    )
    assert [(link.group, link.url, link.once_per_run, link.parent) for link in found.links] == [
        ("detail", "https://shop.example/b/1?x#y", True, {"name": "The…"}),
        ("detail", "https://shop.example/list/b2.html", True, {"name": "Tipping"}),
    ]


def test_a_script_is_given_the_fields_before_it_as_data() -> None:
    given: list[tuple[str, dict[str, object]]] = []

    def script(text: str, known: dict[str, object]) -> str | None:
        given.append((text, dict(known)))
        return "42"

    fields = {"h": "h1", "s": {"script": "record.h.length", "type": "integer"}, "t": "li.ad"}
    assert rows_of(CARDS, fields, script=script) == [("Books", 42, "Buy!")]
    assert given == [("record.h.length", {"h": "Books"})]


def test_other_types_are_converted() -> None:
    page = '<p>Yes</p><i>1. März 2026 08:30</i><b>{"a": [1]}</b><u>1.234,5</u>'
    assert value_of(page, {"select": "p", "type": "boolean"}) is True
    assert (
        value_of(page, {"select": "i", "type": "datetime", "languages": "de"}, timeZone="Europe/Berlin")
        == "2026-03-01T08:30:00+01:00"
    )
    assert (
        value_of(page, {"select": "i", "type": "date", "formats": "d. MMMM yyyy HH:mm", "languages": "de"})
        == "2026-03-01"
    )
    assert value_of(page, {"select": "b", "type": "json"}) == {"a": [1]}
    assert value_of(page, {"select": "u", "type": "decimal", "locale": "de"}) == "1234.5"
