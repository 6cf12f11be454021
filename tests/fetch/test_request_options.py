"""Headers of a request: Scoopi's own, with those of its site in their place or beside them."""

from __future__ import annotations

from scoopi.fetch.request_options import HEADERS, header_lines
from scoopi.model.sites import Site


def test_a_site_without_headers_gets_the_usual_ones() -> None:
    assert header_lines(Site()) == [f"{name}: {text}" for name, text in HEADERS.values()]


def test_a_header_of_a_site_stands_in_the_place_of_the_usual_one() -> None:
    lines = header_lines(Site(headers={"accept": "text/html", "X-One": "1"}))
    shown = [line for line in lines if line.lower().startswith(("accept:", "x-"))]
    assert shown == ["accept: text/html", "X-One: 1"]


def test_an_empty_header_is_sent_empty() -> None:
    assert "X-Empty;" in header_lines(Site(headers={"X-Empty": ""}))
