"""KnownRun: the record of a run in the map that belongs to no run."""

from __future__ import annotations

import secrets

import msgspec

from scoopi.model.job import MapsText, RunText

PREFIX = "runs/"


class KnownRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record `runs/<name>` in the map that belongs to no run.

    Attributes:
        run: name of the run.
        node: incarnation of the node that wrote the record.
        maps: name of the run's maps: at first the run's name, later `<run>~<8 hex digits>`.
        over: whether the run is over, so that no node takes part any longer.
        ends: whether all records of the run have an expiry time; until then, each node that finds the run
            over sets the times again.
        gone: whether the run's maps are removed, or, until `ends` is set, about to be. The record stays, so
            that no incarnation gets the maps of an earlier one.
        before: name of the maps in which a reopened run was over; None for other runs.
    """

    run: RunText
    node: str
    maps: MapsText
    over: bool = False
    ends: bool = False
    gone: bool = False
    before: MapsText | None = None

    @property
    def has_own_maps(self) -> bool:
        """Whether the names of the maps are those of this run's maps, by their prefix."""
        return all(each.partition("~")[0] == self.run for each in (self.maps, self.before or self.maps))


def other_maps(run: str) -> str:
    """A random name for a run's maps, `<run>~<8 hex digits>`, which no incarnation of the run has had."""
    return f"{run}~{secrets.token_hex(4)}"
