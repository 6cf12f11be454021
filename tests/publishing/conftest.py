"""What the publisher reads was written by the appenders: their fixtures serve here too."""

from __future__ import annotations

from tests.appenders.conftest import jobs, node_folder, take, unopened, writer
from tests.publishing.record_frames import commit

__all__ = ["commit", "jobs", "node_folder", "take", "unopened", "writer"]
