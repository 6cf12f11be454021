"""AwaitedNodes: who has rows of ended jobs that nobody else can publish yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from scoopi.store.nodes.node_record import Member, MemberState


def awaited_nodes(
    members: Mapping[str, Member], live: Collection[str], incarnations: Iterable[str], asking: str = ""
) -> tuple[str, ...]:
    """Of nodes that ended jobs in these incarnations, those that neither live nor have published since.

    Args:
        members: all records by incarnation, of one reading: who leaves between two would be met in neither
            state.
        live: incarnations that are known to live.
        asking: a node that lacks the segments of these incarnations itself; that it is here says nothing of
            its own earlier ones.
    """
    here = {
        member.node
        for key, member in members.items()
        if key in live or (member.state is MemberState.LEFT and not member.owes_rows)
    }
    nodes = {members[key].node if key in members else key for key in incarnations}
    return tuple(sorted(nodes - (here - {asking})))
