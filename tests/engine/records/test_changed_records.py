"""Groups with `changed`: each run writes what is new, changed or gone since the last one, exactly once."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.errors import AppenderError, ConfigError
from scoopi.model.report.run_counts import ChangeCounts
from scoopi.model.report.run_report import RunReport
from scoopi.publishing.changes.change_state import ChangeState
from tests.engine.flaky_site import FlakySite
from tests.engine.workspace import Workspace, wait_until
from tests.server.server import Server

DEFINITIONS = """\
locatorGroups: { shop: [ "%(url)s/bread.html", "%(url)s/cake.html" ] }
taskGroups:
  shop:
    changed: true
    cards: { dataDef: card, output: [ cards.csv, "sqlite:shop.db#cards" ] }
dataDefs:
  card:
    each: li
    meta: [ fetchedAt ]
    key: [ name ]
    fields:
      name: b
      price: { select: i, type: decimal }
    %(more)s
"""
PAGES = {"bread": {"Rye": "4.20", "Oat": "3"}, "cake": {"Sponge": "9"}}


class Shop:
    """A shop of two pages, whose definitions are run again and again in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.broken = ""
        self.pages = FlakySite(
            folder / "pages", lambda _number, _of_path, path: bool(self.broken) and self.broken in path
        )
        (folder / "pages").mkdir()
        for page, cards in PAGES.items():
            self.show(page, cards)

    def show(self, page: str, cards: dict[str, str]) -> None:
        """Have a page show these names with their prices."""
        lines = "".join(f"<li><b>{name}</b><i>{price}</i></li>" for name, price in cards.items())
        (self.folder / "pages" / f"{page}.html").write_text(f"<ul>{lines}</ul>")

    def define(self, server: Server, more: str = "") -> None:
        (self.folder / "defs.yml").write_text(DEFINITIONS % {"url": server.url(""), "more": more})

    def run(self) -> RunReport:
        settings = {"scoopi.loader.fetch.delay": 0, "scoopi.retry.attempts": 1}
        return Scoopi("defs.yml", configs=settings, environ={}, workers=0).run()

    def cards(self, report: RunReport) -> set[str]:
        """The lines of the run's file, without the time of their page."""
        head, *lines = (Path(report.folder) / "cards.csv").read_text().splitlines()
        assert head == "fetchedAt,name,price,change"
        return {line.partition(",")[2] for line in lines}

    def table(self) -> set[tuple[str, float, str]]:
        with sqlite3.connect(self.folder / "shop.db") as connection:
            return {*connection.execute("SELECT name, price, change FROM cards")}


@pytest.fixture
def shop(workspace: Workspace) -> Shop:
    return Shop(workspace.folder)


@pytest.fixture
def server(shop: Shop) -> Iterator[Server]:
    with Server(shop.pages) as server:
        shop.define(server)
        yield server


@pytest.mark.usefixtures("server")
def test_a_run_writes_what_differs_from_the_last_one(shop: Shop) -> None:
    first = shop.run()
    assert shop.cards(first) == {"Rye,4.20,new", "Oat,3,new", "Sponge,9,new"}
    shop.show("bread", {"Rye": "4.2", "Bun": "1"})
    shop.show("cake", {"Sponge": "8"})
    second = shop.run()
    assert shop.cards(second) == {"Bun,1,new", "Sponge,8,changed", "Oat,3,gone"}
    assert shop.table() == {
        ("Rye", 4.2, "new"),
        ("Oat", 3, "gone"),
        ("Sponge", 8, "changed"),
        ("Bun", 1, "new"),
    }
    counts = ChangeCounts(new=1, changed=1, gone=1, unchanged=1)
    assert second.changes == {"cards.csv": counts, "sqlite:shop.db#cards": counts}
    written = json.loads((Path(second.folder) / "run.json").read_text())
    assert written["changes"]["cards.csv"] == {
        "new": 1, "changed": 1, "gone": 1, "unchanged": 1, "unknown": 0,
    }  # fmt: skip
    assert shop.cards(shop.run()) == set()


@pytest.mark.usefixtures("server")
def test_records_of_a_page_that_fails_are_not_gone_and_return_unchanged(shop: Shop) -> None:
    shop.run()
    shop.broken = "cake"
    shop.show("bread", {"Rye": "4.20"})
    failed = shop.run()
    assert shop.cards(failed) == {"Oat,3,gone"}
    assert failed.changes["cards.csv"] == ChangeCounts(gone=1, unchanged=1, unknown=1)
    shop.broken = ""
    assert shop.cards(shop.run()) == set()


@pytest.mark.usefixtures("server")
def test_records_of_a_page_that_is_not_found_any_more_are_gone(shop: Shop) -> None:
    shop.run()
    (shop.folder / "pages" / "cake.html").unlink()
    report = shop.run()
    assert shop.cards(report) == {"Sponge,9,gone"}
    assert [cause.example.status for cause in report.errors] == [404]
    written = json.loads((Path(report.folder) / "run.json").read_text())
    assert written["errors"][0]["example"]["status"] == 404


