"""What the processes of the bakery do beside scraping."""

from __future__ import annotations

from pathlib import Path

from scoopi.scheduler import Failed


def report(rows: str, day: str) -> dict[str, object]:
    """Report how many prices were found; none is a failure."""
    if int(rows) == 0:
        raise Failed("no prices")
    return {"text": f"{rows} prices since {day}"}


def takings(day: str) -> dict[str, object]:
    """Sum up a day, given as ten digits."""
    return {"date": f"{day[:4]}-{day[4:6]}-{day[6:8]}"}


def deliver(text: str, to: str) -> dict[str, object]:
    """Write a file to a folder, which must be there."""
    if not Path(to).is_dir():
        raise Failed(f"{to} is not there")
    path = Path(to) / "delivery.txt"
    path.write_text(text)
    return {"file": str(path)}
