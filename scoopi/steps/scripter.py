"""Scripter: the step that runs the user's scripts on the rows of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScoopiError, ScriptError
from scoopi.model.data import Data
from scoopi.model.handover import Handover, Payload, ToTask
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.plugin_files import fault_of
from scoopi.plugins.plugin_ports import Script
from scoopi.script.data_script import DataScript
from scoopi.steps.step import Step


class Scripter(Step):
    """Runs the user's scripts on the rows of a page, in order.

    Args:
        plugins: the constructed plugins of the step: BasicScript, or a Python function `(data) -> data`.
        read_script: returns the text of a script file, given its address as written.
        limits: limits of each JavaScript call.
    """

    def __init__(
        self,
        plugins: Sequence[BasicScript | Script],
        read_script: Callable[[str], str],
        limits: ScriptLimits,
    ) -> None:
        self._scripts = [_runnable(plugin, read_script, limits) for plugin in plugins]

    def run(self, payload: Payload) -> Handover:
        """Run the scripts.

        Raises:
            ScriptError: a script failed, or returned something other than data.
        """
        data = payload.expect(Data)
        for script in self._scripts:
            data = script(data)
        return ToTask(payload.advance(data))


def _runnable(
    plugin: BasicScript | Script, read_script: Callable[[str], str], limits: ScriptLimits
) -> Script:
    if not isinstance(plugin, BasicScript):
        return partial(_call_python, plugin)
    inline = [plugin.script] if plugin.script.strip() else []
    return DataScript([*inline, *map(read_script, plugin.scripts)], plugin.entry_point, limits)


def _call_python(script: Script, data: Data) -> Data:
    name = getattr(script, "__qualname__", type(script).__qualname__)
    try:
        result = script(data)
    except ScoopiError:
        raise
    except Exception as error:
        fault = fault_of(error, partial(_is_of, script))
        raise ScriptError(f"script {name} failed: {fault.what}", at=fault.at) from error
    if not isinstance(result, Data):
        raise ScriptError(f"script {name} returned {type(result).__name__}", hint="return the data")
    return result


def _is_of(script: Script, file: str) -> bool:
    """Whether the script is defined in the file."""
    code = script if hasattr(script, "__code__") else type(script).__call__
    return getattr(getattr(code, "__code__", None), "co_filename", None) == file
