"""Step: what a step of a task promises, the built-in ones and those of users."""

from __future__ import annotations

from abc import ABC, abstractmethod

from scoopi.model.handover import Handover
from scoopi.model.payload import Payload


class Step(ABC):
    """Takes a payload and answers with a handover; knows no other step.

    A step of your own is a class derived from this one, found by the `class:` of a step in the
    definitions: an entry point of `scoopi.steps`, or a file in `plugins/`. It is constructed without
    arguments, once for each task and worker, and is run by one thread at a time, once for each page.

    - Read the input by `payload.expect(Data)`: after the parser it is Data, after a loader Page.
    - Values are frozen: make a changed copy and hand it on, `ToTask(payload.advance(changed))`.
    - Keep nothing of one payload for the next: which pages meet in one worker is left to chance, and
      a page may be run twice, of which one run counts.
    - Start no thread and write no file: what shall outlive the page goes into the handover, ToAppender
      for encoded rows and ToJobs for links, either of which ends the task.
    - What the user should know though the task goes on is a Failure in the handover's `warnings`; the
      cause and the message are enough, the rest is filled in.
    """

    @abstractmethod
    def run(self, payload: Payload) -> Handover:
        """Do the step's work on one page of one task.

        Raises:
            StepError: this task fails, its rows and links are lost; its sister tasks and the run go on.
                Any other exception does the same, and is told as a fault of the step.
        Source: design, section 3; style, rule 4.
        """
