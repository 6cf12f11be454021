"""build: compiles the bridge, or says in one line what is missing here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scoopi.parse.bridge import build
from scoopi.parse.bridge.build import BridgeUnavailableError


@pytest.fixture
def writing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command for `CC` that writes its arguments to the file that it is to make."""
    program = tmp_path / "cc.py"
    program.write_text("import sys; open(sys.argv[sys.argv.index('-o') + 1], 'w').write(' '.join(sys.argv))")
    monkeypatch.setenv("CC", f"{sys.executable} '{program}'")
    return program


def test_the_compiler_is_the_one_of_the_environment_else_the_first_that_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "ccache 'my cc'")
    assert build.compiler() == ["ccache", "my cc"]
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BridgeUnavailableError, match="no C compiler"):
        build.compiler()
    for name in ("clang", "gcc"):
        (tmp_path / name).touch(0o755)
    assert build.compiler() == [str(tmp_path / "gcc")]


def test_the_bridge_is_compiled_of_all_its_sources_and_appears_when_it_is_complete(
    tmp_path: Path, writing_compiler: Path
) -> None:
    target = tmp_path / "built"
    target.mkdir()
    made = build.build(target)
    assert [*target.iterdir()] == [made]
    words = made.read_text().split()
    sources = {path.name for path in Path(build.__file__).parent.glob("*.c")}
    assert {Path(word).name for word in words if word.endswith(".c")} == sources


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/nowhere/cc", "/nowhere/cc cannot be started: "),
        (f"{sys.executable} -c 'import sys; sys.exit(\"lxml is too new\")'", "failed:\nlxml is too new"),
    ],
)
def test_a_compiler_that_fails_is_quoted_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.setenv("CC", command)
    with pytest.raises(BridgeUnavailableError) as raised:
        build.build(tmp_path)
    assert message in str(raised.value)
    assert [*tmp_path.iterdir()] == []


def test_the_command_says_that_nothing_was_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    assert build.main() == 1
    assert capsys.readouterr().err.startswith("The bridge is not built: /nowhere/cc cannot be started")
