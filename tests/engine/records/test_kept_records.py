"""`live`: kept records serve as long as nothing that shapes them has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoopi import Scoopi
from scoopi.model.report.run_report import RunReport
from scoopi.parse.records.record_reader import RecordReader

DEFINITIONS = """
locatorGroups: { list: /list.html }
taskGroups:
  list: { live: P1W, cards: { dataDef: card, output: cards.csv } }
  detail: { live: P1W, specs: { dataDef: spec, output: specs.csv } }
dataDefs:
  card:
    each: li
    fields:
      title: { select: a, required: true }
      price: { select: b, type: decimal }
      link: { select: "a @href", type: url, follow: detail }
  spec:
    fields: { title: { parent: title }, upc: i }
"""
PAGE = "<li><a href=one.html>One</a><b>cheap</b><li><b>2</b><li><a href=one.html>Uno</a><b>3</b>"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunReport]:
    """Runs definitions on a list whose two cards lead to one page, at a fixed date; returns the report."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.html").write_text(PAGE)
    (tmp_path / "one.html").write_text("<i>U1</i>")

    def with_definitions(text: str, output: str) -> RunReport:
        (tmp_path / "defs.yml").write_text(text)
        configs = {"scoopi.runDateTimeText": "2020-01-01T00:00:00.000+0000"}
        return Scoopi("defs.yml", configs, output=tmp_path / output, environ={}, workers=0).run()

    return with_definitions


def files_of(report: RunReport) -> dict[str, list[str]]:
    names = ("cards.csv", "specs.csv", "cards.csv.rejected.jsonl")
    return {name: sorted((Path(report.folder) / name).read_text().splitlines()) for name in names}


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages of which records are read, as the run goes."""
    read: list[str] = []
    original = RecordReader.read

    def noted(self: RecordReader, *arguments: Any) -> object:
        read.append(arguments[1].url)  # the facts of the page
        return original(self, *arguments)

    monkeypatch.setattr(RecordReader, "read", noted)
    return read


def test_kept_records_serve_with_their_links_rejections_and_figures(
    run: Callable[..., RunReport], readings: list[str]
) -> None:
    first = run(DEFINITIONS, "first")
    assert files_of(first)["specs.csv"] == ["One,U1", "Uno,U1", "title,upc"]
    assert len(files_of(first)["cards.csv.rejected.jsonl"]) == 1
    assert len(readings) == 3, "the detail page is read for each of its parents"
    readings.clear()

    second = run(DEFINITIONS, "second")

    assert readings == []
    assert files_of(second) == files_of(first)
    assert second.fields == first.fields
    assert any(figures.unreadable for figures in second.fields)


@pytest.mark.parametrize(
    ("change", "pages"),
    [
        (("type: decimal", "type: text"), {"/list.html"}),
        (("title: { parent: title }, ", ""), {"/list.html", "/one.html"}),
        (("upc: i", "upc: { select: i, regex: U }"), {"/one.html"}),
    ],
)
def test_records_are_read_again_when_what_shapes_them_or_their_links_has_changed(
    run: Callable[..., RunReport], readings: list[str], change: tuple[str, str], pages: set[str]
) -> None:
    run(DEFINITIONS, "first")
    readings.clear()

    run(DEFINITIONS.replace(*change), "second")

    assert set(readings) == pages


def test_records_that_are_not_to_be_kept_are_read_again(
    run: Callable[..., RunReport], readings: list[str]
) -> None:
    text = DEFINITIONS.replace("live: P1W, ", "")
    run(text, "first")
    readings.clear()

    run(text, "second")

    assert len(readings) == 3
