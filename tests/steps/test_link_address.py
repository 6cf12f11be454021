"""link_address: links are joined to their page as browsers do, and paths stay paths."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoopi.steps.link_address import link_address

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
