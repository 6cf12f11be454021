"""Site: what a path is answered with: a page of a folder or callable, a coded page, the log."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from tests.server.answer import HTML, Answer
from tests.server.codings import encode
from tests.server.request_log import RequestLog

Pages = Callable[[str], "bytes | Answer | None"]
"""Path with query, as asked -> the page; None answers 404."""


class Site:
    """Answers the well-behaved paths.

    `/log` is the log as JSON, `/log/clear` empties it; `/enc/<coding>/<path>` is `/<path>` in a content
    coding (`gzip`, `deflate`, `raw-deflate`, `br`, `zstd`, several joined by `+`);
    `/type/<content type, percent-coded>/<path>` is `/<path>` with that Content-Type (`-`: none).
    All else are the pages.
    """

    def __init__(self, pages: Path | Pages, log: RequestLog) -> None:
        self._pages = pages
        self._log = log

    def answer(self, path: str) -> Answer:
        """The answer to `path`, query included."""
        if path.startswith("/enc/"):
            return self._coded(path)
        if path.startswith("/type/"):
            _, _, content_type, rest = path.split("/", 3)
            reported = None if content_type == "-" else unquote(content_type)
            inner = self.answer("/" + rest)
            return Answer(inner.body, inner.status, reported, inner.headers)
        if path == "/log":
            entries = [seen.as_json() for seen in self._log.all()]
            return Answer(json.dumps(entries).encode(), content_type="application/json")
        if path == "/log/clear":
            self._log.clear()
            return Answer(b"{}", content_type="application/json")
        return self._page(path)

    def _coded(self, path: str) -> Answer:
        _, _, codings, rest = path.split("/", 3)
        inner = self.answer("/" + rest)
        body = inner.body
        for coding in codings.split("+"):
            body = encode(coding, body)
        reported = codings.replace("+", ", ").replace("raw-", "")
        return Answer(
            body, inner.status, inner.content_type, (*inner.headers, ("Content-Encoding", reported))
        )

    def _page(self, path: str) -> Answer:
        if not isinstance(self._pages, Path):
            try:
                page = self._pages(path)
            except FileNotFoundError:
                page = None
            if page is None:
                return Answer(b"no such page", 404)
            return page if isinstance(page, Answer) else Answer(page)
        file = self._pages / unquote(path.partition("?")[0]).lstrip("/")
        if not file.resolve().is_relative_to(self._pages.resolve()) or not file.is_file():
            return Answer(b"no such page", 404)
        kind = HTML if file.suffix in (".html", ".htm") else mimetypes.guess_type(file.name)[0]
        return Answer(file.read_bytes(), content_type=kind or "application/octet-stream")
