"""run_nodes: the further nodes of an attempt's run, and the workers that have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.run_node import RUN, RunNode
from scoopi.model.schedule.schedule_records import LIVE, AttemptRecord
from scoopi.scheduler.decisions import changed


def further_nodes(process: Process) -> tuple[RunNode, ...]:
    """Return the nodes of a new attempt beside the first, none of which has a worker.

    >>> from scoopi.model.schedule.process import Executes
    >>> executes = Executes(kind="scrape", what=("books",), nodes=3)
    >>> [node.number for node in further_nodes(Process(name="p", executes=executes, mode="manual"))]
    [2, 3]
    """
    return tuple(RunNode(number=number) for number in range(2, process.executes.nodes + 1))


def node_of(attempt: AttemptRecord, number: int) -> RunNode | None:
    """Return a further node of an attempt by its number; None if there is none."""
    return next((node for node in attempt.nodes if node.number == number), None)


def with_node(attempt: AttemptRecord, node: RunNode) -> AttemptRecord:
    """Return the attempt with one of its nodes replaced by the node of the same number."""
    nodes = tuple(node if each.number == node.number else each for each in attempt.nodes)
    return changed(attempt, nodes=nodes)


def may_join(attempt: AttemptRecord) -> bool:
    """Whether further nodes may begin: the first one has reported its run, and no cancel is requested."""
    is_going = attempt.phase == LIVE and attempt.status == "running" and attempt.wish is None
    return is_going and bool(attempt.progress.get(RUN))


def assigned_workers(attempt: AttemptRecord) -> list[str]:
    """Return the workers to which a live attempt is assigned, one entry for each of its nodes."""
    return [worker for worker, _ in _workers(attempt)]


def claiming_workers(attempt: AttemptRecord) -> list[str]:
    """Return the workers that have claimed nodes of a live attempt, one entry for each node."""
    return [worker for worker, is_running in _workers(attempt) if is_running]


def _workers(attempt: AttemptRecord) -> Iterator[tuple[str, bool]]:
    """Yield for each node of a live attempt that has a worker: the worker, and whether it has claimed it."""
    if attempt.phase != LIVE:
        return
    if attempt.worker:
        yield attempt.worker, attempt.status != "waiting"
    for node in attempt.nodes:
        if node.is_held:
            yield node.worker, node.status == "running"


def freed(attempt: AttemptRecord, lost: Sequence[str]) -> AttemptRecord | None:
    """Return the attempt with its nodes on lost workers freed, to be placed again; None if it has none."""
    nodes = tuple(_free(node) if node.is_held and node.worker in lost else node for node in attempt.nodes)
    return None if nodes == attempt.nodes else changed(attempt, nodes=nodes)


def _free(node: RunNode) -> RunNode:
    return replace(node, status="free", worker="")


def nodes_text(attempt: AttemptRecord) -> str:
    """Return where the further nodes of an attempt run, as a clause; empty if it has none.

    >>> from datetime import UTC, datetime
    >>> nodes = (RunNode(number=2, status="running", worker="b"), RunNode(number=3))
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> record = {"process": "p", "slot": "!1", "number": 1, "bundle": "", "created": now}
    >>> nodes_text(AttemptRecord(status="running", phase=LIVE, nodes=nodes, **record))
    'node 2 runs on b, node 3 has no worker yet'
    """
    return ", ".join(f"node {node.number} {_state(node)}" for node in attempt.nodes)


def _state(node: RunNode) -> str:
    if node.status == "free":
        return "has no worker yet"
    if node.status == "placed":
        return f"waits for {node.worker} to claim it"
    if node.status == "running":
        return f"runs on {node.worker}"
    return f"has ended on {node.worker}" + (f": {node.explanation}" if node.explanation else "")
