"""CallPipeline: how many calls are in flight, and what is said when one fails, over a client of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NoReturn

import pytest

from scoopi.errors import StoreError
from scoopi.store.cluster.call_pipeline import WIDTH, CallPipeline


class Client:
    """Answers a call when its answer is waited for; counts those in flight."""

    def __init__(self) -> None:
        self.in_flight = 0
        self.at_each_call: list[int] = []
        self.log: list[str] = []
        self.faults: dict[int, Exception] = {}
        self.silent: set[int] = set()
        self.refused_for: BaseException | None = None
        self._numbers: dict[Future[int], int] = {}

    def call(self, number: int) -> Callable[[], Future[int]]:
        def sent() -> Future[int]:
            self.at_each_call.append(self.in_flight)
            self.in_flight += 1
            future: Future[int] = Future()
            self._numbers[future] = number
            return future

        return sent

    def has_come(self, future: Future[int]) -> bool:
        number = self._numbers[future]
        if number in self.silent:
            return False
        self.in_flight -= 1
        if number in self.faults:
            future.set_exception(self.faults[number])
        else:
            future.set_result(number)
        return True

    def ensure_majority(self) -> None:
        self.log.append("ensured")

    def answered(self) -> None:
        self.log.append("answered")

    def refuse(self, what: str, fault: BaseException | None = None) -> NoReturn:
        self.refused_for = fault
        raise StoreError(what)


@pytest.fixture
def client() -> Any:
    return Client()


@pytest.mark.parametrize("number", [0, 1, 7, WIDTH - 1, WIDTH, WIDTH + 1, 3 * WIDTH + 5])
def test_answers_come_in_the_order_of_the_calls(client: Any, number: int) -> None:
    answers = CallPipeline(client).answers("put", map(client.call, range(number)))
    assert answers == [*range(number)]
    assert client.in_flight == 0


def test_a_full_pipeline_is_refilled_when_half_of_it_has_come_back(client: Any) -> None:
    CallPipeline(client).answers("put", map(client.call, range(3 * WIDTH)))
    assert max(client.at_each_call) == WIDTH - 1, "one more than allowed is in flight"
    assert min(client.at_each_call[WIDTH:]) == WIDTH // 2


def test_the_majority_is_looked_for_before_the_calls_and_after_the_answers(client: Any) -> None:
    assert CallPipeline(client).answer("get", client.call(3)) == 3
    assert client.log == ["ensured", "answered", "ensured"]


def test_an_unguarded_pipeline_asks_for_no_majority(client: Any) -> None:
    assert CallPipeline(client, guarded=False).answer("get", client.call(3)) == 3
    assert client.log == ["answered"]


def test_a_failed_call_is_refused_when_those_sent_with_it_were_waited_for(client: Any) -> None:
    client.faults = {2: ValueError("the first"), 5: ValueError("the second")}
    with pytest.raises(StoreError, match=r"^put$"):
        CallPipeline(client).answers("put", map(client.call, range(9)))
    assert client.in_flight == 0
    assert str(client.refused_for) == "the first"
    assert client.log == ["ensured"], "what failed is no sign of life"


def test_a_call_without_an_answer_is_refused(client: Any) -> None:
    client.silent = {4}
    with pytest.raises(StoreError, match="put: no answer in time"):
        CallPipeline(client).answers("put", map(client.call, range(9)))
