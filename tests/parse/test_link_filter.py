"""LinkFilter: which addresses of a page are followed."""

from __future__ import annotations

from collections import Counter

import pytest

from scoopi.errors import ParseError
from scoopi.model.place import Place
from scoopi.model.records.record_def import LinkRules, Selector
from scoopi.model.report.counter_names import FOLLOWED, LEFT_OUT, SEPARATOR, count_name
from scoopi.parse.link_filter import LinkCounts, LinkFilter

FIELD = ("field", "link")
PAGE = "https://www.shop.example/list?page=1"


def rules(*, allow: tuple[str, ...] = (), deny: tuple[str, ...] = (), same: str = "any") -> LinkRules:
    return LinkRules(tuple(map(Selector, allow)), tuple(map(Selector, deny)), same)


def lets(address: str, chosen: LinkRules, page: str = PAGE) -> bool:
    return not LinkFilter(chosen, 1000).refusal(address, page)


@pytest.mark.parametrize(
    ("address", "host", "domain"),
    [
        ("https://www.shop.example/a", True, True),
        ("http://shop.example/a", True, True),
        ("https://SHOP.example./a", True, True),
        ("https://shop.example:443/a", True, True),
        ("https://shop.example:8443/a", False, True),
        ("https://blog.shop.example/a", False, True),
        ("https://workshop.example/a", False, False),
        ("https://shop.example.evil.test/a", False, False),
        ("https://user@evil.test/shop.example", False, False),
    ],
)
def test_an_address_shares_the_host_or_the_domain_of_its_page(address: str, host: bool, domain: bool) -> None:
    assert lets(address, rules(same="host")) is host
    assert lets(address, rules(same="domain")) is domain
    assert lets(address, rules())


@pytest.mark.parametrize(
    ("one", "other", "shares"),
    [
        ("a.shop.co.uk", "b.shop.co.uk", True),
        ("shop.co.uk", "club.co.uk", False),
        ("tax.gouv.fr", "post.gouv.fr", False),
        ("one.go.jp", "two.go.jp", False),
        ("anna.github.io", "bert.github.io", False),
        ("docs.anna.github.io", "anna.github.io", True),
        ("rye.myshopify.com", "oat.myshopify.com", False),
        ("github.io", "www.github.io", True),
        ("one.kobe.jp", "two.kobe.jp", False),
        ("a.city.kobe.jp", "b.city.kobe.jp", True),
        ("a.bücher.example", "b.bücher.example", True),
        ("a.xn--bcher-kva.de", "xn--bcher-kva.de", True),
        ("app.intranet", "wiki.intranet", False),
        ("10.0.0.1", "11.0.0.1", False),
        ("[::1]", "[::1]", True),
        ("localhost", "localhost", True),
    ],
)
def test_a_domain_is_what_was_registered(one: str, other: str, shares: bool) -> None:
    assert lets(f"http://{one}/", rules(same="domain"), f"http://{other}/") is shares


@pytest.mark.parametrize(
    "address",
    ["mailto:a@shop.example", "tel:1", "javascript:x()", "ftp://shop.example/", "file:///etc/passwd", "/a",
     "http://shop.example:port/", "http://[shop.example/", "https://shop.example/photo.JPG"],
)  # fmt: skip
def test_what_no_page_can_have_is_not_followed(address: str) -> None:
    assert not lets(address, rules())


def test_files_are_followed_where_a_pattern_allows_them() -> None:
    assert lets("https://shop.example/prices.csv", rules(allow=(r"\.csv$",)))


def test_a_local_page_leads_to_files_and_to_pages_of_the_web() -> None:
    for address in ("/pages/a.html", "pages/a.html", "file:///pages/a.html"):
        assert lets(address, rules(same="host"), "/pages/list.html")
    assert lets("https://shop.example/", rules(), "/pages/list.html")
    assert not lets("https://shop.example/", rules(same="host"), "/pages/list.html")


def test_one_pattern_must_be_found_and_none_that_is_denied() -> None:
    chosen = rules(allow=(r"/books/\d+", "/list"), deny=("sort=",))
    followed = {
        path
        for path in ("/books/7", "/books/x", "/list?page=2", "/list?sort=up", "/about")
        if lets(f"https://shop.example{path}", chosen)
    }
    assert followed == {"/books/7", "/list?page=2"}


def test_a_wrong_pattern_names_its_place() -> None:
    wrong = LinkRules(deny=(Selector("(", Place("defs.yml", 3, 9)),))
    with pytest.raises(ParseError, match=r"defs\.yml:3:9"):
        LinkFilter(wrong, 1000)


def test_each_rule_has_one_example_in_the_whole_run() -> None:
    counts, finds = LinkCounts("d", FIELD), Counter[str]()
    for number in range(3):
        counts.note("allow", f"http://h/{number}", finds)
    counts.note("deny", "http://h/login", finds)
    allow, deny = (count_name(f"{LEFT_OUT} {each}", "d", FIELD) for each in ("allow", "deny"))
    assert finds == {
        allow: 3,
        f"{allow}{SEPARATOR}http://h/0": 1,
        deny: 1,
        f"{deny}{SEPARATOR}http://h/login": 1,
    }


def test_nothing_more_is_counted_once_a_link_is_followed() -> None:
    counts, finds = LinkCounts("d", FIELD), Counter[str]()
    for refusal in ("", "allow", ""):
        counts.note(refusal, "http://h/", finds)
    assert finds == {count_name(FOLLOWED, "d", FIELD): 2}
