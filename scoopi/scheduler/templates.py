"""templates: expands `${ … }` in inputs and arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from scoopi.errors import DefsError
from scoopi.model.place import Place
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import JobRecord
from scoopi.model.text.secrets import has_reference, variable_of
from scoopi.model.text.shown import did_you_mean
from scoopi.periods.period import Period
from scoopi.periods.slot import Instant, instant_text, parse_slot

_PART = re.compile(r"\$\{\s*(.*?)\s*\}")
_VARIABLE = re.compile(r"\$\{\s*env:\s*([A-Za-z_]\w*)\s*\}", re.ASCII)


def slot_times(job: JobRecord) -> tuple[datetime, datetime]:
    """Return start and end of a job's slot.

    If the slot is not a period, both are its instant, or else when the job was due, or else created.
    """
    slot = parse_slot(job.slot)
    if isinstance(slot, Period):
        return slot.bounds()
    at = slot.at if isinstance(slot, Instant) else job.due or job.created
    return at, at


def names_of(job: JobRecord) -> dict[str, str]:
    """Return the names that templates of a job may use besides its inputs, with their values.

    They are about its slot, and the job that triggered it.
    """
    start, end = slot_times(job)
    names = {"slot.key": job.slot, "slot.start": instant_text(start), "slot.end": instant_text(end)}
    if job.trigger:
        names |= {"trigger.job": job.trigger["job"], "trigger.slot.key": job.trigger["slot"]}
        for output, value in job.trigger.get("outputs", {}).items():
            names[f"trigger.outputs.{output}"] = _text(value)
    return names


def expand(text: str, names: Mapping[str, str], key: str, place: Place) -> str:
    """Return the text with each `${ NAME }` replaced.

    >>> from scoopi.model.place import NOWHERE
    >>> expand("day ${ slot.key }", {"slot.key": "D:2026010100"}, "inputs.day", NOWHERE)
    'day D:2026010100'

    Args:
        names: name -> value.
        key: the key of the text, for the error.
        place: where its process is defined.
    Raises:
        DefsError: a name is unknown.
    """

    def value(part: re.Match[str]) -> str:
        if part[1] in names:
            return names[part[1]]
        hint = did_you_mean(part[1], names, f"known: {', '.join(sorted(names))}")
        raise DefsError(f"{key}: unknown name {part[1]!r}", at=str(place), hint=hint)

    return _PART.sub(value, text)


def inputs_of(job: JobRecord, process: Process) -> dict[str, str]:
    """Return the inputs of a job's attempt, in order; each may use those before it.

    A job with a period also has `start_id` and `end_id`: its first and last period, as ten digits. A secret
    of the process, `${env:NAME}`, is not expanded: its value is read where the attempt runs, and never
    stored.

    Raises:
        DefsError: an input uses an unknown name, or a secret.
    """
    names, slot = names_of(job), parse_slot(job.slot)
    inputs: dict[str, str] = {}
    if isinstance(slot, Period):
        first, last = slot.group(process.grouping)
        inputs = {"start_id": str(first).partition(":")[2], "end_id": str(last).partition(":")[2]}
    for name, text in {**process.inputs, **job.inputs}.items():
        variable = _VARIABLE.fullmatch(text) if name not in job.inputs else None
        if variable is not None:
            inputs[name] = f"${{env:{variable[1]}}}"
            continue
        open_inputs = {each: value for each, value in inputs.items() if not variable_of(value)}
        inputs[name] = expand(text, names | open_inputs, f"inputs.{name}", process.place)
        if has_reference(inputs[name]):
            what = f"inputs.{name}: its value names a secret, which only the process itself may do"
            raise DefsError(what, at=str(process.place), hint="write it as ${env:NAME} in the inputs there")
    return inputs


def secret_inputs(inputs: Mapping[str, str], environ: Mapping[str, str], place: Place) -> dict[str, str]:
    """Return the inputs of the form `${env:NAME}`, with the values of the worker's variables.

    Raises:
        DefsError: the worker has no such variable.
    """
    secrets = {name: text for name, text in inputs.items() if variable_of(text)}
    return environment_of(secrets, {}, environ, place, key="inputs")


def environment_of(
    given: Mapping[str, str],
    names: Mapping[str, str],
    environ: Mapping[str, str],
    place: Place,
    key: str = "env",
) -> dict[str, str]:
    """Return the environment variables of a program; `${env:NAME}` is the worker's own variable NAME.

    Args:
        given: the variables as they are defined.
        names: what they may name, as for `expand`.
        environ: the variables of the worker.
        key: the key of the variables, for errors.
    Raises:
        DefsError: a name or a variable is unknown.
    """
    values: dict[str, str] = {}
    for name, text in given.items():
        variable = _VARIABLE.fullmatch(text)
        if variable is None:
            values[name] = expand(text, names, f"{key}.{name}", place)
        elif variable[1] in environ:
            values[name] = environ[variable[1]]
        else:
            what = f"{key}.{name}: the worker has no environment variable {variable[1]}"
            raise DefsError(what, at=str(place), hint="set it where scoopi serve is started")
    return values


def _text(value: Any) -> str:
    """The value of an output as text; JSON if it is not a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
