"""Limits of the tree: a page is refused by its tags alone where the tree would take long."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.parse.tree.html_limits import check_depth, check_nodes

MANY = 20_001


def test_ordinary_pages_pass() -> None:
    page = b"<html><body>" + b"<p class=a>text<br>" * MANY + b"</body></html>"
    check_depth(page, 100)
    check_nodes(page, 10 * MANY)


@pytest.mark.parametrize("tag", [b"<div>", b"<span class='a>b'>"])
def test_a_page_that_nests_too_deep_is_refused(tag: bytes) -> None:
    with pytest.raises(ParseError, match="nests elements more than 100 deep"):
        check_depth(tag * MANY, 100)


def test_what_is_closed_or_no_tag_does_not_count() -> None:
    check_depth(b"<div></div>" * MANY, 100)
    check_depth(b"<script>" + b"<div>" * MANY + b"</script>", 100)
    check_depth(b"<!--" + b"<div>" * MANY + b"-->", 100)
    check_depth(b"<svg>" + b"<path/>" * MANY + b"</svg>", 100)


def test_attributes_and_comments_are_nodes_too() -> None:
    with pytest.raises(ParseError, match="more than 100 nodes"):
        check_nodes(b"<p a=1 b=2>" * MANY, 100)
    with pytest.raises(ParseError, match="more than 100 nodes"):
        check_nodes(b"<p>" + b"<!---->" * MANY, 100)
    check_nodes(b"<p>text" + b"x" * (10 * MANY), 100)
