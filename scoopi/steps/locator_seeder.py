"""LocatorSeeder: a defined locator group becomes the payloads of its jobs."""

from __future__ import annotations

from scoopi.model.definitions import LocatorGroup
from scoopi.model.handover import Handover, ToTask
from scoopi.model.job import JobPayload, ancestor_digest, seed_id
from scoopi.model.locator import Locator
from scoopi.model.payload import Payload
from scoopi.steps.step import Step


class LocatorSeeder(Step):
    """One job for each locator; its id is derived, so that seeding twice seeds once.

    Source: language, B 4.3; design, "Protocol", rule 4.
    """

    def run(self, payload: Payload) -> Handover:
        """The payload with a tuple of JobPayload, in the order of the definition."""
        group = payload.expect(LocatorGroup)
        seeds = tuple(_seed(group.name, each.name, each.url) for each in group.locators)
        return ToTask(payload.advance(seeds))


def _seed(group: str, name: str, url: str) -> JobPayload:
    return JobPayload(
        locator=Locator(name, group, url),
        seed=seed_id(group, name, url),
        ancestors=ancestor_digest(group, url),
    )
