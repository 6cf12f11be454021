"""Example: one set of definitions under defs/examples, and how it is run and compared."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from scoopi.app import Scoopi
from scoopi.model.report.run_report import RunReport

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "defs" / "examples"

Rows = dict[str, Counter[str]]
"""File name, without the suffix of its compression -> its lines, and how often each occurs."""


@dataclass(frozen=True)
class Example:
    """A folder of definitions with pages and the rows it must give."""

    folder: Path

    @property
    def conf(self) -> Path | None:
        """Its settings, if it has any."""
        conf = self.folder / "conf" / "scoopi.yml"
        return conf if conf.is_file() else None

    def expected(self) -> Rows:
        """What each output file must hold; `expected.txt` is that of the only file, whatever its name."""
        single = self.folder / "expected.txt"
        if single.is_file():
            return {"": _lines(single)}
        several = self.folder / "expected"
        return {str(file.relative_to(several)): _lines(file) for file in _files(several)}

    def run(self, output: Path, workers: int = 0, configs: Mapping[str, str] | None = None) -> RunReport:
        """Run it; pages that it keeps for later runs are kept beside the output."""
        settings = {"scoopi.datastore.path": str(output / "kept"), **(configs or {})}
        return Scoopi(
            self.folder, settings, output=output / "runs", conf=self.conf, workers=workers, environ={}
        ).run()


def examples() -> list[Example]:
    """Every set, by name."""
    return [Example(folder) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()]


def published(run: Path) -> Rows:
    """The rows of a run's folder, those of Parquet as JSON; those of its only file under the name ""."""
    files = [file for file in _files(run) if file.name != "run.json"]
    rows = {
        str(file.relative_to(run)).removesuffix(".gz").removesuffix(".zst"): _lines(file) for file in files
    }
    return {"": next(iter(rows.values()))} if len(rows) == 1 else rows


def _files(folder: Path) -> list[Path]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return sorted(
        file for file in files if not any(part[0] == "." for part in file.relative_to(folder).parts)
    )


def _lines(file: Path) -> Counter[str]:
    body = file.read_bytes()
    if file.suffix == ".parquet":
        records = pq.read_table(file).to_pylist()
        body = "\n".join(json.dumps(each, default=str, separators=(",", ":")) for each in records).encode()
    if file.suffix == ".gz":
        body = gzip.decompress(body)
    elif file.suffix == ".zst":
        body = zstd.decompress(body)
    # Rejected records name their definitions as they were given.
    return Counter(body.decode("utf-8").replace(f"{ROOT}/", "").splitlines())
