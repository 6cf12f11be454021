"""Runs whose pages a browser loads: definitions in, rows out."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.browser import pool_process
from tests.browser.processes import programs_below
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.process import orphans
from tests.server.server import Server

DEFS = """
locatorGroups:
  bread: {{ locators: [ {locators} ] }}
taskGroups:
  bread:
    loader: browser
    browser: {{ until: {{ selector: "#prices" }}, timeout: {timeout} }}
    priceTask: {{ dataDef: prices }}
dataDefs:
  prices:
    query: {{ block: "#prices", selector: "td:nth-child(2)" }}
    items: [ item: {{ name: loaf, index: 1, selector: "td:nth-child(1)" }} ]
"""
RECORDS = """
locatorGroups: { bread: "https://shop.example/bread" }
taskGroups:
  bread:
    loader: browser
    browser: { until: { selector: "#prices" } }
    priceTask: { dataDef: prices }
dataDefs:
  prices:
    each: "#prices tr"
    fields: { loaf: "td:nth-child(1)", price: { select: "td:nth-child(2)", type: decimal } }
"""


PAGES = 8
"""Enough that a run is not over before it is killed."""


def write(workspace: Workspace, *urls: str, timeout: int = 10_000) -> None:
    locators = ", ".join(f'{{ name: p{number}, url: "{url}" }}' for number, url in enumerate(urls))
    (workspace.folder / "defs" / "bread.yml").write_text(DEFS.format(locators=locators, timeout=timeout))


def test_a_table_that_comes_late_gives_its_rows(
    workspace: Workspace, server: Server, late_table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace, server.url(late_table), server.url("/gone.html"))
    ended = workspace.process("run", "defs")
    assert ended.code == 1, ended.err
    assert [*workspace.rows()] == ["p0|bread|Rye|4.20"]
    (error,) = workspace.run_json()["errors"]
    assert "status 404" in error["cause"]
    assert server.log.paths().count("/robots.txt") == 1
    assert not workspace.left_behind()
    started: list[object] = []
    monkeypatch.setattr(pool_process, "PoolProcess", lambda *given: started.append(given))
    monkeypatch.chdir(workspace.folder)
    workspace.scoopi("resume", workspace.run_folder())
    assert not started, "the run is over"


def test_fetch_loads_a_page_in_a_browser_as_its_group_does(
    workspace: Workspace, server: Server, late_table: str
) -> None:
    write(workspace, server.url(late_table))
    ended = workspace.process("fetch", server.url(late_table), "--defs", "defs")
    assert ended.code == 0, ended.err
    *_, page, _, last = ended.out.splitlines()
    assert page.startswith(f"200  GET {server.url(late_table)}  ")
    assert last.endswith(", loaded by browser")
    assert not workspace.left_behind()


EMPTY = """
locatorGroups: { shop: "URL" }
taskGroups: { shop: { loader: browser, task: { dataDef: prices } } }
dataDefs: { prices: { each: "#prices tr", fields: { price: b } } }
"""
FAILING = """
locatorGroups: { waits: "URL", acts: "URL" }
taskGroups:
  waits:
    loader: browser
    browser: { until: { selector: "#prices" }, timeout: 300 }
    task: { dataDef: prices }
  acts:
    loader: browser
    browser:
      actions:
        - { click: "#none", timeout: 300 }
    task: { dataDef: prices }
