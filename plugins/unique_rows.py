"""UniqueRows: a step that drops rows that repeat an earlier row of their page."""

from __future__ import annotations

from scoopi.model.data import Data
from scoopi.model.handover import Handover, Payload, ToTask
from scoopi.steps.step import Step


class UniqueRows(Step):
    """Drops each row whose values are those of an earlier row of the same page.

    It looks at one page only: steps keep no state between pages, since these run in several workers.
    """

    def run(self, payload: Payload) -> Handover:
        """Keep the first row of each set of values."""
        data = payload.expect(Data)
        first = {item.values: item for item in reversed(data.items)}
        kept = [item for item in data.items if first[item.values] is item]
        return ToTask(payload.advance(data.with_items(kept)))
