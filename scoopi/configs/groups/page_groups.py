"""Settings for pages: how one is fetched, parsed and kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal, Self

import msgspec

from scoopi.configs.setting import DAY_MS, HOUR_MS, NODE, RUN, SHARED, Group, SettingKey, Values, values_of
from scoopi.model.sites import Site
from scoopi.version import __version__


class FetchLimits(Group, frozen=True):
    """The request rate of all nodes together at one host."""

    parallelism: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.parallelism",
            SHARED,
            "The most requests in flight to one host.",
            least=1,
            most=1000,
        ),
    ] = 1
    delay_ms: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.delay",
            SHARED,
            "The least time between the starts of two requests to one host.",
            unit="ms",
            most=DAY_MS,
        ),
    ] = 1000

    def for_host(self, host: str) -> Self:
        """The same for each host: see `LimitsByHost`."""
        return self


class WebClientSettings(Group, frozen=True):
    """How one request is made.

    Attributes:
        user_agent: sent as it stands.
        timeout_ms: for one hop as a whole, from name look-up to the last byte.
        connect_timeout_ms: for name look-up, TCP and TLS together.
        max_redirects: a chain of more hops is an error.
        max_bytes: of a page's body, content coding undone.
        max_held_bytes: of all pages that a worker receives, and of all that wait for its steps.
        private_hosts: when links and redirects may lead to hosts of private addresses.
    """

    user_agent: Annotated[
        str,
        SettingKey(
            "scoopi.webClient.userAgent",
            RUN,
            "How Scoopi names itself to servers.",
            default=f"Scoopi/{__version__}",
        ),
    ]
    timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.webClient.timeout",
            RUN,
            "The longest that one request may take; a redirect is a further one.",
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
            "When links and redirects may lead to private hosts; inside: from such hosts and files only.",
        ),
    ] = "inside"

    def site(self) -> Site:
        """What a host is asked with that no site is given for."""
        return Site(
            user_agent=self.user_agent,
            timeout_ms=self.timeout_ms,
            connect_timeout_ms=self.connect_timeout_ms,
        )


class FactSettings(Group, frozen=True):
    """What stands for a fact that is blank (None: it stays as it is), and for one that is not found."""

    blank_replacement: Annotated[
        str | None, SettingKey("scoopi.fact.blank.replaceWith", RUN, "The replacement for a blank fact.")
    ] = "-"
    not_found_replacement: Annotated[
        str,
        SettingKey(
            "scoopi.fact.notFound.replaceWith", RUN, "What stands for a fact that its selector does not find."
        ),
    ] = "not found"

    @classmethod
    def of(cls, configs: Values) -> Self:
        """The replacements; None for blank facts when `scoopi.fact.blank.replace` is off."""
        values = values_of(cls, configs)
        if not configs.flag("scoopi.fact.blank.replace"):
            values["blank_replacement"] = None
        return cls(**values)

    @property
    def stand_for_nothing(self) -> frozenset[str]:
        """The facts that are written where there is none."""
        return frozenset(filter(None, (self.blank_replacement, self.not_found_replacement)))


class ParserLimits(Group, frozen=True):
    """What bounds the reading of one page."""

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
    """What bounds one script: how long it may run and how much memory it may hold."""

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
    """The longest that one task of a page may take, the time allowed for its scripts included."""

    limit_s: float = 61.0

    @classmethod
    def of(cls, configs: Values) -> Self:
        """`scoopi.task.timeout` plus `scoopi.script.timeout`; infinity where the former is 0."""
        timeout_s = configs.number("scoopi.task.timeout")
        return cls(timeout_s + ScriptLimits.of(configs).timeout_ms / 1000 if timeout_s else math.inf)


class ArchiveSettings(msgspec.Struct, frozen=True):
    """Where pages and data are kept for later runs, and which; `auto` applies to groups with `live`."""

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
            "scoopi.persist.locator", RUN, "Whether loaded pages are kept, where the data store is in use."
        ),
    ] = True
    persist_data: Annotated[
        bool,
        SettingKey(
            "scoopi.persist.data", RUN, "Whether parsed data is kept, where the data store is in use."
        ),
    ] = True

    @classmethod
    def of(cls, configs: Values, folder: Path) -> Self:
        """The settings of a run; a relative path is taken from `folder`, the run's current folder."""
        values = values_of(cls, configs)
        return cls(**values | {"folder": folder / values["folder"]})
