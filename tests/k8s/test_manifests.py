"""The manifests are right by Kubernetes' schemas, fit together, and fit the program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from scoopi.app import check
from scoopi.cli import exit_codes
from scoopi.configs.configs import Configs
from scoopi.configs.groups import EngineSettings, MetricsSettings
from scoopi.configs.registry import SETTINGS
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.version import __version__
from tests.k8s.kustomization import K8S, Manifest, assembled, one, pod_specs

PLACES = ("base", "overlays/local", "overlays/helm-hazelcast", "scheduler")
OLDEST, NEWEST = "1.29", "1.35"
"""Of Kubernetes: FailIndex is there since 1.29."""
END_OF_PROCESS_S = 5
DEFAULTS = Configs.from_composed({})

places = pytest.mark.parametrize("place", PLACES)


@pytest.fixture(scope="module")
def base() -> list[Manifest]:
    return assembled(K8S / "base")


@pytest.fixture(scope="module")
def node(base: list[Manifest]) -> Manifest:
    """The pod of a node."""
    spec: Manifest = one(base, "Job", "scoopi")["spec"]["template"]["spec"]
    return spec


@places
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_manifest_is_right_by_the_schema(place: str, version: str) -> None:
    for manifest in assembled(K8S / place):
        kubernetes_validate.validate(manifest, version, strict=True)


def test_the_schemas_would_find_a_fault(base: list[Manifest]) -> None:
    job = yaml.safe_load(yaml.safe_dump(one(base, "Job", "scoopi")))
    job["spec"]["paralelism"] = 3
    with pytest.raises(kubernetes_validate.ValidationError, match="paralelism"):
        kubernetes_validate.validate(job, NEWEST, strict=True)


def test_every_file_is_part_of_a_place() -> None:
    named = set(_named(K8S))
    files = {path for path in K8S.rglob("*") if path.is_file()}
    others = {K8S / name for name in ("Dockerfile", "README.md", "overlays/helm-hazelcast/values.yaml")}
    assert files - named == others


def test_a_pod_has_the_time_of_the_graceful_stop(node: Manifest) -> None:
    stop_s = EngineSettings.of(DEFAULTS).shutdown_timeout_s
    assert node["terminationGracePeriodSeconds"] == stop_s + END_OF_PROCESS_S
    for conf in K8S.rglob("conf/scoopi.yml"):
        assert "shutdown" not in conf.read_text(), "the grace period would have to follow"


def test_each_index_is_a_node_of_the_run_that_bears_the_jobs_uid(base: list[Manifest]) -> None:
    job = one(base, "Job", "scoopi")["spec"]
    assert (job["completionMode"], job["completions"]) == ("Indexed", job["parallelism"])
    container = job["template"]["spec"]["containers"][0]
    environment = {each["name"]: each for each in container["env"]}
    assert environment["RUN_NAME"]["valueFrom"] == {
        "fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/controller-uid']"}
    }
    args = container["args"]
    assert args[:2] == ["run", "/definitions"]
    assert args[args.index("--run") + 1] == "$(RUN_NAME)"
    assert args[args.index("--cluster") + 1] == "$(CLUSTER)"
    service = one(base, "Service", "scoopi-hazelcast")
    port = service["spec"]["ports"][0]["port"]
    assert environment["CLUSTER"]["value"] == f"{service['metadata']['name']}:{port}"


def test_what_ends_a_node_for_good_ends_the_job(base: list[Manifest]) -> None:
    rules = one(base, "Job", "scoopi")["spec"]["podFailurePolicy"]["rules"]
    by_code = {
        code: rule["action"] for rule in rules for code in rule.get("onExitCodes", {}).get("values", ())
    }
    assert by_code == {
        exit_codes.WRONG_USAGE: "FailJob",
        exit_codes.INVALID: "FailJob",
        exit_codes.INTERRUPTED: "FailJob",
        exit_codes.SOME_FAILED: "FailIndex",
    }
    assert (rules[0]["action"], rules[0]["onPodConditions"][0]["type"]) == ("Ignore", "DisruptionTarget")


def test_the_probes_ask_the_metrics_server(node: Manifest) -> None:
    container = node["containers"][0]
    environment = {each["name"]: each.get("value") for each in container["env"]}
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert environment["SCOOPI_METRICS_SERVER_ENABLE"] == "true"
    assert environment["SCOOPI_METRICS_SERVER_HOST"] == "0.0.0.0"
    assert environment["SCOOPI_METRICS_SERVER_PORT"] == str(ports["metrics"])
    assert ports["metrics"] == MetricsSettings.of(DEFAULTS).port
    asked = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    assert {each["port"] for each in asked.values()} == {"metrics"}
    assert {name: each["path"] for name, each in asked.items()} == {
        "startup": "/healthz",
        "liveness": "/healthz",
        "readiness": "/readyz",
    }


@places
def test_no_variable_of_a_pod_is_an_unknown_setting(place: str) -> None:
    known = {setting.environment for setting in SETTINGS} | {"SCOOPI_STORE"}
    for name, template in pod_specs(assembled(K8S / place)):
        spec = template["spec"]
        assert spec["enableServiceLinks"] is False, f"{name}: SCOOPI_…_SERVICE_HOST would be no setting"
        given = {each["name"] for container in spec["containers"] for each in container.get("env", ())}
        assert {each for each in given if each.startswith("SCOOPI_")} <= known, name


@places
def test_pods_have_no_right_that_they_do_not_need(place: str) -> None:
    for name, template in pod_specs(assembled(K8S / place)):
        spec = template["spec"]
        security = spec["securityContext"]
        assert spec["automountServiceAccountToken"] is False, name
        assert (security["runAsNonRoot"], security["seccompProfile"]["type"]) == (True, "RuntimeDefault"), (
            name
        )
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert {"requests", "limits"} <= set(container["resources"]), name
            assert "memory" in container["resources"]["limits"], name


@places
def test_images_have_versions(place: str) -> None:
    for name, template in pod_specs(assembled(K8S / place)):
        for container in template["spec"]["containers"]:
            image, _, tag = container["image"].partition(":")
            known = {"scoopi": __version__, "hazelcast/hazelcast": "5.7", "postgres": "17.6"}
            assert tag == known[image], name


@places
def test_what_a_pod_mounts_is_there(place: str) -> None:
    manifests = assembled(K8S / place)
    there = {(each["kind"], each["metadata"]["name"]) for each in manifests}
    for name, template in pod_specs(manifests):
        spec = template["spec"]
        volumes = {each["name"]: each for each in spec["volumes"]}
        mounted = {each["name"] for container in spec["containers"] for each in container["volumeMounts"]}
        assert mounted == set(volumes), name
        for volume in volumes.values():
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in there, name
            if "persistentVolumeClaim" in volume:
                assert ("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]) in there, name


@places
def test_selectors_find_the_pods_that_they_mean(place: str) -> None:
    manifests = assembled(K8S / place)
    labels = [template["metadata"]["labels"] for _, template in pod_specs(manifests)]
    if place.endswith("hazelcast"):
        values = yaml.safe_load((K8S / place / "values.yaml").read_text())
        labels.append(values["podLabels"])
    for selector in _selectors(manifests):
        found = [each for each in labels if selector.items() <= each.items()]
        assert len(found) == 1, selector


def test_nodes_reach_members_dns_and_public_sites_and_give_metrics_only(base: list[Manifest]) -> None:
    spec = one(base, "NetworkPolicy", "scoopi-nodes")["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["ingress"] == [{"from": [{"podSelector": {}}], "ports": [{"protocol": "TCP", "port": 9010}]}]
    members, dns, web = spec["egress"]
    assert members["ports"] == [{"protocol": "TCP", "port": 5701}]
    assert {each["port"] for each in dns["ports"]} == {53}
    assert {each["port"] for each in web["ports"]} == {80, 443}
    blocks = [each["ipBlock"] for each in web["to"]]
    assert "169.254.0.0/16" in blocks[0]["except"], "where clouds hand out credentials"


def test_members_leave_one_at_a_time_and_have_time_to_hand_over(base: list[Manifest]) -> None:
    assert one(base, "PodDisruptionBudget", "scoopi-hazelcast")["spec"]["maxUnavailable"] == 1
    reported = one(base, "ConfigMap", "scoopi-hazelcast")["data"]["hazelcast.yaml"]
    properties = yaml.safe_load(reported)["hazelcast"]["properties"]
    members = one(base, "StatefulSet", "scoopi-hazelcast")["spec"]
    wait_s = properties["hazelcast.graceful.shutdown.max.wait"]
    assert members["template"]["spec"]["terminationGracePeriodSeconds"] > wait_s
    assert members["serviceName"] == one(base, "Service", "scoopi-hazelcast")["metadata"]["name"]


def test_the_cluster_has_the_name_that_nodes_look_for(base: list[Manifest]) -> None:
    reported = yaml.safe_load(one(base, "ConfigMap", "scoopi-hazelcast")["data"]["hazelcast.yaml"])
    values = yaml.safe_load((K8S / "overlays/helm-hazelcast/values.yaml").read_text())
    name = DEFAULTS.text("scoopi.cluster.name")
    assert reported["hazelcast"]["cluster-name"] == name
    assert values["hazelcast"]["yaml"]["hazelcast"]["cluster-name"] == name


def _hazelcast(text: str, protection: bool) -> tuple[bool, int, int]:
    """Whether `scoopi.*` is protected against a split, by how many members, and its backups."""
    reported = yaml.safe_load(text.replace("${scoopi.protection}", str(protection)))["hazelcast"]
    kept = reported["map"]["scoopi.*"]
    guard = reported["split-brain-protection"][kept["split-brain-protection-ref"]]
    return guard["enabled"], guard["minimum-cluster-size"], kept["backup-count"]


@pytest.mark.parametrize("place", ["base", "overlays/local"])
def test_a_majority_of_the_members_goes_on_and_no_half_holds_everything(place: str) -> None:
    manifests = assembled(K8S / place)
    members = one(manifests, "StatefulSet", "scoopi-hazelcast")["spec"]
    options = members["template"]["spec"]["containers"][0]["env"][0]["value"]
    text = one(manifests, "ConfigMap", "scoopi-hazelcast")["data"]["hazelcast.yaml"]
    is_protected, majority, backups = _hazelcast(text, "-Dscoopi.protection=true" in options)
    replicas = members["replicas"]
    assert replicas % 2 == 1
    assert is_protected == (replicas > 1)
    if is_protected:
        assert (majority, backups) == (replicas // 2 + 1, (replicas - 1) // 2)


def test_hazelcasts_own_chart_and_conf_protect_three_members_alike() -> None:
    values = yaml.safe_load((K8S / "overlays/helm-hazelcast/values.yaml").read_text())
    assert values["cluster"]["memberCount"] == 3
    assert _hazelcast(yaml.safe_dump(values["hazelcast"]["yaml"]), True) == (True, 2, 1)
    assert _hazelcast((K8S.parent / "conf/hazelcast.yaml").read_text(), True) == (True, 2, 1)


def test_all_members_declare_a_frozen_one_dead_before_nodes_give_up_and_find_it_again_soon() -> None:
    texts = (
        (K8S / "base/hazelcast/hazelcast.yaml").read_text(),
        (K8S / "overlays/helm-hazelcast/values.yaml").read_text(),
        (K8S.parent / "conf/hazelcast.yaml").read_text(),
        MemberConfig().text(),
    )
    for text in texts:
        reported = yaml.safe_load(text)
        reported = reported["hazelcast"].get("yaml", reported)["hazelcast"]["properties"]
        assert int(reported["hazelcast.max.no.heartbeat.seconds"]) == 15
        assert int(reported["hazelcast.merge.next.run.delay.seconds"]) == 10


@pytest.mark.parametrize("file", sorted(K8S.rglob("definitions/*.yml")), ids=lambda file: file.name)
def test_the_definitions_are_right(file: Path) -> None:
    assert check(file, strict=True, environ={}).findings == ()


def _named(folder: Path) -> Iterator[Path]:
    """The files that kustomizations name, and these themselves."""
    for path in folder.rglob("kustomization.yaml"):
        yield path
        reported = yaml.safe_load(path.read_text())
        generated = [name for each in reported.get("configMapGenerator", ()) for name in each["files"]]
        patched = [each["path"] for each in reported.get("patches", ())]
        for name in [*reported["resources"], *generated, *patched]:
            if (path.parent / name).is_file():
                yield path.parent / name


def _selectors(manifests: list[Manifest]) -> Iterator[dict[str, Any]]:
    """Every selector of pods of this namespace by labels."""
    for each in manifests:
        spec = each.get("spec", {})
        match each["kind"]:
            case "Service":
                yield spec["selector"]
            case "StatefulSet" | "Deployment" | "PodDisruptionBudget":
                yield spec["selector"]["matchLabels"]
            case "NetworkPolicy":
                yield spec["podSelector"]["matchLabels"]
                peers = [peer for rule in spec.get("egress", ()) for peer in rule["to"]]
                for peer in peers:
                    if "podSelector" in peer and "namespaceSelector" not in peer:
                        yield peer["podSelector"]["matchLabels"]
