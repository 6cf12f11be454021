"""StateOption: the option `--state` of lists, which names a state to select by, or the scheduler's folder."""

from __future__ import annotations

from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoopi.configs.groups import SchedulerSettings
from scoopi.model.text.shown import nearest


class StateOption(Action):
    """The option `--state` of a list: the name of a state selects rows, other values are the state folder.

    It may be given twice, for both. A folder with the name of a state is written as `./failed`.

    Args:
        states: names of states.
    """

    def __init__(self, *args: Any, states: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._states = states

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Set `state_of` to a state, or `state` to a folder.

        Raises:
            ArgumentError: the value is not a folder, but resembles a state.
        """
        if values in self._states:
            namespace.state_of = values
            return
        near = nearest(values, self._states) if "/" not in values else None
        if near and not Path(values).exists():
            raise ArgumentError(self, f"{values!r} is neither a state nor a folder; did you mean {near}?")
        namespace.state = Path(values)


def state_folder(environ: Mapping[str, str], current: Path) -> Path:
    """The default of `--state`: `SCOOPI_STATE`, else the setting `scoopi.scheduler.state`.

    Settings files are read only if there may be any, so that commands start fast without them.

    Raises:
        ConfigError: the settings are invalid.
    """
    if environ.get("SCOOPI_STATE"):
        return Path(environ["SCOOPI_STATE"])
    if "SCOOPI_SCHEDULER_STATE" not in environ and not (current / "conf").is_dir():
        return Path(SchedulerSettings().state)
    from scoopi.configs.configs_reader import ConfigsReader

    return Path(SchedulerSettings.of(ConfigsReader().read({}, None, environ, current)).state)
