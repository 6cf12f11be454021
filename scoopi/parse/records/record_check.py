"""check_records: finds the faults of a definition of records before any page is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import tzinfo
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from scoopi.errors import ConvertError, ParseError
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.records.record_fault import KeyPath, RecordFault
from scoopi.model.text.shown import did_you_mean
from scoopi.model.text.text_template import unclosed
from scoopi.parse.records.conversion import Conversion, compile_pattern, read_dates, separators
from scoopi.parse.records.data_query import compile_data
from scoopi.parse.records.node_query import SelectorText, compile_elements, compile_nodes
from scoopi.parse.records.page_facts import compile_constant, no_page
from scoopi.parse.records.record_compiler import zone
from scoopi.parse.records.record_source import EXTRAS, compile_source

_TIMEOUT_MS = 1000
_SCRAPY_TEXT = re.compile(r"\s*::text\b(?!\s*\()")  # not an axis of XPath, as in following-sibling::text()
_SCRAPY_ATTRIBUTE = re.compile(r"\s*::attr\(\s*['\"]?([\w:-]+)['\"]?\s*\)")
_CALL = re.compile(
    r"(?:(?:[\w.]+\.)?(?:css|xpath|select|select_one|find|find_all|querySelector|querySelectorAll)|\$)"
    r"\(\s*(['\"])(.*?)\1\s*\)(.*)",
    re.DOTALL,
)
_CALL_BEHIND = re.compile(r"(.+?)\.(?:get|getall|extract|extract_first|get_text)\(.*\)", re.DOTALL)
_PYTHON_ATTRIBUTE = re.compile(r"(?:\.attrib|\.attrs)?\[\s*['\"]([\w:-]+)['\"]\s*\]$")
_GLUED_ATTRIBUTE = re.compile(r"([^@\[\]'\"]*)@([\w:.-]*)")
_ATTRIBUTE_NAMES = "href|src|srcset|alt|datetime|value"
"""Attributes that are often written like elements."""
_ATTRIBUTE_AS_ELEMENT = re.compile(rf"(.+)[\s>]({_ATTRIBUTE_NAMES})")
_XPATH_PREDICATE = re.compile(
    rf"\[\s*@({_ATTRIBUTE_NAMES}|class|id|title|name|rel|type|content|data-[\w-]+)\b"
)
_XPATH_SIGNS = re.compile(r"/|\btext\(\)|@\w+\s*\]|::")
_CSS_SIGNS = re.compile(r"[#>]|^\.|\s[.@]|^[\w.#-]+(?:\s+[\w.#-]+)+$")


def check_records(definition: RecordDef) -> list[RecordFault]:
    """The faults of selectors, patterns, types and constants, each with the keys that lead to its value."""
    return [*_faults(definition)]


def _faults(definition: RecordDef) -> Iterator[RecordFault]:
    yield from _missing_extras(definition)
    if definition.each is not None:
        yield from _selector(("each",), definition.each.text, definition, is_each=True)
    source = definition.source
    if source.kind != "script" or source.script.strip():  # a blank one is reported as such
        yield from _raised(("source", "script"), partial(compile_source, source, _TIMEOUT_MS))
    known_zone = None
    try:
        known_zone = zone(definition)
    except ParseError as error:
        yield RecordFault(("timeZone",), error.what, error.hint)
    for field in definition.fields:
        for number, select in enumerate(field.selects):
            path = ("fields", field.name, "select", number)
            yield from _selector(path, select.text, definition, field)
        wrong = [*_field(field)]
        yield from wrong
        if not wrong:
            yield from _constants(field, known_zone)


def _raised(path: KeyPath, check: Callable[[], object]) -> Iterator[RecordFault]:
    """The fault of a value that a check raises an error for."""
    try:
        check()
    except ParseError as error:
        yield RecordFault(path, error.what, error.hint)


def _field(field: FieldDef) -> Iterator[RecordFault]:
    """The faults of a field's patterns and formats, and of what they depend on."""
    path = ("fields", field.name)
    yield from _raised((*path, "value"), partial(compile_constant, field.value or ""))
    if cut := unclosed(field.value or ""):
        hint = f"close it with }}, as in %{{page.url}}; for the text as it is write %{cut}"
        yield RecordFault((*path, "value"), f"the placeholder {cut} is not closed", hint)
    if field.regex is not None:
        yield from _raised((*path, "regex"), partial(compile_pattern, field.regex, _TIMEOUT_MS))
    for number, (pattern, replacement) in enumerate(field.replace):
        pair = (*path, "replace", number)
        try:
            compiled = compile_pattern(pattern, _TIMEOUT_MS)
        except ParseError as error:
            yield RecordFault((*pair, 0), error.what, error.hint)
        else:
            yield from _raised((*pair, 1), partial(compiled.ensure_replacement, replacement))
    yield from _raised((*path, "locale"), partial(separators, field))
    if field.type in ("date", "datetime"):
        for number, each in enumerate(field.formats):
            yield from _raised((*path, "formats", number), partial(read_dates, field, None, (each,)))


