"""ChildJobs: the links of a page become jobs with derived ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from scoopi.errors import FetchError
from scoopi.fetch.address import FILE_HOST, LONGEST_ADDRESS, AddressKind, parse_address
from scoopi.model.failure import Failure
from scoopi.model.job import JobPayload, ancestor_digest, link_id, once_id, without_fragment
from scoopi.model.locator import Link, Locator
from scoopi.model.text.shown import shown
from scoopi.worker.messages import Child

DIGEST_SIZE = 8


class ChildJobs:
    """Derives a child for each link, leaving out circles and chains that are too long.

    Equal pages give equal ids, so that a job that is done twice makes its children once.
    Source: ARCHITECTURE, protocol rule 4.

    Args:
        host_of: the host whose grants an address needs.
        max_depth: the longest chain of links, in pages.
        must_be_public: whether links may lead to public hosts only, by whether their page is public.
    """

    def __init__(
        self,
        host_of: Callable[[str], str],
        max_depth: int,
        must_be_public: Callable[[bool], bool] = bool,
    ) -> None:
        self._host_of = host_of
        self._max_depth = max_depth
        self._must_be_public = must_be_public

    def make(
        self, job: str, payload: JobPayload, links: Sequence[Link], page_is_public: bool = False
    ) -> tuple[tuple[Child, ...], tuple[Failure, ...]]:
        """The children in the order of their links, and a warning if the chain was cut."""
        if not links:
            return (), ()
        seen: Counter[tuple[str, str]] = Counter()
        children: dict[str, Child] = {}
        public_only = self._must_be_public(page_is_public)
        from_network = self._host_of(payload.locator.url) != FILE_HOST
        too_deep = refused = too_long = 0
        for link in links:
            if len(link.url) > LONGEST_ADDRESS:
                too_long += 1
                continue
            # Once a page: which of its fragments is linked to first must decide no row.
            url = without_fragment(link.url) if link.once else link.url
            pair = (link.group, url)
            occurrence = seen[pair]
            seen[pair] += 1
            ancestors = payload.ancestors[:DIGEST_SIZE] if link.once else payload.ancestors
            digest = ancestor_digest(*pair)
            if digest in _split(ancestors):
                continue
            host = self._host_of(url)
            if from_network and host == FILE_HOST and _is_local(url):
                refused += 1  # a site must not read this machine's files, also by a prefix
                continue
            page = 2 if link.once else payload.page + 1
            if page > self._max_depth:
                too_deep += 1
                continue
            child = once_id(payload.seed, *pair) if link.once else link_id(job, *pair, occurrence)
            children[child] = Child(
                child,
                host,
                JobPayload(
                    locator=Locator(payload.locator.name, link.group, url),
                    seed=payload.seed,
                    page=page,
                    ancestors=ancestors + digest,
                    public_only=public_only,
                ),
            )
        causes = {
            f"links deeper than scoopi.link.maxDepth ({self._max_depth}) are not followed": too_deep,
            "links from a web page to local files are not followed": refused,
            f"links of more than {LONGEST_ADDRESS:,} characters are not followed": too_long,
        }
        return tuple(children.values()), tuple(self._warnings(causes, payload))

    @staticmethod
    def _warnings(causes: Mapping[str, int], payload: JobPayload) -> Iterator[Failure]:
        for cause, count in causes.items():
            if count:
                yield Failure(cause=cause, message=f"{count} {cause}", url=shown(payload.locator.url))


def _is_local(url: str) -> bool:
    """Whether the address names a file; what is malformed names none, and its loader reports it."""
    try:
        return parse_address(url).kind is AddressKind.FILE
    except FetchError:
        return False


def _split(digests: bytes) -> set[bytes]:
    return {digests[start : start + DIGEST_SIZE] for start in range(0, len(digests), DIGEST_SIZE)}
