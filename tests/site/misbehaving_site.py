"""MisbehavingSite: one loopback server with a page for each misbehaviour, by name, each on a host of its own.

    with MisbehavingSite(tmp_path) as site:
        site.url("flapping-503")        # http://127.0.1.9:40123/bad/flapping-503
        site.url("slow", ms=100)        # with a query in place of the usual one
        site.log.all(site.host("slow")) # requests: started, ended, host, path, status, connection, turn

The names are the keys of PAGES; `python -m tests.site` lists what each does and serves them all, and
docs/misbehaving-sites.md states what Scoopi does with each. It is the server of tests/server with more
addresses: any path of a host is answered by the host's page, `/robots.txt` by its robots variant (404
without one), `/bad/NAME` by the page of that name on any host.
"""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from urllib.parse import urlencode

from tests.server.answer import Answer
from tests.server.connection import BAD
from tests.server.exchange import Exchange
from tests.server.misbehaviours import MISBEHAVIOURS, Misbehaviour
from tests.server.request_log import RequestLog, Seen
from tests.server.server import Server
from tests.site.content_pages import CHARSET_PAGES, CONTENT_PAGES
from tests.site.robots_pages import ROBOTS_PAGES
from tests.site.site_page import NEVER, SitePage
from tests.site.status_pages import STATUS_PAGES, WALL_PAGES
from tests.site.wire_pages import BODY_PAGES, WIRE_PAGES

PAGES: dict[str, SitePage] = {
    **WIRE_PAGES,
    **BODY_PAGES,
    **STATUS_PAGES,
    **WALL_PAGES,
    **CONTENT_PAGES,
    **CHARSET_PAGES,
    **ROBOTS_PAGES,
}
ADDRESSES: dict[str, str] = {
    name: "::1" if page.host == "ipv6" else f"127.0.1.{number}"
    for number, (name, page) in enumerate(PAGES.items(), 1)
}
_NAMES = {address: name for name, address in ADDRESSES.items()}
TRUSTED_NAME = ADDRESSES["bad-tls"]


class MisbehavingSite:
    """Serves all pages while its `with` lasts.

    Args:
        folder: where it makes certificates, when a page needs one.
        port: of all hosts but those of TLS.

    Attributes:
        log: every request of every host, in the order of arrival.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        self._folder = folder
        self._opened = ExitStack()
        self._opening: set[str] = set()
        self.log = RequestLog()
        closed = [ADDRESSES[name] for name, page in PAGES.items() if page.opens_after_s]
        self.server = Server(
            _no_page,
            port=port,
            addresses=[*ADDRESSES.values()],
            closed=closed,
            route=_route,
            log=self.log,
        )

    def __enter__(self) -> MisbehavingSite:
        self._opened.enter_context(self.server)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def host(self, name: str) -> str:
        """`host:port` of a page, as politeness and the log name it."""
        address = ADDRESSES[name]
        return f"[{address}]:{self._port(name)}" if ":" in address else f"{address}:{self._port(name)}"

    def url(self, name: str, path: str = "", **query: object) -> str:
        """The address of a page; the time of a host that is down for a while begins with the first call.

        Args:
            path: another path of the host; `/bad/NAME` without it.
            query: replaces the page's own.
        """
        page = PAGES[name]
        if 0 < page.opens_after_s < NEVER and name not in self._opening:
            self._opening.add(name)
            self.server.open_after(ADDRESSES[name], page.opens_after_s)
        asked = urlencode(query) if query else page.query
        scheme = "https" if page.host in ("tls", "tls-wrong-name", "https-to-http") else "http"
        return f"{scheme}://{self.host(name)}{path or BAD + name}{'?' * bool(asked)}{asked}"

    def open(self, name: str) -> None:
        """End a host's refusal of connections now."""
        self.server.open(ADDRESSES[name])

    @cached_property
    def authority(self) -> Path:
        """The certificate that makes `bad-tls` trusted."""
        return self._certificate(TRUSTED_NAME)[0]

    def _port(self, name: str) -> int:
        kind = PAGES[name].host
        if kind == "tls":
            return self._trusted.port
        return self._wrongly_named.port if kind == "tls-wrong-name" else self.server.port

    @cached_property
    def _trusted(self) -> Server:
        return self._tls("bad-tls", TRUSTED_NAME)

    @cached_property
    def _wrongly_named(self) -> Server:
        return self._tls("tls-wrong-name", TRUSTED_NAME)

    def _tls(self, name: str, certified: str) -> Server:
        server = Server(
            _no_page,
            tls=self._certificate(certified),
            addresses=[ADDRESSES[name]],
            route=_route,
            log=self.log,
        )
        return self._opened.enter_context(server)

    def _certificate(self, address: str) -> tuple[Path, Path]:
        """A self-signed certificate and its key, made by openssl once."""
        made, key = self._folder / f"{address}.pem", self._folder / f"{address}.key"
        if not made.exists():
            command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
            names = [
                "-subj",
                "/CN=test",
                "-addext",
                f"subjectAltName=IP:{address}",
                "-keyout",
                str(key),
                "-out",
                str(made),
            ]
            subprocess.run([*command.split(), *names], check=True, capture_output=True)
        return made, key


def _no_page(path: str) -> None:
    return None


def _route(seen: Seen) -> tuple[str, Misbehaviour] | None:
    address = seen.host.rpartition(":")[0].strip("[]")
    name = _NAMES.get(address, "plain")
    path = seen.path.partition("?")[0]
    if path.endswith("/robots.txt"):
        return f"{name}/robots", PAGES[name].robots or _no_robots
    if path.startswith(BAD):
        name = path[len(BAD) :].partition("/")[0]
        return (name, PAGES[name].answer) if name in PAGES else (name, MISBEHAVIOURS.get(name, _no_robots))
    return (name, PAGES[name].answer) if name in PAGES else None


async def _no_robots(exchange: Exchange) -> None:
    await exchange.send(Answer(b"no such page", 404))
