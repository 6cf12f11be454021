"""wire: a worker's parts, made from its plan, read pages as its definitions and settings say."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from scoopi.bootstrap.worker_wiring import wire, with_ca
from scoopi.errors import BootError, FetchError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.handover import Handover, Payload, ToGrant, ToTask
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.model.sites import SiteBlock
from scoopi.runs.composed import WorkerPlan
from scoopi.steps.loading.load_state import LoadState
from scoopi.worker.messages import Result, WorkItem
from scoopi.worker.page_runner import PageRunner
from scoopi.worker.worker_parts import WorkerParts
from tests.bootstrap.plans import plan_of

DEFINITIONS = """\
locatorGroups: { page: [ one.html ] }
taskGroups: { page: { titles: { dataDef: title } } }
dataDefs: { title: { each: li, fields: { title: b } } }
"""
IMAGE = 'image: { select: img @src, download: { to: "files/%{sha256}" } }'
DOWNLOADS = DEFINITIONS.replace("title: b", IMAGE)
WITH_LOADER = """\
locatorGroups: { page: [ one.html ] }
taskGroups: { page: { titles: { dataDef: title, steps: token } } }
dataDefs: { title: { query: { block: body }, items: [ item: { name: title, selector: b } ] } }
steps:
  token:
    css:
      loader:
        class: PageLoader
        previous: seeder
        next: parser
        plugins: [ plugin: { name: token, class: TokenLoader } ]
"""
LOADER = """\
class TokenLoader:
    def __init__(self):
        {made}

    def load(self, url, web):
        return None
"""


def wired(plan: WorkerPlan) -> WorkerParts:
    return wire(msgspec.msgpack.encode(plan), lambda job, host: None)


def loaded(parts: WorkerParts, locator: Locator) -> Handover | Exception:
    outcomes: list[Handover | Exception] = []
    parts.loader.begin(Payload("job", locator, 1, "", LoadState()), outcomes.append)
    (outcome,) = outcomes
    return outcome


def test_a_page_of_a_file_is_loaded_and_read_by_the_steps_of_its_group(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("<li><b>Rye</b><li><b>Oat</b>")
    parts = wired(plan_of(tmp_path, DEFINITIONS))
    locator = Locator("one", "page", "one.html")
    handover = loaded(parts, locator)
    assert isinstance(handover, ToTask)
    runner = PageRunner(parts.group_plan, parts.children, None, parts.found, parts.loader.fault_of)
    result = runner.run(WorkItem("job", 1, JobPayload(locator, "job")), handover.payload.input)
    assert isinstance(result, Result)
    assert (result.state, result.rows) == (JobState.DONE, 2)
    (part,) = msgspec.msgpack.decode(result.body, type=Frame).parts
    assert b"Rye" in part.body
    assert b"Oat" in part.body


def test_a_page_of_the_network_waits_for_a_grant_of_its_host(tmp_path: Path) -> None:
    handover = loaded(wired(plan_of(tmp_path, DEFINITIONS)), Locator("one", "page", "http://a.example/"))
    assert isinstance(handover, ToGrant)
    assert handover.host == "a.example:80"


def test_files_are_kept_in_the_folder_of_the_plan_if_a_definition_has_downloads(tmp_path: Path) -> None:
    assert wired(plan_of(tmp_path, DEFINITIONS)).files is None
    plan = plan_of(tmp_path, DOWNLOADS)
    assert wired(replace(plan, files=str(tmp_path / "kept"), process="1" * 16)).files is not None


@pytest.mark.parametrize("reports_pages", [True, False])
def test_pages_are_reported_if_the_plan_says_so(tmp_path: Path, reports_pages: bool) -> None:
    plan = replace(plan_of(tmp_path, DEFINITIONS), reports_pages=reports_pages)
    assert wired(plan).reports_pages is reports_pages


@pytest.mark.parametrize(("limit", "most"), [(None, 32 << 20), (96 << 20, 4 << 20)])
def test_pages_that_are_received_take_an_eighth_of_a_small_workers_memory_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int | None, most: int
) -> None:
    monkeypatch.setattr("scoopi.configs.groups.node_groups.memory_limit", lambda: limit)
    held = {"scoopi.workers": "1", "scoopi.loader.maxHeldBytes": str(32 << 20)}
    plan = plan_of(tmp_path, DEFINITIONS, held)
    parts = wired(plan)
    assert parts.max_held_bytes == most
    assert (parts.memory_bytes is None) is (limit is None)


def test_a_loader_plugin_that_cannot_be_made_ends_the_worker_before_its_first_page(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    plugin = tmp_path / "plugins/token_loader.py"
    plugin.write_text(LOADER.format(made="pass"))
    plan = plan_of(tmp_path, WITH_LOADER)
    wired(plan).loader.close()
    plugin.write_text(LOADER.format(made="raise OSError('no token')"))
    with pytest.raises(BootError, match="no token"):
        wired(plan)


def test_a_ca_file_is_named_by_its_path_on_this_machine(tmp_path: Path) -> None:
    (tmp_path / "own.pem").touch()
    files = FileFinder(tmp_path, tmp_path)
    plain = SiteBlock("b.example", {"delay": "3"})
    block = SiteBlock("a.example", {"ca": "own.pem"})
    assert [each.values for each in with_ca([plain, block], files)] == [
        {"delay": "3"},
        {"ca": str(tmp_path / "own.pem")},
    ]
    with pytest.raises(FetchError, match=r"other\.pem"):
        with_ca([replace(block, values={"ca": "other.pem"})], files)
