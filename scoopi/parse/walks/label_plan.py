"""LabelPlan: a selector around a label, such as `dt:contains(Price) + dd`, for the compiled walk."""

from __future__ import annotations

from typing import NamedTuple

from scoopi.parse.css import syntax
from scoopi.parse.css.label_chain import is_literal, literal_of
from scoopi.parse.walks.simple_chain import CompoundPlan, LabelTarget, SimpleChain, as_written

_MOST_STEPS = 8
_KINDS = {"contains": "v", "containsOwn": "o", "matches": "v", "matchesOwn": "o"}


class LabelPlan(NamedTuple):
    """A selector around a label of literal text, such as `dt:contains(Price) + dd`, for the compiled walk.

    Attributes:
        chain: matches the elements that may be the label.
        target: the text of the label, and the steps to the siblings with the value.
    """

    chain: SimpleChain
    target: LabelTarget

    @classmethod
    def of(cls, selectors: syntax.Selectors) -> LabelPlan | None:
        """The plan of parsed selectors; None if they have another form, or the text is not a literal.

        >>> from scoopi.parse.css.selector_parser import parse_selector
        >>> LabelPlan.of(parse_selector("dl dt.k:matchesOwn(^Price) ~ dd")).target
        ('o', 'p', False, 'Price', (('~', ('dd', '', ())),))
        >>> LabelPlan.of(parse_selector("dt:matchesOwn(Pric[eE]) + dd"))
        """
        if len(selectors) != 1 or selectors[0].scoped:
            return None
        compounds, combinators = selectors[0].compounds, selectors[0].combinators
        labels = [
            at for at, each in enumerate(compounds) if any(isinstance(t, syntax.TextTest) for t in each)
        ]
        if len(labels) != 1:
            return None
        at = labels[0]
        text = _text_of(compounds[at])
        others = tuple(test for test in compounds[at] if not isinstance(test, syntax.TextTest))
        chain = SimpleChain.of((syntax.SelectorChain((*compounds[:at], others), combinators[:at]),))
        steps = _steps_of(compounds[at + 1 :], combinators[at:])
        if text is None or chain is None or steps is None:
            return None
        return cls(chain, (*text, steps))


def _text_of(compound: syntax.Compound) -> tuple[str, str, bool, str] | None:
    """The first four parts of a LabelTarget; None if the text is not a literal."""
    tests = [test for test in compound if isinstance(test, syntax.TextTest)]
    if len(tests) != 1 or tests[0].kind not in _KINDS:
        return None
    kind, text = tests[0].kind, tests[0].text
    is_lower = kind.startswith("contains")
    if not is_lower and not is_literal(text):
        return None
    literal = text if is_lower else literal_of(text)
    if not literal or "\0" in literal or not literal.isprintable():
        return None
    is_prefix = not is_lower and text.startswith("^")
    return _KINDS[kind], "p" if is_prefix else "c", is_lower, literal


def _steps_of(
    compounds: tuple[syntax.Compound, ...], combinators: tuple[str, ...]
) -> tuple[tuple[str, CompoundPlan], ...] | None:
    """The steps to siblings; None for combinators that lead elsewhere, or compounds that are not simple."""
    if len(compounds) > _MOST_STEPS or not {*combinators} <= {"+", "~"}:
        return None
    chains = [SimpleChain.of((syntax.SelectorChain((each,)),)) for each in compounds]
    known = [chain.compounds[0] for chain in chains if chain is not None]
    if len(known) != len(chains):
        return None
    written = [as_written(each) for each in known]
    if any(each is None for each in written):
        return None
    return tuple((combinator, each) for combinator, each in zip(combinators, written, strict=True) if each)
