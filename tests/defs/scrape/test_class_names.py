"""What the class names of definitions mean."""

from __future__ import annotations

import pytest

from scoopi.defs.scrape.class_names import absent_class, short_class


@pytest.mark.parametrize(
    ("written", "short"),
    [
        ("org.codetab.scoopi.step.extract.LocatorSeeder", "LocatorSeeder"),
        ("org.codetab.scoopi.step.extract.PageLoader", "PageLoader"),
        ("org.codetab.scoopi.step.parse.jsoup.Parser", "CssParser"),
        ("org.codetab.scoopi.step.parse.htmlunit.Parser", "XPathParser"),
        ("org.codetab.scoopi.step.process.DataFilter", "DataFilter"),
        ("org.codetab.scoopi.step.process.DataConverter", "DataConverter"),
        ("org.codetab.scoopi.step.process.LocatorCreator", "LocatorCreator"),
        ("org.codetab.scoopi.step.script.Scripter", "Scripter"),
        ("org.codetab.scoopi.step.load.DataAppender", "DataAppender"),
        ("org.codetab.scoopi.plugin.converter.DateRoller", "DateRoller"),
        ("org.codetab.scoopi.plugin.converter.DateFormater", "DateFormatter"),
        ("DateFormater", "DateFormatter"),
        ("org.codetab.scoopi.plugin.script.BasicScript", "BasicScript"),
        ("org.codetab.scoopi.plugin.appender.FileAppender", "FileAppender"),
        ("org.codetab.scoopi.plugin.appender.ListAppender", "ListAppender"),
        ("org.codetab.scoopi.plugin.encoder.CsvEncoder", "CsvEncoder"),
        ("mine.DataFilter", "DataFilter"),
        ("mine.Parser", "mine.Parser"),
        ("Parser", "Parser"),
        ("my_package.Shout", "my_package.Shout"),
    ],
)
def test_a_dotted_name_of_a_built_in_means_the_built_in(written: str, short: str) -> None:
    assert short_class(written) == short


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "org.codetab.scoopi.step.parse.jsoup.QueryAnalyzer",
            ("Scoopi has no interactive analyser", "use CssParser or XPathParser"),
        ),
        ("org.codetab.scoopi.plugin.script.DomScript", ("there is no class DomScript", "use BasicScript")),
        ("DomScript", None),
        ("a.B", None),
    ],
)
def test_classes_that_are_not_there_are_reported(name: str, said: tuple[str, str] | None) -> None:
    assert absent_class(name) == said
