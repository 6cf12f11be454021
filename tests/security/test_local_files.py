"""A web page reads no file of the node, whatever it writes as base and as link."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.steps.locator_creator import link_address
from tests.engine.workspace import Workspace
from tests.server.server import Server

SECRET = "the secret of the node"
BASES = (
    *("", "about:blank", "about:", "foo:bar", "foo:", "data:,", "data:text/html,x", "mailto:", "mailto:a@b"),
    *(
        "javascript:0",
        "//[",
        "//",
        "http://[x",
        "http://[",
        "http:",
        "https:///",
        "http://h:x/",
        "http://h:99999/",
    ),
    *(
        "file:///",
        "FILE:///",
        "file:",
        "f\tile:///",
        "\x01file:///",
        "/",
        "///",
        "..",
        "blob:http://h/",
        "x-y:/",
        "C:\\",
    ),
)
"""What a page writes as `<base href>`; empty: it has none."""
CONFIG = """\
locatorGroups:
  web: {{ locators: [{locators}] }}
taskGroups:
  web:
    linkTask:
      dataDef: links
      steps: {{ css: {{ link: {{ class: LocatorCreator, previous: {previous}, next: end }} {script} }} }}
  page: {{ pageTask: {{ dataDef: text }} }}
dataDefs:
  links:
    query: {{ block: "body" }}
    items:
      - item:
          name: link
          indexRange: 1-{count}
          selector: "a:nth-child(%{{index}}) attribute: href"
          linkGroup: page
          {prefix}
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


@pytest.fixture
def secret(workspace: Workspace) -> Path:
    """A page that lies where a relative and an absolute path both find it."""
    file = workspace.folder / "secret.html"
    file.write_text(f"<p>{SECRET}</p>")
    return file


def links_to(secret: Path) -> tuple[str, ...]:
    """The ways to write a link to it."""
    absolute = str(secret)
    urls = (
        f"file://{absolute}",
        f"file:{absolute}",
        f"FILE://localhost{absolute}",
        f"\x01fi\tle:\n//{absolute}",
    )
    paths = (absolute, f"//{absolute}", f"///{absolute}", f"/{absolute}", absolute.replace("/", "\\"))
    up = "../" * 12
    relative = (
        "secret.html",
        "./secret.html",
        "/secret.html",
        "secret.html#x",
        "%73ecret.html",
        "//[/../secret.html",
    )
    return (*urls, *paths, *relative, f"{up}{absolute[1:]}", f" \n{absolute}\t", f"{absolute}?x#y")


def write_definitions(
    workspace: Workspace, urls: list[str], count: int, *, prefix: str = "", script: str = ""
) -> None:
    locators = ", ".join(f'{{ name: l{number}, url: "{url}" }}' for number, url in enumerate(urls))
    text = CONFIG.format(
        locators=locators,
        count=count,
        prefix=f"prefix: ['{prefix}']" if prefix else "",
        previous="script" if script else "parser",
        script=f", script: {script}" if script else "",
    )
    (workspace.folder / "job.yml").write_text(text)


def page(links: tuple[str, ...], base: str = "") -> str:
    head = f'<base href="{escape(base)}">' if base else ""
    anchors = "".join(f'<a href="{escape(link)}">x</a>' for link in links)
    return f"<!doctype html><head>{head}</head><body>{anchors}</body>"


def output(workspace: Workspace) -> str:
    """All that a run has written, in whichever file."""
    files = [file for file in (workspace.folder / "output").rglob("*") if file.is_file()]
    return "\n".join(file.read_bytes().decode("utf-8", "replace") for file in files)


def test_a_users_own_locator_reads_the_file(workspace: Workspace, secret: Path) -> None:
    write_definitions(workspace, ["/start.html"], 1)
    (workspace.folder / "start.html").write_text(page((str(secret),)))
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert ended.code == 0, ended.err
    assert SECRET in output(workspace), "else the tests below would prove nothing"


