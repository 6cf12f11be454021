"""SITES: the keys of a site, in definitions and in conf files alike.

Source: defs/README.md, 1.8.
"""

from __future__ import annotations

from scoopi.defs.sites.budget_language import BUDGET_RECORD
from scoopi.defs.yaml.shape import Key, Kind, Record, Scalar, TextOrTexts

_TEXT, _NAME, _INTEGER = Scalar(Kind.TEXT), Scalar(Kind.NAME), Scalar(Kind.INTEGER)
_MS = Scalar(Kind.INTEGER, unit="ms")

AUTH = Record(
    (
        Key("user", _NAME, "The name for basic authentication.", "user: reader"),
        Key("password", _NAME, "Its password, as `${env:NAME}`.", 'password: "${env:SHOP_PASSWORD}"'),
        Key("bearer", _NAME, "A bearer token, as `${env:NAME}`.", 'bearer: "${env:SHOP_TOKEN}"'),
    )
)
PAGE_SIGN = Record(
    (
        Key("selector", _NAME, "A CSS selector that an element of the page matches.", 'selector: "a.logout"'),
        Key(
            "url",
            _NAME,
            "A part of the page's final address; `*` stands for any characters.",
            "url: /account",
        ),
    )
)
LOGIN = Record(
    (
        Key(
            "url",
            _NAME,
            "The page with the form; without form, the address that the fields are posted to.",
            'url: "https://shop.example/login"',
            True,
        ),
        Key("form", _NAME, "CSS selector of the form; its hidden fields are kept.", 'form: "form#login"'),
        Key(
            "fields",
            Record(others=_TEXT, called="field"),
            "The values of the fields; secrets as `${env:NAME}`.",
            'fields: { user: reader, password: "${env:SHOP_PASSWORD}" }',
            True,
        ),
        Key(
            "success",
            PAGE_SIGN,
            "How the page after a successful login is recognized.",
            'success: { selector: "a.logout" }',
            True,
        ),
        Key(
            "expired",
            PAGE_SIGN,
            "How a page that asks for another login is recognized; default: its form, or url.",
            "expired: { url: /login }",
        ),
    )
)
RETRY = Record(
    (
        Key("attempts", _INTEGER, "The most attempts at a page; 1 for no retries.", "attempts: 8"),
        Key("delay", _MS, "The wait before the second attempt, in ms.", "delay: 5000"),
        Key("factor", _INTEGER, "How many times longer each further wait is.", "factor: 3"),
        Key("maxDelay", _MS, "The longest wait, in ms.", "maxDelay: 600000"),
        Key("jitter", _INTEGER, "Up to this percentage of a wait is added at random.", "jitter: 20"),
        Key("perHost", _INTEGER, "The most retries at each host in a run.", "perHost: 500"),
    )
)
SITE = Record(
    (
        Key(
            "delay",
            _MS,
            "The least time between two requests to a host, in ms; default: scoopi.loader.fetch.delay.",
            "delay: 250",
        ),
        Key(
            "parallelism",
            _INTEGER,
            "The most requests in flight to a host; default: scoopi.loader.fetch.parallelism.",
            "parallelism: 2",
        ),
        Key(
            "userAgent",
            _NAME,
            "The User-Agent header; default: scoopi.webClient.userAgent.",
            'userAgent: "bikes/1.0 (+https://bikes.example/bot)"',
        ),
        Key(
            "timeout",
            _MS,
            "The longest that one request may take, in ms; default: scoopi.webClient.timeout.",
            "timeout: 30000",
        ),
        Key(
            "connectTimeout",
            _MS,
            "The longest that connecting may take, in ms; default: scoopi.webClient.connectTimeout.",
            "connectTimeout: 5000",
        ),
        Key(
            "headers",
            Record(others=_TEXT, called="header"),
            "Headers of each request; a secret one is `${env:NAME}`.",
            'headers: { Accept-Language: "de" }',
        ),
        Key(
            "cookies",
            Record(others=_TEXT, called="cookie"),
            "Cookies of each request; a secret one is `${env:NAME}`.",
            "cookies: { consent: yes }",
        ),
        Key(
            "auth",
            AUTH,
            "A user with a password, or a bearer token, for each request.",
            'auth: { user: reader, password: "${env:SHOP_PASSWORD}" }',
        ),
        Key(
            "robots",
            Scalar(Kind.BOOL),
            "Whether robots.txt is read and followed; default: scoopi.loader.robots.",
            "robots: false",
        ),
        Key(
            "session",
            Scalar(Kind.BOOL),
            "Whether cookies that pages set are kept for the site's further pages; with login: true.",
            "session: true",
        ),
        Key(
            "login",
            LOGIN,
            "How to log in to the site, once for all workers and nodes.",
            "login: { url: …, form: form, fields: { … }, success: { … } }",
        ),
        Key(
            "proxy",
            TextOrTexts(),
            "A proxy, or several that are used in turn; direct for none.",
            'proxy: [ "http://10.0.0.7:3128", "http://10.0.0.8:3128" ]',
        ),
        Key(
            "http2",
            Scalar(Kind.BOOL),
            "Whether HTTP/2 is offered over TLS; default: HTTP/1.1 only.",
            "http2: true",
        ),
        Key(
            "retry",
            RETRY,
            "How failed pages are retried; the settings give the defaults.",
            "retry: { attempts: 8, delay: 5000 }",
        ),
        Key(
            "budget",
            BUDGET_RECORD,
            "The limits of a run for each host; further pages are skipped.",
            "budget: { pages: 1000 }",
        ),
        Key(
            "ca",
            _NAME,
            "A file of certificate authorities to trust (PEM), instead of the usual ones.",
            "ca: certs/own.pem",
        ),
    )
)
SITES = Record(others=SITE, called="site", may_be_empty=True)
