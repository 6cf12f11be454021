"""A bad page fails its own job, reported with cause and address; the rows of the other jobs are all there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bad_input.town import Town, assert_failed, blank_rows, good_rows, title_row
from tests.engine.workspace import Ended, Workspace
from tests.server.server import Server

LOADING = "nameTask,tempTask"
DEEP = 50_000
LIMIT = 33_554_432
"""Bytes, the default of scoopi.loader.maxBytes."""


@pytest.mark.parametrize(
    ("path", "cause", "hint"),
    [
        ("status/404", "the site answered with status 404", "correct the url"),
        ("status/503", "the site answered with status 503", "try again later"),
        ("status/429", "the site answered with status 429", "raise scoopi.loader.fetch.delay"),
        ("huge?mb=100", f"the page is larger than {LIMIT} bytes", "raise scoopi.loader.maxBytes"),
        ("gzip-bomb?mb=100", f"the page is larger than {LIMIT} bytes", "raise scoopi.loader.maxBytes"),
        (
            "gzip-bomb?mb=100&coding=br",
            f"the page is larger than {LIMIT} bytes",
            "raise scoopi.loader.maxBytes",
        ),
        (
            "gzip-bomb?mb=100&coding=zstd",
            f"the page is larger than {LIMIT} bytes",
            "raise scoopi.loader.maxBytes",
        ),
        ("never-ends", f"the page is larger than {LIMIT} bytes", "raise scoopi.loader.maxBytes"),
        ("reset", "the connection was lost while the page was received", "try again later"),
        ("reset-midway", "the connection was lost while the page was received", "try again later"),
        ("closes", "the host closed the connection without a response", "try again later"),
        ("truncated", "the page was cut off", "try again later"),
        ("not-http", "the response is not valid HTTP", "try again later"),
        (
            "never-answers",
            "the page was not received within 300 ms",
            "try again later, or raise scoopi.webClient.timeout",
        ),
        (
            "drips?n=1000&ms=50",
            "the page was not received within 300 ms",
            "try again later, or raise scoopi.webClient.timeout",
        ),
        ("redirect-loop", "more than 10 redirects in a row", "in a cycle?"),
        ("redirect-nowhere", "the site answered with status 302", ""),
        (
            "redirect?to=file:///etc/hostname",
            "redirected to what is not a web page",
            "",
        ),
    ],
)
def test_a_page_that_cannot_be_loaded_fails_its_job_alone(
    workspace: Workspace, town: Town, server: Server, path: str, cause: str, hint: str
) -> None:
    url = server.url(f"/bad/{path}")
    town.add_locator(url)
    if "300 ms" in cause:
        workspace.settings["scoopi.webClient.timeout"] = 300
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert_load_failed(workspace, ended, cause, url, hint)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of this machine that nobody listens at, and nobody can take."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_host_that_is_not_there_fails_its_job_alone(
    workspace: Workspace, town: Town, closed_port: int
) -> None:
    url = f"http://127.0.0.1:{closed_port}/"
    town.add_locator(url)
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert_load_failed(
        workspace, ended, "the host refuses the connection or cannot be reached", url, "try again"
    )


def test_jobs_that_fail_for_one_reason_are_one_error_with_its_count(
    workspace: Workspace, town: Town, server: Server, closed_port: int
) -> None:
    for number in range(3):
        town.add_locator(f"http://127.0.0.1:{closed_port}/{number}", f"gone{number}")
        town.add_locator(server.url(f"/bad/truncated?{number}"), f"cut{number}")
        (town.pages / f"folder{number}").mkdir()
        town.add_locator(f"pages/folder{number}", f"folder{number}")
    town.add_locator(server.url("/bad/status/503"), "ill")
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 1
    assert sorted(error["count"] for error in workspace.run_json()["errors"]) == [1, 3, 3, 3]
    assert "done, but 10 of 12 jobs failed" in ended.err
    assert workspace.rows() == good_rows()


def test_a_missing_file_fails_its_job_alone(workspace: Workspace, town: Town) -> None:
    town.add_locator("pages/no-such-town.html")
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert_load_failed(workspace, ended, "there is no such file", "pages/no-such-town.html", "put it into")


def test_a_folder_in_place_of_a_page_fails_its_job_alone(workspace: Workspace, town: Town) -> None:
    town.add_locator("pages")
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert_load_failed(workspace, ended, "the path is a folder, not a file", "pages", "name a file")
    assert f"{town.pages} is a folder" in ended.err


def test_a_file_without_rights_fails_its_job_alone(workspace: Workspace, town: Town) -> None:
    town.write_page("<h1>Closed</h1>")
    (town.pages / "bad.html").chmod(0)
    ended = workspace.process("run", "defs", "--workers", 0, powerless=True)
    cause = "the path cannot be read: Permission denied"
    assert_load_failed(workspace, ended, cause, "pages/bad.html", "")
    assert f"{town.pages / 'bad.html'} cannot be read" in ended.err


def test_a_file_of_100_mb_fails_its_job_alone(workspace: Workspace, town: Town) -> None:
    town.write_page("")
    with (town.pages / "bad.html").open("r+b") as file:
        file.truncate(100_000_000)
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    cause = f"the file is larger than {LIMIT} bytes"
    assert_load_failed(workspace, ended, cause, "pages/bad.html", "raise scoopi.loader.maxBytes")


def test_a_page_that_cannot_be_loaded_ends_a_real_process_with_1(
    workspace: Workspace, town: Town, server: Server
) -> None:
    url = server.url("/bad/status/503")
    town.add_locator(url)
    ended = workspace.process("run", "defs", "--workers", 1)
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert_load_failed(workspace, ended, "the site answered with status 503", url, "try again later")


@pytest.mark.parametrize("workers", [0, 1])
def test_a_page_of_50000_nested_elements_fails_its_tasks_alone(
    workspace: Workspace, town: Town, workers: int
) -> None:
    town.write_page(b"<h1>Deep</h1>" + b"<div>" * DEEP + b"x" + b"</div>" * DEEP)
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert ended.code == 1, ended.err
    report = workspace.run_json()
    (error,) = report["errors"]
    assert error["count"] == 2
    assert error["cause"].startswith("parser: ")
    assert "the page nests elements more than 2,000 deep" in error["cause"]
    assert (error["example"]["task"], error["example"]["url"]) == ("nameTask", "pages/bad.html")
    assert "scoopi.parser.maxDepth" in ended.err
    assert workspace.rows() == good_rows()


def test_a_page_within_the_depth_limit_is_read(workspace: Workspace, town: Town) -> None:
    town.write_page(b"<div>" * 1500 + b"<h1>Low</h1>" + b"</div>" * 1500)
    assert workspace.scoopi("run", "defs", "--workers", 0).code == 0
    assert workspace.rows() == good_rows() + blank_rows() - title_row("bad", "not found") + title_row(
        "bad", "Low"
    )


@pytest.mark.parametrize("content", [b"", b"   \n", b"\xef\xbb\xbf", b"<!-- nothing -->", b"\0" * 500])
def test_an_empty_page_has_rows_of_nothing_found(workspace: Workspace, town: Town, content: bytes) -> None:
    town.write_page(content)
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == good_rows() + blank_rows()


def test_an_answer_without_content_has_rows_of_nothing_found(
    workspace: Workspace, town: Town, server: Server
) -> None:
    town.add_locator(server.url("/bad/empty"))
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == good_rows() + blank_rows()


@pytest.mark.parametrize(
    ("content_type", "page", "title"),
    [
        ("text/html; charset=utf-8", "<h1>Tromsø</h1>".encode("windows-1252"), "Troms\ufffd"),
        ("text/html; charset=klingon", "<meta charset=utf-8><h1>Tromsø</h1>".encode(), "Tromsø"),
        ("text/html", "<h1>Tromsø</h1>".encode("windows-1252"), "Tromsø"),
        ("text/html; charset=windows-1252", "<h1>Tromsø</h1>".encode(), "TromsÃ¸"),
        ("text/html; charset=windows-1252", "\ufeff<h1>Tromsø</h1>".encode(), "Tromsø"),
        ("text/html; charset=utf-8", "<h1>Tromsø</h1>".encode("utf-16"), "Tromsø"),
    ],
)
def test_a_wrong_charset_costs_letters_at_most(
    workspace: Workspace, town: Town, server: Server, pages: Path, content_type: str, page: bytes, title: str
) -> None:
    (pages / "town.html").write_bytes(page)
    coded = content_type.replace("/", "%2F").replace(";", "%3B").replace(" ", "%20").replace("=", "%3D")
    town.add_locator(server.url(f"/type/{coded}/town.html"))
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() - good_rows() == blank_rows() - title_row("bad", "not found") + title_row(
        "bad", title
    )


def test_bad_pages_of_all_kinds_together_leave_the_good_rows_exact(
    workspace: Workspace, town: Town, server: Server
) -> None:
    kinds = ("status/500", "reset", "gzip-bomb?mb=40", "redirect-loop", "never-answers", "truncated", "deep")
    for number, kind in enumerate(kinds):
        town.add_locator(server.url(f"/bad/{kind}"), f"bad{number}")
    workspace.settings["scoopi.webClient.timeout"] = 1000
    ended = workspace.scoopi("run", "defs", "--workers", 2)
    assert ended.code == 1
    report = workspace.run_json()
    assert (report["jobs"]["done"], report["jobs"]["failed"], report["jobs"]["left"]) == (2, len(kinds), 0)
    assert sum(error["count"] for error in report["errors"]) == len(kinds) + 1  # both tasks of the deep page
    assert workspace.rows() == good_rows()
    assert report["rows"] == {"data.txt": good_rows().total()}


def test_a_page_with_too_many_rows_fails_that_task_and_keeps_its_sister(
    workspace: Workspace, town: Town
) -> None:
    hours = "".join(f"<tr><td>{hour}<td>1<td>2" for hour in range(60))
    town.write_page(f"<h1>Bad</h1><table><tr><td>hour<td>Mon<td>Tue{hours}</table>")
    town.put(
        'indexRange: 2-3, selector: "tr:nth-child(%{index})',
        'index: 2, BREAK, selector: "tr:nth-child(%{index})',
    )
    town.put("BREAK", "breakAfter: [ none ]")
    workspace.settings["scoopi.parser.maxRows"] = 50
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 1, ended.err
    (error,) = workspace.run_json()["errors"]
    assert "50" in error["cause"]
    assert "scoopi.parser.maxRows" in ended.err
    assert (error["example"]["job"], error["example"]["task"]) == ("bad:town", "tempTask")
    assert workspace.rows() == good_rows() + title_row("bad")


def assert_load_failed(workspace: Workspace, ended: Ended, cause: str, url: str, hint: str) -> None:
    """The bad page's job failed in its loader, and nothing else is different."""
    report = assert_failed(workspace, ended, cause, step="loader", tasks=LOADING, url=url, hint=hint)
    assert (report["jobs"]["done"], report["pages"]) == (2, 2)
    assert report["rows"] == {"data.txt": good_rows().total()}
    assert workspace.rows() == good_rows()


def test_a_range_that_ends_at_an_advert_is_a_warning_of_its_page(workspace: Workspace, town: Town) -> None:
    town.write_page(
        b"<h1>x</h1><table><tr><td>a<td>b<td>c<tr><td>06:00<td>1<td>2<tr><th>Buy!<tr><td>12:00<td>5<td>6"
    )
    text = town.job.read_text()
    town.job.write_text(
        text.replace(
            'indexRange: 2-3, selector: "tr:nth-child(%{index}) >',
            'indexRange: 2-, selector: "tr:nth-child(%{index}) >',
            1,
        )
    )
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 0
    (warning,) = workspace.run_json()["warnings"]
    assert warning["count"] == 1
    assert "ends at index 3, which has no value, but 1 later index has one" in warning["example"]["message"]
    assert (warning["example"]["url"], warning["example"]["at"][:12]) == ("pages/bad.html", "defs/job.yml")
    assert "ends at index 3, which has no value, but 1 later index has one" in ended.err
