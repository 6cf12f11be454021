"""Locators with requests: what they send, which page they are, and what follows a redirect."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.engine.workspace import Workspace
from tests.server.answer import Answer
from tests.server.request_log import Seen
from tests.server.server import Server

DEFS = """\
locatorGroups:
  page:
    locators:
{locators}
taskGroups:
  page: {{ {live} pageTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """Redirects from `/STATUS/TARGET`; any other path is a page."""

    def page(path: str) -> bytes | Answer:
        _, status, *rest = path.split("/", 2)
        if status.isdigit():
            return Answer(b"", int(status), headers=(("Location", rest[0]),))
        return b"<p>page</p>"

    with Server(page) as server:
        yield server


def run(workspace: Workspace, locators: list[str], more: str = "", live: str = "", code: int = 0) -> str:
    text = "\n".join(f"      - {{ name: l{number}, {each} }}" for number, each in enumerate(locators))
    (workspace.folder / "defs.yml").write_text(DEFS.format(locators=text, live=live) + more)
    workspace.settings = {"scoopi.loader.fetch.delay": 0, "scoopi.loader.robots": False, **workspace.settings}
    ended = workspace.scoopi("run", "defs.yml", "--workers", "0")
    assert ended.code == code, ended.err
    return ended.err


def requests_to(server: Server, number: int = 0) -> list[Seen]:
    return server.log.all(server.host(number))


def test_a_form_is_posted(workspace: Workspace, server: Server) -> None:
    run(workspace, [f'url: "{server.url("/s")}", form: {{ city: "Åre x", tag: [ a, b ] }}'])
    (request,) = requests_to(server)
    assert request.method == "POST"
    assert request.header("Content-Type") == "application/x-www-form-urlencoded"
    assert parse_qsl(request.body.decode()) == [("city", "Åre x"), ("tag", "a"), ("tag", "b")]


def test_json_is_sent_with_the_types_as_written(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INNER", "s3cret")
    mapping = (
        'json: { page: 2, code: "2", on: true, none: null, sum: 1.5, list: [ 1, x ], key: "${env:INNER}" }'
    )
    text = """json: '{"a": [1, "b"]}', method: PUT"""
    run(workspace, [f'url: "{server.url("/s")}", {each}' for each in (mapping, text)])
    by_method = {request.method: request for request in requests_to(server)}
    assert json.loads(by_method["POST"].body) == {
        "page": 2,
        "code": "2",
        "on": True,
        "none": None,
        "sum": 1.5,
        "list": [1, "x"],
        "key": "s3cret",
    }
    assert json.loads(by_method["PUT"].body) == {"a": [1, "b"]}
    assert {request.header("Content-Type") for request in requests_to(server)} == {"application/json"}


def test_params_are_put_into_the_address_and_headers_beside_those_of_the_site(
    workspace: Workspace, server: Server
) -> None:
    more = 'sites: { "*": { headers: { X-Site: "1", Accept: "text/html" } } }\n'
    run(
        workspace,
        [f'url: "{server.url("/s?a=1")}", params: {{ b: "x y" }}, headers: {{ Accept: text/plain }}'],
        more,
    )
    (request,) = requests_to(server)
    assert request.path == "/s?a=1&b=x+y"
    assert (request.header("X-Site"), request.header("Accept")) == ("1", "text/plain")


def test_a_plain_page_beside_a_post_is_a_get(workspace: Workspace, server: Server) -> None:
    run(workspace, [f'url: "{server.url("/a")}", json: {{ a: 1 }}', f'url: "{server.url("/b")}"'])
    (post, get) = sorted(requests_to(server), key=lambda request: request.path)
    assert (post.method, post.turn) == ("POST", 1)
    assert (get.method, get.body, get.header("Content-Type")) == ("GET", b"", None)


def test_two_posts_with_different_forms_are_two_pages_in_jobs_and_archive(
    workspace: Workspace, server: Server
) -> None:
    locators = [f'url: "{server.url("/s")}", form: {{ page: {page} }}' for page in (1, 2)]
    for _ in range(2):
        run(workspace, locators, live='live: "P1W",')
        assert Counter(request.body for request in requests_to(server)) == {b"page=1": 1, b"page=2": 1}


def test_a_kept_page_serves_all_fragments_of_its_address(workspace: Workspace, server: Server) -> None:
    for fragment in ("", "#top", "#end"):
        run(workspace, [f'url: "{server.url("/s")}{fragment}"'], live='live: "P1W",')
    assert [request.path for request in requests_to(server)] == ["/s"]


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
def test_a_redirect_of_a_post_is_followed_as_browsers_do(
    workspace: Workspace, server: Server, status: int, method: str
) -> None:
    run(workspace, [f'url: "{server.url(f"/{status}//x")}", form: {{ a: b }}, headers: {{ X-Mine: "1" }}'])
    _, target = requests_to(server)
    assert (target.method, target.body) == (method, b"a=b" if method == "POST" else b"")
    assert target.header("X-Mine") == "1"
    assert (target.header("Content-Type") is None) == (method == "GET")


@pytest.mark.parametrize("status", [302, 307])
def test_credentials_do_not_follow_a_redirect_to_another_host(
    workspace: Workspace, server: Server, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "canary-1")
    other = server.url("/x", 1)
    locator = f'url: "{server.url(f"/{status}/{other}")}", headers: {{ X-Token: "${{env:CANARY}}" }}, '
    more = f"""\
sites:
  "{server.host(0)}":
    auth: {{ user: me, password: "${{env:CANARY}}" }}
    cookies: {{ sid: "${{env:CANARY}}" }}
    headers: {{ X-Key: "${{env:CANARY}}" }}
"""
    run(workspace, [locator + 'params: { api_key: "${env:CANARY}" }'], more)
    (first,), (second,) = requests_to(server, 0), requests_to(server, 1)
    assert first.head.count(b"canary-1") == 4  # token, cookie, key, parameter; the password is encoded
    assert first.header("Authorization") == "Basic bWU6Y2FuYXJ5LTE="
    assert b"canary" not in second.head
    assert second.header("Authorization") is None


def test_a_body_with_a_credential_is_not_repeated_to_another_host(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY", "canary-1")
    target = server.url("/x", 1)
    locator = f'url: "{server.url(f"/307/{target}")}", form: {{ token: "${{env:CANARY}}" }}'
    assert "redirected to another host with a body that contains a credential" in run(
        workspace, [locator], code=1
    )
    assert requests_to(server, 1) == []


def test_a_bearer_token_is_sent_and_a_header_of_the_locator_wins(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "abc\n")
    monkeypatch.setenv("OTHER", "xyz")
    urls = [
        f'url: "{server.url("/a")}"',
        f'url: "{server.url("/b")}", headers: {{ Authorization: "${{env:OTHER}}" }}',
    ]
    run(workspace, urls, 'sites: { "*": { auth: { bearer: "${env:TOKEN}" } } }\n')
    by_path = {request.path: request.header("Authorization") for request in requests_to(server)}
    assert by_path == {"/a": "Bearer abc", "/b": "xyz"}


def test_a_missing_or_broken_variable_fails_the_page_before_anything_is_sent(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "a\r\nX-Evil: 1")
    sites = 'sites: { "*": { headers: { X-Key: "${env:NOT_THERE}" } } }\n'
    said = run(workspace, [f'url: "{server.url("/a")}"'], sites, code=1)
    assert "needs the environment variable NOT_THERE, which is not set" in said
    said = run(workspace, [f'url: "{server.url("/a")}"'], sites.replace("NOT_THERE", "BROKEN"), code=1)
    assert "${env:BROKEN} contains a line break, which a header cannot contain" in said
    assert requests_to(server) == []


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("form: { a: b }, json: { a: b }", "form and json are both given; keep one of them"),
        ("method: GET, form: { a: b }", "a GET has no form; write `method: POST`"),
        ("method: DELETE", "DELETE is not a method for pages; known are GET, POST, PUT, PATCH"),
        ("form: { password: abc }", "the field password contains a credential in plain text"),
        ("params: { api_key: abc }", "the parameter api_key contains a credential in plain text"),
        ("json: { user: { token: abc } }", "the value token contains a credential in plain text"),
        ("""json: '{"a": '""", "json is not a JSON document"),
        ("formm: { a: b }", "unknown key formm; did you mean form?"),
    ],
)
def test_what_is_wrong_with_a_request_has_a_place_and_a_hint(
    workspace: Workspace, keys: str, message: str
) -> None:
    said = run(workspace, [f'url: "http://a.example/", {keys}'], code=3)
    assert "defs.yml" in said
    assert message in said
    assert "abc" not in said.replace("api", "")


def test_a_file_takes_no_request(workspace: Workspace) -> None:
    Path("x.html").write_text("<p>x</p>")
    assert "a local file has no request" in run(workspace, ["url: x.html, form: { a: b }"], code=3)
