"""PageFiles: pages ask for the files that their rows want one after another, then end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

from scoopi.errors import DisallowedError, FetchError, LoadFault, StoppedError
from scoopi.fetch.downloads.file_reception import LocalFaultError
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileFinder
from scoopi.model.downloads import Downloads, FileRef, FileRequest, KeptFile
from scoopi.model.handover import Handover, Part, Payload, ToAppender, ToFiles, ToGrant, ToTask
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Document, Locator, PageRequest
from scoopi.model.scrape.task_def import TaskDef
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.step import Step
from scoopi.worker.crash_marker import CrashMarker, RunningTask
from scoopi.worker.downloads.page_files import PageFiles
from scoopi.worker.fetching import LoadedPage
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import PageSeen, Result, WorkItem
from scoopi.worker.page_runner import PageRunner
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain
from tests.worker.test_page_runner import Does, frame_of

PAGE = "http://here.example/page"
ONE, TWO = "http://files.example/1.jpg", "http://other.example:81/2.jpg"
KEPT = KeptFile("ab" * 32, 5, was_sent=True)
SEEN = PageSeen(200, 100, 1.0, "network")
GONE = FetchError("gone", fault=LoadFault("status 404", False, 404))
BUSY = FetchError("busy", fault=LoadFault("status 503", True, 503))


class Wants(Step):
    """A step that wants files, and says in its row what came."""

    def __init__(self, *urls: str, fails: bool = False) -> None:
        self._requests = tuple(FileRequest(url) for url in urls)
        self._fails = fails

    def run(self, payload: Payload) -> Handover:
        if not isinstance(payload.input, Downloads):
            return ToFiles(payload, self._requests)
        files = payload.input.files
        came = [each.url for each in self._requests if isinstance(files[each], KeptFile)]
        if self._fails and len(came) < len(self._requests):
            raise next(each for each in files.values() if isinstance(each, FetchError))
        refs = tuple(FileRef(url, KEPT.sha256, KEPT.size) for url in came)
        return ToTask(payload.advance(came), files=refs)


class Fills(Wants):
    """A step that fails if this machine kept a file away."""

    def run(self, payload: Payload) -> Handover:
        if isinstance(payload.input, Downloads):
            for each in payload.input.files.values():
                if isinstance(each, LocalFaultError):
                    raise each
        return super().run(payload)


def append(payload: Payload) -> Handover:
    came = payload.expect(list)
    return ToAppender((Part("a.csv", len(came), repr(came).encode()),))


def chain(task: str, step: Step) -> TaskChain:
    steps = (ChainStep("download", step, "a.yml:1:1"), ChainStep("appender", Does(append), "a.yml:2:1"))
    return TaskChain(TaskDef("group", task, "def", ()), steps)


def page(error: Exception | None = None, job: str = "job", url: str = PAGE) -> LoadedPage:
    payload = JobPayload(Locator("name", "group", url), "seed")
    return LoadedPage(WorkItem(job, 1, payload), object() if error is None else None, error)


def file(job: str = "job", error: Exception | None = None, kept: KeptFile = KEPT) -> LoadedPage:
    loaded = page(job=job)
    return LoadedPage(loaded.item, kept if error is None else None, error)


Files = Callable[..., PageFiles]


@pytest.fixture
def files_of(tmp_path: Path) -> Files:
    def make(*chains: TaskChain, marker: CrashMarker | None = None) -> PageFiles:
        children = ChildJobs(lambda url: "here.example:80", 9)
        plan = GroupPlan(chains, "loader", "a.yml:3:1")
        found = FoundValues({}, frozenset())
        runner = PageRunner(lambda group: plan, children, marker, found, lambda page: None)
        return PageFiles(
            runner, FileStore(tmp_path / "files", FileFinder(tmp_path, tmp_path)), lambda is_public: is_public
        )

    return make


def request_of(made: Result | ToGrant | None) -> tuple[str, str]:
    """Host and address of a request."""
    assert isinstance(made, ToGrant)
    state = made.payload.expect(LoadState)
    assert state.file is not None
    assert made.payload.locator.url == state.file.url == made.url
    return made.host, made.url


def frame_from(made: Result | ToGrant | None) -> Frame:
    assert isinstance(made, Result)
    return frame_of(made)


def test_files_are_asked_for_one_after_another_at_their_own_hosts(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE, TWO, ONE)), chain("two", Wants(TWO)))
    assert request_of(files.result(page(), SEEN)) == ("files.example:80", ONE)
    assert request_of(files.result(file(), None)) == ("other.example:81", TWO)
    made = files.result(file(), None)
    frame = frame_from(made)
    assert [part.body for part in frame.parts] == [f"{[ONE, TWO, ONE]}{[TWO]}".encode()]
    assert {each.path for each in frame.files} == {ONE, TWO}
    assert isinstance(made, Result)
    assert made.seen == PageSeen(200, 110, 1.0, "network"), "bytes of the files count"
    assert made.fault is None


def test_of_a_file_that_has_not_changed_no_bytes_count(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE)))
    files.result(page(), SEEN)
    made = files.result(file(kept=structs.replace(KEPT, was_sent=False)), None)
    assert isinstance(made, Result)
    assert made.seen == SEEN


def test_a_file_that_does_not_come_ends_no_page(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE, TWO)))
    files.result(page(), None)
    files.result(file(error=GONE), None)
    made = files.result(file(), None)
    assert frame_from(made).parts[0].body == repr([TWO]).encode()
    assert isinstance(made, Result)
    assert (made.state, made.fault) == (JobState.DONE, None)


def test_a_failure_that_may_pass_is_reported_for_another_attempt(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE, TWO)))
    files.result(page(), None)
    files.result(file(error=BUSY), None)
    made = files.result(file(error=GONE), None)
    assert isinstance(made, Result)
    assert made.fault == BUSY.fault
    assert frame_from(made).parts[0].rows == 0, "the rows as they are if there is no further attempt"


def test_a_task_that_needs_its_file_fails_alone(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE, fails=True)), chain("two", Wants(TWO)))
    files.result(page(), None)
    files.result(file(error=GONE), None)
    frame = frame_from(files.result(file(), None))
    assert [(each.task, each.status) for each in frame.failures] == [("one", 404)]
    assert frame.parts[0].body == repr([TWO]).encode()
    assert [each.path for each in frame.files] == [TWO]


def test_a_rule_against_a_file_is_no_rule_against_its_page(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE)))
    files.result(page(), None)
    assert frame_from(files.result(file(error=DisallowedError("robots.txt")), None)).state is JobState.DONE


def test_a_crash_of_a_task_that_has_its_files_is_noted_as_that_of_this_task(files_of: Files) -> None:
    marker, notes = CrashMarker(-1), list[RunningTask]()

    def note(payload: Payload) -> Handover:
        notes.append(marker.read())
        return append(payload)

    wants = ChainStep("download", Wants(ONE), "a.yml:1:1")
    steps = (wants, ChainStep("appender", Does(note), "a.yml:2:1"))
    files = files_of(TaskChain(TaskDef("group", "one", "def", ()), steps), marker=marker)
    files.result(page(), None)
    assert marker.read() == RunningTask()
    files.result(file(), None)
    assert [(each.job, each.task) for each in notes] == [("job", "one")]
    assert marker.read() == RunningTask()


def test_what_cannot_be_asked_for_is_not(files_of: Files) -> None:
    files = files_of(chain("one", Wants("ftp://h/a", "data:,x", "http://", "file:///etc/passwd")))
    assert frame_from(files.result(page(), None)).parts[0].rows == 0


def test_pages_wait_independently_and_one_that_is_dropped_begins_again(files_of: Files) -> None:
    files = files_of(chain("one", Wants(ONE)))
    assert request_of(files.result(page(job="job1"), None))[1] == ONE
    assert request_of(files.result(page(job="job2"), None))[1] == ONE
    assert files.result(file("job1", StoppedError()), None) is None, "handed back"
    assert request_of(files.result(page(job="job1"), None))[1] == ONE
    assert frame_from(files.result(file("job2"), None)).job == "job2"
    assert frame_from(files.result(file("job1"), None)).job == "job1"


def test_a_page_that_must_not_be_asked_for_again_fails_when_the_run_is_stopped(files_of: Files) -> None:
    """Protocol rule 16: its request may have done something."""
    files = files_of(chain("one", Fills(ONE, TWO)))
    loaded = page()
    posted = structs.replace(loaded.item.payload.locator, request=PageRequest("POST"))
    item = structs.replace(loaded.item, payload=structs.replace(loaded.item.payload, locator=posted))
    assert request_of(files.result(LoadedPage(item, loaded.page), None))[1] == ONE
    frame = frame_from(files.result(LoadedPage(item, None, StoppedError()), None))
    assert (frame.state, frame.parts) == (JobState.FAILED, ())
    assert "the run was stopped before the files of the page were downloaded" in frame.failures[0].message


def test_a_page_without_wishes_and_one_that_failed_end_at_once(files_of: Files) -> None:
    files = files_of(TaskChain(TaskDef("group", "one", "def", ()), ()))
    made = files.result(page(), SEEN)
    assert frame_from(made).state is JobState.DONE
    assert isinstance(made, Result)
    assert made.seen == SEEN
    failed = files.result(page(GONE), None)
    assert frame_from(failed).state is JobState.FAILED
    assert isinstance(failed, Result)
    assert failed.seen is None, "nothing is reported of it"


def test_a_step_that_asks_for_files_twice_fails(files_of: Files) -> None:
    files = files_of(chain("one", Does(lambda payload: ToFiles(payload, (FileRequest(ONE),)))))
    files.result(page(), None)
    assert "not a handover" in frame_from(files.result(file(), None)).failures[0].message


@pytest.mark.parametrize("is_public", [False, True])
def test_a_file_is_requested_whole_and_of_a_public_page_from_public_hosts_only(
    files_of: Files, is_public: bool
) -> None:
    files = files_of(chain("one", Wants(ONE)))
    loaded = page()
    locator = loaded.item.payload.locator
    document = Document(locator, PAGE, datetime.now(UTC), None, b"", is_public)
    made = files.result(LoadedPage(loaded.item, SimpleNamespace(document=document)), None)
    assert isinstance(made, ToGrant)
    state = made.payload.expect(LoadState)
    assert (state.public_only, state.whole, state.grant) == (is_public, True, None)
    assert (made.payload.locator.name, made.payload.locator.group) == (locator.name, locator.group)


def test_a_file_that_this_machine_cannot_read_fails_its_task_and_not_the_worker(
    files_of: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(FileStore, "find", unreadable)
    files = files_of(chain("one", Fills(ONE)))
    made = files.result(page(), None)
    frame = frame_from(made)
    assert frame.state is JobState.FAILED
    assert "Input/output error" in frame.failures[0].message
