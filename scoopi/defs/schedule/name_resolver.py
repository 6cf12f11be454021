"""NameResolver: qualifies the names by which processes refer to each other."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place
from scoopi.model.schedule.process import Probe, Process


class NameResolver:
    """Qualifies the names by which processes refer to each other; an unknown name is a finding.

    Args:
        processes: those of the project by qualified name; `resolve` replaces them.
        places: where each process is defined, including invalid ones.
        findings: collects the errors.
    """

    def __init__(
        self, processes: dict[str, Process], places: Mapping[str, Place], findings: Findings
    ) -> None:
        self._processes = processes
        self._places = places
        self._findings = findings

    def resolve(self) -> None:
        """Replace the names of processes by qualified ones."""
        for name, process in self._processes.items():
            depends_on = tuple(
                msgspec.structs.replace(edge, process=self._qualified(edge.process, process, "depends_on"))
                for edge in process.depends_on
            )
            probe = tuple(self._probe(each, process) for each in process.probe)
            trigger = process.trigger
            if trigger is not None and trigger.after:
                after = tuple(self._qualified(other, process, "trigger.after") for other in trigger.after)
                trigger = msgspec.structs.replace(trigger, after=after)
            self._processes[name] = msgspec.structs.replace(
                process, depends_on=depends_on, trigger=trigger, probe=probe
            )

    def _probe(self, probe: Probe, process: Process) -> Probe:
        if probe.job_done is None:
            return probe
        name = self._qualified(probe.job_done.process, process, "probe")
        return msgspec.structs.replace(probe, job_done=msgspec.structs.replace(probe.job_done, process=name))

    def _qualified(self, name: str, process: Process, key: str) -> str:
        if name in self._places:
            return name
        own = f"{process.name.rpartition('.')[0]}.{name}"
        found = [own] if own in self._places else [each for each in self._places if each.endswith(f".{name}")]
        path = f"processes.{process.name.rpartition('.')[2]}.{key}"
        if len(found) == 1:
            return found[0]
        if found:
            what = f"{name} may be {' or '.join(found)}"
            self._findings.error(process.place, path, what, "write the namespace")
        else:
            known = [each.rpartition(".")[2] for each in self._places]
            self._findings.unknown(process.place, path, f"unknown process {name}", name, known)
        return name
