"""nearest: the known name that an unknown one most resembles."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, upper and lower case and `.` against `_` aside; never empty."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(_plain(name))

    def likeness(candidate: str) -> float:
        matcher.set_seq1(_plain(candidate))
        return matcher.ratio()

    return max(known, key=likeness)


def _plain(name: str) -> str:
    return name.lower().replace("_", ".")
