"""AttemptEnvironment: where attempts run; makes the spec of an attempt, which its supervisor runs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from scoopi.errors import DefsError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.run_node import FIRST_NODE
from scoopi.model.schedule.schedule_records import AttemptRecord, JobRecord
from scoopi.model.schedule.stored_bytes import KeptLog
from scoopi.scheduler.templates import environment_of, expand, names_of, secret_inputs
from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.attempt_log import log_end
from scoopi.serve.work.publication import complete_all
from scoopi.serve.work.run_specs import folder_name, run_spec

INPUTS_FILE = "inputs.json"
KEPT_LOG_BYTES = 65_536
"""The most bytes of a log's end that are copied to a shared store."""
_CREATED = ".created"


@dataclass(frozen=True, slots=True)
class AttemptEnvironment:
    """The folders and the environment in which attempts run.

    Attributes:
        work: the folder that has a folder for each attempt.
        state: the folder of the scheduler's state.
        output: the folder that output folders of processes are relative to.
        calls: `module:function` by kind of executable, for kinds that are functions of Scoopi.
        variables: the environment variables of the worker.
        runs: settings with which nodes of a run join the store of the records; empty if none can.
    """

    work: Path
    state: Path
    output: Path
    calls: Mapping[str, str]
    variables: Mapping[str, str]
    runs: Mapping[str, str] = field(default_factory=dict)

    def folder(self, attempt: AttemptRecord) -> Path:
        """Return the folder of an attempt, which is the same for each of its claims."""
        return attempt_folder(self.work, attempt)

    def _prepared(self, claim: Claim) -> Path:
        """Create the folder of a claim: that of its attempt, or of a further node in it."""
        folder = self.folder(claim.attempt)
        _prepare(folder, claim.attempt)
        own = node_folder(folder, claim.node)
        own.mkdir(exist_ok=True)
        return own

    def log_of(self, claim: Claim) -> KeptLog:
        """Return the end of what an attempt, or a node of its run, has printed here."""
        before, data = log_end(node_folder(self.folder(claim.attempt), claim.node), KEPT_LOG_BYTES)
        return KeptLog(fence=claim.fence, before=before, data=data)

    def complete_publications(self, processes: Iterable[Process]) -> None:
        """Finish publications that a crash has interrupted in the output folders."""
        for process in processes:
            if process.executes.kind == "scrape":
                complete_all(self.output / process.output / process.name, process.keep_former)

    def spec(self, claim: Claim, job: JobRecord, process: Process, project: Path) -> dict[str, Any]:
        """Return the spec that a supervisor runs, after creating the folder of the attempt.

        Returns:
            Values for JSON: `attempt`, `created`, `folder`, `cwd`, `env` (complete), `slot` (key, start and
            end), `inputs`, `path` (for `sys.path`), `checks` (`{KIND: WHAT}`), and `argv` of a program or
            `call` of a function; for one of Scoopi also `project`, `output`, `process` and perhaps `run`.
        Raises:
            DefsError: a name, a variable or a program is unknown.
        """
        attempt, folder = claim.attempt, self._prepared(claim)
        executes, is_own = process.executes, process.executes.kind in self.calls
        secrets = {} if is_own else secret_inputs(attempt.inputs, self.variables, process.place)
        inputs = {name: value for name, value in attempt.inputs.items() if name not in secrets}
        (folder / INPUTS_FILE).write_text(json.dumps(inputs, ensure_ascii=False))
        names = names_of(job) | inputs
        environ = dict(self.variables) | {
            "SCOOPI_ATTEMPT": attempt.attempt,
            "SCOOPI_FENCE": str(claim.fence),
            "SCOOPI_INPUTS": str(folder / INPUTS_FILE),
            "SCOOPI_STATE": str(self.state),
        }
        spec: dict[str, Any] = {
            "attempt": attempt.attempt,
            "created": attempt.created.isoformat(),
            "folder": str(folder),
            "cwd": str(project if executes.cwd == "project" else folder),
            "env": environ | environment_of(executes.env, names | secrets, self.variables, process.place),
            "slot": [names["slot.key"], names["slot.start"], names["slot.end"]],
            "inputs": attempt.inputs | secrets,
            "path": [str(project)],
        }
        spec["checks"] = self._checks(attempt, job, process, names) if claim.is_first else []
        if executes.kind == "command":
            words = [expand(word, names, "executes.command", process.place) for word in executes.what]
            return spec | {"argv": [_program(words[0], project, spec["env"], process), *words[1:]]}
        if is_own:
            details: dict[str, Any] = {
                "project": str(project),
                "output": str(self.output),
                "process": msgspec.to_builtins(process),
            }
            if executes.nodes > 1:
                details["run"] = run_spec(attempt, claim.node, process, self.output, self.runs)
            return spec | details | {"call": self.calls[executes.kind]}
        return spec | {"call": executes.what[0]}

    def _checks(
        self, attempt: AttemptRecord, job: JobRecord, process: Process, names: Mapping[str, str]
    ) -> list[dict[str, str]]:
        """The checks before the work, in order, each as `{KIND: WHAT}`.

        The kinds are `new_input`, `prepare`, `path` and `python`.
        """
        place = process.place
        checks: list[dict[str, str]] = []
        is_further = attempt.number > 1 and job.state == "in_progress" and not job.failures
        if process.new_input and is_further:
            checks.append({"new_input": process.new_input})
        if process.prepare:
            checks.append({"prepare": process.prepare})
        for probe in process.probe:
            if probe.path_exists is not None:
                path = expand(probe.path_exists, names, "probe.path_exists", place)
                checks.append({"path": str(self.output / path) if path else ""})
            elif probe.python is not None:
                checks.append({"python": probe.python})
        return checks


def attempt_folder(work: Path, attempt: AttemptRecord) -> Path:
    """Return the folder of an attempt: one level below `work`."""
    return work / folder_name(attempt)


def node_folder(folder: Path, node: int) -> Path:
    """Return the folder of a node: that of its attempt for the first one, and one in it for others."""
    return folder if node == FIRST_NODE else folder / f"node-{node}"


def key_of_folder(name: str) -> str:
    """Return the key of the record of the attempt whose folder has this name; empty for other names."""
    parts = name.rsplit("~", 2)
    return "/".join(parts) if len(parts) == len(("process", "slot", "number")) else ""


def _prepare(folder: Path, attempt: AttemptRecord) -> None:
    """Create the folder of an attempt.

    A removed job that is created again has attempts with the same ids; what an earlier one has left here
    must not be taken for the work of this one.
    """
    mark, created = folder / _CREATED, attempt.created.isoformat()
    if mark.exists():
        if mark.read_text() == created:
            return
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = folder / f"{_CREATED}.new"  # a half-written mark would remove the folder of a later claim
    new.write_text(created)
    new.replace(mark)


def _program(word: str, project: Path, environ: Mapping[str, str], process: Process) -> str:
    """The program of a command: a file of the project, else one of PATH."""
    own = project / word
    if own.is_file() and own.resolve().is_relative_to(project.resolve()):
        return str(own)
    found = shutil.which(word, path=environ.get("PATH", os.defpath))
    if found is None:
        hint = "write the path of a file of the project, or install the program on the worker"
        raise DefsError(f"executes.command: program {word} was not found", at=str(process.place), hint=hint)
    return found
