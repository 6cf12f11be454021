"""ProcessBuilder: builds a Process from its keys, and reports keys that contradict each other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from scoopi.defs.schedule.block_reader import BlockReader, is_whole
from scoopi.defs.schedule.invalid_value import InvalidValueError
from scoopi.defs.schedule.keys.executes_keys import EXECUTABLES, EXECUTES, LATER_EXECUTABLES
from scoopi.defs.schedule.keys.process_keys import PROCESS
from scoopi.defs.schedule.kinds import ValueKind
from scoopi.defs.schedule.trigger_builder import TriggerBuilder
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Node, Table, Text
from scoopi.model.place import Place
from scoopi.model.schedule.process import (
    EXTERNAL,
    LAUNCHED_HISTORY,
    Executes,
    Probe,
    Process,
    RetryRule,
)
from scoopi.periods.period import parse_qualifier

_PERIODS_ONLY = ("machine", "lag", "grouping")
_FIRES_ONLY = ("catchup", "catchup_window")
_SCRAPES_ONLY = ("output", "keep_former")
_ITERATIONS_ONLY = ("lookback", "on_window_exit")
_DAY = timedelta(days=1)
_MANAGED_LAG = timedelta(minutes=5)
_MANAGED_RETRY = {"stale_after": timedelta(hours=1), "give_up_after": 2 * _DAY}
_HISTORY = {"managed": None, "freerun": 20, "manual": LAUNCHED_HISTORY}
_OVERLAP = {"managed": "allow", "freerun": "remind", "manual": "allow"}
_ONLY_OF = {
    "accept": ("scrape",),
    "nodes": ("scrape",),
    "exit_codes": ("command",),
    "env": ("command", "python"),
    "cwd": ("command", "python"),
}


class ProcessBuilder:
    """Builds a Process from the keys that define it.

    Each error, including keys that contradict each other, is a finding at the key that causes it.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._reader = BlockReader(findings)
        self._triggers = TriggerBuilder(findings)

    def build(self, name: str, node: Node, path: str, owner: Place) -> Process | None:
        """Build a process; None after an error, which is added to the findings.

        Args:
            name: the qualified name.
            path: the path of names to the process.
            owner: where the process's name is written.
        """
        if not isinstance(node, Table):
            written = node.text if isinstance(node, Text) and ":" in node.text else "KIND:WHAT"
            hint = f'write `{{executes: "{written}"}}`'
            self._findings.error(node.place, path, "a process is a mapping", hint)
            return None
        values = self._reader.read(node, PROCESS, path, owner)
        if "executes" not in node.entries:
            self._findings.error(owner, path, "executes is missing", 'add `executes: "scrape:FOLDER"`')
        executes = self._executes(values.get("executes"), node, path)
        self._check_probes(values, executes, node, path)
        trigger_keys = values.pop("trigger", None)
        mode = values.get("mode") or _mode(node, trigger_keys)
        self._check_mode(mode, values, trigger_keys, node, path)
        trigger, table = None, node.table("trigger")
        if trigger_keys is not None and table is not None and mode != "manual":
            has_periods = "qualifier" in node.entries
            trigger = self._triggers.build(
                trigger_keys, mode, table, f"{path}.trigger", has_periods=has_periods
            )
        if executes is None:
            return None
        values |= {"mode": mode, "executes": executes, "trigger": trigger}
        return Process(name=name, place=owner, **(self._defaults(mode, values) | values))

    def _defaults(self, mode: str, values: dict[str, Any]) -> dict[str, Any]:
        """The defaults that depend on the mode and on the kind of slots."""
        has_periods = "qualifier" in values
        retry: dict[str, Any] = values.pop("retry", {})
        return {
            "overlap": _OVERLAP[mode],
            "history": _HISTORY[mode],
            "lag": _MANAGED_LAG if has_periods else timedelta(0),
            "retry": _retry(retry, mode, has_periods),
        }

    def _executes(self, keys: dict[str, Any] | None, node: Table, path: str) -> Executes | None:
        if keys is None:
            return None
        table = node.table("executes")
        path, place = f"{path}.executes", node.at("executes")
        later = [kind for kind in LATER_EXECUTABLES if kind in (table.entries if table else keys)]
        if later:
            if table is None:  # else it has been reported as a key
                what = f"{later[0]} is not supported by this version"
                self._findings.error(place, path, what, f"write one of {', '.join(EXECUTABLES)}")
            return None
        kinds = [kind for kind in EXECUTABLES if kind in (table.entries if table else keys)]
        if len(kinds) != 1:
            what = "names no executable" if not kinds else f"names {' and '.join(kinds)}"
            self._findings.error(place, path, f"executes {what}", f"write one of {', '.join(EXECUTABLES)}")
            return None
        kind = kinds[0]
        for key, fitting in _ONLY_OF.items():
            if key in keys and kind not in fitting:
                at = table.keys[key] if table else place
                self._findings.error(
                    at, path, f"{key} does not go with {kind}", f"it belongs to {' and '.join(fitting)}"
                )
        if kind not in keys:  # it is invalid, which has been reported
            return None
        what = keys.pop(kind)
        if table is None and not self._is_short_form(kind, what, place, path):
            return None
        groups: tuple[str, ...] = ()
        if kind == "scrape":
            what, _, listed = what.partition("#")
            groups = tuple(dict.fromkeys(filter(None, map(str.strip, listed.split(",")))))
        words = what if isinstance(what, tuple) else (what,)
        return Executes(kind=kind, what=words, groups=groups, **keys)

    def _is_short_form(self, kind: str, what: str, place: Place, path: str) -> bool:
        """Whether the text after `KIND:` is valid; a command has no short form."""
        if kind == "command":
            words = ", ".join(what.split())
            hint = f"write `executes: {{command: [{words}]}}`"
            self._findings.error(place, path, "a command is a list of words", hint)
            return False
        declared = next(key.kind for key in EXECUTES.keys if key.name == kind)
        assert isinstance(declared, ValueKind)
        try:
            declared.read(Text(what, place))
        except InvalidValueError as error:
            self._findings.error(place, path, f"executes: {kind} {error}", f"allowed: {declared.allowed}")
            return False
        return True

    def _check_mode(self, mode: str, values: dict[str, Any], trigger: Any, node: Table, path: str) -> None:
        if mode == "manual" and trigger is not None:
            self._reader.wrong(
                node, path, "trigger", "a manual process has no trigger", "leave out `mode: manual`"
            )
        if mode != "manual" and trigger is None and "trigger" not in node.entries:
            hint = 'add `trigger: {cron: "0 6 * * *"}`'
            self._findings.error(node.at("mode"), path, f"a {mode} process needs a trigger", hint)
        if mode != "managed" and "qualifier" in values:
            self._reader.wrong(
                node, path, "qualifier", f"a {mode} process has no qualifier", "use `mode: managed`"
            )
        if mode == "freerun" and "depends_on" in values:
            what = "a freerun process depends on nothing"
            self._reader.wrong(node, path, "depends_on", what, "use `trigger: {after: …}`")
        if "remind_limit" in values and values.get("overlap", _OVERLAP[mode]) != "remind":
            what = "remind_limit needs overlap: remind"
            self._reader.wrong(node, path, "remind_limit", what, "add `overlap: remind`, or remove it")
        for key in _FIRES_ONLY:
            if key in values and mode != "freerun":
                hint = "periods are created in full, iterations by lookback; remove it"
                self._reader.no_effect(node, path, key, f"on a {mode} process, which misses no fires", hint)
        if "catchup_window" in values and values.get("catchup") == "none":
            self._reader.no_effect(node, path, "catchup_window", "with catchup: none")
        if "qualifier" not in node.entries:
            for key in _PERIODS_ONLY:
                if key in values:
                    self._reader.wrong(node, path, key, f"{key} needs a qualifier", "add `qualifier: daily`")
        elif "qualifier" in values and (size := values.get("grouping", 1)) > (
            most := parse_qualifier(values["qualifier"]).longest_group
        ):
            what = f"grouping is {size}, but {values['qualifier']} periods are grouped by at most {most}"
            self._reader.wrong(node, path, "grouping", what, f"write a number up to {most}")
        slots = (trigger or {}).get("slots")
        if slots != "iterations" and is_whole(node.table("trigger"), trigger):
            for key in _ITERATIONS_ONLY:
                if key in values:
                    hint = "add `slots: iterations` to the trigger"
                    self._reader.wrong(node, path, key, f"{key} needs iterations", hint)

    def _check_probes(
        self, values: dict[str, Any], executes: Executes | None, node: Table, path: str
    ) -> None:
        """Report probes without exactly one condition, and checks that only Scoopi's own workers make."""
        names = Probe.__struct_fields__
        for number, entry in enumerate(node.tables("probe")):
            given = [name for name in names if name in entry.entries]
            if len(given) != 1 and len(given) == len(entry.entries):  # an unknown key has been reported
                what = f"probe[{number}] has {' and '.join(given) or 'no condition'}"
                self._findings.error(entry.place, f"{path}.probe", what, f"write one of {', '.join(names)}")
        asks: list[str] = [key for key in ("prepare", "new_input") if key in values]
        asks += ["probe"] * any(probe.path_exists or probe.python for probe in values.get("probe", ()))
        if asks and executes is not None and executes.kind == EXTERNAL:
            what = f"{asks[0]} does not go with external, whose workers call nothing of the project"
            self._reader.wrong(node, path, asks[0], what, "the worker can end the attempt as not_ready")
        if "new_input" in values and values.get("machine", "discrete") == "discrete":
            hint = "add `machine: continuous` or `recomputing`"
            self._reader.wrong(node, path, "new_input", "new_input needs further attempts of a period", hint)
        for key in _SCRAPES_ONLY:
            if key in values and executes is not None and executes.kind != "scrape":
                self._reader.no_effect(node, path, key, f"with {executes.kind}, which publishes no rows")


def _mode(node: Table, trigger: dict[str, Any] | None) -> str:
    """The mode of a process that names none."""
    if "qualifier" in node.entries or (trigger or {}).get("slots") == "iterations":
        return "managed"
    return "freerun" if "trigger" in node.entries else "manual"


def _retry(given: dict[str, Any], mode: str, has_periods: bool) -> RetryRule:
    base: dict[str, Any] = dict(_MANAGED_RETRY) if has_periods else {}
    base["on_exhausted"] = "hold" if mode == "managed" else "fail"
    return RetryRule(**(base | given))
