"""StoreUrl: the URL of a store that several machines share, shown without its password."""

from __future__ import annotations

import re
from enum import StrEnum
from urllib.parse import unquote, urlsplit

import msgspec

from scoopi.errors import UsageError
from scoopi.model.text.secrets import MASK
from scoopi.model.text.shown import nearest

_EXAMPLES = "write it as in postgresql://user@host/database or hazelcast://host:5701,host2:5701"
_SECRETS = re.compile(r"((?:ssl)?password=)[^&]*", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
DEFAULT_NAME = "scheduler"


class StoreKind(StrEnum):
    """The kind of store that keeps the records."""

    POSTGRESQL = "postgresql"
    HAZELCAST = "hazelcast"


class StoreUrl(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """The URL of a store.

    Attributes:
        text: the URL as given; it may hold a password, so it is never printed.
        shown: the URL for messages, with `***` in place of a password.
        hosts: `host:port,host:port`.
        name: the name of the state on a Hazelcast cluster that holds several.
    """

    kind: StoreKind
    text: str
    shown: str
    hosts: str
    name: str = DEFAULT_NAME

    def __repr__(self) -> str:
        return f"StoreUrl({self.shown!r})"

    def masked(self, message: str) -> str:
        """Return a message of a library, with the password of the URL masked."""
        parts = urlsplit(self.text)
        message = message.replace(self.text, self.shown)
        for secret in (parts.password, unquote(parts.password or "")):
            message = message.replace(secret, MASK) if secret else message
        return _SECRETS.sub(r"\1***", message)


def parse_store_url(text: str, option: str = "--store ") -> StoreUrl:
    """Parse the URL of a store.

    Args:
        option: the option or setting that gave the URL; the error message begins with it.

    >>> parse_store_url("postgresql://ann:secret@db.example/jobs").shown
    'postgresql://ann:***@db.example/jobs'
    >>> parse_store_url("hazelcast://one:5701,two:5701/shop").name
    'shop'

    Raises:
        UsageError: it is not the URL of a store; the message does not show the password.
    """
    scheme, separator, rest = text.strip().partition("://")
    scheme = {"postgres": "postgresql"}.get(scheme.lower(), scheme.lower())
    if not separator or scheme not in [*StoreKind]:
        near = nearest(scheme, [*StoreKind]) if separator else ""
        hint = f"did you mean {near}://? {_EXAMPLES}" if near else _EXAMPLES
        named = f"{scheme}://…" if separator else _without_secrets(text)
        raise UsageError(f"{option}{named} names no store", hint=hint)
    url = f"{scheme}://{rest}"
    shown = _without_secrets(url)
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise UsageError(f"{option}{shown} is not a valid URL: {error}", hint=_EXAMPLES) from None
    hosts, name = parts.netloc.rpartition("@")[2], parts.path.strip("/")
    if scheme == StoreKind.POSTGRESQL:
        return StoreUrl(StoreKind.POSTGRESQL, url, shown, hosts)
    if not hosts or "@" in parts.netloc:
        hint = f"{_EXAMPLES}; who may connect is set by scoopi.cluster.*"
        raise UsageError(f"{option}{shown} names no members", hint=hint)
    if name and not _NAME.fullmatch(name):
        raise UsageError(f"{option}{shown}: {name!r} is not a valid name", hint="use a-z, 0-9, - and _")
    return StoreUrl(StoreKind.HAZELCAST, url, shown, hosts, name or DEFAULT_NAME)


def _without_secrets(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, hosts = authority.rpartition("@")
    if at:
        name, colon, _ = user.partition(":")
        authority = f"{name}:***@{hosts}" if colon else authority
    return _SECRETS.sub(r"\1***", f"{scheme}{separator}{authority}{slash}{path}")
