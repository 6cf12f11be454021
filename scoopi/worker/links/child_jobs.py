"""ChildJobs: makes jobs with derived ids from the links of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.fetch.address import FILE_HOST, LONGEST_ADDRESS, AddressKind, parse_address
from scoopi.model.failure import Failure
from scoopi.model.job import (
    JobPayload,
    ancestor_digest,
    link_id,
    once_per_locator_id,
    once_per_run_id,
    page_url,
)
from scoopi.model.locator import Link, LinkBounds, Locator
from scoopi.model.text.shown import shown
from scoopi.worker.links.list_ends import ListEnds, PageEnd, PageItems
from scoopi.worker.messages import Child

DIGEST_SIZE = 8
_UNBOUND = LinkBounds()


class ChildJobs:
    """Makes jobs with derived ids from the links of a page; cycles and chains that are too long are left out.

    The same page gives the same ids, so a job that runs twice makes its children once.
    Source: ARCHITECTURE, protocol rule 4.

    Attributes:
        needs_items: whether `make` needs the items that were read on a page.

    Args:
        host_of: returns the host whose grant a URL needs.
        max_depth: the longest chain of links, in pages.
        must_be_public: takes whether a page is public, and returns whether its links must lead to public
            hosts.
        fragment_groups: groups in which each URL fragment is a page of its own.
        ends: decides which page of a list is the last one.
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
        """Return the children in the order of their links, and warnings about links that are not followed.

        Args:
            job: id of the page's job.
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
            # One job per page: its rows must not depend on which fragment is linked to first.
            page = page_url(link.url, link.group in self._fragment_groups)
            url = page if link.once or link.once_per_run else link.url
            seen[link.group, url] += 1
            way = _Way.of(link, url, job, payload, seen[link.group, url] - 1)
            if (digest := ancestor_digest(link.group, page)) in _split(way.ancestors):
                continue
            host = self._host_of(url)
            if from_network and host == FILE_HOST and _is_local(url):
                refused += 1  # a site must not read local files, not even by a `prefix`
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
    """How a page is reached, as far as its job depends on that; the job of a page `once_per_run` does not.

    Attributes:
        job: id of the page's job.
        name: name of its locator.
        seed: id of the job at the beginning of the chain.
        page: its position in the chain of links.
        ancestors: digests of the pages before it in the chain.
    """

    job: str
    name: str
    seed: str
    page: int
    ancestors: bytes

    @classmethod
    def of(cls, link: Link, url: str, job: str, payload: JobPayload, occurrence: int) -> _Way:
        """The way by a link on the page of a job.

        Args:
            url: the link's URL, without the fragment if that does not matter.
            occurrence: how many equal links precede it on the page.
        """
        values, name = link.parent, payload.locator.name
        if link.once_per_run:
            child = once_per_run_id(link.group, url, values)
            return cls(child, link.group, child, payload.page + 1 if values else 2, b"")
        if link.once:
            child = once_per_locator_id(payload.seed, link.group, url, values)
            return cls(child, name, payload.seed, 2, payload.ancestors[:DIGEST_SIZE])
        child = link_id(job, link.group, url, occurrence)
        return cls(child, name, payload.seed, payload.page + 1, payload.ancestors)

    def to(self, digest: bytes) -> _Way:
        """The way with the digest of the page itself appended."""
        return self._replace(ancestors=self.ancestors + digest)

    def payload(self, link: Link, url: str, page: JobPayload, page_end: PageEnd) -> JobPayload:
        """The job's payload; `page` is the payload of the page with the link."""
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
    """Whether a link leads beyond the bounds in its definition, which is not an error."""
    bounds = link.bounds or _UNBOUND
    too_deep = bounds.depth is not None and payload.depth >= bounds.depth
    if too_deep or (bounds.pages is not None and payload.number + 1 >= bounds.pages):
        return True
    return bounds.end is not None and page_end.is_last(bounds.end)


def _is_local(url: str) -> bool:
    """Whether the URL is that of a file; a malformed one is not, and its loader reports it."""
    try:
        return parse_address(url).kind is AddressKind.FILE
    except FetchError:
        return False


def _split(digests: bytes) -> set[bytes]:
    return {digests[start : start + DIGEST_SIZE] for start in range(0, len(digests), DIGEST_SIZE)}
