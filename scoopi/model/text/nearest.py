"""nearest: the known name closest to an unknown one, for "did you mean" hints."""

from __future__ import annotations

from collections.abc import Iterable

_LEAST_RATIO = 0.6


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most similar to `name`, ignoring case; empty when none is similar enough.

    >>> nearest("Selektor", ["selector", "script"])
    'selector'
    >>> nearest("colour", ["selector", "script"])
    ''
    """
    import difflib  # late: only wrong input needs it

    by_plain = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_plain, n=1, cutoff=_LEAST_RATIO)
    return by_plain[found[0]] if found else ""
