"""Chain: puts the steps of a task into the order in which they run."""

from __future__ import annotations

from scoopi.defs.scrape.class_names import LINK_MAKER
from scoopi.defs.scrape.step_sets import END, START, SetStep, Steps
from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place
from scoopi.model.text.shown import nearest

_FILTER = "filter"


class Chain:
    """Puts the steps of one task into the order in which they run.

    Args:
        place: where the task is written, for faults of built-in steps.
        key: the path of names to the task.
    Source: defs/README.md, 1.6.
    """

    def __init__(self, steps: Steps, findings: Findings, place: Place, key: str) -> None:
        self._steps = steps
        self._findings = findings
        self._place = place
        self._key = key

    def ordered(self) -> list[SetStep] | None:
        """Return the steps from the one after `start` to the end; None, after a finding, without a chain."""
        if not all(
            each.step.previous and each.step.next and each.step.class_name for each in self._steps.values()
        ):
            return None
        chain: list[SetStep] = []
        names: list[str] = []
        each = self._first()
        while each is not None:
            if each.step.name in names:
                cycle = " → ".join([*names[names.index(each.step.name) :], each.step.name])
                self._fault(each, f"the steps form a cycle: {cycle}", "set `next: end` in one")
                return None
            chain.append(each)
            names.append(each.step.name)
            if self._is_last(each):
                self._check_rest(chain)
                return chain
            each = self._successor(each)
        return None

    def _is_last(self, each: SetStep) -> bool:
        return each.step.class_name == LINK_MAKER or each.step.next.lower() == END

    def _first(self) -> SetStep | None:
        found = [each for each in self._steps.values() if each.step.previous.lower() == START]
        if len(found) == 1:
            return found[0]
        if not found:
            what = "no step has `previous: start`"
            self._findings.error(self._place, self._key, what, "set it in the first step")
            return None
        names = " and ".join(each.step.name for each in found)
        self._fault(found[-1], f"{names} all have `previous: start`", "keep it in one step")
        return None

    def _successor(self, each: SetStep) -> SetStep | None:
        """The step whose `previous` is this one; of several, the one that `_tied` selects."""
        name = each.step.name
        found = [other for other in self._steps.values() if other.step.previous == name]
        if len(found) > 1:
            found = self._tied(each, found)
        if len(found) == 1:
            return found[0]
        if found:
            names = " and ".join(other.step.name for other in found)
            hint = f"set `next` of {name} to the one that follows"
            self._fault(each, f"{names} all have `previous: {name}`", hint)
        else:
            self._no_successor(each)
        return None

    def _tied(self, each: SetStep, found: list[SetStep]) -> list[SetStep]:
        """Of several successors, the one that `next` names; a single override precedes the filter."""
        named = [other for other in found if other.step.name == each.step.next]
        others = [other for other in found if other.step.name != _FILTER]
        if named and named[0].step.name == _FILTER:
            overriding = [other for other in others if other.is_override]
            return overriding if len(overriding) == 1 else named
        return named or others

    def _no_successor(self, each: SetStep) -> None:
        name, following = each.step.name, each.step.next
        if following in self._steps:
            why = f"{following} has `previous: {self._steps[following].step.previous}`"
            hint = f"set `previous: {name}` in {following}, or `next: end` in {name}"
            self._fault(each, f"nothing follows step {name}: {why}", hint)
            return
        near = nearest(following, [*self._steps, END])
        hint = f"set `previous: {name}` in a step, or `next: end` in {name}"
        what = f"nothing follows step {name}: there is no step {following}"
        self._fault(each, what, hint, near=near, at="next")

    def _check_rest(self, chain: list[SetStep]) -> None:
        """Report steps that follow a link step, and written steps that are never run."""
        last = chain[-1]
        run = {each.step.name for each in chain}
        for each in self._steps.values():
            if each.step.name in run or each.node is None:
                continue
            if last.step.class_name == LINK_MAKER and each.previous == last.step.name:
                what = f"step {each.step.name} follows {last.step.name}, which makes links and ends its chain"
                hint = f"let it follow another step, or put {last.step.name} into a task of its own"
                self._findings.error(each.at("previous"), each.key, what, hint)
            else:
                self._never_run(each)

    def _never_run(self, each: SetStep) -> None:
        what = f"step {each.step.name} is never run"
        previous = each.step.previous
        near = nearest(previous, self._steps) if previous not in self._steps else ""
        hint = f"no step leads from start to its `previous: {previous}`"
        self._findings.warning(each.at("previous"), each.key, what, hint, near=near)

    def _fault(self, each: SetStep, what: str, hint: str, near: str = "", at: str = "") -> None:
        if each.node is None:
            self._findings.error(self._place, self._key, what, hint, near=near)
        else:
            self._findings.error(each.at(at) if at else each.place, each.key, what, hint, near=near)
