"""`scoopi parse`: shows the records of one page, and what each field found."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_inputs, add_settings, add_verbose, given_inputs, read_settings
from scoopi.cli.terminal import Terminal, printable

if TYPE_CHECKING:
    from scoopi.authoring import FieldView, ParsedPage

_WIDEST = 40
_MOST_RECORDS = 50


class Parse:
    """Loads one page and prints what data definitions read from it."""

    usage = "scoopi parse DEFS FILE|URL [options]"
    sentence = (
        "Shows the records that definitions read from one page, and what each field found: matches,\n"
        "missing values, and what the page has in place of a selector or label that finds nothing."
    )
    example = (
        "scoopi parse books.yml pages/list.html\n"
        "scoopi parse books.yml https://books.example/ --def book --json"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add DEFS, the page, and the options that select definitions."""
        parser.add_argument("defs", metavar="DEFS", type=Path, help="a folder of definitions, or one file")
        parser.add_argument("page", metavar="FILE|URL", help="the page")
        parser.add_argument("--group", metavar="G", default="", help="read it as a page of this task group")
        parser.add_argument(
            "--def", dest="data_def", metavar="NAME", default="", help="read it by this data definition only"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        add_settings(parser)
        add_inputs(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the records and the fields.

        Raises:
            DefsError: the definitions are wrong.
            StepError: the page cannot be loaded or read.
        """
        from scoopi.authoring import parse_page

        with terminal.kept_for_data():  # reading definitions loads plugins, which may print
            parsed = parse_page(
                options.defs,
                options.page,
                group=options.group,
                data_def=options.data_def,
                conf=options.conf,
                configs=read_settings(options.settings),
                environ=terminal.environ,
                inputs=given_inputs(options),
            )
        lines = [_json(parsed)] if options.json else [line for page in parsed for line in _shown(page)]
        for line in lines:
            terminal.give(line)
        return DONE


def _json(parsed: Sequence[ParsedPage]) -> str:
    content = [
        {
            "dataDef": page.data_def,
            "records": [dict(zip(_names(page), row, strict=True)) for row in page.records.rows],
            "rejected": page.records.rejections,
            "each": page.each,
            "fields": page.fields,
        }
        for page in parsed
    ]
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()


def _shown(page: ParsedPage) -> Iterator[str]:
    """The lines of one data definition."""
    rows, rejected = page.records.rows, page.records.rejections
    also = f", {len(rejected)} rejected" if rejected else ""
    yield f"{printable(page.data_def)}: {len(rows)} record{'' if len(rows) == 1 else 's'}{also}"
    if rows:
        yield from table(_names(page), rows[:_MOST_RECORDS])
    if len(rows) > _MOST_RECORDS:
        yield f"and {len(rows) - _MOST_RECORDS} more"
    for each in rejected[:_MOST_RECORDS]:
        yield printable(f"rejected: {each.reason} ({each.at})")
    yield ""
    views = [*([page.each] if page.each is not None else []), *page.fields]
    head = ["field", "matches", "missing", "unreadable"]
    yield from table(head, [_counts(view) for view in views])
    for view in views:
        yield from _notes(view)
    yield ""


def _counts(view: FieldView) -> list[Any]:
    matches = "" if view.matches is None else view.matches
    return [view.field, matches, view.missing or "", view.unreadable or ""]


def _notes(view: FieldView) -> Iterator[str]:
    if view.select:
        count = "1 element" if view.prefix_matches == 1 else f"{view.prefix_matches} elements"
        found = f"{view.prefix!r} matches {count}" if view.prefix else "nothing of it matches"
        yield printable(f"{view.field}: {view.select!r} finds nothing; {found} ({view.at})")
    if view.label:
        labels = ", ".join(repr(each) for each in view.labels)
        found = (
            f"did you mean {labels}?" if len(view.labels) == 1 else f"the page has {labels or 'no labels'}"
        )
        yield printable(f"{view.field}: no label {view.label!r} has a value; {found} ({view.at})")
    if view.example:
        yield printable(f"{view.field}: {view.example} ({view.at})")


def _names(page: ParsedPage) -> list[str]:
    return [column.name for column in page.columns]


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Lines of aligned columns; long values are cut.

    >>> list(table(["a", "b"], [["x", 1], [None, "long"]]))
    ['a  b   ', 'x  1   ', '   long']
    """
    cells = [[*head], *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(head))]
    for line in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = printable(text)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


VERB: Verb = Parse()
