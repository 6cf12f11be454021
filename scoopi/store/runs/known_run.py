"""KnownRun: what a cluster keeps about a run in the map that belongs to no run."""

from __future__ import annotations

import secrets

import msgspec

from scoopi.model.job import MapsText, RunText

PREFIX = "runs/"


class KnownRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """The grid's record `runs/<name>`.

    Attributes:
        run: its name.
        node: incarnation of the node that wrote this.
        maps: what its maps are named by; other ones for each incarnation of a name.
        over: no node takes part any more.
        ends: all that is kept of it expires; until this is set, each node that finds the run over sets the
            expiry again.
        gone: its maps are removed; until `ends` they are about to be. The record stays, so that no
            incarnation gets the maps of an earlier one.
        before: of a run that was reopened, the maps that it was over in; None of all others.
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
        """Whether the maps are those of this run."""
        return all(each.partition("~")[0] == self.run for each in (self.maps, self.before or self.maps))


def other_maps(run: str) -> str:
    """A name for maps that no incarnation of the run had before."""
    return f"{run}~{secrets.token_hex(4)}"
