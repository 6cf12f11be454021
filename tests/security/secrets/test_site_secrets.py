"""Credentials of sites and requests reach their site and nothing else: canaries are searched for."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from tests.engine.workspace import Ended, Workspace
from tests.server.answer import Answer
from tests.server.forward_proxy import ForwardProxy
from tests.server.server import Server

CANARY = "c4n/ry+Öx"
ENCODED = (
    CANARY,
    quote_plus(CANARY),
    base64.b64encode(f"me:{CANARY}".encode()).decode(),
    CANARY.encode().decode("latin-1"),
)
SITES = """\
sites:
  "{host}":
    auth: {{ user: me, password: "${{env:CANARY}}" }}
    cookies: {{ sid: "${{env:PLAIN}}" }}
    headers: {{ X-Key: "${{env:PLAIN}}" }}
    proxy: "${{env:PROXY}}"
"""
DEFS = """\
locatorGroups:
  page:
    locators:
      - {{ name: one, url: "{url}/ok", params: {{ key: "${{env:CANARY}}" }} }}
      - {{ name: two, url: "{url}/echo", params: {{ key: "${{env:CANARY}}" }} }}
      - {{ name: three, url: "{url}/gone", form: {{ token: "${{env:CANARY}}" }} }}
      - {{ name: four, url: "{url}/hidden", params: {{ key: "${{env:CANARY}}" }} }}
      - {{ name: five, url: "{url}/ok", json: {{ a: "${{env:CANARY}}" }} }}
