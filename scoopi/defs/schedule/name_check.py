"""NameCheck: checks that the functions, programs and templates that processes name exist; runs no code."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from scoopi.defs.schedule.key_places import KeyPlaces
from scoopi.defs.schedule.module_reader import ModuleNames, ModuleReader
from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place
from scoopi.model.schedule.process import Process
from scoopi.model.text.secrets import variable_of
from scoopi.model.text.shown import nearest

_PART = re.compile(r"\$\{\s*(.*?)\s*\}")
_SLOT_NAMES = ("slot.key", "slot.start", "slot.end")
_PERIOD_INPUTS = ("start_id", "end_id")
_TRIGGER_NAMES = ("trigger.job", "trigger.slot.key")
_OUTPUTS = "trigger.outputs."
_CONTEXT = "context"
_SOURCE_METHODS = {"current": "self, now", "previous": "self, number, i"}


class NameCheck:
    """Checks that the functions, programs and templates that processes name exist, without running any code.

    A package or program that is not found is only a warning, as it may be installed on the workers.

    Args:
        root: the folder of the project.
        places: where the keys of its processes are written.
        findings: collects the errors.
    """

    def __init__(self, root: Path, places: KeyPlaces, findings: Findings) -> None:
        self._root = root
        self._places = places
        self._findings = findings
        self._modules = ModuleReader(root)

    def check(self, process: Process) -> None:
        """Check one process."""
        executes, trigger, at = process.executes, process.trigger, partial(self._places.at, process.name)
        if executes.kind == "python":
            given = None if process.mode == "manual" else self._given(process)
            self._function(executes.what[0], *at("executes", "python"), given)
        elif executes.kind == "command":
            self._program(executes.what[0], *at("executes", "command", 0))
        for key, name in (("prepare", process.prepare), ("new_input", process.new_input)):
            if name:
                self._function(name, *at(key), self._given(process))
        for number, probe in enumerate(process.probe):
            if probe.python:
                self._function(probe.python, *at("probe", number, "python"), self._given(process))
        for number, rule in enumerate(process.notify):
            self.check_target(rule.via, *at("notify", number, "via"))
        if trigger is not None and trigger.source.startswith("python:"):
            self._source(process, trigger.source.removeprefix("python:"), *at("trigger", "source"))
        self._templates(process)

    def check_target(self, via: tuple[str, ...], place: Place, path: str) -> None:
        """Check the function or command that sends notifications."""
        if via[0].startswith("python:"):
            self._function(via[0].removeprefix("python:"), place, path)
        else:
            self._program(via[0], place, path)

    def _given(self, process: Process) -> frozenset[str]:
        """The names of the parameters that functions of the process get, with those of invalid inputs."""
        periods = _PERIOD_INPUTS if process.qualifier else ()
        written = self._places.names_in(process.name, "inputs")
        return frozenset({*process.inputs, *written, *periods, _CONTEXT})

    def _function(self, name: str, place: Place, path: str, given: frozenset[str] | None = None) -> None:
        """Check that a function exists, and that its parameters are among those `given`."""
        function = name.partition(":")[2]
        found = self._module_of(name, place, path)
        if found is None:
            return
        if what := found.not_called.get(function):
            self._findings.error(place, path, f"{name} is {what}", f"write a function: `def {function}(…):`")
        elif given is not None:
            needed = [each for each in found.parameters.get(function, ()) if each not in given]
            if needed:
                what = f"{name} needs the {_plural('input', needed)} {', '.join(needed)}"
                near = nearest(needed[0], given)
                hint = f"rename it to {near}, or add `inputs: {{{needed[0]}: …}}`" if near else ""
                self._findings.error(place, path, what, hint or f"add `inputs: {{{needed[0]}: …}}`")

    def _source(self, process: Process, name: str, place: Place, path: str) -> None:
        """Check that a class exists, and has the methods that a source of iterations needs."""
        written = name.partition(":")[2]
        found = self._module_of(name, place, path)
        if found is None:
            return
        if written in found.not_called or written in found.parameters:
            what = f"{name} is {found.not_called.get(written, 'a function')}, and a source is a class"
            self._findings.error(place, path, what, f"write `class {written}:`, with the method current")
            return
        known = found.methods.get(written, frozenset(_SOURCE_METHODS))
        for method, parameters in _SOURCE_METHODS.items():
            if method not in known and (method != "previous" or process.lookback):
                what = f"{name} has no method {method}"
                self._findings.error(place, path, what, f"write `def {method}({parameters}):` in the class")

    def _module_of(self, name: str, place: Place, path: str) -> ModuleNames | None:
        """The names of the module of a function or class; None if it is missing or cannot be known."""
        module, _, function = name.partition(":")
        found = self._modules.names_of(module)
        if found is None:
            near = nearest(module, self._modules.own())
            what = f"module {module} is neither in the project nor installed here"
            if module.removesuffix(".py") in self._modules.own():
                near = f"{module.removesuffix('.py')}:{function}"
                self._findings.error(place, path, what, near=near)
            elif near and "." not in module:
                self._findings.error(place, path, what, near=near)
            else:
                hint = "each worker needs it"
                self._findings.warning(place, path, what, hint)
            return None
        if found.problem:
            self._findings.error(place, path, found.problem, "correct the module")
            return None
        if found.is_whole and function not in found.names:
            what = f"{module} has no {function}"
            self._findings.unknown(place, path, what, function, found.names)
            return None
        return found

    def _program(self, word: str, place: Place, path: str) -> None:
        """Check a program: a file of the project, or else a program in PATH."""
        own = self._root / word
        if os.path.isfile(own):  # a word may be too long for a name, for which `Path` raises an error
            if not os.access(own, os.X_OK):
                what = f"{word} is not executable"
                self._findings.error(place, path, what, f"chmod +x {own}")
        elif "/" in word and not word.startswith("/"):
            near = nearest(word, self._programs(Path(word).parent))
            what, hint = f"the project has no program {word}", "write its path in the project"
            self._findings.error(place, path, what, hint, near=near)
        elif shutil.which(word) is None:
            what = f"program {word} is neither in the project nor in PATH here"
            hint = "each worker needs it"
            self._findings.warning(place, path, what, hint)

    def _programs(self, folder: Path) -> list[str]:
        try:
            return [str(folder / each.name) for each in (self._root / folder).iterdir() if each.is_file()]
        except OSError:
            return []

    def _templates(self, process: Process) -> None:
        known = {*_SLOT_NAMES, *(_PERIOD_INPUTS if process.qualifier else ())}
        if process.trigger is not None and process.trigger.after:
            known |= {*_TRIGGER_NAMES}
        secrets: set[str] = set()
        for name, text in process.inputs.items():
            if variable_of(text.replace(" ", "")):
                secrets.add(name)
            else:
                self._template(text, known, secrets, process, "inputs", name)
                known.add(name)
        executes = process.executes
        for number, word in enumerate(executes.what if executes.kind == "command" else ()):
            self._template(word, known, secrets, process, "executes", "command", number)
        for number, probe in enumerate(process.probe):
            self._template(probe.path_exists or "", known, secrets, process, "probe", number, "path_exists")
        for name, text in executes.env.items():
            if not variable_of(text.replace(" ", "")):
                self._template(text, known | secrets, set(), process, "executes", "env", name)

    def _template(
        self, text: str, known: set[str], secrets: set[str], process: Process, *keys: str | int
    ) -> None:
        at = self._places.at(process.name, *keys)
        if "${" in _PART.sub("", text):
            hint = "write `${ slot.key }`, with the brace at its end"
            self._findings.error(*at, "a `${` is not closed", hint)
        for name in self._unknown(text, known, process):
            if name in secrets or name.startswith("env:"):
                what = f"{name} is a secret, which must not be part of a text"
                variable = name.removeprefix("env:").upper()
                hint = f'pass it as a whole, by `env: {{{variable}: "${{ {name} }}"}}` of executes'
                if name.startswith("env:"):
                    hint = f'make it an input of its own, `inputs: {{{variable.lower()}: "${{{name}}}"}}`'
                self._findings.error(*at, what, hint)
            elif "." not in name and process.mode == "manual":
                what = f"{name} is not among the inputs of the process"
                self._findings.warning(*at, what, f"each launch has to give it: -i {name}=…")
            elif name in process.inputs:
                what = f"input {name} is not known here: inputs know those before them"
                self._findings.error(*at, what, f"move {name} up, or give a value without it")
            elif name.startswith("trigger.") and not known.issuperset(_TRIGGER_NAMES):
                what = f"{name} needs a job that triggers this one"
                self._findings.error(*at, what, "add `trigger: {after: PROCESS}`")
            else:
                self._findings.unknown(*at, f"unknown name {name!r}", name, known)

    @staticmethod
    def _unknown(text: str, known: Iterable[str], process: Process) -> Iterator[str]:
        is_triggered = process.trigger is not None and bool(process.trigger.after)
        for name in _PART.findall(text):
            if name not in known and not (is_triggered and name.startswith(_OUTPUTS)):
                yield name


def _plural(noun: str, things: list[str]) -> str:
    return noun if len(things) == 1 else f"{noun}s"
