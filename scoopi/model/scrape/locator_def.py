"""LocatorDef: a page to load, or a template of many; LocatorGroup: those that share a name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

import msgspec

from scoopi.model.locator import PageRequest, Pairs
from scoopi.model.place import NOWHERE, Place
from scoopi.model.text.locator_values import LocatorValues, NumberValues, all_values, count_of
from scoopi.model.text.text_template import TextTemplate, address_template, json_template

MOST_SINGLE = 10_000
"""The most pages of a group's locators with placeholders that are searched for an address."""


class LocatorDef(msgspec.Struct, frozen=True):
    """One entry of a group's `locators`: a page, or a template of pages.

    Attributes:
        request: how the page is requested; None for a plain GET.
        values: the values of the placeholders in a template; empty for a single page.
        given: of a page that was made from a template, the values of its placeholders by name.
    """

    name: str
    url: str
    place: Place = NOWHERE
    request: PageRequest | None = None
    values: tuple[LocatorValues, ...] = ()
    given: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many pages the entry stands for."""
        return count_of(self.values) if self.values else 1

    def each(self, skip: int = 0) -> Iterator[LocatorDef]:
        """Yield the pages that the entry stands for, without placeholders; the first `skip` are left out."""
        if not self.values:
            yield self
            return
        name, url = TextTemplate(self.name), address_template(self.url)
        request = self.request
        for given in all_values(self.values, skip):
            if self.request is not None:
                request = self._request(self.request, given)
            yield LocatorDef(name.filled(given), url.filled(given), self.place, request, given=given)

    def _request(self, request: PageRequest, given: dict[str, str]) -> PageRequest:
        def filled(pairs: Pairs) -> Pairs:
            return tuple((name, TextTemplate(text).filled(given)) for name, text in pairs)

        numbers = [each.name for each in self.values if isinstance(each, NumberValues) and not each.width]
        return msgspec.structs.replace(
            request,
            params=filled(request.params),
            headers=filled(request.headers),
            form=None if request.form is None else filled(request.form),
            json=json_template(request.json, numbers).filled(given),
        )


class LocatorGroup(msgspec.Struct, frozen=True):
    """Locators that share a name and hence a task group; they may be very many."""

    name: str
    locators: Collection[LocatorDef]
    place: Place = NOWHERE

    def single_pages(self) -> Iterator[LocatorDef]:
        """Yield the pages one by one; of locators with placeholders, at most MOST_SINGLE pages in all."""
        left = MOST_SINGLE
        for locator in self.locators:
            if not locator.values:
                yield locator
            for one in islice(locator.each(), left) if locator.values else ():
                left -= 1
                yield one
