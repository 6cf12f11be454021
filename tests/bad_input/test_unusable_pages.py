"""A page that is not usable HTML is reported as such, and good pages beside it are as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_input.town import Town, assert_failed, good_rows
from tests.engine.workspace import Workspace
from tests.server.server import Server

APP = "<head><script src=app.js></script></head><body><div id=root></div></body>"


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        ("/type/application%2Fjson/data.json", "the page is application/json, and selectors read HTML"),
        ("/bad/redirect?to=/login", "the page came from /login after a redirect"),
        ("/app.html", "the body holds scripts and an empty div: the site renders in the browser"),
        ("/bad/empty", "the page is empty"),
    ],
)
@pytest.mark.parametrize("workers", [0, 1])
def test_the_summary_and_the_report_say_what_the_page_is(
    workspace: Workspace, town: Town, server: Server, pages: Path, path: str, cause: str, workers: int
) -> None:
    (pages / "data.json").write_text('{"temps": [1, 2, 3]}')
    (pages / "app.html").write_text(APP)
    (pages / "login").write_text("<h2>Sign in</h2>")
    path = path.replace("to=/login", "to=/type/text%252Fhtml/login")
    cause = cause.replace("/login", "/type/text%2Fhtml/login")
    town.add_locator(server.url(path))
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert ended.code == 0, ended.err
    assert cause in ended.err
    (warning,) = [
        each for each in workspace.run_json()["warnings"] if each["cause"].startswith(f"parser: {cause}"[8:])
    ]
    assert warning["count"] == 1, "once a page, whatever the number of its tasks"
    assert warning["example"]["job"] == "bad:town"
    assert workspace.run_json()["jobs"]["warned"] == 1


@pytest.mark.parametrize("path", ["/type/image%2Fjpeg/a.html", "/bad/binary-as-html"])
def test_a_picture_in_place_of_a_page_fails_its_job_alone(
    workspace: Workspace, town: Town, server: Server, pages: Path, path: str
) -> None:
    (pages / "a.html").write_text("<h1>Picture</h1>")
    url = server.url(path)
    town.add_locator(url)
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    cause = "the page is image/" + ("png" if "binary" in path else "jpeg")
    assert_failed(
        workspace,
        ended,
        cause,
        step="loader",
        tasks="nameTask,tempTask",
        url=url,
        hint="a page is HTML, XML, JSON",
    )
    assert workspace.rows() == good_rows()


@pytest.mark.parametrize("found", ["<h1>Low</h1>", "<table><tr><td><tr><td>x<td>1<tr><td>y<td>2</table>"])
def test_a_page_of_which_any_task_finds_something_is_not_blamed(
    workspace: Workspace, town: Town, found: str
) -> None:
    town.write_page(f"<script>x</script>{found}".encode())
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 0
    assert "renders in the browser" not in ended.err
