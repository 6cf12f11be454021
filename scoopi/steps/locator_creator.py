"""LocatorCreator: the step that ends a task with links to further pages."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin

from scoopi.errors import FetchError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.java.java_blank import is_blank
from scoopi.model.data import Data, LinkData
from scoopi.model.data_def import DataDef, ItemDef, is_link_pattern
from scoopi.model.failure import Failure
from scoopi.model.handover import Handover, Payload, ToJobs
from scoopi.model.locator import Link
from scoopi.steps.step import Step
from scoopi.steps.text_pattern import TextPattern

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_C0_AND_BLANK = "".join(map(chr, range(0x21)))
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")
_WEB = ("http:", "https:")
_ORIGIN = re.compile(r"https?://[a-z0-9.:-]+(?=/)")
_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_PLAIN_PATH = re.compile(rf"(/?){_SEGMENT}(?:/{_SEGMENT})*(?:\?[A-Za-z0-9._~=&%-]+)?")
"""Paths without empty or dot segments, like most links of a site; the group is `/` if they are absolute."""
_PLAIN_FOLDER = re.compile(rf"(https?://[a-z0-9.:-]+/(?:{_SEGMENT}/)*)[^/?#]*(?:[?#]|\Z)")
"""Addresses of which all but the last segment is such a path; the group ends with the last slash of these."""


def link_address(reference: str, page_url: str, base_href: str | None) -> str:
    """Resolve a link against its page (RFC 3986), after the same clean-up as in browsers.

    >>> link_address("../b.html?x=1", "https://a.example/one/two.html", None)
    'https://a.example/b.html?x=1'
    >>> link_address("b.html", "pages/a.html", None)
    'pages/b.html'

    Args:
        reference: the link as written on the page.
        page_url: the final address of the page; for a page loaded from a path, the path as written.
        base_href: the page's `<base href>` as written, if it has one.
    Returns:
        An absolute URL; for a page loaded from a path, a path of the same form. A link of a web page always
        has a scheme: one that cannot be resolved keeps its own or gets the page's, and the loader reports the
        error.
    """
    if not base_href and (path := _PLAIN_PATH.fullmatch(reference)):
        if path[1] and (origin := _ORIGIN.match(page_url)):
            return origin[0] + reference
        if not path[1] and (folder := _PLAIN_FOLDER.match(page_url)):
            return folder[1] + reference
    return _joined(_base(page_url, base_href), reference)


def _base(page_url: str, base_href: str | None) -> str:
    """The address that the page's links are relative to.

    A `<base href>` of a web page counts only if it is an http(s) address: `about:blank`, `data:,` and
    `file:///` are ignored.
    """
    if not base_href or not base_href.strip(_C0_AND_BLANK):
        return page_url
    base = _joined(page_url, base_href)
    try:
        is_web = parse_address(base).kind is AddressKind.HTTP
    except FetchError:
        return page_url
    return base if is_web or not _is_web(page_url) else page_url


def _is_web(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[0].lower() in _WEB


def _joined(base: str, reference: str) -> str:
    clean = reference.strip(_C0_AND_BLANK).translate(_LINE_BREAKS)
    scheme = _SCHEME.match(base)
    if scheme is None:
        return _joined_path(base, clean)
    if _is_web(base):
        head, mark, query = clean.partition("?")
        clean = head.replace("\\", "/") + mark + query
    try:
        return urljoin(base, clean)
    except ValueError:
        return clean if _SCHEME.match(clean) else scheme[0] + clean


def _joined_path(base: str, reference: str) -> str:
    if _SCHEME.match(reference) or reference.startswith("/"):
        return reference
    path = re.split("[?#]", reference, maxsplit=1)[0]
    rest = reference[len(path) :]
    if not path:
        return base.partition("#")[0] + reference
    folder = posixpath.dirname(re.split("[?#]", base, maxsplit=1)[0])
    joined = posixpath.normpath(posixpath.join(folder, path))
    if path.endswith("/"):
        joined += "/"
    if _SCHEME.match(joined):
        joined = f"./{joined}"  # otherwise its first folder would be parsed as a scheme
    return joined + rest


class LocatorCreator(Step):
    """Makes a link from the item of each row, in the order of the rows, duplicates included.

    The value is the raw one; a blank or null value makes no link. With the item's `prefix` it is the whole
    address; without one it is resolved against the page. A value that `linkBreakOn` lists or matches, with
    its prefix and before it is resolved, makes no link. Cycles and depth are checked when the links become
    jobs.

    Args:
        timeout_ms: timeout of matching one pattern of `linkBreakOn`, in milliseconds.
    """

    def __init__(self, data_def: DataDef, *, timeout_ms: int = 1000) -> None:
        self._items = {item.name: item for item in data_def.items}
        self._ends = {
            item.name: [
                TextPattern(text, timeout_ms, item.place, "linkBreakOn")
                for text in item.link_break_on
                if is_link_pattern(text)
            ]
            for item in data_def.items
        }

    def run(self, payload: Payload) -> Handover:
        """Return the links of a page, with a warning for each item that has no link group.

        LinkData is relative to its own page, any other Data to the payload's locator.

        Raises:
            ParseError: matching a pattern of `linkBreakOn` takes too long.
        """
        data = payload.expect(Data)
        page_url, base_href = payload.locator.url, None
        if isinstance(data, LinkData):
            page_url, base_href = data.page_url, data.base_href
        links: list[Link] = []
        groupless: Counter[str] = Counter()
        for item in data.items:
            raw = item.values[0]
            if raw is None or is_blank(raw):
                continue
            name = item.axes[0].item_name
            definition = self._items.get(name)
            if definition is None or definition.link_group is None:
                groupless[name] += 1
                continue
            address = _prefixed(raw, definition)
            if address in definition.link_break_on or any(end.matches(address) for end in self._ends[name]):
                continue
            if not _has_prefix(definition):
                address = link_address(raw, page_url, base_href)
            links.append(Link(definition.link_group, address, definition.once))
        return ToJobs(tuple(links), tuple(self._warnings(groupless)))

    def _warnings(self, groupless: Counter[str]) -> Iterator[Failure]:
        for name, count in groupless.items():
            definition = self._items.get(name)
            yield Failure(
                cause=f"item {name} makes no links: it has no linkGroup",
                message=f"item {name} makes no links of its {count} value(s): it has no linkGroup; "
                "give it one, or move it to a dataDef of a task without links",
                at=str(definition.place) if definition else "",
            )


def _has_prefix(definition: ItemDef) -> bool:
    """Whether a prefix applies; it does not to constants and matches."""
    return bool(definition.prefix) and definition.value is None and definition.match is None


def _prefixed(raw: str, definition: ItemDef) -> str:
    """The value with its prefixes, which are applied in order, so that the last one comes first."""
    if not _has_prefix(definition):
        return raw
    return "".join((*reversed(definition.prefix), raw))
