"""https: what is trusted, and what is not."""

from __future__ import annotations

import ssl
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.hop_results import Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from scoopi.model.sites import Site
from tests.fetch.conftest import SETTINGS
from tests.fetch.exchanges.many import answers_of, send
from tests.server.misbehaviours import PAGE
from tests.server.server import Server


def test_a_page_comes_over_tls_by_http_1_1_when_its_certificate_is_trusted(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with Server(str.encode, tls=certificate) as server:
        client = HttpClient(SETTINGS)
        answer = send(client, Request(server.url("/safe")))
        client.close()
    assert isinstance(answer, Response)
    assert answer.body == b"/safe"


def test_many_connections_at_a_time_do_not_disturb_each_other(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with Server(str.encode, tls=certificate) as server:
        client = HttpClient(SETTINGS)
        answers = answers_of(client, [server.url("/bad/closes-after")] * 100, at_a_time=4)
        client.close()
        assert len({seen.connection for seen in server.log.all()}) == 100
    assert [answer.body for _, answer in answers if isinstance(answer, Response)] == [PAGE] * 100


def test_a_certificate_of_unknown_authority_is_an_error(
    client: HttpClient, certificate: tuple[Path, Path]
) -> None:
    with Server(str.encode, tls=certificate) as server:
        with pytest.raises(FetchError, match="certificate is not trusted"):
            send(client, Request(server.url("/")))
        assert server.log.all() == []


def test_a_certificate_for_another_name_is_an_error(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with Server(str.encode, tls=certificate) as server:
        client = HttpClient(SETTINGS)
        with pytest.raises(FetchError, match="certificate is not trusted"):
            send(client, Request(server.url("/", 1)))
        client.close()


def test_https_at_a_port_that_speaks_http_is_an_error(client: HttpClient, server: Server) -> None:
    with pytest.raises(FetchError, match="no TLS connection"):
        send(client, Request(server.url("/").replace("http:", "https:")))


def test_a_missing_file_of_trusted_certificates_is_an_error(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with Server(str.encode, tls=certificate) as server:
        client = HttpClient(SETTINGS)
        with pytest.raises(FetchError, match="trusted certificates cannot be read"):
            send(client, Request(server.url("/")))
        client.close()


def test_the_authority_of_one_site_is_not_trusted_for_the_next_on_a_machine_without_any(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: SimpleNamespace(cafile=None))
    monkeypatch.setattr("scoopi.fetch.request_options.USUAL_CERTIFICATES", ())
    with Server(str.encode, tls=certificate) as server:
        client = HttpClient(SETTINGS)
        assert isinstance(send(client, Request(server.url("/"), site=Site(ca=str(certificate[0])))), Response)
        with pytest.raises(FetchError, match="certificate"):
            send(client, Request(server.url("/")))
        client.close()
