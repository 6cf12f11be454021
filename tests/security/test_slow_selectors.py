"""No selector takes longer than in proportion to the page, whatever the page holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

_LONGEST_S = 60
"""Each takes less than a second; before, the first ten took from a minute to hours."""

_PAGE_BYTES = 300_000
_FLAT = "<body>" + "<p>" * (_PAGE_BYTES // 3)
_LISTS = ("<ul>" + "<li>" * 20 + "</ul>") * (_PAGE_BYTES // 89)
_DEEP = "<body>" + ("<div>" * 1500 + "</div>" * 1500) * (_PAGE_BYTES // 16_500)
_TEXTS = "<body>" + "<div>" * 100 + "lorem ipsum aaaa " * (_PAGE_BYTES // 17)

_SLOW = [
    (_FLAT, "p ~ p", _PAGE_BYTES // 3 - 1),
    (_FLAT, "p ~ p ~ p", _PAGE_BYTES // 3 - 2),
    (_FLAT, "p + p + p", _PAGE_BYTES // 3 - 2),
    (_FLAT, "p:not(p ~ p)", 1),
    (_FLAT, "p:nth-last-of-type(3)", 1),
    (_FLAT, "p:eq(5)", 1),
    (_FLAT, "p, b", _PAGE_BYTES // 3),
    (_LISTS, "ul ~ ul > li ~ li", (_PAGE_BYTES // 89 - 1) * 19),
    (_LISTS, "ul li", _PAGE_BYTES // 89 * 20),
    (_DEEP, "div div div div", 18 * (1500 - 3)),
    (_DEEP, ":has(div:contains(zz))", 0),
    (_DEEP, ":has(:has(:has(x)))", 0),
    (_TEXTS, ":has(:contains(aaab))", 0),
]

_FINDING = """
import sys
from scoopi.parse import parse_html
from scoopi.parse.css.css_engine import CssEngine

root = parse_html(sys.stdin.buffer.read()).getroot()
print(len(CssEngine().compile_block(sys.argv[1])(root)))
"""


@pytest.mark.parametrize(("page", "selector", "found"), _SLOW, ids=[selector for _, selector, _ in _SLOW])
def test_a_page_cannot_make_a_selector_hang(
    page: str, selector: str, found: int, refused: Callable[[str], None]
) -> None:
    command = [sys.executable, "-c", _FINDING, selector]
    answer = subprocess.run(command, input=page.encode(), capture_output=True, check=True, timeout=_LONGEST_S)
    assert int(answer.stdout) == found
    refused(f"a page that makes {selector} hang")
