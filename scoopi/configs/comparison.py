"""conflicts and merge: the settings given now against those that a run was composed with."""

from __future__ import annotations

from scoopi.configs.configs import Configs, Entry
from scoopi.configs.registry import SETTINGS, SETTINGS_BY_KEY
from scoopi.configs.setting import Scope


def conflicts(given: Configs, composed: Configs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One sentence for each given value that differs from the run's (docs/settings.md).

    Returns:
        The errors (scope `run`) and the warnings (scope `shared`); defaults and scope `node` don't count.
    """
    errors: list[str] = []
    warnings: list[str] = []
    for key, entry in given.given.items():
        scope = SETTINGS_BY_KEY[key].scope
        kept = composed.entry(key)
        if scope is Scope.NODE or entry.text == kept.text:
            continue
        sentence = f"{entry.origin}: {key} is {_shown(entry)}, but the run has {_shown(kept)}"
        (errors if scope is Scope.RUN else warnings).append(sentence)
    return tuple(errors), tuple(warnings)


def merge(given: Configs, composed: Configs, *, take_shared: bool) -> Configs:
    """The settings of a node that joins or resumes a composed run.

    Args:
        take_shared: a given value of scope `shared` wins (solo resume) or loses (a joining node).
    """
    entries: dict[str, Entry] = {}
    for setting in SETTINGS:
        mine, runs = given.entry(setting.key), composed.entry(setting.key)
        mine_counts = mine.given and take_shared and setting.scope is Scope.SHARED
        entries[setting.key] = mine if mine_counts or setting.scope is Scope.NODE else runs
    return Configs.of_entries(entries, given.warnings)


def _shown(entry: Entry) -> str:
    return "unset" if entry.shown is None else repr(entry.shown)
