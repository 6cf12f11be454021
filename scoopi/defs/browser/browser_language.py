"""BROWSER: the keys of `browser`, which define how a task group's pages are loaded in a browser.

Source: defs/README.md, 4.7.
"""

from __future__ import annotations

from scoopi.defs.yaml.shape import Key, Kind, ListOf, Record, Scalar

_TEXT, _NAME, _INTEGER, _BOOL = Scalar(Kind.TEXT), Scalar(Kind.NAME), Scalar(Kind.INTEGER), Scalar(Kind.BOOL)
_MS = Scalar(Kind.INTEGER, unit="ms")
DIALOG_ANSWERS = ("accept", "dismiss")
"""The answers to a dialog."""
WINDOWS = ("new", "main")
"""The window that an action has opened, and the page's own."""

UNTIL = Record(
    (
        Key("selector", _NAME, "A CSS selector that an element matches.", 'selector: "table.prices"'),
        Key("gone", _NAME, "A CSS selector that no element matches any more.", 'gone: ".spinner"'),
        Key("text", _NAME, "A text that the page shows.", 'text: "All prices include VAT"'),
        Key("idle", _MS, "How long the page must have had no request in flight, in ms.", "idle: 500"),
        Key("time", _MS, "A fixed time, in ms.", "time: 500"),
    )
)
_ACTS = (
    Key("click", _NAME, "Click the element of this CSS selector.", 'click: "button.more"'),
    Key("type", _TEXT, "Replace the text of the field `in`.", "type: oslo"),
    Key("press", _NAME, "Press a key, in the element `in` if it is given.", "press: Enter"),
    Key("select", _NAME, "Choose the option of this text or value in the list `in`.", "select: XL"),
    Key("hover", _NAME, "Move the pointer over the element.", 'hover: "nav .shop"'),
    Key("scroll", _NAME, "Scroll to the element, or with `end` to the end of the page.", "scroll: end"),
    Key("wait", UNTIL, "Wait until all these conditions hold.", 'wait: { selector: "li.item" }'),
    Key("screenshot", _NAME, "Save what the page shows under this name.", "screenshot: offers"),
    Key("script", _NAME, "Run JavaScript in the page.", 'script: "showAll()"'),
    Key("frame", _NAME, "Enter the frame; with `top`, return to the page.", 'frame: "iframe#prices"'),
    Key(
        "window",
        Scalar(Kind.NAME, WINDOWS),
        "Switch to the window that an action has opened; with `main`, back to the page's own.",
        "window: new",
    ),
    Key("dialog", Scalar(Kind.NAME, DIALOG_ANSWERS), "Answer a dialog that is open.", "dialog: accept"),
)
VERBS = tuple(key.name for key in _ACTS)
"""The verbs of actions; each action has exactly one."""
ACTION = Record(
    (
        *_ACTS,
        Key("in", _NAME, "The element for type, press or select.", 'in: "#city"'),
        Key(
            "until",
            _NAME,
            "Scroll to the end again while that brings new elements of this selector.",
            "until: 'no-new \"li.item\"'",
        ),
        Key("max", _INTEGER, "The most clicks (default: 1) or scrolls (with `until`: 100).", "max: 20"),
        Key(
            "timeout",
            _MS,
            "The longest that the action may take, in ms; default: the `timeout` of `browser`.",
            "timeout: 3000",
        ),
        Key(
            "optional",
            _BOOL,
            "Whether the action is skipped if its element does not appear in time.",
            "optional: true",
        ),
    )
)
BROWSER = Record(
    (
        Key(
            "actions",
            ListOf(ACTION),
            "The actions once the page has loaded, in order.",
            'actions: [ { click: "button.more" } ]',
        ),
        Key("until", UNTIL, "When a page is complete.", 'until: { selector: "table.prices" }'),
        Key(
            "timeout",
            _MS,
            "The longest wait for `until`, and for the element of each action, in ms; default: 10000.",
            "timeout: 30000",
        ),
        Key(
            "block",
            ListOf(_NAME, unique=True),
            "Hosts that the page may not load from; `*` stands for any text.",
            'block: [ "*.ads.example" ]',
        ),
        Key("frames", _BOOL, "Whether the content of frames is read, too.", "frames: true"),
        Key("shadow", _BOOL, "Whether the content of open shadow roots is read, too.", "shadow: true"),
        Key("paced", _BOOL, "Whether the page's own requests are paced, too, host by host.", "paced: true"),
    )
)
