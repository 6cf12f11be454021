"""wire: makes the parts of a worker from its plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scoopi.archive.archive_rules import ArchiveRules
from scoopi.bootstrap.group_loaders import group_loaders
from scoopi.bootstrap.step_builder import StepBuilder
from scoopi.configs.configs import Configs
from scoopi.configs.groups import (
    ArchiveSettings,
    FactSettings,
    ParserLimits,
    WebClientSettings,
    WorkerSettings,
)
from scoopi.configs.site_defaults import sites_of
from scoopi.fetch.address import host_of
from scoopi.fetch.connections.private_hosts import PrivateHosts
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileClient, FileFinder
from scoopi.fetch.http_client import HttpClient
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.sites import SiteBlock
from scoopi.parse.parts.page_parts import PageParts
from scoopi.parse.tree.page import TreeLimits
from scoopi.plugins.builtins import finder_of
from scoopi.runs.composed import WorkerPlan
from scoopi.steps.loading.browser_choice import BrowserChoice
from scoopi.steps.loading.file_loading import FileLoading
from scoopi.steps.loading.load_rules import LoadRules
from scoopi.steps.loading.loader import Loader, PluginClient
from scoopi.steps.loading.login_run import LoginDetector
from scoopi.steps.loading.page_loader import PageLoader
from scoopi.steps.loading.session_loader import SessionLoader
from scoopi.steps.loading.worker_sessions import WorkerSessions
from scoopi.steps.readers.block_finds import browser_choice, with_optional_waits
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.links.list_ends import ListEnds
from scoopi.worker.worker_parts import WorkerParts

if TYPE_CHECKING:
    from scoopi.plugins.loader_port import LoaderPlugin

HELD_PART = 8
"""One part in 8 of a worker's memory is for pages being received, another for pages waiting for its steps."""


def wire(plan_bytes: bytes, report_sent: Callable[[str, str], None]) -> WorkerParts:
    """Make the parts of one worker.

    Args:
        plan_bytes: a WorkerPlan as msgpack.
        report_sent: reports to the parent that a request for (job, host) was sent.
    Raises:
        BootError: a plugin cannot be created.
    """
    plan = msgpack_decoder(WorkerPlan).decode(plan_bytes)
    configs = Configs.from_composed(plan.configs)
    current, source = Path(plan.current_folder), Path(plan.defs_source)
    finder = finder_of(source, current)
    files = FileFinder(current, source)
    archive = ArchiveRules(
        ArchiveSettings.of(configs, current),
        plan.definitions,
        plan.run_date,
        configs.text("scoopi.dateTimePattern"),
    )
    store = FileStore(Path(plan.files), files, plan.process) if plan.definitions.has_downloads else None
    found = FoundValues(plan.definitions.data_defs, FactSettings.of(configs).stand_for_nothing)
    builder = StepBuilder(plan, finder, files, archive, store, found.note_entry_times)
    for group in plan.definitions.task_groups:
        builder.group_plan(group)  # a plugin that cannot be created ends the run now, not each job
    loaders = group_loaders(with_optional_waits(plan.definitions), finder, plan.browsers)
    memory_bytes, web = WorkerSettings.of(configs).memory_bytes, WebClientSettings.of(configs)
    if memory_bytes is not None:
        web = replace(web, max_held_bytes=min(web.max_held_bytes, memory_bytes // HELD_PART))
    private_hosts = PrivateHosts(web.private_hosts)
    choice = browser_choice(
        plan.definitions,
        plan.definitions.task_groups.values(),
        ParserLimits.of(configs).regex_timeout_ms,
        found.note_load,
    )
    return WorkerParts(
        loader=_loader(
            plan, configs, web, files, archive, report_sent, private_hosts, loaders, choice, store
        ),
        group_plan=builder.group_plan,
        children=_children(plan, configs, private_hosts),
        found=found,
        max_held_bytes=web.max_held_bytes,
        memory_bytes=memory_bytes,
        reports_pages=plan.reports_pages,
        files=store,
    )


def _children(plan: WorkerPlan, configs: Configs, private_hosts: PrivateHosts) -> ChildJobs:
    groups = plan.definitions.task_groups.values()
    of_fragments = frozenset(group.name for group in groups if group.has_page_each_fragment)
    most = ParserLimits.of(configs).link_max_depth
    ends = ListEnds(plan.definitions.record_defs)
    return ChildJobs(host_of, most, private_hosts.must_be_public, of_fragments, ends)


def _loader(
    plan: WorkerPlan,
    configs: Configs,
    web: WebClientSettings,
    files: FileFinder,
    archive: ArchiveRules,
    report_sent: Callable[[str, str], None],
    private_hosts: PrivateHosts,
    plugins: Mapping[str, tuple[str, LoaderPlugin]],
    choice: BrowserChoice | None,
    store: FileStore | None,
) -> Loader:
    limits, sites = ParserLimits.of(configs), sites_of(configs, with_ca(plan.definitions.sites, files))
    groups = plan.definitions.task_groups.values()
    rules = LoadRules(
        run_date=plan.run_date,
        limits=TreeLimits(limits.max_depth, limits.max_nodes, web.max_bytes),
        saves=archive.saves_pages,
        on_sent=report_sent,
        sessions=WorkerSessions() if sites.sessions else None,
        choice=choice,
        files=None if store is None else FileLoading(store, LoginDetector(sites)),
        in_browsers=frozenset(each.name for each in groups if each.browser is not None),
        part_of=PageParts(plan.definitions, is_plain=configs.flag("scoopi.parser.plain")).of_group,
    )
    client = HttpClient(web, private_hosts)
    loads: dict[str, PluginClient] = {}
    if plugins:
        from scoopi.worker.plugin_loads import LoadLimits, PluginLoads  # late: few runs have them

        shared = LoadLimits(web, sites, private_hosts)
        for group, (name, plugin) in plugins.items():
            loads[group] = PluginLoads(plugin, name, shared, client.wake)
    loader = PageLoader(rules, client, FileClient(files, web.max_bytes), archive.archive, sites, loads)
    return loader if rules.sessions is None else SessionLoader(loader, sites, rules.sessions)


def with_ca(blocks: Iterable[SiteBlock], files: FileFinder) -> list[SiteBlock]:
    """The blocks with the absolute paths of their CA files on this machine.

    Raises:
        FetchError: a file does not exist.
    """
    return [
        replace(block, values={**block.values, "ca": str(files.find(block.values["ca"]))})
        if "ca" in block.values
        else block
        for block in blocks
    ]
