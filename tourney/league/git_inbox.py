"""An inbox that is a git repository: a branch AUTHOR with folders BOT, or folders AUTHOR/BOT of one branch.

The repository is fetched into ``records/inbox.git``; nothing of it is checked out or run. Its server decides
who may push where; the commits of an author with keys must also be signed by one of them.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from tourney.bots.catalogue.tree import SUBMITTED
from tourney.errors import EnvironmentFailure
from tourney.league.identity import Arrival, allowed_signers, folder_problem
from tourney.league.league_folder import League

_SECONDS: Final = 600
_HEADS: Final = "refs/heads/"


def is_repository(league: League) -> bool:
    """Whether the inbox of a league is a git repository."""
    named, path = league.table.inbox, league.inbox
    return (
        "://" in named or (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "refs").is_dir())
    )


def git_arrivals(league: League) -> Iterator[Arrival]:
    """Fetch the repository, and yield the bots in it. Raises EnvironmentFailure."""
    source = league.table.inbox if "://" in league.table.inbox else str(league.inbox)
    if not (league.records / "inbox.git").exists():
        _git(league, "init", "--quiet", "--bare", str(league.records / "inbox.git"), bare=False)
    _git(
        league,
        "fetch",
        "--quiet",
        "--prune",
        "--no-tags",
        source,
        f"+{_HEADS}*:{_HEADS}*",
        "+HEAD:refs/inbox",
    )
    if league.table.git == "folders":
        for author, _ in _folders(league, "refs/inbox"):
            yield from _of_author(league, author, "refs/inbox", f"{author}/")
        return
    for ref in _git(league, "for-each-ref", "--format=%(refname)", _HEADS).splitlines():
        yield from _of_author(league, ref.removeprefix(_HEADS), ref, "")


def _of_author(league: League, author: str, ref: str, below: str) -> Iterator[Arrival]:
    problem = folder_problem(league, author, None)
    for bot, tree in _folders(league, f"{ref}:{below}"):
        commit = _git(league, "log", "-1", "--format=%H", ref, "--", f"{below}{bot}").strip()
        table = league.authors.get(author)
        why = problem
        if not why and table is not None and table.keys:
            with NamedTemporaryFile("w", prefix="tourney-") as signers:
                signers.write(allowed_signers(author, table))
                signers.flush()
                keys = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={signers.name}")
                if _run(league, *keys, "verify-commit", commit).returncode:
                    why = f"the commit {commit[:12]} is not signed by a key of {author} in authors.toml"
        yield Arrival(author, bot, Path(f"git:{below}{bot}"), tree, why, tree)


def _folders(league: League, tree: str) -> list[tuple[str, str]]:
    """The folders at the top of a tree, with their objects."""
    found = []
    for line in _git(league, "ls-tree", "-z", tree).split("\0"):
        kind, _, name = line.partition("\t")
        if " tree " in kind:
            found.append((name, kind.split()[2]))
    return sorted(found)


def write_archive(league: League, tree: str, target: Path) -> None:
    """Write a tree to a tar archive, or an empty one if it is larger than a bot may be."""
    sizes = [line.split()[3] for line in _git(league, "ls-tree", "-r", "-l", tree).splitlines()]
    if len(sizes) <= SUBMITTED.files and sum(map(int, filter(str.isdigit, sizes))) <= SUBMITTED.bytes:
        _git(league, "archive", "--format=tar", f"--output={target}", tree)
    else:
        target.touch()


def _git(league: League, *words: str, bare: bool = True) -> str:
    done = _run(league, *words, bare=bare)
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise EnvironmentFailure(f"git {words[0]} of the inbox failed: {''.join(last) or done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def _run(league: League, *words: str, bare: bool = True) -> "subprocess.CompletedProcess[bytes]":
    place = (f"--git-dir={league.records / 'inbox.git'}",) if bare else ()
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, without a shell
            ["git", *place, *words],  # noqa: S607 - git of the PATH
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFailure(f"the inbox is a git repository, and git cannot be run: {error}") from error