dataDefs: { prices: { each: p, fields: { price: b } } }
"""


def test_an_empty_page_is_not_said_to_need_the_browser_that_has_loaded_it(
    workspace: Workspace, server: Server, pages: Path
) -> None:
    (pages / "shell.html").write_text("<div id=app></div><script>setTimeout(() => 0, 0)</script>")
    (workspace.folder / "defs" / "bread.yml").write_text(EMPTY.replace("URL", server.url("/shell.html")))
    ended = workspace.process("run", "defs")
    assert "when it was read: name what to wait for by `until` of `browser`" in ended.err


def test_what_cannot_be_done_or_does_not_come_is_an_error_of_the_page(
    workspace: Workspace, server: Server, pages: Path
) -> None:
    (pages / "plain.html").write_text("<p>nothing here")
    (workspace.folder / "defs" / "bread.yml").write_text(FAILING.replace("URL", server.url("/plain.html")))
    ended = workspace.process("run", "defs")
    assert ended.code == 1, ended.err
    assert "what `until` at defs/bread.yml:6:23 waits for did not come" in ended.err
    assert "within 0.3 s: no element matches `#prices` (the page is kept in " in ended.err
    for ending in ("html", "png", "log"):
        assert len([*workspace.run_folder().glob(f"browser/failed-*.{ending}")]) == 1, "of one address"
    (html,) = workspace.run_folder().glob("browser/failed-*.html")
    assert f"(the page is kept in {html.relative_to(workspace.folder)}, .png and .log)" in ended.err
    assert "bread.yml:12:13 failed: click #none: no element matches within 0.3 s" in ended.err


def test_a_killed_run_leaves_no_browser_and_is_resumed(
    workspace: Workspace, server: Server, pages: Path, late_table: str
) -> None:
    for number in range(PAGES):
        (pages / f"late{number}.html").write_text((pages / late_table[1:]).read_text())
    write(workspace, *(server.url(f"/late{number}.html") for number in range(PAGES)))
    run = workspace.start("run", "defs")
    browsers: list[int] = []

    def is_at_second_page() -> bool:
        browsers[:] = programs_below(run.process.pid, "chrom")
        return bool(browsers) and "/late1.html" in server.log.paths()

    try:
        wait_until(is_at_second_page, "the second page", 60.0, run)
    finally:
        run.kill_all()
    assert not orphans(browsers, within_s=10.0)
    ended = workspace.process("resume")
    assert ended.code == 0, ended.err
    assert sorted(workspace.rows().elements()) == [f"p{number}|bread|Rye|4.20" for number in range(PAGES)]


ACTIONS = """
    browser:
      actions:
        - click: "#accept"
          optional: true
          timeout: 1
        - wait: { selector: "#prices tr" }
        - script: |
            document.querySelector("#prices td").textContent = "Spelt"
        - screenshot: prices
"""


def test_parse_shows_the_records_of_a_page_on_which_actions_were_done(
    workspace: Workspace, server: Server, late_table: str
) -> None:
    plain = '    browser: { until: { selector: "#prices" } }'
    (workspace.folder / "defs" / "bread.yml").write_text(RECORDS.replace(plain, ACTIONS))
    ended = workspace.process("parse", "defs", server.url(late_table))
    assert ended.code == 0, ended.err
    assert "1 record" in ended.out
    assert "Spelt" in ended.out
    assert [each.suffix for each in (workspace.folder / "browser").glob("prices-*")] == [".png"]


PACED_PAGE = b"""<div id=p></div><script>const part = path => fetch(path).then(got => got.text());
Promise.all([part('/parts/a'), part('/parts/b')]).then(found => {
  p.innerHTML = `<table id=prices><tr><td>${found[0]}<td>${found[1]}</table>`;
})</script>"""


def test_what_a_paced_page_loads_keeps_the_delay_of_its_host_and_needs_no_leave_of_robots_txt(
    workspace: Workspace,
) -> None:
    answers = {"/robots.txt": b"User-agent: *\nDisallow: /parts/", "/bread": PACED_PAGE, "/parts/a": b"Rye"}
    with Server(lambda path: answers.get(path, b"4.20")) as server:
        write(workspace, server.url("/bread"))
        written = (workspace.folder / "defs" / "bread.yml").read_text()
        (workspace.folder / "defs" / "bread.yml").write_text(
            written.replace("{ until:", "{ paced: true, until:")
        )
        workspace.settings["scoopi.loader.fetch.delay"] = 1500
        ended = workspace.process("run", "defs")
        assert ended.code == 0, ended.err
        one, other = (each.started for each in server.log.all() if each.path.startswith("/parts/"))
    assert [*workspace.rows()] == ["p0|bread|Rye|4.20"]
    assert other - one > 0.3, "the page asks for both at once"


SEARCH = b"""<input id=city><div id=p></div><script>city.onkeydown = event => {
  if (event.key === 'Enter') p.innerHTML = `<table id=prices><tr><td>${city.value}<td>4.20</table>`;
}</script>"""
SEARCHES = """
locatorGroups: { bread: { locators: [ { name: oslo, url: "URL" }, { name: "l'aquila", url: "URL" } ] } }
taskGroups:
  bread:
    loader: browser
    browser:
      actions: [ { type: "%{locator.name}", in: "#city" }, { press: Enter, in: "#city" } ]
      until: { text: "%{locator.name}" }
    priceTask: { dataDef: prices }
