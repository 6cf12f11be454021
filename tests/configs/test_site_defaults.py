"""What no entry of `sites` gives is that of the settings."""

from __future__ import annotations

from msgspec.structs import asdict

from scoopi.configs.configs import Configs
from scoopi.configs.site_defaults import SETTING_OF, sites_of
from scoopi.model.sites import SiteBlock


def test_each_default_is_that_of_its_setting() -> None:
    texts = {key: str(number) for number, key in enumerate(SETTING_OF.values(), 7)}
    texts["scoopi.loader.robots"] = "false"
    site = sites_of(Configs.from_composed(texts), ()).for_host("a.example:80")
    values = {**asdict(site), **{f"retry.{name}": number for name, number in site.retry.items()}}
    assert {key: str(values[field]).lower() for field, key in SETTING_OF.items()} == texts


def test_an_entry_wins_over_the_settings() -> None:
    configs = Configs.from_composed({"scoopi.loader.fetch.delay": "9"})
    sites = sites_of(configs, [SiteBlock("a.example", {"delay_ms": 3})])
    assert (sites.for_host("a.example:80").delay_ms, sites.for_host("b.example:80").delay_ms) == (3, 9)
