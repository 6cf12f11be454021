"""Step: the interface of the steps of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod

from scoopi.model.handover import Handover, Payload


class Step(ABC):
    """Takes a payload and returns a handover; knows no other step.

    To write a step, derive a class from this one and name it as the `class:` of a step in the definitions;
    it is found as an entry point of `scoopi.steps` or in a file in `plugins/`. It is constructed without
    arguments, once per task and worker, and runs in one thread at a time, once per page.

    - Get the input with `payload.expect(Data)`: Data after a parser, a Page after a loader.
    - Values are frozen: return a changed copy, `ToTask(payload.advance(changed))`.
    - Keep no state between payloads: which pages run in the same worker is undefined, and a page may run
      twice, though only one result counts.
    - Start no threads and write no files: results go into the handover, encoded rows in ToAppender and links
      in ToJobs; both end the task.
    - To warn the user while the task continues, add a Failure to the handover's `warnings`. Only its cause
      and message are needed; Scoopi fills in the rest.
    """

    @abstractmethod
    def run(self, payload: Payload) -> Handover:
        """Do the step's work on one page of one task.

        Raises:
            StepError: the task fails, and its rows and links are lost; the page's other tasks and the run
                continue. Any other exception has the same effect and is reported as an error in the step.
        """
