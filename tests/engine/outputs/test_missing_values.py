"""Missing values in the files of a run: their text in CSV is a setting, JSON lines have null."""

from __future__ import annotations

import json

from tests.engine.workspace import Workspace

DEFINITIONS = """\
locatorGroups:
  shop: { locators: [ { name: one, url: /shop.html } ] }
taskGroups:
  shop: { prices: { dataDef: prices, steps: own } }
dataDefs:
  prices:
    query: { block: table, selector: "tr:nth-child(%{item.index}) > td:nth-child(3)" }
    items: [ item: { name: good, indexRange: 1-2, selector: "tr:nth-child(%{index}) > td:nth-child(1)" } ]
    dims: [ item: { name: size, selector: "tr:nth-child(%{item.index}) > td:nth-child(2)" } ]
    facts: [ item: { name: price } ]
steps:
  own:
    css:
      appender:
        class: DataAppender
        previous: filter
        next: end
        plugins:
          - plugin: { name: csv, class: FileAppender, file: a.csv,
                      plugins: [ plugin: { name: c, class: CsvEncoder, header: true } ] }
          - plugin: { name: bare, class: FileAppender, file: b.csv,
                      plugins: [ plugin: { name: c, class: CsvEncoder, missing: "?" } ] }
          - plugin: { name: json, class: FileAppender, file: a.jsonl,
                      plugins: [ plugin: { name: j, class: JsonlEncoder } ] }
"""


def test_missing_values_have_the_text_of_their_setting_and_the_fact_has_its_name(
    workspace: Workspace,
) -> None:
    (workspace.folder / "defs").mkdir(exist_ok=True)
    (workspace.folder / "defs/job.yml").write_text(DEFINITIONS)
    (workspace.folder / "shop.html").write_text("<table><tr><td>Rye<td>big<td>2<tr><td>Oat</table>")
    ended = workspace.scoopi("run", "defs", "--workers", 0, "-D", "scoopi.missing.replaceWith=n/a")
    assert ended.code == 0, ended.err
    (folder,) = (path.parent for path in workspace.folder.glob("output/2*/run.json"))
    assert (folder / "a.csv").read_text().splitlines() == [
        "name,group,good,size,price",
        "one,shop,Rye,big,2",
        "one,shop,Oat,n/a,not found",
    ]
    assert (folder / "b.csv").read_text().splitlines()[1] == "one,shop,Oat,?,not found"
    assert [json.loads(line)["values"] for line in (folder / "a.jsonl").read_text().splitlines()] == [
        {"good": "Rye", "size": "big", "price": "2"},
        {"good": "Oat", "size": None, "price": None},
    ]
