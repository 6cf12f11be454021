"""How long a run with worker processes takes from its start to the first request for a page."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.benchmarks.measured_run import ROOT

PAGES = 8
PAGE = b"<!doctype html><title>page</title><ul><li><b>packet</b></ul>"
DEFINITIONS = """\
locatorGroups:
  page: {{ locators: [ {{ name: "p%{{n}}", url: "{url}/page/%{{n}}", n: 1-{pages} }} ] }}
taskGroups: {{ page: {{ rows: {{ dataDef: rows }} }} }}
dataDefs: {{ rows: {{ each: li, fields: {{ name: b }} }} }}
"""


def first_page_ms(folder: Path, workers: int) -> float:
    """Run a small scrape, and measure until its first request for a page (robots.txt comes before).

    Args:
        folder: a new one, for definitions and output.
        workers: processes of the run.
    Returns:
        Milliseconds since the process was started.
    """
    folder.mkdir()
    with _pages() as (url, asked):
        (folder / "defs.yml").write_text(DEFINITIONS.format(url=url, pages=PAGES))
        command = [sys.executable, "-m", "scoopi", "run", "defs.yml", "--quiet", "--workers", str(workers)]
        command += ["-D", "scoopi.loader.fetch.delay=0"]
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        began = time.monotonic()
        subprocess.run(command, cwd=folder, env={**kept, "PYTHONPATH": str(ROOT)}, check=True)
    return (min(asked) - began) * 1000


@contextmanager
def _pages() -> Iterator[tuple[str, list[float]]]:
    """A server of equal pages without robots.txt: its address, and when each page was asked for."""
    asked: list[float] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            now, found = time.monotonic(), self.path.startswith("/page/")
            if found:
                asked.append(now)
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, *args: object) -> None:
            """Print nothing: the output is that of the benchmark."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