dataDefs:
  prices:
    query: { block: "#prices", selector: "td:nth-child(2)" }
    items: [ item: { name: city, index: 1, selector: "td:nth-child(1)" } ]
"""


def test_one_form_is_filled_in_for_each_of_a_list_of_locators(workspace: Workspace) -> None:
    with Server(lambda path: SEARCH) as server:
        (workspace.folder / "defs" / "bread.yml").write_text(SEARCHES.replace("URL", server.url("/search")))
        ended = workspace.process("run", "defs")
    assert ended.code == 0, ended.err
    assert sorted(workspace.rows()) == ["l'aquila|bread|l'aquila|4.20", "oslo|bread|oslo|4.20"]


WINDOWS = """
locatorGroups: { offers: { locators: [ "URL/a.html", "URL/b.html" ] } }
taskGroups:
  offers:
    loader: browser
    browser:
      actions:
        - click: a
    task: { dataDef: prices }
dataDefs: { prices: { each: "p", fields: { price: b } } }
"""


def test_a_window_that_a_click_opens_and_nothing_reads_is_named_once(
    workspace: Workspace, server: Server, pages: Path
) -> None:
    for name in ("a.html", "b.html"):
        (pages / name).write_text("<p><b>1</b></p><a href=/offer.html target=_blank>offer</a>")
    (workspace.folder / "defs" / "bread.yml").write_text(WINDOWS.replace("URL", server.url("")))
    ended = workspace.process("run", "defs")
    assert ended.code == 0, ended.err
    said = "the action at defs/bread.yml:8:11 has opened a window, which stays empty"
    assert ended.err.count(said) == 1
    assert "/offer.html" not in server.log.paths()
    (workspace.folder / "defs" / "bread.yml").write_text(
        WINDOWS.replace("URL", server.url("")).replace("- click: a", "- click: a\n        - window: new")
    )
    (pages / "offer.html").write_text("<p><b>2</b></p>")
    ended = workspace.process("run", "defs")
    assert ended.code == 0, ended.err
    assert "has opened a window" not in ended.err


PART = """<p class=item style="height: 2000px">1</p><script>
let number = 1;
addEventListener('scroll', () => {
  if (number < 5)
    document.body.innerHTML = `<p class=item style="height: ${2000 + number}px">${++number}</p>`;
});
</script>"""


def test_a_list_that_keeps_only_a_part_of_its_records_in_the_page_is_named_once(
    workspace: Workspace, server: Server, pages: Path
) -> None:
    for name in ("a.html", "b.html"):
        (pages / name).write_text(PART)
    scroll = '- scroll: end\n          until: no-new "p.item"\n          timeout: 1500'
    text = (
        WINDOWS.replace("URL", server.url("")).replace("- click: a", scroll).replace("price: b", 'price: "*"')
    )
    (workspace.folder / "defs" / "bread.yml").write_text(text.replace("price: b", 'price: "*"'))
    ended = workspace.process("run", "defs")
    assert ended.code == 0, ended.err
    (line,) = [each for each in ended.err.splitlines() if "it removed" in each]
    said = "html was scrolled (defs/bread.yml:8:11), it removed 4 elements of `p.item` that it had shown"
    assert said in line
