"""The short form of the rounds: whatever is killed, the rows come out once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.flaky_site import FlakySite, each
from tests.reliability.process import alive
from tests.reliability.rounds import BLOWS, PromiseBrokenError, Round, play_blows, play_round
from tests.reliability.world import World, build_world, read_rows
from tests.server.server import Server

SHELVES, PACKETS = 120, 3


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build_world(tmp_path_factory.mktemp("world"), SHELVES, PACKETS)


@pytest.mark.parametrize("blow", BLOWS)
def test_a_run_that_is_hit_early_is_finished_with_each_row_once(
    world: World, tmp_path: Path, blow: str
) -> None:
    source = random.Random(f"early {blow}")
    Round(world, tmp_path, source, workers=2).play([blow, blow], most_delay_s=0.7)


@pytest.mark.parametrize("seed", ["short/1", "short/2", "short/3"])
def test_a_run_that_is_hit_now_and_then_is_finished_with_each_row_once(
    world: World, tmp_path: Path, seed: str
) -> None:
    result = play_round(world, tmp_path / "round", seed, workers=2, most_delay_s=1.5)
    assert result.blows


def test_the_world_has_the_rows_that_its_pages_hold(world: World) -> None:
    assert world.jobs == SHELVES * (1 + PACKETS)
    assert world.rows.total() == SHELVES * (1 + PACKETS * 5 * 3)
    assert max(world.rows.values()) == 1


def test_rows_are_compared_as_they_stand_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("a|b\na|b\nc|d\n")
    assert read_rows(tmp_path) == {"a|b": 2, "c|d": 1}
    assert alive([]) == []


@pytest.fixture
def flapping(tmp_path: Path) -> Iterator[World]:
    """A site whose every third answer is 503."""
    with Server(FlakySite(tmp_path / "world" / "pages", each(3))) as server:
        yield build_world(tmp_path / "world", 40, PACKETS, server.url(""))


@pytest.mark.parametrize("blow", ["kill parent", "kill worker", "SIGTERM", "SIGINT twice"])
def test_a_run_over_a_flapping_site_that_is_hit_is_finished_with_each_row_once(
    flapping: World, tmp_path: Path, blow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOOPI_LOADER_FETCH_DELAY", "5")
    monkeypatch.setenv("SCOOPI_LOADER_FETCH_ERRORDELAY", "20")
    monkeypatch.setenv("SCOOPI_RETRY_DELAY", "50")
    monkeypatch.setenv("SCOOPI_RETRY_ATTEMPTS", "50")
    source = random.Random(f"flapping {blow}")
    Round(flapping, tmp_path, source, workers=2).play([blow, blow, blow], most_delay_s=1.5)


def test_rounds_say_what_met_a_run_and_keep_the_folder_of_one_that_was_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(number: int, folder: Path) -> Counter[str]:
        folder.mkdir(parents=True)
        if number == 2:
            raise PromiseBrokenError("a row is lost")
        return Counter({"kill worker": number, "kill parent": 1})

    assert not play_blows(tmp_path / "wrong", 3, play)
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["round 0: exact, kill parent", "round 1: exact, kill worker, kill parent"]
    assert "round 2: WRONG: PromiseBrokenError: a row is lost" in said[2]
    assert said[3] == "2 of 3 exact"
    assert said[4].endswith(" s; 2 × kill parent, 1 × kill worker")
    assert [each.name for each in (tmp_path / "wrong").iterdir()] == ["round-2"]
    assert play_blows(tmp_path / "exact", 2, play)
    assert not (tmp_path / "exact").exists()
