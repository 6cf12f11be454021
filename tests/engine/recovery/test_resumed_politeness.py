"""What a run knew of its hosts when it was killed, `resume` heeds: their sleep, their robots.txt."""

from __future__ import annotations

import signal
import sqlite3
from collections import Counter
from contextlib import closing

from tests.engine.workspace import TEXT_DEFS, Workspace, wait_until
from tests.server.answer import Answer
from tests.server.server import Server

SLEEP_S = 8
PAGES = 4


class Site:
    """A site that asks to be left alone once, and whose robots.txt changes afterwards."""

    def __init__(self) -> None:
        self.has_refused = False

    def __call__(self, path: str) -> bytes | Answer | None:
        if path == "/robots.txt":
            return b"User-agent: *\n" if self.has_refused else b"User-agent: *\nDisallow: /private\n"
        if not self.has_refused:
            self.has_refused = True
            return Answer(b"busy", 429, headers=(("Retry-After", str(SLEEP_S)),))
        return b"<p>bread"


def has_kept_the_sleep(workspace: Workspace, host: str) -> bool:
    """Whether the store of the run knows that the host is left alone."""
    if not workspace.runs():
        return False
    (file,) = workspace.run_folder().glob(".scoopi/*/store.db")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        kept = store.execute("SELECT value FROM run WHERE key LIKE 'rests/%'").fetchall()
    return any(host.encode() in value for (value,) in kept)


def test_a_killed_run_leaves_the_host_alone_and_reads_no_robots_txt_again(workspace: Workspace) -> None:
    workspace.settings = {"scoopi.loader.fetch.delay": 0}
    with Server(Site()) as server:
        urls = [server.url(f"/{number}") for number in range(PAGES)] + [server.url("/private")]
        locators = "\n".join(f'      - {{ name: l{n}, url: "{url}" }}' for n, url in enumerate(urls))
        (workspace.folder / "defs.yml").write_text(TEXT_DEFS.format(locators=locators))
        running = workspace.start("run", "defs.yml", "--workers", 1)
        try:
            wait_until(lambda: has_kept_the_sleep(workspace, server.host()), "the sleep", 60, running)
            running.signal(signal.SIGKILL)
            running.wait(60)
        finally:
            running.kill_all()
        ended = workspace.process("resume", "--workers", 1)
        seen = server.log.all()
    assert ended.code == 0, ended.err
    assert workspace.rows() == Counter(f"l{number}|page|text|bread" for number in range(PAGES))
    assert workspace.run_json()["jobs"]["skipped"] == 1
    assert [each.path for each in seen].count("/robots.txt") == 1
    (refused,) = (place for place, each in enumerate(seen) if each.status == 429)
    assert refused == len(seen) - PAGES - 1, "the resumed run sends the rest"
    ended_at = seen[refused].ended
    assert ended_at is not None
    assert seen[refused + 1].started - ended_at >= SLEEP_S - 0.1
