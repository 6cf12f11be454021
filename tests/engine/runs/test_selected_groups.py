"""`--group NAME`: only these locator groups are read, with what their links lead to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.app import Scoopi
from scoopi.cli.exit_codes import DONE
from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.model.inputs import Inputs
from tests.engine.workspace import Workspace
from tests.server.server import Server

DEFINITIONS = """\
locatorGroups:
  news: [ /1.html ]
  prices: [ /2.html, /3.html ]
  listed: {{ from: sitemap, url: "{base}/sitemap.xml" }}
taskGroups:
  news: {{ titles: {{ dataDef: card, output: news.csv }} }}
  prices:
    cards: {{ dataDef: card, output: prices.csv }}
    more: {{ dataDef: more, output: none }}
  detail: {{ cards: {{ dataDef: card, output: [ detail.csv, prices.csv ] }} }}
  listed: {{ titles: {{ dataDef: card, output: news.csv }} }}
dataDefs:
  card: {{ each: p, fields: {{ title: b }} }}
  more: {{ fields: {{ next: {{ select: "a @href", follow: detail }} }} }}
"""
LEADS = "titles: { dataDef: card, output: news.csv }, links: { dataDef: more, output: none }"
"""In place of the task of `news`: as `prices` it leads to `detail`."""
CHANGING = """\
locatorGroups: { news: [ /1.html ], prices: [ /2.html ] }
taskGroups:
  news: { changed: true, cards: { dataDef: card, output: all.csv }, links: { dataDef: more, output: none } }
  prices: { changed: true, cards: { dataDef: card, output: all.csv }, links: { dataDef: more, output: none } }
  detail: { changed: true, cards: { dataDef: card, output: all.csv } }
dataDefs:
  card: { each: p, key: title, fields: { title: b } }
  more: { fields: { next: { select: "a @href", follow: detail } } }
"""
"""Two groups with a record each that lead to the same group, where a record of each is found."""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Five pages with a card each; the second one leads to the fourth, a sitemap lists the fifth."""
    monkeypatch.chdir(tmp_path)
    for number in range(1, 6):
        link = '<a href="/4.html">more</a>' if number == 2 else ""
        (tmp_path / f"{number}.html").write_text(f"<p><b>card {number}</b></p>{link}")
    with Server(tmp_path) as server:
        listed = f"<urlset><url><loc>{server.url('/5.html')}</loc></url></urlset>"
        (tmp_path / "sitemap.xml").write_text(listed)
        (tmp_path / "defs.yml").write_text(DEFINITIONS.format(base=server.url("")))
        yield Workspace(tmp_path)


def outputs(workspace: Workspace) -> dict[str, int]:
    return {
        path.name: len(path.read_text().splitlines()) - 1 for path in workspace.run_folder().glob("*.csv")
    }


def test_only_the_named_group_is_read_with_what_its_links_lead_to(workspace: Workspace) -> None:
    ended = workspace.scoopi("run", "defs.yml", "--group", "prices", "--workers", 0)

    assert ended.code == DONE, ended.err
    assert outputs(workspace) == {"prices.csv": 3, "detail.csv": 1}


def test_several_groups_are_read_also_one_that_a_site_lists(workspace: Workspace) -> None:
    ended = workspace.scoopi("run", "defs.yml", "--group", "news", "--group", "listed", "--workers", 1)

    assert ended.code == DONE, ended.err
    assert outputs(workspace) == {"news.csv": 2}


def test_a_group_that_is_not_there_is_an_error_with_its_place(workspace: Workspace) -> None:
    ended = workspace.scoopi("run", "defs.yml", "--group", "price")

    assert (
        "1:1      error    locatorGroups: there is no locator group price; did you mean prices?" in ended.err
    )
    assert workspace.runs() == []


def test_a_resume_reads_the_groups_that_the_run_began_with(workspace: Workspace) -> None:
    workspace.scoopi("run", "defs.yml", "--group", "prices", "--workers", 0)
    first = outputs(workspace)
    (workspace.folder / "2.html").unlink()

    assert "nothing to resume" in workspace.scoopi("resume").err
    assert outputs(workspace) == first


def test_a_caller_selects_groups_with_the_inputs(workspace: Workspace) -> None:
    report = Scoopi("defs.yml", inputs=Inputs(groups=("news",))).run()

    assert report.rows == {"news.csv": 1}


@pytest.mark.parametrize(
    ("groups", "is_selection", "is_partial"),
    [(("prices",), True, True), (("listed",), True, False), (("news", "prices", "listed"), False, False)],
)
def test_a_selection_is_partial_if_other_groups_lead_to_pages_of_its_tasks(
    workspace: Workspace, groups: tuple[str, ...], is_selection: bool, is_partial: bool
) -> None:
    file = workspace.folder / "defs.yml"
    file.write_text(file.read_text().replace("titles: { dataDef: card, output: news.csv }", LEADS, 1))
    read, report = read_definitions(file, inputs=Inputs(groups=groups))

    assert not report.errors
    assert (read.is_selection, read.is_partial) == (is_selection, is_partial)


def changes(workspace: Workspace, *words: object) -> dict[str, int]:
    """How the records of a further run differ from those of the last one."""
    known = {*workspace.runs()}
    workspace.scoopi("run", "defs.yml", "--workers", 0, *words)
    (run,) = {*workspace.runs()} - known
    counts = json.loads((run / "run.json").read_text())["changes"]["all.csv"]
    return {name: count for name, count in counts.items() if count}


def test_records_of_groups_that_are_not_read_are_not_gone_and_not_new_afterwards(
    workspace: Workspace,
) -> None:
    """As their pages do not lead to those of `news`, the next run is compared with this one."""
    text = CHANGING.replace(", links: { dataDef: more, output: none }", "")
    (workspace.folder / "defs.yml").write_text(text)
    assert changes(workspace) == {"new": 2}
    (workspace.folder / "1.html").write_text("<p><b>other</b></p>")
    assert changes(workspace, "--group", "news") == {"new": 1, "gone": 1}
    assert changes(workspace) == {"unchanged": 2}


def test_a_partial_run_finds_nothing_gone_and_is_not_compared_with(workspace: Workspace) -> None:
    """What it has not seen of `detail` may be on pages that the other group leads to."""
    (workspace.folder / "defs.yml").write_text(CHANGING)
    (workspace.folder / "1.html").write_text('<p><b>card 1</b></p><a href="/3.html">more</a>')
    assert changes(workspace) == {"new": 4}
    (workspace.folder / "1.html").write_text('<p><b>other</b></p><a href="/3.html">more</a>')
    assert changes(workspace, "--group", "news") == {"new": 1, "unchanged": 1}
    assert changes(workspace) == {"new": 1, "gone": 1, "unchanged": 3}
