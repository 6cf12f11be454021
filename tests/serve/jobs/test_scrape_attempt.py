"""A scrape is an attempt: resumed if its worker is lost, its rows published once, by slot."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.serve.serving import Serving, until

PAGES = 30
DEFS = """
locatorGroups:
  pages:
    locators:
%s
taskGroups:
  pages: { pageTask: { dataDef: page } }
dataDefs:
  page:
    query: { block: body, selector: h1 }
    items:
      - item: { name: kind, value: page }
"""


class Site:
    """Pages `/0`, `/1` … with their number as title; those in `failing` are not found.

    Args:
        page_s: how long a page takes until `expedited` is set; from then on pages come at once.
    """

    def __init__(self, page_s: float = 0.0) -> None:
        self.requested: list[str] = []
        self.failing: set[str] = set()
        self.url = ""
        self.expedited = threading.Event()
        self._page_s = page_s

    def page(self, path: str) -> bytes:
        """The page at a path; empty if there is none."""
        if not path[1:].isdigit() or path in self.failing:
            return b""
        self.requested.append(path)
        self.expedited.wait(self._page_s)
        return f"<html><body><h1>title {path[1:]}</h1></body></html>".encode()


@contextmanager
def serving_pages(site: Site) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = site.page(self.path)
            with suppress(BrokenPipeError):  # the client was killed
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield
        finally:
            site.expedited.set()
            server.shutdown()


@contextmanager
def scraped_site(serving: Serving, delay_ms: int, page_s: float = 0.0, pages: int = PAGES) -> Iterator[Site]:
    """A site that the project's definitions read, one request in each delay."""
    site = Site(page_s)
    with serving_pages(site):
        lines = [f'      - {{ name: p{n}, url: "{site.url}/{n}" }}' for n in range(pages)]
        serving.write("books/books.yml", DEFS % "\n".join(lines))
        serving.environ |= {"SCOOPI_LOADER_FETCH_DELAY": str(delay_ms), "SCOOPI_WORKERS": "0"}
        yield site


@pytest.fixture
def site(serving: Serving) -> Iterator[Site]:
    with scraped_site(serving, delay_ms=0) as site:
        yield site


@pytest.fixture
def slow_site(serving: Serving) -> Iterator[Site]:
    """A site that takes three seconds: long enough to be met while it is read."""
    with scraped_site(serving, delay_ms=100) as site:
        yield site


def titles(serving: Serving, slot: str) -> list[str]:
    text = serving.read(f"output/books/{slot}/data.txt")
    return sorted((line for line in text.splitlines() if "title" in line), key=lambda line: line.split()[-1])


def test_the_rows_of_a_scrape_are_published_by_slot(serving: Serving, site: Site) -> None:
    given = (serving.folder / "jobs/books/books.yml").read_text()
    serving.write("books/books.yml", given.replace("value: page", 'value: "%{input.day} of %{slot.key}"'))
    serving.deploy("books: {executes: 'scrape:books', inputs: {day: 'day ${ slot.key }', more: x}}")
    serving.run("launch", "books", "-i", "more=y")
    serving.until_idle()
    outputs = serving.attempt("books/!1/1")["outputs"]
    assert {name: outputs[name] for name in ("pages", "rows", "failed")} == {
        "pages": PAGES,
        "rows": PAGES,
        "failed": 0,
    }
    assert len(titles(serving, "!1")) == PAGES
    assert all("day !1 of !1" in line for line in titles(serving, "!1"))
    assert outputs["files"] == [str(serving.folder / "output/books/!1/data.txt")]


def test_a_scrape_is_launched_without_a_process(serving: Serving, site: Site) -> None:
    given = (serving.folder / "jobs/books/books.yml").read_text()
    serving.write("sites/books/books.yml", given.replace("value: page", 'value: "%{input.day}"'))
    serving.deploy("other: {executes: 'scrape:books'}")
    job = serving.run("launch", "scrape:sites/books#pages", "-i", "day=monday").strip()
    assert job == "scrape:sites:books#pages/!1"
    serving.until_idle()
    assert serving.job(job) == "processed"
    assert serving.rows("job", "show", "scrape:sites/books#pages/!1")[0]["attempts"] == 1
    text = serving.read("output/scrape:sites:books#pages/!1/data.txt")
    assert len([line for line in text.splitlines() if "title" in line and "monday" in line]) == PAGES


