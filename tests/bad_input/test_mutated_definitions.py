"""Whatever stands in definitions, a check reports on it: nothing is raised but what a user can fix."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from scoopi.app import check
from tests.docs.markdown import ROOT

EXAMPLES = sorted(path for path in (ROOT / "defs" / "examples").iterdir() if path.is_dir())
VALUES = (
    *("", "[]", "{}", "null", "~", "-1", "1e9", "true", "2-1", "-", "1-", '"  "', '"%{"', '"%{item.value}"'),
    *('"["', "[a, b]", "{a: b}", "&a x", "*a", "!!int x", "|", "99999999999999999999", "css", "fact", "@x"),
)
SIGNS = "{}[]:,\"'%#&*!|>-?@ \tz0"
MUTATIONS = 70


def mutated(text: str, chance: random.Random) -> str:
    """The text with a line gone, doubled or indented, a value replaced, or a sign changed."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    kind = chance.choice(["gone", "doubled", "indented", "value", "value", "value", "sign"])
    values = list(re.finditer(r":\s+([^,{}\[\]]+)", lines[at]))
    if kind == "gone":
        del lines[at]
    elif kind == "doubled":
        lines.insert(at, chance.choice(lines))
    elif kind == "indented":
        lines[at] = " " * chance.randint(1, 3) + lines[at]
    elif kind == "value" and values:
        found = chance.choice(values)
        lines[at] = lines[at][: found.start(1)] + chance.choice(VALUES) + lines[at][found.end(1) :]
    elif lines[at]:
        sign = chance.randrange(len(lines[at]))
        lines[at] = lines[at][:sign] + chance.choice(SIGNS) + lines[at][sign + 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(2))
def test_a_check_of_mutated_definitions_ends_with_a_report(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    wrong = 0
    for number in range(MUTATIONS):
        folder = tmp_path / str(number)
        shutil.copytree(chance.choice(EXAMPLES), folder)
        for _ in range(chance.randint(1, 3)):
            file = chance.choice(sorted(folder.rglob("*.yml")))
            file.write_text(mutated(file.read_text(), chance))
        report = check(folder)
        assert json.loads(report.json())["errors"] == len(report.errors)
        assert report.text()
        wrong += bool(report.errors)
    assert wrong > MUTATIONS / 4, "the mutations find too little to be wrong"
