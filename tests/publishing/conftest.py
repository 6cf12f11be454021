"""What the publisher reads was written by the appenders: their fixtures serve here too."""

from __future__ import annotations

from tests.appenders.conftest import jobs, node_folder, take, writer

__all__ = ["jobs", "node_folder", "take", "writer"]
