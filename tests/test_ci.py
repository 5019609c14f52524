"""CI's view without optional programs, the tests that it runs there, and how ``make`` calls pytest."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import (
    BARE,
    FILES,
    LOOKUPS,
    NAMES_ONLY,
    ROOMS,
    TESTS,
    depends_on_programs,
    hidden_programs,
    named_programs,
)

ROOT = TESTS.parent
REQUIRED = frozenset({"cc", "python3", "bash", "sh", "env", "mount", "prlimit", "setpriv", "tourney"})
"""Programs that are looked for, but belong to every Linux or are named by the README as required."""
NOT_HIDDEN = frozenset({"gcc", "libc6-dev", "python3-dev", "make", "python3-seccomp"})
"""Packages of ``.ci/run`` that the bare view has: the README requires them, or only a test imports them."""


def bare(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in the bare view; skip the test if this machine cannot hide programs."""
    probe = subprocess.run([BARE, "true"], capture_output=True, text=True, check=False)
    if probe.returncode == 125:
        pytest.skip(probe.stderr.strip())
    return subprocess.run([BARE, *words], capture_output=True, text=True, check=True)


def test_bare_view_hides_a_program_by_its_absolute_path() -> None:
    """``env`` is on every machine, so this does not depend on what is installed."""
    script = "ls /usr/bin/env /bin/env; command -v env; true"
    assert "/usr/bin/env" in subprocess.check_output(["sh", "-c", script], text=True)
    done = bare("--hide", "env", "sh", "-c", script)
    assert done.stdout == ""


def test_bare_view_has_no_optional_program() -> None:
    code = "import shutil, sys; print([name for name in sys.argv[1:] if shutil.which(name)])"
    assert bare(sys.executable, "-c", code, *hidden_programs()).stdout == "[]\n"


def test_bare_view_says_that_mounts_are_not_possible(tmp_path: Path) -> None:
    """As in containers that allow namespaces, but no mounts: the exit code says so, and no command is run."""
    bare("true")
    (tmp_path / "mount").write_text("#!/bin/sh\nexit 32\n", encoding="ascii")
    (tmp_path / "mount").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [BARE, "touch", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": path},
    )
    assert (done.returncode, done.stdout) == (125, "")
    assert "cannot mount what hides the programs" in done.stderr
    assert not (tmp_path / "run").exists()


def test_ci_would_install_every_optional_package_in_the_bare_view() -> None:
    """What ``.ci/run`` installs is hidden in the bare view, but for ``NOT_HIDDEN``."""
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    arrays = re.findall(r"(?:want|languages|modules|missing_server)\+?=\(([a-z0-9 -]+)\)", script)
    packages = {word for words in arrays for word in words.split()}
    packages |= set(re.findall(r"for engine in ([a-z -]+);", script)[0].split())
    missing = set(bare(str(ROOT / ".ci" / "run"), "--missing").stdout.split())
    assert missing - NOT_HIDDEN == packages - NOT_HIDDEN


def test_every_program_that_is_looked_for_is_hidden() -> None:
    """A new optional program belongs into ``.ci/bare``."""
    looked_for: dict[str, str] = {}
    for folder in ("tourney", "tests", "scripts", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for name in re.findall(
                r"\b(?:which|program|_needed)\(\s*[\"']([^\"']+)[\"']", path.read_text("utf-8")
            ):
                looked_for[name] = str(path.relative_to(ROOT))
    assert {"bwrap", "node"} <= looked_for.keys()
    assert {name: path for name, path in looked_for.items() if name not in hidden_programs() | REQUIRED} == {}


def test_bare_part_is_the_files_that_name_programs() -> None:
    """A file outside ROOMS stands in FILES exactly if it names an optional program or a sandbox."""
    files = {str(path.relative_to(TESTS)): path for path in TESTS.rglob("test_*.py")}
    outside = {
        name
        for name, path in files.items()
        if Path(name).parts[0] not in ROOMS and named_programs(path.read_text("utf-8"))
        if name not in NAMES_ONLY
    }
    assert sorted(outside - FILES) == [], "add these to FILES of tests/support/programs.py"
    assert sorted(FILES - outside) == [], "take these out of FILES of tests/support/programs.py"
    without = {
        room
        for room in ROOMS
        if not any(named_programs(path.read_text("utf-8")) for path in (TESTS / room).rglob("test_*.py"))
    }
    assert without == set(), "these rooms name no program: take them out of ROOMS"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('shutil.which("cc")', {"which"}),
        ("from shutil import which", {"which"}),
        ('subprocess.run(["node", "-e", "1"])', {"node"}),
        ("@contained\ndef test_x(): pass", {"contained"}),
        ("from tourney.bots.sandbox.plain import PlainSandbox", {"sandbox"}),
        ('TEXT = """\n[run]\nsandbox = "off"\n"""', {"sandbox"}),
        ('"""The sandbox, and node."""\n# bwrap', set()),
        ('def test_x():\n    """Runs node."""\n    node = 1', set()),
    ],
)
def test_code_names_programs_but_docstrings_do_not(code: str, words: set[str]) -> None:
    assert named_programs(code) == words


@pytest.mark.addon("fuel")  # it looks for compilers of modules
def test_lookups_are_names_of_the_tree() -> None:
    """A renamed function or condition would otherwise never be found."""
    text = "\n".join(
        path.read_text("utf-8")
        for folder in ("tourney", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in ("programs.py", "test_ci.py")
    )
    assert {
        name
        for name in LOOKUPS
        if not re.search(rf"(def {name}\(|^{name} = |\.{name}\()", text, re.MULTILINE)
    } == set()


def test_mark_is_added_to_the_files_of_the_part(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("programs")
    assert depends_on_programs(TESTS / "run" / "test_dry_run.py")
    assert not depends_on_programs(TESTS / "games" / "test_core_base.py")


CRASH = "import faulthandler\n\ndef test_crash():\n    faulthandler._sigsegv()\n"
HANG = "import threading\n\ndef test_hang():\n    threading.Event().wait()\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "name", "sign"),
    [
        (CRASH, "test_crash", "Segmentation fault"),
        (HANG, "test_hang", "Timeout (0:00:01)!"),
    ],
    ids=["crash", "hang"],
)
def test_run_ends_when_a_test_crashes_or_hangs(tmp_path: Path, source: str, name: str, sign: str) -> None:
    """The options of the Makefile and of pyproject.toml end the run and name the test, with its stack.

    If the process that died had a successor, pytest-xdist would wait for it for ever.
    """
    (tmp_path / f"{name}.py").write_text(source, encoding="ascii")
    (tmp_path / "test_other.py").write_text("def test_nothing():\n    pass\n", encoding="ascii")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (options,) = re.findall(r"^PYTEST := \$\(BIN\)/pytest (.*)$", makefile, re.MULTILINE)
    words = shlex.split(options.replace("$(JOBS)", "2"))
    words += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), str(tmp_path)]
    words += ["-o", "faulthandler_timeout=1"] if source == HANG else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        timeout=900,
    )
    assert done.returncode == 1, done.stdout
    assert sign in done.stdout
    assert re.search(rf"File .*{name}\.py\", line \d in {name}\b", done.stdout)
    assert f"crashed while running '{name}.py::{name}'" in done.stdout
