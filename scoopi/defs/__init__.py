"""YAML with line marks becomes checked, typed, normalized definitions."""

from scoopi.defs.checkers import Checkers, Fault, PluginKind, SelectorFaults
from scoopi.defs.defs_reader import read_definitions
from scoopi.defs.finding import Finding, Severity
from scoopi.defs.report import Report

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
