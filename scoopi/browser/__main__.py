"""The parent process of a node's browsers, which cleans up their processes and files.

Its standard input gives the pool's folders and settings as one line of JSON, and nothing more. When the input
closes, because the node has ended, even by SIGKILL, or when the pool ends, all browsers are killed and their
files are removed; if the node has ended, so is the folder of the socket.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import threading
from pathlib import Path

from scoopi.browser.pool_process import PoolParameters
from scoopi.browser.remote_sessions import end_sessions
from scoopi.descendants import adopt_orphans, kill_descendants
from scoopi.model.decoders import json_decoder

_NODE = 0
"""The descriptor of the pipe from the node."""


def main() -> None:
    """Run the pool in a child process until the pool or the node ends, and clean up.

    If this process is killed, the child cleans up and ends.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the node decides when a run stops
    line = sys.stdin.buffer.readline()
    if not line:
        return
    parameters = json_decoder(PoolParameters).decode(line)
    adopt_orphans()
    own_end, pool_end = os.pipe()
    pool = os.fork()
    if pool == 0:
        os.close(pool_end)
        _serve(parameters, own_end)
    os.close(own_end)
    try:
        select.select([_NODE, os.pidfd_open(pool)], [], [])
    finally:
        _remove(parameters)


def _serve(parameters: PoolParameters, parent: int) -> None:
    """Run the pool in the child process; `parent` is a pipe that closes when the parent process ends."""
    from scoopi.browser.browser_pool import BrowserPool  # late: the parent process needs no Selenium

    adopt_orphans()
    threading.Thread(
        target=_end_with, args=(parameters, parent), name="browser-pool-end", daemon=True
    ).start()
    folder, profiles, shots = Path(parameters.folder), Path(parameters.profiles), Path(parameters.shots)
    BrowserPool(parameters.settings, folder, profiles, shots, parameters.scripts).serve()


def _end_with(parameters: PoolParameters, parent: int) -> None:
    os.read(parent, 1)
    try:
        _remove(parameters)
    finally:
        os._exit(1)  # else the pool would continue without its parent


def _remove(parameters: PoolParameters) -> None:
    kill_descendants()
    if _has_node_ended():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # readers of the node's output need not wait for a grid
    end_sessions(Path(parameters.profiles))
    shutil.rmtree(parameters.folder if _has_node_ended() else parameters.profiles, ignore_errors=True)


def _has_node_ended() -> bool:
    """Whether the node's end of the pipe is closed."""
    node = select.poll()
    node.register(_NODE, 0)
    return any(event & select.POLLHUP for _, event in node.poll(0))


if __name__ == "__main__":
    main()
