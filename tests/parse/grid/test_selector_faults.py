"""Errors of selectors have their place, and the selector as written and as used."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError, ScriptError
from scoopi.model.place import NOWHERE, Place
from scoopi.parse.grid.placeholder_template import IndexOf, PlaceholderTemplate
from scoopi.parse.grid.selector_faults import as_written, located, placed

AT = Place("towns.yml", 7, 21)


def test_an_error_gets_the_place_unless_it_has_one() -> None:
    with pytest.raises(ParseError) as caught, located(AT):
        raise ParseError("wrong")
    assert caught.value.at == str(AT)
    error = ScriptError("failed", at="s.js")
    assert placed(error, AT) is error
    assert placed(ScriptError("failed"), NOWHERE).at == ""


def test_a_selector_is_named_as_written_and_as_used() -> None:
    template = PlaceholderTemplate(["td[", IndexOf(0), "]]"], "td[%{index}]]")
    error = as_written(ParseError("the XPath 'td[7]]' is wrong"), template, "td[7]]")
    assert error.what == "the XPath 'td[%{index}]]' (here 'td[7]]') is wrong"
    assert error.cause == "the XPath 'td[%{index}]]' is wrong"
