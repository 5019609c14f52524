"""The wheel works when built, installed and run outside the checkout."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.docs.pages import blocks, page
from tourney.games.compiled import summary

pytestmark = pytest.mark.compiler

(INSTALL,), RUN, OWN_GAME = (block.splitlines() for block in blocks(page("tutorials/other-games.md"), "sh"))
"""The lines of the tutorial: the installation, a tournament of engines, and a game of one's own."""
ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TOURNEY"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def build(folder: Path, **variables: str) -> Path:
    """Build the wheel into a folder, and return it."""
    words = ["-m", "build", "--wheel", "--no-isolation", "--outdir"]
    built = run(sys.executable, *words, folder, ROOT, cwd=ROOT, **variables)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    (wheel,) = folder.glob("*.whl")
    return wheel


def pip_install(python: Path, line: str, folder: Path) -> None:
    """Run a page's line ``pip install ...`` for an environment without pip, and without dependencies."""
    program, *words = line.split()
    assert program == "pip"
    options = ("--no-deps", *(() if "--no-index" in words else ("--no-build-isolation",)))
    done = run(sys.executable, "-m", "pip", "--python", python, *words, "-q", *options, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="module")
def tourney(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script of the wheel, in an environment that sees the dependencies but not the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build(folder / "dist" / "wheels")
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    python = folder / "venv" / "bin" / "python"
    pip_install(python, INSTALL, folder)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (dependencies,) = {Path(entry) for entry in sys.path if entry.endswith("site-packages")} & {
        Path(sys.prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    }
    # The dependencies come from the environment of the tests, as plain folders on the path: an editable
    # install's own .pth file is not read there, so `tourney` can only be the wheel's.
    (site / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    where = run(python, "-c", "import tourney; print(tourney.__file__)", cwd=folder)
    assert str(folder) in where.stdout, where.stdout + where.stderr
    return folder / "venv" / "bin" / "tourney"


def test_version(tourney: Path, tmp_path: Path) -> None:
    """The console script starts."""
    done = run(tourney, "--version", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("tourney ")
    assert done.stdout.endswith(f"rules of the games: {summary()}\n")


def test_wheel_has_platform_tag_only_with_compiled_rules(tourney: Path, tmp_path: Path) -> None:
    """Without a compiler, or with TOURNEY_PLAIN=1, the wheel is one for every platform."""
    (wheel,) = (tourney.parents[2] / "dist" / "wheels").glob("*.whl")
    assert wheel.name.endswith("-none-any.whl") == (summary() == "plain Python")
    plain = build(tmp_path / "dist", TOURNEY_PLAIN="1")
    assert plain.name.endswith("-py3-none-any.whl")
    assert not [name for name in ZipFile(plain).namelist() if name.endswith(".so")]


def test_rules_console_works(tourney: Path, tmp_path: Path) -> None:
    """The games are in the wheel, and found by their entry points."""
    done = subprocess.run(
        [tourney, "rules", "sages-tafl"],
        input="new seats=2\nperft 2\n",
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "ok\n484\n", done.stderr


def test_tournament_runs_from_start_to_report(tourney: Path, tmp_path: Path) -> None:
    """The wheel has the shipped bots, templates and rules: a tournament is played, verified and reported."""
    (tmp_path / "cup.toml").write_text(
        'name = "cup"\ngame = "sage-stones"\nformat = "round-robin"\nseed = 7\nbots = ["random", "greedy"]\n',
        encoding="utf-8",
    )
    ran = run(tourney, "run", "cup.toml", "--quiet", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr[-2000:]
    verified = run(tourney, "verify", "--all", cwd=tmp_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    reported = run(tourney, "report", "--out", "site", cwd=tmp_path)
    assert reported.returncode == 0, reported.stderr[-2000:]
    assert "random" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "wiped clean" in (tmp_path / "site" / "rules.html").read_text(encoding="utf-8")


def test_game_of_the_tutorial_is_written_checked_and_played(tourney: Path, tmp_path: Path) -> None:
    """The bots that play it are contained, and find the game in the environment."""
    assert [line.split()[0] for line in OWN_GAME] == ["tourney", "pip", "tourney", "tourney", "tourney"]
    for line in OWN_GAME:
        if line.startswith("pip "):
            pip_install(tourney.with_name("python"), line, tmp_path)
            continue
        done = run(tourney, *line.split()[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert "coins-cup: all played" in run(tourney, "run", "coins-cup.toml", cwd=tmp_path).stderr


@pytest.mark.engine
def test_engines_of_the_tutorial_play_chess(tourney: Path, tmp_path: Path) -> None:
    for engine in ("stockfish", "gnuchess"):
        if shutil.which(engine, path="/usr/games:/usr/bin:/usr/local/bin") is None:
            pytest.skip(f"{engine} is not installed: apt-get install {engine}")
    (file,) = blocks(page("tutorials/other-games.md"), "toml")
    file = file.replace("games-per-pairing = 4\n", "").replace("move-ms = 100", "nodes = 1\nmove-ms = 60000")
    (tmp_path / "engines.toml").write_text(file, encoding="utf-8")
    for line in RUN:
        done = run(tourney, *line.split()[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert "2 of 2 matches" in run(tourney, "run", "engines.toml", cwd=tmp_path).stderr
    assert (tmp_path / "engines.pgn").read_text("utf-8").count("[Result ") == 2
