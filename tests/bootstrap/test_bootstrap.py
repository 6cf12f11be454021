"""Bootstrap: what it opens for a new and a resumed run, what it refuses, and what it leaves behind then."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scoopi.bootstrap.boot_module import bootstrap_for
from scoopi.bootstrap.bootstrap import Bootstrap
from scoopi.bootstrap.wiring.modules import OpenedRun
from scoopi.errors import AppenderError, RecordError, RunError, StoppedError, UsageError
from scoopi.model.inputs import Inputs
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.runs.folders.run_folder import RunFolder
from scoopi.runs.run_request import RunRequest
from scoopi.store.runs.run_record import RunRecord
from tests.bootstrap.wired_run import DEFINITIONS

CSV = "plugins: [ plugin: { name: csv, class: CsvEncoder } ]"
FILES = ", ".join(
    f"plugin: {{ name: {name}, class: FileAppender, file: {name}.txt, {CSV} }}" for name in "ab"
)
TWO_FILES = (
    "steps: { jsoupDefault: { appender: "
    f"{{ class: DataAppender, previous: filter, next: end, plugins: [ {FILES} ] }} }} }}"
)


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a request for a run in the test's folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "defs.yml").write_text(DEFINITIONS)

    def made(**more: Any) -> RunRequest:
        return RunRequest(**{"defs": Path("defs.yml"), "output": tmp_path / "output", "workers": "0", **more})

    return made


@contextmanager
def booted(request: RunRequest) -> Iterator[Bootstrap]:
    with bootstrap_for(request) as bootstrap:
        yield bootstrap


def begin(request: RunRequest) -> Path:
    """Compose a run and leave it unfinished; its folder."""
    with booted(request) as bootstrap:
        assert isinstance(bootstrap.open(), OpenedRun)
    (folder,) = (path for path in request.output.iterdir() if path.is_dir() and not path.is_symlink())
    return folder


def test_a_new_run_has_a_folder_with_a_visible_name_once_it_is_complete(request_of: Any) -> None:
    folder = begin(request_of())
    assert not folder.name.startswith(".")
    with RunFolder.open(folder) as opened:
        assert not opened.state().over
        assert opened.store_file.exists()


def test_what_it_has_opened_is_closed_so_that_the_run_can_be_resumed(request_of: Any) -> None:
    folder = begin(request_of())
    for run in (None, folder.name, str(folder)):
        with booted(request_of(defs=None, run=run)) as bootstrap:
            assert isinstance(bootstrap.open(), OpenedRun)
            with pytest.raises(RunError), RunFolder.open(folder):
                pass  # it is locked meanwhile


def test_there_is_nothing_to_resume_in_a_folder_without_runs(request_of: Any) -> None:
    for failed in ("", "unfinished", "finished"):
        with booted(request_of(defs=None, failed=failed)) as bootstrap:
            assert bootstrap.open() is None


def test_a_run_that_does_not_exist_is_named(request_of: Any) -> None:
    with (
        booted(request_of(defs=None, run="2026-nothing")) as bootstrap,
        pytest.raises(UsageError, match="there is no such run") as raised,
    ):
        bootstrap.open()
    assert raised.value.at == "2026-nothing"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"run": "shop"}, "--run names a run of a cluster"),
        ({"discard_lost": True}, "--discard-lost is for runs"),
    ],
)
def test_options_of_a_cluster_are_refused_on_one_machine_and_no_folder_is_made(
    request_of: Any, more: dict[str, Any], words: str
) -> None:
    request = request_of(**more)
    with booted(request) as bootstrap, pytest.raises(UsageError, match=words):
        bootstrap.open()
    assert not request.output.exists()


def test_a_run_that_is_stopped_before_its_definitions_are_read_has_a_report_only(
    request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise StoppedError

    monkeypatch.setattr("scoopi.bootstrap.bootstrap.DefsComposer.compose", stopped)
    request = request_of()
    with booted(request) as bootstrap:
        report = bootstrap.open()
    assert isinstance(report, RunReport)
    assert (report.status, report.rows) == (RunStatus.STOPPED, {})
    assert not request.output.exists()


@pytest.mark.parametrize("stdout", [None, io.BytesIO()])
def test_rows_go_to_stdout_if_it_is_open_and_there_is_one_output(
    request_of: Any, stdout: io.BytesIO | None
) -> None:
    with booted(request_of(to_stdout=True, stdout=stdout)) as bootstrap:
        if stdout is not None:
            assert isinstance(bootstrap.open(), OpenedRun)
        else:
            with pytest.raises(AppenderError, match="stdout is closed"):
                bootstrap.open()


def test_several_outputs_need_a_folder(request_of: Any, tmp_path: Path) -> None:
    defs = DEFINITIONS.replace("dataDef: titles }", f"dataDef: titles, {TWO_FILES} }}")
    (tmp_path / "defs.yml").write_text(defs)
    with (
        booted(request_of(to_stdout=True, stdout=io.BytesIO())) as bootstrap,
        pytest.raises(UsageError, match=r"these have 2 \(a.txt, b.txt\)"),
    ):
        bootstrap.open()


def test_a_folder_that_cannot_be_made_is_named_with_the_reason(request_of: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        booted(request_of(output=tmp_path / "file")) as bootstrap,
        pytest.raises(RunError, match="the output folder cannot be written: File exists") as raised,
    ):
        bootstrap.open()
    assert raised.value.at == str(tmp_path / "file")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_folder_that_was_half_made_is_removed(
    request_of: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(RunFolder, "write_state", fails)
    request = request_of()
    expected = RunError if isinstance(error, OSError) else KeyboardInterrupt
    with booted(request) as bootstrap, pytest.raises(expected):
        bootstrap.open()
    assert not request.output.exists()


def test_a_run_whose_store_was_replaced_is_lost_and_not_begun_again(request_of: Any) -> None:
    folder, other = begin(request_of()), begin(request_of(output=Path("other")))
    with RunFolder.open(folder) as one, RunFolder.open(other) as two:
        one.store_file.write_bytes(two.store_file.read_bytes())
    with booted(request_of(defs=None)) as bootstrap, pytest.raises(RunError):
        bootstrap.open()


def test_a_damaged_record_of_a_run_is_an_error_of_its_store(
    request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begin(request_of())

    def damaged(_: RunRecord) -> None:
        raise RecordError("the record is not one of Scoopi's", at="run/run")

    monkeypatch.setattr(RunRecord, "read", damaged)
    with (
        pytest.raises(RunError, match="the run's store is damaged: the record is not") as raised,
        booted(request_of(defs=None)) as bootstrap,
    ):
        bootstrap.open()
    assert str(folder) in raised.value.at
    assert "run/run" in raised.value.at


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_run_is_resumed_with_the_inputs_that_it_was_begun_with_or_not_at_all(
    request_of: Any, tmp_path: Path, is_changed: bool
) -> None:
    (tmp_path / "defs.yml").write_text(DEFINITIONS.replace("/one.html", "/%{input.PAGE}.html"))
    begin(request_of(inputs=Inputs({"PAGE": "one"})))
    inputs = Inputs({"PAGE": "two" if is_changed else "one"})
    with booted(request_of(defs=None, inputs=inputs)) as bootstrap:
        if is_changed:
            with pytest.raises(UsageError, match="the input PAGE is 'two', and was 'one'"):
                bootstrap.open()
        else:
            assert isinstance(bootstrap.open(), OpenedRun)
