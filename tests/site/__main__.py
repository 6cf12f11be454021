"""Stand-alone misbehaving site: `python -m tests.site` lists its pages and serves them until SIGINT."""

from __future__ import annotations

import argparse
import signal
import tempfile
import threading
from pathlib import Path

from tests.site.misbehaving_site import PAGES, MisbehavingSite


def main() -> None:
    """Print the address of each page and what it does; serve until SIGINT or SIGTERM."""
    arguments = argparse.ArgumentParser(prog="python -m tests.site", description=__doc__)
    arguments.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    given = arguments.parse_args()
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with tempfile.TemporaryDirectory() as folder, MisbehavingSite(Path(folder), given.port) as site:
        for name, page in PAGES.items():
            print(f"{site.url(name)}  {page.description}", flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
