"""Settings for TLS: the files by which a node and the members of its cluster authenticate each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Self

from scoopi.configs.setting import NODE, SettingKey, SettingKind, Values
from scoopi.errors import ConfigError


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How to connect to members over TLS; a field is None if its setting is unset."""

    authorities: Annotated[
        Path | None,
        SettingKey(
            "scoopi.cluster.tls.ca",
            NODE,
            "The file of trusted certificate authorities; unset: those of the system.",
            kind=SettingKind.PATH,
        ),
    ] = None
    certificate: Annotated[
        Path | None,
        SettingKey(
            "scoopi.cluster.tls.certificate",
            NODE,
            "The file with this node's certificate, if the members require one.",
            kind=SettingKind.PATH,
        ),
    ] = None
    key: Annotated[
        Path | None,
        SettingKey(
            "scoopi.cluster.tls.key",
            NODE,
            "The file with the private key of the certificate.",
            kind=SettingKind.PATH,
        ),
    ] = None
    password: Annotated[
        str | None,
        SettingKey(
            "scoopi.cluster.tls.password", NODE, "The password of the private key; write it as ${env:NAME}."
        ),
    ] = field(default=None, repr=False)

    @classmethod
    def of(cls, configs: Values, folder: Path) -> Self | None:
        """Return the settings; None if TLS is off. Relative paths are resolved against `folder`.

        Raises:
            ConfigError: a file does not exist.
        """

        def file(name: str) -> Path | None:
            key = f"scoopi.cluster.tls.{name}"
            path = configs.path(key, folder) if configs.text(key) else None
            if path is not None and not path.is_file():
                at = f"{configs.origin(key)} {key}"
                raise ConfigError(f"there is no file {path}", at=at, hint="correct the path")
            return path

        if not configs.flag("scoopi.cluster.tls.enable"):
            return None
        password = configs.text("scoopi.cluster.tls.password") or None
        return cls(file("ca"), file("certificate"), file("key"), password)
