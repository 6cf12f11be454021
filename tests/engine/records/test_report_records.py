"""`report.records`: the records of any output, each once, in Python's types."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from scoopi import Scoopi
from scoopi.errors import UsageError
from scoopi.model.report.run_report import RunReport

DEFINITIONS = """
locatorGroups: {{ list: /list.html }}
taskGroups:
  list: {{ cards: {{ dataDef: card, output: "{output}" }} }}
dataDefs:
  card:
    each: li
    {key}
    fields:
      title: {{ select: a, required: true }}
      price: {{ select: b, type: decimal }}
      pages: {{ select: i, type: integer }}
      new: {{ select: u, type: boolean }}
      day: {{ select: .day, type: date }}
      seen: {{ select: .seen, type: datetime }}
      tags: {{ select: s, list: true }}
      more: {{ select: q, type: json }}
"""
FULL = (
    "<li><a>Attic</a><b>1,50</b><i>7</i><u>true</u><p class=day>2026-03-01</p>"
    "<p class=seen>2026-03-01T08:00:00Z</p>"
    """<s>x</s><s>y, z</s><q>{"a": 1.5}</q></li>"""
)
PAGE = FULL + "<li><a>Bare</a></li><li><b>2</b></li><li><a>Attic</a><b>3</b></li>"
ATTIC = {
    "title": "Attic",
    "price": Decimal("1.50"),
    "pages": 7,
    "new": True,
    "day": date(2026, 3, 1),
    "seen": datetime(2026, 3, 1, 8, tzinfo=UTC),
    "tags": ["x", "y, z"],
    "more": {"a": 1.5},
}
BARE: dict[str, Any] = {**dict.fromkeys(ATTIC), "title": "Bare"}

Run = Callable[..., RunReport]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the definitions with an output, and changes the current folder afterwards."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.html").write_text(PAGE)

    def with_output(output: str, key: str = "key: [ title ]") -> RunReport:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "defs.yml").write_text(DEFINITIONS.format(output=output, key=key))
        report = Scoopi("defs.yml", output="output", environ={}).run()
        monkeypatch.chdir("/")
        return report

    return with_output


@pytest.mark.parametrize(
    "output", ["cards.csv", "cards.json.gz", "cards.parquet", "cards.xlsx", "sqlite:shop.db#cards"]
)
def test_records_of_each_output_have_the_types_of_their_fields(run: Run, output: str) -> None:
    report = run(output)

    records = list(report.records(output))

    assert [*records] == [ATTIC, BARE]
    assert [type(value) for value in records[0].values()] == [type(value) for value in ATTIC.values()]
    assert list(report.records("card")) == records, "by the name of their definition"


def test_records_of_a_table_are_those_of_the_run(run: Run) -> None:
    for _ in range(2):
        report = run("sqlite:shop.db#cards", key="")

        assert len(list(report.records("sqlite:shop.db#cards"))) == 3


def test_rejected_records_are_read_too(run: Run) -> None:
    (rejected,) = run("cards.csv").records("cards.csv.rejected.jsonl")

    assert rejected["field"] == "title"


def test_an_output_that_is_not_there_is_an_error_with_the_nearest_name(run: Run) -> None:
    with pytest.raises(UsageError, match=r"no output card\.csv") as raised:
        list(run("cards.csv").records("card.csv"))
    assert raised.value.hint == "did you mean cards.csv?"


def test_rows_of_a_grid_are_no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quickstart = Path(__file__).parents[3] / "defs" / "examples" / "quickstart"
    report = Scoopi(quickstart, output=tmp_path / "output", environ={}).run()

    with pytest.raises(UsageError, match="rows of a grid"):
        list(report.records("data.txt"))
