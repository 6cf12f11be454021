"""PageScripts: runs the scripts of one data definition on one page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from scoopi.errors import ScriptError
from scoopi.model.document import Document
from scoopi.script.configs_view import ConfigsView
from scoopi.script.zoned import zoned_facts

if TYPE_CHECKING:
    from scoopi.script.sandbox import Sandbox  # who makes one loads it, which most pages do not need

_HOSTS = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
_FROM_DATE: Final = frozenset({"document.getFromDate()", "document.fromDate"})


class PageScripts:
    """A ScriptRunner for one (document, task): callable with a script text, gives its result as text.

    The sandbox is made when the first script runs; its globals persist across rows. A text is evaluated
    once and its result kept, unless it is null. Belongs to one thread.

    Source: language, B 2.8.
    """

    def __init__(self, new_sandbox: Callable[[], Sandbox], document: Document, configs: ConfigsView) -> None:
        self._new_sandbox = new_sandbox
        self._document = document
        self._configs = configs
        self._sandbox: Sandbox | None = None
        self._results: dict[str, str] = {}

    def __call__(self, text: str) -> str | None:
        """The result of the script as text, None for null and undefined.

        Raises:
            ScriptError: the script is wrong, failed, or met a limit; the next call begins with new globals.
        """
        known = self._results.get(text)
        if known is not None:
            return known
        result = self._run(text)
        if result is not None:
            self._results[text] = result
        return result

    def _run(self, text: str) -> str | None:
        # The one script that nearly all definitions have needs no engine while no other script has run.
        if self._sandbox is None and text in _FROM_DATE:
            return self._configs.format_date(self._document.from_date)
        try:
            if self._sandbox is None:
                self._sandbox = self._furnished()
            result = self._sandbox.evaluate(text)
        except ScriptError:
            self._sandbox = None
            raise
        return self._formatted(result) if isinstance(result, datetime) else result

    def _formatted(self, date: datetime) -> str:
        zone = self._configs.run_date_time.tzinfo
        return self._configs.format_date(date.astimezone(zone) if date.tzinfo else date.replace(tzinfo=zone))

    def _furnished(self) -> Sandbox:
        sandbox = self._new_sandbox()
        furnish = sandbox.load(_HOSTS)
        locator = self._document.locator
        page = {
            "name": locator.name,
            "group": locator.group,
            "url": locator.url,
            "fromDate": zoned_facts(self._document.from_date),
        }
        facts = msgspec.json.encode({"document": page, "configs": self._configs.facts()}).decode()
        sandbox.guard(lambda: furnish(facts))
        return sandbox
