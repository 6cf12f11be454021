"""FilePath: the path of a downloaded file, or its URL in an object store, from its template."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from types import MappingProxyType

from scoopi.model.text.shown import did_you_mean
from scoopi.model.text.text_template import PLACEHOLDER, TextTemplate, placeholder_names, unclosed

SHA256 = "sha256"
OF_FILE = (SHA256, "ext", "name")
"""Placeholders for properties of the file."""
OF_LOCATOR = ("locator.name", "locator.group")
LONGEST_VALUE_BYTES = 80
LONGEST_PART_BYTES = 255
"""The longest name that file systems allow."""
_OTHER_NAMES = MappingProxyType(
    {
        **dict.fromkeys(("sha", "sha1", "sha512", "sha-256", "hash", "md5", "digest", "checksum"), SHA256),
        **dict.fromkeys(("extension", "suffix", "type"), "ext"),
        **dict.fromkeys(("filename", "file", "basename", "stem"), "name"),
        "locator": "locator.name",
        "group": "locator.group",
    }
)
"""Names of placeholders in other tools that are not similar to the name here."""
_OBJECT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


class FilePath:
    """The path of a downloaded file, from the template of its definition.

    The path is relative to the run's folder, or the URL of an object.

    >>> path = FilePath("files/%{record.shelf}/%{sha256}.%{ext}")
    >>> path.filled({"record.shelf": "../a/b", "sha256": "ab12", "ext": "pdf"})
    'files/_a_b/ab12.pdf'
    """

    def __init__(self, template: str) -> None:
        self.names = placeholder_names(template)
        self._template = TextTemplate(template, lambda value, before: safe_part(value))

    @property
    def is_by_content(self) -> bool:
        """Whether files with different contents always have different paths."""
        return SHA256 in self.names

    @property
    def differs_by_row(self) -> bool:
        """Whether files of different rows of one page may have different paths.

        >>> FilePath("files/%{locator.name}.%{ext}").differs_by_row, FilePath("files/%{name}").differs_by_row
        (False, True)
        """
        return any(name not in ("ext", *OF_LOCATOR) for name in self.names)

    def filled(self, values: Mapping[str, str]) -> str | None:
        """Return the path with these values; None if a part is longer than file systems allow."""
        path = self._template.filled({name: values.get(name) or "" for name in self.names})
        is_long = any(len(part.encode()) > LONGEST_PART_BYTES for part in path.split("/"))
        return None if is_long else path


def safe_part(value: str) -> str:
    """Return a value made safe as a part of a file's name: never another folder, never a hidden file.

    A long value is cut.

    >>> safe_part("Rye / Oat"), safe_part("..%2F"), safe_part("  "), safe_part(".profile")
    ('Rye _ Oat', '%2F', '_', 'profile')
    """
    text = _UNSAFE.sub("_", unicodedata.normalize("NFC", value.encode("utf-8", "replace").decode()))
    text = text.strip().lstrip(".").encode()[:LONGEST_VALUE_BYTES].decode("utf-8", "ignore")
    return text.rstrip(". ") or "_"


def is_object(path: str) -> bool:
    """Whether a path, or the template of one, is the URL of an object in a store.

    >>> is_object("s3://b/%{sha256}"), is_object("files/%{sha256}")
    (True, False)
    """
    return _OBJECT.match(path) is not None


def template_fault(template: str, known: Collection[str]) -> tuple[str, str] | None:
    """Return what is wrong with a template of paths in the run's folder, or of URLs of objects; else None.

    >>> template_fault("s3://b/%{name}", ())[0]
    's3://b/%{name} has no %{sha256}: a file could replace that of another run'
    >>> template_fault("../%{sha256}", ())
    ('../%{sha256} leads out of the folder of the run', 'write a path as files/%{sha256}.%{ext}')

    Args:
        known: the placeholders of the row.
    Returns:
        The fault and a hint, or None.
    """
    hint = "write a path as files/%{sha256}.%{ext}"
    for name in placeholder_names(template):
        if name not in (*OF_FILE, *OF_LOCATOR, *known):
            return f"there is no placeholder %{{{name}}} here", _hint_of(name, known)
    if cut := unclosed(template):
        return f"the placeholder {cut} is not closed", "close it with }, as in %{sha256}"
    if is_object(template):
        return _object_fault(template)
    parts = PLACEHOLDER.sub("x", template).split("/")
    if template.startswith("/") or ".." in parts or "\\" in template:
        return f"{template} leads out of the folder of the run", hint
    if len(parts) < 2 or placeholder_names(template.partition("/")[0]):
        return f"{template} does not begin with the name of a folder", hint
    if any(not part or part[0] in ". " or part[-1] in ". " for part in parts):
        return f"{template} has a part that is empty, hidden, or ends with a dot or a space", hint
    if _UNSAFE.search(PLACEHOLDER.sub("x", template).replace("/", "")):
        return f"{template} contains a character that not all file systems allow", hint
    return None


def _hint_of(name: str, known: Collection[str]) -> str:
    """The placeholder that an unknown one probably means, or a list of all.

    >>> _hint_of("sha", ()), _hint_of("title", ["record.title"])
    ('did you mean %{sha256}?', 'did you mean %{record.title}?')
    """
    names = (*OF_FILE, *OF_LOCATOR, *known)
    of_row = next((each for each in known if each.partition(".")[2] == name), "")
    meant = _OTHER_NAMES.get(name.lower(), "") or of_row or name
    return did_you_mean(meant, names, f"known are {', '.join(f'%{{{each}}}' for each in names)}", "%{{{}}}")


def _object_fault(template: str) -> tuple[str, str] | None:
    """What is wrong with a template of URLs of objects; None if nothing is."""
    scheme, _, place = template.partition("://")
    hint = f"write it as {scheme}://bucket/files/%{{sha256}}.%{{ext}}"
    bucket, *parts = place.split("/")
    if not bucket or placeholder_names(bucket):
        return f"{template} does not begin with the fixed name of a bucket or host", hint
    if ":" in bucket.rpartition("@")[0]:
        shown = template.replace(bucket.rpartition("@")[0], "…")
        return f"{shown} contains a password", "remove it: rows would show it; put it into the environment"
    plain = [PLACEHOLDER.sub("x", part) for part in parts]
    if not plain or any(part in ("", ".", "..") for part in plain):
        return f"{template} has a part that is empty, or leads elsewhere", hint
    if any(_UNSAFE.search(part) for part in plain):
        return f"{template} contains a character that not all stores allow", hint
    if SHA256 not in placeholder_names(template):
        return f"{template} has no %{{sha256}}: a file could replace that of another run", hint
    return None
