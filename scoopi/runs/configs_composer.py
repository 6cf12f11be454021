"""ConfigsComposer: computes the effective settings of a new run, and of a node that resumes or joins one."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.configs.configs import Configs, Entry
from scoopi.configs.configs_reader import ConfigsReader
from scoopi.configs.registry import SETTINGS, SETTINGS_BY_KEY
from scoopi.configs.setting import Scope
from scoopi.errors import ConfigError
from scoopi.runs.run_request import RunRequest

if TYPE_CHECKING:
    from scoopi.runs.composed import Composed

log = logging.getLogger(__name__)


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
        take_shared: whether a given value of scope `shared` replaces that of the run, as when a run on one
            machine is resumed; for a joining node it does not.
    """
    entries: dict[str, Entry] = {}
    for setting in SETTINGS:
        mine, runs = given.entry(setting.key), composed.entry(setting.key)
        mine_counts = mine.given and take_shared and setting.scope is Scope.SHARED
        entries[setting.key] = mine if mine_counts or setting.scope is Scope.NODE else runs
    return Configs.of_entries(entries, given.warnings)


def _shown(entry: Entry) -> str:
    return "unset" if entry.shown is None else repr(entry.shown)


class ConfigsComposer:
    """Computes the effective settings of a new run, and of a node that resumes or joins one.

    Source: docs/settings.md.
    """

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._composed: Configs | None = None

    def compose(self) -> Configs:
        """The given settings over the defaults; read once, at the first call.

        Raises:
            ConfigError: with everything that is wrong.
        """
        if self._composed is None:
            request = self._request
            self._composed = ConfigsReader().read(
                request.overrides, request.conf, request.environ, Path.cwd(), workers=request.workers
            )
        return self._composed

    def joining(self, composed: Composed) -> Configs:
        """The settings of a node that joins a composed run and was not given its definitions.

        They are those of the run, except settings of scope `node`, which are this node's own.

        Raises:
            ConfigError: another value was given for a setting that the rows depend on.
        """
        given, kept = self._compared(composed, "the run's value counts", "leave it out")
        return merge(given, kept, take_shared=False)

    def resumed(self, composed: Composed) -> Configs:
        """The settings of a resumed run: those it began with, changed as far as their scope allows it.

        Raises:
            ConfigError: another value was given for a setting that the rows depend on.
        """
        given, kept = self._compared(
            composed, "the given value counts from now on", "leave it out to continue"
        )
        return merge(given, kept, take_shared=True)

    def _compared(self, composed: Composed, counts: str, hint: str) -> tuple[Configs, Configs]:
        """The given settings, and those of the run; logs a warning for each that may differ, and does.

        Args:
            counts: which value is used then, for the warning.
            hint: for the error.
        """
        given = self.compose()
        kept = Configs.from_kept(composed.configs, self._request.environ)
        errors, warnings = conflicts(given, kept)
        for warning in warnings:
            log.warning("%s; %s", warning, counts)
        if errors:
            raise ConfigError("; ".join(errors), hint=f"{hint}, or start a new run")
        return given, kept
