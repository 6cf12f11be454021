"""What `from` of a locator names, and what can be wrong with it."""

from __future__ import annotations

import pytest

from tests.defs.written import DATA, TASKS, Check

QUERY = "query: select 1"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("{ database: sqlite:a.db }", "from has database, but no query; add `query: "),
        (f"{{ {QUERY} }}", "from has query, but no database; add `database: "),
        ("{ output: a.csv }", "from has output, but no run; add `run: "),
        ("{ run: a, output: a.csv, database: b }", "from has both database and output; write { database: "),
        ("{ }", "from names neither a database nor a run"),
        ("{ run: a, outputs: a.csv }", "unknown key outputs; did you mean output?"),
        ("[ a.csv ]", "from must be a mapping (or a file), not a list"),
        ("a.parquet", "a.parquet is neither a source of pages nor a file"),
    ],
)
def test_what_is_wrong_with_from_is_reported_once(check: Check, source: str, found: str) -> None:
    said = check(f"locatorGroups: {{ city: {{ from: {source} }} }}\n" + TASKS + DATA).sentences
    assert len([each for each in said if each.startswith("error") and "task" not in each]) <= 2
    assert any(found in each for each in said), said


@pytest.mark.parametrize(
    ("group", "what"),
    [
        ('{ source: a.csv, url: "http://a/%{id}" }', "unknown key source; did you mean from?"),
        ('{ locators: [ { name: a, file: a.csv, url: "http://a/%{id}" } ] }', "key file; did you mean from?"),
        ('{ frm: a.csv, url: "http://a/%{id}" }', "unknown key frm; did you mean from?"),
        ('{ source: sitemap, url: "http://a/sitemap.xml" }', "unknown key source; did you mean from?"),
        ("{ rows: a.csv }", "unknown key rows; did you mean from?"),
        ('{ from: { database: "sqlite:a.db", query: "" } }', "query is blank; write `query: "),
        ('{ from: { database: "sqlite:a.db", query: } }', "query has no value; write `query: "),
        (f'{{ from: {{ database: " ", {QUERY} }} }}', "database is blank; write `database: "),
        (f"{{ from: {{ database: [ a ], {QUERY} }} }}", "database must be a single value, not a list"),
        ('{ from: { run: defs/a, output: "" } }', "output is blank; write `output: shops.csv`"),
    ],
)
def test_a_wrong_key_or_an_empty_value_is_one_error(check: Check, group: str, what: str) -> None:
    records = "dataDefs: { temps: { fields: { id: { parent: id } } } }\n"
    (found,) = check(f"locatorGroups: {{ city: {group} }}\n{TASKS}{records}").sentences
    assert found.startswith("error locatorGroups.city")
    assert what in found


@pytest.mark.parametrize("url", ["postgresql://a:s3cret@b/c", "postgresql://b/c?password=s3cret"])
def test_a_password_in_the_definitions_is_an_error_that_does_not_show_it(check: Check, url: str) -> None:
    checked = check(
        f'locatorGroups: {{ city: {{ from: {{ database: "{url}", {QUERY} }} }} }}\n' + TASKS + DATA
    )
    (found,) = checked.found
    assert "the URL of the database contains a password; set it in the environment" in found
    assert "s3cret" not in "".join(checked.report.text())
