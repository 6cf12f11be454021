"""A page cannot make a worker's memory grow without bound."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

_PAGES = {
    "elements": b"<p>",
    "attributes": b"<br a=1 b=2 c=3 d=4>",
    "texts": b"<i>x</i>",
    "comments": b"<!---->",
}
_PAGE_BYTES = 32_000_000
_MOST_GROWN_MB = 1000
"""A tree of as many nodes as are allowed; of all that the pages hold it was up to 3,400 MB."""

_PARSING = """
import resource, sys
from scoopi.errors import ParseError
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.bridge.html_backend import NativeParser

page = sys.argv[2].encode() * (int(sys.argv[3]) // len(sys.argv[2]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    (NativeParser() if sys.argv[1] == "compiled" else copy_html)(page, 2000)
except ParseError as error:
    print(error.hint)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("backend", ["compiled", "pure Python"])
@pytest.mark.parametrize("kind", _PAGES)
def test_a_page_of_32_mb_takes_no_more_memory_than_its_nodes_may(
    backend: str, kind: str, refused: Callable[[str], None]
) -> None:
    command = [sys.executable, "-c", _PARSING, backend, _PAGES[kind].decode(), str(_PAGE_BYTES)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    hint, grown_mb = answer.stdout.splitlines()
    assert hint == "raise scoopi.parser.maxNodes if the page is right"
    assert int(grown_mb) < _MOST_GROWN_MB
    refused(f"32 MB of {kind}, parsed by the {backend}")
