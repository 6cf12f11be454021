"""Text: formats numbers, times and labelled lines for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

_LABEL_WIDTH = 8


def number(amount: int) -> str:
    """An amount with thousands separators: `1,234,567`."""
    return f"{amount:,}"


def counted(amount: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun.

    >>> counted(1, "job"), counted(1234, "job"), counted(2, "process", "processes")
    ('1 job', '1,234 jobs', '2 processes')

    Args:
        plural: of the noun; by default with an `s` at its end.
    """
    return f"{number(amount)} {noun}" if amount == 1 else f"{number(amount)} {plural or f'{noun}s'}"


def duration(seconds: float, whole: bool = False) -> str:
    """A time in suitable units.

    >>> duration(0.24), duration(12.4), duration(185), duration(7500), duration(12.4, whole=True)
    ('0.24 s', '12.4 s', '3 min 05 s', '2 h 05 min', '12 s')

    Args:
        whole: round to whole seconds.
    """
    if whole and seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{number(hours)} h {minutes:02} min"


def short_duration(seconds: float) -> str:
    """Like `duration`, but in milliseconds below a second: `0.24 ms`, `12.4 ms`."""
    if seconds >= 0.9995:
        return duration(seconds)
    milliseconds = 1000 * seconds
    return f"{milliseconds:.2f} ms" if milliseconds < 9.995 else f"{milliseconds:.1f} ms"


def rate(amount: int, seconds: float) -> str:
    """An amount per second, to about three digits."""
    per_second = amount / seconds if seconds > 0 else 0.0
    if per_second >= 99.5:
        return number(round(per_second))
    return f"{per_second:.1f}" if per_second >= 9.95 else f"{per_second:.2f}"


def labelled(paint: Callable[..., str], label: str, lines: Iterable[str]) -> Iterator[str]:
    """Indent lines and put the label in front of the first one.

    Args:
        paint: see `Terminal.paint`.
    """
    for line in lines:
        yield f"  {paint(f'{label:<{_LABEL_WIDTH}}', 'dim')}{line}"
        label = ""
