"""ChildJobs: ids are derived, cycles end."""

from __future__ import annotations

import pytest

from scoopi.model.data import Data, Item
from scoopi.model.job import JobPayload, ancestor_digest, link_id, seed_id
from scoopi.model.locator import Link, LinkBounds, ListEnd, Locator
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.links.list_ends import ITEM_BYTES
from scoopi.worker.messages import Child

SEED = seed_id("list", "shop", "/list.html")


def page(url: str = "/list.html", group: str = "list") -> JobPayload:
    return JobPayload(Locator("shop", group, url), SEED, 1, ancestor_digest(group, url))


def children_of(payload: JobPayload, *links: Link, job: str = SEED, max_depth: int = 1000) -> list[Child]:
    children, _ = ChildJobs(lambda url: f"host of {url}", max_depth).make(job, payload, links)
    return list(children)


def test_the_same_page_gives_the_same_ids_again() -> None:
    links = (Link("item", "/a"), Link("item", "/b"), Link("item", "/a"))
    assert children_of(page(), *links) == children_of(page(), *links)


def test_each_link_is_a_job_of_its_own_also_when_it_repeats() -> None:
    children = children_of(page(), Link("item", "/a"), Link("item", "/a"), Link("other", "/a"))
    assert len({child.id for child in children}) == 3


def test_a_page_linked_from_two_places_is_two_jobs() -> None:
    (one,) = children_of(page("/1"), Link("item", "/a"), job="1" * 32)
    (two,) = children_of(page("/2"), Link("item", "/a"), job="2" * 32)
    assert one.id != two.id


def test_once_a_locator_whichever_page_links_to_it() -> None:
    link = Link("item", "/a", once=True)
    deep = JobPayload(
        Locator("shop", "list", "/9"), SEED, 9, page().ancestors + ancestor_digest("list", "/9")
    )
    (one,) = children_of(page(), link, link)
    (two,) = children_of(deep, link, job="9" * 32)
    assert one == two
    assert one.payload.page == 2
    assert one.payload.ancestors == page().ancestors + ancestor_digest("item", "/a")


def test_links_to_fragments_of_a_page_are_one_page_when_it_is_read_once() -> None:
    links = [Link("item", url, once=True) for url in ("/a#x", "/a", "/a#y")]
    (child,) = children_of(page(), *links)
    assert child.payload.locator.url == "/a"
    assert [children_of(page(), link) for link in links] == [[child]] * 3, (
        "no race decides which of them it is"
    )
    assert len(children_of(page(), Link("item", "/a"), Link("item", "/a#x"))) == 2


def test_a_child_keeps_the_locators_name_and_seed_and_counts_pages() -> None:
    (child,) = children_of(page(), Link("item", "/a"))
    assert child.payload.locator == Locator("shop", "item", "/a")
    assert (child.payload.seed, child.payload.page, child.host) == (SEED, 2, "host of /a")


@pytest.mark.parametrize("link", [Link("item", "/a"), Link("item", "/a", once_per_run=True)])
def test_each_page_is_one_link_further_from_its_seed_than_the_page_that_led_to_it(link: Link) -> None:
    (child,) = children_of(page(), link)
    (next_one,) = children_of(child.payload, Link("item", "/b", once_per_run=True), job=child.id)
    assert (page().links, child.payload.links, next_one.payload.links) == (0, 1, 2)


def test_a_link_to_an_ancestor_is_not_followed_whatever_its_fragment() -> None:
    assert children_of(page(), Link("list", "/list.html#top")) == []
    (child,) = children_of(page(), Link("list", "/2"))
    assert children_of(child.payload, Link("list", "/list.html"), Link("list", "/2#a"), job=child.id) == []
    assert len(children_of(child.payload, Link("item", "/list.html"), job=child.id)) == 1


def test_a_web_page_cannot_lead_to_a_local_file() -> None:
    hosts = ChildJobs(lambda url: "file" if not url.startswith("http") else "site:80", 9)
    web = JobPayload(Locator("shop", "list", "http://site/"), SEED)
    children, warnings = hosts.make(SEED, web, [Link("item", "FILE:///etc/passwd"), Link("item", "/pages/a")])
    assert children == (), "also not where the definition's prefix makes a path of the link"
    assert warnings[0].message == "2 links from a web page to local files are not followed"
    assert len(hosts.make(SEED, page(), [Link("item", "file:///a")])[0]) == 1


def test_a_chain_ends_at_its_longest_with_a_warning() -> None:
    children, warnings = ChildJobs(lambda url: "file", 1).make(SEED, page(), [Link("list", "/2")])
    assert children == ()
    assert "scoopi.link.maxDepth (1)" in warnings[0].message


