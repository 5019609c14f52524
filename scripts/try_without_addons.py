"""Try what is left without add-ons: ``python -m scripts.try_without_addons [NAME ...] [-- ARGUMENT ...]``.

For each NAME the checkout is copied without this folder of ``tourney/addons`` and without its tests; for
``all`` without all of them. In the copy

- the help must list the commands of what is left and nothing else;
- pytest must pass with the ARGUMENTs (default: ``TESTS``, and ``TESTS_OF_CORE`` for all);
- without any add-on ``tourney demo`` must end with a report.

Without a NAME, each add-on is left out in turn, and then all. The exit code is 1 if anything failed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from tourney.cli.main import CommandTable, cli
from tourney.plugins import shipped

ROOT: Final = Path(__file__).resolve().parent.parent
ALL: Final = "all"
TESTS: Final = (
    *("-m", "not slow"),
    *("tests/test_mirror.py", "tests/test_plugins.py"),
    *("tests/scripts/test_make_reference.py", "tests/scripts/test_make_schemas.py"),
)
"""Tests of the core that meet what each add-on brings: names, plug-ins, schemas, pages."""
TESTS_OF_CORE: Final = (
    *TESTS,
    *("tests/cli/test_main.py", "tests/cli/test_games.py", "tests/interface/test_playing.py"),
)
"""With those that meet what all of them bring: commands, games, a tournament."""
_LEFT_BEHIND: Final = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", "build", "dist", "demo"
)
"""Compiled modules are copied: they fit, because a copy keeps the times of its sources."""
_COMMAND_LINE: Final = re.compile(r"^  ([a-z][a-z-]*)  +\S", re.MULTILINE)


def copy_without(addons: Sequence[str], place: Path) -> None:
    """Copy the checkout without some add-ons, and give it an environment that finds the copy first.

    The packages are those of the environment that runs this, as a path of its own: there the ``.pth`` file of
    an editable installation is not read, so ``tourney`` is the copy's, also for bots in a sandbox.
    """
    shutil.copytree(ROOT, place, symlinks=True, ignore=_LEFT_BEHIND)
    for name in addons:
        shutil.rmtree(place / "tourney" / "addons" / name)
        shutil.rmtree(place / "tests" / "addons" / name)
    venv.create(place / ".venv", with_pip=False, symlinks=True)
    (site,) = (place / ".venv" / "lib").glob("python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "copy.pth").write_text("\n".join([str(place), *packages, ""]), encoding="utf-8")
    programs = Path(sys.executable).parent
    for program in programs.iterdir():
        target = place / ".venv" / "bin" / program.name
        if program.is_file() and not target.exists():
            content = program.read_bytes()
            # The first line of a Python program is the path of its interpreter.
            target.write_bytes(content.replace(os.fsencode(programs), os.fsencode(target.parent), 1))
            target.chmod(0o755)


def run_in(place: Path, *words: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run Python with these words in a copy, or in another folder by the copy's interpreter."""
    python = place / ".venv" / "bin" / "python"
    return subprocess.run(  # noqa: S603 - the interpreter itself
        [python, *words], cwd=folder or place, capture_output=True, text=True, check=False
    )


def commands_in_help(place: Path, group: str) -> set[str]:
    """The commands that the help of a group lists; "" is ``tourney`` itself."""
    shown = run_in(place, "-m", "tourney", *group.split(), "--help")
    return set(_COMMAND_LINE.findall(shown.stdout))


def wrong_help(place: Path, addons: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each group whose help lists other commands than those of what is left."""
    brought = [words for name in addons for words in shipped()[name].commands]
    for group in ("", *sorted({words.rpartition(" ")[0] for words in brought} - {""})):
        removed = {words.rpartition(" ")[2] for words in brought if words.rpartition(" ")[0] == group}
        everything = {*_names(cli if not group else cli.load(group))}
        listed = commands_in_help(place, group)
        if listed != everything - removed:
            differing = ", ".join(sorted(listed ^ (everything - removed)))
            yield f"tourney {group} --help: it is wrong about {differing}".replace("  ", " ")


def _names(group: click.Command) -> tuple[str, ...]:
    return group.names if isinstance(group, CommandTable) else ()


def failed_demo(place: Path) -> Iterator[str]:
    """Yield a sentence if the demo does not end with the path of a report."""
    folder = place / "build" / "demo"
    folder.mkdir(parents=True)
    demo = run_in(place, "-m", "tourney", "demo", folder=folder)
    if demo.returncode or not (folder / (demo.stdout.splitlines() or ["nothing"])[-1]).is_file():
        yield f"tourney demo: exit code {demo.returncode}, no report: {demo.stderr[-2000:]}"


def failures_without(name: str, arguments: Sequence[str]) -> list[str]:
    """Sentences on what fails without an add-on, or without all of them."""
    addons = sorted(shipped()) if name == ALL else [name]
    with tempfile.TemporaryDirectory(prefix="tourney-without-") as folder:
        place = Path(folder, "checkout")
        copy_without(addons, place)
        failures = list(wrong_help(place, addons))
        tests = run_in(place, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)
        if tests.returncode:
            failures.append(f"pytest {' '.join(arguments)}:\n{tests.stdout[-20_000:]}{tests.stderr[-2000:]}")
        if name == ALL:
            failures += failed_demo(place)
    return failures


def main(words: Sequence[str]) -> int:
    """Try it, print a line for each add-on and what failed, and return the exit code."""
    border = words.index("--") if "--" in words else len(words)
    names, arguments = words[:border], words[border + 1 :]
    known = (*sorted(shipped()), ALL)
    if unknown := [name for name in names if name not in known]:
        sys.stderr.write(f"there is no add-on {unknown[0]}; the add-ons are: {', '.join(known)}\n")
        return 2
    code = 0
    for name in names or known:
        failures = failures_without(name, arguments or (TESTS_OF_CORE if name == ALL else TESTS))
        sys.stdout.write(f"without {name}: {'; '.join(failures) or 'all is well'}\n")
        sys.stdout.flush()
        code |= bool(failures)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
