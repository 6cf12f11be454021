"""client_options: the options of the Hazelcast client; with them an acknowledged write is not lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoopi.configs.groups import ClusterSettings, TlsSettings
from scoopi.store.cluster.grid_values import PickleRefused

_TYPE_ID = 7_235_001
_BACKUP_S = 2.0
"""How long a write waits for its backup, and so how long writes stall when a member crashes."""


class UnknownTypesRefused(PickleRefused):
    """Refuses values that are not text, JSON or bytes, where the client would pickle them."""

    def get_type_id(self) -> int:
        """A type number that no other serializer has."""
        return _TYPE_ID


def client_options(
    settings: ClusterSettings, heard: Callable[[str], None], ping_s: float, silence_s: float
) -> dict[str, Any]:
    """The options of the Hazelcast client, as keyword arguments for its class.

    Args:
        heard: called with `CONNECTED` or `DISCONNECTED`, and with the client's other states.
        ping_s: interval of pings to a member.
        silence_s: a member that answers no ping for this long counts as gone.
    """
    options: dict[str, Any] = {
        "cluster_members": list(settings.addresses),
        "cluster_name": settings.name,
        "connection_timeout": min(5.0, settings.connect_timeout_ms / 1000),
        "cluster_connect_timeout": settings.connect_timeout_ms / 1000,
        "retry_initial_backoff": 0.1,
        "retry_max_backoff": 1.0,
        "retry_multiplier": 1.5,
        # The crash of a member fails no write; the outcome of a repeated write is settled by reading.
        "redo_operation": True,
        # A write whose backup was not acknowledged may be lost with its member. The client itself waits for
        # the backups, whatever the members' configuration; this needs smart routing.
        "smart_routing": True,
        "backup_ack_to_client_enabled": True,
        "fail_on_indeterminate_operation_state": True,
        "operation_backup_timeout": _BACKUP_S,
        "invocation_timeout": settings.call_timeout_ms / 1000,
        "invocation_retry_pause": 0.1,
        "heartbeat_interval": ping_s,
        "heartbeat_timeout": silence_s,
        "global_serializer": UnknownTypesRefused,
        "lifecycle_listeners": [heard],
        "creds_username": settings.username,
        "creds_password": settings.password,
    }
    if settings.tls is not None:
        options.update(_tls(settings.tls))
    return {name: value for name, value in options.items() if value is not None}


def _tls(tls: TlsSettings) -> dict[str, Any]:
    files = {"ssl_cafile": tls.authorities, "ssl_certfile": tls.certificate, "ssl_keyfile": tls.key}
    return {
        "ssl_enabled": True,
        "ssl_check_hostname": True,
        "ssl_password": tls.password,
        **{name: str(file) for name, file in files.items() if file is not None},
    }
