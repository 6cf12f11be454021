"""Settings for pages: how they are fetched, parsed and stored."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal, Self

import msgspec

from scoopi.configs.setting import DAY_MS, HOUR_MS, NODE, RUN, Group, SettingKey, Values, values_of
from scoopi.model.sites import Site
from scoopi.version import __version__


class WebClientSettings(Group, frozen=True):
    """How a request is sent, and its limits.

    Attributes:
        user_agent: the User-Agent header.
        timeout_ms: limit of one hop, from name resolution to the last byte.
        connect_timeout_ms: limit of name resolution, TCP and TLS together.
        max_redirects: longest chain of redirects.
        max_bytes: limit of a page's decoded body.
        max_held_bytes: limit of all pages that a worker is receiving, and of all that wait for its steps.
        private_hosts: when links and redirects may lead to hosts with private addresses.
    """

    user_agent: Annotated[
        str,
        SettingKey(
            "scoopi.webClient.userAgent",
            RUN,
            "The User-Agent header of requests.",
            default=f"Scoopi/{__version__}",
        ),
    ]
    timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.webClient.timeout",
            RUN,
            "The longest that one request may take; each redirect is a request of its own.",
            unit="ms",
            least=1,
            most=DAY_MS,
        ),
    ] = 120_000
    connect_timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.webClient.connectTimeout",
            RUN,
            "The longest that connecting to a server may take.",
            unit="ms",
            least=1,
            most=DAY_MS,
        ),
    ] = 10_000
    max_redirects: Annotated[
        int,
        SettingKey(
            "scoopi.webClient.maxRedirects", RUN, "The most redirects followed for one page.", most=100
        ),
    ] = 10
    max_bytes: Annotated[
        int,
        SettingKey(
            "scoopi.loader.maxBytes",
            RUN,
            "The largest page that is loaded, counted after decompression; a larger one fails its job.",
            unit="bytes",
            least=1,
        ),
    ] = 33_554_432
    max_held_bytes: Annotated[
        int,
        SettingKey(
            "scoopi.loader.maxHeldBytes",
            NODE,
            "The most bytes of pages that a worker receives at a time, and that wait for its steps.",
            unit="bytes",
            least=1,
        ),
    ] = 134_217_728
    private_hosts: Annotated[
        Literal["always", "inside", "never"],
        SettingKey(
            "scoopi.loader.privateHosts",
            RUN,
            "When links and redirects may lead to private hosts; inside: only from such hosts and files.",
        ),
    ] = "inside"

    def site(self) -> Site:
        """Return the settings for hosts without a site."""
        return Site(
            user_agent=self.user_agent,
            timeout_ms=self.timeout_ms,
            connect_timeout_ms=self.connect_timeout_ms,
        )


class FactSettings(Group, frozen=True):
    """The replacements for facts that are blank (None: no replacement) or not found."""

    blank_replacement: Annotated[
        str | None, SettingKey("scoopi.fact.blank.replaceWith", RUN, "The replacement for a blank fact.")
    ] = "-"
    not_found_replacement: Annotated[
        str,
        SettingKey(
            "scoopi.fact.notFound.replaceWith",
            RUN,
            "The replacement for a fact that its selector does not find.",
        ),
    ] = "not found"

    @classmethod
    def of(cls, configs: Values) -> Self:
        """Return the replacements; None for blank facts if `scoopi.fact.blank.replace` is off."""
        values = values_of(cls, configs)
        if not configs.flag("scoopi.fact.blank.replace"):
            values["blank_replacement"] = None
        return cls(**values)

    @property
    def stand_for_nothing(self) -> frozenset[str]:
        """The texts that replace missing facts."""
        return frozenset(filter(None, (self.blank_replacement, self.not_found_replacement)))


class ParserLimits(Group, frozen=True):
    """Limits of parsing one page."""

    max_rows: Annotated[
        int,
        SettingKey(
            "scoopi.parser.maxRows",
            RUN,
            "The most rows that one task may read from one page; more fail the task.",
            least=1,
        ),
    ] = 1_000_000
    max_depth: Annotated[
        int,
        SettingKey(
            "scoopi.parser.maxDepth",
            RUN,
            "How deep the elements of a page may be nested; a deeper page fails its tasks.",
            least=16,
            most=100_000,
        ),
    ] = 2000
    max_nodes: Annotated[
        int,
        SettingKey(
            "scoopi.parser.maxNodes",
            RUN,
            "The most nodes (elements, texts, comments, attributes) of a page; it bounds the memory.",
            least=1000,
            most=100_000_000,
        ),
    ] = 2_000_000
    regex_timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.regex.timeout",
            RUN,
            "The longest that matching one regular expression may take.",
            unit="ms",
            least=1,
            most=HOUR_MS,
        ),
    ] = 1000
    link_max_depth: Annotated[
        int,
        SettingKey(
            "scoopi.link.maxDepth",
            RUN,
            "How long a chain of links from a locator may grow; longer ones are cut, with a warning.",
            least=1,
        ),
    ] = 1000


class ScriptLimits(Group, frozen=True):
    """Limits of one script: its time and its memory."""

    timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.script.timeout",
            RUN,
            "The longest that one script may run.",
            unit="ms",
            least=1,
            most=HOUR_MS,
        ),
    ] = 1000
    memory_mb: Annotated[
        int,
        SettingKey(
            "scoopi.script.memory",
            RUN,
            "The most memory that one script may use.",
            unit="MB",
            least=1,
            most=4096,
        ),
    ] = 32


class TaskLimit(Group, frozen=True):
    """The longest that one task of a page may take, including the time allowed for its scripts."""

    limit_s: float = 61.0

    @classmethod
    def of(cls, configs: Values) -> Self:
        """Return the limit: `scoopi.task.timeout` plus `scoopi.script.timeout`; none if the former is 0."""
        timeout_s = configs.number("scoopi.task.timeout")
        return cls(timeout_s + ScriptLimits.of(configs).timeout_ms / 1000 if timeout_s else math.inf)


class ArchiveSettings(msgspec.Struct, frozen=True):
    """Where and which pages and data are stored for later runs; `auto` stores those of groups with `live`."""

    enable: Annotated[
        Literal["auto", "true", "false"],
        SettingKey(
            "scoopi.datastore.enable",
            RUN,
            "Whether pages and data are kept for later runs; auto: only for groups with `live`.",
        ),
    ] = "auto"
    folder: Annotated[
        Path,
        SettingKey(
            "scoopi.datastore.path",
            NODE,
            "The folder of kept pages and data, relative to the current folder.",
        ),
    ] = Path("data")
    persist_locator: Annotated[
        bool,
        SettingKey(
            "scoopi.persist.locator", RUN, "Whether loaded pages are kept, if the data store is in use."
        ),
    ] = True
    persist_data: Annotated[
        bool,
        SettingKey("scoopi.persist.data", RUN, "Whether parsed data is kept, if the data store is in use."),
    ] = True

    @classmethod
    def of(cls, configs: Values, folder: Path) -> Self:
        """Return the settings of a run; a relative path is resolved against `folder`."""
        values = values_of(cls, configs)
        return cls(**values | {"folder": folder / values["folder"]})
