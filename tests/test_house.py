"""The rules of the tree that a program can check: lint, types, imports, and forbidden text."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="the house is checked in a checkout only"
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("lint-imports",)],
    ids=" ".join,
)
def test_linter_is_clean(command: tuple[str, ...]) -> None:
    """Ruff, mypy strict and import-linter find nothing."""
    done = run(str(BIN / command[0]), *command[1:])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def tracked_files() -> list[Path]:
    done = run("git", "ls-files", "-co", "--exclude-standard")
    if done.returncode != 0:
        pytest.skip("no git checkout: nothing says which files belong to the tree")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_tree_has_no_registry_host_or_machine_path() -> None:
    """No file contains a package registry's host or a home or work folder of a machine."""
    bad = re.compile(
        rb"files\.pythonhosted"
        rb"|pypi\.or"
        rb"g|registry\.npm"
        rb"js|deb\.debia"
        rb"n\.org|/ro"
        rb"ot/|/wor"
        rb"k/main"
    )
    found = [str(path.relative_to(ROOT)) for path in tracked_files() if bad.search(path.read_bytes())]
    assert found == []


def test_every_ignore_has_its_reason() -> None:
    """A ``noqa`` or a ``type: ignore`` names its rule and gives a reason."""
    ignore = re.compile(r"#\s*(?:noqa|type:\s*ignore)(?P<rest>.*)")
    bare = []
    for path in tracked_files():
        if path.suffix != ".py" or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = ignore.search(line)
            if match and not re.match(
                r"(?::\s*[A-Z0-9, ]+|\[[a-z-, ]+\])\s*(?:#|-)?.*[a-z]{3}", match["rest"]
            ):
                bare.append(f"{path.relative_to(ROOT)}:{number}")
    assert bare == []


def test_requirements_are_pinned_with_hashes_and_no_urls() -> None:
    """The development requirements are exact versions with hashes; no line contains a URL."""
    text = (ROOT / "requirements" / "dev.txt").read_text(encoding="ascii")
    assert "://" not in text
    pins = [line for line in text.splitlines() if line and line[0].isalpha()]
    assert pins
    assert all("==" in line and line.endswith("\\") for line in pins)
