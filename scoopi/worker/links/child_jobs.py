"""ChildJobs: the links of a page become jobs with derived ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.fetch.address import FILE_HOST, LONGEST_ADDRESS, AddressKind, parse_address
from scoopi.model.failure import Failure
from scoopi.model.job import JobPayload, ancestor_digest, link_id, once_id, page_url, run_id
from scoopi.model.locator import Link, LinkBounds, Locator
from scoopi.model.text.shown import shown
from scoopi.worker.links.list_ends import ListEnds, PageEnd, PageItems
from scoopi.worker.messages import Child

DIGEST_SIZE = 8
_UNBOUND = LinkBounds()


class ChildJobs:
    """Makes jobs with derived ids of the links of a page. Circles and chains that are too long are left out.

    Equal pages give equal ids, so that a job that is done twice makes its children once.
    Source: ARCHITECTURE, protocol rule 4.

    Attributes:
        needs_items: whether `make` has to know what was read on a page.

    Args:
        host_of: the host whose grants an address needs.
        max_depth: the longest chain of links, in pages.
        must_be_public: whether links may lead to public hosts only, by whether their page is public.
        fragment_groups: groups of which each fragment is a page of its own.
        ends: decides which pages of lists are the last ones.
    """

    def __init__(
        self,
        host_of: Callable[[str], str],
        max_depth: int,
        must_be_public: Callable[[bool], bool] = bool,
        fragment_groups: Collection[str] = (),
        ends: ListEnds = ListEnds({}),  # noqa: B008 - keeps no state
    ) -> None:
        self._host_of = host_of
        self._max_depth = max_depth
        self.leads_to_public_only = must_be_public
        self._fragment_groups = fragment_groups
        self._ends = ends
        self.needs_items = ends.are_set

    def make(
        self,
        job: str,
        payload: JobPayload,
        links: Sequence[Link],
        page_is_public: bool = False,
        items: PageItems | None = None,
    ) -> tuple[tuple[Child, ...], tuple[Failure, ...]]:
        """The children in the order of their links, and a warning if the chain was cut.

        Args:
            items: what was read on the page; None if that is not known.
        """
        if not links:
            return (), ()
        seen: Counter[tuple[str, str]] = Counter()
        children: dict[str, Child] = {}
        public_only = self.leads_to_public_only(page_is_public)
        from_network = self._host_of(payload.locator.url) != FILE_HOST
        too_deep = refused = too_long = 0
        page_end = self._ends.of_page(items, payload.seen)
        for link in links:
            if _is_beyond(link, payload, page_end):
                continue
            if len(link.url) > LONGEST_ADDRESS:
                too_long += 1
                continue
            # Once a page: which of its fragments is linked to first must decide no row.
            page = page_url(link.url, link.group in self._fragment_groups)
            url = page if link.once or link.once_per_run else link.url
            seen[link.group, url] += 1
            way = _Way.of(link, url, job, payload, seen[link.group, url] - 1)
            if (digest := ancestor_digest(link.group, page)) in _split(way.ancestors):
                continue
            host = self._host_of(url)
            if from_network and host == FILE_HOST and _is_local(url):
                refused += 1  # a site must not read this machine's files, also by a prefix
                continue
            if way.page > self._max_depth:
                too_deep += 1
                continue
            made = way.to(digest).payload(link, url, payload, page_end)
            children[way.job] = Child(way.job, host, replace(made, public_only=public_only))
        return tuple(children.values()), tuple(self._warnings(payload, too_deep, refused, too_long))

    def _warnings(self, payload: JobPayload, too_deep: int, refused: int, too_long: int) -> Iterator[Failure]:
        causes = {
            f"links deeper than scoopi.link.maxDepth ({self._max_depth}) are not followed": too_deep,
            "links from a web page to local files are not followed": refused,
            f"links of more than {LONGEST_ADDRESS:,} characters are not followed": too_long,
        }
        for cause, count in causes.items():
            if count:
                yield Failure(cause=cause, message=f"{count} {cause}", url=shown(payload.locator.url))


class _Way(NamedTuple):
    """How a page is reached, as far as its job depends on it: not at all of a page that is read once per run.

    Attributes:
        job: id of the page's job.
        name: of its locator.
        page, ancestors: its place in the chain of links, without itself.
    """

    job: str
    name: str
    seed: str
    page: int
    ancestors: bytes

    @classmethod
    def of(cls, link: Link, url: str, job: str, payload: JobPayload, occurrence: int) -> _Way:
        """From a link on the page of a job; `occurrence` counts the equal links before it."""
        values, name = link.parent, payload.locator.name
        if link.once_per_run:
            child = run_id(link.group, url, values)
            return cls(child, link.group, child, payload.page + 1 if values else 2, b"")
        if link.once:
            child = once_id(payload.seed, link.group, url, values)
            return cls(child, name, payload.seed, 2, payload.ancestors[:DIGEST_SIZE])
        child = link_id(job, link.group, url, occurrence)
        return cls(child, name, payload.seed, payload.page + 1, payload.ancestors)

    def to(self, digest: bytes) -> _Way:
        """The way with the page itself at its end."""
        return self._replace(ancestors=self.ancestors + digest)

    def payload(self, link: Link, url: str, page: JobPayload, page_end: PageEnd) -> JobPayload:
        """The job's payload; `page` is that of the page with the link."""
        bounds = link.bounds or _UNBOUND
        knows_items = bounds.end is not None and bounds.end.no_new
        return JobPayload(
            locator=Locator(self.name, link.group, url),
            seed=self.seed,
            page=self.page,
            ancestors=self.ancestors,
            parent=link.parent,
            depth=page.depth + (bounds.depth is not None),
            number=page.number + 1 if bounds.pages is not None else 0,
            links=page.links + 1,
            seen=page_end.seen_after() if knows_items else b"",
        )


def _is_beyond(link: Link, payload: JobPayload, page_end: PageEnd) -> bool:
    """Whether a link of the page leads farther than its definition wants; which is not a fault."""
    bounds = link.bounds or _UNBOUND
    too_deep = bounds.depth is not None and payload.depth >= bounds.depth
    if too_deep or (bounds.pages is not None and payload.number + 1 >= bounds.pages):
        return True
    return bounds.end is not None and page_end.is_last(bounds.end)


def _is_local(url: str) -> bool:
    """Whether the address names a file; what is malformed names none, and its loader reports it."""
    try:
        return parse_address(url).kind is AddressKind.FILE
    except FetchError:
        return False


def _split(digests: bytes) -> set[bytes]:
    return {digests[start : start + DIGEST_SIZE] for start in range(0, len(digests), DIGEST_SIZE)}
