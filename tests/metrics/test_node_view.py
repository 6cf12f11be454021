"""JoiningNode: a node that waits is healthy and not ready, and answers for itself once it has joined."""

from __future__ import annotations

from scoopi.metrics.node_view import JOINING, JoiningNode, NodeView


class Joined:
    """A node that has joined its run."""

    def fault(self) -> str:
        return "broken"

    def unready(self) -> str:
        return "idle"

    def view(self) -> NodeView:
        return NodeView("run", "node", "1", "READY")


def test_a_node_that_waits_says_for_what() -> None:
    node = JoiningNode()
    assert (node.fault(), node.unready()) == ("", "the node has not joined its run: starting")
    node.waits("its cluster")
    assert node.view().state == JOINING
    assert node.view().unready == "the node has not joined its run: its cluster"


def test_a_node_that_has_joined_answers_itself() -> None:
    node = JoiningNode()
    node.becomes(Joined())
    assert (node.fault(), node.unready(), node.view().run) == ("broken", "idle", "run")
