"""Turns a document and a definition into data. Pure: no clock, no network, no threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoopi.parse.tree.page import parse_html

__all__ = ["parse_html"]


def __getattr__(name: str) -> Any:
    """Return `parse_html`, imported at first access because it needs lxml and selectolax."""
    if name in __all__:
        from scoopi.parse.tree import page

        return getattr(page, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
