"""`cancel` asks the nodes of a run to shut down, and says whether there was something to stop."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi import run_control


@pytest.mark.parametrize(
    ("asked", "said"),
    [(True, "its nodes are shutting down"), (False, "nothing to stop, it has finished")],
)
def test_the_run_is_cancelled_in_its_cluster(
    screen: Any, monkeypatch: pytest.MonkeyPatch, asked: bool, said: str
) -> None:
    calls: list[Any] = []

    def cancel(run: str, settings: dict[str, str], **given: Any) -> bool:
        calls.append((run, settings))
        return asked

    monkeypatch.setattr(run_control, "cancel_run", cancel)
    assert screen.run("cancel", "shop", "--cluster", "h:5701", "-D", "scoopi.cluster.name=c") == 0
    assert screen.err.getvalue() == f"run shop: {said}\n"
    ((run, settings),) = calls
    assert (run, settings["scoopi.cluster.addresses"], settings["scoopi.cluster.name"]) == (
        "shop",
        "h:5701",
        "c",
    )


def test_a_run_is_named(screen: Any) -> None:
    assert screen.run("cancel", "--cluster", "h:5701") == 2
    assert "RUN" in screen.err.getvalue()
