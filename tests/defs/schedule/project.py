"""Writes projects of the scheduler into a folder and reads them."""

from __future__ import annotations

import textwrap
from pathlib import Path

from scoopi.defs.schedule.schedule_reader import read_schedule
from scoopi.defs.yaml.findings import Finding
from scoopi.defs.yaml.report import Report
from scoopi.model.inputs import Inputs
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_settings import Schedule

MODULES = {
    "actions": "def load(): ...\ndef clean(): ...\ndef ready(): ...\n"
    "class Source:\n    def current(self, now): ...\n    def previous(self, number, i): ...\n",
    "mail": "def send(message): ...\n",
}
PROGRAMS = ("load", "mail")


class Project:
    """A project in a folder of its own.

    Attributes:
        checked: folders of scrapes whose definitions were checked.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checked: list[Path] = []
        self.inputs: list[Inputs] = []
        self.scrape_report = Report()

    def write(self, **files: str) -> Project:
        """Write files by their name without suffix."""
        (self.folder / "bin").mkdir(parents=True, exist_ok=True)
        for name, text in MODULES.items():
            (self.folder / f"{name}.py").write_text(text)
        for name in PROGRAMS:
            (self.folder / "bin" / name).touch(0o755)
        for name, text in files.items():
            (self.folder / f"{name}.yml").write_text(textwrap.dedent(text))
        return self

    def read(self) -> tuple[Schedule, Report]:
        return read_schedule(self.folder, self._check_scrape)

    def process(self, keys: str) -> Process:
        """The process `p` with these keys, which must be valid."""
        schedule, report = self.read_process(keys)
        report.raise_if_errors()
        return schedule.processes["p"]

    def finding(self, keys: str) -> Finding:
        """The one finding about the process `p`."""
        (found,) = self.read_process(keys)[1].findings
        return found

    def read_process(self, keys: str) -> tuple[Schedule, Report]:
        (self.folder / "books").mkdir(parents=True, exist_ok=True)
        body = textwrap.indent(textwrap.dedent(keys).strip(), "    ")
        other = "  other:\n    executes: external:x\n"
        self.write(jobs=f"processes:\n{other}  p:\n{body}\n")
        return self.read()

    def _check_scrape(self, path: Path, inputs: Inputs) -> Report:
        self.checked.append(path)
        self.inputs.append(inputs)
        return self.scrape_report
