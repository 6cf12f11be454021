"""ChangeState: records of a run in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import AppenderError
from scoopi.publishing.changes.change_state import ChangeState, StateHeader

ABOUT = StateHeader("/defs", "", 12.5)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Two records of the stream `books`."""
    with ChangeState(tmp_path / "base.db", is_new=True) as state:
        assert not state.begin_stream("books", ["title", "price"], ["title"])
        assert state.add("books", (b"r", b"1", "job", ["Rye", "1"]), "new")
        assert state.add("books", (b"o", b"2", "job", ["Oat", "2"]), "new")
        state.complete(ABOUT)
    return tmp_path / "base.db"


def test_what_was_completed_can_be_read(base: Path) -> None:
    with ChangeState(base) as state:
        assert state.about() == ABOUT


def test_a_state_that_was_not_completed_cannot(tmp_path: Path) -> None:
    with ChangeState(tmp_path / "new.db", is_new=True) as state:
        state.begin_stream("books", ["title"], ["title"])
    with pytest.raises(AppenderError, match="cannot be read"):
        ChangeState(tmp_path / "new.db")


def test_a_stream_is_compared_by_its_key(tmp_path: Path, base: Path) -> None:
    with ChangeState(tmp_path / "new.db", base, is_new=True) as state:
        assert state.begin_stream("books", ["title"], ["title"])
        assert not state.begin_stream("others", ["title"], ["title"])
        assert state.base_digest("books", b"r") == b"1"
        assert state.base_digest("books", b"x") is None
        assert state.base_digest("others", b"r") is None
    with ChangeState(tmp_path / "newer.db", base, is_new=True) as state:
        assert not state.begin_stream("books", ["title", "price"], ["price"])


def test_the_first_record_of_a_key_stays(tmp_path: Path) -> None:
    with ChangeState(tmp_path / "new.db", is_new=True) as state:
        assert state.add("books", (b"r", b"1", "job", ["Rye"]), "changed")
        assert not state.add("books", (b"r", b"2", "job", ["Rye"]), "new")
        assert state.known("books", b"r") == (b"1", "changed", ["Rye"])


def test_records_of_the_base_that_are_not_read_again_are_found_with_their_values(
    tmp_path: Path, base: Path
) -> None:
    with ChangeState(tmp_path / "new.db", base, is_new=True) as state:
        state.add("books", (b"r", b"9", "job", ["Rye", "9"]), "changed")
        (known,) = state.unseen("books")
    assert known == (b"o", b"2", "job", {"title": "Oat", "price": "2"})


def test_records_are_replaced_by_those_of_the_base(tmp_path: Path, base: Path) -> None:
    new = tmp_path / "new.db"
    with ChangeState(new, base, is_new=True) as state:
        state.begin_stream("books", ["title"], ["title"])
        state.add("books", (b"x", b"9", "job", ["Bran"]), "new")
        state.restore("books")
        state.complete(ABOUT)
    with ChangeState(tmp_path / "newer.db", new, is_new=True) as state:
        assert {known.row["title"] for known in state.unseen("books")} == {"Rye", "Oat"}
