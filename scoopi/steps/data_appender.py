"""DataAppender: the step that encodes the rows of a page for the outputs."""

from __future__ import annotations

from collections.abc import Sequence

from scoopi.model.data import Data
from scoopi.model.handover import Handover, Part, Payload, ToAppender
from scoopi.plugins.plugin_ports import Encoder
from scoopi.steps.step import Step


class DataAppender(Step):
    """Encodes the rows of a page for the outputs: the last step of a task.

    One part per output; equal encoders encode once.

    Args:
        outputs: (output, encoder) of each appender plugin that has an encoder. If there are none, nothing is
            written and the task still succeeds.
    """

    def __init__(self, outputs: Sequence[tuple[str, Encoder]]) -> None:
        self._encoders: list[Encoder] = []
        self._outputs = [(output, self._number(encoder)) for output, encoder in outputs]

    def run(self, payload: Payload) -> Handover:
        """Encode the rows; every output gets a part, even without rows.

        Raises:
            EncodeError: a row cannot be encoded.
        """
        data = payload.expect(Data)
        bodies = [encoder.encode(data, payload.locator, payload.page) for encoder in self._encoders]
        return ToAppender(
            tuple(Part(name, len(data.items), bodies[number]) for name, number in self._outputs)
        )

    def _number(self, encoder: Encoder) -> int:
        if encoder not in self._encoders:
            self._encoders.append(encoder)
        return self._encoders.index(encoder)