def test_a_link_of_endless_length_is_not_followed_and_not_quoted() -> None:
    links = [Link("item", "http://h/".ljust(size, "x")) for size in (65_536, 65_537, 8_000_000)]
    children, warnings = ChildJobs(lambda _: "h:80", 9).make(SEED, page("http://h/"), links)
    assert len(children) == 1
    assert [each.message for each in warnings] == ["2 links of more than 65,536 characters are not followed"]


def test_a_page_that_is_read_once_per_run_is_one_job_whichever_locator_led_to_it() -> None:
    elsewhere = JobPayload(Locator("other", "list", "/2"), "2" * 32, 5, b"x" * 40)
    (one,) = children_of(page(), Link("item", "/a#x", once_per_run=True))
    (other,) = children_of(elsewhere, Link("item", "/a#y", once_per_run=True), job="2" * 32)
    assert one == other
    assert one.id == seed_id("item", "item", "/a"), "a locator of that page is the same job"
    assert one.payload.locator == Locator("item", "item", "/a")


def test_a_page_is_read_once_per_set_of_parent_values() -> None:
    values: tuple[dict[str, object], ...] = ({"a": 1, "b": None}, {"b": None, "a": 1}, {"a": 2, "b": None})
    children = children_of(page(), *(Link("item", "/a", once_per_run=True, parent=each) for each in values))
    assert [child.payload.parent for child in children] == [{"a": 1, "b": None}, {"a": 2, "b": None}]
    once = children_of(page(), *(Link("item", "/a", once=True, parent=each) for each in values))
    assert len({child.id for child in once}) == 2


def test_a_page_read_once_per_run_has_its_place_in_the_chain_only_if_a_record_leads_to_it() -> None:
    deep = JobPayload(Locator("other", "list", "/2"), "2" * 32, 5, b"x" * 40)
    (plain,) = children_of(deep, Link("item", "/a", once_per_run=True))
    (led,) = children_of(deep, Link("item", "/a", once_per_run=True, parent={"a": 1}))
    assert (plain.payload.page, led.payload.page) == (2, 6)


def test_a_link_that_is_not_followed_hides_none_behind_it() -> None:
    long, cycle = Link("item", "http://h/".ljust(70_000, "x")), Link("list", "/list.html")
    assert [child.payload.locator.url for child in children_of(page(), long, cycle, Link("item", "/a"))] == [
        "/a"
    ]


def test_links_of_a_crawl_end_at_its_depth_without_a_warning() -> None:
    link = Link("list", "/a", once_per_run=True, bounds=LinkBounds(depth=2))
    (first,) = children_of(page(), link)
    assert first.payload.depth == 1
    (item,) = children_of(first.payload, Link("item", "/b", once_per_run=True))
    assert item.payload.depth == 1, "other links lead no deeper into the crawl"
    (second,) = children_of(item.payload, Link("list", "/c", once_per_run=True, bounds=LinkBounds(depth=2)))
    children, warnings = ChildJobs(lambda url: "h:80", 9).make("2" * 32, second.payload, [link])
    assert (second.payload.depth, children, warnings) == (2, (), ())


def test_a_pagination_ends_at_its_last_page_and_another_link_begins_a_new_one() -> None:
    first, last = page(), Link("list", "/4", once_per_run=True, bounds=LinkBounds(pages=3))
    (second,) = children_of(first, Link("list", "/2", once_per_run=True, bounds=LinkBounds(pages=3)))
    (third,) = children_of(second.payload, Link("list", "/3", once_per_run=True, bounds=LinkBounds(pages=3)))
    assert children_of(third.payload, last) == []
    (other,) = children_of(third.payload, Link("list", "/other/1", once_per_run=True))
    assert [each.payload.number for each in (second, third, other)] == [1, 2, 0]
    assert len(children_of(other.payload, last)) == 1


def test_only_the_next_page_of_a_list_that_ends_by_its_items_knows_the_items_before() -> None:
    def seen_by(end: ListEnd) -> bytes:
        link = Link("list", "/2", once_per_run=True, bounds=LinkBounds(end=end))
        items = [Data("ad", (Item((), ("one",), (1,)),))]
        (child,), _ = ChildJobs(lambda _: "h:80", 9).make(SEED, page(), [link], items=items)
        return child.payload.seen

    assert len(seen_by(ListEnd(no_new=True))) == ITEM_BYTES
    assert seen_by(ListEnd(older_than="2026-01-01")) == b""


