"""Records from sources other than HTML."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from tests.parse.record_page import records_of, rows_of, value_of

SHOP = """
{"items": [{"name": "Attic", "price": 51.77, "tags": ["a", "b"]},
 {"name": "B", "price": "20", "tags": []}],
 "shop": {"open": true}}"""
LD = """<script type="application/ld+json">{"@graph": [{"@type": "Product", "name": "Attic",
 "offers": {"price": "51.77"}}, {"@type": "Brand", "slogan": "yes"}]}</script>"""
MICRODATA = """<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Attic</b>
 <p itemprop=offers itemscope itemtype="https://schema.org/Offer">
 <i itemprop=price content=51.77>x</i></p></div>"""
NEXT = """<script id=__NEXT_DATA__>{"props": {"books": [{"n": 1}, {"n": 2}]}}</script>
<script>window.state = {books: [{n: 3}], f: 'x',};</script>"""


def test_json_is_read_by_jmespath_with_typed_values() -> None:
    fields = {
        "name": "name",
        "price": {"select": "price", "type": "decimal"},
        "tags": {"select": "tags", "list": True},
        "open": {"select": "shop.open", "page": True, "type": "boolean"},
    }
    assert rows_of(SHOP, fields, source="json", each="items") == [
        ("Attic", "51.77", ["a", "b"], True),
        ("B", "20", None, True),
    ]


def test_json_ld_gives_all_its_items_and_a_field_the_first_that_has_it() -> None:
    assert rows_of(LD, {"n": "name", "p": "offers.price", "s": "slogan"}, source="jsonld") == [
        ("Attic", "51.77", "yes")
    ]
    assert rows_of(LD, {"n": "name"}, source="jsonld", each="[?\"@type\"=='Product']") == [("Attic",)]


def test_microdata_has_the_form_of_json_ld() -> None:
    fields = {"n": "name", "t": '"@type"', "p": "offers.price"}
    assert rows_of(MICRODATA, fields, source="microdata") == [("Attic", "Product", "51.77")]


def test_json_ld_of_any_depth_is_malformed() -> None:
    page = f"<script type='application/ld+json'>{'[' * 100_000}{']' * 100_000}</script>"
    with pytest.raises(ParseError, match="the JSON-LD of the page is malformed"):
        rows_of(page, {"n": "name"}, source="jsonld")


@pytest.mark.parametrize("reference", ["", "itemref=a id=a"])
def test_microdata_nests_up_to_fifty_items(reference: str) -> None:
    item = f"<div itemprop=p itemscope {reference}>"
    assert records_of(item * 50 + "x", {"n": "p"}, source="microdata").rows
    with pytest.raises(ParseError, match="the microdata of the page nests more than 50 items"):
        rows_of(item * 51, {"n": "p"}, source="microdata")


def test_elements_in_a_property_that_are_no_text_are_left_out() -> None:
    page = """<div itemscope><b itemprop=price>5 <meta itemprop=currency content=EUR></b>
     <p itemprop=text>a<style>b</style><script>c</script><!-- d --><link href=x> e<br>f</p>
     <script itemprop=code>g</script></div>"""
    fields = {"p": "price", "c": "currency", "t": "text", "s": "code"}
    assert rows_of(page, fields, source="microdata") == [("5", "EUR", "a e\nf", None)]


def test_a_malformed_address_is_taken_as_it_is_written() -> None:
    page = """<div itemscope><a itemprop=url href=" http://[site]/x ">a</a><img itemprop=image src="//[">
     <a itemprop=near href=y>b</a></div>"""
    fields = {"u": "url", "i": "image", "n": "near"}
    assert rows_of(page, fields, source="microdata") == [
        ("http://[site]/x", "//[", "https://shop.example/list/y")
    ]


def test_open_graph_has_its_properties_with_and_without_prefix() -> None:
    metas = (("title", "Attic"), ("image", "a"), ("image", "b"))
    page = "".join(f'<meta property="og:{name}" content="{content}">' for name, content in metas)
    fields = {"t": "title", "o": '"og:title"', "i": {"select": "image", "list": True}}
    assert rows_of(page, fields, source="opengraph") == [("Attic", "Attic", ["a", "b"])]


def test_a_script_element_holds_json_or_a_javascript_object() -> None:
    assert rows_of(NEXT, {"n": "n"}, source={"script": "#__NEXT_DATA__"}, each="props.books") == [
        ("1",),
        ("2",),
    ]
    source = {"script": "script:contains(window.state)", "js": True}
    assert value_of(NEXT, {"select": "books[0].n", "type": "integer"}, source=source) == 3


def test_the_error_of_a_wrong_source_names_the_kind_of_the_page() -> None:
    with pytest.raises(ParseError, match=r"the page is application/json, .*; use source: json"):
        records_of(SHOP, {"n": "h1"}, content_type="application/json")
    with pytest.raises(ParseError, match="the page is text/html, not JSON; remove `source: json`"):
        records_of("<html>", {"n": "name"}, source="json", content_type="text/html")
    with pytest.raises(ParseError, match="has no element '#data' with data"):
        records_of("<html>", {"n": "name"}, source={"script": "#data"})
    with pytest.raises(ParseError, match=r"does not hold JSON.*add js: true"):
        records_of(NEXT, {"n": "name"}, source={"script": "script:contains(window)"})
