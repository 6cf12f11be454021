"""browser_choice, with_optional_waits: what groups with `loader: auto` look for, from their definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from scoopi.defs.scrape.class_names import XPATH_PARSER
from scoopi.model.data_def import DataDef
from scoopi.model.scrape.browser_def import Until
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskDef, TaskGroup
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.query_ports import QueryEngine
from scoopi.parse.tree.page import Page
from scoopi.steps.loading.browser_choice import BrowserChoice, HasFound

_PLACEHOLDER = "%{"


def browser_choice(
    definitions: Definitions,
    groups: Iterable[TaskGroup],
    regex_timeout_ms: int,
    note: Callable[[str, str], None],
) -> BrowserChoice | None:
    """Make the BrowserChoice for groups with `loader: auto`; None if there are none.

    Args:
        note: see `BrowserChoice`.
    """
    finds = {
        group.name: _all_of([*_finds(definitions, group, regex_timeout_ms)])
        for group in groups
        if group.is_auto
    }
    return BrowserChoice(finds, note) if finds else None


def with_optional_waits(definitions: Definitions) -> Iterator[TaskGroup]:
    """The task groups; those with `loader: auto` get an `until.optional`, which a browser waits for.

    A group with its own `until` waits only for that.
    """
    for group in definitions.task_groups.values():
        browser = group.browser
        if group.is_auto and browser is not None and not browser.until.is_given:
            optional = tuple(filter(None, (_selector(definitions, task) for task in group.tasks)))
            yield replace(group, browser=replace(browser, until=Until(optional=optional)))
        else:
            yield group


def _selector(definitions: Definitions, task: TaskDef) -> str:
    """A CSS selector that a browser can wait for on behalf of a task; empty if there is none."""
    data_def = definitions.data_defs.get(task.data_def)
    if data_def is not None:
        is_css = not any(step.class_name == XPATH_PARSER for step in task.steps)
        return data_def.block if is_css and _PLACEHOLDER not in data_def.block else ""
    record_def = definitions.record_defs.get(task.data_def)
    if record_def is None or not record_def.source.is_html or task.is_of_links:
        return ""
    from scoopi.parse.records.node_query import SelectorText  # late: most grids do not need it

    fields = [select for field in record_def.fields for select in field.selects]
    texts = [SelectorText.of(each.text) for each in ([record_def.each] if record_def.each else fields)]
    return ", ".join(text.path for text in texts if text.path and not text.is_xpath)


def _all_of(finds: list[HasFound]) -> HasFound:
    return lambda page: all(find(page) for find in finds)


def _finds(definitions: Definitions, group: TaskGroup, regex_timeout_ms: int) -> Iterator[HasFound]:
    for task in group.tasks:
        if task.data_def == f"{group.name}.{task.name}":
            continue  # the links of a task's `follow`, which the last page lacks
        record_def = definitions.record_defs.get(task.data_def)
        if record_def is not None:
            from scoopi.parse.records.record_presence import compile_presence  # late: grids do not need it

            yield compile_presence(record_def, regex_timeout_ms)
        elif _PLACEHOLDER not in (data_def := definitions.data_defs[task.data_def]).block:
            yield _block_find(data_def, _engine(task, regex_timeout_ms))


def _block_find(data_def: DataDef, engine: QueryEngine) -> HasFound:
    query = engine.compile_block(data_def.block)

    def find(page: Page) -> bool:
        return bool(query(page.root))

    return find


def _engine(task: TaskDef, regex_timeout_ms: int) -> QueryEngine:
    if any(step.class_name == XPATH_PARSER for step in task.steps):
        from scoopi.parse.xpath.xpath_engine import XPathEngine

        return XPathEngine()
    return CssEngine(regex_timeout_ms)
