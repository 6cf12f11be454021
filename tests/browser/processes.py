"""The processes below one, by their programs, and the socket of a pool of browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from multiprocessing.connection import Client, Connection
from pathlib import Path

from scoopi.browser.pool_messages import Reply, Visit, receive_reply, send
from scoopi.browser.pool_process import PoolProcess
from scoopi.model.scrape.browser_def import BrowserDef
from tests.engine.workspace import wait_until
from tests.reliability.process import children_of
from tests.server.server import Server


def programs_below(root: int, program: str) -> Iterator[int]:
    """Process ids below a process whose program's name begins like this; not zombies."""
    for pid in children_of(root):
        yield from programs_below(pid, program)
        try:
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:  # it has just ended
            continue
        if name.startswith(program) and state != "Z":
            yield pid


def connected(socket: str) -> Connection:
    """A connection to a pool, once it listens: its socket has a name a moment before."""
    found: list[Connection] = []

    def connects() -> bool:
        try:
            found.append(Client(socket, "AF_UNIX"))
        except OSError:
            return False
        return True

    wait_until(connects, "the pool's socket")
    return found[0]


def interrupted(pool: PoolProcess, server: Server, timeout_s: float, strike: Callable[[], None]) -> Reply:
    """What a pool answers for a page that never comes, when its browser is hit meanwhile."""
    with connected(pool.socket) as connection:
        receive_reply(connection)
        send(connection, Visit(server.url("/bad/never-answers"), {}, timeout_s, BrowserDef()))
        wait_until(lambda: "/bad/never-answers" in server.log.paths(), "the request")
        strike()
        return receive_reply(connection)
