"""Town: pages of an invented weather service and their definitions; good jobs beside a bad one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tests.engine.workspace import Ended, Workspace

DEFINITIONS = """\
locatorGroups:
  town:
    locators:
      - { name: oslo, url: pages/oslo.html }
      - { name: lima, url: pages/lima.html }
taskGroups:
  town:
    nameTask: { dataDef: name }
    tempTask: { dataDef: temps }
dataDefs:
  name:
    query: { block: "body", selector: "h1" }
    items: [ item: { name: title, value: title } ]
  temps:
    query:
      block: "table"
      selector: "tr:nth-child(%{item.index}) > td:nth-child(%{dim.day.index})"
    items:
      - item: { name: hour, indexRange: 2-3, selector: "tr:nth-child(%{index}) > td:nth-child(1)" }
    dims:
      - item: { name: day, indexRange: 2-3, selector: "tr:nth-child(1) > td:nth-child(%{index})" }
"""
GOOD = ("oslo", "lima")
KEYS = [
    "run",
    "incarnation",
    "status",
    "started",
    "ended",
    "jobs",
    "pages",
    "rows",
    "errors",
    "warnings",
    "skipped",
    "dropped",
    "unmet",
    "changes",
    "retries",
    "loads",
    "budgets",
    "files",
    "fields",
    "awaiting",
    "time",
    "tasks",
    "slowest",
    "definitions",
    "grids",
    "versions",
]
"""Of `run.json`, in the order of docs/output.md."""


class Town:
    """Writes two good pages and their definitions; a test adds what is bad."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages = folder / "pages"
        self.pages.mkdir()
        self.job = folder / "defs" / "job.yml"
        self.job.parent.mkdir()
        for name in GOOD:
            (self.pages / f"{name}.html").write_text(page(name))
        self.write(DEFINITIONS)

    def write(self, text: str) -> None:
        """Replace the definitions."""
        self.job.write_text(text, encoding="utf-8")

    def put(self, old: str, new: str) -> None:
        """Put `new` into the definitions in place of `old`, which they hold once."""
        text = self.job.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        self.write(text.replace(old, new))

    def add_locator(self, url: object, name: str = "bad") -> None:
        """Add a page between the good ones."""
        good = "      - { name: lima"
        self.put(good, f'      - {{ name: {name}, url: "{url}" }}\n{good}')

    def write_page(self, content: str | bytes, name: str = "bad") -> None:
        """Write a page and add its locator."""
        body = content.encode() if isinstance(content, str) else content
        (self.pages / f"{name}.html").write_bytes(body)
        self.add_locator(f"pages/{name}.html", name)

    def add_step(self, step: str, task: str = "tempTask: { dataDef: temps") -> None:
        """Give a task a further step between its parser and its filter; its class and plugins are given."""
        steps = f"steps: {{ jsoupDefault: {{ extra: {{ previous: parser, next: filter, {step} }} }} }}"
        self.put(task, f"{task}, {steps}")


def page(name: str) -> str:
    """A good page; its cells bear the town's name."""
    rows = "".join(f"<tr><td>{hour}<td>{name}-{hour}-mon<td>{name}-{hour}-tue" for hour in ("06", "12"))
    return f"<!doctype html><h1>{name.title()}</h1><table><tr><td>hour<td>Mon<td>Tue{rows}</table>"


def title_row(name: str, title: str = "") -> Counter[str]:
    """The row that a page's nameTask gives."""
    return Counter([f"{name}|town|title|{title or name.title()}"])


def temp_rows(name: str) -> Counter[str]:
    """The rows that a good page's tempTask gives."""
    return Counter(
        f"{name}|town|{hour}|{day}|{name}-{hour}-{day.lower()}"
        for hour in ("06", "12")
        for day in ("Mon", "Tue")
    )


def good_rows(*names: str) -> Counter[str]:
    """All rows of the good pages, and of further ones made by `page`."""
    rows: Counter[str] = Counter()
    for name in (*GOOD, *names):
        rows += title_row(name) + temp_rows(name)
    return rows


def blank_rows(name: str = "bad") -> Counter[str]:
    """The rows of a page on which nothing is found."""
    return title_row(name, "not found") + Counter({f"{name}|town|null|null|not found": 4})


def assert_failed(
    workspace: Workspace, ended: Ended, cause: str, *, step: str, tasks: str, url: str, hint: str = ""
) -> Any:
    """The one bad job is reported on the terminal and in `run.json`, the run went on, exit 1.

    Args:
        cause: its beginning, without the step's name before it.
        tasks: names of the failed tasks, joined by commas, as the error's `task` says.
        hint: what the terminal advises the user to do; empty when nothing can be said.
    Returns:
        What `run.json` says, for more claims.
    """
    assert ended.code == 1, ended.err
    report = workspace.run_json()
    assert list(report) == KEYS
    assert report["status"] == "done"
    assert (report["jobs"]["failed"], report["jobs"]["left"]) == (1, 0)
    (error,) = report["errors"]
    assert error["cause"].removeprefix(f"{step}: ").startswith(cause)
    assert error["count"] == 1
    example = error["example"]
    assert set(example) - {"attempts", "status"} == {"job", "task", "step", "url", "at"}
    assert (example["job"], example["task"], example["step"]) == ("bad:town", tasks, step)
    assert example["url"] == url
    file, line, column = example["at"].rsplit(":", 2)
    assert (Path(file).name, int(line) > 0, int(column) > 0) == ("job.yml", True, True), example["at"]
    for said in (cause, hint, url, "bad:town", f"{Path(file).name}:{line}:{column}"):
        assert said in ended.err, f"{said!r} is not in\n{ended.err}"
    return report
