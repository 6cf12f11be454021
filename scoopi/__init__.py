"""Scoopi: definitions in, rows out, each exactly once.

`Scoopi(defs_dir).run()` does a run, `extract(defs, page, url)` reads one page in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoopi.version import __version__

if TYPE_CHECKING:
    from scoopi.app import Scoopi, check, extract
    from scoopi.model.report.run_report import RunReport

__all__ = ["RunReport", "Scoopi", "__version__", "check", "extract"]

_HOMES = {
    "Scoopi": "scoopi.app",
    "check": "scoopi.app",
    "extract": "scoopi.app",
    "RunReport": "scoopi.model.report.run_report",
}


def __getattr__(name: str) -> Any:
    """Import a name of `__all__` when it is first used, so that `scoopi --help` need not load the engine."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'scoopi' has no attribute {name!r}")
