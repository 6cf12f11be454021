"""Each fault of a definition is placed where the wrong value is written, whatever key it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.app import check

MARK = "¦"
"""Stands in a bad text where the first finding shall point to."""
RECORDS = """\
locatorGroups: { list: "https://shop.example/" }
taskGroups:
  list: { cards: { dataDef: card } }
  detail: { specs: { dataDef: spec } }
dataDefs:
  spec: { fields: { upc: { label: UPC }, of: { parent: title } } }
  card:
    each: li
    fields:
      title: b
      link: { select: "a @href", type: url, follow: detail }
      """
FIELDS = [
    ('f: { select: b, regex: ¦"(" }', "f.regex", "close it with )"),
    ('f: { select: b, regex: ¦"" }', "f.regex", "write `regex:"),
    ('f: { select: b, replace: [ [¦"(", x] ] }', "f.replace[0][0]", "close it with )"),
    ('f: { select: b, replace: [ [a, b], [¦"[", x] ] }', "f.replace[1][0]", "close the class with ]"),
    ('f: { select: b, replace: [ [a], [¦"[", x] ] }', "", "close the class with ]"),
    ('f: { select: b, replace: [ [a, ¦"$3"] ] }', "f.replace[0][1]", "write \\$ for a dollar sign"),
    ("f: { select: b, type: integer, default: ¦none }", "f.default", "write a value of that type"),
    ("f: { select: b, type: integer, map: { a: 1, b c: ¦x } }", 'f.map."b c"', "write a value of that type"),
    ('f: { select: b, type: date, formats: ¦"%Q" }', "f.formats", "write it as %d.%m.%Y"),
    ('f: { select: b, type: date, formats: [ "%d", ¦"%Q" ] }', "f.formats[1]", "write it as %d.%m.%Y"),
    ("f: { select: b, type: date, languages: [ de, ¦german ] }", "f.languages[1]", "as in de, en or pt"),
    ("f: { select: b, type: decimal, locale: ¦xx }", "f.locale", "write a language such as de"),
    ('f: { value: ¦"%{page.uri}" }', "f.value", "did you mean %{page.url}?"),
    ('f: { value: ¦"%{page.url" }', "f.value", "write %%{page.url"),
    ('f: { script: ¦"" }', "f.script", "write `script:"),
    ('f: [ b, ¦"b[" ]', "f[1]", "add ']'"),
    ('f: ¦"b["', "f", "add ']'"),
    ('f: { select: [ b, ¦"b[" ] }', "f.select[1]", "add ']'"),
    ('f: { select: ¦"" }', "f.select[0]", "write `select:"),
    ("f: { parent: ¦xyz }", "f.parent", "add `follow: list`"),
    ('f: { parent: ¦"" }', "f.parent", "write `parent: title`"),
    (
        'f: { select: b @href, download: { to: "x/%{sha256}", types: [ image/png, ¦png ] } }',
        "f.download.types",
        "write it as image/png",
    ),
    ('f: { select: b @href, type: ¦text, download: { to: "x/%{sha256}" } }', "f", "write `type: url`"),
    ("f: { select: b @href, type: ¦integer, follow: detail }", "f", "write `type: url`"),
]


def placed(text: str) -> tuple[str, str]:
    """The text without its mark, and `line:column` of the mark."""
    before, mark, after = text.partition(MARK)
    assert mark, text
    return before + after, f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


@pytest.mark.parametrize(("field", "key", "hint"), FIELDS, ids=[each[0] for each in FIELDS])
def test_a_fault_of_a_field_is_at_the_wrong_value(tmp_path: Path, field: str, key: str, hint: str) -> None:
    text, place = placed(RECORDS + field + "\n")
    (tmp_path / "defs.yml").write_text(text)
    findings = check(tmp_path / "defs.yml", environ={}).findings
    if key:
        (finding,) = findings
        assert finding.key == f"dataDefs.card.fields.{key}"
    finding = findings[-1]
    assert f"{finding.place.line}:{finding.place.column}" == place
    assert hint in finding.sentence()


@pytest.mark.parametrize(
    ("rest", "key"),
    [
        ("timeZone: ¦Europe/Berln", "timeZone"),
        ("source: { script: ¦'a[', js: true }", "source.script"),
        ("source: { script: ¦'' }", "source.script"),
        ('expect: { title: ¦"20-" }', "expect.title"),
        ("key: [ title, ¦titel ]", "key"),
    ],
)
def test_a_fault_of_records_is_at_the_wrong_value(tmp_path: Path, rest: str, key: str) -> None:
    text, place = placed(f"{RECORDS.rstrip()}\n    {rest}\n")
    (tmp_path / "defs.yml").write_text(text)
    finding = check(tmp_path / "defs.yml", environ={}).findings[-1]
    assert (f"{finding.place.line}:{finding.place.column}", finding.key) == (place, f"dataDefs.card.{key}")


GRID = """\
locatorGroups: {{ town: {{ locators: [ {{ name: a, url: "https://x.example/" }} ] }} }}
taskGroups:
  town: {{ t: {{ dataDef: d, steps: {{ css: {{ {step} }} }} }} }}
  next: {{ t: {{ dataDef: d }} }}
