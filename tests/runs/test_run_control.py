"""run_control: what is asked of runs from outside, as a program asks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.app import Scoopi
from scoopi.errors import UsageError
from scoopi.run_control import cancel_run, cluster_figures, forget_run, politeness, rows_of_run

DEFINITIONS = """\
locatorGroups: { list: page.html }
taskGroups: { list: { cards: { dataDef: card, output: cards.csv } } }
dataDefs: { card: { each: li, fields: { title: b, stock: { select: i, type: integer } } } }
"""


@pytest.fixture
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The output folder of two runs."""
    monkeypatch.chdir(tmp_path)
    Path("defs.yml").write_text(DEFINITIONS)
    for title in ("Rye", "Oat"):
        Path("page.html").write_text(f"<li><b>{title}</b><i>3</i>")
        Scoopi(Path("defs.yml"), {"scoopi.workers": 0}, environ={}).run()
    return tmp_path / "output"


def ids(output: Path) -> list[str]:
    """The names of the folders of the two runs, which may begin with the same second."""
    return [path.parent.name for path in output.glob("[!.]*/.scoopi") if not path.parent.is_symlink()]


def records(output: Path, run: str | None) -> list[dict[str, object]]:
    with rows_of_run(run, None, {}, output=output, environ={}) as reader:
        assert reader.is_over()
        return [*reader.records()]


def test_rows_are_those_of_the_run_that_was_started_last_or_of_the_named_one(output: Path) -> None:
    (rye,) = (run for run in ids(output) if records(output, run)[0]["title"] == "Rye")
    (oat,) = (run for run in ids(output) if run != rye)
    assert records(output, None) == records(output, oat) == records(output, str(output / oat))
    assert records(output, None) == [{"title": "Oat", "stock": 3}]


def test_a_run_that_there_is_not_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no run in .*; name the folder of a run"):
        rows_of_run(None, None, {}, output=tmp_path, environ={})
    with pytest.raises(UsageError, match=r"r9: there is no such run; give its folder, or its id"):
        rows_of_run("r9", None, {}, output=tmp_path, environ={})
    with pytest.raises(UsageError, match="there is no run r9"):
        politeness(["r9"], tmp_path)


def test_what_only_a_cluster_knows_needs_the_name_of_one() -> None:
    for ask in (cluster_figures, cancel_run, forget_run):
        with pytest.raises(UsageError, match="cluster"):
            ask("shop", {}, environ={})
