"""A crew knows the attempts of its worker by their claims, and reports the end of each once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.process import Executes, Process
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.claim import Claim
from scoopi.serve.work.crew import AttemptReport, Crew
from tests.serve.serving import until
from tests.serve.work.keeping import ATTEMPT, order_in, shell

PROCESS = Process(name="p", executes=Executes(kind="command", what=("sh",)), mode="manual")


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    wake_up = WakeUp(tmp_path, "w")
    made = Crew(wake_up)
    yield made
    made.close()
    wake_up.close()


def reports(crew: Crew) -> list[AttemptReport]:
    found: list[AttemptReport] = []

    def is_over() -> bool:
        found.extend(crew.wait(0.1)[0])
        return not crew

    until(is_over)
    return found


def test_an_attempt_that_is_claimed_again_beside_its_former_work_is_reported_once(
    crew: Crew, tmp_path: Path
) -> None:
    again = replace(ATTEMPT, fence=ATTEMPT.fence + 1)
    crew.start(Claim(ATTEMPT), PROCESS, order_in(tmp_path) | shell("touch begun; sleep 300"))
    until((tmp_path / "begun").exists)
    crew.start(Claim(again), PROCESS, order_in(tmp_path) | shell("true"))
    assert len(crew) == 2
    assert [claim.fence for claim in crew.claims()] == [ATTEMPT.fence, again.fence]
    crew.see(again, {"step": 60.0})
    found = reports(crew)
    ends = [(each.claim.fence, each.ending and each.ending.status) for each in found]
    assert sorted(ends) == [(1, "revoked"), (2, "succeeded")]


def test_a_cancel_stops_the_claim_that_counts_once(crew: Crew, tmp_path: Path) -> None:
    crew.start(Claim(ATTEMPT), PROCESS, order_in(tmp_path) | shell("touch begun; sleep 300"))
    until((tmp_path / "begun").exists)
    wished = replace(ATTEMPT, wish="cancel", wish_mode="step")
    for _ in range(2):
        crew.see(wished, {"step": 60.0})
    (report,) = reports(crew)
    assert report.ending is not None
    assert report.ending.status == "canceled"
