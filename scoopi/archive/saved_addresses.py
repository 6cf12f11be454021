"""SavedAddresses: the address that a page is saved under: without the fragment that its server never sees."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote

from msgspec import structs

from scoopi.model.locator import Document, Locator

_WEB_ADDRESS = re.compile(r"\s*https?:", re.IGNORECASE)
_KEPT_IN_FRAGMENTS = "!#$%&'()*+,-./:;=?@[]\\^_{|}~"


class SavedAddresses:
    """The addresses that pages are saved under: without fragment, so that one page serves all its fragments.

    Args:
        seen_by: task groups whose loader sees the fragment, as a browser does: scripts may build another page
            for each. Their pages keep it.
    """

    def __init__(self, seen_by: Collection[str] = ()) -> None:
        self._seen_by = seen_by

    def locator(self, locator: Locator) -> Locator:
        """Return a locator with the address that its page is saved under."""
        if not self.fragment(locator):
            return locator
        return structs.replace(locator, url=locator.url.partition("#")[0])

    def document(self, document: Document) -> Document:
        """The page as it is saved, without the locator's fragment, which redirects pass on to its address.

        If a redirect names another fragment, the address keeps that.
        """
        fragment = self.fragment(document.locator)
        if not fragment:
            return document
        url = document.url.removesuffix(fragment)
        return structs.replace(document, locator=self.locator(document.locator), url=url)

    def asked(self, saved: Document, locator: Locator) -> Document:
        """The saved page as if the locator's address had just been loaded."""
        fragment = "" if "#" in saved.url else self.fragment(locator)
        return structs.replace(saved, locator=locator, url=saved.url + fragment)

    def fragment(self, locator: Locator) -> str:
        """The fragment, with its `#`, that does not count, escaped as in the address of a loaded page.

        Empty for a file, whose name may contain `#`.
        """
        if locator.group in self._seen_by or not _WEB_ADDRESS.match(locator.url):
            return ""
        _, mark, fragment = locator.url.strip().partition("#")
        return mark + quote(fragment, safe=_KEPT_IN_FRAGMENTS, errors="replace")
