"""Pages per second in browsers, beside a loop of Selenium by hand; and what `loader: auto` saves.

`python -m tests.benchmarks.runs.browsers [--pages 200] [--rounds 3]`

1. Pages whose table a script builds, with 1 and 2 browsers: runs of Scoopi and loops of Selenium by turns.
   A loop goes to a page, waits for the table, takes the page's source and deletes the cookies.
2. A site of which every fifth page needs a browser: all pages in browsers, and with `loader: auto`.

Rates are those of the requests as the server sees them, from the first page to the last; memory is the most
that all processes have together.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import msgspec
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from scoopi.descendants import memory_of_trees
from tests.engine.workspace import Workspace
from tests.server.server import Server

ROWS = "<tr><td>Rye</td><td>4.20</td></tr>" * 100
BUILT = b"""<p>bread</p><script>
const rows = ('<tr><td>' + 'Rye</td><td>4.20</td></tr>').repeat(100);
document.body.insertAdjacentHTML('beforeend', `<table id=prices>${rows}</table>`);
</script>"""
STATIC = f"<p>bread</p><table id=prices>{ROWS}</table>".encode()
EVERY = 5
"""Of the mixed site each page of this number is built by a script."""
DEFINITIONS = """
locatorGroups: {{ bread: {{ locators: [ {{ name: p, url: "{url}/%{{n}}", n: 1-{pages} }} ] }} }}
taskGroups:
  bread:
    loader: {loader}
    browser: {{ until: {{ selector: "#prices" }} }}
    task: {{ dataDef: prices }}
dataDefs:
  prices: {{ each: "#prices tr", fields: {{ loaf: "td:nth-child(1)", price: "td:nth-child(2)" }} }}
"""
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
POLL_S = 0.5


class Figures(msgspec.Struct, frozen=True):
    """What a run or a loop has come to; `records` are rows of tables, `memory_mb` the most of it."""

    per_second: float
    memory_mb: int
    records: int


def by_scoopi(
    folder: Path, pages: int, browsers: int, loader: str = "browser", site: str = "built"
) -> Figures:
    """A run over all pages of a site."""
    (folder / "defs").mkdir(parents=True)
    workspace = Workspace(folder)
    workspace.settings = {
        "scoopi.loader.fetch.delay": 0,
        "scoopi.loader.fetch.parallelism": 8,
        "scoopi.loader.robots": "false",
        "scoopi.workers": 1,
        "scoopi.webDriver.browsers": browsers,
    }
    with Server(_page if site == "mixed" else lambda path: BUILT) as server:
        text = DEFINITIONS.format(url=server.url("").rstrip("/"), pages=pages, loader=loader)
        (folder / "defs" / "bread.yml").write_text(text)
        run = workspace.start("run", "defs")
        with Watch([run.process.pid]) as watch:
            assert run.wait(600.0) == 0
        lines = (workspace.run_folder() / "prices.jsonl").read_text().count("\n")
        return Figures(_rate(server), watch.most_mb, lines)


def by_hand(folder: Path, pages: int, browsers: int) -> Figures:
    """Loops in threads, each with a browser and its part of the pages."""
    drivers = [_driver(folder / str(number)) for number in range(browsers)]
    try:
        with (
            Server(lambda path: BUILT) as server,
            Watch(service.process.pid for _, service in drivers) as watch,
        ):
            urls = [server.url(f"/{number}") for number in range(1, pages + 1)]
            parts = [(driver, urls[number::browsers]) for number, (driver, _) in enumerate(drivers)]
            with ThreadPoolExecutor(browsers) as pool:
                found = sum(pool.map(lambda part: _loop(*part), parts))
            return Figures(_rate(server), watch.most_mb, found)
    finally:
        for driver, _ in drivers:
            driver.quit()


class Watch:
    """The most memory that processes have with all that they have started, while a `with` lasts."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._pids = [*pids]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.most_mb = 0

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(POLL_S):
            self.most_mb = max(self.most_mb, sum(memory_of_trees(self._pids).values()) >> 20)


def _page(path: str) -> bytes:
    return BUILT if int(path.strip("/")) % EVERY == 0 else STATIC


def _driver(profile: Path) -> tuple[webdriver.Chrome, Service]:
    options = webdriver.ChromeOptions()
    for each in (*OPTIONS, "--blink-settings=imagesEnabled=false", f"--user-data-dir={profile}"):
        options.add_argument(each)
    options.binary_location = "/usr/bin/chromium"
    service = Service("/usr/bin/chromedriver")
    return webdriver.Chrome(options=options, service=service), service


def _loop(driver: webdriver.Chrome, urls: list[str]) -> int:
    found = 0
    for url in urls:
        driver.get(url)
        WebDriverWait(driver, 10, 0.05).until(lambda shown: shown.find_elements(By.ID, "prices"))
        found += driver.page_source.count("<td>Rye</td>")
        driver.delete_all_cookies()
    return found


def _rate(server: Server) -> float:
    times = [each.started for each in server.log.all() if each.path.strip("/").isdigit()]
    return (len(times) - 1) / (max(times) - min(times))


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp())

    def measured(name: str, number: int, measure: Callable[[Path], Figures]) -> Figures:
        found = measure(base / f"{name}{number}")
        print(f"{name}: {found.per_second:.2f} pages/s, {found.memory_mb} MB", flush=True)
        return found

    for browsers in (1, 2):
        ratios = []
        for number in range(given.rounds):
            run = measured(f"scoopi, {browsers}-", number, lambda at: by_scoopi(at, given.pages, browsers))  # noqa: B023
            loop = measured(f"loop, {browsers}-", number, lambda at: by_hand(at, given.pages, browsers))  # noqa: B023
            ratios.append(run.per_second / loop.per_second)
        print(f"{browsers} browsers: {median(ratios):.2f} of the loop", flush=True)
    for loader in ("browser", "auto"):
        for number in range(given.rounds):
            measured(f"mixed, {loader}-", number, lambda at: by_scoopi(at, given.pages, 2, loader, "mixed"))  # noqa: B023


if __name__ == "__main__":
    main()
