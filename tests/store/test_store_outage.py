"""StoreOutage: an outage is logged when it begins and when it is over."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from scoopi.errors import RecordError, StoreError
from scoopi.store import store_outage
from scoopi.store.store_outage import StoreOutage

AWAY = StoreError("the store is away", hint="is it running?")


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> StoreOutage:
    """That of a monitor, whose rounds are 4 s apart."""
    caplog.set_level(logging.WARNING)
    times = iter(range(100, 200, 4))
    monkeypatch.setattr(store_outage, "time", SimpleNamespace(monotonic=lambda: float(next(times))))
    return StoreOutage.of("monitor")


def ask(outage: StoreOutage, *, is_away: bool) -> None:
    with outage.retried_next_round():
        if is_away:
            raise AWAY
        outage.over()


def test_an_outage_of_many_rounds_is_logged_once_with_its_end(
    outage: StoreOutage, caplog: pytest.LogCaptureFixture
) -> None:
    for is_away in (False, True, True, True, False, False, True):
        ask(outage, is_away=is_away)
    assert caplog.messages == [
        "monitor: the store failed, retrying: the store is away",
        "monitor: the store answers again after 4 s",
        "monitor: the store failed, retrying: the store is away",
    ]


def test_further_failures_are_for_those_who_ask_for_details(
    outage: StoreOutage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ask(outage, is_away=True)
    ask(outage, is_away=True)
    assert [each.levelname for each in caplog.records] == ["WARNING", "DEBUG"]


def test_a_round_that_asks_nothing_does_not_end_an_outage(
    outage: StoreOutage, caplog: pytest.LogCaptureFixture
) -> None:
    ask(outage, is_away=True)
    with outage.retried_next_round():
        pass
    ask(outage, is_away=True)
    assert caplog.messages == ["monitor: the store failed, retrying: the store is away"]


def test_a_record_that_cannot_be_decoded_ends_the_loop(outage: StoreOutage) -> None:
    with pytest.raises(RecordError), outage.retried_next_round():
        raise RecordError("not a record")
