"""Checkers: the checks of texts in definitions that only other rooms can make, passed in as functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from scoopi.defs.locators.row_file import RowFile
from scoopi.defs.locators.row_source import RowSource
from scoopi.defs.yaml.findings import Findings
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place
from scoopi.model.records import RecordSchema
from scoopi.model.records.record_def import RecordDef
from scoopi.model.records.record_fault import RecordFault
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.model.scrape.task_def import OutputDef

ChainPluginKind = Literal["appenders", "encoders", "converters", "scripts", "loaders"]
SelectorFaults = list[tuple[Place, str, str]]
"""Place, what is wrong, and the hint."""


def no_faults(data_def: DataDef) -> SelectorFaults:
    """Find no fault; the default check of data definitions."""
    return []


def no_record_faults(record_def: RecordDef) -> list[RecordFault]:
    """Find no fault; the default check of record definitions."""
    return []


class Fault(NamedTuple):
    """What is wrong, and a hint, which may be empty.

    Attributes:
        is_secret: the checked text is a credential, so no excerpt of the file may show it.
        key: of several keys that were checked together, the one whose value is wrong, or that is missing.
        is_unknown: whether that key itself is wrong.
    """

    what: str
    hint: str = ""
    is_secret: bool = False
    key: str = ""
    is_unknown: bool = False


def report_fault(findings: Findings, fault: Fault | None, text: str, path: str, place: Place) -> None:
    """Add the fault of a text, if it has one; a text that is a credential is hidden in excerpts."""
    if fault is not None:
        if fault.is_secret:
            findings.hide(text)
        findings.error(place, path, fault.what, fault.hint)


Find = Callable[[RowSource], RowFile | Fault]
"""Opens the rows of a source, or returns why they cannot be read."""


def file_rows(source: RowSource) -> RowFile | Fault:
    """Return the row file that a source names, relative to the current folder; it is not opened yet."""
    return RowFile(Path(source.file))


def no_fault(text: str) -> Fault | None:
    """Find no fault; the default check of texts."""
    return None


def _no_plugin_faults(kind: ChainPluginKind, plugin: PluginDef) -> list[Fault]:
    return []


def no_output_faults(task: str, output: OutputDef, schema: RecordSchema | None) -> list[Fault]:
    """Find no fault; the default check of outputs."""
    return []


class Checkers(msgspec.Struct, frozen=True):
    """The checks of texts in definitions that only other rooms can make.

    Each function returns the faults of its argument; the defaults find none.

    Attributes:
        output: checks an output of a task, given the key of the task and the columns of its records.
        css: checks the selectors of a data definition for the CSS engine; they contain placeholders.
        xpath: checks them for the XPath engine.
        records: checks the selectors, patterns, types and constants of a definition of records.
        regex: checks a Java pattern of a filter.
        script: checks a script whose placeholders were replaced by `1`.
        plugin: checks the class and the fields of a plugin.
        step_class: checks the class of a step that is not built in.
        live: checks a duration, period or date-time.
        url: checks the address of a locator.
        page: checks that a local file exists, given an address that `url` accepts.
        ca: checks the path of a file of certificate authorities.
        find: opens the rows of a source, or returns why they cannot be read.
        page_selector: checks a CSS selector of an element.
        loader: checks the loader of a task group, which may need a library.
        path: checks the path of a downloaded file, with its placeholders.
        host_pattern: returns a pattern of hosts in the form in which hosts are compared with it.
    """

    output: Callable[[str, OutputDef, RecordSchema | None], list[Fault]] = no_output_faults
    css: Callable[[DataDef], SelectorFaults] = no_faults
    xpath: Callable[[DataDef], SelectorFaults] = no_faults
    records: Callable[[RecordDef], list[RecordFault]] = no_record_faults
    regex: Callable[[str], Fault | None] = no_fault
    script: Callable[[str], Fault | None] = no_fault
    plugin: Callable[[ChainPluginKind, PluginDef], list[Fault]] = _no_plugin_faults
    step_class: Callable[[str], Fault | None] = no_fault
    live: Callable[[str], Fault | None] = no_fault
    url: Callable[[str], Fault | None] = no_fault
    page: Callable[[str], Fault | None] = no_fault
    ca: Callable[[str], Fault | None] = no_fault
    find: Find = file_rows
    page_selector: Callable[[str], Fault | None] = no_fault
    loader: Callable[[str], Fault | None] = no_fault
    path: Callable[[str], Fault | None] = no_fault
    host_pattern: Callable[[str], str | Fault] = str.lower
