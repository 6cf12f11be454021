"""A small world for the tests of reliability: pages with links, their definitions, and the rows to come."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

DEFINITIONS = """\
# Shelves of an invented seed shop; each shelf links to its packets.
locatorGroups:
  shelf:
    locators:
{locators}
taskGroups:
  shelf:
    titleTask: {{ dataDef: shelf }}
    packetTask:
      dataDef: packets
      steps:
        jsoupDefault:
          link: {{ class: LocatorCreator, previous: parser, next: seeder }}
  packet:
    priceTask: {{ dataDef: prices }}
dataDefs:
  shelf:
    query: {{ block: "body", selector: "h1" }}
    items: [ item: {{ name: title, value: title }} ]
  packets:
    query: {{ block: "ul" }}
    items:
      - item: {{ name: packet, indexRange: 1-{packets}, linkGroup: packet,
                 selector: "li:nth-child(%{{index}}) > a attribute: href" }}
  prices:
    query:
      block: "table"
      selector: "tr:nth-child(%{{item.index}}) > td:nth-child(%{{dim.size.index}})"
    items: [ item: {{ name: kind, indexRange: 2-6, selector: "tr:nth-child(%{{index}}) > td:nth-child(1)" }} ]
    dims: [ item: {{ name: size, indexRange: 2-4, selector: "tr:nth-child(1) > td:nth-child(%{{index}})" }} ]
"""
KINDS = ("radish", "chard", "leek", "basil", "dill")
SIZES = ("small", "middle", "large")


@dataclass(frozen=True, slots=True)
class World:
    """Definitions in a folder, and the rows that a run of them gives."""

    defs: Path
    rows: Counter[str]
    jobs: int

    @property
    def all_done(self) -> dict[str, int]:
        """The `jobs` of the report of a run in which each of them is done."""
        return {"done": self.jobs, "failed": 0, "warned": 0, "left": 0, "skipped": 0}


def build_world(folder: Path, shelves: int, packets: int, base_url: str = "") -> World:
    """Write `shelves` list pages with `packets` links each.

    Args:
        folder: gets `defs/` and `pages/`.
        base_url: where a server has the pages; without it they are files.
    """
    pages, defs = folder / "pages", folder / "defs"
    pages.mkdir(parents=True)
    defs.mkdir()
    rows: Counter[str] = Counter()
    locators = []
    for shelf in range(shelves):
        url = f"{base_url}/shelf-{shelf}.html" if base_url else f"{pages}/shelf-{shelf}.html"
        locators.append(f'      - {{ name: shelf{shelf}, url: "{url}" }}')
        rows[f"shelf{shelf}|shelf|title|Shelf {shelf}"] += 1
        links = []
        for packet in range(packets):
            name = f"packet-{shelf}-{packet}.html"
            links.append(f'<li><a href="{name}">packet {packet}</a>')
            (pages / name).write_text(_packet(shelf, packet, rows))
        text = f"<h1>Shelf {shelf}</h1><ul>{''.join(links)}</ul>"
        (pages / f"shelf-{shelf}.html").write_text(text)
    (defs / "job.yml").write_text(DEFINITIONS.format(locators="\n".join(locators), packets=packets))
    return World(defs, rows, shelves * (1 + packets))


def served_world(folder: Path, base_url: str, shelves: int, packets: int) -> World:
    """As `build_world`, whose pages a server shows from `pages` in the folder."""
    world = build_world(folder / "world", shelves, packets, base_url)
    for page in (folder / "world" / "pages").iterdir():
        page.rename(folder / "pages" / page.name)
    return world


def read_rows(run_folder: Path) -> Counter[str]:
    """The rows of a run's published file."""
    return Counter((run_folder / "data.txt").read_text().splitlines())


def _packet(shelf: int, packet: int, rows: Counter[str]) -> str:
    lines = ["<tr><td>kind" + "".join(f"<td>{size}" for size in SIZES)]
    for number, kind in enumerate(KINDS):
        cells = [f"{shelf}.{packet}.{number}.{column}" for column in range(len(SIZES))]
        lines.append(f"<tr><td>{kind}" + "".join(f"<td>{cell}" for cell in cells))
        for size, cell in zip(SIZES, cells, strict=True):
            rows[f"shelf{shelf}|packet|{kind}|{size}|{cell}"] += 1
    return f"<title>packet</title><table>{''.join(lines)}</table>"
