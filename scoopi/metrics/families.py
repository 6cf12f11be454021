"""Metric families in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Family:
    """One metric family: its HELP and TYPE lines, then its samples.

    Args:
        kind: `counter`, `gauge` or `histogram`.
        text: what HELP says.
    """

    def __init__(self, name: str, kind: str, text: str) -> None:
        self._name = name
        self.lines = [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]

    def add(self, value: float, labels: Mapping[str, str] | None = None, suffix: str = "") -> None:
        """Add a sample; `suffix` follows the family's name, as in `_bucket` of a histogram."""
        pairs = ",".join(f'{key}="{text.translate(_ESCAPES)}"' for key, text in (labels or {}).items())
        self.lines.append(
            f"{self._name}{suffix}{{{pairs}}} {value!r}" if pairs else f"{self._name}{suffix} {value!r}"
        )


def one(name: str, kind: str, text: str, value: float) -> Family:
    """A family with one sample."""
    family = Family(name, kind, text)
    family.add(value)
    return family


def by(name: str, kind: str, text: str, label: str, values: Mapping[str, float]) -> Family:
    """A family with one sample for each value of a label."""
    family = Family(name, kind, text)
    for key, value in values.items():
        family.add(value, {label: key})
    return family


def text_of(families: Iterable[Family]) -> str:
    """The families as text, the response to a scrape of Prometheus."""
    return "".join(f"{line}\n" for family in families for line in family.lines)
