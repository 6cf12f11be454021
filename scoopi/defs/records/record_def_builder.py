"""build_record_def: builds a RecordDef from a data definition with fields."""

from __future__ import annotations

import re
from typing import cast

import msgspec

from scoopi.defs.records.download_language import DOWNLOAD, read_download
from scoopi.defs.records.list_end_checker import read_list_end
from scoopi.defs.records.record_language import SOURCES
from scoopi.defs.records.short_forms import NO_OUTPUT
from scoopi.defs.scrape.digest import definition_digest
from scoopi.defs.yaml.node import Listing, Node, Table, Text, read_bool, read_integer, text_nodes
from scoopi.defs.yaml.shape_checker import quoted_name
from scoopi.model.locator import LinkBounds
from scoopi.model.place import NOWHERE, Place
from scoopi.model.records.record_def import (
    COLUMN_TYPES,
    CURRENCY,
    FieldDef,
    FieldType,
    LinkRules,
    RecordDef,
    Selector,
    SourceDef,
)
from scoopi.model.records.record_fault import KeyPath
from scoopi.model.records.record_schema import META_COLUMNS, Column, ColumnType, Expectation, RecordSchema
from scoopi.model.scrape.task_def import OutputDef

RECORDS = "records"
"""The subject of `expect` that is the number of records."""
_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?\d+\.\d+|[+-]?\d+")
_TRUTHS = frozenset({"true", "false"})
_COUNT = re.compile(r"(\d+)(?:(-)(\d+)?)?")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


class WrittenRecordDef(msgspec.Struct, frozen=True):
    """A record definition and its source: `place` is where its name is written, `node` its YAML."""

    record_def: RecordDef
    key: str
    node: Table
    place: Place

    @property
    def link_groups(self) -> list[str]:
        """The names of the task groups that the fields lead to."""
        return [field.follow for field in self.record_def.fields if field.follow]

    def field_node(self, name: str) -> Table:
        """Return the YAML of a field; an empty table if there is no such field."""
        fields = self.node.table("fields")
        found = fields.table(name) if fields is not None else None
        return found or Table({}, {}, self.place)

    def located(self, path: KeyPath) -> tuple[Place, str]:
        """Return the place of a value, and the path of names to it as the user has written it.

        Args:
            path: the names and list positions to the value in the long form, as `("fields", "title")`.
        """
        node: Node = self.node
        place, key = self.place, self.key
        for step in path:
            if isinstance(node, Table) and step in node.entries:
                inner = node.entries[str(step)]
                is_written = node.keys[str(step)] != inner.place
                name = f".{quoted_name(str(step))}"
            elif isinstance(node, Listing) and isinstance(step, int) and step < len(node.entries):
                inner = _used(node)[step]
                is_written, name = inner.place != node.place, f"[{step}]"
            else:
                break
            place, node = inner.place, inner
            key = key + name if is_written else key
        return place, key


def build_record_def(name: str, node: Table, key: str, place: Place) -> WrittenRecordDef:
    """Build a normalized record definition; malformed entries, which a checker reports, count as absent."""
    written = node.table("fields") or Table({}, {}, NOWHERE)
    fields = tuple(
        _field(each, inner, written.keys[each])
        for each, inner in written.entries.items()
        if isinstance(inner, Table)
    )
    record_def = RecordDef(
        name=name,
        schema=RecordSchema(
            name=name,
            columns=tuple(column for field in fields for column in _columns(field)),
            key=tuple(each.text for each in _selectors(node, "key")),
            expect=_expectations(node),
            meta=tuple(META_COLUMNS[each] for each in node.texts("meta") if each in META_COLUMNS),
        ),
        fields=fields,
        each=Selector(node.text("each") or "", node.at("each")) if node.text("each") else None,
        source=_source(node),
        time_zone=node.text("timeZone") or "",
        place=place,
    )
    record_def = msgspec.structs.replace(record_def, digest=definition_digest(record_def))
    return WrittenRecordDef(record_def, key, node, place)


def read_expectation(subject: str, text: str, place: Place = NOWHERE) -> Expectation | None:
    """Read an entry of `expect`, a number of records or a share; None if the text is neither.

    >>> read_expectation("records", "20-").least, read_expectation("price", "95 %").least
    (20.0, 0.95)
    """
    if subject == RECORDS:
        count = _COUNT.fullmatch(text.strip())
        if count is None:
            return None
        least = float(count[1])
        most = float(count[3]) if count[3] else None if count[2] else least
        if most is not None and most < least:
            return None
        return Expectation(subject, least, most, False, text, place)
    share = _SHARE.fullmatch(text.strip())
    if share is None or float(share[1]) > 100:
        return None
    return Expectation(subject, float(share[1]) / 100, None, True, text, place)


