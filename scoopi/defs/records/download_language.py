"""DOWNLOAD_KEY: the key `download` of fields, and of entries of grids, whose values are addresses of files.

Source: defs/README.md, 6.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, Text, read_size, text_nodes
from scoopi.defs.yaml.shape import Key, Kind, Record, Scalar, TextOrTexts
from scoopi.model.downloads import MOST_FILE_BYTES, Download
from scoopi.model.place import Place
from scoopi.model.records.record_def import RecordDef
from scoopi.model.scrape.task_def import OutputDef
from scoopi.model.text.file_path import FilePath, template_fault
from scoopi.model.text.text_template import PLACEHOLDER

DOWNLOAD = "download"
_NAME = Scalar(Kind.NAME)
_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
DOWNLOADS = Record(
    (
        Key(
            "to",
            _NAME,
            "Path of the file in the run's folder, or its URL in an object store, with placeholders; it "
            "replaces the address in the row.",
            'to: "files/%{sha256}.%{ext}"',
            True,
        ),
        Key(
            "types",
            TextOrTexts(),
            "The accepted media types; `*` stands for anything. Default: all.",
            "types: [ image/*, application/pdf ]",
        ),
        Key(
            "maxSize",
            _NAME,
            "The largest accepted size, in bytes, kB, MB or GB. Default: 100 MB.",
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
    """Read how files are downloaded; None if the key is missing, or names no path."""
    if node is None or not node.text("to"):
        return None
    types = tuple(each.text.lower() for each in _types(node))
    size = read_size(node.text("maxSize") or "")
    return Download(node.text("to") or "", types, size or MOST_FILE_BYTES, node.place)


def _types(node: Table) -> list[Text]:
    written = node.entries.get("types")
    entries = [written] if isinstance(written, Text) else text_nodes(written)
    return [each for each in entries if not each.is_empty]


def check_download(
    node: Table,
    key: str,
    values: Sequence[str],
    findings: Findings,
    path: Callable[[str], Fault | None],
    *,
    has_many: bool,
) -> None:
    """Report faults in the download of an entry or a field.

    Args:
        key: the path of names to the entry, for findings.
        values: the names of the placeholders that the row fills.
        path: a further check of the path of the file.
        has_many: whether a page may have several of these files.
    """
    table = node.table(DOWNLOAD)
    if table is None:
        return
    key = f"{key}.{DOWNLOAD}"
    if (to := table.text("to")) and (fault := template_fault(to, values)) is not None:
        findings.error(table.at("to"), f"{key}.to", *fault)
    elif to and (wrong := path(to)) is not None:
        findings.error(table.at("to"), f"{key}.to", wrong.what, wrong.hint)
    elif to and has_many and not FilePath(to).differs_by_row:
        what = f"all files of a page have the path {to}, so of different files only the first is saved"
        findings.warning(table.at("to"), f"{key}.to", what, "add %{sha256} to it, or %{name}")
    for each in _types(table):
        if not _TYPE.fullmatch(each.text.lower()):
            what = f"{each.text!r} is not a media type"
            findings.error(each.place, f"{key}.types", what, "write it as image/png or image/*")
    size = table.text("maxSize")
    if size is not None and not read_size(size):
        what = f"{size!r} is not a size above 0"
        findings.error(table.at("maxSize"), f"{key}.maxSize", what, "write it as 20 MB")


def path_fault_of_nodes(path: str) -> Fault | None:
    """Return the fault of a path at which two nodes may save different files; None if they cannot."""
    if FilePath(path).is_by_content:
        return None
    return Fault("two nodes of a cluster may save different files at this path", "add %{sha256} to it")


def check_has_output(
    definition: RecordDef, outputs: Sequence[OutputDef], key: str, place: Place, findings: Findings
) -> None:
    """Report a task that downloads files if no output has the rows that name them, or one is at their path.

    Args:
        key: the path of names to the task.
        place: where the task is written.
    """
    if definition.has_downloads and not outputs:
        what = f"the records of {definition.name} name files, but no output contains them"
        findings.error(place, key, what, "name an output, or remove `download`")
    downloads = [field.download for field in definition.fields if field.download is not None]
    for output in outputs:
        for download in downloads:
            if _meet(download.to, output.to):
                what = f"{output.to} may also be the path of a downloaded file or its folder: {download.to}"
                hint = "give the files a folder of their own, as in files/%{sha256}.%{ext}"
                findings.error(output.place, f"{key}.output", what, hint)


def _meet(template: str, output: str) -> bool:
    """Whether a file of a template may have the path of an output, or that of a folder that it is in.

    >>> _meet("files/%{name}.%{ext}", "files/books.csv"), _meet("books.csv/%{sha256}", "books.csv")
    (True, True)
    >>> _meet("files/%{sha256}.%{ext}", "files/books.csv"), _meet("files/%{name}", "books.csv")
    (False, False)
    """
    if template == output or template.startswith(f"{output}/"):
        return True
    texts = PLACEHOLDER.sub("\0", template).split("\0")
    return not FilePath(template).is_by_content and bool(
        re.fullmatch("[^/]+".join(map(re.escape, texts)), output)
    )
