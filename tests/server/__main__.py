"""Stand-alone test server: `python -m tests.server --port 0 --root DIR` prints its port and serves."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from tests.server.server import Server


def main() -> None:
    """Serve a folder until SIGINT or SIGTERM; the log is at `/log`."""
    arguments = argparse.ArgumentParser(prog="python -m tests.server", description=__doc__)
    arguments.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    arguments.add_argument("--root", type=Path, default=Path(), help="folder of pages")
    given = arguments.parse_args()
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with Server(given.root, port=given.port) as server:
        print(server.port, flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
