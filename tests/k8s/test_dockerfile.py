"""The image is small, knows its versions, has no compiler, and runs as nobody of importance."""

from __future__ import annotations

import fnmatch
import re
import tomllib

import pytest

from scoopi.version import __version__
from tests.k8s.dockerfile import Stage, read_stages
from tests.k8s.kustomization import K8S, assembled, one

ROOT = K8S.parent
COMPILERS = re.compile(r"\b(gcc|g\+\+|clang|cc|make|build-essential|[a-z0-9-]+-dev|apt-get|apk)\b")


@pytest.fixture(scope="module")
def stages() -> list[Stage]:
    return read_stages(K8S / "Dockerfile")


def test_every_stage_is_of_one_named_slim_version(stages: list[Stage]) -> None:
    assert len({stage.image for stage in stages}) == 1, "what one Python compiled another may not load"
    name, _, tag = stages[-1].image.partition(":")
    assert name == "python"
    assert re.fullmatch(r"3\.\d+-slim-\w+", tag)


def test_only_the_first_stage_compiles(stages: list[Stage]) -> None:
    assert any(COMPILERS.search(text) for text in stages[0].all("RUN"))
    for stage in stages[1:]:
        assert [text for text in stage.all("RUN") if COMPILERS.search(text)] == []


def test_what_is_installed_comes_from_the_wheels_alone(stages: list[Stage]) -> None:
    build, install, last = stages
    assert (build.name, install.name) == ("build", "install")
    assert any("scoopi/parse/bridge/_bridge" in text for text in build.all("RUN")), "with the compiled bridge"
    pip = next(text for text in install.all("RUN") if "pip install" in text)
    assert all(option in pip for option in ("--no-index", "--find-links /wheels", "--only-binary :all:"))
    assert install.one("COPY") == "--from=build /wheels /wheels"
    assert last.one("COPY") == "--from=install /opt/scoopi /opt/scoopi"
    assert "pip" not in " ".join(last.all("RUN"))


def test_scoopi_itself_is_process_1(stages: list[Stage]) -> None:
    assert stages[-1].command("ENTRYPOINT") == ["/opt/scoopi/bin/scoopi"]
    assert stages[-1].command("CMD") == ["--help"]
    assert stages[-1].one("STOPSIGNAL") == "SIGTERM"
    assert stages[-1].one("HEALTHCHECK") == "NONE", "probes are Kubernetes' own"
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert "scoopi" in scripts


def test_the_user_is_the_one_of_the_pods_and_not_root(stages: list[Stage]) -> None:
    job = one(assembled(K8S / "base"), "Job", "scoopi")
    security = job["spec"]["template"]["spec"]["securityContext"]
    assert stages[-1].one("USER") == f"{security['runAsUser']}:{security['runAsGroup']}"
    assert security["runAsUser"] >= 10_000


def test_the_image_says_the_version_of_the_program(stages: list[Stage]) -> None:
    assert f'org.opencontainers.image.version="{__version__}"' in stages[-1].one("LABEL")


def test_the_build_is_sent_all_that_it_copies_and_nothing_else(stages: list[Stage]) -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {word.removeprefix("./") for text in stages[0].all("COPY") for word in text.split()[:-1]}
    assert copied == sent
    assert all((ROOT / name).exists() for name in sent)
    left_out = [line.removeprefix("**/") for line in lines if line.startswith("**/")]
    assert any(fnmatch.fnmatch("_bridge.cpython-312-x86_64-linux-gnu.so", each) for each in left_out)
