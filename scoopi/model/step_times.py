"""LOADER: the name, among the times of steps, of the one that is waited for more than worked at."""

from __future__ import annotations

LOADER = "loader"
"""Many pages load at a time, each of them counted from its asking to its coming."""
