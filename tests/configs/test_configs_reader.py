"""Settings are laid over each other as the contract says, and all faults are one report."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.configs_reader import ConfigsReader
from scoopi.errors import ConfigError

DELAY = "scoopi.loader.fetch.delay"
DELAY_NAME = "SCOOPI_LOADER_FETCH_DELAY"
NOTHING: Mapping[str, str] = {}


def read(
    folder: Path,
    overrides: Mapping[str, str] = NOTHING,
    environ: Mapping[str, str] = NOTHING,
    conf: Path | None = None,
) -> Configs:
    return ConfigsReader().read(overrides, conf, environ, folder)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_each_layer_wins_over_the_ones_below(tmp_path: Path) -> None:
    seen = []

    def note(configs: Configs) -> None:
        seen.append((configs.number(DELAY), configs.entry(DELAY).origin))

    note(read(tmp_path))
    write(tmp_path, "conf/scoopi.yml", f"{DELAY}: 1\n")
    note(read(tmp_path))
    conf = write(tmp_path, "mine.yml", f"\n{DELAY}: 2\n")
    note(read(tmp_path, conf=conf.relative_to(tmp_path)))
    note(read(tmp_path, conf=conf, environ={DELAY_NAME: "3"}))
    note(read(tmp_path, {DELAY: "4"}, {DELAY_NAME: "3"}, conf))
    assert seen == [
        (1000, "default"),
        (1, "conf/scoopi.yml:1"),
        (2, "mine.yml:2"),
        (3, f"environment {DELAY_NAME}"),
        (4, "-D"),
    ]


def test_only_what_was_given_counts_as_given(tmp_path: Path) -> None:
    configs = read(tmp_path, {DELAY: "1000"})
    assert list(configs.given) == [DELAY]


def test_the_workers_option_wins_over_its_setting(tmp_path: Path) -> None:
    configs = ConfigsReader().read({"scoopi.workers": "1"}, None, {}, tmp_path, workers="2")
    assert configs.text("scoopi.workers") == "2"
    assert configs.entry("scoopi.workers").origin == "--workers"


def test_an_unknown_key_is_reported_with_the_nearest_known_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, {"scoopi.loader.fetchDelay": "1"})
    assert str(caught.value) == (
        "-D scoopi.loader.fetchDelay: scoopi.loader.fetchDelay is not a setting;"
        " did you mean scoopi.loader.fetch.delay?"
    )


def test_an_unknown_variable_is_reported_with_the_nearest_known_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"environment SCOOPI_WORKER: .*did you mean SCOOPI_WORKERS\?"):
        read(tmp_path, environ={"SCOOPI_WORKER": "1"})


def test_variables_that_are_no_settings_are_left_alone(tmp_path: Path) -> None:
    environ = {
        "SCOOPI_HAZELCAST_JAR": "/x.jar",
        "SCOOPI_SERVICE_HOST": "10.0.0.1",
        "SCOOPI_SERVICE_PORT_HTTP": "80",
        "SCOOPI_PORT": "tcp://10.0.0.1:80",
        "SCOOPI_GRID_PORT_5701_TCP_ADDR": "10.0.0.1",
        "scoopi_workers": "many",
        "PATH": "/bin",
    }
    assert read(tmp_path, environ=environ).given == {}


def test_a_variable_that_only_ends_like_one_of_kubernetes_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SCOOPI_WORKERS_PORT"):
        read(tmp_path, environ={"SCOOPI_WORKERS_PORT": "2"})


def test_a_key_of_the_original_is_one_warning_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    conf = write(
        tmp_path, "mine.yml", "scoopi:\n  defs: {dir: /defs/x}\n  poolsize: {loader: 4, parser: 4}\n"
    )
    with caplog.at_level(logging.WARNING, "scoopi"):
        configs = read(
            tmp_path,
            {"scoopi.cluster.enable": "false", "outputDirTimestampPattern": "yyyy"},
            {"SCOOPI_METRICS_SERIALIZER_PERIOD": "5", "SCOOPI_DEFS_DIR": "x"},
            conf,
        )
    assert configs.given == {}
    assert [record.getMessage() for record in caplog.records] == list(configs.warnings)
    keys = [warning.split(" has no meaning here")[0].split(" ")[-1] for warning in configs.warnings]
    assert keys == [
        "scoopi.defs.dir",
        "scoopi.poolsize.loader",
        "scoopi.poolsize.parser",
        "scoopi.metrics.serializer.period",
        "scoopi.cluster.enable",
        "outputDirTimestampPattern",
    ]


def test_all_faults_of_all_layers_are_one_report(tmp_path: Path) -> None:
    write(tmp_path, "conf/scoopi.yml", "scoopi:\n  workers: many\n  persist: {data: yes}\n")
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, {"scoopi.nothing": "1"}, {"SCOOPI_JOB_MAXTAKES": "0", "SCOOPI_X": "1"}, Path("no.yml"))
    lines = str(caught.value).splitlines()
    assert lines[0] == "6 errors in the settings:"
    assert [line.split(": ")[0].strip() for line in lines[1:]] == [
        "conf/scoopi.yml:2:12",
        "conf/scoopi.yml:3:19",
        "no.yml",
        "environment SCOOPI_X",
        "environment SCOOPI_JOB_MAXTAKES",
        "-D scoopi.nothing",
    ]


def test_a_bad_value_is_a_fault_even_if_a_higher_layer_wins(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs a whole number"):
        read(tmp_path, {DELAY: "5"}, {DELAY_NAME: "soon"})


def test_an_environment_reference_is_replaced_and_its_value_never_shown(tmp_path: Path) -> None:
    configs = read(tmp_path, {"scoopi.webClient.userAgent": "bot/${env:KEY}"}, {"KEY": "s3cret${env:KEY}"})
    entry = configs.entry("scoopi.webClient.userAgent")
    assert entry.text == "bot/s3cret${env:KEY}"
    assert entry.shown == "bot/***"
    assert configs.kept()["scoopi.webClient.userAgent"] == "bot/${env:KEY}"


def test_a_bad_secret_is_not_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, {DELAY: "${env:KEY}"}, {"KEY": "s3cret"})
    assert "s3cret" not in str(caught.value)
    assert "***" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "fault"),
    [("${env:GONE}", "the environment variable GONE is not set"), ("${env:}", "names no environment")],
)
def test_a_reference_to_nothing_is_a_fault(tmp_path: Path, value: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        read(tmp_path, {DELAY: value})


def test_a_run_date_that_does_not_fit_its_pattern_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"-D: scoopi.runDateTimeText 'yesterday' does not fit"):
        read(tmp_path, {"scoopi.runDateTimeText": "yesterday"})


def test_a_dangling_conf_file_is_reported_and_a_missing_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    assert read(tmp_path).given == {}
    (tmp_path / "conf" / "scoopi.yml").symlink_to(tmp_path / "gone.yml")
    with pytest.raises(ConfigError, match=r"conf/scoopi.yml: the settings cannot be read"):
        read(tmp_path)


def test_the_conf_file_of_this_repository_sets_nothing() -> None:
    root = Path(__file__).parents[2]
    assert (root / "conf" / "scoopi.yml").is_file()
    assert read(root).given == {}


def test_the_conf_file_of_this_repository_names_only_settings_when_uncommented(tmp_path: Path) -> None:
    shipped = (Path(__file__).parents[2] / "conf" / "scoopi.yml").read_text(encoding="utf-8")
    body = shipped[shipped.index("# scoopi:") :]
    write(tmp_path, "conf/scoopi.yml", "".join(line[2:] + "\n" for line in body.splitlines()))
    assert len(read(tmp_path).given) == 8
