"""Completion by Tab: the scripts, and the words offered for games, bots and tournaments."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, invoke
from tests.support.tournaments import begin
from tourney.cli.completion import SHELLS
from tourney.store.database import Database


def offered(*words: str, **settings: str) -> list[str]:
    """Return what bash is offered for the last of these words."""
    line = {"COMP_WORDS": " ".join(("tourney", *words)), "COMP_CWORD": str(len(words))}
    done = invoke(*words, env={"_TOURNEY_COMPLETE": "bash_complete", **line, **settings})
    assert done.stderr == ""
    return [entry.partition(",")[2] for entry in done.stdout.splitlines() if entry]


@pytest.mark.parametrize("shell", SHELLS)
def test_script_registers_completion_and_parses(shell: str) -> None:
    done = invoke("completion", shell)
    assert done.exit_code == 0
    assert f"_TOURNEY_COMPLETE={shell}_complete" in done.stdout
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True)


def test_unknown_shell_is_wrong_use() -> None:
    done = invoke("completion", "tcsh")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "'bash', 'zsh', 'fish'" in done.stderr


def test_completes_commands_and_games() -> None:
    assert offered("stand") == ["standings"]
    assert offered("rules", "sage") == ["sage-stones", "sages-tafl"]
    assert offered("compare", "a", "b", "--game", "cy") == ["cyvasse"]


def test_completes_bots_that_ship_and_paths(tmp_path: Path) -> None:
    assert offered("bots", "show", "gre", TOURNEY_BOTS=str(tmp_path)) == ["greedy"]
    assert offered("bots", "show", "./gre", TOURNEY_BOTS=str(tmp_path)) == ["./gre"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_shell_itself_completes_games_bots_and_tournaments(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    with Database.open(str(tmp_path / "tourney.db"), create=True) as repository:
        begin(repository, name="spring-cup")
    (tmp_path / "tourney").write_text(f'#!/bin/sh\nexec {sys.executable} -m tourney "$@"\n')
    (tmp_path / "tourney").chmod(0o755)
    lines = ("standings sp", "rules sages", "bots show gre", "compare a b --game cy")
    if shell == "bash":
        script = 'eval "$(tourney completion bash)"\n' + "".join(
            f"COMP_WORDS=(tourney {line}); COMP_CWORD={len(line.split())}; COMPREPLY=();"
            ' _tourney_completion tourney; echo "${COMPREPLY[*]}"\n'
            for line in lines
        )
    else:
        script = "tourney completion fish | source\n" + "".join(f'complete -C "tourney {x}"\n' for x in lines)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    words = [program, "-c", script]
    done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["spring-cup", "sages-tafl", "greedy", "cyvasse"]


def test_completes_tournaments_of_the_database(tmp_path: Path) -> None:
    db = str(tmp_path / "tourney.db")
    with Database.open(db, create=True) as repository:
        begin(repository, name="spring-cup")
        begin(repository, name="summer-cup")
    assert offered("standings", "s", TOURNEY_DB=db) == ["spring-cup", "summer-cup"]
    assert offered("report", "su", TOURNEY_DB=db) == ["summer-cup"]


def test_missing_database_offers_nothing(tmp_path: Path) -> None:
    assert offered("status", "s", TOURNEY_DB=str(tmp_path / "none.db")) == []
    assert not (tmp_path / "none.db").exists()
