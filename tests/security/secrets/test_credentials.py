"""What is secret gets into no report, no log and no file that others may read."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.address import parse_address
from scoopi.model.text.shown import shown, with_login_of, without_login, without_logins
from tests.engine.workspace import Ended, Workspace
from tests.server.server import Server

SECRET = "S3cr3t"
DEFINITIONS = """\
locatorGroups:
  page:
    {live}
    locators: [{{ name: one, url: "{url}" }}]
taskGroups:
  page: {{ {live_task} pageTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""
LOGINS = (
    "me:S3cr3t@",
    "me:a@S3cr3t@",
    "me:S3cr3t@b@",
    "S3cr3t@",
    "S3cr3t:@",
    ":S3cr3t@",
    "a@S3cr3t:x@",
    "me:S3cr3t:x@",
    "me:%40S3cr3t%2F@",
)
MALFORMED = ("me:S3cr3t/x@", "me:S3cr3t?x@", "me:S3cr3t#x@", "me:S3cr3t\\x@")


def write(workspace: Workspace, url: str, live: str = "") -> None:
    text = DEFINITIONS.format(url=url.replace("\\", "\\\\"), live="", live_task=live)
    (workspace.folder / "job.yml").write_text(text)


def reported(workspace: Workspace, ended: Ended) -> str:
    """All that a run shows: the terminal and the files that are not hidden."""
    files = (workspace.folder / "output").glob("*/*")
    return ended.out + ended.err + "".join(file.read_text() for file in files if file.is_file())


@pytest.mark.parametrize("login", [*LOGINS, *MALFORMED])
@pytest.mark.parametrize("scheme", ["http://", "HTTPS://", "http:", "http:\\\\"])
def test_no_login_of_an_address_is_shown(login: str, scheme: str, refused: Callable[[str], None]) -> None:
    url = f"{scheme}{login}site.example:99999/a"
    assert SECRET not in shown(url)
    with pytest.raises(FetchError) as caught:
        parse_address(url)
    assert SECRET not in str(caught.value) + caught.value.cause
    refused(f"login {login} of an address with {scheme}")


def test_what_is_no_login_stays_readable() -> None:
    for url in (
        "http://h/@user/post",
        "http://h:80/a@b",
        "http://[::1]:8/@",
        "mailto:a@b",
        "/a@b",
        "http://h/?m=a@b",
    ):
        assert shown(url) == without_login(url) == url
    assert shown("https://me:p@ss@h/x@y") == "https://me:***@h/x@y"


@pytest.mark.parametrize("login", LOGINS)
def test_a_failed_page_is_reported_without_its_login(
    workspace: Workspace, server: Server, login: str, refused: Callable[[str], None]
) -> None:
    write(workspace, server.url("/missing.html").replace("http://", f"http://{login}"))
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert ended.code == 1
    assert "status 404" in reported(workspace, ended)
    assert SECRET not in reported(workspace, ended)
    refused(f"login {login} in the report of a run")


@pytest.mark.parametrize("login", LOGINS)
def test_the_check_warns_of_a_login_in_an_address_and_does_not_show_it(
    workspace: Workspace, login: str, refused: Callable[[str], None]
) -> None:
    write(workspace, f"http://{login}site.example/a")
    ended = workspace.scoopi("check", "job.yml")
    assert ended.code == 0
    assert "the address contains a login in plain text" in ended.out + ended.err
    assert SECRET not in ended.out + ended.err
    refused(f"login {login} in what `check` prints")


@pytest.mark.parametrize(
    ("query", "is_key"),
    [
        (f"?q=1&api_key={SECRET}", True),
        (f"?access-token={SECRET}&q=1#x", True),
        (f"?Password={SECRET}", True),
        (f"?token=a%3D{SECRET}%26", True),
        (f"?sig={SECRET}$;page=2", True),
        ("?author=adams&key=name&token=", False),
        ("?page=1#token=x", False),
    ],
)
def test_the_check_warns_of_a_key_in_an_address_and_does_not_show_it(
    workspace: Workspace, query: str, is_key: bool
) -> None:
    write(workspace, f"http://site.example/a{query}")
    ended = workspace.scoopi("check", "job.yml")
    assert ended.code == 0
    assert ("the address contains a key in plain text" in ended.out + ended.err) is is_key
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("path", ["/missing.html", "/a.html", "/bad/redirect-loop", "/bad/reset"])
@pytest.mark.parametrize("options", [("-v",), ("-v", "--log-format", "json")])
def test_a_key_in_an_address_is_sent_and_shown_nowhere(
    workspace: Workspace, server: Server, path: str, options: tuple[str, ...], refused: Callable[[str], None]
) -> None:
    workspace.settings = {
        "scoopi.retry.delay": 10,
        "scoopi.retry.attempts": 2,
        "scoopi.loader.fetch.delay": 0,
    }
    write(workspace, server.url(f"{path}?q=1&api_key={SECRET}&page=2"))
    ended = workspace.scoopi("run", "job.yml", "--workers", 0, *options)
    assert any(f"api_key={SECRET}" in each.path for each in server.log.all())
    assert "api_key=***&page=2" in ended.err
    assert SECRET not in reported(workspace, ended)
    refused(f"a key in the address of {path} with {' '.join(options)}")


@pytest.mark.parametrize("options", [(), ("--headers",), ("--curl",), ("--json",)])
@pytest.mark.parametrize("path", ["/missing.html", "/bad/redirect-loop"])
def test_a_key_in_an_address_is_not_shown_by_fetch(
    workspace: Workspace, server: Server, path: str, options: tuple[str, ...]
) -> None:
    address = server.url(f"{path}?q=1&token=a%3D{SECRET}&page=2")
    ended = workspace.scoopi("fetch", address, *options, "-D", "scoopi.loader.fetch.delay=0")
    assert "token=***&page=2" in ended.out
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize(
    "proxy",
    [
        "http://me:S3cr3t@[",
        "http://me:S3cr3t@host:bad",
        "me:S3cr3t@[",
        "x://me:S3cr3t@h",
        "http://me:a'S3cr3t@[",
    ],
)
def test_the_login_of_a_proxy_is_not_shown(
    workspace: Workspace,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    proxy: str,
    refused: Callable[[str], None],
) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    write(workspace, server.url("/a.html"))
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert ended.code == 1
    assert SECRET not in reported(workspace, ended)
    refused(f"login of the proxy {proxy}")


def test_a_librarys_message_loses_the_logins_that_it_quotes() -> None:
    message = "Unsupported proxy syntax in 'http://me:p@s'S3cr3t@x:[': Port number was not a decimal"
    assert without_logins(message) == "Unsupported proxy syntax in '***': Port number was not a decimal"
    assert without_logins("see http://me:S3cr3t@h/ for more") == "see http://***@h/ for more"


@pytest.mark.parametrize("key", ["scoopi.cluster.password", "scoopi.cluster.tls.password"])
@pytest.mark.parametrize("origin", ["-D", "environment", "file", "reference"])
def test_a_password_of_the_settings_is_shown_and_stored_nowhere(
    workspace: Workspace,
    server: Server,
    pages: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    origin: str,
    refused: Callable[[str], None],
) -> None:
    (pages / "a.html").write_text("<p>x</p>")
    write(workspace, server.url("/a.html"))
    options: list[str] = []
    if origin == "-D":
        options = ["-D", f"{key}={SECRET}"]
    elif origin == "environment":
        monkeypatch.setenv(key.upper().replace(".", "_"), SECRET)
    else:
        monkeypatch.setenv("PASS", SECRET)
        value = SECRET if origin == "file" else "x${env:PASS}"
        (workspace.folder / "settings.yml").write_text(f"{key}: {value}\n")
        options = ["--conf", "settings.yml"]
    listed = workspace.process("config", *options)
    assert SECRET not in listed.out + listed.err
    assert f"{key}  " in listed.out
    assert "***" in listed.out
    ended = workspace.process("run", "job.yml", "--workers", 1, *options)
    assert ended.code == 0, ended.err
    files = [file for file in (workspace.folder / "output").rglob("*") if file.is_file()]
    assert any(file.name == "store.db" for file in files)
    for file in files:
        assert SECRET.encode() not in file.read_bytes(), file
    assert SECRET not in reported(workspace, ended)
    refused(f"{key} by {origin} in the store")


def test_what_a_run_keeps_is_for_its_user_only(
    workspace: Workspace, server: Server, pages: Path, refused: Callable[[str], None]
) -> None:
    (pages / "a.html").write_text("<p>x</p>")
    write(workspace, server.url("/a.html"))
    assert workspace.scoopi("run", "job.yml", "--workers", 0).code == 0
    hidden = workspace.run_folder() / ".scoopi"
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
    (store,) = hidden.rglob("store.db")
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    refused("records of a run read by another user")


def test_the_archive_keeps_no_login_and_serves_the_page_to_whom_it_was_given(
    workspace: Workspace, server: Server, pages: Path, refused: Callable[[str], None]
) -> None:
    (pages / "a.html").write_text("<p>x</p>")
    url = server.url("/a.html").replace("http://", f"http://me:{SECRET}@")
    write(workspace, url, live="live: P1D,")
    assert workspace.scoopi("run", "job.yml", "--workers", 0, "--output", "first").code == 0
    files = [file for file in (workspace.folder / "data").rglob("*") if file.is_file()]
    assert files
    for file in files:
        assert SECRET.encode() not in file.read_bytes() + str(file).encode()
    assert workspace.scoopi("run", "job.yml", "--workers", 0).code == 0
    assert [page.path for page in server.log.pages()] == ["/a.html"]
    write(workspace, url.replace("me:", "you:"), live="live: P1D,")
    assert workspace.scoopi("run", "job.yml", "--workers", 0, "--output", "third").code == 0
    assert [page.path for page in server.log.pages()] == ["/a.html"] * 2, "another user has another page"
    refused("login in the archive")


def test_a_page_of_the_archive_has_the_login_of_its_locator_again() -> None:
    given = "https://me:p@s@h:8/x"
    assert with_login_of(without_login(given), given) == given
    assert with_login_of("https://h:8/y?q", given) == "https://me:p@s@h:8/y?q"
    for other in ("https://h/y", "http://h:8/y", "https://h:80/y", "https://h:8.evil/y"):
        assert with_login_of(other, given) == other
