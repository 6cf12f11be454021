"""BROWSER: every key that says how a task group's pages are loaded in a browser.

Source: defs/README.md, 4.7.
"""

from __future__ import annotations

from scoopi.defs.yaml.shape import Key, Kind, ListOf, Record, Scalar

_TEXT, _NAME, _INTEGER, _BOOL = Scalar(Kind.TEXT), Scalar(Kind.NAME), Scalar(Kind.INTEGER), Scalar(Kind.BOOL)
_MS = Scalar(Kind.INTEGER, unit="ms")
DIALOG_ANSWERS = ("accept", "dismiss")
"""What can be done to a dialog."""
WINDOWS = ("new", "main")
"""The window that an action has opened, and the page's own."""

UNTIL = Record(
    (
        Key("selector", _TEXT, "A CSS selector that an element matches.", 'selector: "table.prices"'),
        Key("gone", _TEXT, "A CSS selector that no element matches any more.", 'gone: ".spinner"'),
        Key("text", _TEXT, "A text that the page shows.", 'text: "All prices include VAT"'),
        Key("idle", _MS, "The page has had no request under way for so long, in ms.", "idle: 500"),
        Key("time", _MS, "A fixed time, in ms.", "time: 500"),
    )
)
_ACTS = (
    Key("click", _NAME, "Click the element of this CSS selector.", 'click: "button.more"'),
    Key("type", _TEXT, "Replace the text of the field `in`.", "type: oslo"),
    Key("press", _NAME, "Press a key, in the element `in` if there is one.", "press: Enter"),
    Key("select", _NAME, "Choose the option of this text or value in the list `in`.", "select: XL"),
    Key("hover", _NAME, "Move the pointer over the element.", 'hover: "nav .shop"'),
    Key("scroll", _NAME, "Scroll to the element, or with `end` to the end of the page.", "scroll: end"),
    Key("wait", UNTIL, "Wait until all of it holds.", 'wait: { selector: "li.item" }'),
    Key("screenshot", _NAME, "Save what the page shows under this name.", "screenshot: offers"),
    Key("script", _NAME, "Run JavaScript in the page.", 'script: "showAll()"'),
    Key("frame", _NAME, "Go into the frame; with `top` back to the page.", 'frame: "iframe#prices"'),
    Key(
        "window",
        Scalar(Kind.NAME, WINDOWS),
        "Go to the window that an action has opened; with `main` back to the page's own.",
        "window: new",
    ),
    Key("dialog", Scalar(Kind.NAME, DIALOG_ANSWERS), "Answer a dialog that is open.", "dialog: accept"),
)
VERBS = tuple(key.name for key in _ACTS)
"""What an action does; it has one of them."""
ACTION = Record(
    (
        *_ACTS,
        Key("in", _NAME, "The element in which is typed, pressed or selected.", 'in: "#city"'),
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
            "The longest that it may take, in ms; default: as for `until`.",
            "timeout: 3000",
        ),
        Key("optional", _BOOL, "Skip it if its element does not come in time.", "optional: true"),
    )
)
BROWSER = Record(
    (
        Key(
            "actions",
            ListOf(ACTION),
            "What is done once the page has loaded, in this order.",
            'actions: [ { click: "button.more" } ]',
        ),
        Key("until", UNTIL, "What a page must have to be complete.", 'until: { selector: "table.prices" }'),
        Key(
            "timeout",
            _MS,
            "The longest wait for that, and for the element of each action, in ms; default: 10000.",
            "timeout: 30000",
        ),
        Key(
            "block",
            ListOf(_NAME, unique=True),
            "Hosts that the page gets nothing from; `*` stands for any text.",
            'block: [ "*.ads.example" ]',
        ),
        Key("frames", _BOOL, "Read what the frames of the page show, too.", "frames: true"),
        Key("shadow", _BOOL, "Read what stands in open shadow roots, too.", "shadow: true"),
        Key("paced", _BOOL, "Pace what the page loads, too, host by host.", "paced: true"),
    )
)
