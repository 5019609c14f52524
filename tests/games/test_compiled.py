"""Compiled cores are found only for the sources that they were made of, and plain Python is always there."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.command import ROOT
from tests.support.containment import contained
from tests.support.programs import needs_compiler
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths, own_words
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.games import compiled

pytestmark = pytest.mark.compiler

GAMES = ROOT / "tourney" / "games"
SOURCES = ("core_base.py", "core_base.pxd", "sage_stones/core.py", "sage_stones/core.pxd")
"""The sources of the core that the small checkout has."""


def run(*words: str | Path, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name != compiled.PLAIN_VARIABLE}
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=own | variables,
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout with one core, not compiled, and nothing else."""
    shutil.copy(ROOT / "hatch_build.py", tmp_path)
    for name in ("compiled/__init__.py", *SOURCES):
        target = tmp_path / "tourney" / "games" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(GAMES / name, target)
    return tmp_path


@needs_compiler
@pytest.mark.skipif(find_spec("Cython") is None, reason="Cython is not installed")
@pytest.mark.skipif(
    not Path(sysconfig.get_path("include"), "Python.h").is_file(), reason="Python's headers are not installed"
)
@pytest.mark.skipif(compiled.wants_plain(), reason="plain Python is chosen")
def test_cores_of_this_checkout_are_compiled() -> None:
    """Otherwise the tests of compiled cores would be skipped unnoticed."""
    assert compiled.summary() == "compiled", "run make cores"


@pytest.mark.parametrize("name", SOURCES)
def test_edited_core_does_not_find_its_old_form(
    name: str, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compiled.compiled_name("sage_stones")
    monkeypatch.setattr(compiled, "_GAMES", str(checkout / "tourney" / "games"))
    assert compiled.compiled_name("sage_stones") == before
    with (checkout / "tourney" / "games" / name).open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert compiled.compiled_name("sage_stones") != before
    assert compiled.compiled_core.__wrapped__("sage_stones") is None


def test_plain_python_is_chosen_by_variable_and_by_call() -> None:
    probe = "from tourney.games import compiled as c; print(c.core('cyvasse').__name__)"
    assert run("-c", probe, TOURNEY_PLAIN="1").stdout == "tourney.games.cyvasse.core\n"
    called = probe.replace("print", "c.use_plain(); print")
    assert run("-c", called).stdout == "tourney.games.cyvasse.core\n"
    assert "plain Python" in run("-m", "tourney", "--version", TOURNEY_PLAIN="1").stdout


def test_checkout_stays_plain_without_compiler(checkout: Path) -> None:
    done = run("hatch_build.py", cwd=checkout, CC="no-such-compiler")
    assert "stay plain Python" in done.stderr
    assert "no C compiler" in done.stderr
    assert not list(checkout.rglob("*.so"))


def test_name_defined_by_two_sources_is_refused(checkout: Path) -> None:
    """In the joined module the second definition would replace the first."""
    with (checkout / "tourney" / "games" / "sage_stones" / "core.py").open("a", encoding="utf-8") as file:
        file.write("WIN = 5\n")
    done = run("hatch_build.py", cwd=checkout)
    assert "both define WIN" in done.stderr
    assert not list(checkout.rglob("*.so"))


def test_build_removes_forms_of_older_sources(checkout: Path) -> None:
    folder = checkout / "tourney" / "games" / "compiled"
    current = compiled.compiled_name("sage_stones")
    ending = run("-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))").stdout.strip()
    (folder / f"{current}{ending}").write_bytes(b"compiled before")
    (folder / f"sage_stones_0123456789abcdef{ending}").write_bytes(b"of older sources")
    (folder / f"{current}.another-python.so").write_bytes(b"not ours")
    run("hatch_build.py", cwd=checkout)
    assert {path.name for path in folder.glob("*.so")} == {
        f"{current}{ending}",
        f"{current}.another-python.so",
    }
    run("hatch_build.py", "--plain", cwd=checkout)
    assert [path.name for path in folder.glob("*.so")] == [f"{current}.another-python.so"]


@contained
def test_sandboxed_bot_finds_the_same_form(tmp_path: Path) -> None:
    """The compiled cores lie in the package's folder, which every sandbox shows."""
    tmp_path.chmod(0o755)
    probe = "from tourney.games.compiled import summary; print('bot', summary())"
    argv = own_words(("python3", "-c", probe), "probe")
    command = BotCommand(argv, tmp_path, environment(), interpreter_paths())
    channel = open_sandbox("auto").spawn(command, memory_mb=512)
    try:
        event = channel.wait(time.monotonic_ns() + 60 * 10**9)
        assert (event.kind, event.text) == ("line", f"bot {compiled.summary()}"), channel.stderr()
    finally:
        channel.close(0)
