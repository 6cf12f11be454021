"""built_bridge: the compiled bridge, built first; a test that needs it fails where it cannot be."""

from __future__ import annotations

from functools import cache

from scoopi.parse.bridge.build import build_if_older
from scoopi.parse.bridge.html_backend import NativeParser


@cache
def built_bridge() -> NativeParser:
    """The bridge of this checkout, no older than its source."""
    build_if_older()
    return NativeParser()
