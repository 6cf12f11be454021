"""Notifications wake the listeners of a state folder, and never block their senders."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from pathlib import Path

from scoopi.serve.wake_ups import WakeUp, is_listening, notify_all


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


def test_a_process_listens_from_the_making_of_its_pipe_to_its_close(tmp_path: Path) -> None:
    assert not is_listening(tmp_path, "host/1")
    wake_up = WakeUp(tmp_path, "host/1")
    assert is_listening(tmp_path, "host/1")
    assert not is_listening(tmp_path, "host/2")
    assert not is_woken(wake_up), "asking wakes nobody"
    wake_up.close()
    assert not is_listening(tmp_path, "host/1")
    assert list((tmp_path / "wake").iterdir()) == []


def test_a_pipe_that_a_killed_process_left_has_no_listener_until_it_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "wake").mkdir()
    os.mkfifo(tmp_path / "wake/host_1")
    assert not is_listening(tmp_path, "host/1")
    wake_up = WakeUp(tmp_path, "host/1")
    notify_all(tmp_path, but="host/2")
    assert is_woken(wake_up)
    wake_up.clear()
    notify_all(tmp_path, but="host/1")
    assert not is_woken(wake_up)
    wake_up.close()


def test_pipes_are_open_to_their_owner_only_and_closed_in_other_programs(tmp_path: Path) -> None:
    wake_up = WakeUp(tmp_path, "one")
    modes = [each.stat().st_mode & 0o777 for each in (tmp_path / "wake", tmp_path / "wake/one")]
    assert modes == [0o700, 0o600]
    assert not os.get_inheritable(wake_up.fileno())
    wake_up.close()


def test_changes_that_the_store_reports_wake_the_listener_until_it_is_closed(tmp_path: Path) -> None:
    heard: list[Callable[[], object]] = []
    events: list[str] = []

    class Listener:
        def close(self) -> None:
            events.append("closed")

    def listen(callback: Callable[[], object]) -> Listener:
        heard.append(callback)
        return Listener()

    wake_up = WakeUp(tmp_path, "one", listen)
    assert not is_woken(wake_up)
    heard[0]()
    assert is_woken(wake_up)
    wake_up.clear()
    wake_up.close()
    assert events == ["closed"]
    heard[0]()  # one that was under way
