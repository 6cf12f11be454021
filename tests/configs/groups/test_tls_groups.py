"""The settings of TLS: its files exist, and its password is not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.groups import TlsSettings
from scoopi.errors import ConfigError


def settings(folder: Path, **values: str) -> TlsSettings | None:
    given = {f"scoopi.cluster.tls.{key}": value for key, value in values.items()}
    return TlsSettings.of(Configs.from_composed(given), folder)


def test_tls_has_files_and_is_off_unless_it_is_switched_on(tmp_path: Path) -> None:
    (ca := tmp_path / "ca.pem").touch()
    assert settings(tmp_path, ca="ca.pem") is None
    found = settings(tmp_path, enable="true", ca="ca.pem", password="p")
    assert found == TlsSettings(ca, None, None, "p")
    with pytest.raises(ConfigError, match=r"scoopi\.cluster\.tls\.key: there is no file /run/k\.pem"):
        settings(Path("/run"), enable="true", key="k.pem")


def test_the_password_is_not_shown() -> None:
    assert "secret" not in repr(TlsSettings(password="secret"))