def test_no_base_and_no_link_of_a_web_page_reads_a_file(
    workspace: Workspace, server: Server, pages: Path, secret: Path, refused: Callable[[str], None]
) -> None:
    links = links_to(secret)
    for number, base in enumerate(BASES):
        (pages / f"{number}.html").write_text(page(links, base))
    write_definitions(workspace, [server.url(f"/{number}.html") for number in range(len(BASES))], len(links))
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert SECRET not in output(workspace) + ended.out + ended.err
    assert workspace.run_json()["pages"] == len(BASES), "the pages with the links were read, and nothing else"
    for base in BASES:
        for link in links:
            refused(f"local file by base {base!r} and link {link.replace(str(secret), 'SECRET')!r}")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("page_url", ["http://h/a/b.html", "https://user@h:8/?q", "HTTP://H"])
def test_a_link_of_a_web_page_is_never_a_path(page_url: str, base: str) -> None:
    for link in links_to(Path("/etc/hostname")):
        address = link_address(link, page_url, base or None)
        try:
            kind = parse_address(address).kind
        except FetchError:
            continue  # its job fails and says why
        assert kind is AddressKind.HTTP or address.lower().startswith("file:"), (base, link, address)


@pytest.mark.parametrize("prefix", ["/", "./", "pages/../", "file:", "file://"])
def test_a_definitions_prefix_does_not_let_a_web_page_name_a_file(
    workspace: Workspace,
    server: Server,
    pages: Path,
    secret: Path,
    prefix: str,
    refused: Callable[[str], None],
) -> None:
    links = links_to(secret)
    (pages / "list.html").write_text(page(links))
    write_definitions(workspace, [server.url("/list.html")], len(links), prefix=prefix)
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert SECRET not in output(workspace) + ended.out + ended.err
    (warning,) = [each for each in workspace.run_json()["warnings"] if "local files" in each["cause"]]
    assert warning["count"] >= 1
    refused(f"local file behind the prefix {prefix}")


def test_a_script_that_changes_links_does_not_let_a_web_page_name_a_file(
    workspace: Workspace, server: Server, pages: Path, secret: Path, refused: Callable[[str], None]
) -> None:
    links = links_to(secret)
    (pages / "list.html").write_text(page(links, "about:blank"))
    step = (
        "{ class: Scripter, previous: parser, next: link, plugins: [{ plugin: { class: BasicScript, name: s, "
        "entryPoint: same, script: 'function same(data) { for (const item of data.items) "
        "item.firstAxis.value = String(item.firstAxis.value); return data }' } }] }"
    )
    write_definitions(workspace, [server.url("/list.html")], len(links), script=step)
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert workspace.run_json()["pages"] == 1, ended.err
    assert SECRET not in output(workspace) + ended.out + ended.err
    refused("local file by a link that a script has made")


@pytest.mark.parametrize("target", ["file://{}", "FILE:{}", "//localhost{}", "/..{}", "fi\tle://{}"])
def test_a_redirect_reads_no_file(
    workspace: Workspace, server: Server, secret: Path, target: str, refused: Callable[[str], None]
) -> None:
    to = target.format(secret).replace("\t", "%09")
    write_definitions(workspace, [server.url(f"/bad/redirect?to={to}")], 1)
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert ended.code == 1
    assert SECRET not in output(workspace) + ended.out + ended.err
    refused(f"local file by a redirect to {target}")


def test_a_page_of_the_archive_reads_no_file(
    workspace: Workspace, server: Server, pages: Path, secret: Path, refused: Callable[[str], None]
) -> None:
    links = links_to(secret)
    (pages / "list.html").write_text(page(links, "about:blank"))
    write_definitions(workspace, [server.url("/list.html")], len(links))
    text = (workspace.folder / "job.yml").read_text()
    (workspace.folder / "job.yml").write_text(
        text.replace("  web:\n    linkTask", "  web:\n    live: P1D\n    linkTask")
    )
    assert workspace.scoopi("run", "job.yml", "--workers", 0, "--output", "first").code == 1
    asked = len(server.log.all())
    assert workspace.scoopi("run", "job.yml", "--workers", 0).code == 1
    seen = [seen.path for seen in server.log.all()[asked:]]
    assert "/list.html" not in seen, "the page came from the archive"
    assert SECRET not in output(workspace)
    refused("local file by a link of an archived page")


