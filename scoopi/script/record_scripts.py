"""RecordScripts: runs the scripts of fields of records on one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scoopi.errors import ScriptError
from scoopi.script.page_scripts import PageScripts


class RecordScripts:
    """Runs the scripts of fields of records on one page.

    Called with a script and the record as read so far, which is passed as data, never as code.

    A script sees `record` (the fields before its own), `parent` (the fields of the record that led to the
    page), and, like scripts of grids, `document` and `configs`.

    Args:
        scripts: the scripts of the same page.
        parent: values of the parent record by column.
    """

    def __init__(self, scripts: PageScripts, parent: Mapping[str, Any]) -> None:
        self._scripts = scripts
        self._parent = msgspec.json.encode(dict(parent)).decode()

    def __call__(self, text: str, record: dict[str, Any]) -> str | None:
        """The result as text, None for null and undefined.

        Raises:
            ScriptError: the script is invalid, failed, or exceeded a limit.
        """
        shown = msgspec.json.encode(record).decode()
        try:
            return self._scripts.evaluate(text, f'{{"record":{shown},"parent":{self._parent}}}')
        except ScriptError as error:
            raise ScriptError(
                f"{error.what}, for the record {shown[:200]}", hint=error.hint, cause=error.what
            ) from None
