"""Scripts of fields: what a page gave is data to them, never code."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.model.report.run_report import RunReport

DEFINITIONS = """
locatorGroups: {{ list: /list.html }}
taskGroups:
  list: {{ cards: {{ dataDef: card, output: cards.jsonl }} }}
  detail: {{ specs: {{ dataDef: spec, output: specs.jsonl }} }}
dataDefs:
  card:
    fields:
      net: {{ select: b, type: integer }}
      gross: {{ script: "{script}", type: decimal }}
      link: {{ select: "a @href", type: url, follow: detail }}
  spec: {{ fields: {{ net: {{ parent: net }}, m: {{ script: "`${{parent.net}}/${{document.group}}`" }} }} }}
"""


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, name: str = "100") -> RunReport:
    """A run over a list and a detail."""
    monkeypatch.chdir(folder)
    (folder / "list.html").write_text(f"<b>{name}</b><a href=detail.html>x</a>")
    (folder / "detail.html").write_text("<p>")
    (folder / "defs.yml").write_text(DEFINITIONS.format(script=script))
    return Scoopi("defs.yml", output=folder / "output", environ={}).run()


def test_a_script_sees_the_fields_before_it_and_those_of_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = run(tmp_path, monkeypatch, "record.net * 1.5 + 0.25")
    assert report.errors == ()
    rows = {name: (Path(report.folder) / name).read_text() for name in report.rows}
    assert rows["cards.jsonl"].startswith('{"net":100,"gross":150.25,')
    assert rows["specs.jsonl"] == '{"net":"100","m":"100/detail"}\n'


def test_a_value_of_the_page_is_never_run_as_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "1'); throw new Error('owned'); ('"
    report = run(tmp_path, monkeypatch, "String(record.net).length", hostile)
    assert report.errors == ()
    assert (Path(report.folder) / "cards.jsonl").read_text().startswith('{"net":1,"gross":1,')


def test_a_failing_script_is_reported_with_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cause,) = run(tmp_path, monkeypatch, "record.nett.x").errors
    assert 'for the record {"net":100}' in cause.example.message