def test_a_local_page_that_is_reached_over_a_web_page_is_not_followed(
    workspace: Workspace, server: Server, pages: Path, secret: Path, refused: Callable[[str], None]
) -> None:
    (workspace.folder / "inner.html").write_text(page((str(secret),)))
    (pages / "list.html").write_text(page((str(workspace.folder / "inner.html"), "/again.html"), "data:,"))
    (pages / "again.html").write_text(page(("inner.html",), "//["))
    write_definitions(workspace, [server.url("/list.html")], 2)
    text = (workspace.folder / "job.yml").read_text()
    (workspace.folder / "job.yml").write_text(text.replace("linkGroup: page", "linkGroup: web"))
    workspace.scoopi("run", "job.yml", "--workers", 0)
    assert SECRET not in output(workspace)
    assert workspace.run_json()["pages"] == 2
    refused("local file over a local page that a web page has named")


@pytest.mark.parametrize("base", ["file:///", "about:blank", "//[", "data:,"])
def test_a_base_in_the_middle_of_a_page_lets_no_link_before_or_after_it_read_a_file(
    workspace: Workspace, server: Server, pages: Path, secret: Path, base: str, refused: Callable[[str], None]
) -> None:
    links = links_to(secret)
    anchors = [f'<a href="{escape(link)}">x</a>' for link in links]
    middle = len(anchors) // 2
    with_base = [*anchors[:middle], f'<base href="{escape(base)}">', *anchors[middle:]]
    (pages / "list.html").write_text(f"<!doctype html><body>{''.join(with_base)}</body>")
    write_definitions(workspace, [server.url("/list.html")], len(links) + 1)
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert SECRET not in output(workspace) + ended.out + ended.err
    assert workspace.run_json()["jobs"]["failed"] > len(links) // 2, "links on both sides were jobs"
    refused(f"local file by the base {base} in the middle of a page")


def test_a_page_that_refreshes_to_a_file_reads_none(
    workspace: Workspace, server: Server, pages: Path, secret: Path, refused: Callable[[str], None]
) -> None:
    links = links_to(secret)
    for number, link in enumerate(links):
        refresh = f'<meta http-equiv=refresh content="0; url={escape(link)}">'
        (pages / f"{number}.html").write_text(f"<!doctype html><head>{refresh}</head><body></body>")
    urls = [server.url(f"/{number}.html") for number in range(len(links))]
    write_definitions(workspace, urls, 1)
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert SECRET not in output(workspace) + ended.out + ended.err
    assert workspace.run_json()["pages"] == len(links), "the pages were read, and nothing else"
    refused("local file by a page that refreshes to it")


@pytest.mark.parametrize(
    ("base", "action"),
    [("", "file://{}"), ("", "{}"), ("file:///", "{}"), ("about:blank", "{}"), ("//[", "FILE:{}")],
)
def test_the_form_of_a_login_reads_no_file(
    workspace: Workspace,
    server: Server,
    pages: Path,
    secret: Path,
    monkeypatch: pytest.MonkeyPatch,
    base: str,
    action: str,
    refused: Callable[[str], None],
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    (pages / "list.html").write_text(page(("/text.html",)))
    head = f'<base href="{base}">' if base else ""
    form = f'<form method=post action="{action.format(secret)}"><input type=password name=pass></form>'
    (pages / "login.html").write_text(f"<!doctype html><head>{head}</head><body>{form}</body>")
    write_definitions(workspace, [server.url("/list.html")], 1)
    login = f'{{ url: "{server.url("/login.html")}", form: form, fields: {{ pass: "${{env:PASSWORD}}" }}, '
    site = f'"{server.host(0)}": {{ login: {login} success: {{ selector: p }} }} }}'
    with (workspace.folder / "job.yml").open("a") as file:
        file.write(f"sites: {{ {site} }}\n")
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert ended.code == 1, ended.err
    assert "/login.html" in server.log.paths()
    assert SECRET not in output(workspace) + ended.out + ended.err
    refused(f"local file by the form of a login: {action} with base {base!r}")
