"""ScriptLimits: how long one script may run and how much memory it may hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    """The settings `scoopi.script.timeout` (ms) and `scoopi.script.memory` (MB).

    Source: language, A12.
    """

    timeout_ms: int = 1000
    memory_mb: int = 32
