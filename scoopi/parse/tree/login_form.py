"""LoginForm: a form of a page, with the fields that a browser would submit."""

from __future__ import annotations

from urllib.parse import urljoin

import msgspec

from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.tree.page import Page

_NOT_SENT = frozenset({"submit", "button", "image", "reset", "file"})


class LoginForm(msgspec.Struct, frozen=True):
    """A form of a page, with the fields that a browser would submit.

    Attributes:
        url: absolute URL that it is submitted to.
        method: GET or POST.
        fields: name -> initial value, including hidden fields.
        passwords: names of its password fields.
    """

    url: str
    method: str
    fields: dict[str, str]
    passwords: frozenset[str]


def has_element(page: Page, selector: str, engine: CssEngine) -> bool:
    """Whether the CSS selector matches an element of the page; errors as for `find_form`."""
    return bool(engine.compile_block(selector)(page.root))


def find_form(page: Page, selector: str, engine: CssEngine) -> LoginForm | None:
    """The first form that the CSS selector matches, or that contains a match; None without one.

    Raises:
        ParseError: the selector is wrong, or the page exceeds its limits.
    """
    for found in engine.compile_block(selector)(page.root):
        form = found if found.tag == "form" else next(found.iterancestors("form"), None)
        if form is not None:
            return _read(form, page)
    return None


def _read(form: Element, page: Page) -> LoginForm:
    address = page.document.url
    base = _joined(address, page.base_href, address) if page.base_href else address
    fields: dict[str, str] = {}
    passwords: set[str] = set()
    for control in form.iter("input", "select", "textarea"):
        name, kind = control.get("name"), (control.get("type") or "text").lower()
        if not name or control.get("disabled") is not None:
            continue
        if control.tag == "input" and kind == "password":
            passwords.add(name)
        value = _value(control, kind)
        if value is not None:
            fields[name] = value
    method = "POST" if (form.get("method") or "").lower() == "post" else "GET"
    action = (form.get("action") or "").strip()
    url = _joined(base, action, action) if action else address
    return LoginForm(url, method, fields, frozenset(passwords))


def _joined(base: str, address: str, otherwise: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:  # a malformed address, such as `http://[site]/`
        return otherwise


def _value(control: Element, kind: str) -> str | None:
    if control.tag == "select":
        options = list(control.iter("option"))
        chosen = next((each for each in options if each.get("selected") is not None), None)
        chosen = options[0] if chosen is None and options else chosen
        return None if chosen is None else chosen.get("value", "".join(map(str, chosen.itertext())).strip())
    if control.tag == "textarea":
        return "".join(map(str, control.itertext()))
    if kind in _NOT_SENT or (kind in ("checkbox", "radio") and control.get("checked") is None):
        return None
    return control.get("value", "on" if kind in ("checkbox", "radio") else "")
