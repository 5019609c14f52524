"""The wheels of Tourney: ``python -m scripts.make_wheels DIR [PYTHON ...]`` (``make wheels``).

Writes one wheel for each interpreter (default: those of CPython 3.11 to 3.13 on PATH), with the rules
compiled for it, and all that ``requirements/run.txt`` names as wheels beside it. So DIR installs without
network: ``pip install --no-index --find-links DIR tourney``. A wheel without compiled rules is an error:
a user's machine would play slowly without a word.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")
"""The versions of CPython that pyproject.toml allows."""


def interpreters() -> list[str]:
    """The interpreters on PATH that run, one for each of ``VERSIONS`` that is there."""
    found = [shutil.which(f"python{version}") for version in VERSIONS]
    return [path for path in found if path and not run([path, "-c", "import venv"])]


def run(command: Sequence[str | Path]) -> str:
    """Run a command in the checkout; return the end of its errors if it failed, else ""."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - own
    except OSError as error:
        return f"it cannot be run: {error.strerror}"
    return (done.stderr.strip() or f"exit code {done.returncode}")[-2000:] if done.returncode else ""


def make(interpreter: str, folder: Path) -> str:
    """Build the wheel for one interpreter, and what it requires, into a folder; return the error or ""."""
    with tempfile.TemporaryDirectory(prefix="tourney-wheels-") as place:
        python, own = Path(place, "venv", "bin", "python"), Path(place, "own")
        pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
        pinned: tuple[str | Path, ...] = ("--require-hashes", "-r", ROOT / "requirements" / "run.txt")
        commands: tuple[list[str | Path], ...] = (
            [interpreter, "-m", "venv", Path(place, "venv")],
            [*pip, "wheel", *pinned, "-w", folder],
            [*pip, "install", *pinned],
            [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", own, ROOT],
        )
        for command in commands:
            if problem := run(command):
                return f"{interpreter}: {problem}"
        (wheel,) = own.glob("*.whl")
        if wheel.name.endswith("-none-any.whl"):
            return f"{interpreter}: its rules were not compiled; install a C compiler and Python's headers"
        shutil.copy2(wheel, folder / wheel.name)
    return ""


def main(arguments: list[str]) -> int:
    """Make the wheels; return the exit code."""
    if not arguments:
        sys.stderr.write("usage: python -m scripts.make_wheels DIR [PYTHON ...]\n")
        return 2
    folder = Path(arguments[0]).resolve()
    found = arguments[1:] or interpreters()
    if not found:
        sys.stderr.write(f"error: none of {', '.join(f'python{v}' for v in VERSIONS)} is on PATH; name one\n")
        return 3
    folder.mkdir(parents=True, exist_ok=True)
    for interpreter in found:
        if problem := make(interpreter, folder):
            sys.stderr.write(f"error: {problem}\n")
            return 3
    for wheel in sorted(folder.glob("tourney-*.whl")):
        sys.stdout.write(f"{wheel}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
