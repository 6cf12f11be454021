"""Packs a project reproducibly: equal files give a bundle with an equal digest, which any node can run."""

from __future__ import annotations

import fnmatch
import hashlib
import io
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scoopi.errors import DamagedBundleError, DefsError
from scoopi.model.place import source_folder
from scoopi.synced_files import sync_file, sync_folder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_BYTES = 32 * 2**20
"""The most bytes that the files of a project may have."""
PART_SIZE = 2**20
"""The size in bytes of the parts in which a bundle is stored."""
_NAMES_SHOWN = 10
_ASIDE = frozenset({"output", "scheduler", "__pycache__"})
IGNORE_FILE = ".scoopiignore"


def pack(project: Path) -> tuple[str, bytes]:
    """Pack a project.

    Hidden files, `output/`, `scheduler/`, `__pycache__`, symbolic links and files that `.scoopiignore`
    matches (one glob a line) are left out.

    Args:
        project: the project's folder, or its only file.
    Returns:
        The digest, which depends only on names, contents and executable bits; and the bundle's bytes.
    Raises:
        DefsError: the files have more than 32 MiB; the message lists the largest.
    """
    root = source_folder(project)
    files = sorted(_files(root, root, _ignored(root))) if project.is_dir() else [project]
    sizes = {file: file.stat().st_size for file in files}
    if sum(sizes.values()) > MOST_BYTES:
        largest = sorted(files, key=lambda file: -sizes[file])[:_NAMES_SHOWN]
        names = ", ".join(f"{file.relative_to(root)} ({sizes[file] / 2**20:.1f} MiB)" for file in largest)
        what = (
            f"the project has {sum(sizes.values()) / 2**20:.1f} MiB, more than 32; the largest files: {names}"
        )
        raise DefsError(what, at=str(root), hint=f"name what is not needed in {IGNORE_FILE}")
    packed = _tar(root, files)
    return hashlib.sha256(packed).hexdigest()[:32], zstd.compress(packed)


def unpack(name: str, data: bytes, bundles: Path) -> Path:
    """Unpack a bundle into a folder named by its digest, unless it is there already.

    Args:
        name: the digest, as `pack` returns it.
        data: the bundle's bytes.
        bundles: the folder of all bundles; created if it does not exist.
    Returns:
        The folder with the project's files, read-only.
    Raises:
        DamagedBundleError: the bytes are damaged, or do not have this digest.
    """
    folder = bundles / name
    if folder.is_dir():
        return folder
    bundles.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        packed = zstd.decompress(data)
    except zstd.ZstdError as error:
        raise damaged(name) from error
    if hashlib.sha256(packed).hexdigest()[:32] != name:
        raise damaged(name)
    part = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=bundles))
    try:
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            tar.extractall(part, filter="data")
        _sync(part)  # after a power failure an empty file would count as unpacked
        os.rename(part, folder)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        if not folder.is_dir():  # else another process was first
            raise
    return folder


def damaged(name: str) -> DamagedBundleError:
    """Return the error about a bundle that cannot be unpacked; a deployment writes its parts again."""
    return DamagedBundleError(f"bundle {name} in the store is damaged", hint="deploy the project again")


def _sync(root: Path) -> None:
    for folder, _, names in os.walk(root):
        for name in names:
            sync_file(Path(folder, name))
        sync_folder(Path(folder))


def _files(folder: Path, root: Path, ignored: list[str]) -> Iterator[Path]:
    for path in folder.iterdir():
        name = path.relative_to(root).as_posix()
        if path.name.startswith(".") or path.is_symlink() or any(_matches(name, glob) for glob in ignored):
            continue
        if path.is_dir():
            if path.name not in _ASIDE:
                yield from _files(path, root, ignored)
        elif path.is_file():
            yield path


def _ignored(root: Path) -> list[str]:
    try:
        lines = (root / IGNORE_FILE).read_text().splitlines()
    except FileNotFoundError:
        return []
    return [line.strip().rstrip("/") for line in lines if line.strip() and not line.startswith("#")]


def _matches(name: str, glob: str) -> bool:
    return fnmatch.fnmatchcase(name, glob) or fnmatch.fnmatchcase(name.rpartition("/")[2], glob)


def _tar(root: Path, files: list[Path]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in files:
            entry = tarfile.TarInfo(file.relative_to(root).as_posix())
            content = file.read_bytes()
            entry.size = len(content)
            entry.mode = 0o755 if os.access(file, os.X_OK) and file.stat().st_mode & 0o111 else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
