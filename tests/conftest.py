"""Fixtures that tests of several rooms share."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from scoopi.parse.bridge import build
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock
from tests.server.server import Server
from tests.site.misbehaving_site import MisbehavingSite

# Several rooms' tests import these; only here is none of them imported yet.
pytest.register_assert_rewrite(
    "tests.engine.workspace", "tests.engine.politeness.pace", "tests.bad_input.town"
)

# A run of the tests is to say something of a change, not of its luck: it takes the same examples each time.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("searching", max_examples=2000, deadline=None)
hypothesis.settings.load_profile("same")

if TYPE_CHECKING:
    from scoopi.store.cluster.cluster_client import ClusterClient
    from tests.engine.politeness.pace import Pace
    from tests.engine.workspace import Workspace
    from tests.outputs.postgres_server import PostgresServer

_ATTACK = "attack refused"


def pytest_sessionstart() -> None:
    """A compiled bridge that is older than its source would not be used: it is built again."""
    if list(Path(build.__file__).parent.glob("_bridge*.so")):
        build.build_if_older()


@pytest.fixture
def refused(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Record one refused attack by its name; the test run ends with their number.

    Record it after the assertion that proves the refusal: a failing test counts no attack.
    """
    return lambda attack: record_property(_ATTACK, attack)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many attacks of tests/security were refused."""
    passed = [report for report in terminalreporter.stats.get("passed", []) if report.when == "call"]
    attacks = {
        (report.nodeid, name) for report in passed for key, name in report.user_properties if key == _ATTACK
    }
    if attacks:
        terminalreporter.write_line(f"security: {len(attacks)} attacks refused")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """An empty folder that `server` serves; write pages into it."""
    folder = tmp_path / "pages"
    folder.mkdir()
    return folder


@pytest.fixture
def server(pages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A real HTTP server on loopback that serves `pages` and misbehaves under `/bad/…`."""
    _without_proxies(monkeypatch)
    with Server(pages) as running:
        yield running


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingSite]:
    """A loopback site with a page for each misbehaviour, by name: see tests/site/misbehaving_site.py."""
    _without_proxies(monkeypatch)
    with MisbehavingSite(tmp_path) as running:
        yield running


def _without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clock() -> Clock:
    """Monotonic seconds that the test lets pass."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SettlingStore]:
    """A settled store without faults."""
    store = SettlingStore(SqliteStore(tmp_path / "store.db"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL; a test makes a database of its own in it."""
    from tests.outputs.postgres_server import PostgresServer

    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """The URL of an empty database."""
    return postgres.database(f"test_{secrets.token_hex(4)}")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterClient]:
    """A client of a real Hazelcast member; without Java or the jar its error says what to do."""
    from scoopi.store.cluster.cluster_client import ClusterClient
    from tests.cluster.grids import members, settings_of

    with members(tmp_path_factory.mktemp("members")) as started:
        client = ClusterClient(settings_of(started))
        yield client
        client.close()


@pytest.fixture(scope="session")
def faulty_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterClient]:
    """A client of a real member that can only be reached through a network that loses and delays."""
    from scoopi.store.cluster.cluster_client import ClusterClient
    from tests.cluster.grids import proxied_member, settings
    from tests.cluster.proxy import Plan

    plan = Plan(cut=0.03, drop=0.03, delay=0.1)
    with proxied_member(tmp_path_factory.mktemp("members"), plan, seed=1) as (_, proxy):
        client = ClusterClient(settings(proxy.port, connect_timeout_ms=20_000))
        yield client
        client.close()
        # A worker that runs only a few of the tests may be lucky: with 400 chunks it is once in 200,000.
        if proxy.at_risk >= 400:
            assert proxy.cuts
            assert proxy.drops
            assert proxy.delays


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Closes what a test opens, last first."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose folder is the current one; hosts are asked without delay."""
    from tests.engine.workspace import quick_workspace

    return quick_workspace(tmp_path / "workspace", monkeypatch)


@pytest.fixture
def pace(server: Server) -> Iterator[Pace]:
    """Watches the server's log."""
    from tests.engine.politeness.pace import Pace

    with Pace(server) as pace:
        yield pace
