"""Payload: one task of a job on its way through the steps."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from scoopi.errors import StepError
from scoopi.model.locator import Locator

Input = TypeVar("Input")


class Payload(msgspec.Struct, frozen=True):
    """What a step is given.

    Attributes:
        job: the job's id.
        locator: the job's page.
        page: its position in the chain of links, from 1.
        task: name of the task, empty before the page is loaded.
        input: what the step works on: Locator, Page, Data, …
    """

    job: str
    locator: Locator
    page: int
    task: str
    input: object

    def expect(self, kind: type[Input]) -> Input:
        """The input, if it is of that kind.

        Raises:
            StepError: the step before handed over something else.
        """
        if isinstance(self.input, kind):
            return self.input
        got = type(self.input).__name__
        raise StepError(
            f"the step needs {kind.__name__} and was given {got}",
            hint="look at the order of the steps of this task",
        )

    def advance(self, output: object) -> Payload:
        """The payload for the next step."""
        return Payload(self.job, self.locator, self.page, self.task, output)
