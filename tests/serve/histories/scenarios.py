"""Scenarios: short histories of a scheduler, one for each rule that says what runs when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.serve.histories.crashing_world import CrashingWorld

SCENARIOS: dict[str, Scenario] = {}
RUN = 'executes: "python:a:b"'


@dataclass(frozen=True)
class Scenario:
    """Definitions, and what happens with them; it leaves more time between its steps than a crash takes."""

    text: str
    play: Callable[[CrashingWorld], None]


def scenario(processes: str, settings: str = "") -> Callable[[Callable[[CrashingWorld], None]], None]:
    """Register a scenario under the name of its function."""
    lines = "".join(f"  {line.strip()}\n" for line in processes.strip().splitlines())
    text = f"settings: {{{settings}}}\nprocesses:\n{lines.replace('RUN', RUN)}"

    def register(play: Callable[[CrashingWorld], None]) -> None:
        SCENARIOS[play.__name__] = Scenario(text, play)

    return register
