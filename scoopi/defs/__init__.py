"""YAML with line marks becomes checked, typed, normalized definitions."""

from scoopi.defs.scrape.checkers import Checkers, Fault, PluginKind, SelectorFaults
from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.defs.yaml.findings import Finding, Severity
from scoopi.defs.yaml.report import Report

__all__ = [
    "Checkers",
    "Fault",
    "Finding",
    "PluginKind",
    "Report",
    "SelectorFaults",
    "Severity",
    "read_definitions",
]
