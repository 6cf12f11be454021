"""The JavaScript engine, as its extension module gives it.

The package `quickjs` around it starts a thread of its own when it is imported; nothing of it is needed.
"""

from __future__ import annotations

from _quickjs import Context, JSException  # type: ignore[import-not-found]

__all__ = ["Context", "JSException"]
