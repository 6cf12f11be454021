"""FieldCoverage: what the fields of records found, for the summary and `run.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from scoopi.engine.found_counts import FoundCounts, placed
from scoopi.engine.unfollowed_links import UnfollowedLinks
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.report.counter_names import (
    ABSENT,
    EXAMPLE,
    FIELD,
    PAGES,
    PREFIX,
    REJECTED,
    ROWS,
    UNREADABLE,
    count_name,
)
from scoopi.model.report.run_counts import FieldFigures

_ENDS = ("next", "crawl")
"""Tasks of links whose pages may have none: the last one of a list, the leaves of a site."""
NO_TASKS: Mapping[str, str] = MappingProxyType({})


class FieldCoverage(FoundCounts):
    """Reports what the fields of records found, for the summary and `run.json`.

    Args:
        link_tasks: data definition of a task of links -> the key that it was made from, such as `next`.
    """

    def __init__(
        self,
        record_defs: Mapping[str, RecordDef],
        counts: NodeCounts,
        whose: str = "",
        link_tasks: Mapping[str, str] = NO_TASKS,
    ) -> None:
        super().__init__(counts, whose)
        self._record_defs = record_defs
        self._link_tasks = link_tasks
        self._links = UnfollowedLinks(counts)

    def figures(self) -> tuple[FieldFigures, ...]:
        """The figures of each field of the definitions that have read a page, in their order."""
        return tuple(
            self._figures_of(definition, field)
            for definition in self._record_defs.values()
            if self._count(PAGES, definition.name) and not _list_of(definition)
            for field in definition.fields
        )

    def sentences(self) -> tuple[str, ...]:
        """A sentence for each that found nothing, on why: `each`, a selector, a type or a rule of links."""
        return tuple(
            sentence
            for definition in self._record_defs.values()
            for sentence in self._sentences_of(definition)
        )

    def _figures_of(self, definition: RecordDef, field: FieldDef) -> FieldFigures:
        name = definition.name
        rows, absent = self._count(ROWS, name), self._of_field(ABSENT, name, field.name)
        missing = 0 if self._link_tasks.get(name) in _ENDS else absent
        unreadable = self._of_field(UNREADABLE, name, field.name)
        key = f"{PREFIX}{count_name(EXAMPLE, name, (FIELD, field.name))}\x1f"
        examples = sorted(self._counts.with_prefix(key))
        return FieldFigures(
            data_def=name,
            field=field.name,
            filled=max(0, rows - absent - (0 if field.is_list else min(unreadable, rows - absent))),
            missing=missing,
            unreadable=unreadable,
            rejected=self._of_field(REJECTED, name, field.name),
            example=examples[0] if examples else "",
            at=str(field.read_at),
        )

    def _sentences_of(self, definition: RecordDef) -> Iterator[str]:
        name = definition.name
        pages, rows = self._count(PAGES, name), self._count(ROWS, name)
        if not pages:
            return
        where = self._where(pages)
        if kind := _list_of(definition):
            if not name.endswith(".index"):
                yield from self._of_list(definition, kind, where)
            return
        if task := self._link_tasks.get(name):
            yield from self._of_link_task(definition, task, where)
            return
        figures = [self._figures_of(definition, field) for field in definition.fields]
        rejected = sum(each.rejected for each in figures)
        if not rows and not rejected and definition.each is not None:
            selector = definition.each
            yield f"dataDef {name}: `each` {selector.text!r} finds nothing on {where}{placed(selector.place)}"
            return
        if not rows and rejected:
            worst = max(figures, key=lambda each: each.rejected)
            elements = "the only element" if rejected == 1 else f"all {rejected:,} elements"
            were = "was rejected" if rejected == 1 else f"were rejected, {worst.rejected:,} of them"
            yield f"dataDef {name}: {elements} on {where} {were} for the field {worst.field} ({worst.at})"
            return
        for field, each in zip(definition.fields, figures, strict=True) if rows else ():
            whose = f"{field.name} of {name}"
            if not each.filled and each.unreadable:
                example = f": {each.example}" if each.example else ""
                yield f"{whose}: no value is readable as {field.type}{example} ({each.at})"
            elif each.missing == rows and _is_read(field):
                records = f"{rows:,} record{'' if rows == 1 else 's'}"
                label = field.label
                finds = f"no label {label!r} has a value" if label else "its selector finds nothing"
                yield f"{whose}: {finds} in {records} of {where} ({each.at})"
        for field in definition.fields:
            yield from self._links.sentence(name, field, f"{field.name} of {name}", where)

    def _of_list(self, definition: RecordDef, kind: str, where: str) -> Iterator[str]:
        """What is known of a sitemap or feed that has led to no page."""
        name, link = definition.name, definition.fields[0]
        whose = f"group {name.removesuffix(f'.{kind}.pages')}"
        if self._of_field(ABSENT, name, link.name) == self._count(ROWS, name):
            since = " that `since` lets through" if _has_since(link) else ""
            yield f"{whose}: its {kind} lists no page{since} on {where}{placed(link.read_at)}"
        yield from self._links.sentence(name, link, whose, where, allow="match")

    def _of_link_task(self, definition: RecordDef, task: str, where: str) -> Iterator[str]:
        """What is known of a `follow`, `next` or `crawl` that has led nowhere."""
        name, link = definition.name, definition.fields[0]
        if self._of_field(ABSENT, name, link.name) == self._count(ROWS, name):
            last = "; a list of several pages has another selector" if task == "next" else ""
            yield f"{task} of {name}: its selector finds no link on {where}{last}{placed(link.read_at)}"
        yield from self._links.sentence(name, link, f"{task} of {name}", where)

    def _of_field(self, kind: str, data_def: str, field: str) -> int:
        return self._count(kind, data_def, (FIELD, field))


def _list_of(definition: RecordDef) -> str:
    """Which kind of list (`from: sitemap`) a definition stands for; empty for those that are written."""
    kind = definition.source.kind
    return kind if definition.name.endswith((f".{kind}.pages", f".{kind}.index")) else ""


def _has_since(link: FieldDef) -> bool:
    """Whether a list's pages are chosen by the day of their last change, too."""
    return any("changed" in select.text for select in link.selects)


def _is_read(field: FieldDef) -> bool:
    """Whether a field is read from the page; a task's own link may be missing on every page."""
    return bool(field.selects or field.label)
