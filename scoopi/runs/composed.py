"""Composed, WorkerPlan: what a run was made from, as it is kept for `resume` and given to workers."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from scoopi.defs.scrape.class_names import LINK_MAKER, SCRIPTER, STEP_CLASSES
from scoopi.errors import PluginError, UsageError
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.locator import PageRequest
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.model.text.locator_values import LocatorValues, RowValues
from scoopi.plugins.plugin_finder import digest_now
from scoopi.store.ports import RUN
from scoopi.store.record_codec import RecordCodec, unreadable

LOCATORS_A_PART = 500
"""The level of compression."""


class Composed(msgspec.Struct, frozen=True):
    """What a run was composed of: one record, made once and used by every node.

    Attributes:
        definitions: checked and normalized, without locators.
        locators: parts of the locator groups, each packed; the seeding node unpacks them one by one.
        configs: every setting as written, with `${env:…}`, and without passwords.
        run_date: the run's date-time, zone-aware, whole seconds.
        current_folder: where the run was started; pages are looked for from here.
        defs_source: the folder (or file) of definitions, absolute.
        plugin_digests: digests of the user's files in use (plugins, own steps, scripts), by path.
        given: settings of scope `run` that were given, not defaults.
        run: incarnation of the run.
        inputs: what the definitions' placeholders for inputs stood for.
    """

    definitions: Definitions
    locators: tuple[bytes, ...]
    configs: dict[str, str]
    run_date: datetime
    current_folder: str
    defs_source: str
    plugin_digests: dict[str, str]
    given: dict[str, str]
    run: str
    inputs: dict[str, str] = {}


def read_composed(packed: bytes) -> Composed:
    """Decode what the store keeps of a composed run.

    Raises:
        RecordError: it is not what Scoopi composes.
    """
    return RecordCodec(RUN, Composed, packed=True).read("composed/setup", packed)


class WorkerPlan(msgspec.Struct, frozen=True):
    """All that a worker is wired from; goes over its pipe, never to a disk (secrets are in the clear)."""

    definitions: Definitions
    configs: dict[str, str]
    run_date: datetime
    current_folder: str
    defs_source: str
    is_cluster: bool
    secrets: frozenset[str] = frozenset()
    """Keys of the settings that no script sees."""
    reports_pages: bool = False
    """Whether results say how their page was loaded."""
    times_entries: bool = False
    """Whether the time of each entry of a data definition is taken, on some of the pages."""
    browsers: str = ""
    """The socket of the node's browsers; empty if no page is loaded in one."""
    files: str = ""
    """The folder of the files that rows name."""
    process: str = ""
    """Incarnation of the node."""


class _Part(msgspec.Struct, frozen=True, array_like=True):
    """A part of a locator group: names and addresses, without the places in the definitions.

    Attributes:
        requests: position of a locator in the part -> how its page is requested; a plain GET is left out.
        values: position of a locator in the part -> what its placeholders stand for.
    """

    group: str
    locators: tuple[tuple[str, str], ...]
    requests: dict[int, PageRequest] = {}
    values: dict[int, tuple[LocatorValues, ...]] = {}


def has_scripts(definitions: Definitions) -> bool:
    """Whether any JavaScript is run."""
    tasks = (task for group in definitions.task_groups.values() for task in group.tasks)
    data_defs = definitions.data_defs.values()
    columns = (item for each in data_defs for item in (*each.items, *each.dims, *each.facts))
    if any(each.has_scripts for each in definitions.record_defs.values()):
        return True
    return any(column.script is not None for column in columns) or any(
        step.class_name == SCRIPTER for task in tasks for step in task.steps
    )


def may_add_pages(definitions: Definitions) -> bool:
    """Whether pages may lead to further ones: a step makes links, or is a plugin that may."""
    tasks = (task for group in definitions.task_groups.values() for task in group.tasks)
    steps = {step.class_name for task in tasks for step in task.steps}
    fields = (field for each in definitions.record_defs.values() for field in each.fields)
    return LINK_MAKER in steps or not steps <= STEP_CLASSES.keys() or any(field.follow for field in fields)


def packed_locators(groups: Iterable[LocatorGroup]) -> tuple[bytes, ...]:
    """Pack locator groups in parts of a bounded size, which seeding unpacks one by one.

    They are kept as long as the run, so they are compressed, typically to a tenth.
    """
    parts = (part for group in groups for part in _parts(group))
    return tuple(zlib.compress(msgspec.msgpack.encode(part), zlib.Z_BEST_SPEED) for part in parts)


def _parts(group: LocatorGroup) -> Iterator[_Part]:
    for part in _portions(group.locators):
        requests = {at: each.request for at, each in enumerate(part) if each.request is not None}
        values = {at: each.values for at, each in enumerate(part) if each.values}
        yield _Part(group.name, tuple((each.name, each.url) for each in part), requests, values)


def _portions(locators: Iterable[LocatorDef]) -> Iterator[tuple[LocatorDef, ...]]:
    """Parts of `LOCATORS_A_PART` locators; a locator made from rows of a file counts as that many."""
    part: list[LocatorDef] = []
    size = 0
    for each in locators:
        part.append(each)
        rows = [len(values.rows) for values in each.values if isinstance(values, RowValues)]
        size += sum(rows) or 1
        if size >= LOCATORS_A_PART:
            yield tuple(part)
            part, size = [], 0
    if part:
        yield tuple(part)


def unpacked_locators(parts: Iterable[bytes]) -> Iterator[LocatorGroup]:
    """Yield a group for each part, unpacked when it is needed; a large group comes in several.

    Raises:
        RecordError: a part is not what `packed_locators` made.
    """
    decoder = msgpack_decoder(_Part)
    for packed in parts:
        try:
            part = decoder.decode(zlib.decompress(packed))
        except (zlib.error, msgspec.MsgspecError) as fault:
            raise unreadable(RUN, "composed/setup", packed, str(fault)) from fault
        requests, values = part.requests, part.values
        locators = (
            LocatorDef(name, url, request=requests.get(at), values=values.get(at, ()))
            for at, (name, url) in enumerate(part.locators)
        )
        yield LocatorGroup(part.group, tuple(locators))


def compare_inputs(composed: Composed, given: Mapping[str, str]) -> None:
    """Reject inputs that differ from those of the run; one that is not given is as in the run.

    Raises:
        UsageError: one differs.
    """
    for name, value in given.items():
        if composed.inputs.get(name) != value:
            was = f"was {composed.inputs[name]!r}" if name in composed.inputs else "was not given"
            what = f"the input {name} is {value!r}, and {was} when the run began"
            raise UsageError(what, hint="leave -i out to continue, or start a new run")


def compare_user_files(composed: Composed) -> None:
    """Reject user files that have changed: rows of both versions would be mixed in one output.

    Raises:
        PluginError: one has changed.
    """
    changed = [path for path, digest in composed.plugin_digests.items() if digest_now(path) != digest]
    if changed:
        raise PluginError(
            f"the plugin or script has changed since the run began: {', '.join(changed)}",
            hint="restore it to continue, or start a new run",
        )
