"""ObjectStore: a real S3 server (moto) that takes its time, so that uploads can be interrupted."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from xml.etree import ElementTree

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "reader",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""What a client of the server needs beside AWS_ENDPOINT_URL."""
_SIGNED = "AWS4-HMAC-SHA256 Credential=reader/20260101/us-east-1/s3/aws4_request"
"""The server looks who asks, and at no signature."""
_NAMES = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class ObjectStore:
    """An S3 server in a process of its own, while the context is open.

    Args:
        delay_ms: how long each upload takes at least.
    """

    def __init__(self, delay_ms: int) -> None:
        self._delay_ms = delay_ms
        self.url = ""

    def __enter__(self) -> ObjectStore:
        command = [sys.executable, "-m", "tests.server.object_store", str(self._delay_ms)]
        root = Path(__file__).resolve().parent.parent.parent
        self._process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{self._process.stdout.readline().strip()}"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which a client finds the server."""
        return {**ENVIRONMENT, "AWS_ENDPOINT_URL": self.url}

    def bucket(self, name: str) -> Bucket:
        """A new bucket."""
        urlopen(Request(f"{self.url}/{name}", method="PUT")).close()
        return Bucket(self.url, name)


class Bucket:
    """A bucket: its objects by their URLs, `s3://BUCKET/NAME`."""

    def __init__(self, url: str, name: str) -> None:
        self.url = f"s3://{name}"
        self._http = f"{url}/{name}"

    def paths(self) -> list[str]:
        """The URLs of what is there; at most 1,000."""
        with urlopen(f"{self._http}?list-type=2") as answer:
            keys = ElementTree.fromstring(answer.read()).iter(f"{_NAMES}Key")
            return [f"{self.url}/{key.text}" for key in keys]

    def content(self, url: str) -> bytes:
        """Of an object."""
        request = Request(self._http + url.removeprefix(self.url), headers={"Authorization": _SIGNED})
        with urlopen(request) as answer:
            return bytes(answer.read())


def _slow(app: Callable[..., Iterable[bytes]], delay_s: float) -> Callable[..., Iterable[bytes]]:
    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "PUT" and environ["PATH_INFO"].count("/") > 1:
            time.sleep(delay_s)
        return app(environ, start)

    return answer


def main() -> None:
    """Print the port, and serve until killed; the argument is the delay in ms."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").disabled = True
    delay_s = int(sys.argv[1]) / 1000
    app = _slow(DomainDispatcherApplication(create_backend_app), delay_s)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
