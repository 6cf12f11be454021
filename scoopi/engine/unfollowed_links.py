"""UnfollowedLinks: which rules of links have left out all that a field has found."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.engine.found_counts import FoundCounts, placed
from scoopi.model.place import Place
from scoopi.model.records.record_def import FieldDef, LinkRules, Selector
from scoopi.model.report.counter_names import (
    ALLOW_KEY,
    DENY_KEY,
    FIELD,
    FOLLOWED,
    LEFT_OUT,
    NO_PAGE,
    PREFIX,
    REFUSALS,
    SAME_KEY,
    SEPARATOR,
    count_name,
)
from scoopi.model.text.shown import shown

_LONGEST_PATTERN = 60


class UnfollowedLinks(FoundCounts):
    """Names the rules of links that have left out all that a field has found."""

    def sentence(
        self, data_def: str, field: FieldDef, whose: str, where: str, allow: str = ALLOW_KEY
    ) -> Iterator[str]:
        """Yield a sentence about one field, or nothing if one of its links is followed, or it found none.

        Args:
            whose: the beginning of the sentence: what the links belong to.
            where: the pages that were read.
            allow: the key that the definitions use for the patterns of `allow`.
        """
        if field.links is None or self._count(FOLLOWED, data_def, (FIELD, field.name)):
            return
        causes, total = [], 0
        for refusal in REFUSALS:
            if number := self._count(f"{LEFT_OUT} {refusal}", data_def, (FIELD, field.name)):
                total += number
                rule, place = _rule(refusal, field.links, allow)
                at = placed(place) or placed(field.place)
                causes.append(f"{number:,} {rule}, as {self._example(refusal, data_def, field)}{at}")
        if causes:
            links = f"{total:,} link{'' if total == 1 else 's'}"
            yield f"{whose}: none of {links} on {where} is followed: {'; '.join(causes)}"

    def _example(self, refusal: str, data_def: str, field: FieldDef) -> str:
        name = count_name(f"{LEFT_OUT} {refusal}", data_def, (FIELD, field.name))
        found = sorted(self._counts.with_prefix(f"{PREFIX}{name}{SEPARATOR}"))
        return shown(found[0]) if found else "?"


def _rule(refusal: str, rules: LinkRules, allow: str) -> tuple[str, Place]:
    """What a rule says of the links that it leaves out, and where it is written."""
    if refusal == ALLOW_KEY:
        return f"not matched by `{allow}`{_pattern(rules.allow)}", rules.allow[0].place
    if refusal == DENY_KEY:
        return f"matched by `deny`{_pattern(rules.deny)}", rules.deny[0].place
    if refusal == SAME_KEY:
        return f"on another {rules.same}", Place()
    assert refusal == NO_PAGE
    return "not addresses of pages", Place()


def _pattern(patterns: tuple[Selector, ...]) -> str:
    """The pattern, if there is only one and it is short."""
    text = patterns[0].text
    return f" {text!r}" if len(patterns) == 1 and len(text) <= _LONGEST_PATTERN else ""
