"""Runs the two checkers of ``seeds/`` as a stranger would."""

import importlib
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
        [sys.executable, "-E", "-s", "-S", str(program)]
        if program.suffix == ".py"
        else ["node", str(program)]
    )
    return subprocess.run([*command, *words], input=given, capture_output=True, check=False, timeout=600)


@cache
def module(name: str = "check") -> ModuleType:
    """Return a program of ``seeds/`` as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PYTHON.parent)
        return importlib.import_module(name)


def in_node(expression: str, value: Any, name: str = "check") -> Any:
    """Return what an expression of JavaScript gives for ``value``, with ``check`` as the module of a name."""
    script = (
        f"import * as check from {json.dumps(NODE.with_stem(name).as_uri())};"
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
