"""YAML with line marks becomes checked, typed, normalized definitions."""

from scoopi.defs.checkers import Checkers, PluginKind, SelectorFaults
from scoopi.defs.defs_reader import read_definitions
from scoopi.defs.finding import Finding, Severity
from scoopi.defs.report import Report

__all__ = [
    "Checkers",
    "Finding",
    "PluginKind",
    "Report",
    "SelectorFaults",
    "Severity",
    "read_definitions",
]
