"""`scoopi deploy`: what changes is printed, and what has errors changes nothing."""

from __future__ import annotations

from pathlib import Path

from tests.cli.schedule_verbs.conftest import SHOP, Shop

SCRAPE = """
locatorGroups: { items: { url: "http://127.0.0.1:9/p.html" } }
taskGroups: { items: { rows: { dataDef: items } } }
dataDefs: { items: { each: "tr", fields: { name: "td" } } }
"""


def test_deploy_prints_what_changes(shop: Shop) -> None:
    assert shop.out.getvalue().splitlines() == [
        "change  process     jobs",
        "added   shop.books  0",
        "added   shop.clean  0",
        "added   shop.press  0",
    ]
    assert shop.printed("deploy", "jobs") == ""
    assert "no process has changed" in shop.err.getvalue()


def test_a_project_with_errors_is_not_deployed(shop: Shop) -> None:
    Path("jobs/shop.yml").write_text(SHOP.replace("retry: {max: 3}", "retry: 3"))
    assert shop.run("deploy", "jobs") == 3
    assert "jobs/shop.yml" in shop.err.getvalue()


def test_deploy_says_what_becomes_of_active_jobs(shop: Shop) -> None:
    shop.printed("launch", "press")
    shop.printed("launch", "clean", "--slot", "2026-03-27T12:00:00Z")
    text = SHOP.replace("paper: a4", "paper: a3")
    Path("jobs/shop.yml").write_text(text[: text.index("  clean:")] + text[text.index("  press:") :])
    assert shop.rows("deploy", "jobs", "--dry-run") == [
        {
            "process": "shop.clean",
            "change": "removed",
            "jobs": 1,
            "effect": "they wait until it is deployed again; attempts that run are left alone",
        },
        {
            "process": "shop.press",
            "change": "changed",
            "jobs": 1,
            "effect": "their next attempts have the new definitions; those that exist keep theirs",
        },
    ]
    assert "effect" in shop.printed("deploy", "jobs").splitlines()[0]
    shop.printed("job", "clear", "press/!1", code=4)
    assert "shop.press/!1 is embryo, but neither on hold nor waiting" in shop.err.getvalue()
    shop.printed("job", "cancel", "press/!1", code=4)
    assert "shop.press/!1 is embryo and has no live attempt" in shop.err.getvalue()


def test_wrong_settings_of_a_projects_scrapes_are_found_when_it_is_checked_or_deployed(shop: Shop) -> None:
    Path("jobs/site").mkdir()
    Path("jobs/site/site.yml").write_text(SCRAPE)
    Path("jobs/scrape.yml").write_text('processes: {site: {executes: "scrape:site"}}\n')
    assert shop.run("check", "jobs") == 0, shop.err.getvalue()
    Path("jobs/conf").mkdir()
    Path("jobs/conf/scoopi.yml").write_text("scoopi: { fetch: { delay: 0 } }\n")
    assert [shop.run(verb, "jobs") for verb in ("check", "deploy")] == [3, 3]
    what = "jobs/conf/scoopi.yml:1:27: scoopi.fetch.delay is not a setting"
    assert shop.err.getvalue().count(what) == 2, shop.err.getvalue()
    assert "site" not in shop.printed("process", "list")
