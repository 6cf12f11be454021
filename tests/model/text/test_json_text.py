"""read_json: whatever is wrong with a document is one kind of error."""

from __future__ import annotations

import pytest

from scoopi.model.text.json_text import read_json


def test_documents_are_parsed_with_the_hooks_of_json() -> None:
    assert read_json('{"a": [1, 2.5]}', parse_int=str) == {"a": ["1", 2.5]}


@pytest.mark.parametrize(
    ("text", "why"), [("{", "Expecting property name"), ("[" * 200_000, "it is nested too deeply")]
)
def test_a_document_that_cannot_be_read_is_an_error_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_json(text)
