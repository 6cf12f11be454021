"""client_options: what rule 1 of the protocol needs of the client, and what the settings of a node become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoopi.configs.groups import ClusterSettings, TlsSettings
from scoopi.store.cluster.cluster_client import client_class

ALONE = ClusterSettings(("member.example:5701",))


def options(settings: ClusterSettings, ping_s: float = 2.0, silence_s: float = 10.0) -> dict[str, Any]:
    client_class()  # the import below would warn without it
    from scoopi.store.cluster.client_options import client_options

    return client_options(settings, print, ping_s, silence_s)


def test_a_write_counts_only_with_its_backup_and_is_sent_again_when_its_member_dies() -> None:
    made = options(ALONE)
    promises = (
        "redo_operation",
        "smart_routing",
        "backup_ack_to_client_enabled",
        "fail_on_indeterminate_operation_state",
    )
    assert {name: made[name] for name in promises} == dict.fromkeys(promises, True)
    assert made["operation_backup_timeout"] < made["invocation_timeout"]


def test_values_of_unknown_types_are_refused_and_not_pickled() -> None:
    kind = options(ALONE)["global_serializer"]
    assert kind().get_type_id() > 0, "the client keeps the other numbers for its own types"
    with pytest.raises(TypeError, match="a object may not be sent to the cluster"):
        kind().write(None, object())


@pytest.mark.parametrize(("whole_ms", "one_s"), [(1_000, 1.0), (5_000, 5.0), (60_000, 5.0)])
def test_one_try_to_connect_takes_five_seconds_at_most_and_never_longer_than_all(
    whole_ms: int, one_s: float
) -> None:
    made = options(replace(ALONE, connect_timeout_ms=whole_ms))
    assert made["connection_timeout"] == one_s
    assert made["cluster_connect_timeout"] == whole_ms / 1000


def test_members_that_come_back_are_found_within_a_second_and_calls_are_repeated_often() -> None:
    made = options(ALONE)
    assert made["retry_initial_backoff"] < made["retry_max_backoff"] <= 1.0
    assert made["retry_multiplier"] < 2
    assert made["invocation_retry_pause"] * 10 <= 1.0


def test_settings_are_passed_in_the_units_of_the_client() -> None:
    settings = replace(ALONE, addresses=("a:5701", "b:5702"), name="theirs", call_timeout_ms=7_500)
    made = options(settings, ping_s=3.0, silence_s=11.0)
    assert made["cluster_members"] == ["a:5701", "b:5702"]
    assert made["cluster_name"] == "theirs"
    assert made["invocation_timeout"] == 7.5
    assert (made["heartbeat_interval"], made["heartbeat_timeout"]) == (3.0, 11.0)
    assert made["lifecycle_listeners"] == [print]


def test_without_a_user_and_tls_the_client_is_given_neither() -> None:
    made = options(ALONE)
    assert not [name for name in made if name.startswith(("creds_", "ssl_"))]
    assert None not in made.values()


def test_a_user_is_passed_with_the_password() -> None:
    made = options(replace(ALONE, username="ann", password="secret"))
    assert (made["creds_username"], made["creds_password"]) == ("ann", "secret")


def test_over_tls_the_name_of_the_member_is_checked_and_only_given_files_are_passed() -> None:
    made = options(replace(ALONE, tls=TlsSettings(authorities=Path("/ca.pem"))))
    assert {name: value for name, value in made.items() if name.startswith("ssl_")} == {
        "ssl_enabled": True,
        "ssl_check_hostname": True,
        "ssl_cafile": "/ca.pem",
    }


def test_each_file_of_tls_is_passed_as_what_it_is() -> None:
    tls = TlsSettings(Path("/ca.pem"), Path("/node.pem"), Path("/node.key"))
    made = options(replace(ALONE, tls=tls))
    names = ("ssl_cafile", "ssl_certfile", "ssl_keyfile")
    assert [made[name] for name in names] == ["/ca.pem", "/node.pem", "/node.key"]