@pytest.mark.usefixtures("server")
def test_what_a_retry_reads_is_compared_with_the_same_run(shop: Shop, workspace: Workspace) -> None:
    shop.run()
    shop.show("cake", {"Sponge": "8"})
    shop.broken = "cake"
    failed = shop.run()
    shop.broken = ""
    ended = workspace.scoopi("retry", failed.folder, "--workers", 0, "-D", "scoopi.loader.fetch.delay=0")
    assert ended.code == 0, ended.err
    assert "changes 0 new, 1 changed, 0 gone, 2 unchanged: cards.csv, sqlite:shop.db#cards" in ended.err
    assert shop.cards(failed) == {"Sponge,8,changed"}
    assert ("Sponge", 8, "changed") in shop.table()
    assert shop.cards(shop.run()) == set()


@pytest.mark.usefixtures("server")
def test_a_run_that_ends_between_its_files_and_its_state_is_completed_by_resume(
    shop: Shop, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.run()
    shop.show("cake", {"Sponge": "8"})

    def fail(*_: object) -> None:
        raise AppenderError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(ChangeState, "complete", fail)
        with pytest.raises(AppenderError, match="the disk is full"):
            shop.run()
    ended = workspace.scoopi("resume", "--workers", 0)
    assert ended.code == 0, ended.err
    assert (workspace.folder / "output" / "latest" / "cards.csv").read_text().count("changed") == 1
    assert shop.table() == {("Rye", 4.2, "new"), ("Oat", 3, "new"), ("Sponge", 8, "changed")}
    assert shop.cards(shop.run()) == set()


def test_records_that_are_held_back_are_not_what_the_next_run_is_compared_with(
    shop: Shop, server: Server
) -> None:
    shop.define(server, 'expect: { records: "3-" }')
    shop.run()
    shop.show("bread", {})
    held = shop.run()
    assert held.rows == {"cards.csv.held": 2, "sqlite:shop.db#cards.held": 2}
    shop.show("bread", PAGES["bread"])
    assert shop.cards(shop.run()) == set()
    assert {change for _, _, change in shop.table()} == {"new"}


@pytest.mark.usefixtures("server")
def test_a_run_that_reads_a_part_of_the_pages_finds_nothing_gone(shop: Shop) -> None:
    shop.run()
    report = Scoopi(
        "defs.yml", configs={"scoopi.loader.fetch.delay": 0}, environ={}, workers=0, limit=1
    ).run()
    assert report.changes["cards.csv"].gone == 0
    assert shop.cards(shop.run()) == set()


@pytest.mark.usefixtures("server")
def test_records_of_pages_above_a_budget_are_not_gone_and_return_unchanged(shop: Shop) -> None:
    shop.run()
    settings = {"scoopi.loader.fetch.delay": 0, "scoopi.budget.pages": 1}
    report = Scoopi("defs.yml", configs=settings, environ={}, workers=0).run()
    counts = report.changes["cards.csv"]
    assert (report.jobs.done, report.jobs.skipped, counts.gone) == (1, 1, 0)
    assert counts.unchanged + counts.unknown == 3
    assert shop.cards(shop.run()) == set()


def test_a_killed_run_is_compared_with_the_run_before_it_when_it_is_resumed(
    shop: Shop, server: Server, workspace: Workspace
) -> None:
    shop.run()
    shop.show("bread", {"Rye": "4.2", "Bun": "1"})
    begun = len(server.log.paths())
    started = workspace.start("run", "defs.yml", "--workers", 1, "-D", "scoopi.loader.fetch.delay=5000")
    wait_until(
        lambda: any(path.endswith(".html") for path in server.log.paths()[begun:]), "a page is asked for"
    )
    started.signal(signal.SIGKILL)
    started.wait(60)
    workspace.scoopi("resume", "-D", "scoopi.loader.fetch.delay=0")
    folder = max(workspace.runs(), key=lambda each: each.name)
    lines = (folder / "cards.csv").read_text().splitlines()[1:]
    assert {line.partition(",")[2] for line in lines} == {"Bun,1,new", "Oat,3,gone"}
    assert len(lines) == 2
    assert shop.cards(shop.run()) == set()


@pytest.mark.usefixtures("server")
def test_nodes_of_a_cluster_must_write_one_file_together(shop: Shop) -> None:
    with pytest.raises(ConfigError, match="each node would compare its own records only"):
        Scoopi("defs.yml", configs={"scoopi.cluster.addresses": "127.0.0.1:1"}, environ={}).run()


@pytest.mark.usefixtures("server")
def test_pages_that_differ_in_the_values_of_a_key_change_nothing_by_their_order(shop: Shop) -> None:
    shop.show("cake", {"Rye": "9", "Sponge": "9"})
    first = shop.run()
    (warning,) = first.warnings
    assert warning.cause == "shop.cards: records with one key have different values"
    assert (warning.count, warning.example.message) == (
        1,
        "name Rye: different values of price; one record of each key counts: that of the last run if it is "
        "among them; add to the `key` what distinguishes the records",
    )
    shop.show("cake", {"Rye": "4.20", "Sponge": "9"})
    shop.show("bread", {"Rye": "9", "Oat": "3"})
    second = shop.run()
    assert shop.cards(second) == set(), "of the same records the same one counts"
    assert second.changes["cards.csv"] == ChangeCounts(unchanged=3)
    assert {row[0] for row in shop.table()} == {"Rye", "Oat", "Sponge"}
    shop.show("bread", {"Rye": "7", "Oat": "3"})
    shop.show("cake", {"Rye": "8", "Sponge": "9"})
    assert [line.rpartition(",")[2] for line in shop.cards(shop.run())] == ["changed"]
    assert shop.cards(shop.run()) == set(), "what was chosen stays"
