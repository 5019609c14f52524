"""An inbox that is a git repository: a branch or a folder for each author."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, reopened
from tourney.addons.league.admission import take_in
from tourney.addons.league.folder import League
from tourney.addons.league.git_inbox import is_repository
from tourney.addons.league.intake import arrivals, take
from tourney.errors import EnvironmentFailure

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    who = {
        f"GIT_{role}_{what}": "mason@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | who | alone, check=True, timeout=60, capture_output=True
    )


def commit(folder: Path, place: str, text: str) -> None:
    """Commit a bot of that text at a place."""
    (folder / place).mkdir(parents=True, exist_ok=True)
    (folder / place / "bot.toml").write_text(
        'name = "drifter"\nversion = "1"\ncommand = ["python3", "bot.py"]\ngames = ["sage-stones"]\n'
    )
    (folder / place / "bot.py").write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", text)


def repository(folder: Path, more: str = "") -> tuple[League, Path]:
    """Make a league whose inbox is a repository beside it."""
    league = new_league(folder, more)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace('inbox = "inbox"', 'inbox = "../repo"'))
    repo = folder / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet", "--initial-branch", "mason")
    return reopened(league), repo


@pytest.mark.usefixtures("admitted")
def test_branch_of_an_author_is_taken_once_a_commit(tmp_path: Path) -> None:
    league, repo = repository(tmp_path)
    assert is_repository(league)
    commit(repo, "drifter", "one")
    take_in(league, 1, NOW, lambda _: None)
    take_in(league, 1, NOW, lambda _: None)
    assert [one.label for one in league.ledger.versions] == ["mason/drifter 1"]
    commit(repo, "drifter", "two")
    take_in(league, 2, NOW, lambda _: None)
    assert [one.label for one in league.ledger.versions] == ["mason/drifter 1", "mason/drifter 2"]
    assert [one.source for one in league.ledger.submissions.values()] == ["git:drifter"] * 2


def test_folders_of_one_branch(tmp_path: Path) -> None:
    league, repo = repository(tmp_path, 'git = "folders"')
    commit(repo, "mason/drifter", "one")
    commit(repo, "heron/floater", "two")
    # The order is that of the commits' seconds, so it depends on whether both fell into one.
    assert {(arrival.author, arrival.bot) for arrival in arrivals(league, NOW)} == {
        ("heron", "floater"),
        ("mason", "drifter"),
    }


def test_unsigned_commit_of_a_keyed_author_is_refused(tmp_path: Path) -> None:
    league, repo = repository(tmp_path)
    (league.folder / "authors.toml").write_text('[mason]\nkeys = ["ssh-ed25519 AAAA mason"]\n')
    commit(repo, "drifter", "one")
    (arrival,) = arrivals(reopened(league), NOW)
    refused = take(league, arrival, NOW)
    assert refused is not None
    assert "is not signed by a key of mason" in refused.reason


def test_lost_repository_is_a_failure_of_the_machine(tmp_path: Path) -> None:
    league, repo = repository(tmp_path)
    shutil.rmtree(repo / ".git" / "objects")
    with pytest.raises(EnvironmentFailure, match="of the inbox failed"):
        list(arrivals(league, NOW))
