"""Notifications wake the listeners of a state folder, and never block their senders."""

from __future__ import annotations

import os
import select
from pathlib import Path

from scoopi.serve.wake_ups import WakeUp, notify_all


def is_woken(wake_up: WakeUp) -> bool:
    return bool(select.select([wake_up], [], [], 0)[0])


def test_a_notification_wakes_every_listener_but_the_one_that_is_left_out(tmp_path: Path) -> None:
    one, other = WakeUp(tmp_path, "one"), WakeUp(tmp_path, "other")
    notify_all(tmp_path, but="one")
    assert (is_woken(one), is_woken(other)) == (False, True)
    other.clear()
    assert not is_woken(other)
    one.notify()
    assert is_woken(one)
    one.close()
    other.close()


def test_pipes_that_nobody_listens_to_are_skipped(tmp_path: Path) -> None:
    notify_all(tmp_path)
    dead, live = WakeUp(tmp_path, "dead"), WakeUp(tmp_path, "live")
    kept = (tmp_path / "wake/dead").rename(tmp_path / "kept")
    dead.close()
    kept.rename(tmp_path / "wake/dead")
    notify_all(tmp_path)
    assert is_woken(live)
    live.close()


def test_a_notification_after_the_close_writes_to_no_other_file(tmp_path: Path) -> None:
    wake_up = WakeUp(tmp_path, "one")
    descriptor = wake_up.fileno()
    with (tmp_path / "other").open("wb") as other:
        wake_up.close()
        os.dup2(other.fileno(), descriptor)
        wake_up.notify()
        os.close(descriptor)
    assert (tmp_path / "other").read_bytes() == b""


def test_notifications_that_nobody_clears_block_nobody(tmp_path: Path) -> None:
    wake_up = WakeUp(tmp_path, "one")
    for _ in range(70_000):
        wake_up.notify()
    notify_all(tmp_path)
    wake_up.clear()
    assert not is_woken(wake_up)
    wake_up.close()
