"""Groups of settings as their consumers take them: frozen structs with units in the names of fields.

A field with a `SettingKey` declares its setting; `registry.py` collects them.
"""

from scoopi.configs.groups.browser_groups import BrowserSettings
from scoopi.configs.groups.budget_groups import BudgetSettings
from scoopi.configs.groups.cluster_groups import ClusterSettings
from scoopi.configs.groups.node_groups import (
    AppenderSettings,
    EngineSettings,
    JobSettings,
    MetricsSettings,
    OutputSettings,
    QuerySettings,
    SchedulerSettings,
    WorkerSettings,
)
from scoopi.configs.groups.page_groups import (
    ArchiveSettings,
    FactSettings,
    ParserLimits,
    ScriptLimits,
    TaskLimit,
    WebClientSettings,
)
from scoopi.configs.groups.politeness_groups import FetchLimits, PolitenessSettings
from scoopi.configs.groups.retry_groups import RetrySettings
from scoopi.configs.groups.tls_groups import TlsSettings

__all__ = [
    "AppenderSettings",
    "ArchiveSettings",
    "BrowserSettings",
    "BudgetSettings",
    "ClusterSettings",
    "EngineSettings",
    "FactSettings",
    "FetchLimits",
    "JobSettings",
    "MetricsSettings",
    "OutputSettings",
    "ParserLimits",
    "PolitenessSettings",
    "QuerySettings",
    "RetrySettings",
    "SchedulerSettings",
    "ScriptLimits",
    "TaskLimit",
    "TlsSettings",
    "WebClientSettings",
    "WorkerSettings",
]
