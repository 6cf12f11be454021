"""Target: one part of Scoopi that is fuzzed, and the inputs that it is given."""

from __future__ import annotations

from typing import Protocol


class Target(Protocol):
    """Makes an input of a number, and gives it to the code under test.

    Attributes:
        name: as `--only` takes it, and in the report.
        host_timeout_s: the longest time that one input may take; a longer one counts as a hang.
    """

    name: str
    host_timeout_s: float

    def __init__(self, seed: int) -> None:
        """Inputs of another seed are others."""

    def feed(self, number: int) -> bool:
        """Make the input of that number and give it to the code.

        Returns:
            Whether the code accepted it; False when it refused it with an error that names the fault.
        Raises:
            Exception: anything else that the code let through; this is what a campaign looks for.
        """

    def shown(self, number: int) -> bytes:
        """The input of that number, to be kept beside its fault."""

    def close(self) -> None:
        """End what the target has started."""
