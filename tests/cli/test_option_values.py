"""Values of the scheduler's options: what is not one is refused with what is needed."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

import pytest

from scoopi.cli.option_values import at_least_one, capacity, group_names, worker_name


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (group_names, "big,default,big", ("big", "default")),
        (worker_name, "box-2.example.org", "box-2.example.org"),
        (at_least_one, "7", 7),
        (capacity, "0", 0.0),
        (capacity, "2.5", 2.5),
    ],
)
def test_a_value_is_read(kind: Callable[[str], Any], text: str, value: Any) -> None:
    assert kind(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "needed"),
    [
        (group_names, "big,,x", "names separated by commas"),
        (worker_name, "a b", "as a host name has"),
        (worker_name, "../a", "as a host name has"),
        (worker_name, "", "as a host name has"),
        (worker_name, "a" * 101, "as a host name has"),
        (at_least_one, "0", "a whole number from 1"),
        (at_least_one, "-1", "a whole number from 1"),
        (at_least_one, "x", "a whole number from 1"),
        (capacity, "-1", "a number from 0"),
        (capacity, "nan", "a number from 0"),
        (capacity, "inf", "a number from 0"),
        (capacity, "x", "a number from 0"),
    ],
)
def test_another_text_is_refused(kind: Callable[[str], Any], text: str, needed: str) -> None:
    with pytest.raises(ArgumentTypeError, match=needed):
        kind(text)
