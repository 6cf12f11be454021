"""`scoopi period`: calculates with the periods of the scheduler."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from scoopi.cli.arguments import Parser, Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.terminal import Terminal
from scoopi.errors import PeriodError, UsageError
from scoopi.periods.period import Period, Qualifier, parse_period, parse_qualifier
from scoopi.periods.slot import instant_text, parse_instant

_SECONDS = re.compile(r"\d{14}", re.ASCII)
_EPOCH = re.compile(r"-?\d{1,9}|1[0-8]\d{8}|\d{11,12}", re.ASCII)
"""Seconds since 1970. Ten digits only if, as a period, they would be in a year before 1900."""
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)

PeriodRow = dict[str, object]


class PeriodArithmetic:
    """Calculates with periods and slots; prints one result per line, as text or JSON."""

    usage = "scoopi period {parse,cast,shift,diff,group,children} ARGUMENTS [--json]"
    sentence = (
        "Calculates with periods. A period has a letter and ten digits: H:2011010110 is an hour,\n"
        "D:2011010100 a day, M:2011010000 a month, Y:2011000000 a year; all in UTC."
    )
    example = (
        "scoopi period shift H:2011010100 -3\n"
        "scoopi period cast daily 2011-01-01T16:16:33Z\n"
        "scoopi period group 3 H:2011010122"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the operations, their arguments and `--json`."""
        operations = parser.add_subparsers(
            dest="operation", metavar="OPERATION", required=True, parser_class=Parser, prog=parser.prog
        )
        for name, (help_text, arguments) in _OPERATIONS.items():
            operation = operations.add_parser(name, help=help_text, description=help_text, allow_abbrev=False)
            operation.set_defaults(parser=operation)
            for argument, what in arguments.items():
                operation.add_argument(argument, metavar=argument.upper(), help=what)
            operation.add_argument("--json", action="store_true", help="print one JSON object per line")

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Calculate and print.

        Raises:
            UsageError: an argument is invalid.
        """
        try:
            rows = getattr(self, f"_{options.operation}")(options)
            for row in rows:
                terminal.give(_json(row) if options.json else " ".join(map(str, row.values())))
        except PeriodError as error:
            raise UsageError(error.what, hint=error.hint) from error
        return DONE

    def _parse(self, options: Namespace) -> Sequence[PeriodRow]:
        start, end = parse_period(options.period).bounds()
        return [{"start": instant_text(start), "end": instant_text(end)}]

    def _cast(self, options: Namespace) -> Sequence[PeriodRow]:
        moment = _moment(options.moment)
        if options.qualifier == "second":
            return [{"period": f"{moment:%Y%m%d%H%M%S}"}]
        return [{"period": str(Period(parse_qualifier(options.qualifier), moment))}]

    def _shift(self, options: Namespace) -> Sequence[PeriodRow]:
        return [{"period": str(parse_period(options.period).shift(_number(options.count)))}]

    def _diff(self, options: Namespace) -> Sequence[PeriodRow]:
        return [{"value": parse_period(options.period).diff(parse_period(options.other))}]

    def _group(self, options: Namespace) -> Sequence[PeriodRow]:
        first, last = parse_period(options.period).group(_number(options.count))
        return [{"start": str(first), "end": str(last)}]

    def _children(self, options: Namespace) -> Sequence[PeriodRow]:
        return [{"period": str(child)} for child in parse_period(options.period).children()]


_PERIOD = "a period such as H:2011010110"
_OPERATIONS = {
    "parse": ("start and end of a period", {"period": _PERIOD}),
    "cast": (
        "the period that contains a moment, of the given length",
        {
            "qualifier": "hourly, daily, monthly, yearly or second",
            "moment": "a period, ten or fourteen digits, RFC 3339, or seconds since 1970",
        },
    ),
    "shift": ("the period that is COUNT periods later", {"period": _PERIOD, "count": "may be negative"}),
    "diff": ("how many periods the first is after the other", {"period": _PERIOD, "other": _PERIOD}),
    "group": (
        "first and last member of the group that contains a period",
        {"count": "number of periods in a group", "period": _PERIOD},
    ),
    "children": ("the periods nested in a period, such as the hours of a day", {"period": _PERIOD}),
}
"""Operation -> (help, argument -> its help)."""


def _moment(text: str) -> datetime:
    """The moment that `cast` takes, in UTC without a zone.

    Raises:
        PeriodError: the text is neither a period nor an instant.
    """
    if _SECONDS.fullmatch(text):
        try:
            return datetime.strptime(text, "%Y%m%d%H%M%S")  # noqa: DTZ007 - UTC without a zone, like all moments here
        except ValueError as error:
            raise PeriodError(f"{text} is not a moment: {error}") from error
    if _EPOCH.fullmatch(text):
        return _BEGINNING + timedelta(seconds=int(text))
    if "T" in text.upper():
        return parse_instant(text).astimezone(UTC).replace(tzinfo=None)
    return parse_period(text, None if ":" in text else _finest(text)).start


def _finest(digits: str) -> Qualifier:
    """The qualifier of ten digits without a letter: the finest that their zeros allow."""
    if digits[4:6] == "00":
        return Qualifier.YEARLY
    return Qualifier.MONTHLY if digits[6:8] == "00" else Qualifier.HOURLY


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise PeriodError(f"{text!r} is not a whole number") from None


def _json(row: PeriodRow) -> str:
    import msgspec

    return msgspec.json.encode(row).decode()


VERB: Verb = PeriodArithmetic()
