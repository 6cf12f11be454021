"""SETTINGS: all settings, in the order of `scoopi config`; also keys of the Java original without effect."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scoopi.configs import groups
from scoopi.configs.setting import NODE, RUN, Setting, SettingKind, declared

_NO_NEED = "Scoopi needs no such setting"
_DEFS_ARGUMENT = "give the folder on the command line: scoopi run DIR"

_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "scoopi.defs.dir": _DEFS_ARGUMENT,
        "scoopi.defs.defaultStepsFile": "the built-in steps sets are part of Scoopi",
        "scoopi.defs.definedSchema": "definitions are checked by Scoopi itself",
        "scoopi.defs.effectiveSchema": "definitions are checked by Scoopi itself",
        "scoopi.seeder.class": "the seeder is part of Scoopi",
        "scoopi.seeder.seedRetryTimes": "seeding is repeated until it is known to be done",
        "scoopi.appender.file.baseDir": "use --output DIR",
        "outputDirTimestampPattern": "a run's folder is named by its id",
        "scoopi.outputDirTimestampPattern": "a run's folder is named by its id",
        "scoopi.highDate": _NO_NEED,
        "scoopi.datastore.type": _NO_NEED,
        "scoopi.job.takeLimit": "see scoopi.job.prefetch",
        "scoopi.job.takeTimeout": _NO_NEED,
        "scoopi.job.takeRetryDelay": _NO_NEED,
        "scoopi.task.takeTimeout": _NO_NEED,
        "scoopi.shutdown.timeoutUnit": "scoopi.shutdown.timeout counts seconds",
        "scoopi.log.dir": "logs go to stderr",
        "scoopi.mode": "use --conf FILE",
        "scoopi.propertyFile": "use --conf FILE",
        "scoopi.propertyPattern": _NO_NEED,
        "scoopi.runDate": "use scoopi.runDateTimeText",
        "scoopi.runDateTime": "use scoopi.runDateTimeText",
        "scoopi.runnerClass": _NO_NEED,
        "scoopi.wait": _NO_NEED,
        "scoopi.fork.locator": _NO_NEED,
        "scoopi.cluster.enable": "use --cluster HOST:PORT",
        "scoopi.cluster.mode": "nodes are clients; scoopi member starts a member",
        "scoopi.cluster.config.file": "members have their own configuration: scoopi member --config FILE",
        "scoopi.cluster.memberId": "use scoopi.cluster.node",
        "scoopi.cluster.log.path.suffixUid": "logs go to stderr",
        "scoopi.cluster.tx.timeout": _NO_NEED,
        "scoopi.cluster.tx.timeoutUnit": _NO_NEED,
        "scoopi.cluster.tx.type": _NO_NEED,
        "scoopi.cluster.shutdown.timeout": "use scoopi.shutdown.timeout",
        "scoopi.cluster.shutdown.timeoutUnit": "scoopi.shutdown.timeout counts seconds",
        "scoopi.cluster.startCrashCleaner.minThreshold": "use scoopi.cluster.liveness.gap",
    }
)

_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "scoopi.poolsize.": "use scoopi.workers and scoopi.loader.fetch.inFlight",
        "scoopi.metrics.serializer.": "metrics are read for every request",
        "scoopi.webDriver.timeout.": "see `browser` of a task group: until and timeout",
        "scoopi.webDriver.waitType": "see `browser` of a task group: until and timeout",
        "scoopi.webDriver.log": "the driver's log is kept while the browser runs",
        "hazelcast.": "members have their own configuration: scoopi member --config FILE",
    }
)
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


def original_note(key: str) -> str | None:
    """Return the hint for a key that only the Java original has; None for any other."""
    if key in _KEYS:
        return _KEYS[key]
    for prefix, note in _PREFIXES.items():
        if key.startswith(prefix) and len(key) > len(prefix):
            return note
    return None


def original_environment_key(name: str) -> str | None:
    """Return the key of the Java original that an environment variable sets; None for any other variable."""
    for key in _KEYS:
        if key.upper().replace(".", "_") == name:
            return key
    for prefix in _PREFIXES:
        form = prefix.upper().replace(".", "_")
        if name.startswith(form) and len(name) > len(form):
            return prefix + name[len(form) :].lower().replace("_", ".")
    return None