def _constants(field: FieldDef, known_zone: tzinfo | None) -> Iterator[RecordFault]:
    """The faults of the values that a field can have without being read from a page."""
    conversion, path = Conversion(field, _TIMEOUT_MS, known_zone), ("fields", field.name)
    named: list[tuple[KeyPath, str, str]] = [
        (("map", text), f"the value for {text!r}", value) for text, value in field.map.items()
    ]
    if field.default is not None:
        named.append((("default",), "the default", field.default))
    for key, name, text in named:
        try:
            conversion.typed(text, no_page())
        except ConvertError as error:
            what = f"{name} of field {field.name} is not of its type {field.type}: {error.what}"
            yield RecordFault((*path, *key), what, "write a value of that type")


def _selector(
    path: KeyPath, text: str, definition: RecordDef, field: FieldDef | None = None, *, is_each: bool = False
) -> Iterator[RecordFault]:
    if not text.strip():
        return  # reported as blank
    habit = _program_habit(text)
    if habit is not None:
        yield RecordFault(path, *habit)
        return
    if not definition.source.is_html:
        try:
            compile_data([text], is_list=False)
        except ParseError as error:
            looks_css = _CSS_SIGNS.search(text) or text.startswith(("/", "./"))
            hint = (
                "with this source, selectors are JMESPath, as in offers[0].price" if looks_css else error.hint
            )
            yield RecordFault(path, error.what, hint)
        return
    try:
        if is_each:
            compile_elements(text, _TIMEOUT_MS)
        else:
            compile_nodes(
                text, _TIMEOUT_MS, of_page=definition.each is None or (field is not None and field.page)
            )
    except ParseError as error:
        yield RecordFault(path, error.what, _better(text) or error.hint)
        return
    taken = _taken_for_css(text)
    if taken is None and field is not None and (field.follow or field.type == "url"):
        taken = _forgotten_attribute(text, field)
    if taken is not None:
        yield RecordFault(path, *taken)


def _better(text: str) -> str:
    """A hint for a wrong selector that shows what was meant; else empty."""
    if SelectorText.of(text).is_xpath:
        return ""
    glued = _GLUED_ATTRIBUTE.fullmatch(text.strip())
    if glued and "/" not in glued[1]:
        return f"an attribute follows a blank and @: write `{glued[1].strip()} @{glued[2] or 'href'}`"
    return f"an XPath begins with / or ./: write ./{text}" if _XPATH_SIGNS.search(text) else ""


def _taken_for_css(text: str) -> tuple[str, str] | None:
    """The fault of a selector that is valid CSS, but not as intended: it would find nothing."""
    parts = SelectorText.of(text)
    if parts.is_xpath or parts.attribute:
        return None
    predicate = _XPATH_PREDICATE.search(parts.path)
    if predicate:
        better = _XPATH_PREDICATE.sub(lambda found: f"[{found[1]}", text)
        what = f"[@{predicate[1]}] is XPath: in CSS it means an attribute called @{predicate[1]}"
        return what, f"write `{better}`"
    element = _ATTRIBUTE_AS_ELEMENT.fullmatch(parts.path)
    if element is None:
        return None
    what = f"{text!r} looks for elements called {element[2]}, which is an attribute"
    return what, f"take the attribute: write `{element[1].strip(' >')} @{element[2]}`"


