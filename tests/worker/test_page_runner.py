"""PageRunner: what comes of a page's tasks, whatever their steps do."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import msgspec
import pytest

from scoopi.errors import DisallowedError, FetchError, LoadFault, StepError
from scoopi.model.data import Axis, Data, Item, LinkData
from scoopi.model.downloads import FileRequest
from scoopi.model.failure import LONGEST_MESSAGE, Failure
from scoopi.model.handover import Handover, Part, Payload, ToAppender, ToFiles, ToGrant, ToJobs, ToTask
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Document, Link, Locator
from scoopi.model.records import Records
from scoopi.model.scrape.task_def import TaskDef
from scoopi.steps.step import Step
from scoopi.worker.crash_marker import CrashMarker, RunningTask
from scoopi.worker.downloads.page_outcome import PausedPage
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import Result, WorkItem
from scoopi.worker.page_runner import PageRunner, TaskAbandonedError
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain

PAGE = object()
URL = "http://here.example/page"


class Does(Step):
    """A step that does what the test wants."""

    def __init__(self, run: Callable[[Payload], Handover]) -> None:
        self._run = run

    def run(self, payload: Payload) -> Handover:
        return self._run(payload)


def rows(output: str, count: int, warnings: tuple[Failure, ...] = ()) -> Step:
    """Appends `count` rows to an output."""
    return Does(lambda _: ToAppender((Part(output, count, b"row\n" * count),), warnings))


def raises(error: BaseException) -> Step:
    def run(_: Payload) -> Handover:
        raise error

    return Does(run)


def chain(task: str, *steps: Step) -> TaskChain:
    named = tuple(ChainStep(f"step{at}", step, f"town.yml:{at}:1") for at, step in enumerate(steps, 1))
    return TaskChain(TaskDef("towns", task, "town", ()), named)


class Harness:
    """A runner of these chains."""

    def __init__(self, *chains: TaskChain, fault: str | None = None) -> None:
        self.marker = CrashMarker(-1)
        self.found = FoundValues({}, frozenset())
        plan = GroupPlan(chains, "loader", "town.yml:9:1")
        self.children = ChildJobs(lambda url: "here.example:80", 9)
        self.run = PageRunner(lambda group: plan, self.children, self.marker, self.found, lambda page: fault)

    def result(self, of: WorkItem | None = None) -> Result:
        made = self.run.run(of or item(), PAGE)
        assert isinstance(made, Result)
        return made


def item(failures: tuple[Failure, ...] = (), **payload: tuple[str, ...]) -> WorkItem:
    made = msgspec.structs.replace(JobPayload(Locator("page", "towns", URL), "seed"), **payload)
    return WorkItem("job", 3, made, failures=failures)


def frame_of(result: Result) -> Frame:
    return msgspec.msgpack.decode(result.body, type=Frame)


def test_the_rows_of_all_tasks_are_in_one_frame_and_those_of_one_output_are_joined() -> None:
    outputs = {"one": rows("a.csv", 2), "two": rows("b.csv", 1), "three": rows("a.csv", 1)}
    result = Harness(*(chain(name, step) for name, step in outputs.items())).result()
    assert (result.job, result.fence, result.state) == ("job", 3, JobState.DONE)
    assert (result.pages, result.rows) == (1, 4)
    assert frame_of(result).parts == (Part("a.csv", 3, b"row\n" * 3), Part("b.csv", 1, b"row\n"))
    assert frame_of(result).payload is None, "only a failed job can be retried"


def test_a_failing_task_loses_its_own_rows_only_and_says_where_it_failed() -> None:
    error = StepError("no such block", hint="look at the page")
    passes = Does(lambda payload: ToTask(payload))
    result = Harness(chain("bad", passes, raises(error)), chain("good", rows("a.csv", 1))).result()
    (failure,) = result.failures
    assert (result.state, result.rows) == (JobState.FAILED, 1)
    assert (failure.job, failure.task, failure.step, failure.at) == (
        "page:towns",
        "bad",
        "step2",
        "town.yml:2:1",
    )
    assert (failure.cause, failure.url) == ("step2: no such block", URL)
    assert "look at the page" in failure.message
    assert failure.status == 0, "no host has answered with one"
    assert frame_of(result).payload == item().payload


def test_the_steps_after_a_failed_one_are_not_run() -> None:
    run: list[str] = []

    def second(payload: Payload) -> Handover:
        run.append("second")
        return ToTask(payload)

    Harness(chain("bad", raises(StepError("gone")), Does(second))).result()
    assert run == []


@pytest.mark.parametrize("error", [ValueError("odd"), SystemExit(3), KeyboardInterrupt()])
def test_whatever_a_plugin_raises_fails_its_task_and_not_the_worker(error: BaseException) -> None:
    result = Harness(chain("bad", raises(error)), chain("good", rows("a.csv", 1))).result()
    (failure,) = result.failures
    assert result.rows == 1
    text = f": {error}" if str(error) else ""
    assert failure.cause == f"step1: {type(error).__name__}{text}"
    assert failure.message.startswith("unexpected ")
    assert __file__ in failure.message, "the plugin's line is named"


def test_a_task_without_memory_fails_with_a_hint() -> None:
    (failure,) = Harness(chain("big", raises(MemoryError()))).result().failures
    assert failure.cause == "step1: the task needs more memory than a worker may use"
    assert "scoopi.workers" in failure.message


def test_a_task_that_is_abandoned_ends_the_run_of_its_job() -> None:
    with pytest.raises(TaskAbandonedError):
        Harness(chain("hung", raises(TaskAbandonedError()))).result()


def test_a_message_that_quotes_a_page_is_cut() -> None:
    (failure,) = Harness(chain("bad", raises(StepError("x" * 99_999)))).result().failures
    assert failure.message == "x" * LONGEST_MESSAGE + "…"


def test_a_step_must_answer_with_a_handover_and_may_not_ask_for_requests() -> None:
    nothing = Does(lambda payload: None)  # type: ignore[arg-type,return-value]
    asks = Does(lambda payload: ToGrant("here.example:80", payload))
    none, grant = Harness(chain("one", nothing), chain("two", asks)).result().failures
    assert none.cause == "step1: the step returned NoneType, which is not a handover"
    assert grant.cause == "step1: only a loader may ask for requests"


def test_skipped_tasks_are_not_run_and_their_failures_stay() -> None:
    before = Failure("it killed its worker", "it killed its worker; look at the page", task="one")
    harness = Harness(chain("one", raises(AssertionError("it was run"))), chain("two", rows("a.csv", 1)))
    result = harness.result(item((before,), skip=("one",)))
    assert (result.rows, result.failures, result.state) == (1, (before,), JobState.FAILED)


def test_of_a_retried_job_only_the_named_tasks_are_run() -> None:
    harness = Harness(chain("one", rows("a.csv", 1)), chain("two", rows("b.csv", 1)))
    assert [part.output for part in frame_of(harness.result(item(only=("two",)))).parts] == ["b.csv"]


def test_links_become_children_of_the_job() -> None:
    links = (Link("towns", "http://here.example/next"),)
    result = Harness(chain("links", Does(lambda _: ToJobs(links)))).result()
    (child,) = result.children
    assert (child.host, child.payload.locator) == ("here.example:80", Locator("page", "towns", links[0].url))
    assert child.payload.page == 2


def test_a_warning_gets_the_place_of_its_step_and_a_failed_task_warns_of_nothing() -> None:
    warning = Failure("no rows", "no rows; look at the block")
    warns = Does(lambda payload: ToTask(payload, (warning,)))
    good, bad = chain("good", rows("a.csv", 1, (warning,))), chain("bad", warns, raises(StepError("gone")))
    result = Harness(good, bad).result()
    (placed,) = frame_of(result).warnings
    assert (placed.cause, placed.job, placed.task, placed.step, placed.url, placed.at) == (
        "no rows",
        "page:towns",
        "good",
        "step1",
        URL,
        "town.yml:1:1",
    )


def test_a_fault_of_the_page_is_a_warning_of_its_loader() -> None:
    result = Harness(chain("one", rows("a.csv", 1)), fault="the page is a login").result()
    (warning,) = frame_of(result).warnings
    assert (warning.cause, warning.step, warning.at) == ("the page is a login", "loader", "town.yml:9:1")
    assert result.state is JobState.DONE


def test_a_page_that_cannot_be_loaded_fails_all_tasks_for_one_reason() -> None:
    harness = Harness(chain("one"), chain("two"), chain("three"))
    result = harness.run.failed_load(item(skip=("two",)), StepError("HTTP 404"))
    (failure,) = result.failures
    assert (result.state, result.pages, result.rows) == (JobState.FAILED, 0, 0)
    assert (failure.task, failure.step, failure.cause) == ("one,three", "loader", "loader: HTTP 404")


@pytest.mark.parametrize(
    ("bad", "skip", "given"), [((), (), [[]]), (("bad",), (), [None]), ((), ("good",), [None])]
)
def test_the_items_of_a_page_are_known_only_if_all_its_tasks_have_run(
    monkeypatch: pytest.MonkeyPatch, bad: tuple[str, ...], skip: tuple[str, ...], given: list[object]
) -> None:
    got: list[object] = []

    def make(_: ChildJobs, *arguments: object) -> tuple[tuple[()], tuple[()]]:
        got.append(arguments[-1])
        return (), ()

    monkeypatch.setattr(ChildJobs, "make", make)
    failing = [chain(name, raises(StepError("gone"))) for name in bad]
    Harness(chain("good", rows("a.csv", 1)), *failing).result(item(skip=skip))
    assert got == given


def test_the_items_that_decide_whether_a_list_ends_are_not_those_of_its_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    got: list[object] = []

    def make(children: ChildJobs, *arguments: object) -> tuple[tuple[()], tuple[()]]:
        got.append(arguments[-1])
        return (), ()

    def reads(task: TaskDef) -> TaskChain:
        read = Does(lambda payload: ToTask(payload.advance(Records(task.name, ()))))
        return TaskChain(task, (ChainStep("parser", read, "town.yml:1:1"),))

    monkeypatch.setattr(ChildJobs, "make", make)
    of_links = TaskDef("towns", "links", "towns.links", ())
    harness = Harness(reads(TaskDef("towns", "rows", "town", ())), reads(of_links))
    harness.children.needs_items = True
    harness.result()
    assert got == [[Records("rows", ())]]


def test_a_page_that_a_site_disallows_is_skipped_and_counts_as_no_page() -> None:
    result = Harness(chain("one")).run.failed_load(item(), DisallowedError("robots.txt disallows it"))
    skipped = frame_of(result).skipped
    assert skipped is not None
    assert (skipped.cause, skipped.task) == ("robots.txt disallows it", "")
    assert (result.state, result.pages, result.failures) == (JobState.SKIPPED, 0, ())


def test_the_crash_marker_names_each_task_while_it_runs_and_none_afterwards() -> None:
    noted: list[RunningTask] = []

    def note_marker(payload: Payload) -> Handover:
        noted.append(harness.marker.read())
        return ToAppender(())

    harness = Harness(chain("one", Does(note_marker)), chain("two", Does(note_marker)))
    harness.result()
    assert [(note.job, note.task) for note in noted] == [("job", "one"), ("job", "two")]
    assert harness.marker.read() == RunningTask()


def test_the_crash_marker_names_a_task_also_when_it_runs_on_after_its_files() -> None:
    request, noted = FileRequest("http://here.example/a.png"), list[RunningTask]()

    def look(payload: Payload) -> Handover:
        noted.append(harness.marker.read())
        return ToFiles(payload, (request,)) if payload.input is PAGE else ToJobs(())

    harness = Harness(chain("one", Does(look)))
    paused = harness.run.run(item(), PAGE)
    assert isinstance(paused, PausedPage)
    assert harness.marker.read() == RunningTask()
    harness.run.resume(paused, {request: FetchError("gone")})
    assert [(note.job, note.task) for note in noted] == [("job", "one")] * 2
    assert harness.marker.read() == RunningTask()


def test_the_rows_are_counted_as_they_were_read_before_a_filter_changes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = Data("town", (Item((Axis("fact", "fact", 1),), ("5",), (1,)),))
    harness = Harness(
        chain(
            "one",
            Does(lambda payload: ToTask(payload.advance(read))),
            Does(lambda payload: ToTask(payload.advance(read.with_items([])))),
            rows("a.csv", 0),
        )
    )
    counted: list[Data] = []
    monkeypatch.setattr(harness.found, "note", counted.append)
    harness.result()
    assert counted == [read]


@pytest.mark.parametrize(("is_transient", "counted"), [(True, {}), (False, {"found": 1.0})])
def test_what_was_found_counts_once_the_files_of_its_page_have_ended(
    is_transient: bool, counted: dict[str, float]
) -> None:
    read, request = Records("town", (), finds={"found": 1.0}), FileRequest("http://here.example/a.png")
    harness = Harness(
        chain(
            "one",
            Does(lambda payload: ToTask(payload.advance(read))),
            Does(lambda payload: ToFiles(payload, (request,)) if payload.input is read else ToJobs(())),
        )
    )
    paused = harness.run.run(item(), PAGE)
    assert isinstance(paused, PausedPage)
    assert "found" not in harness.found.take()
    fault = FetchError("cut off", fault=LoadFault("truncated", is_transient=is_transient))
    before = harness.run.take_times()
    result = harness.run.resume(paused, {request: fault})
    assert harness.run.take_times().keys() == {"step2"} < before.keys(), "only what was run after the files"
    assert {name: value for name, value in harness.found.take().items() if name == "found"} == counted
    assert result.finds == ({"found": 1.0} if is_transient else {})


def test_the_times_of_steps_add_up_until_they_are_taken() -> None:
    harness = Harness(chain("one", rows("a.csv", 1)))
    harness.run.add_time("loader", 0.25)
    harness.run.add_time("loader", 0.5)
    harness.result()
    times = harness.run.take_times()
    assert times["loader"] == 0.75
    assert 0 < times["step1"] < sys.maxsize
    assert harness.run.take_times() == {}


def test_the_times_of_tasks_add_up_until_they_are_taken() -> None:
    harness = Harness(chain("one", rows("a.csv", 1)), chain("two", rows("b.csv", 1)))
    harness.result()
    first = harness.found.take()
    assert len(first) == 2
    assert all(0 < seconds < sys.maxsize for seconds in first.values())
    harness.result()
    harness.result()
    assert harness.found.take().keys() == first.keys()
    assert harness.found.take() == {}


def test_a_warning_that_knows_its_place_keeps_it() -> None:
    warning = Failure("no rows", "no rows", at="other.yml:7")
    (placed,) = frame_of(Harness(chain("good", rows("a.csv", 1, (warning,)))).result()).warnings
    assert placed.at == "other.yml:7"


def test_of_an_error_within_a_library_the_plugins_line_is_named() -> None:
    def fails(_: Payload) -> Handover:
        json.loads("{")
        raise AssertionError

    def calls(payload: Payload) -> Handover:
        return fails(payload)

    (failure,) = Harness(chain("bad", Does(calls))).result().failures
    line = fails.__code__.co_firstlineno + 1
    assert failure.message.endswith(f" ({__file__}:{line})")
    assert failure.message.count(__file__) == 1, "only the innermost one"


def test_an_unexpected_error_is_logged_with_its_traceback_once_a_step_and_kind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    harness = Harness(chain("bad", raises(ValueError("odd"))))
    for _ in range(3):
        harness.result()
    assert [record.getMessage() for record in caplog.records] == ["job job: step step1 failed unexpectedly"]
    assert caplog.records[0].exc_info is not None
    Harness(chain("known", raises(StepError("gone"))), chain("big", raises(MemoryError()))).result()
    assert len(caplog.records) == 1, "an expected error needs no traceback"


def test_a_page_that_cannot_be_loaded_is_reported_with_all_attempts_and_what_its_host_did() -> None:
    fault = LoadFault("status 503", True, 503)
    given = msgspec.structs.replace(item(), tried=("timeout", "status 503"))
    result = Harness(chain("one")).run.failed_load(given, FetchError("gone", fault=fault))
    assert [failure.attempts for failure in result.failures] == [3]
    assert result.fault == fault
    assert [failure.status for failure in result.failures] == [503]


def test_the_time_of_each_step_is_added_up_in_seconds() -> None:
    harness = Harness(chain("one", rows("a.csv", 1)))
    began = time.perf_counter()
    for _ in range(2):
        harness.result()
    took_s = time.perf_counter() - began
    times = harness.run.take_times()
    assert 0 < times["step1"] <= took_s
    assert harness.run.take_times() == {}


def test_nothing_runs_after_the_step_that_ends_a_task() -> None:
    ran: list[str] = []

    def late(payload: Payload) -> Handover:
        ran.append("late")
        return ToAppender((Part("b.csv", 1, b"row\n"),))

    result = Harness(chain("one", rows("a.csv", 1), Does(late))).result()
    assert (result.rows, ran) == (1, [])


def test_links_are_read_and_counted_but_are_no_items_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[object] = []

    def make(_: ChildJobs, *arguments: object) -> tuple[tuple[()], tuple[()]]:
        got.append(arguments[-1])
        return (), ()

    monkeypatch.setattr(ChildJobs, "make", make)
    links, read = LinkData("town", (), page_url=URL), Data("town", ())
    harness = Harness(
        chain("links", Does(lambda payload: ToTask(payload.advance(links)))),
        chain("rows", Does(lambda payload: ToTask(payload.advance(read)))),
    )
    counted: list[object] = []
    monkeypatch.setattr(harness.found, "note", lambda *reads: counted.extend(reads))
    harness.children.needs_items = True
    harness.result()
    assert counted == [links, read]
    assert got == [[read]]


@pytest.mark.parametrize("is_public", [False, True])
def test_links_of_a_page_know_whether_its_host_was_public(is_public: bool) -> None:
    links = (Link("towns", "http://here.example/next"),)
    harness = Harness(chain("links", Does(lambda _: ToJobs(links))))
    document = Document(Locator("page", "towns", URL), URL, datetime.now(UTC), None, b"", is_public)
    result = harness.run.run(item(), SimpleNamespace(document=document))
    assert isinstance(result, Result)
    assert [child.payload.public_only for child in result.children] == [is_public]


def test_a_job_without_a_crash_marker_runs_as_any_other() -> None:
    """As in the thread of a run without workers."""
    request = FileRequest("http://here.example/a.png")
    wants = Does(lambda payload: ToFiles(payload, (request,)) if payload.input is PAGE else ToJobs(()))
    plan = GroupPlan((chain("one", wants), chain("two", rows("a.csv", 1))), "loader", "town.yml:9:1")
    children = ChildJobs(lambda url: "here.example:80", 9)
    run = PageRunner(lambda group: plan, children, None, FoundValues({}, frozenset()), lambda page: None)
    paused = run.run(item(), PAGE)
    assert isinstance(paused, PausedPage)
    assert run.resume(paused, {request: FetchError("gone")}).rows == 1


def test_warnings_before_a_wait_for_files_are_kept_with_those_after_it() -> None:
    request, warning = FileRequest("http://here.example/a.png"), Failure("odd row", "odd row")
    harness = Harness(
        chain(
            "one",
            Does(lambda payload: ToTask(payload, (warning,))),
            Does(
                lambda payload: (
                    ToFiles(payload, (request,)) if payload.input is PAGE else ToJobs((), (warning,))
                )
            ),
        )
    )
    paused = harness.run.run(item(), PAGE)
    assert isinstance(paused, PausedPage)
    result = harness.run.resume(paused, {request: FetchError("gone")})
    assert [each.step for each in frame_of(result).warnings] == ["step1", "step2"]
