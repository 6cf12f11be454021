"""Keys of the Java original that have no effect here, each with a hint on what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
