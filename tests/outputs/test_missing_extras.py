"""Each extra, as a user without it meets it: the check says what needs it, where, and how it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.engine.workspace import ROOT

OUTPUT = 'taskGroups: {{ page: {{ t: {{ dataDef: d, output: "{}" }} }} }}\n'
CARDS = "dataDefs: { d: { each: li, fields: { title: b } } }"
CSV = OUTPUT.format("a.csv")
CONVERTER = (
    "plugin: { name: c, class: DateFormatter, item: day, inPattern: d MMMM, outPattern: MM, locale: de }"
)
GRID = f"""taskGroups: {{ page: {{ t: {{ dataDef: d, steps: s }} }} }}
steps:
  s:
    css:
      dates: {{ class: DataConverter, previous: filter, next: appender, plugins: [ {CONVERTER} ] }}
dataDefs: {{ d: {{ query: {{ block: li }}, items: [ item: {{ name: day, selector: i }} ] }} }}
"""
CASES: tuple[tuple[str, str, str], ...] = (
    ("pyarrow", "parquet", OUTPUT.format("a.parquet") + CARDS),
    ("openpyxl", "xlsx", OUTPUT.format("a.xlsx") + CARDS),
    ("sqlalchemy", "sql", OUTPUT.format("sqlite:a.db#a") + CARDS),
    ("sqlalchemy", "sql", OUTPUT.format("postgresql://h/d#a") + CARDS),
    ("psycopg", "sql", OUTPUT.format("postgresql://h/d#a") + CARDS),
    ("fsspec", "s3", OUTPUT.format("s3://b/a.csv") + CARDS),
    ("s3fs", "s3", OUTPUT.format("s3://b/a.csv") + CARDS),
    ("dateparser", "dates", CSV + "dataDefs: { d: { fields: { day: { select: i, type: date } } } }"),
    ("chompjs", "js", CSV + "dataDefs: { d: { source: { script: s, js: true }, fields: { a: a } } }"),
    ("extruct", "structured", CSV + "dataDefs: { d: { source: jsonld, fields: { a: a } } }"),
    ("extruct", "structured", CSV + "dataDefs: { d: { source: microdata, fields: { a: a } } }"),
    ("babel", "locale", GRID),
    ("selenium", "browser", CSV.replace("page: {", "page: { loader: browser,") + CARDS),
)


def test_the_check_names_the_extra_of_each_library_that_is_missing(tmp_path: Path) -> None:
    missing, present = [], []
    for number, (library, _, text) in enumerate(CASES):
        file = tmp_path / f"{number}.yml"
        file.write_text('locatorGroups: { page: "http://h/p.html" }\n' + text)
        missing.append(json.dumps([library, str(file)]))
        present.append(json.dumps(["nothing", str(file)]))
    command = [sys.executable, "-m", "tests.outputs.checks_without"]
    ended = subprocess.run(
        command, cwd=ROOT, input="\n".join(missing + present), capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    for (library, extra, _), (code, said) in zip(CASES, answers[: len(CASES)], strict=True):
        assert (code, "1 error in 1 file" in said) == (3, True), (library, said)
        assert library in said.lower(), said
        assert any(f"pip install {quote}scoopi[{extra}]{quote}" in said for quote in "'\""), said
    for (library, extra, _), (code, said) in zip(CASES, answers[len(CASES) :], strict=True):
        assert code == 0 or extra == "s3", (library, said)  # s3fs need not be installed here
