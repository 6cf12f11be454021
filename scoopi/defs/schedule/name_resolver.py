"""NameResolver: qualifies the names by which processes refer to each other."""

from __future__ import annotations

import msgspec

from scoopi.defs.schedule.key_places import KeyPlaces
from scoopi.defs.yaml.findings import Findings
from scoopi.model.schedule.process import Probe, Process


class NameResolver:
    """Qualifies the names by which processes refer to each other; an unknown name is a finding.

    Args:
        processes: the valid processes of the project by qualified name; `resolve` replaces them.
        places: where all processes are written.
        findings: collects the errors.
    """

    def __init__(self, processes: dict[str, Process], places: KeyPlaces, findings: Findings) -> None:
        self._processes = processes
        self._places = places
        self._findings = findings

    def resolve(self) -> None:
        """Replace the names in all processes by qualified ones."""
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
