"""Fuzz every part that reads what others wrote: `python -m tests.fuzz --minutes 30 --seed 1`.

An input is made from the seed and its number: `--only NAME --first NUMBER --inputs 1` gives it again.
Ends with exit code 1 when anything was found; inputs with a fault are kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.campaign import Campaign, Plan
from tests.fuzz.targets import TARGETS

_ENDLESS = 10**12


def main() -> int:
    """Fuzz the targets one after another, each for its part of the time."""
    options = _options()
    targets = [target for target in TARGETS if options.only in (None, target.name)]
    is_clean = True
    for target in targets:
        until = time.monotonic() + options.minutes * 60 / len(targets)
        end = options.first + (options.inputs or _ENDLESS)
        plan = Plan(target, options.seed, options.first, end, options.keep, until)
        report = Campaign(plan, target.name, target.host_timeout_s).run()
        print(report.text(), flush=True)
        is_clean &= report.is_clean
    return 0 if is_clean else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="for all targets together (5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[target.name for target in TARGETS], help="one target")
    parser.add_argument("--first", type=int, default=0, help="number of the first input (0)")
    parser.add_argument("--inputs", type=int, help="the most inputs of a target")
    parser.add_argument(
        "--keep", type=Path, default=Path("build/fuzz"), help="folder for inputs with a fault"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