taskGroups:
  page: {{ live: "P1W", pageTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """Repeats the secret of a request in a redirect, as a parameter (`/echo`) or as a folder (`/hidden`)."""

    def page(path: str) -> bytes | Answer:
        path = "/" + path.partition("//")[2].partition("/")[2] if "//" in path else path  # by a proxy
        query = path.partition("?")[2]
        if path.startswith("/echo"):
            return Answer(b"", 302, headers=(("Location", f"/broken?{query}"),))
        if path.startswith("/hidden"):
            return Answer(b"", 302, headers=(("Location", f"/x/{query.partition('=')[2]}/"),))
        if path.startswith(("/gone", "/broken")):
            return Answer(b"", 404)
        return b"<p>page</p>"

    with Server(page) as server:
        yield server


def everything(workspace: Workspace, ended: Ended) -> dict[str, bytes]:
    """What a run prints and each file that it leaves, hidden ones and databases too."""
    files = {str(path): path.read_bytes() for path in workspace.folder.rglob("*") if path.is_file()}
    return {**files, "stdout": ended.out.encode(), "stderr": ended.err.encode()}


@pytest.mark.parametrize("workers", [0, 2])
def test_no_credential_of_a_site_or_request_is_in_any_output_or_file(
    workspace: Workspace,
    server: Server,
    workers: int,
    monkeypatch: pytest.MonkeyPatch,
    refused: Callable[[str], None],
) -> None:
    monkeypatch.setenv("CANARY", CANARY)
    monkeypatch.setenv("PLAIN", "c4n4ry")
    with ForwardProxy() as proxy:
        monkeypatch.setenv("PROXY", proxy.url.replace("//", "//me:c4n4ry@"))
        (workspace.folder / "defs.yml").write_text(
            DEFS.format(url=server.url("")) + SITES.format(host=server.host(0))
        )
        ended = workspace.process("run", "defs.yml", "--workers", workers, "--verbose")
        asked = [
            workspace.process("politeness"),
            workspace.process("politeness", "--json"),
            workspace.process("fetch", server.url("/ok"), "--defs", "defs.yml", "--headers"),
            workspace.process("fetch", server.url("/ok"), "--defs", "defs.yml", "--curl"),
            workspace.process("run", "defs.yml", "--workers", workers, "--log-format", "json", "--verbose"),
        ]
    assert [each.code for each in asked] == [0, 0, 0, 0, 1], asked
    assert server.host(0) in asked[0].out
    assert "X-Key" in asked[2].out + asked[3].out
    assert ended.code == 1, ended.err
    assert "2 done, 3 failed" in ended.err
    assert "redirected to an address that contains a credential" in ended.err
    sent = b"".join(seen.head + seen.body for seen in server.log.all())
    assert quote_plus(CANARY).encode() in sent, "the credentials were sent"
    assert b"X-Key: c4n4ry" in sent
    said = {f"command {number}": (each.out + each.err).encode() for number, each in enumerate(asked)}
    for name, content in (everything(workspace, ended) | said).items():
        for form in (*ENCODED, "c4n4ry"):
            assert form.encode() not in content, f"{form} is in {name}"
    refused("credentials of sites and requests in outputs and files")


def test_config_check_and_errors_show_no_credential(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch, refused: Callable[[str], None]
) -> None:
    for name in ("CANARY", "PLAIN", "PROXY"):
        monkeypatch.setenv(name, "c4n4ry")
    (workspace.folder / "defs.yml").write_text(
        DEFS.format(url=server.url("")) + SITES.format(host=server.host(0))
    )
    shown = [
        workspace.process("config", "--site", server.url("/"), "--defs", "defs.yml"),
        workspace.process("config", "--site", server.url("/"), "--defs", "defs.yml", "--json"),
        workspace.process("check", "defs.yml", "--format", "json"),
        workspace.process("run", "defs.yml", "--workers", "0"),  # its proxy is not one
    ]
    assert "${env:CANARY} (set)" in shown[0].out
    for ended in shown:
        assert "c4n4ry" not in ended.out + ended.err
    refused("credentials of sites in config, check and errors")


def test_a_credential_in_clear_is_refused_and_not_repeated(
    workspace: Workspace, refused: Callable[[str], None]
) -> None:
    sites = [
        "auth: { user: me, password: c4n4ry }",
        "auth: { bearer: c4n4ry }",
        "cookies: { sessionid: c4n4ry }",
        "headers: { Authorization: c4n4ry }",
        'proxy: "http://me:c4n4ry@10.0.0.1:3128"',
    ]
    for each in sites:
        Path("defs.yml").write_text(
            DEFS.format(url="http://a.example") + f"sites:\n  a.example: {{ {each} }}\n"
        )
        for ended in (
            workspace.scoopi("check", "defs.yml"),
            workspace.scoopi("check", "defs.yml", "--format", "json"),
        ):
            assert ended.code == 3
            assert "in plain text" in ended.out
            assert "c4n4ry" not in ended.out + ended.err
        refused("a credential in plain text")


def test_no_password_of_a_login_is_in_any_output_or_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, refused: Callable[[str], None]
) -> None:
    monkeypatch.setenv("CANARY", CANARY)

    def page(path: str) -> bytes | Answer:
        if path == "/login":
            return b"<form method=post action=/enter><input type=password name=pass></form>"
        return Answer(b"<a class=out>x</a>", headers=(("Set-Cookie", "sid=1; Path=/"),))

    for success in ("a.out", "a.never"):
        with Server(page) as server:
            login = f'{{ url: "{server.url("/login")}", form: form, fields: {{ pass: "${{env:CANARY}}" }}, '
            login += f"success: {{ selector: {success} }} }}"
            sites = f'sites: {{ "{server.host(0)}": {{ login: {login} }} }}\n'
            (workspace.folder / "defs.yml").write_text(DEFS.format(url=server.url("")) + sites)
            ended = workspace.process("run", "defs.yml", "--workers", 2, "--verbose")
            bodies = b"".join(seen.body for seen in server.log.all())
        assert quote_plus(CANARY).encode() in bodies, ended.err
        for name, content in everything(workspace, ended).items():
            for form in ENCODED:
                assert form.encode() not in content, f"{form} is in {name}"
    refused("the password of a login in outputs and files")