def _field(name: str, node: Table, place: Place) -> FieldDef:
    mapped = _mapped(node)
    kind = node.text("type")
    download = read_download(node.table(DOWNLOAD))
    if kind is None and DOWNLOAD in node.entries:
        kind = "url"
    type_name = kind if kind in COLUMN_TYPES and kind is not None else _shared_type(mapped)
    is_kept = node.text("onError") == "keep"
    return FieldDef(
        name=name,
        selects=_selectors(node, "select"),
        page=_flag(node, "page"),
        label=node.text("label"),
        value=node.text("value"),
        parent=node.text("parent"),
        script=node.text("script"),
        text=node.text("text") or "visible",
        html=node.text("html") or "",
        regex=node.text("regex"),
        replace=_pairs(node),
        map=mapped,
        type=cast(FieldType, type_name),
        column_type=ColumnType.TEXT if is_kept else COLUMN_TYPES[type_name],
        default=node.text("default"),
        is_list=_flag(node, "list"),
        locale=node.text("locale"),
        formats=node.texts("formats"),
        languages=node.texts("languages"),
        on_error=node.text("onError") or "missing",
        required=_flag(node, "required"),
        follow=node.text("follow") or "",
        once=node.text("once") or "run",
        links=_link_rules(node.table("links")),
        download=download,
        place=place,
    )


def _link_rules(node: Table | None) -> LinkRules | None:
    if node is None:
        return None
    return LinkRules(
        allow=_selectors(node, "allow"),
        deny=_selectors(node, "deny"),
        same=node.text("same") or "any",
        bounds=LinkBounds(
            read_integer(node.text("depth") or ""),
            read_integer(node.text("pages") or ""),
            read_list_end(node),
        ),
    )


def _columns(field: FieldDef) -> list[Column]:
    is_file = field.download is not None
    columns = [Column(field.name, field.column_type, field.is_list, field.place, is_file)]
    if field.type == "price":
        columns.append(Column(field.name + CURRENCY, ColumnType.TEXT, field.is_list, field.place))
    return columns


def _shared_type(mapped: dict[str, str]) -> str:
    """The type that all values of a map have."""
    values = mapped.values()
    if not values:
        return ColumnType.TEXT
    if all(map(_INTEGER.fullmatch, values)):
        return ColumnType.INTEGER
    if all(map(_DECIMAL.fullmatch, values)):
        return ColumnType.DECIMAL
    return ColumnType.BOOLEAN if _TRUTHS.issuperset(values) else ColumnType.TEXT


def _mapped(node: Table) -> dict[str, str]:
    table = node.table("map")
    if table is None:
        return {}
    return {name: entry.text for name, entry in table.entries.items() if isinstance(entry, Text)}


def _pairs(node: Table) -> tuple[tuple[str, str], ...]:
    pairs = node.entries.get("replace")
    used = (_texts(each) for each in _used(pairs)) if isinstance(pairs, Listing) else ()
    return tuple((texts[0], texts[1]) for texts in used if len(texts) == 2)


def _used(listing: Listing) -> list[Node]:
    """The entries that count: texts, or pairs of texts; the others are malformed, which is reported."""
    return [each for each in listing.entries if isinstance(each, Text) or len(_texts(each)) == 2]


def _texts(node: Node) -> list[str]:
    """The texts of a list."""
    return [each.text for each in text_nodes(node)]


def _selectors(node: Table, name: str) -> tuple[Selector, ...]:
    return tuple(Selector(each.text, each.place) for each in text_nodes(node.entries.get(name)))


def _expectations(node: Table) -> tuple[Expectation, ...]:
    table = node.table("expect")
    if table is None:
        return ()
    found = (
        read_expectation(name, entry.text, entry.place)
        for name, entry in table.entries.items()
        if isinstance(entry, Text)
    )
    return tuple(each for each in found if each is not None)


def _source(node: Table) -> SourceDef:
    table = node.table("source")
    if table is not None:
        return SourceDef("script", table.text("script") or "", _flag(table, "js"), table.place)
    kind = node.text("source")
    return SourceDef(kind if kind in SOURCES and kind else "html", place=node.at("source"))


def _flag(node: Table, name: str) -> bool:
    return read_bool(node.text(name) or "") is True


def outputs_of(data_def: str, written: tuple[OutputDef, ...]) -> tuple[OutputDef, ...]:
    """Return the outputs of a task; by default the file `DATA_DEF.jsonl`, with `output: none` nothing."""
    if not written:
        return (OutputDef(f"{data_def}.jsonl"),)
    return tuple(each for each in written if each.to != NO_OUTPUT)