dataDefs:
  d: {{ query: {{ block: body, selector: h1 }}, items: [ item: {{ {item} }} ] }}
"""
LINK = "link: { class: LocatorCreator, previous: parser, next: seeder }"
CONVERTER = (
    "x: { class: DataConverter, previous: parser, next: filter, plugins: [ plugin: { name: d, %s } ] }"
)
APPENDER = (
    "appender: { class: DataAppender, previous: filter, next: end, plugins: [ plugin: "
    "{ name: f, class: FileAppender, %s } ] }"
)
ENCODER = "file: x, plugins: [ plugin: { name: c, %s } ]"
ROLLER = 'class: DateRoller, item: a, inPattern: "yyyy", outPattern: "yyyy", roll: DAY_OF_MONTH'
STEPS = [
    (LINK, "name: a, selector: p, linkGroup: next, linkBreakOn: [ a, ¦'.*[' ]", "at character 3"),
    (CONVERTER % "class: ¦DateRolr, item: a", "name: a", "did you mean DateRoller?"),
    (CONVERTER % f"{ROLLER}, ¦onErorr: keep", "name: a", "unknown field onErorr; did you mean onError?"),
    (CONVERTER % f"{ROLLER}, onError: ¦stop", "name: a", "expected keep or fail or drop or blank"),
    (CONVERTER.replace("{ name: d", "¦{ name: d") % ROLLER.replace("item: a, ", ""), "name: a", "item is"),
    (
        APPENDER % "file: ¦'../x', plugins: [ plugin: { name: c, class: CsvEncoder } ]",
        "name: a",
        "leaves the",
    ),
    (APPENDER % ENCODER % "class: ¦CsvEncodr", "name: a", "did you mean CsvEncoder?"),
    (APPENDER % ENCODER % "class: CsvEncoder, header: ¦maybe", "name: a", "expected true or false"),
    (APPENDER % ENCODER % "class: CsvEncoder, ¦heder: true", "name: a", "did you mean header?"),
]


@pytest.mark.parametrize(("step", "item", "what"), STEPS, ids=[each[2] for each in STEPS])
def test_a_fault_of_a_plugin_is_at_its_class_or_the_wrong_field(
    tmp_path: Path, step: str, item: str, what: str
) -> None:
    text, place = placed(GRID.format(step=step, item=item))
    (tmp_path / "defs.yml").write_text(text)
    errors = [each for each in check(tmp_path / "defs.yml", environ={}).findings if each.severity == "error"]
    (finding,) = errors
    assert f"{finding.place.line}:{finding.place.column}" == place, finding
    assert what in finding.sentence()


@pytest.mark.parametrize(
    "site",
    ["headers: { ¦A B: x }", "headers: { ¦Host: x }", "cookies: { ¦a;b: x }", "headers: { A: ¦'x\0' }"],
)
def test_a_name_that_cannot_be_sent_is_at_the_name(tmp_path: Path, site: str) -> None:
    text, place = placed(f"{RECORDS.rstrip()}\nsites: {{ shop.example: {{ {site} }} }}\n")
    (tmp_path / "defs.yml").write_text(text.replace("'x\0'", '"x\\0"'))
    (finding,) = check(tmp_path / "defs.yml", environ={}).findings
    assert f"{finding.place.line}:{finding.place.column}" == place, finding
