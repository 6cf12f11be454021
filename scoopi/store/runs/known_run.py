"""KnownRun: the record of a run in the map that belongs to no run."""

from __future__ import annotations

import secrets

import msgspec

from scoopi.model.job import MapsText, RunText

PREFIX = "runs/"


class KnownRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """The grid's record `runs/<name>`.

    Attributes:
        run: name of the run.
        node: incarnation of the node that wrote this.
        maps: the name of its maps, which is different for each incarnation of the run.
        over: whether the run is over, so that no node takes part any longer.
        ends: whether all its records have an expiry time; until then, each node that finds the run over sets
            it again.
        gone: whether its maps are removed; until `ends` is set, they are about to be. The record stays, so
            that no incarnation gets the maps of an earlier one.
        before: the maps in which a reopened run was over; None for other runs.
    """

    run: RunText
    node: str
    maps: MapsText
    over: bool = False
    ends: bool = False
    gone: bool = False
    before: MapsText | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the maps belong to this run."""
        return all(each.partition("~")[0] == self.run for each in (self.maps, self.before or self.maps))


def other_maps(run: str) -> str:
    """A name for maps that no incarnation of the run has had."""
    return f"{run}~{secrets.token_hex(4)}"
