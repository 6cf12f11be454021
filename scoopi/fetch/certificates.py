"""Certificates: where the machine keeps the certificate authorities that it trusts."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from pathlib import Path

USUAL_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def trusted_file(environment: Mapping[str, str] = os.environ) -> str | None:
    """The file of trusted authorities: SSL_CERT_FILE, CURL_CA_BUNDLE, Python's own, or the usual place.

    None when the machine has none: then every https page fails, and the error says so.
    """
    given = (environment.get("SSL_CERT_FILE"), environment.get("CURL_CA_BUNDLE"))
    for name in given:
        if name:
            return name
    for name in (ssl.get_default_verify_paths().cafile, *USUAL_FILES):
        if name and Path(name).is_file():
            return name
    return None
