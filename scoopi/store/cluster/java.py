"""find_java, find_jar: what a Hazelcast member needs of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from scoopi.errors import ClusterError

JAR_VARIABLE = "SCOOPI_HAZELCAST_JAR"
VERSION = "5.7.0"
"""What is asked of Maven; any 5.7.x that the local repository holds is as good."""

_FOLDER = Path("com/hazelcast/hazelcast")
_JAR = re.compile(r"hazelcast-5\.7\.(\d+)\.jar")
_MAVEN_S = 300


def find_java(environ: Mapping[str, str]) -> Path:
    """The `java` program of JAVA_HOME, else of PATH.

    Raises:
        ClusterError: there is none.
    """
    home = environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if os.access(java, os.X_OK):
            return java
        raise ClusterError(f"JAVA_HOME holds no program bin/java: {home}", hint="correct or unset JAVA_HOME")
    found = shutil.which("java", path=environ.get("PATH", os.defpath))
    if found is None:
        raise ClusterError(
            "a Hazelcast member needs Java, and there is none in JAVA_HOME or PATH",
            hint="install a Java runtime, 17 or newer",
        )
    return Path(found)


def find_jar(environ: Mapping[str, str]) -> Path:
    """Hazelcast's jar: the one named by SCOOPI_HAZELCAST_JAR, of the local Maven repository, or from Maven.

    Raises:
        ClusterError: it was not found; the message has what was tried.
    """
    named = environ.get(JAR_VARIABLE)
    if named:
        if Path(named).is_file():
            return Path(named)
        raise ClusterError("there is no such file", at=f"{JAR_VARIABLE}={named}", hint="name Hazelcast's jar")
    folder = _repository(environ) / _FOLDER
    jar = _newest(folder)
    if jar is None:
        fault = _fetch(environ)
        jar = _newest(folder)
        if jar is None:
            raise ClusterError(
                f"Hazelcast's jar is not in {folder}, and {fault}",
                hint=f"set {JAR_VARIABLE} to hazelcast-{VERSION}.jar of Maven Central",
            )
    return jar


def _repository(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home()) / ".m2" / "repository"


def _newest(folder: Path) -> Path | None:
    found = [
        (int(match[1]), jar) for jar in folder.glob("5.7.*/*.jar") if (match := _JAR.fullmatch(jar.name))
    ]
    return max(found)[1] if found else None


def _fetch(environ: Mapping[str, str]) -> str:
    """Ask Maven to put the jar into its local repository; what came of it, in words."""
    maven = shutil.which("mvn", path=environ.get("PATH", os.defpath))
    if maven is None:
        return "there is no mvn in PATH to fetch it"
    # Without its dependencies: a member needs none, and one of them is in no public repository.
    command = [maven, "-q", "-B", "dependency:get", "-Dtransitive=false"]
    command.append(f"-Dmaven.repo.local={_repository(environ)}")  # Maven itself does not look at HOME
    command.append(f"-Dartifact=com.hazelcast:hazelcast:{VERSION}")
    try:
        done = subprocess.run(  # noqa: S603
            command, env=dict(environ), capture_output=True, text=True, timeout=_MAVEN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        return f"mvn could not fetch it: {fault}"
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return f"mvn could not fetch it: {said[0] if said else f'exit {done.returncode}'}"
