"""`scoopi serve` on several machines, each with a folder of its own, over one store."""

from __future__ import annotations

import io
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal
from scoopi.errors import StoreError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.cluster.cluster_client import ClusterClient
from tests.outputs.postgres_server import PostgresServer
from tests.serve.serving import SCOOPI, SOON_S, Serving, until

JOBS = 6
WORK = """
work:
  executes: {command: [sh, -c, 'echo start >>%s/${ slot.key }; sleep 0.3; echo end >>%s/${ slot.key }']}
  overlap: allow
"""


def machine(folder: Path, url: str) -> Serving:
    folder.mkdir()
    serving = Serving(folder)
    serving.environ |= {"SCOOPI_STORE": url}
    return serving


@pytest.fixture(params=["sqlite", "postgresql", "hazelcast"])
def machines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Serving, Serving]]:
    """Two folders over one store; of SQLite they are one folder."""
    if request.param == "sqlite":
        one = Serving(tmp_path)
        yield one, one
        return
    if request.param == "postgresql":
        url, more = request.getfixturevalue("postgres_url"), {}
    else:
        client: ClusterClient = request.getfixturevalue("cluster")
        url = f"hazelcast://{client.settings.addresses[0]}/test-{tmp_path.name.lower()[:20]}"
        more = {"SCOOPI_CLUSTER_NAME": client.settings.name}
    pair = machine(tmp_path / "one", url), machine(tmp_path / "two", url)
    for each in pair:
        each.environ |= more
    yield pair


def check_each_ended_once(serving: Serving) -> None:
    assert Counter(row["state"] for row in serving.rows("job", "list")) == {"processed": JOBS}
    for number in range(1, JOBS + 1):
        rows = serving.rows("attempt", "list", "--job", f"work/!{number}")
        assert [row["status"] for row in rows] == ["succeeded"]


def test_each_job_ends_once_when_one_of_two_is_killed(
    machines: tuple[Serving, Serving], tmp_path: Path
) -> None:
    one, two = machines
    journal = tmp_path / "journal"
    journal.mkdir()
    one.deploy(WORK % (journal, journal))
    for _ in range(JOBS):
        one.run("launch", "work")
    with ExitStack() as stack:
        first = stack.enter_context(one.served("--slots", "2"))
        stack.enter_context(two.served("--slots", "2"))
        until(lambda: len({row["worker"] for row in two.rows("worker", "list")}) == 2)
        until(lambda: any(journal.iterdir()))
        first.kill()
        until(lambda: all(row["state"] == "processed" for row in two.rows("job", "list")))
    check_each_ended_once(two)


def test_a_restarted_node_does_not_bring_back_the_project_that_another_has_replaced(
    postgres_url: str, tmp_path: Path
) -> None:
    old, new = (machine(tmp_path / name, postgres_url) for name in ("old", "new"))
    for node, process in ((old, "a"), (new, "b")):
        node.write("jobs.yml", f"processes: {{{process}: {{executes: external:x}}}}")
        node.run("serve", "jobs", "--until-idle")
    said = old.errors("serve", "jobs", "--until-idle")
    assert "the newer project stays; scoopi deploy jobs makes this one current again" in said
    assert [row["process"] for row in old.rows("process", "list")] == ["b"]
    old.write("jobs.yml", "processes: {c: {executes: external:x}}")
    assert "stays" not in old.errors("serve", "jobs", "--until-idle")
    assert [row["process"] for row in new.rows("process", "list")] == ["c"]


