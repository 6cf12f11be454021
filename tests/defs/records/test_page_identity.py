"""Which groups' pages are read once per run, and with which values of a parent."""

from __future__ import annotations

from pathlib import Path

from scoopi.model.scrape.task_def import TaskGroup
from tests.defs.written import check_in

DEFINITIONS = """
    locatorGroups: {{ list: /a.html }}
    taskGroups:
      list: {{ cards: {{ dataDef: card }} }}
      detail: {{ specs: {{ dataDef: spec }} }}
      image: {{ images: {{ dataDef: image }} }}
    dataDefs:
      card: {{ each: li, fields: {{ name: b, price: i, link: {{ select: "a @href", follow: detail }} }} }}
      spec: {{ fields: {{ name: {{ parent: name }}, more: {{ value: "<%{{parent.price}}>" }},
                        picture: {{ select: "img @src", type: url, follow: image }} }} }}
      image: {{ fields: {{ size: b, from: {{ value: "{value}" }} }} }}
    """


def groups(folder: Path, value: str) -> dict[str, TaskGroup]:
    """The task groups, with a constant of the last one."""
    outcome = check_in(folder, {"defs.yml": DEFINITIONS.format(value=value)})
    assert outcome.found == []
    return outcome.definitions.task_groups


def test_a_group_needs_those_fields_of_a_parent_that_its_definitions_name(tmp_path: Path) -> None:
    found = {name: group.parents for name, group in groups(tmp_path, "x").items()}
    assert found == {"list": (), "detail": ("name", "price"), "image": ()}


def test_records_do_not_depend_on_the_locator(tmp_path: Path) -> None:
    assert not any(group.uses_locator for group in groups(tmp_path, "x").values())


def test_groups_that_lead_to_one_that_names_the_locator_depend_on_it_too(tmp_path: Path) -> None:
    assert all(group.uses_locator for group in groups(tmp_path, "%{locator.name}").values())
