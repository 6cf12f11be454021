"""labelled: lines beside the name of what they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

_WIDTH = 8


def labelled(paint: Callable[..., str], label: str, lines: Iterable[str]) -> Iterator[str]:
    """The lines, indented; the label stands in front of the first one.

    Args:
        paint: as `Terminal.paint`.
    """
    for line in lines:
        yield f"  {paint(f'{label:<{_WIDTH}}', 'dim')}{line}"
        label = ""
