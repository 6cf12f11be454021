"""ProcessEdges: qualifies the names by which processes refer to each other, and checks these edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import msgspec

from scoopi.defs.schedule.key_places import KeyPlaces
from scoopi.defs.yaml.findings import Findings
from scoopi.model.schedule.process import Probe, Process

_LENGTHS = ("hourly", "daily", "monthly", "yearly")
Edge = tuple[str, tuple[str | int, ...]]
"""The process that comes first, and the keys that lead to where its name is written."""


class ProcessEdges:
    """Qualifies the names by which processes refer to each other, and checks the edges.

    Args:
        processes: the valid processes by qualified name; `qualify` replaces them.
        places: where all processes are written.
        findings: collects the errors.
    """

    def __init__(self, processes: dict[str, Process], places: KeyPlaces, findings: Findings) -> None:
        self._processes = processes
        self._places = places
        self._findings = findings

    def qualify(self) -> None:
        """Replace the names in all processes by qualified ones, and report those that are unknown."""
        for name, process in self._processes.items():
            depends_on = tuple(
                msgspec.structs.replace(
                    edge, process=self._qualified(edge.process, process, "depends_on", number, "process")
                )
                for number, edge in enumerate(process.depends_on)
            )
            probe = tuple(self._probe(each, process, number) for number, each in enumerate(process.probe))
            trigger = process.trigger
            if trigger is not None and trigger.after:
                after = tuple(
                    self._qualified(other, process, "trigger", "after", number)
                    for number, other in enumerate(trigger.after)
                )
                trigger = msgspec.structs.replace(trigger, after=after)
            self._processes[name] = msgspec.structs.replace(
                process, depends_on=depends_on, trigger=trigger, probe=probe
            )

    def check_cycles(self) -> None:
        """Report processes that wait for themselves; edges to earlier slots make no cycle."""
        edges = {name: [*_predecessors(process)] for name, process in self._processes.items()}
        while cycle := _cycle({name: [other for other, _ in each] for name, each in edges.items()}):
            first, second = cycle[:2]
            closing = next(edge for edge in edges[first] if edge[0] == second)
            what = f"processes wait for each other: {' -> '.join(cycle)}"
            if first == second:
                what = f"{first} waits for itself"
            at = self._places.at(first, *closing[1])
            self._findings.error(*at, what, "remove one of the edges")
            edges[first].remove(closing)  # to find the others

    def check_slots(self) -> None:
        """Report edges between processes whose slots do not correspond."""
        for process in self._processes.values():
            seen: set[tuple[str, int]] = set()
            self._warn_of_parts(process)
            for number, edge in enumerate(process.depends_on):
                self._check_slot(process, edge.process, ("depends_on", number))
                if (edge.process, edge.slot) in seen:
                    what = f"{process.name} depends on the same slot of {edge.process} twice"
                    at = self._places.at(process.name, "depends_on", number)
                    self._findings.error(*at, what, "keep one of them")
                seen.add((edge.process, edge.slot))
            for number, probe in enumerate(process.probe):
                if probe.job_done is not None:
                    self._check_slot(process, probe.job_done.process, ("probe", number, "job_done"))
            self._check_triggers(process)

    def _probe(self, probe: Probe, process: Process, number: int) -> Probe:
        if probe.job_done is None:
            return probe
        name = self._qualified(probe.job_done.process, process, "probe", number, "job_done", "process")
        return msgspec.structs.replace(probe, job_done=msgspec.structs.replace(probe.job_done, process=name))

    def _qualified(self, name: str, process: Process, *keys: str | int) -> str:
        if name in self._places:
            return name
        own = f"{process.name.rpartition('.')[0]}.{name}"
        found = [own] if own in self._places else [each for each in self._places if each.endswith(f".{name}")]
        if len(found) == 1:
            return found[0]
        if found:
            what = f"{name} may be {' or '.join(found)}"
            self._findings.error(*self._places.at(process.name, *keys), what, "write the namespace")
        else:
            known = [each.rpartition(".")[2] for each in self._places]
            at = self._places.at(process.name, *keys)
            self._findings.unknown(*at, f"unknown process {name}", name, known)
        return name

    def _check_slot(self, process: Process, before: str, names: tuple[str | int, ...]) -> None:
        """Report an edge that does not lead from periods to periods, or from iterations to iterations."""
        other = self._processes.get(before)
        if other is None or _slots(process) in ("", _slots(other)):
            return
        what = f"{process.name} has {_slots(process)}, but {before} has {_slots(other) or 'none'}"
        hint = "give both periods, or both iterations; `trigger: {after: …}` follows any process"
        self._findings.error(*self._places.at(process.name, *names), what, hint)

    def _warn_of_parts(self, process: Process) -> None:
        """Warn of a dependency of longer periods on shorter ones, of which it waits for one only."""
        for number, edge in enumerate(process.depends_on):
            other = self._processes.get(edge.process)
            if process.qualifier is None or other is None or other.qualifier is None:
                continue
            if _LENGTHS.index(other.qualifier) < _LENGTHS.index(process.qualifier):
                what = f"{process.name} waits for one {other.qualifier} period of {other.name}, not for all"
                hint = "it is the one in which its own period begins, or `slot` before that"
                self._findings.warning(*self._places.at(process.name, "depends_on", number), what, hint)

    def _check_triggers(self, process: Process) -> None:
        """Report triggers between periods of different lengths, as a triggered job has its trigger's slot."""
        for number, before in enumerate(process.trigger.after if process.trigger is not None else ()):
            other = self._processes.get(before)
            if process.qualifier is None or other is None or other.qualifier == process.qualifier:
                continue
            theirs = f"{other.qualifier} periods" if other.qualifier else _slots(other) or "no periods"
            what = f"{process.name} has {process.qualifier} periods, but {before} has {theirs}"
            hint = "remove `qualifier`: the job that follows has the slot of the one before it"
            self._findings.error(*self._places.at(process.name, "trigger", "after", number), what, hint)


def _cycle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """A cycle in a graph of nodes and their predecessors, from a node back to it; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [*reversed(error.args[1])]
    return []


def _predecessors(process: Process) -> Iterator[Edge]:
    """The processes that come first in the same slot."""
    trigger = process.trigger
    for number, name in enumerate(trigger.after if trigger is not None else ()):
        yield name, ("trigger", "after", number)
    for number, edge in enumerate(process.depends_on):
        if edge.slot == 0:
            yield edge.process, ("depends_on", number)


def _slots(process: Process) -> str:
    """The kind of a process's slots, as far as other jobs can wait for one; empty if they are times."""
    if process.qualifier is not None:
        return "periods"
    return "iterations" if process.trigger is not None and process.trigger.slots == "iterations" else ""
