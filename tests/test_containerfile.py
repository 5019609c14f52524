"""The Containerfile installs what continuous integration installs, and names files that exist."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "Containerfile").read_text("utf-8")


def test_container_has_all_extras() -> None:
    """An extra of pyproject.toml that the image lacks fails here."""
    (named,) = re.findall(r"/src\[([a-z,]+)\]", TEXT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(named.split(",")) == set(project["optional-dependencies"])


def test_container_has_the_programs_of_continuous_integration() -> None:
    """What `.ci/run` installs for bots and engines is in the image, but for browsers and servers."""
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    wanted = set(re.findall(r"(?:want|languages|modules)\+=\(([a-z0-9-]+)", script))
    wanted |= set(re.search(r"for engine in ([a-z -]+);", script)[1].split())  # type: ignore[index]  # it is there
    (installed,) = re.findall(r"--no-install-recommends(.*?)&& rm", TEXT, re.DOTALL)
    for_tests = {"chromium", "libstd-rust-dev-wasm32", "python3-seccomp"}
    assert wanted - for_tests <= set(installed.replace("\\", " ").split())


def test_files_of_the_container_exist() -> None:
    assert all((ROOT / path).exists() for path in re.findall(r"/src/([a-z./-]+\.txt)", TEXT))
