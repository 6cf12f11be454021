"""SETTINGS: all settings, in the order of `scoopi config`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scoopi.configs import groups
from scoopi.configs.setting import NODE, RUN, Setting, SettingKind, declared

_DEFINITIONS = (
    Setting(
        "scoopi.defs.defaultSteps",
        SettingKind.TEXT,
        "jsoupDefault",
        RUN,
        "The steps set of tasks that name none: css (jsoupDefault), xpath (htmlUnitDefault) or your own.",
    ),
    Setting(
        "scoopi.missing.replaceWith",
        SettingKind.TEXT,
        "null",
        RUN,
        "The text in CSV files for an item or dim without a value; JSON lines have null.",
    ),
    Setting(
        "scoopi.dateTimePattern",
        SettingKind.PATTERN,
        "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
        RUN,
        "How date-times are written and read: a pattern of Java's SimpleDateFormat.",
    ),
    Setting(
        "scoopi.runDateTimeText",
        SettingKind.TEXT,
        None,
        RUN,
        "The run's date-time, in the format of scoopi.dateTimePattern; unset: the time of the start.",
    ),
)
_BLANK_FACTS = (
    Setting(
        "scoopi.fact.blank.replace",
        SettingKind.BOOL,
        "true",
        RUN,
        "Whether a fact that is found but blank is replaced.",
    ),
)
_PLAIN_PARSER = (
    Setting(
        "scoopi.parser.plain",
        SettingKind.BOOL,
        "false",
        NODE,
        "Whether pages are read by the plain evaluator: the same rows, slowly, with one query per cell.",
    ),
)
_TASKS = (
    Setting(
        "scoopi.task.timeout",
        SettingKind.INT,
        "60",
        RUN,
        "The longest that one task of a page may take, in addition to scoopi.script.timeout; 0: no limit.",
        unit="s",
        most=86_400,
    ),
)
_TLS = (
    Setting(
        "scoopi.cluster.tls.enable",
        SettingKind.BOOL,
        "false",
        NODE,
        "Whether to use TLS with the members; their certificate and host name are verified.",
    ),
)
SETTINGS: tuple[Setting, ...] = (
    *declared(groups.WorkerSettings).values(),
    *declared(groups.BrowserSettings).values(),
    *_DEFINITIONS,
    *_BLANK_FACTS,
    *declared(groups.FactSettings).values(),
    *declared(groups.ArchiveSettings).values(),
    *declared(groups.FetchLimits).values(),
    *declared(groups.PolitenessSettings).values(),
    *declared(groups.WebClientSettings).values(),
    *declared(groups.RetrySettings).values(),
    *declared(groups.BudgetSettings).values(),
    *declared(groups.ParserLimits).values(),
    *_PLAIN_PARSER,
    *declared(groups.ScriptLimits).values(),
    *_TASKS,
    *declared(groups.AppenderSettings).values(),
    *declared(groups.JobSettings).values(),
    *declared(groups.EngineSettings).values(),
    *declared(groups.QuerySettings).values(),
    *declared(groups.MetricsSettings).values(),
    *declared(groups.SchedulerSettings).values(),
    *declared(groups.OutputSettings).values(),
    *declared(groups.ClusterSettings).values(),
    *_TLS,
    *declared(groups.TlsSettings).values(),
)
SETTINGS_BY_KEY: Mapping[str, Setting] = MappingProxyType({setting.key: setting for setting in SETTINGS})
