"""DOWNLOAD_KEY: the key `download` of fields and entries whose values are addresses of files.

Source: defs/README.md, 6.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, read_size
from scoopi.defs.yaml.shape import Key, Kind, Record, Scalar, TextOrTexts
from scoopi.model.definitions import OutputDef
from scoopi.model.downloads import MOST_FILE_BYTES, Download
from scoopi.model.place import Place
from scoopi.model.records.record_def import RecordDef
from scoopi.model.text.file_path import FilePath, template_fault

DOWNLOAD = "download"
_NAME = Scalar(Kind.NAME)
_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
DOWNLOADS = Record(
    (
        Key(
            "to",
            _NAME,
            "Path of the file in the run's folder, or its URL in an object store, with placeholders; the "
            "row has it, not the address.",
            'to: "files/%{sha256}.%{ext}"',
            True,
        ),
        Key(
            "types",
            TextOrTexts(),
            "Media types that are wanted; `*` stands for anything. Default: all.",
            "types: [ image/*, application/pdf ]",
        ),
        Key(
            "maxSize",
            _NAME,
            "Size of the largest file that is wanted, in bytes, kB, MB or GB. Default: 100 MB.",
            "maxSize: 20 MB",
        ),
    )
)
DOWNLOAD_KEY = Key(
    DOWNLOAD,
    DOWNLOADS,
    "Download the file that the value leads to.",
    'download: { to: "files/%{sha256}.%{ext}" }',
)


def read_download(node: Table | None) -> Download | None:
    """Read how files are downloaded; None without the key, or if it names no path."""
    if node is None or not node.text("to"):
        return None
    types = tuple(each.lower() for each in _types(node))
    size = read_size(node.text("maxSize") or "")
    return Download(node.text("to") or "", types, size or MOST_FILE_BYTES, node.place)


def _types(node: Table) -> tuple[str, ...]:
    one = node.text("types")
    return node.texts("types") if one is None else (one,)


def check_download(
    node: Table, key: str, values: Sequence[str], findings: Findings, path: Callable[[str], Fault | None]
) -> None:
    """Check the download of an entry or a field as written.

    Args:
        key: the path of names to the entry, for findings.
        values: names of the placeholders that the row gives values to.
        path: checks the path of the file further.
    """
    table = node.table(DOWNLOAD)
    if table is None:
        return
    key = f"{key}.{DOWNLOAD}"
    if (to := table.text("to")) and (fault := template_fault(to, values)) is not None:
        findings.error(table.at("to"), f"{key}.to", *fault)
    elif to and (wrong := path(to)) is not None:
        findings.error(table.at("to"), f"{key}.to", wrong.what, wrong.hint)
    for each in _types(table):
        if not _TYPE.fullmatch(each.lower()):
            what = f"{each!r} is not a media type"
            findings.error(table.at("types"), f"{key}.types", what, "write it as image/png or image/*")
    size = table.text("maxSize")
    if size is not None and not read_size(size):
        what = f"{size!r} is not a size above 0"
        findings.error(table.at("maxSize"), f"{key}.maxSize", what, "write it as 20 MB")


def path_fault_of_nodes(path: str) -> Fault | None:
    """Return why a path cannot be used in a cluster: two nodes may save different files there.

    None if it can be used, as it differs for different contents.
    """
    if FilePath(path).is_by_content:
        return None
    return Fault("nodes of a cluster do not know each other's paths of files", "add %{sha256} to it")


def check_has_output(
    definition: RecordDef, outputs: Sequence[OutputDef], key: str, place: Place, findings: Findings
) -> None:
    """Check that a task that downloads files has an output for the rows that name them.

    Args:
        key: the path of names to the task.
        place: where the task is written.
    """
    if definition.has_downloads and not outputs:
        what = f"the records of {definition.name} name files, and no output has them"
        findings.error(place, key, what, "name an output, or take `download` out")
