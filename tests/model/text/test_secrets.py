"""Secrets are named by definitions, and read when they are sent."""

from __future__ import annotations

import pytest

from scoopi.model.text.secrets import MissingSecretError, has_reference, is_secret_name, revealed


def test_a_reference_is_replaced_by_the_variable_as_it_is_now() -> None:
    assert revealed("${env:T}", {"T": "${env:U}"}) == "${env:U}"
    assert revealed("plain", {}) == "plain"


@pytest.mark.parametrize("environ", [{}, {"T": ""}])
def test_a_variable_that_is_not_set_or_empty_is_an_error_that_names_it(environ: dict[str, str]) -> None:
    with pytest.raises(MissingSecretError) as caught:
        revealed("${env:T}", environ)
    assert caught.value.variable == "T"


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "X-API-Key",
        "api_key",
        "PHPSESSID",
        "sid",
        "access-token",
        "password",
        "X-Auth",
        "key",
    ],
)
def test_names_of_credentials_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["Accept-Language", "Referer", "lang", "keyword", "X-Monkey", "spin", "q"])
def test_other_names_are_not_taken_for_those_of_credentials(name: str) -> None:
    assert not is_secret_name(name)


def test_a_reference_within_a_text_is_noticed() -> None:
    assert has_reference("Bearer ${env:T}")
