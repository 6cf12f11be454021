"""ConfigsComposer: the effective settings of a new or a resumed run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.configs.comparison import conflicts, merge
from scoopi.configs.configs import Configs
from scoopi.configs.configs_reader import ConfigsReader
from scoopi.errors import ConfigError
from scoopi.runs.run_request import RunRequest

if TYPE_CHECKING:
    from scoopi.runs.composed import Composed

log = logging.getLogger(__name__)


class ConfigsComposer:
    """Source: docs/settings.md."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._composed: Configs | None = None

    def compose(self) -> Configs:
        """What was given over the defaults; read once, though asked for more than once in a run.

        Raises:
            ConfigError: with everything that is wrong.
        """
        if self._composed is None:
            request = self._request
            self._composed = ConfigsReader().read(
                request.overrides, request.conf, request.environ, Path.cwd(), workers=request.workers
            )
        return self._composed

    def resumed(self, composed: Composed) -> Configs:
        """The settings of a resumed run: its own, with those that a new process may change.

        Raises:
            ConfigError: another value was given for a setting that the rows depend on.
        """
        given = self.compose()
        kept = Configs.from_kept(composed.configs, self._request.environ)
        errors, warnings = conflicts(given, kept)
        for warning in warnings:
            log.warning("%s; the given value counts from now on", warning)
        if errors:
            raise ConfigError("; ".join(errors), hint="leave it out to continue, or start a new run")
        return merge(given, kept, take_shared=True)
