"""ensure_libraries: checks that the libraries that an output or an object store needs are installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from scoopi.errors import DefsError
from scoopi.model.text.shown import nearest
from scoopi.outputs.target import Target, TargetKind

_OF_FORMAT = {"parquet": ("parquet", ("pyarrow",)), "xlsx": ("xlsx", ("openpyxl",))}
"""Format -> the extra to install, and the modules that it needs."""
_SQL = {TargetKind.SQLITE: ("sqlalchemy",), TargetKind.POSTGRESQL: ("sqlalchemy", "psycopg")}
_READ_ONLY = ("http", "https", "github", "git", "zip", "tar", "data", "reference", "generic")
_LIBRARIES = {
    "s3": ("s3fs", "scoopi[s3]"),
    "s3a": ("s3fs", "scoopi[s3]"),
    "gs": ("gcsfs", "gcsfs"),
    "gcs": ("gcsfs", "gcsfs"),
    "abfs": ("adlfs", "adlfs"),
    "az": ("adlfs", "adlfs"),
    "sftp": ("paramiko", "paramiko"),
    "ssh": ("paramiko", "paramiko"),
}
"""Scheme -> the module that fsspec needs for it, and the package to install."""


def ensure_store(url: str) -> None:
    """Check that the libraries that an object store for downloaded files needs are installed.

    Raises:
        DefsError: as `ensure_libraries`.
    """
    ensure_libraries(Target(TargetKind.REMOTE, url, url), "object store")


def ensure_libraries(target: Target, what: str = "output") -> None:
    """Check that all libraries that an output needs are installed; none is imported.

    Args:
        what: what the target is, for messages.
    Raises:
        DefsError: a library is missing (the hint has the command that installs it), or the scheme of a URL
            is unknown or read-only.
    """
    for name, modules in _needed(target, what):
        if any(find_spec(module) is None for module in modules):
            missing = next(module for module in modules if find_spec(module) is None)
            cause = f"{what} {target.name!r} needs {missing}, which is not installed"
            raise DefsError(cause, hint=f"pip install '{name}'")


def _needed(target: Target, what: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if target.format in _OF_FORMAT:
        extra, modules = _OF_FORMAT[target.format]
        yield f"scoopi[{extra}]", modules
    if target.kind in _SQL:
        yield "scoopi[sql]", _SQL[target.kind]
    if target.kind is TargetKind.REMOTE:
        yield "scoopi[s3]", ("fsspec",)
        scheme = scheme_of(target, what)
        if scheme in _LIBRARIES:
            module, name = _LIBRARIES[scheme]
            yield name, (module,)


def scheme_of(target: Target, what: str = "output") -> str:
    """Return the scheme of a remote output's URL, after checking that it can be written to.

    Args:
        what: what the target is, for messages.
    Raises:
        DefsError: fsspec does not know the scheme, or cannot write to it.
    """
    scheme = target.path.partition("://")[0].lower()
    if scheme in _LIBRARIES:
        return scheme
    known = _known_schemes()
    if scheme in _READ_ONLY:
        raise DefsError(f"{what} {target.name!r} cannot be written over {scheme}", hint=_hint("", what))
    if known and scheme not in known:
        near = nearest(scheme, [*_LIBRARIES, "postgresql", "sqlite", *known])
        raise DefsError(f"{what} {target.name!r} has an unknown scheme {scheme!r}", hint=_hint(near, what))
    return scheme


def _known_schemes() -> list[str]:
    """The schemes that fsspec knows; none if it is not installed."""
    if find_spec("fsspec") is None:
        return []
    from fsspec.registry import known_implementations

    return [*known_implementations]


def _hint(near: str, what: str) -> str:
    if near:
        return f"did you mean {near}?"
    return "use s3, gs, abfs or sftp" + (", a database, or a file's name" if what == "output" else "")
