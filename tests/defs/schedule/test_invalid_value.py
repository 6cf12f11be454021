"""InvalidValueError: an entry of a list or a mapping may be the place of the error."""

from __future__ import annotations

from scoopi.defs.schedule.invalid_value import InvalidValueError


def test_an_error_of_a_whole_value_has_no_place_of_its_own() -> None:
    error = InvalidValueError("is 'x'", hint="write y", near="y")
    assert (str(error), error.hint, error.near) == ("is 'x'", "write y", "y")
    assert (error.place, error.inner, error.further) == (None, "", [])
