"""Inputs: the values of `%{input.NAME}` and the selected groups of one run."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

SLOT_PARTS = ("key", "start", "end")
"""The parts of a slot of the scheduler; definitions refer to them as `%{slot.key}` and so on."""
STAND_IN = "1"
"""Stands in for an unknown value, so that checking can continue."""


class Inputs(msgspec.Struct, frozen=True):
    """The values of `%{input.NAME}` in the definitions of one run, and the groups that it reads.

    Attributes:
        values: the values by the name of the input; those of a slot by `slot.key` and so on.
        giver: the process of the scheduler that gives the values; empty if a person does: then every name
            must occur in the definitions.
        assumed: the names whose values are stand-ins, because only a job has the real ones.
        groups: the names of the locator groups to read, with all that their links lead to; empty for all.
    """

    values: Mapping[str, str] = {}
    giver: str = ""
    assumed: frozenset[str] = frozenset()
    groups: tuple[str, ...] = ()


NO_INPUTS = Inputs()
