"""nearest: the known name that an unknown one most resembles."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, upper and lower case aside; empty when none is like it."""
    import difflib

    by_plain = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_plain, n=1, cutoff=0.6)
    return by_plain[found[0]] if found else ""
