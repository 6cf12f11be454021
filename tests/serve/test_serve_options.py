"""ServeOptions: what goes together."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import UsageError
from scoopi.serve.serve_options import ServeOptions


@pytest.mark.parametrize(
    ("options", "what", "hint"),
    [
        (
            {"schedules": False, "works": False},
            "--no-schedule and --no-work leave nothing to do",
            "leave out one",
        ),
        (
            {"schedules": False, "until_idle": True},
            "--until-idle needs passes, which find what is due",
            "leave out --no-schedule",
        ),
    ],
)
def test_options_with_which_a_serve_would_do_nothing_or_never_end_are_refused(
    options: dict[str, Any], what: str, hint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        ServeOptions(**options)
    assert refused.value.what == what
    assert refused.value.hint.startswith(hint)


@pytest.mark.parametrize(
    "options", [{}, {"schedules": False}, {"works": False}, {"works": False, "until_idle": True}]
)
def test_either_passes_or_attempts_may_be_left_to_others(options: dict[str, Any]) -> None:
    assert ServeOptions(**options).name is None