def test_serve_goes_on_after_a_restart_of_the_database(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    serving = machine(tmp_path / "one", postgres_url)
    serving.deploy(WORK % (tmp_path, tmp_path))
    for _ in range(JOBS):
        serving.run("launch", "work")
    with serving.served("--slots", "2") as process:
        until(lambda: (tmp_path / "!1").exists())
        postgres.kill()
        try:
            until(lambda: "the store does not answer, trying again" in serving.read("serve.log"))
        finally:
            postgres.start()
        until(lambda: all(row["state"] == "processed" for row in serving.rows("job", "list")))
        until(lambda: "the store answers again after" in serving.read("serve.log"))
        assert process.poll() is None
    check_each_ended_once(serving)


def test_serve_waits_for_a_database_that_is_away_when_it_starts(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    serving = machine(tmp_path / "one", postgres_url)
    serving.deploy(WORK % (tmp_path, tmp_path))
    serving.run("launch", "work")
    postgres.kill()
    try:
        with serving.served() as stopped:
            until(lambda: "waiting for the store" in serving.read("serve.log"))
            stopped.terminate()
            assert stopped.wait(SOON_S) == 143
        with serving.served("--until-idle") as process:
            until(lambda: serving.read("serve.log").count("waiting for the store") > 1)
            postgres.start()
            assert process.wait(SOON_S) == 0
    finally:
        postgres.kill()
        postgres.start()
    assert serving.job("work/!1") == "processed"


def test_serve_waits_for_a_store_that_fails_once_more_after_it_has_answered(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = machine(tmp_path / "one", postgres_url)
    serving.deploy(WORK % (tmp_path, tmp_path))
    serving.run("launch", "work")
    take, fails = WorkerRegistry.register, [True]

    def failing(registry: WorkerRegistry, worker: WorkerRecord) -> bool:
        if fails.pop() if fails else False:
            raise StoreError("it is away again")
        return take(registry, worker)

    monkeypatch.setattr(WorkerRegistry, "register", failing)
    monkeypatch.chdir(serving.folder)
    out, err = io.StringIO(), io.StringIO()
    assert main(["serve", "--until-idle", "--store", postgres_url], Terminal(out, err, serving.environ)) == 0
    assert "waiting for the store, for up to 300 s: it is away again" in err.getvalue()
    assert "another name" not in err.getvalue(), "its name was not left locked"
    assert serving.job("work/!1") == "processed"


def test_a_frozen_serve_whose_name_was_taken_serves_under_another_one(
    postgres_url: str, tmp_path: Path
) -> None:
    one, two, three = (machine(tmp_path / name, postgres_url) for name in ("one", "two", "three"))
    one.deploy(WORK % (tmp_path, tmp_path))

    def states() -> dict[str, str]:
        return {row["worker"]: row["state"] for row in two.rows("worker", "list")}

    with ExitStack() as stack:
        frozen = stack.enter_context(one.served("--slots", "1"))
        until(lambda: len(states()) == 1)
        (name,) = states()
        frozen.send_signal(signal.SIGSTOP)
        stack.enter_context(two.served("--slots", "1"))
        until(lambda: states().get(name) == "lost")
        stack.enter_context(three.served("--slots", "1"))
        until(lambda: states()[name] == "running")
        frozen.send_signal(signal.SIGCONT)
        until(lambda: "serving under another name" in one.read("serve.log"))
        until(lambda: len(states()) == 3)
        assert frozen.poll() is None


def test_a_launch_elsewhere_is_noticed_before_the_next_sweep(postgres_url: str, tmp_path: Path) -> None:
    with launching_elsewhere(postgres_url, tmp_path, beat="1s") as launch:
        launch(1)


def test_a_launch_elsewhere_is_noticed_without_a_heartbeat_in_a_database(
    postgres_url: str, tmp_path: Path
) -> None:
    with launching_elsewhere(postgres_url, tmp_path, beat="1h") as launch:
        for number in range(1, 4):
            launch(number)


@contextmanager
def launching_elsewhere(postgres_url: str, folder: Path, beat: str) -> Iterator[Callable[[int], None]]:
    """A machine sweeps each hour; yields what launches a job on another one, and waits for its end."""
    one, two = machine(folder / "one", postgres_url), machine(folder / "two", postgres_url)
    settings = f"settings: {{every: 1h, liveness: {{beat: {beat}}}}}"
    one.write("jobs.yml", f"{settings}\nprocesses: {{p: {{executes: {{command: ['true']}}}}}}")
    one.run("deploy", "jobs")

    def launch(number: int) -> None:
        two.run("launch", "p")
        until(lambda: two.job(f"p/!{number}") == "processed")

    with one.served("--slots", "1"):
        until(lambda: one.rows("worker", "list"))
        yield launch


PATIENT = "settings: {every: 1s, liveness: {beat: 1s, gap: 60}}\n"


def test_the_log_of_an_attempt_is_read_on_any_machine(
    machines: tuple[Serving, Serving], tmp_path: Path
) -> None:
    one, two = machines
    one.write(
        "jobs.yml",
        f"""{PATIENT}processes:
          talk: {{executes: {{command: [echo, done]}}}}
          long: {{executes: {{command: [sh, -c, 'printf "x%.0s" $(seq 100000); echo; echo last']}}}}
        """,
    )
    one.run("deploy", "jobs")
    two.run("launch", "talk")
    two.run("launch", "long")
    with one.served("--slots", "2"):
        until(lambda: {row["state"] for row in two.rows("job", "list")} == {"processed"})
    assert two.run("attempt", "log", "talk/!1/1") == "done\n"
    assert two.run("attempt", "log", "talk/!1/1", "-f") == "done\n"
    whole, end = one.run("attempt", "log", "long/!1/1"), two.run("attempt", "log", "long/!1/1")
    assert whole == "x" * 100_000 + "\nlast\n"
    assert end == (whole if one is two else "\n… 34,470 bytes left out …\n" + whole[-65_536:])


def failed(serving: Serving, *words: str) -> tuple[int, str]:
    """The exit code of a verb, and what it prints to standard error."""
    done = subprocess.run(
        [*SCOOPI, *words],
        cwd=serving.folder,
        env=serving.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_store_that_is_away_is_one_line_without_the_password(tmp_path: Path) -> None:
    serving = Serving(tmp_path)
    url = "postgresql://ann:s3cret@127.0.0.1:1/shop"
    code, text = failed(serving, "job", "list", "--store", url)
    assert code == 5
    assert text.startswith("scoopi: postgresql://ann:***@127.0.0.1:1/shop: the database does not answer")
    assert "; start it, or check the address" in text
    assert text.count("\n") == 1
    with serving.served("--store", url):
        until(lambda: "waiting for the store" in serving.read("serve.log"))
    assert "s3cret" not in text + serving.read("serve.log")


def test_a_store_without_a_project_is_named(postgres_url: str, tmp_path: Path) -> None:
    code, text = failed(Serving(tmp_path), "job", "list", "--store", postgres_url)
    assert (code, "nothing is deployed in postgresql://" in text) == (2, True), text
