"""Pods of the scheduler, played over a real database: one takes over from another in a rollout."""

from __future__ import annotations

import json
from pathlib import Path

from tests.k8s.dockerfile import read_stages
from tests.k8s.kustomization import K8S, assembled, one
from tests.k8s.pod import Pod
from tests.serve.serving import Serving, until


def test_a_new_pod_works_before_the_old_one_is_asked_to_go(postgres_url: str, tmp_path: Path) -> None:
    manifests = assembled(K8S / "scheduler")
    jobs = {"scoopi-jobs": one(manifests, "ConfigMap", "scoopi-jobs")["data"]}
    template = one(manifests, "Deployment", "scoopi-serve")["spec"]["template"]
    image = read_stages(K8S / "Dockerfile")[-1]

    def started(name: str) -> Pod:
        variables = {"SCOOPI_STORE": postgres_url, "PGPASSWORD": "unused"}
        return Pod(template, jobs, image, tmp_path / name, members=variables, volumes=tmp_path / "volumes")

    people = Serving(tmp_path)
    people.environ["SCOOPI_STORE"] = postgres_url
    with started("old") as old:
        old.wait_ready()
        with started("new") as new:
            new.wait_ready()
            assert old.delete() == 143
            people.run("launch", "hello")
            until(lambda: people.job("example.hello/!1") == "processed")
            assert people.attempt("hello/!1/1")["worker"] == "new"
            assert new.probe("readiness") == 200
            workers = json.loads(new.ask("/api/workers")[1])["workers"]
            assert {each["worker"]: each["state"] for each in workers} == {"old": "stopped", "new": "running"}
            assert new.delete() == 143
