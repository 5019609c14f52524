"""Runs the two checkers of ``seeds/`` as a stranger would."""

import importlib.util
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from tests.support.command import ROOT

PYTHON: Final = ROOT / "seeds" / "check.py"
NODE: Final = ROOT / "seeds" / "check.mjs"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def check(program: Path, *words: str, given: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run a checker on files, without Tourney on Python's path."""
    command = (
        [sys.executable, "-I", "-S", str(program)] if program.suffix == ".py" else ["node", str(program)]
    )
    return subprocess.run([*command, *words], input=given, capture_output=True, check=False, timeout=600)


@cache
def module() -> ModuleType:
    """Return ``check.py`` as a module."""
    spec = importlib.util.spec_from_file_location("check", PYTHON)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def in_node(expression: str, value: Any) -> Any:
    """Return what an expression of JavaScript gives for ``value``, with ``check`` as the module."""
    script = (
        f"import * as check from {json.dumps(NODE.as_uri())};"
        "let text = ''; for await (const part of process.stdin) text += part;"
        f"const value = JSON.parse(text); console.log(JSON.stringify({expression},"
        " (_, one) => typeof one === 'bigint' ? String(one) : one));"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        input=json.dumps(value).encode(),
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)
