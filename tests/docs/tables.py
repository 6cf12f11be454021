"""Tables of the documentation that are made from the code: `python -m tests.docs.tables` writes them.

A table stands below a comment `<!-- table: NAME -->` and ends with a blank line.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

from scoopi.configs.registry import SETTINGS
from scoopi.configs.setting import Setting, SettingKind
from scoopi.defs.browser import browser_language
from scoopi.defs.locators.source_reader import ROWS_FROM
from scoopi.defs.records import link_language, record_language
from scoopi.defs.records.download_language import DOWNLOADS
from scoopi.defs.scrape import language
from scoopi.defs.sites.budget_language import BUDGET_RECORD
from scoopi.defs.sites.site_language import AUTH, LOGIN, PAGE_SIGN, RETRY, SITE
from scoopi.defs.yaml.shape import (
    Either,
    Free,
    Kind,
    ListOf,
    NameOr,
    Record,
    Scalar,
    Shape,
    StepsSet,
    TextOrTexts,
)
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.parameters import camel_case
from tests.docs.markdown import PAGES, ROOT
from tests.docs.schedule_tables import HEAD, schedule_tables

_MARK = re.compile(r"(<!-- table: ([\w-]+) -->\n)((?:\|.*\n)*)")
_SCALARS = {
    Kind.TEXT: "text",
    Kind.NAME: "text, not blank",
    Kind.INTEGER: "integer",
    Kind.RANGE: "range",
    Kind.BOOL: "boolean",
}
_RECORDS = {
    "definitions": language.LANGUAGE,
    "locator-group": language.LOCATOR_GROUP,
    "locator": language.LOCATOR,
    "row-source": ROWS_FROM,
    "task-group": language.TASK_GROUP,
    "browser": browser_language.BROWSER,
    "until": browser_language.UNTIL,
    "action": browser_language.ACTION,
    "task": language.TASK,
    "persist": language.PERSIST,
    "step": language.STEP,
    "plugin": language.PLUGIN,
    "data-def": language.DATA_DEF,
    "query": language.QUERY,
    "item": language.ITEM,
    "filter": language.FILTER,
    "site": SITE,
    "output": record_language.OUTPUT,
    "follow": link_language.FOLLOW,
    "next": link_language.NEXT,
    "crawl": link_language.CRAWL,
    "links": link_language.LINKS,
    "download": DOWNLOADS,
    "record-def": record_language.RECORD_DEF,
    "field": record_language.FIELD,
    "source": record_language.SOURCE,
    "auth": AUTH,
    "login": LOGIN,
    "page-sign": PAGE_SIGN,
    "retry": RETRY,
    "budget": BUDGET_RECORD,
}
_NO_FIELDS = {"ListAppender": ("name",)}
"""Parameters that are not fields of a definition: the plugin's own name."""


def tables() -> Mapping[str, Callable[[], list[str]]]:
    """Makers of the lines of each table, by its name."""
    records = {name: lambda record=record: list(_record(record)) for name, record in _RECORDS.items()}
    schedule = {name: partial(_schedule, rows) for name, rows in schedule_tables().items()}
    return {**records, **schedule, "plugin-fields": _plugin_fields, "settings": _settings}


def with_tables(text: str) -> str:
    """The text of a page with its tables as the code has them."""
    return _MARK.sub(lambda found: found[1] + "".join(f"{line}\n" for line in tables()[found[2]]()), text)


def names_in(text: str) -> list[str]:
    """Names of the tables that a page has."""
    return [name for _, name, _ in _MARK.findall(text)]


def records_of(shape: Shape) -> Iterator[Record]:
    """All records with keys of their own in a shape, itself included."""
    match shape:
        case Record():
            if shape.keys:
                yield shape
            for key in shape.keys:
                yield from records_of(key.shape)
            if shape.others is not None:
                yield from records_of(shape.others)
        case ListOf():
            yield from records_of(shape.entry)
        case NameOr():
            yield from records_of(shape.record)
        case Either():
            yield from records_of(shape.usual)
            yield from records_of(shape.other)
        case StepsSet():
            yield from records_of(shape.step)


def shown_records() -> list[Record]:
    """The records that have a table."""
    return list(_RECORDS.values())


def _record(record: Record) -> Iterator[str]:
    yield from _head("key", "type", "required", "meaning", "example")
    for key in record.keys:
        required = "yes" if key.required else ""
        yield _row(f"`{key.name}`", _type(key.shape), required, key.sentence, f"`{key.example}`")


def _schedule(rows: Callable[[], list[tuple[str, ...]]]) -> list[str]:
    return [*_head(*HEAD), *(_row(*row) for row in rows())]


