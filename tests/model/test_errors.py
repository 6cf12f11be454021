"""Errors: one text of what, where and the hint, the same on each side of a process."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator

import pytest

from scoopi import errors
from scoopi.errors import BootError, FetchError, LoadFault, ScoopiError, StepError, StoreError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ScoopiError("wrong"), "wrong"),
        (ScoopiError("wrong", at="a.yml:3:1"), "a.yml:3:1: wrong"),
        (ScoopiError("wrong", hint="do this"), "wrong; do this"),
        (ScoopiError("wrong", at="a.yml", hint="do this", cause="c"), "a.yml: wrong; do this"),
    ],
)
def test_a_text_has_where_what_and_the_hint(error: ScoopiError, text: str) -> None:
    assert str(error) == text


def test_errors_are_grouped_by_their_cause_which_is_the_fault_itself_by_default() -> None:
    assert ScoopiError("page 7 is gone", cause="gone").cause == "gone"
    assert ScoopiError("gone").cause == "gone"


def kinds() -> Iterator[type[ScoopiError]]:
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, ScoopiError):
            yield kind


@pytest.mark.parametrize("kind", [*kinds()])
def test_an_error_is_the_same_behind_a_pipe(kind: type[ScoopiError]) -> None:
    error = kind("wrong", at="here", hint="do this", cause="c")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), copy.cause, copy.args) == (str(error), "c", error.args)


def test_what_a_failed_load_says_of_its_host_comes_along() -> None:
    error = FetchError("gone", fault=LoadFault("status 503", True, 503, 7.0))
    error.cookies = ("a=b",)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.fault, copy.cookies) == (error.fault, ("a=b",))
    assert FetchError("gone").fault == LoadFault()


def test_the_branch_of_an_error_decides_what_stops() -> None:
    branches = (BootError, StepError, StoreError)
    for kind in kinds():
        assert sum(issubclass(kind, branch) for branch in branches) <= 1
