"""What the client's faults mean, in words."""

from __future__ import annotations

import socket

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError

_PROBE_S = 1.0
_GAVE_UP = "an error occurred after invocation timeout: "
"""What the client puts before the reason."""


def no_member_error(settings: ClusterSettings, fault: Exception) -> ClusterError:
    """The error when no member lets this node in; it has what was tried."""
    tried = "; ".join(f"{address} {_probed(address)}" for address in settings.addresses)
    within = f"{settings.connect_timeout_ms / 1000:g} s"
    # That it could not connect is all that the client says of members which are not there.
    why = "" if "Unable to connect to any cluster" in str(fault) else f" ({reason_of(fault)})"
    return ClusterError(
        f"no member of the cluster {settings.name} let this node in within {within}{why}: {tried}",
        hint="start a member (scoopi member), or correct scoopi.cluster.addresses and .name",
    )


def reason_of(fault: BaseException) -> str:
    """The reason for which a call failed."""
    text = str(fault).partition("\n")[0]
    if _GAVE_UP in text:
        return text.rpartition(_GAVE_UP)[2]
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def _probed(address: str) -> str:
    """What happens on connecting to an address, in words."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_PROBE_S):
            return "answers, but is no member of that name, stands still, or knows other credentials or TLS"
    except OSError as fault:
        return f"cannot be reached ({fault.strerror or fault})"
