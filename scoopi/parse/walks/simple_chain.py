"""SimpleChain: a selector of tags, ids and classes, which a walk over elements can find beside others."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoopi.parse.css import syntax

_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_MOST_COMPOUNDS = _MOST_CLASSES = 8
"""More of them are too many for C."""


CompoundPlan = tuple[str, str, tuple[str, ...]]
"""Tag, id and classes, as the walk in C takes them."""
LabelTarget = tuple[str, str, bool, str, tuple[tuple[str, CompoundPlan], ...]]
"""How the walk in C knows a label, and where it goes from there.

What is looked at: `o`, `v` and `r` as in `plan`, `n` what `normalize-space()` makes of `r`, `t` each text
child, `f` the first one. How it is compared: `e` equals, `p` begins with, `c` contains the literal. Whether
in lower case; the literal; and the steps to siblings: `+` the next one, `~` all that follow, `1` the first
that fits.
"""
WITHIN, CHILD, BELOW = range(3)
"""Where a chain begins: at the block or inside it; at a child of it; inside it."""


class SimpleCompound(NamedTuple):
    """Tag, id and classes that an element must have; empty for any."""

    tag: str
    id: str
    classes: frozenset[str]


class SimpleChain(NamedTuple):
    """A selector of tags, ids and classes, which a walk over elements can find beside others.

    Attributes:
        compounds: the last one first.
        combinators: blank or `>`, between each compound and the one before it.
    """

    compounds: tuple[SimpleCompound, ...]
    combinators: tuple[str, ...]

    @classmethod
    def of(cls, selectors: syntax.Selectors) -> SimpleChain | None:
        """The chain that parsed selectors are; None if they are more."""
        if len(selectors) != 1 or selectors[0].scoped or not {*selectors[0].combinators} <= {">", " "}:
            return None
        compounds = [_compound(each) for each in selectors[0].compounds]
        known = tuple(each for each in compounds if each is not None)
        if len(known) != len(compounds):
            return None
        return cls(known[::-1], tuple(reversed(selectors[0].combinators)))

    def plan(
        self,
        at: int,
        attribute: str,
        text: str,
        *,
        is_list: bool,
        place: int = WITHIN,
        label: LabelTarget | None = None,
    ) -> tuple[object, ...] | None:
        """What the walk in C looks for; None for what it cannot take.

        Args:
            at: the place of the values among those of the walk.
            attribute: that is taken; empty for a text.
            text: `v` for what a reader sees, `o` for the own text, `r` for the text as it is.
            is_list: all values are wanted, not the first one only.
            place: where the first element of the chain is.
            label: the text that the last one must have, and where the value is from there.
        """
        chain = tuple(map(as_written, self.compounds))
        if len(chain) > _MOST_COMPOUNDS or None in chain or (attribute and not _NAME.fullmatch(attribute)):
            return None
        children = tuple(sign == ">" for sign in self.combinators)
        return at, chain, children, attribute, text, is_list, place, label


def as_written(compound: SimpleCompound) -> CompoundPlan | None:
    """As the walk in C takes it; None if it cannot."""
    written = compound.tag, compound.id, tuple(sorted(compound.classes))
    if len(written[2]) > _MOST_CLASSES or any("\0" in name for name in (*written[:2], *written[2])):
        return None
    return written


def _compound(tests: syntax.Compound) -> SimpleCompound | None:
    tag, name, classes = "", "", set()
    for test in tests:
        match test:
            case syntax.Tag(found) if _NAME.fullmatch(found) and not tag:
                tag = found
            case syntax.Id(found) if not name:
                name = found
            case syntax.ClassName(found) if _NAME.fullmatch(found):
                classes.add(found)
            case _:
                return None
    return SimpleCompound(tag, name, frozenset(classes))
