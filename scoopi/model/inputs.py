"""Inputs: what is given for each run: values for `%{input.NAME}`, and which groups it reads."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

SLOT_PARTS = ("key", "start", "end")
"""Of a slot of the scheduler, which definitions name as `%{slot.key}`."""
STAND_IN = "1"
"""For a value that is not known, so that the check can continue."""


class Inputs(msgspec.Struct, frozen=True):
    """The values that a run is given for the `%{input.NAME}` of its definitions, and what it reads of them.

    Attributes:
        values: by the name of the input; those of a slot as `slot.key`.
        giver: the process of the scheduler that gives them; empty for a person, whose names must all occur.
        assumed: names whose values are stand-ins, because only a job has the real ones.
        groups: names of the locator groups that are read, with what their links lead to; empty for all.
    """

    values: Mapping[str, str] = {}
    giver: str = ""
    assumed: frozenset[str] = frozenset()
    groups: tuple[str, ...] = ()


NO_INPUTS = Inputs()