def _type(shape: Shape) -> str:
    match shape:
        case Scalar():
            return " or ".join(f"`{option}`" for option in shape.options) or _SCALARS[shape.kind]
        case TextOrTexts():
            return "text, or list of texts"
        case ListOf():
            one = f"{_type(shape.entry)}, or a " if shape.or_one else ""
            return (
                f"{one}list of `{shape.wrapper}`" if shape.wrapper else f"{one}list of {_entry(shape.entry)}"
            )
        case NameOr() if shape.record.short:
            return _type(shape.record)
        case NameOr():
            names = " or ".join(f"`{option}`" for option in shape.options)
            return f"{names or 'name'}, or a mapping"
        case Either():
            return "mapping"
        case Record():
            return (f"{shape.short}, or a " if shape.short else "") + _mapping(shape)
        case StepsSet() | Free():
            return "mapping"


def _mapping(record: Record) -> str:
    if record.others is not None:
        return f"mapping: name → {record.called}"
    return "mapping of " + ", ".join(f"`{key.name}`" for key in record.keys)


def _entry(shape: Shape) -> str:
    return f"{_type(shape)}s" if isinstance(shape, Scalar) and not shape.options else _type(shape)


def _plugin_fields() -> list[str]:
    rows = [
        _row(f"`{name}`", f"`{camel_case(field.name)}`", _annotation(field.annotation), _default(field), text)
        for name, factory in _plugins()
        for field, text in _fields(name, factory)
    ]
    return [*_head("plugin", "field", "type", "default", "meaning"), *rows]


def _plugins() -> Iterator[tuple[str, Callable[..., object]]]:
    """Each built-in plugin once, under its own name."""
    for classes in BUILTINS.values():
        for name, place in classes.items():
            module, _, attribute = place.partition(":")
            if name == attribute:
                yield name, getattr(import_module(module), attribute)


def _fields(name: str, factory: Callable[..., object]) -> Iterator[tuple[inspect.Parameter, str]]:
    meanings = _meanings(inspect.getdoc(factory) or "")
    for field in inspect.signature(factory, eval_str=True).parameters.values():
        if field.name not in _NO_FIELDS.get(name, ()):
            yield field, meanings[field.name]


def _meanings(doc: str) -> dict[str, str]:
    """What `Args:` or `Attributes:` of a docstring say, each as one sentence."""
    entries = re.findall(r"^    (\w+): (.+(?:\n {8,}.+)*)", doc, re.MULTILINE)
    return {name: _sentence(" ".join(text.split())) for name, text in entries}


def _sentence(text: str) -> str:
    first = text if text.startswith("`") else text[0].upper() + text[1:]
    return first if first.endswith(".") else f"{first}."


def _annotation(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(annotation))
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    if get_origin(annotation) is list or any(get_origin(kind) is list for kind in kinds):
        return "list of texts"
    return {str: "text", bool: "boolean", int: "integer"}[kinds[0]]


def _default(field: inspect.Parameter) -> str:
    if field.default is inspect.Parameter.empty:
        return "*required*"
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    return f"`{field.default}`" if field.default else ""


def _settings() -> list[str]:
    rows = [
        _row(f"`{each.key}`", _default_of(each), _values_of(each), each.scope.value, each.sentence)
        for each in SETTINGS
    ]
    return [*_head("setting", "default", "values", "scope", "meaning"), *rows]


def _default_of(setting: Setting) -> str:
    if setting.default in (None, ""):
        return ""
    return f"`{setting.default} {setting.unit}`" if setting.unit else f"`{setting.default}`"


def _values_of(setting: Setting) -> str:
    match setting.kind:
        case SettingKind.CHOICE:
            return ", ".join(f"`{choice}`" for choice in setting.choices)
        case SettingKind.INT:
            return f"{setting.least} to {setting.most}"
        case SettingKind.WORKERS:
            return f"`auto`, or {setting.least} to {setting.most}"
        case SettingKind.BOOL:
            return "`true`, `false`"
        case SettingKind.PATH:
            return "path"
        case SettingKind.PATTERN:
            return "date pattern"
        case SettingKind.TEXT:
            return "text"


def _head(*names: str) -> Iterable[str]:
    return (_row(*names), _row(*["---"] * len(names)))


def _row(*cells: str) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def main() -> None:
    """Write the tables into the pages; prints the pages that changed."""
    for name in PAGES:
        path = ROOT / name
        old = path.read_text(encoding="utf-8")
        new = with_tables(old)
        if new != old:
            path.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