def _forgotten_attribute(text: str, field: FieldDef) -> tuple[str, str] | None:
    """The fault of a selector of an address that reads an element's text: that is hardly ever an address."""
    parts = SelectorText.of(text)
    takes_text = parts.is_xpath and re.search(r"@[\w:-]+\s*\)?$|text\(\)|\bstring\(|concat\(", parts.path)
    if parts.attribute or takes_text or field.regex is not None or field.html:
        return None
    last = re.findall(
        r"[A-Za-z][\w-]*", re.sub(r"[.#][\w-]+|\[[^]]*\]|:[\w-]+(?:\([^)]*\))?", "", parts.path)
    )
    attribute = "src" if last and last[-1].lower() in ("img", "source", "iframe", "video") else "href"
    what = f"{text!r} reads the text of an element, where an address is needed"
    return what, f"take an attribute: write `{text} @{attribute}`"


def _program_habit(text: str) -> tuple[str, str] | None:
    """The fault of a selector copied from a program (Scrapy, BeautifulSoup, a browser's console), and the
    hint; None for any other selector."""
    call, behind = _CALL.fullmatch(text.strip()), _CALL_BEHIND.fullmatch(text.strip())
    if call or behind:
        taken = _PYTHON_ATTRIBUTE.search(call[3]) if call else None
        meant = call[2] if call else behind[1] if behind else ""
        inner = _program_habit(meant)
        better = re.sub(r"^.*write `|`.*$", "", inner[1]) if inner else meant
        better += f" @{taken[1]}" if taken else ""
        return f"{text!r} is a call of a program, not a selector", f"write `{better}`"
    attribute = _SCRAPY_ATTRIBUTE.search(text)
    if attribute:
        better = f"{_SCRAPY_ATTRIBUTE.sub('', text).strip()} @{attribute[1]}".strip()
        return f"{attribute[0].strip()} is not part of a selector here", f"write `{better}`"
    if _SCRAPY_TEXT.search(text):
        better = _SCRAPY_TEXT.sub("", text).strip()
        hint = f"write `{better}`: the text is what a field takes" if better else "leave it out"
        return "::text is not part of a selector here", hint
    return None


def _missing_extras(definition: RecordDef) -> Iterator[RecordFault]:
    source = definition.source
    if source.kind in ("jsonld", "microdata"):
        yield from _missing("extruct", f"source: {source.kind}", ("source",))
    if source.js:
        yield from _missing("chompjs", "js: true", ("source", "js"))
    for field in definition.fields:
        if field.type in ("date", "datetime") and not field.formats:
            path = ("fields", field.name, "type")
            yield from _missing("dateparser", f"type: {field.type} without formats", path)
            yield from _unknown_languages(field)


def _unknown_languages(field: FieldDef) -> Iterator[RecordFault]:
    """The languages that dateparser lacks; with one of them it reads no date at all."""
    known = _languages() if field.languages else frozenset()
    for number, name in enumerate(field.languages if known else ()):
        if name not in known:
            code = name.lower().partition("-")[0].partition("_")[0]
            hint = did_you_mean(code, known, "write its code, as in de, en or pt")
            path = ("fields", field.name, "languages", number)
            yield RecordFault(path, f"there is no language {name!r}", hint)


@cache
def _languages() -> frozenset[str]:
    """The languages of dateparser by its files, as to import it takes longer than all the rest of a check."""
    spec = find_spec("dateparser")
    folders = [] if spec is None else [Path(each) for each in spec.submodule_search_locations or ()]
    files = (file for each in folders for file in (each / "data" / "date_translation_data").glob("*.py"))
    return frozenset(file.stem for file in files) - {"__init__"}


def _missing(library: str, what: str, path: KeyPath) -> Iterator[RecordFault]:
    if find_spec(library) is None:
        yield RecordFault(path, f"{what} needs {library}", f'pip install "scoopi[{EXTRAS[library]}]"')
