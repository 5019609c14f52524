"""The old name of a build, which the manifests of stored bots have."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.addon("fuel")
def test_old_name_of_the_build_runs_the_add_on(tmp_path: Path) -> None:
    """Without CPython for WASI it says what to install; with it, it writes the module."""
    words = [sys.executable, "-m", "tourney.bots.catalogue.python_module"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    lacking = done.returncode == 1 and "npm install --global" in done.stderr
    assert lacking or (done.returncode == 0 and (tmp_path / "bot.wasm").is_file()), done.stderr
