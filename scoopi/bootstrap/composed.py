"""Composed, WorkerPlan: what a run was made from, as it is kept for `resume` and given to workers."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from scoopi.model.definitions import Definitions, LocatorGroup


class Composed(msgspec.Struct, frozen=True):
    """One record a run, made once; whoever takes part uses it.

    Attributes:
        definitions: checked and normalized, without locators.
        locators: the locator groups, packed; only who seeds unpacks them, and forgets them again.
        configs: every setting as written, secrets as their `${env:…}`.
        run_date: the run's date-time, zone-aware, whole seconds.
        current_folder: where the run was started; pages are looked for from here.
        defs_source: the folder (or file) of definitions, absolute.
        plugin_digests: the user's plugin files in use, by path.
        given: settings of scope `run` that were given, not defaults.
        run: incarnation of the run.
    """

    definitions: Definitions
    locators: bytes
    configs: dict[str, str]
    run_date: datetime
    current_folder: str
    defs_source: str
    plugin_digests: dict[str, str]
    given: dict[str, str]
    run: str

    def locator_groups(self) -> list[LocatorGroup]:
        """The locators of the run, unpacked."""
        return msgspec.msgpack.decode(self.locators, type=list[LocatorGroup])


class WorkerPlan(msgspec.Struct, frozen=True):
    """All that a worker is wired from; goes over its pipe, never to a disk (secrets are in the clear)."""

    definitions: Definitions
    configs: dict[str, str]
    run_date: datetime
    current_folder: str
    defs_source: str


def defs_folder(defs_source: Path) -> Path:
    """The folder of the definitions; of a single file the one that holds it."""
    return defs_source if defs_source.is_dir() else defs_source.parent


def plugin_folders(current_folder: Path, defs_source: Path) -> tuple[Path, ...]:
    """Where the user's plugin files are: `plugins/` beside the definitions, then in the current folder."""
    folders = (defs_folder(defs_source) / "plugins", current_folder / "plugins")
    return tuple(dict.fromkeys(folders))
