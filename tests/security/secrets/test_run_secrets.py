"""A bearer token and the password of a login: nothing that a run, its verbs and its cluster keep has them."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.store.cluster.cluster_backend import ClusterBackend
from scoopi.store.cluster.cluster_client import ClusterClient
from tests.engine.workspace import Ended, Workspace
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen
from tests.server.server import Server

TOKEN, PASSWORD = "c4n4ry-token", "c4n4ry-password"
DEFS = """\
locatorGroups:
  page: [ "{api}/one", "{api}/gone", "{shop}/two" ]
taskGroups:
  page: {{ texts: {{ dataDef: text, output: texts.csv }} }}
dataDefs:
  text: {{ fields: {{ text: p }} }}
sites:
  "{api_host}": {{ auth: {{ bearer: "${{env:TOKEN}}" }} }}
  "{shop_host}":
    login:
      url: "{shop}/login"
      form: form
      fields: {{ user: me, pass: "${{env:PASSWORD}}" }}
      success: {{ selector: a.out }}
"""
FORM = b"<form method=post action=/enter><input name=user><input type=password name=pass></form>"
QUICKLY = ("-D", "scoopi.loader.fetch.delay=0")
Refused = Callable[[str], None]


class Gate:
    """Two sites: `/one` wants the token, `/two` a login.

    Attributes:
        tokens: requests that had the token.
        passwords: those that logins sent.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self.passwords: list[str] = []

    def route(self, seen: Seen) -> tuple[str, Misbehaviour]:
        """All requests."""
        return "gate", self.answer

    async def answer(self, exchange: Exchange) -> None:
        """Answer one request."""
        await exchange.send(self._answer(exchange.seen))

    def _answer(self, seen: Seen) -> Answer:
        if seen.path == "/login":
            return Answer(FORM)
        if seen.path == "/enter":
            self.passwords += parse_qs(seen.body.decode())["pass"]
            return Answer(b"<a class=out>x</a>", headers=(("Set-Cookie", "sid=1; Path=/"),))
        if seen.header("authorization") == f"Bearer {TOKEN}":
            self.tokens += 1
            return Answer(b"<p>one</p>", 404 if seen.path == "/gone" else 200)
        return Answer(b"<p>two</p>", 200 if "sid=1" in (seen.header("cookie") or "") else 401)


@pytest.fixture
def gate(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """The sites, and definitions that read them."""
    monkeypatch.setenv("TOKEN", TOKEN)
    monkeypatch.setenv("PASSWORD", PASSWORD)
    gate = Gate()
    with Server(lambda path: b"", route=gate.route) as server:
        api, shop = server.url(""), server.url("", 1)
        hosts = {"api_host": server.host(0), "shop_host": server.host(1)}
        (workspace.folder / "defs.yml").write_text(DEFS.format(api=api, shop=shop, **hosts))
        yield gate


def urls(workspace: Workspace) -> list[str]:
    return (workspace.folder / "defs.yml").read_text().split('"')[1:6:2]


def assert_clean(contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        for secret in (TOKEN, PASSWORD):
            assert secret.encode() not in content, f"{secret} is in {name}"


def outputs_of(commands: list[Ended]) -> dict[str, bytes]:
    return {f"command {number}": (each.out + each.err).encode() for number, each in enumerate(commands)}


def contents_of(folder: Path) -> dict[str, bytes]:
    """Each file below the folder, and each record of its databases, unpacked."""
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for path in folder.rglob("*.db"):
        with closing(sqlite3.connect(path)) as database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                rows = database.execute(f'SELECT * FROM "{table}"')
                for number, row in enumerate(rows):
                    files[f"{path}: {table} {number}"] = b" ".join(map(unpacked, row))
    return files


def unpacked(value: object) -> bytes:
    if not isinstance(value, bytes | bytearray):
        return str(value).encode()
    try:
        return zlib.decompress(value)
    except zlib.error:
        return bytes(value)


def test_no_verb_and_no_file_of_a_run_shows_a_token_or_a_password(
    workspace: Workspace, gate: Gate, refused: Refused
) -> None:
    api, _, shop = urls(workspace)
    run = workspace.process("run", "defs.yml", "--workers", 2, "--verbose")
    assert run.code == 1, run.err
    assert "2 done, 1 failed" in run.err
    assert gate.tokens >= 2, "the token was sent"
    assert gate.passwords == [PASSWORD], "one login of the run"
    verbs: list[tuple[int, tuple[object, ...]]] = [
        (1, ("retry", "--log-format", "json", "--verbose")),
        (0, ("rows",)),
        (0, ("politeness", "--json")),
        (0, ("show", "defs.yml")),
        (0, ("config", "--site", api, "--defs", "defs.yml")),
        (0, ("fetch", api, "--defs", "defs.yml", "--json", *QUICKLY)),
        (0, ("fetch", shop, "--defs", "defs.yml", "--json", *QUICKLY)),
        (0, ("fetch", shop, "--defs", "defs.yml", "--headers", "--curl", *QUICKLY)),
        (0, ("parse", "defs.yml", "texts.html", "--json")),
    ]
    (workspace.folder / "texts.html").write_text("<p>three")
    asked = [workspace.scoopi(*words) for _, words in verbs]
    assert [each.code for each in asked] == [code for code, _ in verbs], asked
    assert gate.passwords == [PASSWORD] * 3, "fetch logs in, too"
    assert '"purpose": "login"' in asked[6].out
    contents = contents_of(workspace.folder)
    assert any("store.db: " in name and b"${env:TOKEN}" in content for name, content in contents.items())
    assert_clean({**contents, **outputs_of([run, *asked])})
    refused("tokens and passwords of a run, in what its verbs show and in its files")


def test_no_record_of_a_cluster_and_no_status_shows_a_token_or_a_password(
    workspace: Workspace, gate: Gate, cluster: ClusterClient, attacker: Any, tmp_path: Path, refused: Refused
) -> None:
    name, reached = f"{tmp_path.name}-secrets", cluster.settings
    ask = ["--cluster", ",".join(reached.addresses), "-D", f"scoopi.cluster.name={reached.name}"]
    run = workspace.process("run", "defs.yml", "--workers", 1, "--run", name, "--verbose", *ask)
    assert run.code == 1, run.err
    assert "2 done, 1 failed" in run.err
    assert (gate.tokens >= 2, gate.passwords) == (True, [PASSWORD])
    asked = [workspace.scoopi("status", name, *ask), workspace.scoopi("status", name, "--json", *ask)]
    assert [each.code for each in asked] == [0, 0], asked
    records = {
        f"{shared.name}[{key!r}]": unpacked(value)
        for shared in attacker.get_distributed_objects()
        if name in shared.name
        for key, value in shared.blocking().entry_set()
    }
    assert any(b"${env:TOKEN}" in content for content in records.values()), [*records]
    assert_clean({**records, **contents_of(workspace.folder), **outputs_of([run, *asked])})
    runs_of(ClusterBackend(cluster, "test"), "test").forget(name)
    refused("tokens and passwords of a run in its cluster")
