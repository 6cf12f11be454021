"""Whatever stands in definitions, a check reports on it: nothing is raised but what a user can fix."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from scoopi.app import check
from tests.fuzz.definition_target import examples, mutated

MUTATIONS = 70


@pytest.mark.parametrize("seed", range(2))
def test_a_check_of_mutated_definitions_ends_with_a_report(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    wrong = 0
    for number in range(MUTATIONS):
        folder = tmp_path / str(number)
        shutil.copytree(chance.choice(examples()), folder)
        for _ in range(chance.randint(1, 3)):
            file = chance.choice(sorted(folder.rglob("*.yml")))
            file.write_text(mutated(file.read_text(), chance))
        report = check(folder)
        assert json.loads(report.json())["errors"] == len(report.errors)
        assert report.text()
        wrong += bool(report.errors)
    assert wrong > MUTATIONS / 4, "the mutations find too little to be wrong"
