"""spread: the code points that Java takes for equal when case does not count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

Range = tuple[int, int]

_LAST_CASED = 0x1E943
_SIMPLE_LOWER = {0x130: 0x69}
"""Where the lower case of a character by itself differs from what Python makes of it."""


def spread(first: int, last: int, *, unicode: bool) -> list[Range]:
    """The range and all that equals one of its code points in another case, as ranges.

    Only ASCII letters have case, unless `unicode` (Java's UNICODE_CASE).
    """
    if first == last and not (unicode or _is_letter(first)):
        return [(first, last)]
    others = _unicode_others(first, last) if unicode else _ascii_others(first, last)
    return [(first, last), *((other, other) for other in sorted(set(others)) if not first <= other <= last)]


def _is_letter(code: int) -> bool:
    return 65 <= code <= 90 or 97 <= code <= 122


def _ascii_others(first: int, last: int) -> Iterable[int]:
    return [code for code in range(65, 123) if _is_letter(code) and first <= code ^ 32 <= last]


def _unicode_others(first: int, last: int) -> Iterable[int]:
    if first == last:
        return _by_fold().get(_fold(first), ())
    return [
        code
        for fold, codes in _by_fold().items()
        for code in codes
        if first <= fold <= last or first <= _upper(code) <= last
    ]


@cache
def _by_fold() -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for code in range(_LAST_CASED + 1):
        sign = chr(code)
        if sign.lower() != sign or sign.upper() != sign:
            groups[_fold(code)].append(code)
    return dict(groups)


def _fold(code: int) -> int:
    upper = _upper(code)
    lower = chr(upper).lower()
    return _SIMPLE_LOWER.get(upper, ord(lower) if len(lower) == 1 else upper)


def _upper(code: int) -> int:
    upper = chr(code).upper()
    return ord(upper) if len(upper) == 1 else code
