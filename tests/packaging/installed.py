"""Installed: Scoopi's wheel in a virtual environment of its own, without the checkout."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LIMIT_S = 120


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel; its dependencies are those of the environment that runs the tests.

    Attributes:
        backend: how it must copy trees into lxml, `compiled` or `pure Python`.
        home: an empty folder, the home of its user.
    """

    wheel: Path
    folder: Path
    backend: str
    home: Path

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.folder / "bin" / "python"

    def run(self, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, `python` or `scoopi`; whatever its exit code."""
        environ = {"PATH": os.defpath, "HOME": str(self.home), "NO_COLOR": "1"}
        program = str(self.folder / "bin" / command[0])
        return subprocess.run(
            [program, *command[1:]],
            cwd=cwd,
            env=environ,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )


def install(folder: Path, backend: str) -> Installed:
    """Build the wheel of a backend and install it; done once, by the first process that asks.

    Args:
        folder: shared by all processes that run tests.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home, place = folder / "home", folder / "venv"
    with _alone(folder):
        if not (folder / "ready").exists():
            home.mkdir()
            _make_environment(place, _build(folder, backend))
            (folder / "ready").touch()
    return Installed(_only_wheel(folder), place, backend, home)


def _build(folder: Path, backend: str) -> Path:
    """The wheel; built without a compiler if it is the pure-Python one."""
    environ = {name: value for name, value in os.environ.items() if name != "CC"}
    if backend == "pure Python":
        (folder / "no-programs").mkdir()
        environ["PATH"] = str(folder / "no-programs")
    wheels = ["--no-build-isolation", "--wheel-dir", str(folder / "wheels")]
    _pip("wheel", *wheels, str(ROOT), environ=environ)
    return _only_wheel(folder)


def _make_environment(place: Path, wheel: Path) -> None:
    """A `.pth` file lends it the libraries; those of the lender, as of its editable install, do not count."""
    venv.create(place, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)}))
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    _pip("--python", str(place / "bin" / "python"), "install", str(wheel))


def _pip(*arguments: str, environ: dict[str, str] | None = None) -> None:
    at = next(number for number, word in enumerate(arguments) if word in ("wheel", "install")) + 1
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    command = [sys.executable, "-m", "pip", *arguments[:at], *quiet, *arguments[at:]]
    done = subprocess.run(
        command, env=environ, cwd="/", capture_output=True, text=True, timeout=_LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _only_wheel(folder: Path) -> Path:
    (wheel,) = (folder / "wheels").glob("*.whl")
    return wheel


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
