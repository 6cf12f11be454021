"""The manifests of the scheduler fit the program: its probes, its store, its shutdown, its rollout."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scoopi.defs.schedule.schedule_reader import read_schedule
from scoopi.model.schedule.schedule_settings import CancelSettings
from scoopi.model.text.store_url import parse_store_url
from tests.k8s.kustomization import K8S, Manifest, assembled, one

HAND_BACK_S = 15


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return assembled(K8S / "scheduler")


@pytest.fixture(scope="module")
def deployment(manifests: list[Manifest]) -> Manifest:
    spec: Manifest = one(manifests, "Deployment", "scoopi-serve")["spec"]
    return spec


@pytest.fixture(scope="module")
def container(deployment: Manifest) -> Manifest:
    found: Manifest = deployment["template"]["spec"]["containers"][0]
    return found


def test_a_rollout_never_leaves_the_schedule_alone(deployment: Manifest) -> None:
    assert deployment["replicas"] >= 2
    assert deployment["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    }


def test_a_pod_has_the_time_to_stop_its_attempts_and_to_hand_them_back(deployment: Manifest) -> None:
    kill_after_s = CancelSettings().kill_after.total_seconds()
    assert deployment["template"]["spec"]["terminationGracePeriodSeconds"] == kill_after_s + HAND_BACK_S


def test_the_probes_ask_the_port_of_serve(container: Manifest) -> None:
    args = container["args"]
    (port,) = container["ports"]
    assert args[args.index("--http") + 1] == f"0.0.0.0:{port['containerPort']}"
    asked = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    assert {each["port"] for each in asked.values()} == {port["name"]}
    assert [each["path"] for each in asked.values()] == ["/healthz", "/healthz", "/readyz"]


def test_the_store_is_the_database_and_its_password_a_secret(
    manifests: list[Manifest], container: Manifest
) -> None:
    variables = {each["name"]: each for each in container["env"]}
    url = parse_store_url(variables["SCOOPI_STORE"]["value"])
    database = one(manifests, "StatefulSet", "scoopi-database")["spec"]["template"]["spec"]["containers"][0]
    given = {each["name"]: each for each in database["env"]}
    service = one(manifests, "Service", "scoopi-database")
    user, name = given["POSTGRES_USER"]["value"], given["POSTGRES_DB"]["value"]
    assert url.shown == f"postgresql://{user}@{service['metadata']['name']}/{name}"
    assert service["spec"]["ports"][0]["port"] == 5432
    assert variables["PGPASSWORD"]["valueFrom"] == given["POSTGRES_PASSWORD"]["valueFrom"]
    assert not [each for each in manifests if each["kind"] == "Secret"], "a password would be in the files"


def test_only_the_scheduler_reaches_its_database(manifests: list[Manifest]) -> None:
    spec = one(manifests, "NetworkPolicy", "scoopi-database")["spec"]
    (rule,) = spec["ingress"]
    (peer,) = rule["from"]
    assert peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"] == "serve"
    assert spec["egress"] == []


def test_each_file_of_the_jobs_is_mounted_as_a_file_and_is_right(
    manifests: list[Manifest], container: Manifest, tmp_path: Path
) -> None:
    data = one(manifests, "ConfigMap", "scoopi-jobs")["data"]
    mounted = {each["subPath"]: each["mountPath"] for each in container["volumeMounts"] if "subPath" in each}
    project = container["args"][1]
    assert mounted == {name: f"{project}/{name}" for name in data}
    for name, text in data.items():
        (tmp_path / name).write_text(text)
    schedule, report = read_schedule(tmp_path, None)
    report.raise_if_errors()
    assert schedule.processes


def test_the_state_is_below_a_volume_and_of_the_pod_alone(container: Manifest, deployment: Manifest) -> None:
    args = container["args"]
    state = Path(args[args.index("--state") + 1])
    mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    volumes = {each["name"]: each for each in deployment["template"]["spec"]["volumes"]}
    assert "emptyDir" in volumes[mounts[str(state.parent)]], "locks need a local disk"
    assert yaml.safe_dump(container["env"]).count("metadata.name") == 1
    assert args[args.index("--name") + 1] == "$(POD_NAME)"
