"""EmptyEntries: why a field is empty, said at the run's end, whatever other fields and files hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.engine.run_reporter import renamed
from scoopi.model.failure import Failure
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_report import RunReport, RunStatus

PAGE = """<table><tr><th>Loaf<th>Small</tr><tr><td>Rye<td>2.40</tr><tr><td>Walnut<td>2.90</tr></table>"""
DEFINITIONS = """\
locatorGroups:
  bread: {{ locators: [ {{ name: bakery, url: "/bread.html" }}, {{ name: mill, url: "/bread.html" }} ] }}
taskGroups:
  bread: {{ priceTask: {{ dataDef: prices }}, loafTask: {{ dataDef: loaves }} }}
dataDefs:
  prices:
    query: {{ block: "{block}", selector: "tr:nth-child(%{{item.index}}) > td:nth-child(2)" }}
    items:
      - item: {{ name: loaf, indexRange: 2-3, selector: "tr:nth-child(%{{index}}) > td:nth-child(1)" }}
    dims:
      - item: {{ name: size, selector: "{size}" }}
      - item: {{ name: currency, value: "EUR" }}
  loaves:
    query: {{ block: "table" }}
    items: [ {{ item: {{ name: loaf, indexRange: 2-, selector: "{loaf}" }} }} ]
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunReport]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bread.html").write_text(PAGE)

    def with_selectors(
        block: str = "table",
        size: str = "tr:nth-child(1) > th:nth-child(2)",
        loaf: str = "tr:nth-child(%{index}) > td:nth-child(1)",
    ) -> RunReport:
        (tmp_path / "bread.yml").write_text(DEFINITIONS.format(block=block, size=size, loaf=loaf))
        report = Scoopi("bread.yml").run()
        assert report.status is RunStatus.DONE
        return report

    return with_selectors


def test_nothing_is_said_where_everything_was_found(run: Callable[..., RunReport]) -> None:
    assert run().empty == ()


def test_a_field_that_is_empty_in_every_row_is_named_with_its_place(run: Callable[..., RunReport]) -> None:
    report = run(size="tr:nth-child(1) > th:nth-child(7)")
    assert report.rows == {"data.txt": 8}
    assert report.empty == ("dim size of prices: without a value in all 4 rows of 2 pages (bread.yml:11:39)",)


def test_a_definition_without_a_row_is_named_though_others_have_some(run: Callable[..., RunReport]) -> None:
    report = run(loaf="tr:nth-child(%{index}) > th.none")
    assert report.rows == {"data.txt": 4}
    assert report.empty == (
        "dataDef loaves: no row on 2 pages; "
        "does its block (bread.yml:14:21) hold item loaf (bread.yml:15:62)?",
    )


def test_where_no_field_has_a_value_the_block_is_asked_about(run: Callable[..., RunReport]) -> None:
    assert run(block="table.none").empty == (
        "dataDef prices: without any value in all 4 rows of 2 pages; is its block there? (bread.yml:7:21)",
    )


def test_causes_that_get_one_name_are_added_up() -> None:
    pages, time = Failure("pages", "pages; raise the budget"), Failure("time", "time; raise the budget")
    causes = (Cause("pages", 3, pages), Cause("robots", 2, Failure("robots", "r")), Cause("time", 1, time))
    found = renamed(causes, lambda cause: "time" if cause == "pages" else cause)
    assert found == (Cause("time", 4, time), Cause("robots", 2, Failure("robots", "r")))
    assert renamed(causes, str) == causes
