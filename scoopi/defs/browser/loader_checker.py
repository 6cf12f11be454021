"""LoaderChecker: checks `loader` and `browser` of a task group."""

from __future__ import annotations

from collections.abc import Sequence

from scoopi.defs.browser.browser_checker import BrowserChecker
from scoopi.defs.locators.row_file import until_fault
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_groups import LOADERS, WrittenTaskGroup
from scoopi.defs.scrape.step_sets import SetStep
from scoopi.defs.yaml.findings import Findings
from scoopi.model.definitions import LocatorGroup


class LoaderChecker:
    """Checks `loader` and `browser` of a task group.

    Source: defs/README.md, 4.7.
    """

    def __init__(self, checkers: Checkers, findings: Findings) -> None:
        self._checkers = checkers
        self._findings = findings

    def check(self, group: WrittenTaskGroup, chain: Sequence[SetStep], locators: LocatorGroup | None) -> None:
        """Report the findings of a group.

        Args:
            chain: the steps of its first task.
            locators: the locator group of its name, if there is one.
        """
        if group.loader and group.loader not in LOADERS:
            what, key = f"there is no loader {group.loader}", f"{group.key}.loader"
            self._findings.unknown(group.node.at("loader"), key, what, group.loader, LOADERS)
        elif fault := self._checkers.loader(group.loader):
            self._findings.error(group.node.at("loader"), f"{group.key}.loader", fault.what, fault.hint)
        is_in_browser = group.browser(each.step for each in chain) is not None
        if "browser" in group.node.entries and not is_in_browser:
            what = "its pages are not loaded in a browser"
            at, key = group.node.at("browser"), f"{group.key}.browser"
            self._findings.error(at, key, what, "add `loader: browser`")
        elif written := group.node.table("browser"):
            BrowserChecker(self._findings, self._checkers.script).check(written, f"{group.key}.browser")
        if is_in_browser and locators is not None:
            self._warn_of_file(locators)

    def _warn_of_file(self, group: LocatorGroup) -> None:
        """Warn of the first locator that is a file: no browser loads it."""
        for written in until_fault(group.locators):
            url = next(written.each(), written).url
            if url and not url.lower().startswith(("http:", "https:")) and not self._checkers.url(url):
                what = f"{url} is a file, which is read without a browser: its scripts do not run"
                hint = "serve its folder, as by `python3 -m http.server`, and write http://localhost:8000/…"
                self._findings.warning(written.place, f"locatorGroups.{group.name}", what, hint)
                return
