"""Families are written in Prometheus' text format, whatever their labels contain."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from scoopi.metrics.families import Family, by, one, text_of
from tests.metrics.asking import samples


def test_each_family_has_its_help_its_kind_and_its_samples() -> None:
    text = text_of([one("scoopi_a", "gauge", "One.", 2), by("scoopi_b", "gauge", "Some.", "k", {"x": 1.5})])
    assert text == (
        "# HELP scoopi_a One.\n# TYPE scoopi_a gauge\nscoopi_a 2\n"
        '# HELP scoopi_b Some.\n# TYPE scoopi_b gauge\nscoopi_b{k="x"} 1.5\n'
    )


def test_a_summary_has_its_suffixes() -> None:
    took = Family("scoopi_s", "summary", "How long.")
    took.add(2.5, suffix="_sum")
    took.add(2, suffix="_count")
    assert samples(text_of([took])) == {"scoopi_s_sum": 2.5, "scoopi_s_count": 2}


def test_labels_are_escaped() -> None:
    odd = 'a "step"\\ of\nmine'
    (family,) = text_string_to_metric_families(text_of([by("scoopi_x", "gauge", "Odd.", "step", {odd: 1.0})]))
    assert [sample.labels for sample in family.samples] == [{"step": odd}]