def test_a_list_ends_at_the_first_page_without_new_items_and_other_links_are_followed() -> None:
    def link(url: str) -> Link:
        return Link("list", url, once_per_run=True, bounds=LinkBounds(end=ListEnd(no_new=True)))

    items, jobs = [Data("ad", (Item((), ("one",), (1,)),))], ChildJobs(lambda _: "h:80", 9)
    (second,), _ = jobs.make(SEED, page(), [link("/2")], items=items)
    rest, warnings = jobs.make(second.id, second.payload, [link("/3"), Link("item", "/a")], items=items)
    assert ([child.payload.locator.url for child in rest], warnings) == (["/a"], ())


def test_each_fragment_is_a_page_of_its_own_where_a_browser_loads_it() -> None:
    links = [Link("list", f"http://h/#/{name}", once_per_run=True) for name in ("a", "b", "a")]
    in_browser = ChildJobs(lambda _: "h:80", 9, fragment_groups={"list"})
    children, _ = in_browser.make(SEED, page("http://h/"), links)
    assert [child.payload.locator.url for child in children] == ["http://h/#/a", "http://h/#/b"]
    back = JobPayload(Locator("shop", "list", "http://h/#/a"), SEED, 2, children[0].payload.ancestors)
    again, _ = in_browser.make(SEED, back, [Link("list", "http://h/#/a"), Link("list", "http://h/#/b")])
    assert [child.payload.locator.url for child in again] == ["http://h/#/b"], "a cycle ends"
    (plain,), _ = ChildJobs(lambda _: "h:80", 9).make(SEED, page("http://h/x"), links)
    assert plain.payload.locator.url == "http://h/"


def test_a_malformed_link_of_a_web_page_becomes_a_job_whose_loader_reports_it() -> None:
    hosts = ChildJobs(lambda url: "file" if "[" in url else "site:80", 9)
    web = JobPayload(Locator("shop", "list", "http://site/"), SEED)
    children, warnings = hosts.make(SEED, web, [Link("item", "http://[broken/")])
    assert [child.payload.locator.url for child in children] == ["http://[broken/"]
    assert warnings == ()


@pytest.mark.parametrize(("max_depth", "count"), [(1, 0), (2, 1)])
def test_the_last_page_of_a_chain_is_the_one_of_the_longest_length(max_depth: int, count: int) -> None:
    assert len(children_of(page(), Link("item", "/a"), max_depth=max_depth)) == count


def test_the_id_of_a_child_is_that_of_its_link_and_occurrence_in_every_version() -> None:
    """A run that is continued by a later version must not read its pages a second time."""
    children = children_of(page(), Link("item", "/a"), Link("item", "/b"), Link("item", "/a"))
    ids = [link_id(SEED, "item", url, occurrence) for url, occurrence in (("/a", 0), ("/b", 0), ("/a", 1))]
    assert [child.id for child in children] == ids


def test_links_that_are_too_deep_are_counted_and_hide_none_that_begins_at_the_seed_again() -> None:
    children, warnings = ChildJobs(lambda url: "file", 2).make(
        "2" * 32,
        JobPayload(Locator("shop", "list", "/2"), SEED, 2),
        [Link("item", "/a"), Link("item", "/b"), Link("item", "/c", once=True)],
    )
    assert [child.payload.locator.url for child in children] == ["/c"]
    assert [each.message for each in warnings] == [
        "2 links deeper than scoopi.link.maxDepth (2) are not followed"
    ]


def test_links_to_local_files_and_beyond_a_bound_hide_none_behind_them() -> None:
    hosts = ChildJobs(lambda url: "site:80" if url.startswith("http:") else "file", 9)
    web = JobPayload(Locator("shop", "list", "http://site/"), SEED, depth=1)
    beyond = Link("list", "http://site/2", bounds=LinkBounds(depth=1))
    children, _ = hosts.make(SEED, web, [beyond, Link("item", "file:///a"), Link("item", "http://site/b")])
    assert [child.payload.locator.url for child in children] == ["http://site/b"]


@pytest.mark.parametrize("is_public", [False, True])
def test_links_of_a_public_page_must_lead_to_public_hosts(is_public: bool) -> None:
    children, _ = ChildJobs(lambda _: "h:80", 9).make(
        SEED, page("http://h/"), [Link("item", "http://h/a")], is_public
    )
    assert [child.payload.public_only for child in children] == [is_public]
    (unknown,), _ = ChildJobs(lambda _: "h:80", 9).make(SEED, page("http://h/"), [Link("item", "http://h/a")])
    assert not unknown.payload.public_only
