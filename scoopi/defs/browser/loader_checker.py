"""LoaderChecker: checks `loader` and `browser` of a task group."""

from __future__ import annotations

from scoopi.defs.browser.browser_checker import BrowserChecker
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_groups import LOADERS, WrittenTaskGroup
from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place


class LoaderChecker:
    """Checks `loader` and `browser` of a task group.

    Source: defs/README.md, 4.7.
    """

    def __init__(self, checkers: Checkers, findings: Findings) -> None:
        self._checkers = checkers
        self._findings = findings

    def check(self, group: WrittenTaskGroup, *, is_in_browser: bool) -> None:
        """Check a group, and report what is wrong.

        Args:
            is_in_browser: whether its pages are loaded in a browser, by `loader` or a step of its first task.
        """
        is_known = not group.loader or group.loader in LOADERS
        if not is_known:
            what, key = f"there is no loader {group.loader}", f"{group.key}.loader"
            self._findings.unknown(group.node.at("loader"), key, what, group.loader, LOADERS)
        elif fault := self._checkers.loader(group.loader):
            self._findings.error(group.node.at("loader"), f"{group.key}.loader", fault.what, fault.hint)
        if is_known and "browser" in group.node.entries and not is_in_browser:
            what = "its pages are not loaded in a browser"
            at, key = group.node.at("browser"), f"{group.key}.browser"
            self._findings.error(at, key, what, "add `loader: browser`")
        elif written := group.node.table("browser"):
            BrowserChecker(self._findings, self._checkers.script).check(written, f"{group.key}.browser")


def is_file(url: str) -> bool:
    """Whether a valid address is that of a local file."""
    return not url.lower().startswith(("http:", "https:"))


def warn_of_file(findings: Findings, group: str, place: Place, url: str) -> None:
    """Warn of a file among the locators of a group with a browser: no browser loads it."""
    what = f"{url} is a file, which is read without a browser: its scripts do not run"
    hint = "serve its folder, as by `python3 -m http.server`, and write http://localhost:8000/…"
    findings.warning(place, f"locatorGroups.{group}", what, hint)
