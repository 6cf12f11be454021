"""Pods of nodes, played: they become ready, give their jobs back when deleted, and write their rows."""

from __future__ import annotations

import itertools
import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.jobs.job_records import JobRecords
from scoopi.store.ports import JOBS
from tests.cluster.grids import free_port, members, settings_of
from tests.engine.workspace import wait_until
from tests.k8s.dockerfile import read_stages
from tests.k8s.kustomization import K8S, Manifest, assembled, one
from tests.k8s.pod import Pod
from tests.server.server import Server

SITE = "http://site:8080"
STALLS, ROWS = 6, 36
END_S = 20.0
QUICK = {"SCOOPI_CLUSTER_HEARTBEAT": "200", "SCOOPI_MONITOR_TIMERPERIOD": "100"}
"""Nodes agree on the end of a run by a few heartbeats."""
JOB_UID = str(uuid.UUID(int=0x5B2F0C1E6C0E4F0E9A532F6D8F1C7A11))

Play = Callable[..., Pod]


@pytest.fixture(scope="module")
def member(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterSettings]:
    """A real member, and how it is reached."""
    with members(tmp_path_factory.mktemp("member")) as started:
        yield settings_of(started)


@pytest.fixture
def play(tmp_path: Path, member: ClusterSettings) -> Iterator[Play]:
    """Plays a pod of a place's Job with the market's definitions, whose site is served here."""
    numbers = itertools.count()
    variables = {"CLUSTER": member.addresses[0], "SCOOPI_CLUSTER_NAME": member.name, **QUICK}
    with Server(K8S / "overlays/local/pages") as server, ExitStack() as opened:
        market = _config_maps(assembled(K8S / "overlays/local"))["scoopi-definitions"]
        definitions = {name: text.replace(SITE, server.url("").rstrip("/")) for name, text in market.items()}

        def start(place: str, **changes: str) -> Pod:
            manifests = assembled(K8S / place)
            pod = Pod(
                one(manifests, "Job", "scoopi")["spec"]["template"],
                {**_config_maps(manifests), "scoopi-definitions": definitions},
                read_stages(K8S / "Dockerfile")[-1],
                tmp_path / f"pod-{next(numbers)}",
                job_uid=f"{JOB_UID}-{place.count('/')}",
                members={**variables, **changes},
                volumes=tmp_path / "volumes",
            )
            return opened.enter_context(pod)

        yield start


def test_a_deleted_pod_gives_its_jobs_back_inside_the_grace_time(play: Play, member: ClusterSettings) -> None:
    pod = play("base")
    pod.wait_ready()
    assert pod.probe("liveness") == 200
    wait_until(lambda: json.loads(pod.ask("/api/status")[1])["jobs"]["held"], "a taken job")
    assert pod.delete() == 143, pod.log_text()
    state_keys = _state_keys(member, _run(pod).name)
    assert state_keys["R"] >= STALLS // 2, pod.log_text()
    assert set(state_keys) == {"R"}, "no job is still taken, none half ended"
    reported = json.loads((_run(pod) / "run.json").read_bytes())
    assert (reported["status"], reported["jobs"]["left"]) == ("stopped", state_keys["R"])


def test_a_pod_whose_members_are_not_there_yet_lives_and_is_not_ready_and_can_be_deleted(play: Play) -> None:
    pod = play("base", CLUSTER=f"127.0.0.1:{free_port()}")
    wait_until(lambda: pod.probe("startup") == 200, "its start")
    assert (pod.probe("liveness"), pod.probe("readiness")) == (200, 503)
    assert b"it looks for members of the cluster" in pod.ask("/readyz")[1]
    assert pod.delete() == 143, pod.log_text()


def test_pods_that_are_left_alone_write_the_rows_that_the_readme_promises(play: Play) -> None:
    pods = [play("overlays/local") for _ in range(2)]
    for pod in pods:
        assert pod.process.wait(END_S) == 0, pod.log_text()
    rows = [row for file in _run(pods[0]).glob("data-*.txt") for row in file.read_text().splitlines()]
    assert len(rows) == len(set(rows)) == ROWS
    assert "fish|stall|trout|small|4.10" in rows
    assert f"the {ROWS} rows" in (K8S / "README.md").read_text()
    for pod in pods:
        written = {path.relative_to(pod.folder).parts[0] for path in pod.folder.rglob("*") if path.is_file()}
        assert written == {"definitions", "conf", "stderr.txt"}, "but for the volume all is read-only"


def _run(pod: Pod) -> Path:
    """The run's folder; its name has the Job's uid."""
    (found,) = pod.path("/work/output").glob(f"{JOB_UID}*")
    return found


def _state_keys(member: ClusterSettings, run: str) -> Counter[str]:
    """How many jobs of the run are ready (R), taken (T) and half ended (E)."""
    client, records = ClusterClient(member), JobRecords("reader")
    try:
        found = HazelcastStore(client, run).scan(JOBS, None, 1000)
    finally:
        client.close()
    return Counter(records.read(key, record).state_key[0] for key, record in found)


def _config_maps(manifests: list[Manifest]) -> dict[str, dict[str, str]]:
    return {each["metadata"]["name"]: each["data"] for each in manifests if each["kind"] == "ConfigMap"}
