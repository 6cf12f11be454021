"""Kustomization: puts a folder of manifests together, as `kubectl apply -k` does with what we use of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

K8S = Path(__file__).resolve().parent.parent.parent / "k8s"
Manifest = dict[str, Any]
KNOWN = {"apiVersion", "kind", "namespace", "resources", "configMapGenerator", "patches"}
CLUSTER_WIDE = {"Namespace"}


def assembled(folder: Path) -> list[Manifest]:
    """The manifests of a folder; generated names get no digest."""
    reported = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert set(reported) <= KNOWN, f"{folder}: {set(reported) - KNOWN} is not understood here"
    manifests = [each for name in reported["resources"] for each in _resource(folder / name)]
    for generator in reported.get("configMapGenerator", ()):
        manifests = _generate(folder, manifests, generator)
    for patch in reported.get("patches", ()):
        _patch(manifests, patch["target"], yaml.safe_load((folder / patch["path"]).read_text()))
    for manifest in manifests:
        if manifest["kind"] not in CLUSTER_WIDE and "namespace" in reported:
            manifest["metadata"]["namespace"] = reported["namespace"]
    return manifests


def one(manifests: list[Manifest], kind: str, name: str) -> Manifest:
    """The manifest of that kind and name."""
    found = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    assert len(found) == 1, f"{kind} {name}: {len(found)}"
    return found[0]


def pod_specs(manifests: list[Manifest]) -> Iterator[tuple[str, Manifest]]:
    """`kind/name` and pod template of all that make pods."""
    for each in manifests:
        if "template" in each.get("spec", {}):
            yield f"{each['kind']}/{each['metadata']['name']}", each["spec"]["template"]


def _resource(path: Path) -> list[Manifest]:
    return assembled(path) if path.is_dir() else list(yaml.safe_load_all(path.read_text()))


def _generate(folder: Path, manifests: list[Manifest], generator: Manifest) -> list[Manifest]:
    former = [_key(each) for each in manifests]
    key = ("ConfigMap", generator["name"])
    assert (key in former) == (generator.get("behavior") == "replace"), key
    data = {Path(name).name: (folder / name).read_text() for name in generator["files"]}
    made = {"apiVersion": "v1", "kind": key[0], "metadata": {"name": key[1]}, "data": data}
    return [*(each for each in manifests if _key(each) != key), made]


def _patch(manifests: list[Manifest], target: Manifest, operations: list[Manifest]) -> None:
    """JSON patches (RFC 6902), `add` and `replace`."""
    changed = one(manifests, target["kind"], target["name"])
    for operation in operations:
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
        place: Any = changed
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        if isinstance(place, list):
            assert (operation["op"], last) == ("add", "-"), operation
            place.append(operation["value"])
        else:
            assert (last in place) == (operation["op"] == "replace"), operation
            place[last] = operation["value"]


def _key(manifest: Manifest) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]
