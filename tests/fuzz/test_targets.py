"""Short campaigns: nothing that others write makes Scoopi raise what nobody expects, hang or die."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.campaign import Campaign, Plan
from tests.fuzz.definition_target import DefinitionTarget
from tests.fuzz.grid_target import GridTarget
from tests.fuzz.http_target import HttpTarget
from tests.fuzz.page_target import PageTarget
from tests.fuzz.script_target import ScriptTarget
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

INPUTS = {
    PageTarget.name: 5000,
    DefinitionTarget.name: 300,
    HttpTarget.name: 500,
    GridTarget.name: 1000,
    ScriptTarget.name: 200,
}


@pytest.mark.parametrize("target", [target for target in TARGETS if target.name in INPUTS])
def test_a_short_campaign_finds_nothing(target: type[Target], tmp_path: Path) -> None:
    inputs = INPUTS[target.name]
    plan = Plan(target, 1, 0, inputs, tmp_path / "kept")
    report = Campaign(plan, target.name, target.host_timeout_s).run()
    assert report.is_clean, report.text()
    assert report.inputs == inputs
    assert 0 < report.refused < inputs, "inputs are all right, or all wrong: they find nothing"
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_an_input_is_made_from_seed_and_number_alone(target: type[Target]) -> None:
    one, same, other = (target(seed) for seed in (7, 7, 8))
    assert [one.shown(number) for number in range(9)] == [same.shown(number) for number in range(9)]
    assert [one.shown(number) for number in range(9)] != [other.shown(number) for number in range(9)]
    for each in (one, same, other):
        each.close()
