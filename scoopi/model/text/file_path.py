"""FilePath: the path of a downloaded file in the run's folder, from the template of its definition."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from scoopi.model.text.text_template import PLACEHOLDER, TextTemplate, placeholder_names

SHA256 = "sha256"
OF_FILE = (SHA256, "ext", "name")
"""Placeholders for what a file is."""
OF_LOCATOR = ("locator.name", "locator.group")
LONGEST_VALUE_BYTES = 80
LONGEST_PART_BYTES = 255
"""What file systems take as one name."""
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


class FilePath:
    """The path of a downloaded file in the run's folder, from the template of its definition.

    >>> path = FilePath("files/%{record.shelf}/%{sha256}.%{ext}")
    >>> path.filled({"record.shelf": "../a/b", "sha256": "ab12", "ext": "pdf"})
    'files/_a_b/ab12.pdf'
    """

    def __init__(self, template: str) -> None:
        self.names = placeholder_names(template)
        self._template = TextTemplate(template, lambda value, before: safe_part(value))

    @property
    def is_by_content(self) -> bool:
        """Whether two contents never have one path."""
        return SHA256 in self.names

    def filled(self, values: Mapping[str, str]) -> str | None:
        """The path with these values; None if it is longer than file systems take."""
        path = self._template.filled({name: values.get(name) or "" for name in self.names})
        is_long = any(len(part.encode()) > LONGEST_PART_BYTES for part in path.split("/"))
        return None if is_long else path


def safe_part(value: str) -> str:
    """A value as it may stand in the name of a file: never another folder, never a hidden file.

    >>> safe_part("Rye / Oat"), safe_part("..%2F"), safe_part("  "), safe_part(".profile")
    ('Rye _ Oat', '%2F', '_', 'profile')
    """
    text = _UNSAFE.sub("_", unicodedata.normalize("NFC", value.encode("utf-8", "replace").decode()))
    text = text.strip().lstrip(".").encode()[:LONGEST_VALUE_BYTES].decode("utf-8", "ignore")
    return text.rstrip(". ") or "_"


def template_fault(template: str, known: Collection[str]) -> tuple[str, str] | None:
    """Why a template does not give paths in a folder below that of the run; None if it does.

    >>> template_fault("s3://b/%{sha256}", ())[0]
    's3://b/%{sha256} is not a path: files are kept in the folder of the run'
    >>> template_fault("../%{sha256}", ())
    ('../%{sha256} leads out of the folder of the run', 'write a path as files/%{sha256}.%{ext}')

    Args:
        known: placeholders of the row.
    Returns:
        The fault and a hint.
    """
    hint = "write a path as files/%{sha256}.%{ext}"
    for name in placeholder_names(template):
        if name not in (*OF_FILE, *OF_LOCATOR, *known):
            names = ", ".join(f"%{{{each}}}" for each in (*OF_FILE, *OF_LOCATOR, *known))
            return f"there is no placeholder %{{{name}}} here", f"known are {names}"
    if "://" in template:
        what = f"{template} is not a path: files are kept in the folder of the run"
        return what, f"{hint}; copy them to an object store when the run is over"
    parts = PLACEHOLDER.sub("x", template).split("/")
    if template.startswith("/") or ".." in parts or "\\" in template:
        return f"{template} leads out of the folder of the run", hint
    if len(parts) < 2 or placeholder_names(template.partition("/")[0]):
        return f"{template} does not begin with the name of a folder", hint
    if any(not part or part[0] in ". " or part[-1] in ". " for part in parts):
        return f"{template} has a part that is empty, hidden, or ends with a dot or a blank", hint
    if _UNSAFE.search(PLACEHOLDER.sub("x", template).replace("/", "")):
        return f"{template} has a sign that not all file systems take", hint
    return None