def test_a_scrape_whose_worker_is_killed_is_resumed_with_every_row_once(
    serving: Serving, slow_site: Site
) -> None:
    serving.deploy("books: {executes: 'scrape:books'}")
    serving.run("launch", "books")
    with serving.served() as serve:
        until(lambda: len(slow_site.requested) > PAGES // 3)
        serve.kill()
    serving.until_idle()
    attempt = serving.attempt("books/!1/1")
    assert (attempt["status"], attempt["fence"]) == ("succeeded", 2)
    found = titles(serving, "!1")
    assert len(found) == len(set(found)) == PAGES
    assert len(slow_site.requested) < 2 * PAGES - 5


def test_a_scrape_that_was_stopped_by_a_shutdown_is_resumed(serving: Serving, slow_site: Site) -> None:
    serving.deploy("books: {executes: 'scrape:books'}")
    serving.run("launch", "books")
    with serving.served() as serve:
        until(lambda: len(slow_site.requested) > PAGES // 3)
        serve.terminate()
        assert serve.wait(60) == 143
    assert serving.attempt("books/!1/1")["status"] == "waiting"
    serving.until_idle()
    assert serving.attempt("books/!1/1")["status"] == "succeeded"
    assert len(titles(serving, "!1")) == len(slow_site.requested) == PAGES


def test_failed_pages_fail_the_attempt_unless_they_are_accepted(serving: Serving, site: Site) -> None:
    site.failing = {"/3", "/4"}
    serving.deploy("""
        books: {executes: 'scrape:books'}
        lenient: {executes: {scrape: books, accept: {failed_pages: "7 %"}}}
        strict: {executes: {scrape: books, accept: {failed_pages: 2, min_rows: 29}}}
    """)
    for name in ("books", "lenient", "strict"):
        serving.run("launch", name)
    serving.until_idle("--slots", "3")
    found = {name: serving.attempt(f"{name}/!1/1") for name in ("books", "lenient", "strict")}
    assert [each["status"] for each in found.values()] == ["failed", "succeeded", "failed"]
    assert found["books"]["explanation"].startswith("2 of 30 pages failed")
    assert found["strict"]["explanation"] == "28 rows, fewer than min_rows 29"
    assert found["lenient"]["outputs"]["rows"] == 28
    assert not (serving.folder / "output/books").exists()


def test_fewer_rows_than_the_last_slot_are_not_published(serving: Serving, site: Site) -> None:
    accept = "{failed_pages: '100 %', less_than_last: '40 %'}"
    serving.deploy(f"books: {{executes: {{scrape: books, accept: {accept}}}}}")
    serving.run("launch", "books")
    serving.until_idle()
    site.failing = {f"/{number}" for number in range(15)}
    serving.run("launch", "books")
    serving.until_idle()
    attempt = serving.attempt("books/!2/1")
    assert attempt["status"] == "failed"
    assert attempt["explanation"] == "15 rows, more than 40 % fewer than the 30 of the last slot"
    assert not (serving.folder / "output/books/!2").exists()


def test_a_scrape_reads_only_the_selected_groups(serving: Serving, site: Site) -> None:
    given = (serving.folder / "jobs/books/books.yml").read_text()
    other = f'locatorGroups:\n  other: [ "{site.url}/7" ]\n'
    task = "taskGroups:\n  other: { pageTask: { dataDef: page } }\n"
    text = given.replace("locatorGroups:\n", other).replace("taskGroups:\n", task)
    serving.write("books/books.yml", text)
    serving.deploy("books: {executes: 'scrape:books#other'}")
    serving.run("launch", "books")
    serving.until_idle()
    assert serving.attempt("books/!1/1")["outputs"]["pages"] == 1
    assert site.requested == ["/7"]
    assert titles(serving, "!1")[0].endswith("title 7")


def test_a_group_that_is_not_there_is_found_when_the_project_is_deployed(
    serving: Serving, site: Site
) -> None:
    with pytest.raises(AssertionError, match="there is no locator group pags; did you mean pages"):
        serving.deploy("books: {executes: 'scrape:books#pags'}")


def test_a_scrape_without_any_row_is_a_noop_that_publishes_nothing(serving: Serving, site: Site) -> None:
    site.failing = {f"/{number}" for number in range(PAGES)}
    serving.deploy("books: {executes: {scrape: books, accept: {failed_pages: '100 %'}}}")
    serving.run("launch", "books")
    serving.until_idle()
    attempt = serving.attempt("books/!1/1")
    assert (attempt["status"], attempt["explanation"]) == ("noop", "no rows")
    assert (attempt["outputs"]["rows"], attempt["outputs"]["files"]) == (0, [])
    assert serving.job("books/!1") == "noop"
    assert not (serving.folder / "output/books").exists()
