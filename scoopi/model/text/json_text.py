"""read_json: parses JSON that users write."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def read_json(text: str, **hooks: Callable[[str], object]) -> Any:
    """Parse a JSON document.

    Args:
        hooks: as those of `json.loads`.
    Raises:
        ValueError: it is not JSON, or nested too deeply, for which `json` raises a RecursionError.
    """
    try:
        return json.loads(text, **hooks)  # type: ignore[arg-type]  # the types of hooks differ
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
