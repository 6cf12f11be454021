"""HostShareDivision: with a delay one node has the host, without one the permits are divided evenly."""

from __future__ import annotations

from scoopi.configs.groups import FetchLimits
from scoopi.politeness.host_share_choice import HostShareDivision, HostShareDivisions
from scoopi.politeness.host_share_memory import HostRecord, HostShare


def permits(record: HostRecord) -> dict[str, int]:
    return {node: share.permits for node, share in record.shares.items()}


def test_a_delayed_host_belongs_to_one_node_with_all_its_permits() -> None:
    division = HostShareDivision(3, 500)
    record = division.settled(HostRecord(asks=("bob", "ann")))
    assert permits(record) == {"bob": 3}, "the first that asked"
    assert record.shares["bob"] == HostShare(500, 3)
    assert record.asks == ("ann",)
    assert division.free(record) == 0
    assert division.is_crowded(record)
    assert division.settled(record) == record


def test_permits_without_delay_are_divided_evenly() -> None:
    division = HostShareDivision(5, 0)
    record = division.settled(HostRecord(asks=("ann", "bob")))
    assert permits(record) == {"ann": 3, "bob": 2}
    assert (division.free(record), division.is_crowded(record)) == (0, False)
    assert permits(division.settled(record.without({"ann"}))) == {"bob": 5}, "what is free is handed out"


def test_a_node_gets_no_permit_that_another_still_has() -> None:
    division = HostShareDivision(4, 0)
    record = HostRecord(shares={"ann": HostShare(0, 4)}).asked_by("bob")
    assert division.part(record, "bob") == 2
    assert permits(division.settled(record)) == {"ann": 4}
    assert division.settled(record).asks == ("bob",)


def test_more_nodes_than_permits_leave_some_waiting() -> None:
    division = HostShareDivision(2, 0)
    record = division.settled(HostRecord(asks=("cid", "ann", "bob")))
    assert permits(record) == {"cid": 1, "ann": 1}
    assert division.is_crowded(record)


def test_hosts_with_the_same_limits_are_divided_alike() -> None:
    divisions = HostShareDivisions(FetchLimits(2, 0), lambda host: 0.0)
    assert divisions.of("a:80") is divisions.of("b:80")


def test_a_crawl_delay_makes_a_host_without_delay_one_of_a_single_node() -> None:
    divisions = HostShareDivisions(FetchLimits(2, 0), lambda host: 1.5)
    assert (divisions.of("a:80").places, divisions.of("a:80").gap_ms) == (1, 1500)


def test_of_nodes_that_got_permits_before_the_delay_was_known_one_keeps_the_host() -> None:
    record = HostRecord(shares={"bob": HostShare(0, 1), "ann": HostShare(0, 1)})
    assert [HostShareDivision(2, 1500).has_place(record, node) for node in ("ann", "bob")] == [True, False]
    assert [HostShareDivision(2, 0).has_place(record, node) for node in ("ann", "bob")] == [True, True]
