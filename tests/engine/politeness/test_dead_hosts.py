"""Hosts that never answer take no request away from one that does."""

from __future__ import annotations

from pathlib import Path

from tests.engine.dead_hosts import DeadHosts
from tests.engine.politeness.linked_pages import linked_pages
from tests.engine.workspace import Workspace, wait_until
from tests.server.server import Server

GOOD, DEAD = 12, 200


def test_a_host_that_answers_is_asked_on_while_200_dead_ones_are_waited_for(
    workspace: Workspace, server: Server, pages: Path
) -> None:
    with DeadHosts() as dead:
        good = [server.url(f"/{number}.html") for number in range(GOOD)]
        for number in range(GOOD):
            (pages / f"{number}.html").write_text("<p>good</p>")
        links = "".join(f'<a href="{url}">x</a>' for url in dead.urls(DEAD) + good)
        (pages / "list.html").write_text(f"<body>{links}</body>")
        text = linked_pages(server.url("/list.html"), GOOD + DEAD)
        (workspace.folder / "defs.yml").write_text(text)
        # Dead hosts are waited for longer than the test may take: none of their requests becomes free.
        workspace.settings = {"scoopi.webClient.connectTimeout": 600_000, "scoopi.webClient.timeout": 600_000}
        workspace.settings["scoopi.loader.fetch.delay"] = 10
        running = workspace.start("run", "defs.yml", "--workers", 1)
        try:
            wait_until(
                lambda: len(server.log.all()) == 2 + GOOD, "robots.txt, all good pages", running=running
            )
        finally:
            running.kill_all()
            running.wait(60)
