"""TABLES: definitions of records that go into tables with a key and without one."""

from __future__ import annotations

TABLES = """
locatorGroups: {{ page: [{urls}] }}
taskGroups:
  page:
    plain: {{ dataDef: plain, output: [ "{postgres}#plain", "sqlite:{sqlite}#plain" ] }}
    keyed: {{ dataDef: keyed, output: "{postgres}#keyed" }}
dataDefs:
  plain: {{ each: li, fields: {{ title: b }} }}
  keyed: {{ each: li, key: [title], fields: {{ title: b }} }}
"""
"""To be formatted with `urls`, and with `postgres` and `sqlite`: what precedes the names of their tables."""
