"""LocatorCreator: rows become links, by the rules of the language."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoopi.model.data import Axis, Data, Item, LinkData
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.handover import Payload, ToJobs
from scoopi.model.locator import Link, Locator
from scoopi.model.place import Place
from scoopi.steps.locator_creator import LocatorCreator, link_address

PAGE = "http://h:8000/a/list.html"


@pytest.mark.parametrize(
    ("reference", "page", "base", "address"),
    [
        ("b.html", "http://h/a/", None, "http://h/a/b.html"),
        ("?page=2", "http://h/a/l.html?page=1", None, "http://h/a/l.html?page=2"),
        ("//other/x", "https://h/a", None, "https://other/x"),
        ("../../x", "http://h/a/b", None, "http://h/x"),
        (r"\a\b.html", "http://h/c/d", None, "http://h/a/b.html"),
        (" b\n.html ", "http://h/a/", None, "http://h/a/b.html"),
        ("https://x/y", "/pages/a.html", None, "https://x/y"),
        ("mailto:a@b", "http://h/", None, "mailto:a@b"),
        ("http://[bad", "http://h/", None, "http://[bad"),
        ("b.html", "http://h/a/", "http://cdn/x/", "http://cdn/x/b.html"),
        ("b.html", "http://h/a/", "  ", "http://h/a/b.html"),
        ("b.html", "file:///p/a.html", None, "file:///p/b.html"),
        ("b.html", "/pages/a.html", None, "/pages/b.html"),
        ("b.html", "a.html", None, "b.html"),
        ("b.html", "pages/a.html", None, "pages/b.html"),
        ("../b.html", "pages/a.html", None, "b.html"),
        ("../../b.html", "../pages/a.html", None, "../../b.html"),
        ("./sub/", "/pages/a.html", None, "/pages/sub/"),
        ("/b.html", "pages/a.html", None, "/b.html"),
        ("b.html", "/a.html", None, "/b.html"),
        ("#top", "/pages/a.html#x", None, "/pages/a.html#top"),
        ("?p=2", "pages/a.html", None, "pages/a.html?p=2"),
        ("b.html?p=2#x", "pages/a.html", None, "pages/b.html?p=2#x"),
        ("b.html", "./1:2/a.html", None, "1:2/b.html"),
        ("b.html", "./p:2/a.html", None, "./p:2/b.html"),
        ("b.html", "pages/a.html", "other/", "pages/other/b.html"),
        ("b.html", "pages/a.html", "http://h/x/", "http://h/x/b.html"),
    ],
)
def test_a_reference_is_joined_to_its_page(reference: str, page: str, base: str | None, address: str) -> None:
    assert link_address(reference, page, base) == address


@given(
    path=st.lists(st.text("ab.~-_%:", max_size=3), min_size=1, max_size=4).map("/".join),
    query=st.sampled_from(["", "?", "?a=1&b=%20", "?a/b", "?a?b", "#c", "?a#c"]),
    page=st.sampled_from(
        [PAGE, "https://h", "http://h/?q", "http://[::1]:8/a", "http://u@h/a", "HTTP://H/a"]
    ),
)
@example("a/b.html", "?c=d", PAGE)
def test_a_path_from_the_root_is_joined_as_any_reference(path: str, query: str, page: str) -> None:
    reference = f"/{path}{query}"
    assert link_address(reference, page, None) == urljoin(page, reference)


NEXT = ItemDef("next", selector="a", link_group="pages")
FACT = (Axis("fact", "fact", 1),)


def run(
    *rows: tuple[str, str | None], items: tuple[ItemDef, ...] = (NEXT,), data: Data | None = None
) -> ToJobs:
    made = tuple(Item((Axis("item", name, 1), *FACT), (value, "-"), (1, 1)) for name, value in rows)
    step = LocatorCreator(DataDef("d", "body", None, items, (), (ItemDef("fact"),)))
    given = data or LinkData("d", made, PAGE)
    handover = step.run(Payload("7", Locator("l", "g", "/pages/list.html"), 1, "t", given))
    assert isinstance(handover, ToJobs)
    return handover


def test_each_row_is_a_link_joined_to_its_page_in_the_order_of_the_rows() -> None:
    handover = run(("next", "b.html"), ("next", "/c.html"), ("next", "b.html"))
    urls = [link.url for link in handover.links]
    assert urls == ["http://h:8000/a/b.html", "http://h:8000/c.html", "http://h:8000/a/b.html"]
    assert {link.group for link in handover.links} == {"pages"}
    assert handover.warnings == ()


@pytest.mark.parametrize("blank", [None, "", " \t\n"])
def test_a_blank_or_null_value_makes_no_link_even_with_a_prefix(blank: str | None) -> None:
    prefixed = ItemDef("next", selector="a", link_group="pages", prefix=("http://x/",))
    assert run(("next", blank), items=(prefixed,)).links == ()


def test_a_prefixed_text_is_the_address_and_the_last_prefix_stands_in_front() -> None:
    prefixed = ItemDef("next", selector="a", link_group="pages", prefix=("league/", "/pages/"))
    assert run(("next", "r2.html"), items=(prefixed,)).links == (Link("pages", "/pages/league/r2.html"),)


@pytest.mark.parametrize(("value", "match"), [("b.html", None), (None, "b.html")])
def test_constants_take_no_prefix(value: str | None, match: str | None) -> None:
    item = ItemDef("next", value, match, link_group="pages", prefix=("/pages/",))
    assert run(("next", "b.html"), items=(item,)).links == (Link("pages", "http://h:8000/a/b.html"),)


def test_link_break_on_compares_with_the_prefix_and_before_joining() -> None:
    bare = ItemDef("next", selector="a", link_group="pages", link_break_on=("end.html",))
    assert run(("next", "end.html"), ("next", "b.html"), items=(bare,)).links == (
        Link("pages", "http://h:8000/a/b.html"),
    )
    prefixed = ItemDef("next", link_group="pages", prefix=("/p/",), link_break_on=("/p/end.html",))
    assert run(("next", "end.html"), ("next", "b.html"), items=(prefixed,)).links == (
        Link("pages", "/p/b.html"),
    )


def test_once_is_handed_on() -> None:
    item = ItemDef("next", link_group="pages", once=True)
    assert run(("next", "http://x/"), items=(item,)).links == (Link("pages", "http://x/", once=True),)


def test_an_item_without_link_group_is_a_warning_and_others_continue() -> None:
    other = ItemDef("title", selector="h1", place=Place("d.yml", 3, 5))
    handover = run(("title", "A"), ("next", "http://x/"), ("title", "B"), items=(other, NEXT))
    assert handover.links == (Link("pages", "http://x/"),)
    (warning,) = handover.warnings
    assert "item title makes no links of its 2 value(s): it has no linkGroup" in warning.message
    assert warning.at == "d.yml:3:5"


def test_the_base_of_the_page_counts() -> None:
    items = run(("next", "b.html"))
    assert items.links[0].url == "http://h:8000/a/b.html"
    row = Item((Axis("item", "next", 1), *FACT), ("b.html", "-"), (1, 1))
    based = run(data=LinkData("d", (row,), PAGE, "../base/x.html"))
    assert based.links == (Link("pages", "http://h:8000/base/b.html"),)


def test_plain_data_is_relative_to_the_locators_address() -> None:
    row = Item((Axis("item", "next", 1), *FACT), ("b.html", "-"), (1, 1))
    assert run(data=Data("d", (row,))).links == (Link("pages", "/pages/b.html"),)


@pytest.mark.parametrize(
    "page",
    [
        "http://h/a.html",
        "http://h:8080/shop/bread/a.html?p=1/2#x/y",
        "https://a.example/shop/",
        "https://a.example/shop?at=/b/c",
        "https://a.example/~me/x.y/..;v=1",
        "https://a.example",
        "https://a.example//b//c.html",
        "https://a.example/b/../c/./d.html",
        "https://a.example/b;v=1/c.html",
        "https://a.example/b/%7Ec/d.html",
        "https://a.example/b/..",
        "HTTPS://A.example/b/c",
    ],
)
def test_links_of_plain_paths_are_joined_as_all_others(page: str) -> None:
    for reference in ("b.html", "b", "c/b.html?q=1&r=%20", "~x/-y", "/b/c.html", "b..c/d", "a/b?c=d%"):
        assert link_address(reference, page, None) == urljoin(page, reference)


def test_link_break_on_matches_patterns_with_the_prefix() -> None:
    ends = (".*/archive/.*", r"list\?page=\d{3,}", "a+b.html")
    bare = ItemDef("next", selector="a", link_group="pages", link_break_on=ends)
    values = ("/x/archive/1.html", "list?page=100", "a+b.html", "aab.html", "list?page=99", "/archive")
    urls = [link.url for link in run(*(("next", value) for value in values), items=(bare,)).links]
    assert urls == ["http://h:8000/a/list?page=99", "http://h:8000/archive"]
    prefixed = ItemDef("next", link_group="pages", prefix=("/p/",), link_break_on=("/p/.*",))
    assert run(("next", "b.html"), items=(prefixed,)).links == ()


def test_a_text_that_only_looks_like_an_address_is_not_a_pattern() -> None:
    bare = ItemDef("next", selector="a", link_group="pages", link_break_on=("?page=3", "a.html"))
    urls = [link.url for link in run(("next", "?page=3"), ("next", "axhtml"), items=(bare,)).links]
    assert urls == ["http://h:8000/a/axhtml"]
