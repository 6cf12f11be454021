"""Peers of the scheduler: programs that run no-op jobs, and their environment, made on first use."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(sys.prefix) / "benchmark-peers" / "schedulers"
# the server of this Prefect does not start with later versions of FastAPI
PACKAGES = ("prefect==3.8.8", "fastapi==0.139.0", "apscheduler==3.11.3", "sqlalchemy==2.1.9")
PEERS = {
    "prefect flow": HERE / "prefect_jobs.py",
    "prefect task": HERE / "prefect_tasks.py",
    "apscheduler": HERE / "apscheduler_jobs.py",
}
"""Programs that take JOBS SLOTS, and print jobs a second and milliseconds of processor time per job."""


def peer_python() -> Path:
    """The interpreter that has the peers."""
    python = CACHE / "bin" / "python"
    stamp = CACHE / "packages.txt"
    if not stamp.exists() or stamp.read_text().split() != [*PACKAGES]:
        venv.create(CACHE, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
        stamp.write_text("\n".join(PACKAGES))
    return python
