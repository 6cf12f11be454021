"""StepBuilder: which steps run on a page of a group, in which order, and what their scripts see."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.archive.archive_rules import ArchiveRules
from scoopi.bootstrap.step_builder import DOWNLOAD_STEP, StepBuilder
from scoopi.configs.configs import Configs
from scoopi.configs.groups import ArchiveSettings
from scoopi.errors import PluginError
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileFinder
from scoopi.model.data import Data
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Document, Locator
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.plugins.builtins import finder_of
from scoopi.runs.composed import WorkerPlan
from scoopi.worker.worker_parts import GroupPlan
from tests.bootstrap.plans import plan_of

GRID = """\
locatorGroups: {{ page: [ one.html ] }}
taskGroups:
  page:
    titles:
      dataDef: titles
      {steps}
dataDefs:
  titles: {{ query: {{ block: body, selector: h1 }}, items: [ item: {{ name: title, value: "{value}" }} ] }}
"""
FILES = """\
locatorGroups: { page: [ one.html ] }
taskGroups: { page: { cards: { dataDef: card }, titles: { dataDef: title } } }
dataDefs:
  card: { each: li, fields: { image: { select: a @href, download: { to: "files/%{sha256}" } } } }
  title: { each: li, fields: { title: b } }
"""
OWN_STEP = (
    "steps: {{ css: {{ filter: {{ class: DataFilter, previous: parser, next: own }},"
    " own: {{ class: {name}, previous: filter, next: appender }},"
    " appender: {{ class: DataAppender, previous: own, next: end, plugins: [ plugin: {{ name: f,"
    " class: FileAppender, file: a.csv, plugins: [ plugin: {{ name: c, class: CsvEncoder }} ] }} ] }} }} }}"
)
OWN = """\
from scoopi.steps.step import Step
from scoopi.model.handover import ToTask


class Doubled(Step):
    def run(self, payload):
        return ToTask(payload)


class NoStep:
    pass
"""


def builder_of(folder: Path, plan: WorkerPlan, downloads: FileStore | None = None) -> StepBuilder:
    configs = Configs.from_composed(plan.configs)
    archive = ArchiveRules(ArchiveSettings.of(configs, folder), plan.definitions, plan.run_date, "yyyy-MM-dd")
    source = Path(plan.defs_source)
    return StepBuilder(plan, finder_of(source, folder), FileFinder(folder, source), archive, downloads)


def steps_of(plan: GroupPlan) -> list[list[str]]:
    return [[type(link.step).__name__ for link in chain.steps] for chain in plan.chains]


def test_a_task_is_compiled_to_the_steps_after_its_loader_once_a_group(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, plan_of(tmp_path, GRID.format(steps="", value="x")))
    plan = builder.group_plan("page")
    assert steps_of(plan) == [["DataParser", "DataFilter", "DataAppender"]]
    assert [chain.task.name for chain in plan.chains] == ["titles"]
    assert (plan.loader_name, plan.loader_at) == ("loader", f"{tmp_path}/defs.yml:4:5"), "that of the task"
    assert builder.group_plan("page") is plan


def test_files_are_downloaded_just_before_the_rows_that_name_them_are_appended(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "kept", FileFinder(tmp_path, tmp_path))
    plan = builder_of(tmp_path, plan_of(tmp_path, FILES), store).group_plan("page")
    cards, titles = plan.chains
    assert [link.name for link in cards.steps][-2] == DOWNLOAD_STEP
    assert DOWNLOAD_STEP not in [link.name for link in titles.steps]
    assert steps_of(plan)[1] == ["RecordParser", "RecordAppender"]


def test_a_step_of_the_users_runs_where_it_was_put_and_must_be_a_step(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins/own.py").write_text(OWN)
    given = GRID.format(steps=OWN_STEP.format(name="Doubled"), value="x")
    plan = plan_of(tmp_path, given)
    assert steps_of(builder_of(tmp_path, plan).group_plan("page")) == [
        ["DataParser", "DataFilter", "Doubled", "DataAppender"]
    ]
    (tmp_path / "plugins/own.py").write_text(OWN.replace("Doubled(Step)", "Doubled(NoStep)", 1))
    with pytest.raises(PluginError):
        builder_of(tmp_path, plan).group_plan("page")


@pytest.mark.parametrize(
    ("key", "seen"), [("scoopi.link.maxDepth", "77"), ("scoopi.workers", "none"), ("no.such", "none")]
)
def test_scripts_see_the_settings_that_may_change_rows_and_no_others(
    tmp_path: Path, key: str, seen: str
) -> None:
    script = f"configs.getConfig('{key}', 'none')"
    text = GRID.format(steps="", value="x").replace('value: "x"', f'script: "{script}"')
    plan = plan_of(tmp_path, text, {"scoopi.link.maxDepth": "77", "scoopi.workers": "3"})
    (chain,) = builder_of(tmp_path, plan).group_plan("page").chains
    locator = Locator("one", "page", "one.html")
    document = Document(locator, locator.url, plan.run_date, None, b"<h1>Oats</h1>")
    page = Page(document, TreeLimits(100, 1000, 1 << 20), None)
    handover = chain.steps[0].step.run(Payload("job", locator, 1, "titles", page))
    assert isinstance(handover, ToTask)
    assert [item.values for item in handover.payload.expect(Data).items] == [(seen, "Oats")]
